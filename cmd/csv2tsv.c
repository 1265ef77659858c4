/*
 * csv2tsv - a profiler's CSV of kernels to the kernel-event stream, kev(5).
 *
 *	Name,Type,Accelerator Core,Start Time(us),Duration(us)
 *	aclnnMatmul_1,MatMulV2,AI_CORE,1716543210123506.500,22.747
 * gives
 *	#ts	dur	type	name	cat	ph	pid	tid	source
 *	1716543210123506.500	22.747	MatMulV2	aclnnMatmul_1	AI_CORE	X
 *
 * Memory grows with the longest record, and with the dispatches of a table of counters.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stream/balance.h"
#include "stream/heldrows.h"
#include "stream/kev.h"
#include "stream/partial.h"
#include "syntax/csvformat.h"

/* The words of -m. */
static const char *const content_names[CSV_MAPPABLE] = {"ts",  "dur", "end", "type",  "name",
                                                        "cat", "pid", "tid", "source"};

/* Why a record is dropped. */
enum reason { NO_TYPE, SAME_DISPATCH, REASONS };

static const char *const reasons[REASONS] = {"no type", "the same dispatch again"};
BALANCE_FITS(reasons);

enum { HEADER_LINES = 100 }; /* nsys writes messages before the header */

/* A further column: its header in the CSV and its name in the stream. */
struct extra {
	const char *header; /* or a counter */
	const char *name;
	bool seen; /* the counter has a value in this file */
};

/* What is known of the file being read. */
struct file {
	const char *name; /* for people */
	struct csv_layout layout;
	bool counters;
	bool aggregate;
	uint64_t header_line;
	uint64_t no_type;
	uint64_t bad_ts;
	uint64_t bad_dur;
	uint64_t bad_total;
	uint64_t negative; /* end before they start */
	uint64_t long_rows;
	uint64_t first_long; /* its line */
};

struct state {
	struct opts opts;
	struct kev_writer out;
	struct balance balance;
	const char *mapped[CSV_MAPPABLE]; /* -m: the headers that the user chose */
	bool any_mapped;
	struct extra *extras; /* -a */
	size_t extras_count;
	bool all;        /* -A */
	struct str rank; /* --rank; empty: no column */
	bool file_column;
	enum csv_unit unit; /* -u */
	size_t max_field;
	bool opened; /* one of the files could be opened */
	struct csv_reader csv;
	struct csv_headers headers; /* of the record that is, or may be, the header */
	struct file file;
	int *others; /* columns of the CSV for -a, or -1 for its counters, and then for -A */
	size_t others_count;
	struct str *row;
	size_t row_count;
	struct heldrows dispatches; /* of a table of counters */
	struct buf ts;
	struct buf dur;
	struct buf figures[PARTIAL_VALUES]; /* of an aggregate's row, as text */
	struct buf rest;
	struct buf scratch;
};

enum { MAX_FIELD = OPT_LONG, RANK };

static const struct opt opts[] = {
	{'m', "map", "COL=HEADER,...", "take COL from this header; COL may be end: dur is end - ts"},
	{'a', "arg", "HEADER[=COL],...", "add columns by their headers"},
	{'A', "all", NULL, "add all other columns of the CSV"},
	{'u', "unit", "ns|us|ms|s", "unit of all times, whatever the header says"},
	{'f', "file", NULL, "add a column with the file's name"},
	{RANK, "rank", "N", "add a column with this rank"},
	{MAX_FIELD, "max-field", "BYTES", "fail on a larger record; at least 256K (default: 16M)"},
};

static const struct opt_usage usage = {
	"[-m COL=HEADER,...] [-a HEADER[=COL],...] [-A] [-u UNIT] [-f] [--rank=N] [FILE...]",
	"Convert a profiler's CSV of kernels to the kernel-event stream.", opts,
	sizeof opts / sizeof *opts};

/* --- the header ---------------------------------------------------------- */

/* Whether a column of this content has no place in the stream but for -a and -A. */
static bool is_left_out(enum csv_content content)
{
	return content == CSV_DISPATCH || content == CSV_PROCESS;
}

/* By column of the CSV: whether it is already in the stream, by the format or by -a. */
static bool *taken_columns(const struct state *st)
{
	bool *taken = mem_zero(st->csv.count, sizeof *taken);

	for (enum csv_content i = 0; i < CSV_CONTENTS; i++)
		if (st->file.layout.column[i] >= 0 && !is_left_out(i))
			taken[st->file.layout.column[i]] = true;
	for (size_t i = 0; i < st->extras_count; i++)
		if (st->others[i] >= 0)
			taken[st->others[i]] = true;
	return taken;
}

