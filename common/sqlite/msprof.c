#include "sqlite/msprof.h"

#include <inttypes.h>

#include "kernel/nametype.h"
#include "trace/ascend.h"

enum { TID_BITS = 32 }; /* of globalTid */
#define NO_CONNECTION INT64_C(0xffffffff)

bool msprof_is(const struct sqlfile *file)
{
	static const char *const tables[] = {"TASK", "CANN_API", "COMMUNICATION_OP", "PYTORCH_API",
	                                     "MSTX_EVENTS"};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (sqlfile_has(file, tables[i]) && sqlfile_has(file, "STRING_IDS"))
			return true;
	return false;
}

static int64_t pid_of(int64_t global)
{
	return global == SQLEVENTS_NONE ? global : global >> TID_BITS & 0xffffffff;
}

static int64_t tid_of(int64_t global)
{
	return global == SQLEVENTS_NONE ? global : global & 0xffffffff;
}

/* Also 4294967295 and -1 are no connections. */
static int64_t connection(const struct sqlrows *rows, size_t column)
{
	int64_t id = sqlevents_number(rows, column);

	return id == NO_CONNECTION || id < 0 ? SQLEVENTS_NONE : id;
}

/* A text by its number; empty for N/A. */
static struct str text(struct sqlevents *events, const struct sqlrows *rows, size_t column)
{
	struct str value;

	if (sqlevents_number(rows, column) == SQLEVENTS_NONE && sqlrows_text(rows, column).n == 0)
		return STR("");
	value = sqlevents_text(events, rows, column);
	return str_equal(value, STR("N/A")) ? STR("") : value;
}

/* --- the device and the rank --------------------------------------------------------- */

static void write_device(struct sqlevents *events)
{
	enum { ID, NAME };
	static const struct sqlrows_column columns[] = {
		[ID] = {"id", SQLROWS_OWN, false}, [NAME] = {"name", SQLROWS_OWN, true}};
	static const struct sqlrows_plan plan = {
		.table = "NPU_INFO", .columns = columns, .columns_count = 2};
	struct sqlrows rows = {0};
	struct sqlevent event;
	bool first = true;

	if (!sqlevents_table(events, &rows, &plan))
		return;
	while (sqlevents_next(events, &rows, &event)) {
		struct str name = sqlrows_text(&rows, NAME);
		struct buf number = {0};

		if (first)
			kev_meta(events->out, "device", &name, 1);
		first = false;
		buf_format(&number, "%" PRId64, sqlrows_number_or(&rows, ID, 0));
		kev_meta(events->out, "process", (struct str[]){buf_view(&number), name}, 2);
		buf_free(&number);
	}
}

static void write_rank(struct sqlevents *events)
{
	static const struct sqlrows_column columns[] = {{"rankId", SQLROWS_OWN, true}};
	static const struct sqlrows_plan plan = {
		.table = "RANK_DEVICE_MAP", .columns = columns, .columns_count = 1};
	struct sqlrows rows = {0};
	struct sqlevent event;

	if (sqlevents_table(events, &rows, &plan))
		while (sqlevents_next(events, &rows, &event))
			sqlevents_rank(events, sqlrows_number_or(&rows, 0, -1)); /* -1: there is none */
}

/* --- tasks of the device -------------------------------------------------------------- */

enum task_join { COMPUTE, COPY, PART, SCHEDULE, TASK_JOINS };
enum task {
	TASK_START,
	TASK_END,
	TASK_DEVICE,
	TASK_STREAM,
	TASK_CONNECTION,
	TASK_TYPE,
	COMPUTE_ID,
	COMPUTE_NAME,
	COMPUTE_TYPE,
	COMPUTE_CORE,
	COPY_ID,
	COPY_SIZE,
	COPY_KIND,
	PART_ID,
	PART_NAME,
	SCHEDULE_ID,
	SCHEDULE_NAME,
	TASK_COLUMNS
};

