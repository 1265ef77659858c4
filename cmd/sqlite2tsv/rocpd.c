#include "rocpd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "json/find.h"

enum { NAME_MAX_BYTES = 128 }; /* bytes of a table's name, with its suffix */

/* A name of a table with the suffix of a process. */
struct name {
	char text[NAME_MAX_BYTES];
};

/* The device or the process that an id of the database stands for. */
struct number {
	int64_t id;
	int64_t value;
	size_t order; /* its place in the table */
	bool gpu;
};

struct numbers {
	struct number *item; /* by id after sort_numbers */
	size_t count;
	size_t cap;
};

/* What is known of one process that was recorded. */
struct process {
	struct sqlevents *events;
	struct str suffix;
	int64_t ordinal; /* number among the processes of the file */
	bool by_ordinal; /* pids do not tell processes apart: correlations are ORDINAL:ID */
	struct numbers pids;
	struct numbers tids;
	struct numbers agents;
	struct sqltexts strings;
	struct sqltexts kernels;
	uint64_t other; /* regions of another category, which are left out */
	struct buf example;
};

static const struct str base = {"rocpd_kernel_dispatch", 21};

/* Whether a suffix is plain: it becomes a part of commands to SQLite. */
static bool is_plain(struct str suffix)
{
	for (size_t i = 0; i < suffix.n; i++) {
		char c = suffix.s[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '-'))
			return false;
	}
	return suffix.n < NAME_MAX_BYTES / 2;
}

/* The suffix of a table of dispatches; false for another table. */
static bool suffix_of(struct str table, struct str *suffix)
{
	if (!str_starts(table, base))
		return false;
	*suffix = (struct str){table.s + base.n, table.n - base.n};
	return is_plain(*suffix);
}

bool rocpd_is(const struct sqlfile *file)
{
	struct str suffix;

	for (size_t i = 0; i < file->tables.count; i++)
		if (suffix_of(strmap_key(&file->tables, i), &suffix))
			return true;
	return false;
}

static const char *table(const struct process *process, struct name *name, const char *what)
{
	snprintf(name->text, sizeof name->text, "rocpd_%s%.*s", what, (int)process->suffix.n,
	         process->suffix.s);
	return name->text;
}

/* --- ids ------------------------------------------------------------------------ */

static void add_number(struct numbers *numbers, struct number number)
{
	numbers->item =
		mem_grow(numbers->item, &numbers->cap, numbers->count + 1, sizeof *numbers->item);
	number.order = numbers->count;
	numbers->item[numbers->count++] = number;
}

