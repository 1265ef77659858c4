/*
 * trace2tsv - Chrome trace event JSON to the kernel-event stream, kev(5).
 *
 *	[{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10.5,"dur":2,
 *	  "args":{"source":"MEASURED","kernel_type":"MatMul"}}]
 * gives
 *	#ts	dur	type	name	cat	ph	pid	tid	source
 *	10.5	2	MatMul	gemm	kernel	X	0	7	MEASURED
 *
 * A file of rocprofv3 is known by its first bytes, and gives such rows, too.
 *
 * Memory is constant, whatever the size of the file and of its events. With -P rows wait in a
 * temporary file until the process is known; with -A a pipe is copied to one. With --join-ends
 * memory grows with the events that are open. After the first kernel or call of a trace of Ascend,
 * rows wait for the end of the file, too: cann.h has the memory. The tables of a file of
 * rocprofv3 are in memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "json/find.h"
#include "json/json.h"
#include "json/names.h"

#include "argnames.h"
#include "category.h"
#include "convert.h"
#include "parts.h"
#include "rocprof.h"
#include "wanted.h"

enum member { DEVICES, ROCTRACER, DISTRIBUTED, BASE_TIME, MEMBERS };

static const char *const members[MEMBERS] = {
	[DEVICES] = "deviceProperties",
	[ROCTRACER] = "roctracer_version",
	[DISTRIBUTED] = "distributedInfo",
	[BASE_TIME] = "baseTimeNanoseconds",
};

/* The file being read; st->convert knows the rest of it. */
struct file {
	bool is_rocprof;
	uint64_t damages; /* events skipped */
	char last_damage[JSONTEXT_ERROR];
};

struct state {
	struct opts opts;
	bool all_args;
	struct words processes;
	const char *unit; /* NULL: as the file says */
	struct str rank;  /* rank of all files; empty: as the file says */
	struct wanted wanted;
	struct convert convert;
	struct parts parts;
	struct rocprof rocprof;
	bool opened;        /* a file could be opened */
	struct outcome all; /* files that were read */
	struct file file;
	bool *unseen; /* by operand: the first look of -A could not open it */
	/* Rows of the files before: times of two units are not added. */
	struct balance total[CONVERT_UNITS];
	struct buf scratch;
};

enum { MAX_FIELD = OPT_LONG, RANK, JOIN_ENDS, COLLECTIVES, MEMORY, THREADS };

static const struct opt opts[] = {
	{'p', "ph", "PH", "write these phases, one letter each (default: X)"},
	{'c', "category", "CAT,...", "write only these categories; +CAT: add to -g; -CAT: leave out"},
	{'a', "add", "ARG[=COL],...", "add columns from args"},
	{'A', "all", NULL, "add a column for each member of args; reads the files twice"},
	{'P', "process", "SUBSTR,...", "write only the first process with one of these in its name"},
	{'g', "gpu", NULL, "write the categories and columns of a PyTorch trace"},
	{COLLECTIVES, "collectives", NULL, "write what kcoll needs: kernels, launches, annotations"},
	{MEMORY, "memory", NULL, "write allocations and frees, beside the events of -g or -c"},
	{'u', "unit", "us|cycles", "set the unit of ts and dur"},
	{'f', "file", NULL, "add a column with the file's name"},
	{JOIN_ENDS, "join-ends", NULL, "write one X row for a begin and its end (B and E, b and e)"},
	{RANK, "rank", "[=N]", "add a column with the rank (default N: distributedInfo of the trace)"},
	{MAX_FIELD, "max-field", "BYTES", "fail on a larger value; at least 256K (default: 16M)"},
	{THREADS, "threads", "N", "convert with N threads (default: the processors, at most 8)"},
};

static const struct opt_usage usage = {
	"[-p PH] [-c CAT,...] [-a ARG[=COL],...] [-A] [-P SUBSTR,...] [-g | --collectives]\n"
	"                 [--memory] [-u UNIT] [-f] [--join-ends] [--rank[=N]] [--threads=N] "
	"[FILE...]",
	"Convert Chrome trace event JSON to the kernel-event stream.", opts,
	sizeof opts / sizeof *opts};