static void check_names(struct state *st, const struct str *names, size_t count)
{
	struct strmap seen = {0};
	char name[QUOTE_MAX];

	for (size_t i = 0; i < count; i++) {
		bool new;

		strmap_add(&seen, names[i], &new);
		if (!new)
			kev_die(&st->out, st->file.name, st->csv.line,
			        "two columns are named %s; rename one with -a HEADER=COL",
			        quote(name, names[i].s, names[i].n));
	}
	strmap_free(&seen);
}

/* --rank and -f. */
static size_t add_own(const struct state *st, struct str *names, size_t count)
{
	if (st->rank.n)
		names[count++] = STR("rank");
	if (st->file_column)
		names[count++] = STR("file");
	return count;
}

/* -a, and then all others with -A. */
static size_t add_others(struct state *st, struct str *names, size_t count)
{
	bool *taken;

	for (size_t i = 0; i < st->extras_count; i++) {
		int column = csv_headers_find(&st->headers, str_of(st->extras[i].header));

		if (column < 0 && !st->file.counters)
			kev_die(&st->out, st->file.name, st->csv.line, "-a: column '%s' is missing",
			        st->extras[i].header);
		names[count++] = str_of(st->extras[i].name);
		st->others[st->others_count++] = column;
	}
	taken = taken_columns(st);
	for (size_t i = 0; st->all && i < st->csv.count; i++) {
		struct str name = str_trim(csv_field(&st->csv, i));

		/* Spreadsheets add columns without a name at the end. */
		if (name.n == 0 || taken[i] || csv_headers_find(&st->headers, name) != (int)i)
			continue;
		names[count++] = name;
		st->others[st->others_count++] = (int)i;
	}
	free(taken);
	return count;
}

/* The key of a partial table, and its figures. */
static size_t add_aggregate(struct state *st, struct str *names)
{
	size_t count = 0;

	for (enum csv_content i = CSV_TYPE; i <= CSV_TID; i++)
		if (st->file.layout.column[i] >= 0)
			names[count++] = str_of(content_names[i]);
	count = add_own(st, names, count);
	kev_meta(&st->out, "group", names, count);
	for (size_t i = 0; i < PARTIAL_VALUES; i++)
		names[count++] = str_of(partial_columns[i]);
	return count;
}

static size_t add_core(struct str *names)
{
	for (size_t i = 0; i < KEV_CORE; i++)
		names[i] = str_of(kev_core[i]);
	return KEV_CORE;
}

static void write_columns(struct state *st)
{
	size_t room = KEV_CORE + st->csv.count + st->extras_count + 2;
	struct str *names = mem_alloc(room, sizeof *names);
	size_t count;

	st->others = mem_resize(st->others, room, sizeof *st->others);
	st->others_count = 0;
	st->row = mem_resize(st->row, room, sizeof *st->row);
	count = st->file.aggregate ? add_aggregate(st, names) : add_core(names);
	count = add_others(st, names, count);
	if (!st->file.aggregate)
		count = add_own(st, names, count);
	check_names(st, names, count);
	kev_columns(&st->out, names, count);
	heldrows_begin(&st->dispatches, count);
	free(names);
}

/* --- rows ---------------------------------------------------------------- */

/* A value without spaces and tabs around it; empty if the record is too short. */
static struct str value(struct state *st, int column)
{
	if (column < 0 || (size_t)column >= st->csv.count)
		return STR("");
	if (column == st->file.layout.column[CSV_NAME] && st->csv.count > st->headers.count &&
	    csv_layout_name_takes_rest(&st->file.layout, st->headers.count))
		return str_trim(csv_rest(&st->csv, (size_t)column, &st->rest));
	return str_trim(csv_field(&st->csv, (size_t)column));
}

/* Sets out to a time in us; empty, and counted as bad, if it is not a number. */
static void put_time(struct state *st, struct buf *out, enum csv_content content, uint64_t *bad)
{
	struct str text = value(st, st->file.layout.column[content]);

	out->len = 0;
	if (!csv_microseconds(out, text, st->file.layout.unit[content])) {
		out->len = 0;
		++*bad;
	}
}