static int by_id(const void *a, const void *b)
{
	const struct number *x = a;
	const struct number *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* The first number of an id stays. */
static void sort_numbers(struct numbers *numbers)
{
	size_t kept = 0;

	if (numbers->count)
		qsort(numbers->item, numbers->count, sizeof *numbers->item, by_id);
	for (size_t i = 0; i < numbers->count; i++)
		if (kept == 0 || numbers->item[kept - 1].id != numbers->item[i].id)
			numbers->item[kept++] = numbers->item[i];
	numbers->count = kept;
}

static int compare_id(const void *id, const void *number)
{
	const int64_t *x = id;
	const struct number *y = number;

	return (*x > y->id) - (*x < y->id);
}

static const struct number *find_number(const struct numbers *numbers, int64_t id)
{
	return numbers->count
	           ? bsearch(&id, numbers->item, numbers->count, sizeof *numbers->item, compare_id)
	           : NULL;
}

static int64_t value_of(const struct numbers *numbers, int64_t id)
{
	const struct number *number = id == SQLEVENTS_NONE ? NULL : find_number(numbers, id);

	return number ? number->value : id;
}

/* Reads the ids of a table and the numbers that they stand for. */
static void read_numbers(struct process *process, struct numbers *numbers, const char *what,
                         const char *value)
{
	const struct sqlrows_column columns[] = {{"id", SQLROWS_OWN, true}, {value, SQLROWS_OWN, true}};
	struct name name;
	const struct sqlrows_plan plan = SQLROWS_PLAN(table(process, &name, what), columns);
	struct sqlrows rows = {0};

	while (sqlevents_row(process->events, &rows, &plan))
		if (sqlevents_number(&rows, 0) != SQLEVENTS_NONE &&
		    sqlevents_number(&rows, 1) != SQLEVENTS_NONE)
			add_number(numbers, (struct number){.id = sqlevents_number(&rows, 0),
			                                    .value = sqlevents_number(&rows, 1)});
	sort_numbers(numbers);
}

static void read_texts(struct process *process, struct sqltexts *texts, const char *what,
                       const char *value)
{
	struct name name;
	struct sqltexts kept = process->events->texts;

	process->events->texts = (struct sqltexts){0};
	sqlevents_texts(process->events, table(process, &name, what), value);
	*texts = process->events->texts;
	process->events->texts = kept;
}

/* Also writes ##device for the first GPU of the file, and ##process for each. */
static void read_agents(struct process *process, bool *first)
{
	enum { ID, INDEX, TYPE, NAME, PRODUCT, COLUMNS };
	static const struct sqlrows_column columns[COLUMNS] = {
		[ID] = {"id", SQLROWS_OWN, true},
		[INDEX] = {"absolute_index", SQLROWS_OWN, true},
		[TYPE] = {"type", SQLROWS_OWN, false},
		[NAME] = {"name", SQLROWS_OWN, false},
		[PRODUCT] = {"product_name", SQLROWS_OWN, false},
	};
	struct name name;
	const struct sqlrows_plan plan = SQLROWS_PLAN(table(process, &name, "info_agent"), columns);
	struct sqlevents *events = process->events;
	struct sqlrows rows = {0};

	while (sqlevents_row(events, &rows, &plan)) {
		struct number agent = {.id = sqlevents_number(&rows, ID),
		                       .value = sqlevents_number(&rows, INDEX),
		                       .gpu = str_equal(sqlrows_text(&rows, TYPE), STR("GPU"))};
		struct str product = sqlrows_text(&rows, PRODUCT);

		add_number(&process->agents, agent);
		if (!agent.gpu)
			continue;
		if (product.n == 0)
			product = sqlrows_text(&rows, NAME);
		if (product.n == 0)
			product = STR("unknown AMD GPU");
		if (*first)
			kev_meta(events->out, "device", &product, 1);
		*first = false;
		sqlevents_device(events, agent.value, product);
	}
	sort_numbers(&process->agents);
}

/* --- rows -------------------------------------------------------------------------- */

static struct str text_in(struct sqlevents *events, const struct sqltexts *texts,
                          const struct sqlrows *rows, size_t column)
{
	struct sqltexts kept = events->texts;
	struct str text;

	events->texts = *texts;
	text = sqlevents_text(events, rows, column);
	events->texts = kept;
	return text;
}

/* The columns of each table of rows; event is its only join. */
enum column { START, END, PID, TID, QUEUE, STREAM, STACK, EXTERNAL, CATEGORY, ROW_COLUMNS };

#define ROW_TABLE                                                                             \
	[START] = {"start", SQLROWS_OWN, true}, [END] = {"end", SQLROWS_OWN, true},               \
	[PID] = {"pid", SQLROWS_OWN, false}, [TID] = {"tid", SQLROWS_OWN, false},                 \
	[QUEUE] = {"queue_id", SQLROWS_OWN, false}, [STREAM] = {"stream_id", SQLROWS_OWN, false}, \
	[STACK] = {"stack_id", 0, false}, [EXTERNAL] = {"correlation_id", 0, false},              \
	[CATEGORY] = {"category_id", 0, false}

/* Sets what is alike in all: times, ids, the process. */
static bool row_event(const struct process *process, const struct sqlrows *rows,
                      struct sqlevent *event)
{
	if (!sqlevents_times(process->events, rows, START, END, event))
		return false;
	event->correlation = sqlevents_id(rows, STACK);
	event->process = process->by_ordinal ? process->ordinal
	                                     : value_of(&process->pids, sqlevents_number(rows, PID));
	event->external_id = sqlevents_id(rows, EXTERNAL);
	return true;
}

static void on_device(const struct process *process, const struct sqlrows *rows, int64_t agent,
                      struct sqlevent *event)
{
	event->pid = event->device = value_of(&process->agents, agent);
	event->stream = sqlevents_number(rows, STREAM);
	if (event->stream == SQLEVENTS_NONE)
		event->stream = sqlevents_number(rows, QUEUE);
	event->tid = event->stream;
}

enum kernel_column { AGENT = ROW_COLUMNS, KERNEL, DISPATCH, KERNEL_COLUMNS };

static const struct sqlrows_column kernel_columns[KERNEL_COLUMNS] = {
	ROW_TABLE,
	[AGENT] = {"agent_id", SQLROWS_OWN, false},
	[KERNEL] = {"kernel_id", SQLROWS_OWN, true},
	[DISPATCH] = {"dispatch_id", SQLROWS_OWN, false},
};

static bool kernel_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct process *process = kind;

	if (!row_event(process, rows, event))
		return false;
	on_device(process, rows, sqlevents_number(rows, AGENT), event);
	event->name = text_in(process->events, &process->kernels, rows, KERNEL);
	event->cat = STR("kernel");
	event->extra_number = sqlevents_number(rows, DISPATCH);
	return true;
}