/* What kcoll reads of a trace. */
static const char collective_categories[] = "kernel,cuda_runtime,cuda_driver,user_annotation";
static const char *const collective_args[] = {
	"Collective name", "dtype",      "In msg nelems",      "Out msg nelems",      "In split size",
	"Out split size",  "Group size", "Process Group Name", "Process Group Ranks", "Seq",
	"Comms Id",        "Input Dims", "Input type"};

static _Noreturn void fail_column(const struct wanted *wanted)
{
	opts_fail("%.*s", (int)wanted->error.len, wanted->error.data);
}

/* --- metadata -------------------------------------------------------------- */

static void meta1(struct state *st, const char *key, struct str value)
{
	kev_meta(&st->convert.out, key, &value, 1);
}

/* A number of distributedInfo; false, with a warning, if it is not one. */
static bool whole(struct state *st, const char *what, const struct json_value *value,
                  uint64_t *number)
{
	char text[QUOTE_MAX];

	if (value->type == JSON_NONE || value->type == JSON_NULL)
		return false;
	if (str_whole(value->text, number))
		return true;
	warn("%s: distributedInfo: the %s %s is not a whole number; skipped", st->convert.file, what,
	     quote(text, value->text.s, value->text.n));
	return false;
}

/* The rank that the trace names; --rank=N goes before it. */
static void found_rank(struct state *st, uint64_t rank)
{
	struct buf *known = &st->convert.rank;

	if (st->rank.n == 0) {
		if (st->wanted.rank_column && st->convert.outcome.rows)
			kev_die_misuse(&st->convert.out, st->convert.file, 0,
			               "the rank comes after the events in this trace; use --rank=%" PRIu64,
			               rank);
		known->len = 0;
		buf_format(known, "%" PRIu64, rank);
		meta1(st, "rank", buf_view(known));
		return;
	}
	st->scratch.len = 0;
	buf_format(&st->scratch, "%" PRIu64, rank);
	if (!str_equal(buf_view(&st->scratch), st->rank))
		warn("%s: the trace is of rank %" PRIu64 "; --rank changes this to %s", st->convert.file,
		     rank, st->rank.s);
}

/* The member distributedInfo. */
static void distributed(struct state *st, struct str text)
{
	struct json_value value = json_find(text, (const char *[]){"rank"}, 1, &st->scratch);
	uint64_t number;

	if (whole(st, "rank", &value, &number))
		found_rank(st, number);
	value = json_find(text, (const char *[]){"world_size"}, 1, &st->scratch);
	if (whole(st, "world_size", &value, &number) && number > 0) {
		st->scratch.len = 0;
		buf_format(&st->scratch, "%" PRIu64, number);
		meta1(st, "worldSize", buf_view(&st->scratch));
	}
}

/* A member of the top-level object. */
static void member(struct state *st)
{
	struct str text = st->convert.json.value[0].text;

	switch ((enum member)st->convert.json.member) {
	case DEVICES:
		device_properties(&st->convert.device, text, &st->convert.out);
		break;
	case ROCTRACER:
		device_roctracer(&st->convert.device, &st->convert.out);
		break;
	case DISTRIBUTED:
		distributed(st, text);
		break;
	case BASE_TIME:
		meta1(st, members[BASE_TIME], text);
		break;
	case MEMBERS:
		break;
	}
}

/* --- -P -------------------------------------------------------------------- */

/* At the end of a file in which no name matched. */
static void choose_only(struct state *st)
{
	struct str pid;

	if (!choice_make_only(&st->convert.choice, st->opts.strict))
		convert_fail_choice(&st->convert);
	pid = strmap_key(&st->convert.choice.pids, st->convert.choice.process);
	warn("%s: no process name matches -P; using the only process, pid %.*s", st->convert.file,
	     (int)pid.n, pid.s);
}

/* --- -A ---------------------------------------------------------------------- */