/* dur = end - ts, for a file without durations. */
static void put_difference(struct state *st)
{
	struct buf end = {0};
	struct dec start;
	struct dec dur;
	uint64_t bad = 0;

	st->dur.len = 0;
	put_time(st, &end, CSV_END, &bad);
	if (st->ts.len && dec_parse(buf_view(&st->ts), &start) == DEC_OK &&
	    dec_parse(buf_view(&end), &dur) == DEC_OK && dec_subtract(&dur, start)) {
		dec_print(&st->dur, dur);
		st->file.negative += dur.nano < 0;
	} else {
		st->file.bad_dur++;
	}
	buf_free(&end);
}

static void put_times(struct state *st)
{
	struct file *file = &st->file;

	/* If the start column is missing, read_rows has warned that all starts are 0. */
	st->ts.len = 0;
	if (file->layout.column[CSV_TS] < 0)
		buf_char(&st->ts, '0');
	else
		put_time(st, &st->ts, CSV_TS, &file->bad_ts);
	if (file->layout.column[CSV_DUR] >= 0)
		put_time(st, &st->dur, CSV_DUR, &file->bad_dur);
	else
		put_difference(st);
}

/* With --strict, fails on what end_file only warns of, and on short rows. */
static void check_strict(struct state *st)
{
	const struct file *file = &st->file;
	/* A time that is missing from a ragged row is the lesser fault. */
	const char *what = file->no_type     ? "type is missing"
	                   : file->long_rows ? "the row has more fields than the header"
	                   : st->csv.count < st->headers.count
	                       ? "the row has fewer fields than the header"
	                   : file->bad_ts    ? "the start is not a number"
	                   : file->bad_dur   ? "the duration is not a number"
	                   : file->bad_total ? "the total is not a number"
	                                     : NULL;

	if (st->opts.strict && what)
		kev_die(&st->out, file->name, st->csv.line, "%s", what);
}

static void put(struct state *st, struct str text)
{
	st->row[st->row_count++] = text;
}

static void put_own(struct state *st)
{
	if (st->rank.n)
		put(st, st->rank);
	if (st->file_column)
		put(st, str_of(st->file.name));
}

static void put_others(struct state *st)
{
	for (size_t i = 0; i < st->others_count; i++)
		put(st, value(st, st->others[i]));
}

static void put_event(struct state *st, struct str type)
{
	const int *column = st->file.layout.column;
	struct str name = value(st, column[CSV_NAME]);

	st->row_count = 0;
	put(st, buf_view(&st->ts));
	put(st, buf_view(&st->dur));
	put(st, type);
	put(st, name);
	put(st,
	    column[CSV_CAT] < 0 ? csv_layout_cat(&st->file.layout, name) : value(st, column[CSV_CAT]));
	put(st, STR("X"));
	put(st, value(st, column[CSV_PID]));
	put(st, value(st, column[CSV_TID]));
	put(st, value(st, column[CSV_SOURCE]));
	put_others(st);
	put_own(st);
}

/* A row of a partial table of kgroup. The times that it lacks are empty. */
static void aggregate_row(struct state *st)
{
	static const enum csv_content times[] = {
		[PARTIAL_TOTAL] = CSV_TOTAL, [PARTIAL_MIN] = CSV_MIN, [PARTIAL_MAX] = CSV_MAX};
	const int *column = st->file.layout.column;
	uint64_t other = 0;

	st->row_count = 0;
	for (enum csv_content i = CSV_TYPE; i <= CSV_TID; i++)
		if (column[i] >= 0)
			put(st, value(st, column[i]));
	put_own(st);
	put(st, value(st, column[CSV_COUNT]));
	for (size_t i = PARTIAL_TOTAL; i <= PARTIAL_MAX; i++) {
		put_time(st, &st->figures[i], times[i], i == PARTIAL_TOTAL ? &st->file.bad_total : &other);
		put(st, buf_view(&st->figures[i]));
	}
	put_others(st);
	check_strict(st);
	balance_in(&st->balance, buf_view(&st->figures[PARTIAL_TOTAL]));
	balance_out(&st->balance, buf_view(&st->figures[PARTIAL_TOTAL]));
	kev_row(&st->out, st->row, st->row_count);
}

/* --- tables of counters ---------------------------------------------------- */