/* The device of a copy: the GPU of both ends, or the GPU that it is copied to. */
static int64_t copy_agent(const struct process *process, int64_t from, int64_t to)
{
	const struct number *source = find_number(&process->agents, from);
	const struct number *target = find_number(&process->agents, to);

	return source && source->gpu && !(target && target->gpu) ? from : to;
}

enum copy_column { COPY_NAME = ROW_COLUMNS, FROM, TO, SIZE, COPY_COLUMNS };

static const struct sqlrows_column copy_columns[COPY_COLUMNS] = {
	ROW_TABLE,
	[COPY_NAME] = {"name_id", SQLROWS_OWN, true},
	[FROM] = {"src_agent_id", SQLROWS_OWN, false},
	[TO] = {"dst_agent_id", SQLROWS_OWN, false},
	[SIZE] = {"size", SQLROWS_OWN, false},
};

static bool copy_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct process *process = kind;

	if (!row_event(process, rows, event))
		return false;
	on_device(process, rows,
	          copy_agent(process, sqlevents_number(rows, FROM), sqlevents_number(rows, TO)), event);
	event->name = text_in(process->events, &process->strings, rows, COPY_NAME);
	event->cat = STR("gpu_memcpy");
	event->bytes = sqlevents_number(rows, SIZE);
	return true;
}

/*
 * The category of a region; empty for other regions, which may contain such calls. The first
 * categories are of rocprofv3, the others of rocprof-sys.
 */
static struct str region_category(struct str category)
{
	static const char *const markers[] = {"MARKER_", "rocm_marker_api"};
	static const char *const calls[] = {"HIP_",         "HSA_",         "RCCL_",
	                                    "rocm_hip_api", "rocm_hsa_api", "rocm_rccl_api"};

	for (size_t i = 0; i < sizeof markers / sizeof *markers; i++)
		if (str_starts(category, str_of(markers[i])))
			return STR("user_annotation");
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (str_starts(category, str_of(calls[i])))
			return STR("cuda_runtime");
	return STR("");
}

/* The text of a marker is an argument of the call that made it. */
static struct str marker_name(const struct sqlrows *rows, size_t column, struct str name,
                              struct buf *scratch)
{
	struct json_value message =
		json_find(sqlrows_text(rows, column), (const char *[]){"message"}, 1, scratch);

	return message.type == JSON_STRING && message.text.n ? message.text : name;
}

static void drop_region(struct process *process, struct str category)
{
	if (process->other++ == 0)
		buf_str(&process->example, category);
	sqlevents_drop(process->events, SQLEVENTS_KIND);
}

enum region_column { REGION_NAME = ROW_COLUMNS, ARGS, REGION_COLUMNS };

static const struct sqlrows_column region_columns[REGION_COLUMNS] = {
	ROW_TABLE,
	[REGION_NAME] = {"name_id", SQLROWS_OWN, true},
	[ARGS] = {"extdata", 0, false},
};

static bool region_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct process *process = kind;
	struct sqlevents *events = process->events;
	struct str category = text_in(events, &process->strings, rows, CATEGORY);

	event->cat = region_category(category);
	if (event->cat.n == 0)
		drop_region(process, category);
	if (event->cat.n == 0 || !row_event(process, rows, event))
		return false;
	event->name = text_in(events, &process->strings, rows, REGION_NAME);
	if (str_equal(event->cat, STR("user_annotation"))) {
		event->name = marker_name(rows, ARGS, event->name, &events->composed);
		event->external_id = SQLEVENTS_NONE;
	}
	event->pid = value_of(&process->pids, sqlevents_number(rows, PID));
	event->tid = value_of(&process->tids, sqlevents_number(rows, TID));
	return true;
}

