#include "msprof.h"

#include <inttypes.h>

#include "kernel/nametype.h"
#include "trace/ascend.h"

enum { TID_BITS = 32 }; /* bits of the thread in globalTid */
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

struct session {
	struct sqlevents *events;
	int64_t device; /* device of collectives, if their table does not name it */
	int64_t thread; /* thread of the first operator */
	bool steps;     /* operators have steps */
};

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

static void write_devices(struct sqlevents *events)
{
	enum { ID, NAME };
	static const struct sqlrows_column columns[] = {
		[ID] = {"id", SQLROWS_OWN, false}, [NAME] = {"name", SQLROWS_OWN, true}};
	static const struct sqlrows_plan plan = SQLROWS_PLAN("NPU_INFO", columns);
	struct sqlrows rows = {0};

	for (bool first = true; sqlevents_row(events, &rows, &plan); first = false) {
		struct str name = sqlrows_text(&rows, NAME);

		if (first)
			kev_meta(events->out, "device", &name, 1);
		sqlevents_device(events, sqlrows_number_or(&rows, ID, 0), name);
	}
}

static void write_rank(struct sqlevents *events)
{
	static const struct sqlrows_column columns[] = {{"rankId", SQLROWS_OWN, true}};
	static const struct sqlrows_plan plan = SQLROWS_PLAN("RANK_DEVICE_MAP", columns);
	struct sqlrows rows = {0};

	while (sqlevents_row(events, &rows, &plan))
		sqlevents_rank(events, sqlrows_number_or(&rows, 0, -1)); /* -1: no rank */
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
static struct str copy_name(struct sqlevents *events, int64_t kind)
{
	struct buf *name = &events->composed;
	static const char *const kinds[] = {
		"host to host",   "host to device",        "device to host",    "device to device",
		"managed memory", "addr device to device", "host to device ex", "device to host ex"};

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
	event->cat = ascend_category(type, type, STR(""));
	if (event->cat.n == 0)
		event->cat = STR("kernel"); /* without a type */
	if (str_equal(event->cat, STR("kernel"))) {
		event->type = type;
		event->extra = type;
	}
}

static void describe_task(struct sqlevents *events, const struct sqlrows *rows,
                          struct sqlevent *event)
{
	if (sqlevents_number(rows, COMPUTE_ID) != SQLEVENTS_NONE) {
		kernel_event(events, rows, event);
	} else if (sqlevents_number(rows, COPY_ID) != SQLEVENTS_NONE) {
		event->name = copy_name(events, sqlevents_number(rows, COPY_KIND));
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

static void begin_tasks(void *kind, const struct sqlrows *rows)
{
	const struct session *session = kind;

	if (!sqlrows_has(rows, COMPUTE_ID))
		warn("%s: there is no table COMPUTE_TASK_INFO, so kernels have the type of their task as "
		     "their name",
		     session->events->name);
}

static bool task_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct session *session = kind;
	struct sqlevents *events = session->events;

	describe_task(events, rows, event);
	if (!events->options->tasks && str_starts(event->cat, STR("npu_"))) {
		sqlevents_drop(events, SQLEVENTS_PART);
		return false;
	}
	if (!sqlevents_times(events, rows, TASK_START, TASK_END, event))
		return false;
	event->device = event->pid = sqlevents_number(rows, TASK_DEVICE);
	event->stream = event->tid = sqlevents_number(rows, TASK_STREAM);
	event->correlation = event->external_id = connection(rows, TASK_CONNECTION);
	return true;
}

static const struct sqlevents_source tasks = {&task_plan, begin_tasks, task_event};

/* The device of the first task: older databases do not name the device of a collective. */
static int64_t first_device(struct sqlevents *events)
{
	static const struct sqlrows_column columns[] = {{"deviceId", SQLROWS_OWN, true}};
	static const struct sqlrows_plan plan = SQLROWS_PLAN("TASK", columns);
	struct sqlrows rows = {0};
	int64_t device = 0;

	if (sqlrows_begin(&rows, events->file, &plan) && sqlrows_next(&rows) > 0)
		device = sqlrows_number_or(&rows, 0, 0);
	if (rows.places)
		sqlevents_damaged(events, rows.damage);
	if (rows.error[0] && sqlfile_has(events->file, plan.table))
		sqlevents_damaged(events, rows.error);
	sqlrows_end(&rows);
	return device;
}

enum op { OP_START, OP_END, OP_CONNECTION, OP_NAME, OP_TYPE, OP_GROUP, OP_DEVICE };

static const struct sqlrows_column op_columns[] = {
	[OP_START] = {"startNs", SQLROWS_OWN, true},
	[OP_END] = {"endNs", SQLROWS_OWN, true},
	[OP_CONNECTION] = {"connectionId", SQLROWS_OWN, false},
	[OP_NAME] = {"opName", SQLROWS_OWN, true},
	[OP_TYPE] = {"opType", SQLROWS_OWN, false},
	[OP_GROUP] = {"groupName", SQLROWS_OWN, false},
	[OP_DEVICE] = {"deviceId", SQLROWS_OWN, false},
};
static const struct sqlrows_plan op_plan = SQLROWS_PLAN("COMMUNICATION_OP", op_columns);

static void begin_collectives(void *kind, const struct sqlrows *rows)
{
	struct session *session = kind;

	session->device = sqlrows_has(rows, OP_DEVICE) ? 0 : first_device(session->events);
}

static bool collective_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct session *session = kind;
	struct sqlevents *events = session->events;

	if (!sqlevents_times(events, rows, OP_START, OP_END, event))
		return false;
	event->name = text(events, rows, OP_NAME);
	event->type = text(events, rows, OP_TYPE);
	if (event->type.n == 0)
		event->type = nametype_on_ascend(event->name);
	event->cat = STR("kernel");
	event->device = event->pid = sqlrows_number_or(rows, OP_DEVICE, session->device);
	event->tid_text = text(events, rows, OP_GROUP);
	event->correlation = event->external_id = connection(rows, OP_CONNECTION);
	event->extra = STR("HCCL");
	return true;
}

static const struct sqlevents_source collectives = {&op_plan, begin_collectives, collective_event};

/* --- the host -------------------------------------------------------------------------- */

/* The columns of each table of the host. A table has a name or a message; some have a type. */
enum api { API_START, API_END, API_THREAD, API_CONNECTION, API_NAME, API_TYPE };

#define API_COLUMNS(name, type)                                                             \
	[API_START] = {"startNs", SQLROWS_OWN, true}, [API_END] = {"endNs", SQLROWS_OWN, true}, \
	[API_THREAD] = {"globalTid", SQLROWS_OWN, false},                                       \
	[API_CONNECTION] = {"connectionId", SQLROWS_OWN, false},                                \
	[API_NAME] = {name, SQLROWS_OWN, true}, [API_TYPE] = {type, SQLROWS_OWN, false}

static void on_host(const struct sqlrows *rows, size_t column, struct sqlevent *event)
{
	int64_t thread = sqlevents_number(rows, column);

	event->pid = pid_of(thread);
	event->tid = tid_of(thread);
}

static bool api_event(struct sqlevents *events, const struct sqlrows *rows, struct sqlevent *event)
{
	if (!sqlevents_times(events, rows, API_START, API_END, event))
		return false;
	event->name = text(events, rows, API_NAME);
	on_host(rows, API_THREAD, event);
	return true;
}

static const struct sqlrows_column api_columns[] = {API_COLUMNS("name", "type")};
static const struct sqlrows_plan cann_plan = SQLROWS_PLAN("CANN_API", api_columns);
static const struct sqlrows_plan torch_plan = SQLROWS_PLAN("PYTORCH_API", api_columns);

static bool cann_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	const struct session *session = kind;

	if (!api_event(session->events, rows, event))
		return false;
	event->cat = STR("privateuse1_runtime");
	event->correlation = connection(rows, API_CONNECTION);
	return true;
}