/* Rows of one dispatch of a process on a device have equal keys. */
static struct str dispatch_key(struct state *st)
{
	static const enum csv_content parts[] = {CSV_DISPATCH, CSV_PROCESS, CSV_PID};

	st->scratch.len = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		buf_char(&st->scratch, '\t');
		buf_str(&st->scratch, value(st, st->file.layout.column[parts[i]]));
	}
	return buf_view(&st->scratch);
}

/* Takes the value of the counter for the columns of -a that name it. */
static void take_counter(struct state *st, size_t dispatch)
{
	struct str counter = value(st, st->file.layout.column[CSV_COUNTER]);

	for (size_t i = 0; i < st->extras_count; i++) {
		struct extra *extra = &st->extras[i];

		if (st->others[i] >= 0 || !str_equal(counter, str_of(extra->header)))
			continue;
		extra->seen = true;
		heldrows_fill(&st->dispatches, dispatch, KEV_CORE + i,
		              value(st, st->file.layout.column[CSV_VALUE]));
	}
}

static void counter_row(struct state *st)
{
	bool new;
	size_t dispatch = heldrows_add(&st->dispatches, dispatch_key(st), st->row, &new);

	take_counter(st, dispatch);
	if (!new)
		balance_drop(&st->balance, SAME_DISPATCH, buf_view(&st->dur));
}

/* Writes the dispatches of a file, in the order of their first rows. */
static void release(struct state *st)
{
	struct heldrows *rows = &st->dispatches;

	for (size_t i = 0; i < st->extras_count; i++) {
		if (st->others[i] < 0 && !st->extras[i].seen)
			kev_die(&st->out, st->file.name, st->csv.line,
			        "-a: there is no column and no counter '%s'", st->extras[i].header);
		st->extras[i].seen = false;
	}
	for (size_t i = 0; i < rows->keys.count; i++) {
		heldrows_get(rows, i, st->row);
		kev_row(&st->out, st->row, rows->columns);
		balance_out(&st->balance, st->row[KEV_DUR]);
	}
}

/* --- any row --------------------------------------------------------------- */

static void event_row(struct state *st)
{
	struct file *file = &st->file;
	int type_column = file->layout.column[CSV_TYPE];
	struct str type = value(st, type_column);
	uint64_t bad_ts = file->bad_ts;
	uint64_t bad_dur = file->bad_dur;

	put_times(st);
	balance_in(&st->balance, buf_view(&st->dur));
	if (type_column >= 0 && type.n == 0) {
		/* The times of a row that is left out are not reported. */
		file->bad_ts = bad_ts;
		file->bad_dur = bad_dur;
		file->no_type++;
		balance_drop(&st->balance, NO_TYPE, buf_view(&st->dur));
		check_strict(st);
		return;
	}
	check_strict(st);
	/* Level0 of torch_npu writes no types; its kernels did run. */
	put_event(st, str_equal(type, STR("N/A")) ? STR("") : type);
	if (file->counters) {
		counter_row(st);
		return;
	}
	kev_row(&st->out, st->row, st->row_count);
	balance_out(&st->balance, buf_view(&st->dur));
}

static void row(struct state *st)
{
	struct file *file = &st->file;

	if (st->csv.count > st->headers.count &&
	    !csv_layout_name_takes_rest(&file->layout, st->headers.count)) {
		if (file->long_rows++ == 0)
			file->first_long = st->csv.line;
	}
	if (file->aggregate)
		aggregate_row(st);
	else
		event_row(st);
}

/* --- files --------------------------------------------------------------- */

/* No header was found: fails with the first line and the reason. */
static _Noreturn void fail_header(struct state *st, const char *first, uint64_t line,
                                  const char *missing)
{
	const char *name = st->file.name;

	if (first[1] == '{' || first[1] == '[')
		kev_die(&st->out, name, line, "this is JSON, not CSV; convert it with trace2tsv");
	if (missing)
		kev_die(&st->out, name, line, "-m: column '%s' is missing; the first line is %s", missing,
		        first);
	if (st->any_mapped)
		kev_die(&st->out, name, line,
		        "-m gives no column for dur, nor for ts and end; the first line is %s", first);
	kev_die(&st->out, name, line,
	        "no line is a header with a duration and a name or type; choose columns with -m; the "
	        "first line is %s",
	        first);
}