static const struct sqlrows_join task_joins[TASK_JOINS] = {
	[COMPUTE] = {"COMPUTE_TASK_INFO", "globalTaskId", "globalTaskId", SQLROWS_OWN},
	[COPY] = {"MEMCPY_INFO", "globalTaskId", "globalTaskId", SQLROWS_OWN},
	[PART] = {"COMMUNICATION_TASK_INFO", "globalTaskId", "globalTaskId", SQLROWS_OWN},
	[SCHEDULE] = {"COMMUNICATION_SCHEDULE_TASK_INFO", "globalTaskId", "globalTaskId", SQLROWS_OWN},
};
static const struct sqlrows_column task_columns[TASK_COLUMNS] = {
	[TASK_START] = {"startNs", SQLROWS_OWN, true},
	[TASK_END] = {"endNs", SQLROWS_OWN, true},
	[TASK_DEVICE] = {"deviceId", SQLROWS_OWN, false},
	[TASK_STREAM] = {"streamId", SQLROWS_OWN, false},
	[TASK_CONNECTION] = {"connectionId", SQLROWS_OWN, false},
	[TASK_TYPE] = {"taskType", SQLROWS_OWN, false},
	[COMPUTE_ID] = {"globalTaskId", COMPUTE, false},
	[COMPUTE_NAME] = {"name", COMPUTE, false},
	[COMPUTE_TYPE] = {"opType", COMPUTE, false},
	[COMPUTE_CORE] = {"taskType", COMPUTE, false},
	[COPY_ID] = {"globalTaskId", COPY, false},
	[COPY_SIZE] = {"size", COPY, false},
	[COPY_KIND] = {"memcpyOperation", COPY, false},
	[PART_ID] = {"globalTaskId", PART, false},
	[PART_NAME] = {"name", PART, false},
	[SCHEDULE_ID] = {"globalTaskId", SCHEDULE, false},
	[SCHEDULE_NAME] = {"name", SCHEDULE, false},
};
static const struct sqlrows_plan task_plan = {.table = "TASK",
                                              .joins = task_joins,
                                              .joins_count = TASK_JOINS,
                                              .columns = task_columns,
                                              .columns_count = TASK_COLUMNS};

/* ENUM_MEMCPY_OPERATION */
static struct str copy_name(int64_t kind, struct buf *name)
{
	static const char *const kinds[] = {
		"host to host",   "host to device",        "device to host",    "device to device",
		"managed memory", "addr device to device", "host to device ex", "device to host ex"};

	name->len = 0;
	buf_text(name, "Memcpy");
	if (kind >= 0 && kind < (int64_t)(sizeof kinds / sizeof *kinds))
		buf_format(name, " %s", kinds[kind]);
	return buf_view(name);
}

static void kernel_event(struct sqlevents *events, const struct sqlrows *rows,
                         struct sqlevent *event)
{
	event->name = text(events, rows, COMPUTE_NAME);
	event->type = text(events, rows, COMPUTE_TYPE);
	event->extra = text(events, rows, COMPUTE_CORE);
	event->cat = STR("kernel");
	/* At Level0 only the name gives it, see trace2tsv(1), Ascend. */
	if (event->type.n == 0)
		event->type = nametype_on_ascend(event->name);
}

/* A task that no other table describes: a wait, a copy, or a kernel without a name. */
static void bare_event(struct sqlevents *events, const struct sqlrows *rows, struct sqlevent *event)
{
	struct str type = text(events, rows, TASK_TYPE);

	event->name = type;
	event->cat = str_has_any_case(type, STR("memcpy")) ? STR("gpu_memcpy")
	                                                   : ascend_category(type, type, STR(""));
	if (event->cat.n == 0)
		event->cat = STR("kernel"); /* without a type */
	if (str_equal(event->cat, STR("kernel"))) {
		event->type = type;
		event->extra = type;
	}
}

static void task_event(struct sqlevents *events, const struct sqlrows *rows, struct sqlevent *event,
                       struct buf *name)
{
	if (sqlevents_number(rows, COMPUTE_ID) != SQLEVENTS_NONE) {
		kernel_event(events, rows, event);
	} else if (sqlevents_number(rows, COPY_ID) != SQLEVENTS_NONE) {
		event->name = copy_name(sqlevents_number(rows, COPY_KIND), name);
		event->cat = STR("gpu_memcpy");
		event->bytes = sqlevents_number(rows, COPY_SIZE);
	} else if (sqlevents_number(rows, PART_ID) != SQLEVENTS_NONE ||
	           sqlevents_number(rows, SCHEDULE_ID) != SQLEVENTS_NONE) {
		bool part = sqlevents_number(rows, PART_ID) != SQLEVENTS_NONE;

		event->name = text(events, rows, part ? PART_NAME : SCHEDULE_NAME);
		event->cat = STR("npu_comm");
	} else {
		bare_event(events, rows, event);
	}
}