/* Finds the columns of -A in all files, before the first row. */
static void look_at_files(struct state *st)
{
	struct argnames look = {0};

	for (int i = 0; i < st->opts.operands_count; i++) {
		const char *path = st->opts.operands[i];

		if (!argnames_look(&look, &st->wanted, path))
			die("%s: %s", opts_name(&st->opts, path), look.error);
		st->unseen[i] = look.unseen;
	}
	if (look.left_out)
		warn("-A: members of args are left out; it takes up to %d, with names of 1 to %d bytes",
		     NAMES_MAX, NAMES_MAX_BYTES);
	argnames_free(&look);
}

/* --- files ----------------------------------------------------------------- */

enum { DAMAGES_SHOWN = 3 }; /* skipped events of a file that are reported one by one */

static void damaged(struct state *st)
{
	if (st->opts.strict) {
		convert_put_waiting(&st->convert);
		kev_die(&st->convert.out, st->convert.file, 0, "%s", st->convert.json.text.error);
	}
	if (st->file.damages++ < DAMAGES_SHOWN)
		kev_damaged(&st->convert.out, st->convert.file, st->convert.json.text.error);
	memcpy(st->file.last_damage, st->convert.json.text.error, sizeof st->file.last_damage);
}

static void warn_of_list(const struct state *st)
{
	char name[QUOTE_MAX];

	quote(name, st->rocprof.unread.data, st->rocprof.unread.len);
	warn("%s: records of an unknown kind are not read: %s", st->convert.file, name);
}

static void end_file(struct state *st, bool broken)
{
	bool chosen = !st->convert.choice.parts || st->convert.choice.made;
	uint64_t replaced = st->convert.json.replaced; /* outcome_of_options may read the file again */
	struct category_counts counts = {0};
	bool trace = true;

	st->convert.outcome.events = st->convert.json.event;
	outcome_add(&st->all, &st->convert.outcome);
	if (!chosen) {
		/* The reason of the failure may be that the names were cut off. */
		if (broken)
			kev_damaged(&st->convert.out, st->convert.file, st->convert.json.text.error);
		choose_only(st);
	}
	convert_put_waiting(&st->convert);
	device_platform(&st->convert.device, &st->convert.out);
	convert_set_unit(&st->convert, CONVERT_US);
	if (st->file.damages > DAMAGES_SHOWN) {
		struct buf what = {0};

		buf_format(&what, "%llu more places are damaged, the last at %s",
		           (unsigned long long)st->file.damages - DAMAGES_SHOWN, st->file.last_damage);
		buf_char(&what, '\0');
		kev_damaged(&st->convert.out, st->convert.file, what.data);
		buf_free(&what);
	}
	convert_end_joining(&st->convert);
	if (st->file.is_rocprof)
		rocprof_categories(&st->rocprof, &counts);
	if (!broken && !st->file.damages)
		trace = outcome_of_options(&st->convert.outcome, &st->convert.row,
		                           st->file.is_rocprof ? &counts : NULL, &st->convert.json,
		                           st->convert.file);
	category_counts_free(&counts);
	if (st->rocprof.unnamed)
		warn("%s: rows whose name or agent is in no table, written as #NUMBER: %llu",
		     st->convert.file, (unsigned long long)st->rocprof.unnamed);
	if (st->rocprof.unread.len)
		warn_of_list(st);
	if (!trace)
		kev_broken(&st->convert.out, st->convert.file, 0,
		           "no event has ph, so this is not a trace");
	outcome_left_out(&st->convert.outcome, &st->convert.row, replaced, st->convert.file);
	if (st->wanted.rank_column && !st->convert.rank.len)
		warn("%s: distributedInfo has no rank, so the column is empty; use --rank=N",
		     st->convert.file);
	/* Last, so that it ends the output. */
	if (broken && chosen)
		kev_damaged(&st->convert.out, st->convert.file, st->convert.json.text.error);
	balance_add(&st->total[st->convert.unit], &st->convert.balance);
}