/* The first header of -m that the record at hand lacks, or NULL. */
static const char *missing_header(const struct state *st)
{
	for (size_t i = 0; i < CSV_MAPPABLE; i++)
		if (st->mapped[i] && csv_headers_find(&st->headers, str_of(st->mapped[i])) < 0)
			return st->mapped[i];
	return NULL;
}

/* Reads up to the header. Returns as csv_next. */
static int read_header(struct state *st)
{
	char first[QUOTE_MAX] = "";
	const char *missing = NULL; /* the first header of -m that is missing */
	uint64_t first_line = 0;
	int got = 0;

	for (int i = 0; i < HEADER_LINES && (got = csv_next(&st->csv)) > 0; i++) {
		csv_headers_read(&st->headers, &st->csv);
		if (csv_layout_find(&st->file.layout, &st->headers, st->mapped))
			return 1;
		if (i == 0) {
			struct str text = csv_rest(&st->csv, 0, &st->rest);

			quote(first, text.s, text.n);
			first_line = st->csv.line;
			missing = missing_header(st);
		}
	}
	if (got >= 0 && first_line)
		fail_header(st, first, first_line, missing);
	return got;
}

static void begin_file(struct state *st, const char *name)
{
	st->file = (struct file){.name = name};
	kev_meta(&st->out, "source", (struct str[]){str_of(name)}, 1);
	kev_meta(&st->out, "unit", (struct str[]){STR("us")}, 1);
	if (st->rank.n)
		kev_meta(&st->out, "rank", &st->rank, 1);
}

/* Decides the unit of each time, by -u or by the file. */
static void settle_units(struct state *st)
{
	struct csv_layout *layout = &st->file.layout;
	enum csv_unit other = CSV_UNKNOWN;
	char quoted[QUOTE_MAX];

	for (enum csv_content i = 0; i < CSV_CONTENTS; i++) {
		if (!csv_layout_has_time(layout, i))
			continue;
		if (!st->unit && !layout->unit[i]) {
			struct str name = csv_headers_name(&st->headers, layout->column[i]);

			kev_die(&st->out, st->file.name, st->file.header_line,
			        "the unit of the times of %s is unknown; give it with -u ns, us, ms or s",
			        quote(quoted, name.s, name.n));
		}
		if (layout->unit[i] != st->unit)
			other = layout->unit[i];
		if (st->unit)
			layout->unit[i] = st->unit;
	}
	if (st->unit && other)
		warn("%s: times are in %s by the header or format; they are read as %s (-u)", st->file.name,
		     csv_unit_names[other], csv_unit_names[st->unit]);
}

static void warn_of_header(struct state *st)
{
	const struct file *file = &st->file;
	char quoted[QUOTE_MAX];

	if (st->opts.verbose)
		warn("%s: read as %s", file->name, file->layout.format_name);
	if (st->headers.repeated) {
		struct str name = strmap_key(&st->headers.names, st->headers.example);

		warn("%s: columns with the name of an earlier one, not read: %zu, such as %s", file->name,
		     st->headers.repeated, quote(quoted, name.s, name.n));
	}
	if (file->aggregate || file->layout.column[CSV_TS] >= 0)
		return;
	if (st->opts.strict)
		kev_die(&st->out, file->name, st->csv.line, "the start column is missing");
	warn("%s: the start column is missing; ts is 0 in all rows", file->name);
}

/* Reads the rows after the header. Returns as csv_next at the end. */
static int read_rows(struct state *st)
{
	bool units;
	int got;

	st->file.header_line = st->csv.line;
	st->file.counters = csv_layout_is_counters(&st->file.layout);
	st->file.aggregate = csv_layout_is_aggregate(&st->file.layout);
	write_columns(st);
	warn_of_header(st);
	got = csv_next(&st->csv);
	units = got > 0 && csv_layout_units(&st->file.layout, &st->csv);
	settle_units(st);
	for (got = units ? csv_next(&st->csv) : got; got > 0; got = csv_next(&st->csv)) {
		/* A row may be short, and the last one may have no newline; both together is a cut. */
		if (st->csv.unended && st->csv.count < st->headers.count) {
			snprintf(st->csv.error, sizeof st->csv.error,
			         "the last row is cut off: it has %zu of %zu fields, and no newline",
			         st->csv.count, st->headers.count);
			return -1;
		}
		row(st);
	}
	return got;
}