static void write_tasks(struct sqlevents *events)
{
	struct sqlrows rows = {0};
	struct sqlevent event;
	struct buf name = {0};

	if (!sqlevents_table(events, &rows, &task_plan))
		return;
	if (!sqlrows_has(&rows, COMPUTE_ID))
		warn("%s: there is no table COMPUTE_TASK_INFO, so kernels have the type of their task as "
		     "their name",
		     events->name);
	while (sqlevents_next(events, &rows, &event)) {
		task_event(events, &rows, &event, &name);
		if (!events->options->tasks && str_starts(event.cat, STR("npu_"))) {
			sqlevents_drop(events, SQLEVENTS_PART);
			continue;
		}
		if (!sqlevents_times(events, &rows, TASK_START, TASK_END, &event))
			continue;
		event.device = event.pid = sqlevents_number(&rows, TASK_DEVICE);
		event.stream = event.tid = sqlevents_number(&rows, TASK_STREAM);
		event.correlation = event.external_id = connection(&rows, TASK_CONNECTION);
		sqlevents_put(events, &event);
	}
	buf_free(&name);
}

/* The device of the first task: older databases do not name that of a collective. */
static int64_t first_device(struct sqlevents *events)
{
	static const struct sqlrows_column columns[] = {{"deviceId", SQLROWS_OWN, true}};
	static const struct sqlrows_plan plan = {
		.table = "TASK", .columns = columns, .columns_count = 1};
	struct sqlrows rows = {0};
	int64_t device = 0;

	if (sqlrows_begin(&rows, events->file, &plan) && sqlrows_next(&rows) > 0)
		device = sqlrows_number_or(&rows, 0, 0);
	if (rows.error[0] && sqlfile_has(events->file, plan.table))
		sqlevents_damaged(events, rows.error);
	sqlrows_end(&rows);
	return device;
}

static void write_collectives(struct sqlevents *events)
{
	enum { START, END, CONNECTION, NAME, TYPE, GROUP, DEVICE, COLUMNS };
	static const struct sqlrows_column columns[COLUMNS] = {
		[START] = {"startNs", SQLROWS_OWN, true},
		[END] = {"endNs", SQLROWS_OWN, true},
		[CONNECTION] = {"connectionId", SQLROWS_OWN, false},
		[NAME] = {"opName", SQLROWS_OWN, true},
		[TYPE] = {"opType", SQLROWS_OWN, false},
		[GROUP] = {"groupName", SQLROWS_OWN, false},
		[DEVICE] = {"deviceId", SQLROWS_OWN, false},
	};
	static const struct sqlrows_plan plan = {
		.table = "COMMUNICATION_OP", .columns = columns, .columns_count = COLUMNS};
	struct sqlrows rows = {0};
	struct sqlevent event;
	int64_t device;

	if (!sqlevents_table(events, &rows, &plan))
		return;
	device = sqlrows_has(&rows, DEVICE) ? 0 : first_device(events);
	while (sqlevents_next(events, &rows, &event)) {
		if (!sqlevents_times(events, &rows, START, END, &event))
			continue;
		event.name = text(events, &rows, NAME);
		event.type = text(events, &rows, TYPE);
		if (event.type.n == 0)
			event.type = nametype_on_ascend(event.name);
		event.cat = STR("kernel");
		event.device = event.pid = sqlrows_number_or(&rows, DEVICE, device);
		event.tid_text = text(events, &rows, GROUP);
		event.correlation = event.external_id = connection(&rows, CONNECTION);
		event.extra = STR("HCCL");
		sqlevents_put(events, &event);
	}
}

/* --- the host -------------------------------------------------------------------------- */

enum api { API_START, API_END, API_THREAD, API_CONNECTION, API_NAME, API_TYPE };

static void on_host(const struct sqlrows *rows, size_t column, struct sqlevent *event)
{
	int64_t thread = sqlevents_number(rows, column);

	event->pid = pid_of(thread);
	event->tid = tid_of(thread);
}