static void begin_file(struct state *st, const char *name)
{
	const struct wanted *wanted = &st->wanted;

	st->file = (struct file){0};
	convert_begin_file(&st->convert, name);
	meta1(st, "source", str_of(name));
	if (st->unit)
		convert_set_unit(&st->convert, strcmp(st->unit, convert_units[CONVERT_CYCLES]) == 0
		                                   ? CONVERT_CYCLES
		                                   : CONVERT_US);
	if (st->rank.n) {
		buf_str(&st->convert.rank, st->rank);
		meta1(st, "rank", st->rank);
	}
	kev_columns(&st->convert.out, wanted->names,
	            wanted->columns + wanted->rank_column + wanted->file_column);
	if (st->processes.count && !choice_open(&st->convert.choice, &st->processes, &st->convert.out,
	                                        &st->convert.balance, CONVERT_PROCESS))
		convert_fail_choice(&st->convert);
}

/* Another reader goes on with a file of rocprofv3, and gives such items, too. */
static void begin_rocprof(struct state *st, const struct input *in, struct str head)
{
	rocprof_open(&st->rocprof, in, head, &st->wanted);
	st->file.is_rocprof = true;
	st->convert.json.value = st->rocprof.value;
	st->convert.json.foreign = st->convert.json.misused = false;
	if (st->all_args)
		warn("%s: -A finds no args in a file of rocprofv3; name members of its records with -a",
		     st->convert.file);
}

static enum json_item next_of_rocprof(struct state *st)
{
	struct rocprof *rocprof = &st->rocprof;
	enum json_item item;

	while ((item = rocprof_next(rocprof)) == JSON_MEMBER)
		rocprof_device(rocprof, &st->convert.device, &st->convert.out);
	st->convert.json.event = rocprof->event;
	st->convert.json.offset = rocprof->offset;
	st->convert.json.replaced = rocprof->replaced;
	st->convert.json.fatal = rocprof->fatal;
	memcpy(st->convert.json.text.error, rocprof->error, sizeof rocprof->error);
	return item;
}

static enum json_item next_item(struct state *st)
{
	enum json_item item;
	struct input in;
	struct buf head = {0};

	if (st->file.is_rocprof)
		return next_of_rocprof(st);
	item = json_next(&st->convert.json);
	if (item != JSON_BROKEN || !st->convert.json.foreign)
		return item;
	json_release(&st->convert.json, &in, &head);
	if (rocprof_is(buf_view(&head))) {
		begin_rocprof(st, &in, buf_view(&head));
		item = next_of_rocprof(st);
	} else {
		input_close(&in);
	}
	buf_free(&head);
	return item;
}

static void read_file(struct state *st, int operand)
{
	const char *path = st->opts.operands[operand];
	const char *name = opts_name(&st->opts, path);
	enum json_item item;

	if (!json_open(&st->convert.json, path, &st->wanted.json)) {
		kev_unopened(&st->convert.out, name, st->convert.json.text.error,
		             st->opened || operand + 1 < st->opts.operands_count);
		return;
	}
	st->opened = true;
	if (st->unseen[operand])
		kev_die(&st->convert.out, name, 0, "only the second of two looks could open it; try again");
	begin_file(st, name);
	parts_begin(&st->parts, &st->convert);
	while ((item = next_item(st)) > JSON_END) {
		if (item == JSON_EVENT)
			convert_event(&st->convert);
		else if (item == JSON_PAUSE)
			parts_next(&st->parts);
		else if (item == JSON_MEMBER)
			member(st);
		else
			damaged(st);
	}
	parts_end(&st->parts);
	if (st->convert.json.misused && st->opts.strict)
		kev_die_misuse(&st->convert.out, name, 0, "%s", st->convert.json.text.error);
	if (item == JSON_BROKEN && (st->convert.json.fatal || st->opts.strict)) {
		convert_put_waiting(&st->convert);
		kev_die(&st->convert.out, name, 0, "%s", st->convert.json.text.error);
	}
	if (st->convert.json.misused)
		kev_misused(&st->convert.out, name, 0, st->convert.json.text.error);
	else if (st->convert.json.foreign)
		kev_broken(&st->convert.out, name, 0, st->convert.json.text.error);
	else
		end_file(st, item == JSON_BROKEN);
	json_close(&st->convert.json);
	if (st->file.is_rocprof)
		rocprof_close(&st->rocprof);
	convert_end_file(&st->convert);
}

