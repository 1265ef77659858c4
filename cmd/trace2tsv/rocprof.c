#include "rocprof.h"

#include "base/mem.h"
#include "base/plaintext.h"
#include "io/magic.h"
#include "trace/idmap.h"
#include "json/array.h"
#include "json/find.h"
#include "json/names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TOOL "rocprofiler-sdk-tool"

static const char *const lists[ROCPROF_LISTS] = {
	[ROCPROF_METADATA] = TOOL "/metadata",
	[ROCPROF_AGENTS] = TOOL "/agents",
	[ROCPROF_KINDS] = TOOL "/strings/buffer_records",
	[ROCPROF_MESSAGES] = TOOL "/strings/marker_api",
	[ROCPROF_RENAMES] = TOOL "/strings/correlation_id/external",
	[ROCPROF_KERNELS] = TOOL "/kernel_symbols",
	[ROCPROF_COUNTERS] = TOOL "/callback_records/counter_collection",
	[ROCPROF_DISPATCH] = TOOL "/buffer_records/kernel_dispatch",
	[ROCPROF_HIP] = TOOL "/buffer_records/hip_api",
	[ROCPROF_HSA] = TOOL "/buffer_records/hsa_api",
	[ROCPROF_MARKER] = TOOL "/buffer_records/marker_api",
	[ROCPROF_RCCL] = TOOL "/buffer_records/rccl_api",
	[ROCPROF_COPY] = TOOL "/buffer_records/memory_copy",
	[ROCPROF_ALLOCATION] = TOOL "/buffer_records/memory_allocation",
	[ROCPROF_SCRATCH] = TOOL "/buffer_records/scratch_memory",
	[ROCPROF_DECODE] = TOOL "/buffer_records/rocdecode_api",
	[ROCPROF_JPEG] = TOOL "/buffer_records/rocjpeg_api",
};

/* The other members beside these. */
static const char *const others[] = {
	TOOL "/counters",
	TOOL "/strings",
	TOOL "/code_objects",
	TOOL "/host_functions",
	TOOL "/summary",
	TOOL "/callback_records",
	TOOL "/strings/callback_records",
	TOOL "/strings/counters",
	TOOL "/strings/pc_sample_instructions",
	TOOL "/strings/pc_sample_comments",
	TOOL "/buffer_records/pc_sample_host_trap",
	TOOL "/buffer_records/pc_sample_stochastic",
};

/* What the events of a list are called. Categories of the host are as csv2tsv has them. */
static const char *const categories[ROCPROF_LISTS] = {
	[ROCPROF_COUNTERS] = "kernel",        [ROCPROF_DISPATCH] = "kernel",
	[ROCPROF_HIP] = "cuda_runtime",       [ROCPROF_HSA] = "cuda_runtime",
	[ROCPROF_MARKER] = "user_annotation", [ROCPROF_RCCL] = "cuda_runtime",
	[ROCPROF_COPY] = "gpu_memcpy",        [ROCPROF_ALLOCATION] = "MEMORY_ALLOCATION",
	[ROCPROF_SCRATCH] = "SCRATCH_MEMORY", [ROCPROF_DECODE] = "cuda_runtime",
	[ROCPROF_JPEG] = "cuda_runtime",
};

/* The members of records, of all lists. */
enum {
	KIND,
	OPERATION,
	THREAD,
	INTERNAL,
	EXTERNAL,
	START,
	END,
	AGENT,
	QUEUE,
	STREAM,
	KERNEL,
	SRC_AGENT,
	DST_AGENT,
	BYTES,
	ALLOCATION_SIZE,
	RECORD, /* so many members of events, and others by -a; members of the tables follow */
	ID = RECORD,
	TYPE,
	NODE,
	LOGICAL_NODE,
	NAME,
	PRODUCT,
	UNITS,
	WAVE,
	LDS,
	WORKGROUP,
	BANKS,
	FORMATTED,
	DEMANGLED,
	SYMBOL,
	KEY,
	VALUE,
	OPERATIONS,
	PID,
	COMMAND,
	MEMBERS,
	/* The columns that several members make. */
	CORRELATION = NAMES_MAX,
	STREAM_OR_QUEUE,
	DEVICE,
	SIZE,
	NONE
};

