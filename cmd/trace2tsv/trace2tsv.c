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
#include "cann.h"
#include "category.h"
#include "choice.h"
#include "device.h"
#include "ends.h"
#include "eventrow.h"
#include "outcome.h"
#include "rocprof.h"
#include "wanted.h"

enum member { DEVICES, ROCTRACER, DISTRIBUTED, BASE_TIME, MEMBERS };

static const char *const members[MEMBERS] = {
	[DEVICES] = "deviceProperties",
	[ROCTRACER] = "roctracer_version",
	[DISTRIBUTED] = "distributedInfo",
	[BASE_TIME] = "baseTimeNanoseconds",
};

/* Why an event is dropped. */
enum reason { CATEGORY, NO_PH, PHASE, PROCESS, JOINED, ALONE, REASONS };

static const char *const reasons[REASONS] = {
	[CATEGORY] = "category",
	[NO_PH] = "no ph",
	[PHASE] = "phase",
	[PROCESS] = "process",
	[JOINED] = "begin, joined to its end",
	[ALONE] = "begin or end without the other",
};
BALANCE_FITS(reasons);

enum unit { US, CYCLES, UNITS };

static const char *const units[UNITS] = {"us", "cycles"};

/* What is known of the file being read. */
struct file {
	const char *name; /* for people */
	bool unit_known;
	enum unit unit;
	bool is_rocprof;
	struct outcome outcome;
	struct buf rank;  /* empty if unknown */
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
	struct kev_writer out;
	struct json_reader
		json; /* reader of a trace; for a file of rocprofv3, holds what its reader gives */
	struct rocprof rocprof;
	bool opened;        /* a file could be opened */
	struct outcome all; /* files that were read */
	bool all_phases;    /* -p was not given: begins and ends should be there */
	struct file file;
	struct device device;
	bool *unseen; /* by operand: the first look of -A could not open it */
	struct choice choice;
	struct cann cann;
	struct ends ends;
	size_t *alone; /* by process: begins and ends without the other so far */
	size_t alone_count;
	size_t alone_cap;
	bool rounded;                /* the warning about digits past the ninth was printed */
	struct balance balance;      /* rows of the file */
	struct balance total[UNITS]; /* rows of all files before it: times of two units are not added */
	struct eventrow row;
	struct buf scratch;
};

enum { MAX_FIELD = OPT_LONG, RANK, JOIN_ENDS, COLLECTIVES, MEMORY };

static const struct opt opts[] = {
	{'p', "ph", "PH", "write these phases, one letter each (default: X)"},
	{'c', "category", "CAT,...", "write only events of these categories; +CAT,...: add to -g"},
	{'a', "add", "ARG[=COL],...", "add columns from args"},
	{'A', "all", NULL, "add a column for each member of args; reads the files twice"},
	{'P', "process", "SUBSTR,...", "write only the first process with one of these in its name"},
	{'g', "gpu", NULL, "write the categories and columns of a PyTorch trace"},
	{COLLECTIVES, "collectives", NULL, "write what kcoll needs: kernels, launches, annotations"},
	{MEMORY, "memory", NULL, "write allocations and frees, beside the events of -g or -c"},
	{'u', "unit", "UNIT", "set the unit of ts and dur: us or cycles"},
	{'f', "file", NULL, "add a column with the file's name"},
	{JOIN_ENDS, "join-ends", NULL, "write one X row for a begin and its end (B and E, b and e)"},
	{RANK, "rank", "[=N]", "add a column with the rank (default N: distributedInfo of the trace)"},
	{MAX_FIELD, "max-field", "BYTES", "fail on a larger value; at least 256K (default: 16M)"},
};

static const struct opt_usage usage = {
	"[-p PH] [-c CAT,...] [-a ARG[=COL],...] [-A] [-P SUBSTR,...] [-g | --collectives]\n"
	"                 [--memory] [-u UNIT] [-f] [--join-ends] [--rank[=N]] [FILE...]",
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
	kev_meta(&st->out, key, &value, 1);
}

static void write_unit(struct state *st, enum unit unit)
{
	if (st->file.unit_known)
		return;
	st->file.unit_known = true;
	st->file.unit = unit;
	meta1(st, "unit", str_of(units[unit]));
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
	warn("%s: distributedInfo: the %s %s is not a whole number; skipped", st->file.name, what,
	     quote(text, value->text.s, value->text.n));
	return false;
}