static void warn_of_rows(const struct file *file)
{
	const struct {
		const char *what;
		uint64_t count;
	} rows[] = {
		{"rows without a type, left out", file->no_type},
		{"rows whose start is not a number, ts left empty", file->bad_ts},
		{"rows whose duration is not a number, dur left empty", file->bad_dur},
		{"rows whose total is not a number, total left empty", file->bad_total},
		{"rows that end before they start, dur below 0", file->negative},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].count)
			warn("%s: %s: %llu", file->name, rows[i].what, (unsigned long long)rows[i].count);
	if (file->long_rows)
		warn("%s: rows with more fields than the header, the rest not read: %llu, the first on "
		     "line %llu",
		     file->name, (unsigned long long)file->long_rows, (unsigned long long)file->first_long);
}

static void read_file(struct state *st, int operand)
{
	const char *path = st->opts.operands[operand];
	const char *name = opts_name(&st->opts, path);
	int got;

	if (!csv_open(&st->csv, path, st->max_field)) {
		kev_unopened(&st->out, name, st->csv.error,
		             st->opened || operand + 1 < st->opts.operands_count);
		return;
	}
	st->opened = true;
	begin_file(st, name);
	got = read_header(st);
	if (got > 0) {
		got = read_rows(st);
		release(st);
	} else {
		struct str core[KEV_CORE];

		for (size_t i = 0; i < KEV_CORE; i++)
			core[i] = str_of(kev_core[i]);
		kev_columns(&st->out, core, KEV_CORE);
		if (got == 0)
			kev_damaged(&st->out, name, "the file is empty");
	}
	if (got < 0 && (st->csv.fatal || st->opts.strict))
		kev_die(&st->out, name, st->csv.line, "%s", st->csv.error);
	warn_of_rows(&st->file);
	if (got < 0) {
		struct buf what = {0};

		buf_format(&what, "line %llu: %s", (unsigned long long)st->csv.line, st->csv.error);
		buf_char(&what, '\0');
		kev_damaged(&st->out, name, what.data);
		buf_free(&what);
	}
	csv_close(&st->csv);
}

/* --- options --------------------------------------------------------------- */

static void add_map(struct state *st, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t n = equals ? (size_t)(equals - word) : 0;

	for (size_t i = 0; i < CSV_MAPPABLE; i++) {
		if (n && equals[1] && strlen(content_names[i]) == n &&
		    memcmp(content_names[i], word, n) == 0) {
			st->mapped[i] = equals + 1;
			st->any_mapped = true;
			return;
		}
	}
	opts_fail("-m: '%s' is not COL=HEADER; COL is one of ts dur end type name cat pid tid source",
	          word);
}

static void add_extra(struct state *st, struct str word)
{
	const char *equals = memchr(word.s, '=', word.n);
	struct extra extra = {.header = word.s, .name = word.s};

	if (equals && (equals == word.s || !equals[1]))
		opts_fail("-a: '%s' is not HEADER or HEADER=COL", word.s);
	if (equals) {
		extra.header = mem_string(word.s, (size_t)(equals - word.s));
		extra.name = equals + 1;
	}
	st->extras = mem_resize(st->extras, st->extras_count + 1, sizeof *st->extras);
	st->extras[st->extras_count++] = extra;
}

int main(int argc, char **argv)
{
	struct state st = {
		.balance = {.unit = "us", .what = "rows", .reasons = reasons, .reasons_count = REASONS},
		.max_field = 16 << 20};
	struct words maps = {0};
	struct words extras = {0};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'm':
			opts_words(&st.opts, &maps);
			break;
		case 'a':
			opts_words(&st.opts, &extras);
			break;
		case 'A':
			st.all = true;
			break;
		case 'u':
			st.unit = csv_unit_of(str_of(st.opts.arg));
			if (!st.unit)
				opts_fail("-u: '%s' is none of ns, us, ms, s", st.opts.arg);
			break;
		case 'f':
			st.file_column = true;
			break;
		case RANK:
			st.rank = opts_rank(&st.opts);
			break;
		case MAX_FIELD:
			st.max_field = opts_size(&st.opts, 256 << 10);
			break;
		}
	}
	for (size_t i = 0; i < maps.count; i++)
		add_map(&st, maps.item[i].s);
	for (size_t i = 0; i < extras.count; i++)
		add_extra(&st, extras.item[i]);
	st.balance.on = st.opts.verbose;

	kev_writer_init(&st.out, &st.opts);
	for (int i = 0; i < st.opts.operands_count; i++)
		read_file(&st, i);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