static void write_cann(struct sqlevents *events)
{
	static const struct sqlrows_column columns[] = {
		[API_START] = {"startNs", SQLROWS_OWN, true},
		[API_END] = {"endNs", SQLROWS_OWN, true},
		[API_THREAD] = {"globalTid", SQLROWS_OWN, false},
		[API_CONNECTION] = {"connectionId", SQLROWS_OWN, false},
		[API_NAME] = {"name", SQLROWS_OWN, true},
	};
	static const struct sqlrows_plan plan = {
		.table = "CANN_API", .columns = columns, .columns_count = sizeof columns / sizeof *columns};
	struct sqlrows rows = {0};
	struct sqlevent event;

	if (!sqlevents_table(events, &rows, &plan))
		return;
	while (sqlevents_next(events, &rows, &event)) {
		if (!sqlevents_times(events, &rows, API_START, API_END, &event))
			continue;
		event.name = text(events, &rows, API_NAME);
		event.cat = STR("privateuse1_runtime");
		event.correlation = connection(&rows, API_CONNECTION);
		on_host(&rows, API_THREAD, &event);
		sqlevents_put(events, &event);
	}
}

/* ENUM_API_TYPE */
enum { API_OP = 50001, API_QUEUE, API_TRACE, API_MSTX };

static struct str torch_category(int64_t type, struct str name)
{
	switch (type) {
	case API_QUEUE:
		return str_starts(name, STR("Dequeue")) ? STR("dequeue") : STR("enqueue");
	case API_TRACE:
		return STR("python_function");
	case API_MSTX:
		return STR("user_annotation");
	default:
		/* A step is an annotation, as in traces of PyTorch. */
		return str_starts(name, STR("ProfilerStep#")) ? STR("user_annotation") : STR("cpu_op");
	}
}

/* Sets *thread to that of the first row. Returns whether there are steps among them. */
static bool write_torch(struct sqlevents *events, int64_t *thread)
{
	static const struct sqlrows_column columns[] = {
		[API_START] = {"startNs", SQLROWS_OWN, true},
		[API_END] = {"endNs", SQLROWS_OWN, true},
		[API_THREAD] = {"globalTid", SQLROWS_OWN, false},
		[API_CONNECTION] = {"connectionId", SQLROWS_OWN, false},
		[API_NAME] = {"name", SQLROWS_OWN, true},
		[API_TYPE] = {"type", SQLROWS_OWN, false},
	};
	static const struct sqlrows_plan plan = {.table = "PYTORCH_API",
	                                         .columns = columns,
	                                         .columns_count = sizeof columns / sizeof *columns};
	struct sqlrows rows = {0};
	struct sqlevent event;
	bool steps = false;

	if (!sqlevents_table(events, &rows, &plan))
		return false;
	while (sqlevents_next(events, &rows, &event)) {
		if (!sqlevents_times(events, &rows, API_START, API_END, &event))
			continue;
		event.name = text(events, &rows, API_NAME);
		event.cat = torch_category(sqlevents_number(&rows, API_TYPE), event.name);
		steps |= str_starts(event.name, STR("ProfilerStep#"));
		if (*thread == SQLEVENTS_NONE)
			*thread = sqlevents_number(&rows, API_THREAD);
		on_host(&rows, API_THREAD, &event);
		sqlevents_put(events, &event);
	}
	return steps;
}

/*
 * From each operator to the calls of CANN that it made: as trace2tsv -g writes them for a trace of
 * torch_npu. An operator may have many; ids of other relations are not those of calls.
 */