/* Each row of a table has an event, which names its ids. */
static void write_rows(struct process *process, const char *what,
                       const struct sqlrows_column *columns, size_t columns_count,
                       bool (*event)(void *kind, const struct sqlrows *rows,
                                     struct sqlevent *event))
{
	struct name names[2];
	const struct sqlrows_join joins[] = {
		{table(process, &names[1], "event"), "id", "event_id", SQLROWS_OWN}};
	const struct sqlrows_plan plan = {
		table(process, &names[0], what), joins, 1, columns, columns_count, false};
	const struct sqlevents_source source = {&plan, NULL, event};

	sqlevents_write(process->events, &source, process);
}

/* --- a process ----------------------------------------------------------------------- */

static void read_process(struct process *process)
{
	read_numbers(process, &process->pids, "info_process", "pid");
	read_numbers(process, &process->tids, "info_thread", "tid");
	read_texts(process, &process->strings, "string", "string");
	read_texts(process, &process->kernels, "info_kernel_symbol", "display_name");
}

/* The command of a process is its name. */
static void write_names(struct process *process)
{
	enum { PROCESS_PID, COMMAND };
	static const struct sqlrows_column columns[] = {
		[PROCESS_PID] = {"pid", SQLROWS_OWN, true}, [COMMAND] = {"command", SQLROWS_OWN, true}};
	struct name name;
	const struct sqlrows_plan plan = SQLROWS_PLAN(table(process, &name, "info_process"), columns);
	struct sqlrows rows = {0};

	while (sqlevents_row(process->events, &rows, &plan))
		sqlevents_process(process->events, sqlevents_number(&rows, PROCESS_PID),
		                  sqlrows_text(&rows, COMMAND));
}

static void free_process(struct process *process)
{
	free(process->pids.item);
	free(process->tids.item);
	free(process->agents.item);
	sqltexts_free(&process->strings);
	sqltexts_free(&process->kernels);
	buf_free(&process->example);
}

/* Sets whether the processes of the file are several, and whether their pids tell them apart. */
static void look_at_processes(struct sqlevents *events, bool *by_ordinal)
{
	const struct strmap *tables = &events->file->tables;
	struct strmap pids = {0};
	size_t processes = 0;
	char digits[32];
	bool unknown = false;

	for (size_t i = 0; i < tables->count; i++) {
		struct process process = {.events = events};
		size_t before = pids.count;

		if (!suffix_of(strmap_key(tables, i), &process.suffix))
			continue;
		processes++;
		read_numbers(&process, &process.pids, "info_process", "pid");
		unknown |= process.pids.count == 0;
		for (size_t j = 0; j < process.pids.count; j++) {
			int length = snprintf(digits, sizeof digits, "%" PRId64, process.pids.item[j].value);
			size_t number = strmap_add(&pids, (struct str){digits, (size_t)length}, NULL);

			unknown |= number < before; /* as two machines or containers may have it */
		}
		free_process(&process);
	}
	events->by_process = processes > 1 || pids.count > 1;
	*by_ordinal = processes > 1 && unknown;
	strmap_free(&pids);
}

static void warn_of_others(const struct process *process)
{
	char category[QUOTE_MAX];

	warn("%s: regions that are neither calls of HIP, HSA or RCCL nor markers, left out: %" PRIu64
	     ", such as those of %s",
	     process->events->name, process->other,
	     process->example.len ? quote(category, process->example.data, process->example.len)
	                          : "no category");
}

void rocpd_write(struct sqlevents *events)
{
	const struct strmap *tables = &events->file->tables;
	int64_t ordinal = 0;
	bool by_ordinal;
	bool first = true;
	struct str amd = STR("AMD");

	kev_meta(events->out, "platform", &amd, 1);
	sqlevents_begin(events, "dispatch_id");
	look_at_processes(events, &by_ordinal);
	for (size_t i = 0; i < tables->count; i++) {
		struct process process = {.events = events};

		if (!suffix_of(strmap_key(tables, i), &process.suffix))
			continue;
		process.ordinal = ++ordinal;
		process.by_ordinal = by_ordinal;
		read_process(&process);
		read_agents(&process, &first);
		write_rows(&process, "kernel_dispatch", kernel_columns, KERNEL_COLUMNS, kernel_event);
		write_rows(&process, "memory_copy", copy_columns, COPY_COLUMNS, copy_event);
		write_rows(&process, "region", region_columns, REGION_COLUMNS, region_event);
		write_names(&process);
		if (process.other)
			warn_of_others(&process);
		free_process(&process);
	}
}