static const struct sqlevents_source cann = {&cann_plan, NULL, cann_event};

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

static bool torch_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct session *session = kind;

	if (!api_event(session->events, rows, event))
		return false;
	event->cat = torch_category(sqlevents_number(rows, API_TYPE), event->name);
	session->steps |= str_starts(event->name, STR("ProfilerStep#"));
	if (session->thread == SQLEVENTS_NONE)
		session->thread = sqlevents_number(rows, API_THREAD);
	return true;
}

static const struct sqlevents_source torch = {&torch_plan, NULL, torch_event};

/*
 * From each operator to the calls of CANN that it made: as trace2tsv -g writes them for a trace of
 * torch_npu. An operator may make many calls; ids of other relations do not name calls.
 */
enum flow { FLOW_START, FLOW_THREAD, FLOW_NAME, FLOW_TYPE, FLOW_ID, FLOW_CALL };

static const struct sqlrows_join flow_joins[] = {
	{"CONNECTION_IDS", "id", "connectionId", SQLROWS_OWN},
	{"CANN_API", "connectionId", "connectionId", 0},
};
static const struct sqlrows_column flow_columns[] = {
	[FLOW_START] = {"startNs", SQLROWS_OWN, true},
	[FLOW_THREAD] = {"globalTid", SQLROWS_OWN, false},
	[FLOW_NAME] = {"name", SQLROWS_OWN, true},
	[FLOW_TYPE] = {"type", SQLROWS_OWN, false},
	[FLOW_ID] = {"connectionId", 0, false},
	[FLOW_CALL] = {"connectionId", 1, false},
};
static const struct sqlrows_plan flow_plan = {.table = "PYTORCH_API",
                                              .joins = flow_joins,
                                              .joins_count = 2,
                                              .columns = flow_columns,
                                              .columns_count =
                                                  sizeof flow_columns / sizeof *flow_columns,
                                              .many = true};