/* One balance for each unit that has events; without events, the balance of the last file. */
static void print_balance(struct state *st)
{
	for (int i = 0; i < CONVERT_UNITS; i++) {
		bool none = st->total[CONVERT_US].in.rows == 0 && st->total[CONVERT_CYCLES].in.rows == 0;

		if (none ? i == (int)st->convert.unit : st->total[i].in.rows > 0)
			balance_print(&st->total[i]);
	}
}

int main(int argc, char **argv)
{
	struct state st = {.convert = {.opts = &st.opts, .wanted = &st.wanted, .all_phases = true},
	                   .wanted = {.phases = STR("X"), .json = {.max_field = 16 << 20}}};
	struct wanted *wanted = &st.wanted;
	struct words args = {0};
	struct words categories = {0};
	const char *usual = NULL; /* the categories without -c, or those to which it adds */
	size_t threads = 0;
	bool gpu;
	bool collectives = false;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'p':
			wanted->phases = str_of(st.opts.arg);
			st.convert.all_phases = false;
			if (wanted->phases.n == 0)
				opts_fail("-p: no phase is given");
			break;
		case 'c':
			opts_set(&st.opts, &categories);
			break;
		case 'a':
			opts_words(&st.opts, &args);
			break;
		case 'A':
			st.all_args = true;
			break;
		case 'P':
			opts_set(&st.opts, &st.processes);
			break;
		case 'g':
			usual = category_gpu;
			break;
		case COLLECTIVES:
			collectives = true;
			break;
		case MEMORY:
			wanted->memory = true;
			break;
		case 'u':
			st.unit = convert_units[opts_second(&st.opts, convert_units[CONVERT_US],
			                                    convert_units[CONVERT_CYCLES])];
			break;
		case 'f':
			wanted->file_column = true;
			break;
		case JOIN_ENDS:
			wanted->join_ends = true;
			break;
		case RANK:
			wanted->rank_column = true;
			st.rank = opts_rank(&st.opts);
			break;
		case MAX_FIELD:
			wanted->json.max_field = opts_size(&st.opts, 256 << 10);
			break;
		case THREADS:
			threads = opts_number(&st.opts, 1);
			if (threads > PARTS_THREADS_MAX)
				opts_fail("--threads: at most %d threads can be used", PARTS_THREADS_MAX);
			break;
		}
	}
	if (collectives)
		usual = collective_categories;
	gpu = usual;
	if (!category_ask(&wanted->categories, &categories, usual))
		opts_fail("-c: %s", wanted->categories.error);
	wanted->asked_gpu =
		usual == category_gpu && (categories.count == 0 || wanted->categories.changes);
	wanted->flows = gpu && st.convert.all_phases;
	wanted->memory_alone = wanted->memory && !gpu && categories.count == 0;
	wanted->by_process = st.processes.count > 0;
	if (!wanted_columns(wanted, gpu, &args))
		fail_column(wanted);
	for (size_t i = 0; collectives && i < sizeof collective_args / sizeof *collective_args; i++)
		wanted_add_member(wanted, str_of(collective_args[i]));
	if (wanted->memory)
		wanted_add_memory(wanted);
	wanted_filter(wanted);
	st.unseen = mem_zero((size_t)st.opts.operands_count + 1, sizeof *st.unseen);
	if (st.all_args)
		look_at_files(&st);
	if (!wanted_file_columns(wanted))
		fail_column(wanted);
	wanted_json(wanted, members, MEMBERS, &st.opts);
	convert_open(&st.convert);
	parts_open(&st.parts, threads);
	for (int i = 0; i < CONVERT_UNITS; i++)
		st.total[i] = (struct balance){.on = st.opts.verbose,
		                               .unit = convert_units[i],
		                               .what = "events",
		                               .reasons = convert_reasons,
		                               .reasons_count = CONVERT_REASONS};

	kev_writer_init(&st.convert.out, &st.opts);
	for (int i = 0; i < st.opts.operands_count; i++)
		read_file(&st, i);
	print_balance(&st);
	if (outcome_is_nothing(&st.all, wanted))
		st.convert.out.status = status_worse(st.convert.out.status, STATUS_LIMIT);
	return kev_finish(&st.convert.out);
}