static const char *const members[MEMBERS] = {
	[KIND] = "kind",
	[OPERATION] = "operation",
	[THREAD] = "thread_id",
	[INTERNAL] = "internal",
	[EXTERNAL] = "external",
	[START] = "start_timestamp",
	[END] = "end_timestamp",
	[AGENT] = "agent_id",
	[QUEUE] = "queue_id",
	[STREAM] = "stream_id",
	[KERNEL] = "kernel_id",
	[SRC_AGENT] = "src_agent_id",
	[DST_AGENT] = "dst_agent_id",
	[BYTES] = "bytes",
	[ALLOCATION_SIZE] = "allocation_size",
	[ID] = "id",
	[TYPE] = "type",
	[NODE] = "node_id",
	[LOGICAL_NODE] = "logical_node_id",
	[NAME] = "name",
	[PRODUCT] = "product_name",
	[UNITS] = "cu_count",
	[WAVE] = "wave_front_size",
	[LDS] = "lds_size_in_kb",
	[WORKGROUP] = "workgroup_max_size",
	[BANKS] = "mem_banks",
	[FORMATTED] = "formatted_kernel_name",
	[DEMANGLED] = "demangled_kernel_name",
	[SYMBOL] = "kernel_name",
	[KEY] = "key",
	[VALUE] = "value",
	[OPERATIONS] = "operations",
	[PID] = "pid",
	[COMMAND] = "command",
};

/* Objects in a record whose members count as members of the record. */
static const char *const flat[] = {"correlation_id", "dispatch_info", "dispatch_data"};

enum { FLAT = sizeof flat / sizeof *flat };

/* --- tables -------------------------------------------------------------------- */

static struct rocprof_tables *tables_of(struct rocprof *r)
{
	return &r->tables[r->only_tables || r->known ? r->group : 0];
}

static struct str member(const struct rocprof *r, size_t i)
{
	return json_text(&r->records.value[i]);
}

static bool is_whole(const struct rocprof *r, size_t i)
{
	uint64_t number;

	return str_whole(member(r, i), &number);
}

/* Kinds are numbered in the order of the table. */
static void add_kind(struct rocprof *r, struct rocprof_tables *tables)
{
	struct str rest = member(r, OPERATIONS);
	struct str element;

	rocproftables_add_kind(tables, member(r, KIND));
	while (r->records.value[OPERATIONS].type == JSON_NESTED && array_next(&rest, &element)) {
		r->text.len = 0;
		if (element.n >= 2 && *element.s == '"')
			json_unescape(&r->text, (struct str){element.s + 1, element.n - 2});
		rocproftables_add_operation(tables, buf_view(&r->text));
	}
}

/* --- events -------------------------------------------------------------------- */