static bool flow_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	const struct session *session = kind;
	int64_t type = sqlevents_number(rows, FLOW_TYPE);

	event->external_id = connection(rows, sqlrows_has(rows, FLOW_CALL) ? FLOW_CALL : FLOW_ID);
	if (event->external_id == SQLEVENTS_NONE || (type != SQLEVENTS_NONE && type != API_OP) ||
	    sqlrows_number(rows, FLOW_START, &event->start) != SQLROWS_NUMBER)
		return false; /* torch counts the row */
	event->ph = 's';
	event->name = text(session->events, rows, FLOW_NAME);
	event->cat = ASCEND_FLOW;
	on_host(rows, FLOW_THREAD, event);
	return true;
}

static const struct sqlevents_source flows = {&flow_plan, NULL, flow_event};

static const struct sqlrows_column mark_columns[] = {API_COLUMNS("message", "eventType")};
static const struct sqlrows_plan mark_plan = SQLROWS_PLAN("MSTX_EVENTS", mark_columns);

static bool mark_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	enum { MARK = 0, MARK_EX = 3 }; /* ENUM_MSTX_EVENT_TYPE; others are ranges */
	const struct session *session = kind;
	int64_t type = sqlevents_number(rows, API_TYPE);

	if (!api_event(session->events, rows, event))
		return false;
	if (type == MARK || type == MARK_EX) {
		event->ph = 'i';
		event->end = SQLEVENTS_NONE;
	}
	event->cat = STR("user_annotation");
	event->correlation = connection(rows, API_CONNECTION);
	return true;
}

static const struct sqlevents_source marks = {&mark_plan, NULL, mark_event};

enum step { STEP_ID, STEP_START, STEP_END };

static const struct sqlrows_column step_columns[] = {
	[STEP_ID] = {"id", SQLROWS_OWN, true},
	[STEP_START] = {"startNs", SQLROWS_OWN, true},
	[STEP_END] = {"endNs", SQLROWS_OWN, true},
};
static const struct sqlrows_plan step_plan = SQLROWS_PLAN("STEP_TIME", step_columns);

/* On the thread of the operators, as the table does not name one. */
static bool step_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	const struct session *session = kind;
	struct buf *name = &session->events->composed;

	if (!sqlevents_times(session->events, rows, STEP_START, STEP_END, event))
		return false;
	buf_format(name, "ProfilerStep#%" PRId64, sqlrows_number_or(rows, STEP_ID, 0));
	event->name = buf_view(name);
	event->cat = STR("user_annotation");
	event->pid = pid_of(session->thread);
	event->tid = tid_of(session->thread);
	return true;
}

static const struct sqlevents_source steps = {&step_plan, NULL, step_event};

/* --- the database ---------------------------------------------------------------------- */

void msprof_write(struct sqlevents *events)
{
	struct session session = {.events = events, .thread = SQLEVENTS_NONE};

	write_devices(events);
	write_rank(events);
	sqlevents_begin(events, "core");
	sqlevents_texts(events, "STRING_IDS", "value");
	sqlevents_write(events, &tasks, &session);
	sqlevents_write(events, &collectives, &session);
	sqlevents_write(events, &cann, &session);
	sqlevents_write(events, &torch, &session);
	if (sqlfile_has(events->file, "CONNECTION_IDS"))
		sqlevents_write(events, &flows, &session);
	sqlevents_write(events, &marks, &session);
	if (!session.steps)
		sqlevents_write(events, &steps, &session);
}