/* The rank that the trace names; --rank=N goes before it. */
static void found_rank(struct state *st, uint64_t rank)
{
	struct buf *known = &st->file.rank;

	if (st->rank.n == 0) {
		if (st->wanted.rank_column && st->file.outcome.rows)
			kev_die_misuse(&st->out, st->file.name, 0,
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
		warn("%s: the trace is of rank %" PRIu64 "; --rank changes this to %s", st->file.name, rank,
		     st->rank.s);
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
	struct str text = st->json.value[0].text;

	switch ((enum member)st->json.member) {
	case DEVICES:
		device_properties(&st->device, text, &st->out);
		break;
	case ROCTRACER:
		device_roctracer(&st->device, &st->out);
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

static _Noreturn void fail_choice(struct state *st)
{
	kev_die_misuse(&st->out, st->file.name, 0, "%.*s", (int)st->choice.error.len,
	               st->choice.error.data);
}

/* Keeps the line written last or takes it back. True if it waits. */
static bool line_waits(struct state *st, size_t process)
{
	enum choice_line result = choice_settle(&st->choice, process);

	if (result == CHOICE_FAILED)
		fail_choice(st);
	return result == CHOICE_WAITS;
}

/* At the end of a file in which no name matched. */
static void choose_only(struct state *st)
{
	struct str pid;

	if (!choice_make_only(&st->choice, st->opts.strict))
		fail_choice(st);
	pid = strmap_key(&st->choice.pids, st->choice.process);
	warn("%s: no process name matches -P; using the only process, pid %.*s", st->file.name,
	     (int)pid.n, pid.s);
}

/* --- events ---------------------------------------------------------------- */

static struct str value_text(const struct state *st, enum want want)
{
	return json_text(&st->json.value[want]);
}

/* M: the name of a process or thread. */
static void metadata_event(struct state *st, size_t process)
{
	struct str name = value_text(st, WANT_NAME);
	struct str called = value_text(st, WANT_ARGS_NAME);
	struct str pid = value_text(st, WANT_PID);

	device_platform(&st->device, &st->out);
	if (str_equal(name, STR("process_name"))) {
		if (str_has(called, STR("core_trace")))
			write_unit(st, CYCLES);
		if (st->choice.parts && choice_named(&st->choice, pid, called) &&
		    !choice_make(&st->choice, process))
			fail_choice(st);
		kev_meta(&st->out, "process", (struct str[]){pid, called}, 2);
		line_waits(st, process);
	} else if (str_equal(name, STR("thread_name"))) {
		kev_meta(&st->out, "thread", (struct str[]){pid, value_text(st, WANT_TID), called}, 3);
		line_waits(st, process);
	}
}

/* Sets the row to the columns of the event and the file. Returns their number. */
static size_t fill_row(struct state *st, bool metadata)
{
	size_t count = st->wanted.columns;

	eventrow_fill(&st->row, st->json.value, metadata);
	if (st->wanted.rank_column)
		st->row.text[count++] = buf_view(&st->file.rank);
	if (st->wanted.file_column)
		st->row.text[count++] = str_of(st->file.name);
	return count;
}

/* Rounds ts and dur of the row. is_dur: the row's dur is a difference of rounded times. */
static void round_times(struct state *st, bool is_dur)
{
	const char *column = eventrow_round(&st->row);

	if (!column && is_dur)
		column = kev_core[KEV_DUR];
	if (column && !st->rounded)
		warn("%s: byte %llu (event %llu): %s: " DEC_ROUNDED_TEXT, st->file.name,
		     (unsigned long long)st->json.offset, (unsigned long long)st->json.event, column);
	st->rounded |= column != NULL;
}

static _Noreturn void fail_cann(struct state *st)
{
	kev_die(&st->out, st->file.name, 0, "%s", st->cann.error);
}

/* For note_part: nearly all other events say nothing, or are operators. */
static enum cann_role note_ascend(struct state *st, struct str ph)
{
	const struct str thread[] = {value_text(st, WANT_PID), value_text(st, WANT_TID)};
	bool complete = str_equal(ph, STR("X"));
	bool good = true;

	if (st->row.part == EVENTROW_WORK)
		return complete ? CANN_WORK : CANN_NOTHING;
	if (st->row.part == EVENTROW_LAUNCH && ph.n == 1)
		good =
			cann_flow(&st->cann, *ph.s, value_text(st, WANT_ID), thread, value_text(st, WANT_TS));
	if (st->row.part == EVENTROW_CALL && complete)
		good = cann_call(&st->cann, thread, value_text(st, WANT_TS), value_text(st, WANT_DUR),
		                 value_text(st, WANT_CORRELATION));
	if (!good)
		fail_cann(st);
	return st->row.part == EVENTROW_CALL && complete ? CANN_CALL : CANN_NOTHING;
}

/* Notes what the event says of other rows of a trace of Ascend. Returns what its own waits for. */
static inline enum cann_role note_part(struct state *st, struct str ph)
{
	if (st->row.part == EVENTROW_OTHER)
		return CANN_NOTHING;
	if (st->row.part != EVENTROW_OPERATOR)
		return note_ascend(st, ph);
	cann_operator(&st->cann, value_text(st, WANT_PID));
	return CANN_NOTHING;
}

/*
 * Writes the row. False if it waits: for the choice of the process, or, if it has a role or a row
 * before it had, for the end of the file.
 */
static bool put_row(struct state *st, size_t count, size_t process, enum cann_role role)
{
	device_platform(&st->device, &st->out);
	st->file.outcome.rows++;
	kev_row(&st->out, st->row.text, count);
	if (role == CANN_NOTHING && !st->cann.waits)
		return !line_waits(st, process);
	if (!cann_put(&st->cann, role, process, kev_take_back(&st->out)))
		fail_cann(st);
	return false;
}

/* Writes the rows that waited for the end of the file, if the process is chosen. */
static void put_waiting(struct state *st)
{
	size_t process;
	struct str line;
	int got = 0;

	if (!st->choice.parts || st->choice.made)
		got = cann_settle(&st->cann) ? 1 : -1;

	while (got > 0 && (got = cann_next(&st->cann, &process, &line)) > 0) {
		struct str dur = tsv_field(line, KEV_DUR);

		if (choice_drops(&st->choice, process)) {
			balance_drop(&st->balance, PROCESS, dur);
			continue;
		}
		output_str(&st->out.out, line);
		balance_out(&st->balance, dur);
	}
	if (got < 0)
		fail_cann(st);
}

/*
 * With --strict, fails on what end_file only warns of. written: the row is in the output. waits:
 * it waits for the end of the file.
 */
static void check_strict(struct state *st, bool written, bool waits)
{
	const char *what = st->file.outcome.no_ph ? "an event without ph"
	                   : st->all_phases && st->file.outcome.ends
	                       ? "a begin or end is left out; use --join-ends, or -p X"
	                   : st->row.bad_ts    ? "ts is not a number"
	                   : st->row.bad_dur   ? "dur is not a number"
	                   : st->json.replaced ? "a lone surrogate in a string"
	                                       : NULL;

	if (!st->opts.strict || !what)
		return;
	if (written)
		kev_take_back(&st->out);
	st->cann.rows -= waits;
	put_waiting(st);
	kev_die(&st->out, st->file.name, 0, "byte %llu (event %llu): %s",
	        (unsigned long long)st->json.offset, (unsigned long long)st->json.event, what);
}

/* Whether the event is asked for, in any phase; counts it. */
static bool is_asked(struct state *st)
{
	bool asked = eventrow_asked(&st->row, st->json.value);

	st->file.outcome.asked += asked;
	return asked;
}

/* Why an event is dropped; REASONS if it is not. */
static enum reason reason_of(struct state *st, struct str ph, size_t process)
{
	bool asked = is_asked(st);

	if (ph.n == 0 && (st->opts.strict || asked)) {
		st->file.outcome.no_ph++;
		return NO_PH;
	}
	if (!asked)
		return CATEGORY;
	if (wanted_is_memory(&st->wanted, value_text(st, WANT_NAME))) {
		st->file.outcome.memory++;
	} else if (!wanted_phase(&st->wanted, ph, value_text(st, WANT_CAT))) {
		st->file.outcome.ends += ph.n == 1 && strchr(wanted_ends, *ph.s);
		return PHASE;
	}
	return choice_drops(&st->choice, process) ? PROCESS : REASONS;
}

/* --- --join-ends ----------------------------------------------------------- */

/* The place of the process in st->alone. */
static size_t *alone_of(struct state *st, size_t process)
{
	st->alone = mem_grow_zero(st->alone, &st->alone_cap, process + 1, sizeof *st->alone);
	st->alone_count = process < st->alone_count ? st->alone_count : process + 1;
	return &st->alone[process];
}

static void begin(struct state *st, struct str key, size_t process)
{
	bool asked = is_asked(st);

	balance_in(&st->balance, STR(""));
	if (!asked)
		balance_drop(&st->balance, CATEGORY, STR(""));
	ends_begin(&st->ends, key, process, st->row.text, asked ? fill_row(st, false) : 0);
	*alone_of(st, process) += asked;
}

/* The row has the category of the begin, and counts as the row of both. */
static void end(struct state *st, struct str key, size_t process)
{
	size_t count = fill_row(st, false);
	struct str ended = st->row.text[KEV_TS];
	struct str began;
	bool found = ends_end(&st->ends, key, st->row.text, &began);
	bool alone = !found && is_asked(st);
	bool rounded;

	if (!found || !began.s) {
		balance_in(&st->balance, STR(""));
		if (alone)
			++*alone_of(st, process);
		else
			balance_drop(&st->balance, CATEGORY, STR(""));
		return;
	}
	--*alone_of(st, st->ends.process);
	balance_drop(&st->balance, JOINED, STR(""));
	rounded = eventrow_join(&st->row, began, ended);
	balance_in(&st->balance, st->row.text[KEV_DUR]);
	if (choice_drops(&st->choice, process)) {
		balance_drop(&st->balance, PROCESS, st->row.text[KEV_DUR]);
		return;
	}
	round_times(st, rounded);
	if (put_row(st, count, process, CANN_NOTHING))
		balance_out(&st->balance, st->row.text[KEV_DUR]);
}

/*
 * Counts begins and ends without the other at the end of a file, when it is known which process was
 * chosen: -P drops those of another process.
 */
static void end_joining(struct state *st)
{
	for (size_t p = 0; p < st->alone_count; p++) {
		bool dropped = choice_drops(&st->choice, p);

		for (size_t i = 0; i < st->alone[p]; i++)
			balance_drop(&st->balance, dropped ? PROCESS : ALONE, STR(""));
		st->file.outcome.alone += dropped ? 0 : st->alone[p];
	}
	free(st->alone);
	st->alone = NULL;
	st->alone_count = st->alone_cap = 0;
	ends_free(&st->ends);
	if (st->opts.strict && st->file.outcome.alone)
		kev_die(&st->out, st->file.name, 0, "begins or ends without the other: %llu",
		        (unsigned long long)st->file.outcome.alone);
}

/* --- an event ---------------------------------------------------------------- */

/* One that is not a begin or end to be joined. True if it is in the output. */
static bool other_event(struct state *st, struct str ph, bool metadata, size_t process)
{
	struct str dur = str_trim(value_text(st, WANT_DUR));
	enum reason reason;
	enum cann_role role;
	bool written = false;

	balance_in(&st->balance, dur);
	if (metadata)
		metadata_event(st, process);
	reason = reason_of(st, ph, process);
	role = note_part(st, ph);
	if (reason == REASONS) {
		size_t count = fill_row(st, metadata);

		round_times(st, false);
		written = put_row(st, count, process, role);
		if (written)
			balance_out(&st->balance, dur);
	} else {
		balance_drop(&st->balance, reason, dur);
	}
	return written;
}

static void event(struct state *st)
{
	struct str ph = value_text(st, WANT_PH);
	bool joins = st->wanted.join_ends && ph.n == 1 && strchr(wanted_ends, *ph.s);
	struct str track = joins ? eventrow_track(&st->row, st->json.value, *ph.s) : STR("");
	size_t process = 0;
	uint64_t waiting = st->cann.rows;
	bool written = false;

	if (st->choice.parts)
		process =
			choice_number(&st->choice, value_text(st, WANT_PID), joins || str_equal(ph, STR("X")));
	if (!joins)
		written = other_event(
			st, ph, str_equal(json_string_text(&st->json.value[WANT_PH]), STR("M")), process);
	else if (*ph.s == 'B' || *ph.s == 'b')
		begin(st, track, process);
	else
		end(st, track, process);
	check_strict(st, written, st->cann.rows > waiting);
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
		put_waiting(st);
		kev_die(&st->out, st->file.name, 0, "%s", st->json.text.error);
	}
	if (st->file.damages++ < DAMAGES_SHOWN)
		kev_damaged(&st->out, st->file.name, st->json.text.error);
	memcpy(st->file.last_damage, st->json.text.error, sizeof st->file.last_damage);
}

static void warn_of_list(const struct state *st)
{
	char name[QUOTE_MAX];

	quote(name, st->rocprof.unread.data, st->rocprof.unread.len);
	warn("%s: records of an unknown kind are not read: %s", st->file.name, name);
}

static void end_file(struct state *st, bool broken)
{
	bool chosen = !st->choice.parts || st->choice.made;
	uint64_t replaced = st->json.replaced; /* outcome_of_options may read the file again */
	struct category_counts counts = {0};
	bool trace = true;

	st->file.outcome.events = st->json.event;
	outcome_add(&st->all, &st->file.outcome);
	if (!chosen) {
		/* The reason of the failure may be that the names were cut off. */
		if (broken)
			kev_damaged(&st->out, st->file.name, st->json.text.error);
		choose_only(st);
	}
	put_waiting(st);
	device_platform(&st->device, &st->out);
	write_unit(st, US);
	if (st->file.damages > DAMAGES_SHOWN) {
		struct buf what = {0};

		buf_format(&what, "%llu more places are damaged, the last at %s",
		           (unsigned long long)st->file.damages - DAMAGES_SHOWN, st->file.last_damage);
		buf_char(&what, '\0');
		kev_damaged(&st->out, st->file.name, what.data);
		buf_free(&what);
	}
	end_joining(st);
	if (st->file.is_rocprof)
		rocprof_categories(&st->rocprof, &counts);
	if (!broken && !st->file.damages)
		trace = outcome_of_options(&st->file.outcome, &st->row,
		                           st->file.is_rocprof ? &counts : NULL, &st->json, st->file.name);
	category_counts_free(&counts);
	if (st->rocprof.unnamed)
		warn("%s: rows whose name or agent is in no table, written as #NUMBER: %llu", st->file.name,
		     (unsigned long long)st->rocprof.unnamed);
	if (st->rocprof.unread.len)
		warn_of_list(st);
	if (!trace)
		kev_broken(&st->out, st->file.name, 0, "no event has ph, so this is not a trace");
	outcome_left_out(&st->file.outcome, &st->row, replaced, st->file.name);
	if (st->wanted.rank_column && !st->file.rank.len)
		warn("%s: distributedInfo has no rank, so the column is empty; use --rank=N",
		     st->file.name);
	/* Last, so that it ends the output. */
	if (broken && chosen)
		kev_damaged(&st->out, st->file.name, st->json.text.error);
	balance_add(&st->total[st->file.unit], &st->balance);
}

static void begin_file(struct state *st, const char *name)
{
	const struct wanted *wanted = &st->wanted;

	st->file = (struct file){.name = name};
	st->device = (struct device){0};
	st->balance = (struct balance){.on = st->opts.verbose, .reasons_count = REASONS};
	eventrow_begin(&st->row);
	meta1(st, "source", str_of(name));
	if (st->unit)
		write_unit(st, strcmp(st->unit, units[CYCLES]) == 0 ? CYCLES : US);
	if (st->rank.n) {
		buf_str(&st->file.rank, st->rank);
		meta1(st, "rank", st->rank);
	}
	kev_columns(&st->out, wanted->names,
	            wanted->columns + wanted->rank_column + wanted->file_column);
	if (st->processes.count &&
	    !choice_open(&st->choice, &st->processes, &st->out, &st->balance, PROCESS))
		fail_choice(st);
}

/* Another reader goes on with a file of rocprofv3, and gives such items, too. */
static void begin_rocprof(struct state *st, const struct input *in, struct str head)
{
	rocprof_open(&st->rocprof, in, head, &st->wanted);
	st->file.is_rocprof = true;
	st->json.value = st->rocprof.value;
	st->json.foreign = st->json.misused = false;
	if (st->all_args)
		warn("%s: -A finds no args in a file of rocprofv3; name members of its records with -a",
		     st->file.name);
}

static enum json_item next_of_rocprof(struct state *st)
{
	struct rocprof *rocprof = &st->rocprof;
	enum json_item item;

	while ((item = rocprof_next(rocprof)) == JSON_MEMBER)
		rocprof_device(rocprof, &st->device, &st->out);
	st->json.event = rocprof->event;
	st->json.offset = rocprof->offset;
	st->json.replaced = rocprof->replaced;
	st->json.fatal = rocprof->fatal;
	memcpy(st->json.text.error, rocprof->error, sizeof rocprof->error);
	return item;
}

static enum json_item next_item(struct state *st)
{
	enum json_item item;
	struct input in;
	struct buf head = {0};

	if (st->file.is_rocprof)
		return next_of_rocprof(st);
	item = json_next(&st->json);
	if (item != JSON_BROKEN || !st->json.foreign)
		return item;
	json_release(&st->json, &in, &head);
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

	if (!json_open(&st->json, path, &st->wanted.json)) {
		kev_unopened(&st->out, name, st->json.text.error,
		             st->opened || operand + 1 < st->opts.operands_count);
		return;
	}
	st->opened = true;
	if (st->unseen[operand])
		kev_die(&st->out, name, 0, "only the second of two looks could open it; try again");
	begin_file(st, name);
	while ((item = next_item(st)) > JSON_END) {
		if (item == JSON_EVENT)
			event(st);
		else if (item == JSON_MEMBER)
			member(st);
		else
			damaged(st);
	}
	if (st->json.misused && st->opts.strict)
		kev_die_misuse(&st->out, name, 0, "%s", st->json.text.error);
	if (item == JSON_BROKEN && (st->json.fatal || st->opts.strict)) {
		put_waiting(st);
		kev_die(&st->out, name, 0, "%s", st->json.text.error);
	}
	if (st->json.misused)
		kev_misused(&st->out, name, 0, st->json.text.error);
	else if (st->json.foreign)
		kev_broken(&st->out, name, 0, st->json.text.error);
	else
		end_file(st, item == JSON_BROKEN);
	json_close(&st->json);
	cann_close(&st->cann);
	if (st->file.is_rocprof)
		rocprof_close(&st->rocprof);
	choice_close(&st->choice);
	buf_free(&st->file.rank);
}

/* One balance for each unit that has events; without events, the balance of the last file. */
static void print_balance(struct state *st)
{
	for (int i = 0; i < UNITS; i++) {
		bool none = st->total[US].in.rows == 0 && st->total[CYCLES].in.rows == 0;

		if (none ? i == (int)st->file.unit : st->total[i].in.rows > 0)
			balance_print(&st->total[i]);
	}
}

int main(int argc, char **argv)
{
	struct state st = {.all_phases = true,
	                   .wanted = {.phases = STR("X"), .json = {.max_field = 16 << 20}}};
	struct wanted *wanted = &st.wanted;
	struct words args = {0};
	struct words categories = {0};
	const char *usual = NULL; /* the categories without -c, or those to which it adds */
	bool gpu;
	bool collectives = false;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'p':
			wanted->phases = str_of(st.opts.arg);
			st.all_phases = false;
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
			st.unit = units[opts_second(&st.opts, units[US], units[CYCLES])];
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
		}
	}
	if (collectives)
		usual = collective_categories;
	gpu = usual;
	if (!category_ask(&wanted->categories, &categories, usual))
		opts_fail("-c: no category is given after +");
	if (wanted->categories.adds && !gpu)
		opts_fail("-c: + adds to the categories of -g, so give -g, too");
	wanted->asked_gpu = usual == category_gpu && (categories.count == 0 || wanted->categories.adds);
	wanted->flows = gpu && st.all_phases;
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
	eventrow_open(&st.row, wanted);
	for (int i = 0; i < UNITS; i++)
		st.total[i] = (struct balance){.on = st.opts.verbose,
		                               .unit = units[i],
		                               .what = "events",
		                               .reasons = reasons,
		                               .reasons_count = REASONS};

	kev_writer_init(&st.out, &st.opts);
	for (int i = 0; i < st.opts.operands_count; i++)
		read_file(&st, i);
	print_balance(&st);
	if (outcome_is_nothing(&st.all, wanted))
		st.out.status = status_worse(st.out.status, STATUS_LIMIT);
	return kev_finish(&st.out);
}