static enum json_item damaged(struct rocprof *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static enum json_item damaged(struct rocprof *r, const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	plaintext_format(what, sizeof what, format, args);
	va_end(args);
	snprintf(r->error, sizeof r->error, "byte %" PRIu64 " (record %" PRIu64 "): %s",
	         r->records.offset, r->records.record, what);
	return JSON_DAMAGED;
}

static void set_text(struct rocprof *r, enum want want, struct str text)
{
	r->value[want] = (struct json_value){.type = JSON_STRING, .text = text};
}

static void begin_event(struct rocprof *r)
{
	memset(r->value, 0, (WANT_FIELDS + r->wanted->args_count) * sizeof *r->value);
	r->event++;
	r->offset = r->records.offset;
}

/*
 * The name of a process or a device, once. A pid can have two: in a container a process may have
 * the number of a device.
 */
static enum json_item name_process(struct rocprof *r, struct str pid, struct str name)
{
	bool added = false;

	if (name.n && !r->only_tables) {
		r->text.len = 0;
		buf_format(&r->text, "%zu:", pid.n);
		buf_str(&r->text, pid);
		buf_str(&r->text, name);
		strmap_add(&r->told, buf_view(&r->text), &added);
	}
	if (!added)
		return JSON_END;
	begin_event(r);
	set_text(r, WANT_NAME, STR("process_name"));
	set_text(r, WANT_PH, STR("M"));
	set_text(r, WANT_PID, pid);
	set_text(r, WANT_ARGS_NAME, name);
	return JSON_EVENT;
}

static void put_property(struct rocprof *r, const char *name, struct str value)
{
	if (value.n == 0 || str_equal(value, STR("0")))
		return;
	buf_text(&r->properties, name);
	buf_char(&r->properties, '\0');
	buf_str(&r->properties, value);
	buf_char(&r->properties, '\0');
}

/* Remembers the first GPU for rocprof_device. */
static void keep_device(struct rocprof *r, struct str name)
{
	struct json_value bank = {0};
	struct buf scratch = {0};
	struct buf lds = {0};
	uint64_t number;

	r->device = true;
	buf_str(&r->device_name, name);
	put_property(r, "gcnArchName", member(r, NAME));
	if (r->records.value[BANKS].type == JSON_NESTED)
		bank = json_find(member(r, BANKS), (const char *[]){"0", "size_in_bytes"}, 2, &scratch);
	put_property(r, "totalGlobalMem", json_text(&bank));
	put_property(r, "numSms", member(r, UNITS));
	put_property(r, "warpSize", member(r, WAVE));
	put_property(r, "maxThreadsPerBlock", member(r, WORKGROUP));
	if (str_whole(member(r, LDS), &number) && number < 1 << 30) {
		buf_format(&lds, "%" PRIu64, number * 1024);
		put_property(r, "sharedMemPerBlock", buf_view(&lds));
	}
	buf_free(&scratch);
	buf_free(&lds);
}

/* An agent: a processor or a GPU, which is a process of the trace. */
static enum json_item add_agent(struct rocprof *r, struct rocprof_tables *tables)
{
	struct str node = member(r, is_whole(r, NODE) ? NODE : LOGICAL_NODE);
	struct str name = member(r, PRODUCT).n ? member(r, PRODUCT) : member(r, NAME);
	struct rocprof_agent agent = {.gpu = str_equal(member(r, TYPE), STR("2"))};
	size_t i;

	if (!is_whole(r, ID))
		return damaged(r, "the id of an agent is missing, or no whole number");
	if (node.n == 0)
		node = member(r, ID);
	agent.node = strmap_add(&tables->texts, node, NULL);
	i = idmap_add(&tables->agents, member(r, ID), NULL);
	tables->agent = mem_grow(tables->agent, &tables->agents_cap, i + 1, sizeof *tables->agent);
	tables->agent[i] = agent;
	if (!agent.gpu || r->only_tables)
		return JSON_END;
	if (!r->device && !r->device_told)
		keep_device(r, name);
	return name_process(r, node, name);
}

/* The process whose calls the file has, named by its command. */
static enum json_item add_process(struct rocprof *r, struct rocprof_tables *tables)
{
	struct json_value command = {0};
	enum json_item item;
	struct buf scratch = {0};

	tables->seen[ROCPROF_METADATA] = true;
	tables->pid.len = 0;
	buf_str(&tables->pid, member(r, PID));
	if (r->records.value[COMMAND].type == JSON_NESTED)
		command = json_find(member(r, COMMAND), (const char *[]){"0"}, 1, &scratch);
	r->name.len = 0;
	buf_str(&r->name, json_string_text(&command));
	buf_free(&scratch);
	item = name_process(r, buf_view(&tables->pid), buf_view(&r->name));
	return item;
}

/* Takes a record of a table. JSON_END: nothing to tell. */
static enum json_item table_record(struct rocprof *r)
{
	struct rocprof_tables *tables = tables_of(r);
	struct str name;

	switch ((enum rocprof_list)r->records.list) {
	case ROCPROF_METADATA:
		return add_process(r, tables);
	case ROCPROF_AGENTS:
		return add_agent(r, tables);
	case ROCPROF_KINDS:
		if (!r->known && !tables->kinds_end)
			add_kind(r, tables);
		return JSON_END;
	case ROCPROF_MESSAGES:
	case ROCPROF_RENAMES:
		if (!is_whole(r, KEY) || r->records.value[VALUE].type != JSON_STRING)
			return damaged(r, "a text without its key, or the other way round");
		if (!r->known)
			rocproftables_put(r->records.list == ROCPROF_MESSAGES ? &tables->messages
			                                                      : &tables->renames,
			                  &tables->texts, member(r, KEY), member(r, VALUE));
		return JSON_END;
	default:
		name = json_string_text(&r->records.value[FORMATTED]);
		if (name.n == 0)
			name = json_string_text(&r->records.value[DEMANGLED]);
		if (name.n == 0)
			name = json_string_text(&r->records.value[SYMBOL]);
		if (!is_whole(r, KERNEL))
			return damaged(r, "the kernel_id of a kernel is missing, or no whole number");
		/* The first entry of the table is a kernel without a name. */
		if (!r->known && name.n)
			rocproftables_put(&tables->kernels, &tables->texts, member(r, KERNEL), name);
		return JSON_END;
	}
}

/* Appends nanoseconds as microseconds. */
static void put_us(struct buf *out, uint64_t ns)
{
	char text[32];
	int n = snprintf(text, sizeof text, "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);

	while (text[n - 1] == '0')
		n--;
	buf_bytes(out, text, (size_t)(n - (text[n - 1] == '.')));
}

/* Whether the file can be read again, and nothing was written that would come twice. */
static bool can_look(const struct rocprof *r)
{
	return !r->rows && r->records.text.in.start >= 0;
}

/* The pid of a copy: the GPU of its two agents, the target before the source. */
static struct str copy_pid(const struct rocprof *r, const struct rocprof_tables *tables)
{
	bool to_gpu;
	bool from_gpu;
	struct str to = rocproftables_agent_pid(tables, member(r, DST_AGENT), &to_gpu);
	struct str from = rocproftables_agent_pid(tables, member(r, SRC_AGENT), &from_gpu);

	return to_gpu || !from_gpu ? to : from;
}

/* Appends "#ID" for what a table does not have. */
static void put_unknown(struct rocprof *r, struct buf *out, struct str id)
{
	buf_char(out, '#');
	buf_str(out, id);
	r->unnamed++;
}

/*
 * Appends an id of the process at hand. From the second process of a file on, ids have its number
 * in the file: two processes can have one pid, or no pid after damage.
 */
static void put_own_id(const struct rocprof *r, struct buf *out, struct str id)
{
	if (r->group)
		buf_format(out, "%zu:", r->group + 1);
	buf_str(out, id);
}

static bool is_mark(struct str operation)
{
	return str_equal(operation, STR("roctxMarkA"));
}

/* Sets name and ph. */
static void name_event(struct rocprof *r, const struct rocprof_tables *tables, size_t list)
{
	struct str name = {NULL, 0};
	struct str operation = {NULL, 0};
	bool kernel = list == ROCPROF_DISPATCH || list == ROCPROF_COUNTERS;

	if (kernel) {
		if (tables->renames.ids.count)
			name = rocproftables_get(&tables->renames, &tables->texts, member(r, EXTERNAL));
		if (!name.s)
			name = rocproftables_get(&tables->kernels, &tables->texts, member(r, KERNEL));
	} else {
		operation = rocproftables_operation(tables, member(r, KIND), member(r, OPERATION));
		if (list == ROCPROF_MARKER)
			name = rocproftables_get(&tables->messages, &tables->texts, member(r, INTERNAL));
		if (!name.s)
			name = operation;
	}
	if (!name.s) {
		r->name.len = 0;
		put_unknown(r, &r->name, member(r, kernel ? KERNEL : KIND));
		if (!kernel) {
			buf_char(&r->name, '/');
			buf_str(&r->name, member(r, OPERATION));
		}
		name = buf_view(&r->name);
	}
	set_text(r, WANT_NAME, name);
	set_text(r, WANT_PH, is_mark(operation) ? STR("i") : STR("X"));
}

/* Whether the records of a list are of a device, not of a thread. */
static bool is_on_device(size_t list)
{
	return list == ROCPROF_DISPATCH || list == ROCPROF_COUNTERS || list == ROCPROF_COPY ||
	       list == ROCPROF_SCRATCH;
}

/* Sets pid and tid. */
static void place_event(struct rocprof *r, const struct rocprof_tables *tables, size_t list)
{
	struct str id = member(r, list == ROCPROF_COPY ? DST_AGENT : AGENT);
	struct str stream = member(r, r->records.value[STREAM].type != JSON_NONE ? STREAM : QUEUE);
	struct str pid = buf_view(&tables->pid);
	bool gpu;
	size_t start;

	if (!is_on_device(list)) {
		set_text(r, WANT_PID, pid);
		set_text(r, WANT_TID, member(r, THREAD));
		return;
	}
	pid = list == ROCPROF_COPY ? copy_pid(r, tables) : rocproftables_agent_pid(tables, id, &gpu);
	if (!pid.s) {
		start = r->text.len;
		buf_reserve(&r->text, id.n + 1);
		put_unknown(r, &r->text, id);
		pid = (struct str){r->text.data + start, r->text.len - start};
	}
	set_text(r, WANT_PID, pid);
	r->stream.len = 0;
	if (stream.n)
		put_own_id(r, &r->stream, stream);
	set_text(r, WANT_TID, buf_view(&r->stream));
}

/* The members of args that columns show. */
static void fill_args(struct rocprof *r, bool on_device)
{
	const struct json_value *record = r->records.value;

	for (size_t i = 0; i < r->wanted->args_count; i++) {
		struct json_value *value = &r->value[WANT_FIELDS + i];
		size_t from = r->arg[i];

		if (from < CORRELATION)
			*value = record[from];
		else if (from == CORRELATION && r->correlation.len)
			*value = (struct json_value){.type = JSON_STRING, .text = buf_view(&r->correlation)};
		else if (from == STREAM_OR_QUEUE && on_device)
			*value = r->value[WANT_TID];
		else if (from == DEVICE && on_device)
			*value = r->value[WANT_PID];
		else if (from == SIZE)
			*value = record[record[BYTES].type != JSON_NONE ? BYTES : ALLOCATION_SIZE];
		/* No external correlation. */
		if (from == EXTERNAL && str_equal(json_text(value), STR("0")))
			value->type = JSON_NONE;
	}
}

static void correlate(struct rocprof *r)
{
	struct str id = member(r, INTERNAL);

	r->correlation.len = 0;
	if (id.n && !str_equal(id, STR("0")))
		put_own_id(r, &r->correlation, id);
}

/* A record of an event as that event. */
static enum json_item event_record(struct rocprof *r)
{
	const struct rocprof_tables *tables = tables_of(r);
	size_t list = r->records.list;
	uint64_t unnamed = r->unnamed;
	uint64_t start;
	uint64_t end;
	size_t dur;

	if (!str_whole(member(r, START), &start) || !str_whole(member(r, END), &end))
		return damaged(r, "start_timestamp or end_timestamp is missing, or no whole number");
	if (start == 0 && end == 0)
		return damaged(r, "it has no time: start_timestamp and end_timestamp are 0");
	begin_event(r);
	r->text.len = 0;
	buf_reserve(&r->text, 128 + member(r, AGENT).n + member(r, DST_AGENT).n);
	put_us(&r->text, start);
	dur = r->text.len;
	if (end < start)
		buf_char(&r->text, '-');
	put_us(&r->text, end < start ? start - end : end - start);
	r->value[WANT_TS] =
		(struct json_value){.type = JSON_NUMBER, .decimal = true, .text = {r->text.data, dur}};
	r->value[WANT_DUR] = (struct json_value){
		.type = JSON_NUMBER, .decimal = true, .text = {r->text.data + dur, r->text.len - dur}};
	set_text(r, WANT_CAT, str_of(categories[list]));
	place_event(r, tables, list);
	name_event(r, tables, list);
	correlate(r);
	fill_args(r, is_on_device(list));
	if (r->unnamed > unnamed && r->options.strict)
		return damaged(r, "its name or its agent is in no table");
	r->rows = true;
	r->count[list]++;
	return JSON_EVENT;
}

/* --- the document ------------------------------------------------------------------ */

/* Begins the tables of a process. */
static void begin_group(struct rocprof *r)
{
	bool all = r->only_tables || r->known;
	size_t i;

	memset(r->begun, 0, sizeof r->begun);
	r->hidden = false;
	r->group = r->in_group ? r->group + 1 : 0;
	r->in_group = true;
	i = all ? r->group : 0;
	if (i == r->tables_count) {
		r->tables = mem_grow(r->tables, &r->tables_cap, i + 1, sizeof *r->tables);
		r->tables[i] = (struct rocprof_tables){0};
		r->tables_count = i + 1;
	} else if (!all) {
		rocproftables_free(&r->tables[i]);
	}
}

/*
 * A list can come twice, and the last table counts. After damage, the second list belongs to
 * another process, whose beginning was hidden: its ids mean other rows.
 */
static void begin_list(struct rocprof *r)
{
	struct rocprof_tables *tables;

	if (r->hidden && r->begun[r->records.list])
		begin_group(r);
	r->begun[r->records.list] = true;
	r->events |= r->records.list >= ROCPROF_COUNTERS;
	if (r->known)
		return;
	tables = tables_of(r);
	tables->seen[r->records.list] = true;
	if (r->records.list != ROCPROF_KINDS)
		return;
	tables->kinds_end = false;
	tables->kinds = 0;
	tables->operations_count = 0;
}

/* False, with the reason in records.text.error, if the file cannot be read again. */
static bool again(struct rocprof *r)
{
	r->in_group = false;
	r->damages = 0;
	if (!records_again(&r->records))
		return false;
	if (!input_changed(&r->records.text.in))
		return true;
	r->fatal = true;
	snprintf(r->records.text.error, sizeof r->records.text.error, "changed while it was read");
	return false;
}

/*
 * The record at hand needs a table that has not come: begins a look for the tables. If the table
 * may be lost by damage and the file cannot be read again, names are numbers.
 */
static enum json_item look_for_tables(struct rocprof *r, const char *missing)
{
	struct rocprof_tables *tables = tables_of(r);
	uint64_t offset = r->records.offset;
	bool possible = can_look(r);

	if (!possible && r->damaged) {
		memset(tables->seen, true, sizeof tables->seen);
		return event_record(r);
	}
	if (possible && again(r)) {
		for (size_t i = 0; i < r->tables_count; i++)
			rocproftables_free(&r->tables[i]);
		r->tables_count = 0;
		r->only_tables = true;
		return JSON_END;
	}
	r->fatal = true;
	if (possible)
		snprintf(r->error, sizeof r->error, "%s", r->records.text.error);
	else
		snprintf(r->error, sizeof r->error, "byte %" PRIu64 ": there is no %s before this record%s",
		         offset, missing,
		         r->rows ? ", as there was in an earlier process"
		                 : "; name the file: a pipe cannot be read again");
	return JSON_BROKEN;
}

static enum json_item record(struct rocprof *r)
{
	size_t list = r->records.list;
	const char *missing;

	if (!r->in_group)
		return JSON_END;
	if (list < ROCPROF_COUNTERS)
		return table_record(r);
	r->events = true;
	if (r->only_tables)
		return JSON_END;
	if ((list == ROCPROF_COUNTERS) != r->counters) {
		r->count[list] += list == ROCPROF_COUNTERS;
		return JSON_END;
	}
	/* Lists after this list may need the others, and then it is too late. */
	missing = r->known ? NULL : rocproftables_missing(tables_of(r), list, can_look(r));
	return missing ? look_for_tables(r, missing) : event_record(r);
}

/* At the end of a look: JSON_END if there is no other one. */
static enum json_item end_look(struct rocprof *r, bool *go_on)
{
	*go_on = true;
	if (r->only_tables) {
		r->only_tables = false;
		r->known = true;
	} else if (r->count[ROCPROF_DISPATCH] == 0 && r->count[ROCPROF_COUNTERS] && !r->counters) {
		r->counters = true;
		r->count[ROCPROF_COUNTERS] = 0;
	} else {
		*go_on = false;
		return JSON_END;
	}
	if (r->records.text.in.start >= 0) {
		if (again(r))
			return JSON_END;
		snprintf(r->error, sizeof r->error, "%s", r->records.text.error);
	} else {
		snprintf(r->error, sizeof r->error,
		         "the kernels are in counter_collection, left out; name the file: a pipe cannot be "
		         "read again");
	}
	return JSON_BROKEN;
}

/* Whether damage, of the syntax or of a record, was not reported in another look. */
static bool is_news(struct rocprof *r, bool syntax)
{
	if (r->only_tables || (r->counters && (syntax || r->records.list != ROCPROF_COUNTERS)))
		return false;
	if (r->counters)
		return true;
	if (++r->damages <= r->reported)
		return false;
	r->reported++;
	return true;
}

enum json_item rocprof_next(struct rocprof *r)
{
	for (;;) {
		enum json_item item = JSON_END;
		bool go_on = true;

		if (r->device && !r->device_told) {
			r->device_told = true;
			return JSON_MEMBER;
		}
		switch (records_next(&r->records)) {
		case RECORDS_RECORD:
			item = record(r);
			if (item == JSON_DAMAGED && !is_news(r, false))
				item = JSON_END;
			break;
		case RECORDS_GROUP:
			begin_group(r);
			break;
		case RECORDS_LIST:
			if (r->in_group)
				begin_list(r);
			break;
		case RECORDS_UNKNOWN:
			if (r->unread.len == 0)
				buf_str(&r->unread, buf_view(&r->records.key));
			break;
		case RECORDS_DAMAGED:
			r->damaged = true;
			r->hidden = true;
			if (r->in_group && !r->known && r->records.list == ROCPROF_KINDS)
				tables_of(r)->kinds_end = true;
			if (is_news(r, true)) {
				memcpy(r->error, r->records.text.error, sizeof r->error);
				item = JSON_DAMAGED;
			}
			break;
		case RECORDS_BROKEN:
			memcpy(r->error, r->records.text.error, sizeof r->error);
			/* Another look may read what this one could not, and would not know of the rest. */
			r->fatal = r->only_tables && r->records.text.in.failed;
			if (!r->only_tables)
				memcpy(r->broken, r->error, sizeof r->broken);
			if (!r->fatal)
				item = end_look(r, &go_on);
			if (r->fatal || !go_on)
				return JSON_BROKEN;
			break;
		case RECORDS_END:
			item = end_look(r, &go_on);
			if (!go_on && !r->events)
				snprintf(r->broken, sizeof r->broken, "there are no buffer_records");
			if (!go_on && r->broken[0]) {
				memcpy(r->error, r->broken, sizeof r->error);
				return JSON_BROKEN;
			}
			break;
		}
		r->replaced = r->records.replaced;
		if (item != JSON_END || !go_on)
			return item;
	}
}

void rocprof_device(struct rocprof *r, struct device *device, struct kev_writer *out)
{
	struct str name = buf_view(&r->device_name);
	const char *p = r->properties.data;

	device_roctracer(device, out);
	kev_meta(out, "device", &name, 1);
	while (r->properties.len && p < r->properties.data + r->properties.len) {
		struct str key = str_of(p);
		struct str value = str_of(p + key.n + 1);

		kev_meta(out, "deviceProp", (struct str[]){key, value}, 2);
		p = value.s + value.n + 1;
	}
}

void rocprof_categories(const struct rocprof *r, struct category_counts *counts)
{
	for (size_t list = ROCPROF_COUNTERS; list < ROCPROF_LISTS; list++)
		if (r->count[list] && (list != ROCPROF_COUNTERS || r->counters))
			counts->count[strmap_add(&counts->names, str_of(categories[list]), NULL)] +=
				r->count[list];
}

/* --- opening ------------------------------------------------------------------------- */

bool rocprof_is(struct str head)
{
	if (str_starts(head, STR("\xef\xbb\xbf")))
		head = (struct str){head.s + 3, head.n - 3};
	while (head.n && strchr(" \t\r\n", *head.s))
		head = (struct str){head.s + 1, head.n - 1};
	head.n = head.n < MAGIC_BYTES ? head.n : MAGIC_BYTES;
	return str_starts(head, STR("{")) && str_has(head, STR("\"" TOOL "\""));
}

/* Where the record has an arg of the columns; it becomes a wanted member if it is an unusual one.
 */
static size_t find_arg(struct rocprof *r, const char *arg)
{
	static const struct {
		const char *name;
		size_t from;
	} made[] = {
		{"correlation", CORRELATION}, {"External id", EXTERNAL}, {"stream", STREAM_OR_QUEUE},
		{"device", DEVICE},           {"bytes", SIZE},
	};

	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		if (strcmp(arg, made[i].name) == 0)
			return made[i].from;
	for (size_t i = 0; i < FLAT; i++)
		if (strcmp(arg, flat[i]) == 0)
			return NONE;
	for (size_t i = 0; i < r->options.names_count; i++)
		if (strcmp(arg, r->names[i]) == 0)
			return i;
	if (r->options.names_count + FLAT == NAMES_MAX)
		return NONE;
	r->names[r->options.names_count++] = arg;
	return r->options.names_count - 1;
}

void rocprof_open(struct rocprof *r, const struct input *in, struct str head,
                  const struct wanted *wanted)
{
	size_t args = wanted->args_count;

	*r = (struct rocprof){.wanted = wanted};
	r->value = mem_zero(WANT_FIELDS + args, sizeof *r->value);
	r->arg = mem_zero(args + 1, sizeof *r->arg);
	r->names = mem_alloc(MEMBERS + args, sizeof *r->names);
	memcpy(r->names, members, sizeof members);
	r->options = (struct records_options){.lists = lists,
	                                      .lists_count = ROCPROF_LISTS,
	                                      .others = others,
	                                      .others_count = sizeof others / sizeof *others,
	                                      .watched = TOOL "/buffer_records",
	                                      .group = TOOL,
	                                      .names = r->names,
	                                      .names_count = MEMBERS,
	                                      .flat = flat,
	                                      .flat_count = FLAT,
	                                      .single = "handle",
	                                      .strict = wanted->json.strict};
	for (size_t i = 0; i < args; i++) {
		size_t want = WANT_FIELDS + i;
		bool other = want == WANT_TYPE || want == WANT_SOURCE || want == WANT_ARGS_NAME;

		r->arg[i] = other ? NONE : find_arg(r, wanted->args[i]);
	}
	records_open(&r->records, in, head, &r->options);
}

void rocprof_close(struct rocprof *r)
{
	records_close(&r->records);
	for (size_t i = 0; i < r->tables_count; i++)
		rocproftables_free(&r->tables[i]);
	free(r->tables);
	free(r->value);
	free(r->arg);
	free(r->names);
	strmap_free(&r->told);
	buf_free(&r->properties);
	buf_free(&r->device_name);
	buf_free(&r->text);
	buf_free(&r->correlation);
	buf_free(&r->stream);
	buf_free(&r->unread);
	buf_free(&r->name);
	*r = (struct rocprof){0};
}