static void write_flows(struct sqlevents *events)
{
	enum { START, THREAD, NAME, TYPE, ID, CALL, COLUMNS };
	static const struct sqlrows_join joins[] = {
		{"CONNECTION_IDS", "id", "connectionId", SQLROWS_OWN},
		{"CANN_API", "connectionId", "connectionId", 0},
	};
	static const struct sqlrows_column columns[COLUMNS] = {
		[START] = {"startNs", SQLROWS_OWN, true}, [THREAD] = {"globalTid", SQLROWS_OWN, false},
		[NAME] = {"name", SQLROWS_OWN, true},     [TYPE] = {"type", SQLROWS_OWN, false},
		[ID] = {"connectionId", 0, false},        [CALL] = {"connectionId", 1, false},
	};
	static const struct sqlrows_plan plan = {"PYTORCH_API", joins, 2, columns, COLUMNS, true};
	struct sqlrows rows = {0};
	struct sqlevent event;

	if (!sqlfile_has(events->file, "CONNECTION_IDS") || !sqlevents_table(events, &rows, &plan))
		return;
	while (sqlevents_next(events, &rows, &event)) {
		int64_t type = sqlevents_number(&rows, TYPE);

		event.external_id = connection(&rows, sqlrows_has(&rows, CALL) ? CALL : ID);
		if (event.external_id == SQLEVENTS_NONE || (type != SQLEVENTS_NONE && type != API_OP) ||
		    sqlrows_number(&rows, START, &event.start) != SQLROWS_NUMBER)
			continue; /* write_torch counts the row */
		event.ph = 's';
		event.name = text(events, &rows, NAME);
		event.cat = ASCEND_FLOW;
		on_host(&rows, THREAD, &event);
		sqlevents_put(events, &event);
	}
}

static void write_marks(struct sqlevents *events)
{
	enum { START, END, THREAD, CONNECTION, MESSAGE, TYPE, COLUMNS };
	enum { MARK = 0, MARK_EX = 3 }; /* ENUM_MSTX_EVENT_TYPE; others are ranges */
	static const struct sqlrows_column columns[COLUMNS] = {
		[START] = {"startNs", SQLROWS_OWN, true},
		[END] = {"endNs", SQLROWS_OWN, true},
		[THREAD] = {"globalTid", SQLROWS_OWN, false},
		[CONNECTION] = {"connectionId", SQLROWS_OWN, false},
		[MESSAGE] = {"message", SQLROWS_OWN, true},
		[TYPE] = {"eventType", SQLROWS_OWN, false},
	};
	static const struct sqlrows_plan plan = {
		.table = "MSTX_EVENTS", .columns = columns, .columns_count = COLUMNS};
	struct sqlrows rows = {0};
	struct sqlevent event;

	if (!sqlevents_table(events, &rows, &plan))
		return;
	while (sqlevents_next(events, &rows, &event)) {
		int64_t type = sqlevents_number(&rows, TYPE);

		if (!sqlevents_times(events, &rows, START, END, &event))
			continue;
		if (type == MARK || type == MARK_EX) {
			event.ph = 'i';
			event.end = SQLEVENTS_NONE;
		}
		event.name = text(events, &rows, MESSAGE);
		event.cat = STR("user_annotation");
		event.correlation = connection(&rows, CONNECTION);
		on_host(&rows, THREAD, &event);
		sqlevents_put(events, &event);
	}
}

/* Steps, on the thread of the operators, as the table does not name one. */
static void write_steps(struct sqlevents *events, int64_t thread)
{
	enum { ID, START, END, COLUMNS };
	static const struct sqlrows_column columns[COLUMNS] = {
		[ID] = {"id", SQLROWS_OWN, true},
		[START] = {"startNs", SQLROWS_OWN, true},
		[END] = {"endNs", SQLROWS_OWN, true},
	};
	static const struct sqlrows_plan plan = {
		.table = "STEP_TIME", .columns = columns, .columns_count = COLUMNS};
	struct sqlrows rows = {0};
	struct sqlevent event;
	struct buf name = {0};

	if (!sqlevents_table(events, &rows, &plan))
		return;
	while (sqlevents_next(events, &rows, &event)) {
		if (!sqlevents_times(events, &rows, START, END, &event))
			continue;
		name.len = 0;
		buf_format(&name, "ProfilerStep#%" PRId64, sqlrows_number_or(&rows, ID, 0));
		event.name = buf_view(&name);
		event.cat = STR("user_annotation");
		event.pid = pid_of(thread);
		event.tid = tid_of(thread);
		sqlevents_put(events, &event);
	}
	buf_free(&name);
}

void msprof_write(struct sqlevents *events)
{
	int64_t thread = SQLEVENTS_NONE;
	bool steps;

	write_device(events);
	write_rank(events);
	sqlevents_begin(events, "core");
	sqlevents_texts(events, "STRING_IDS", "value");
	write_tasks(events);
	write_collectives(events);
	write_cann(events);
	steps = write_torch(events, &thread);
	write_flows(events);
	write_marks(events);
	if (!steps)
		write_steps(events, thread);
}
