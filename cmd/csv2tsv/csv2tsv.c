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
#include "stream/kev.h"

#include "counters.h"
#include "csvcolumns.h"
#include "csvformat.h"
#include "csvrow.h"
#include "csvtwice.h"

/* Why a record is dropped. */
enum reason { NO_TYPE, NO_DISPATCH, SAME_DISPATCH, REASONS };

static const char *const reasons[REASONS] = {"no type", "no ID or name", "the same dispatch again"};
BALANCE_FITS(reasons);

enum { HEADER_LINES = 100 }; /* nsys writes messages before the header */

struct state {
	struct opts opts;
	struct kev_writer out;
	struct balance balance;
	bool table;                       /* --table */
	const char *mapped[CSV_MAPPABLE]; /* -m: the headers that the user chose */
	bool any_mapped;
	enum csv_unit unit; /* -u */
	size_t max_field;
	bool opened;  /* a file could be opened */
	bool rounded; /* the warning about digits past the ninth was printed */
	/* The file being read. */
	const char *file; /* its name, for people */
	struct csv_reader csv;
	struct csv_headers headers; /* headers of the record that is, or may be, the header */
	struct buf header;          /* the record that is the header */
	uint64_t header_line;
	struct csv_layout layout;
	struct csvcolumns columns; /* -a, -A, -f, --rank */
	struct csvrow row;
	struct csvtwice twice;
	struct ttclock clock;
	struct counters counters;
};

enum { MAX_FIELD = OPT_LONG, RANK, TABLE };

static const struct opt opts[] = {
	{'m', "map", "COL=HEADER,...", "take COL from this header; COL may be end: dur is end - ts"},
	{'a', "add", "HEADER[=COL],...", "add columns by their headers"},
	{'A', "all", NULL, "add all other columns of the CSV"},
	{'u', "unit", "ns|us|ms|s", "unit of all times, whatever the header says"},
	{'f', "file", NULL, "add a column with the file's name"},
	{TABLE, "table", NULL, "copy the columns of any CSV, without times"},
	{RANK, "rank", "N", "add a column with this rank"},
	{MAX_FIELD, "max-field", "BYTES", "fail on a larger record; at least 256K (default: 16M)"},
};

static const struct opt_usage usage = {
	"[-m COL=HEADER,...] [-a HEADER[=COL],...] [-A] [-u UNIT] [-f] [--rank=N] [FILE...]\n"
	"       csv2tsv --table [FILE...]",
	"Convert a profiler's CSV of kernels to the kernel-event stream.", opts,
	sizeof opts / sizeof *opts};

/* --- options --------------------------------------------------------------- */

static void add_map(struct state *st, struct str word)
{
	struct str column;
	struct str header;
	bool good = words_pair(word, &column, &header) && header.n;

	for (size_t i = 0; good && i < CSV_MAPPABLE; i++) {
		if (str_equal(str_of(csv_content_names[i]), column)) {
			st->mapped[i] = header.s;
			st->any_mapped = true;
			return;
		}
	}
	opts_fail("-m: '%s' is not COL=HEADER; COL is one of ts dur end type name cat pid tid source",
	          word.s);
}

/* --- the header ----------------------------------------------------------- */

/* What to do about the record at hand, which is no header. */
static const char *advice(const struct state *st)
{
	if (csv_headers_find_any_case(&st->headers, STR("Counter_Name")) >= 0 &&
	    csv_headers_find_any_case(&st->headers, STR("End_Timestamp")) < 0)
		return "these counters have no times; copy them with --table, and kjoin them to the kernel "
			   "trace by Dispatch_Id";
	return st->csv.count > 1 ? "choose columns with -m, or copy the table with --table"
	                         : "let the profiler write CSV, such as nsys stats -f csv";
}

/* No header was found: fails with the first line, and the reason or what to do. */
static _Noreturn void fail_header(struct state *st, const char *first, uint64_t line,
                                  const char *help, const char *missing)
{
	const char *name = st->file;

	if (missing)
		kev_die_misuse(&st->out, name, line, "-m: column '%s' is missing; the first line is %s",
		               missing, first);
	if (st->any_mapped)
		kev_die_misuse(&st->out, name, line,
		               "-m gives no column for dur, nor for ts and end; the first line is %s",
		               first);
	kev_die_misuse(
		&st->out, name, line,
		"no line is a header with a duration and a name or type; %s; the first line is %s", help,
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

/* Reads the next record that is no message, and notes the section. Returns as csv_next. */
static int next_record(struct state *st)
{
	int got;

	while ((got = csv_next(&st->csv)) > 0 && csv_is_message(st->csv.record)) {
		enum csv_section section = csv_section_of(st->csv.record);

		if (section)
			st->row.section = section;
	}
	return got;
}

/* Reads up to the header. Returns as csv_next. */
static int read_header(struct state *st)
{
	char first[QUOTE_MAX] = "";
	const char *missing = NULL; /* the first header of -m that is missing */
	uint64_t first_line = 0;
	const char *help = NULL;
	int got = 0;

	for (int i = 0; i < HEADER_LINES && (got = next_record(st)) > 0; i++) {
		csv_headers_read(&st->headers, &st->csv);
		if (csv_layout_find(&st->layout, &st->headers, st->mapped))
			return 1;
		if (i == 0) {
			struct buf scratch = {0};
			struct str text = csv_rest(&st->csv, 0, &scratch);

			quote(first, text.s, text.n);
			buf_free(&scratch);
			first_line = st->csv.line;
			help = advice(st);
			missing = missing_header(st);
		}
	}
	if (got >= 0 && first_line)
		fail_header(st, first, first_line, help, missing);
	return got;
}

/* --- columns -------------------------------------------------------------- */

static void write_columns(struct state *st)
{
	struct csvcolumns *columns = &st->columns;
	bool good = csvcolumns_choose(columns, &st->layout, &st->headers);

	if (csv_layout_is_aggregate(&st->layout))
		kev_meta(&st->out, "group", columns->name, columns->key_count);
	if (!good)
		kev_die_misuse(&st->out, st->file, st->csv.line, "%.*s", (int)columns->error.len,
		               columns->error.data);
	kev_columns(&st->out, columns->name, columns->count);
}

/* Decides the unit of each time, by -u or by the file. */
static void settle_units(struct state *st)
{
	struct csv_layout *layout = &st->layout;
	enum csv_unit other = CSV_UNKNOWN;
	char quoted[QUOTE_MAX];

	for (enum csv_content i = 0; i < CSV_CONTENTS; i++) {
		if (!csv_layout_has_time(layout, i))
			continue;
		if (!st->unit && !layout->unit[i]) {
			struct str name = csv_headers_name(&st->headers, layout->column[i]);

			kev_die_misuse(
				&st->out, st->file, st->header_line,
				"the unit of the times of %s is unknown; give it with -u ns, us, ms or s",
				quote(quoted, name.s, name.n));
		}
		if (layout->unit[i] != st->unit)
			other = layout->unit[i];
		if (st->unit)
			layout->unit[i] = st->unit;
	}
	if (st->unit && other)
		warn("%s: times are in %s by the header or format; they are read as %s (-u)", st->file,
		     csv_unit_names[other], csv_unit_names[st->unit]);
}

static void warn_of_header(struct state *st)
{
	char quoted[QUOTE_MAX];

	if (st->opts.verbose)
		warn("%s: read as %s", st->file, st->layout.format_name);
	if (st->headers.repeated) {
		struct str name = strmap_key(&st->headers.names, st->headers.example);

		warn("%s: columns with the name of an earlier one, not read: %zu, such as %s", st->file,
		     st->headers.repeated, quote(quoted, name.s, name.n));
	}
	if (st->layout.missing_cycles && st->layout.column[CSV_TS] >= 0)
		warn("%s: column '%s' is missing; ts is HOST START TS, when the host began the operation",
		     st->file, st->layout.missing_cycles);
	if (!csv_layout_has_times(&st->layout))
		warn("%s: the duration column is missing; dur is empty in all rows", st->file);
	if (csv_layout_is_aggregate(&st->layout) || st->layout.by_clock ||
	    st->layout.column[CSV_TS] >= 0)
		return;
	if (st->opts.strict)
		kev_die(&st->out, st->file, st->csv.line, "the start column is missing");
	warn("%s: the start column is missing; ts is 0 in all rows", st->file);
}

/* --- a row ---------------------------------------------------------------- */

/* Fails on what warn_of_rows only warns of, and on short rows. */
static void check_strict(struct state *st)
{
	const char *fault = csvrow_fault(&st->row);

	if (fault)
		kev_die(&st->out, st->file, st->csv.line, "%s", fault);
}

static void warn_rounded(struct state *st)
{
	if (!st->rounded)
		warn("%s:%llu: %s: " DEC_ROUNDED_TEXT, st->file, (unsigned long long)st->csv.line,
		     st->row.rounded);
	st->rounded = true;
}

static void row(struct state *st)
{
	struct csvrow *row = &st->row;
	uint64_t no_dispatch = row->faults.no_dispatch;
	bool good = csvrow_read(row);
	bool is_first = good && row->is_counters && counters_add(&st->counters, row);

	if (st->opts.strict)
		check_strict(st);
	if (good && row->rounded)
		warn_rounded(st);
	balance_in(&st->balance, row->time);
	if (!good) {
		balance_drop(&st->balance, row->faults.no_dispatch > no_dispatch ? NO_DISPATCH : NO_TYPE,
		             row->time);
	} else if (row->is_counters) {
		if (!is_first)
			balance_drop(&st->balance, SAME_DISPATCH, st->counters.gave_dur ? STR("") : row->time);
	} else {
		kev_row(&st->out, row->field, row->count);
		balance_out(&st->balance, row->time);
	}
}

/* Warns of counters whose unit changes with the dispatch: ncu scales each value. */
static void warn_of_units(const struct state *st)
{
	for (size_t i = 0; i < st->counters.extras; i++) {
		struct str header = st->columns.extras[i].header;
		struct str unit = buf_view(&st->counters.unit[i]);
		struct str other = buf_view(&st->counters.other_unit[i]);
		char quoted[3][QUOTE_MAX];

		if (other.n)
			warn("%s: -a: %s is in %s and in %s; run ncu with --print-units base", st->file,
			     quote(quoted[0], header.s, header.n), quote(quoted[1], unit.s, unit.n),
			     quote(quoted[2], other.s, other.n));
	}
}

/* Writes the dispatches of a table of counters. */
static void write_dispatches(struct state *st)
{
	const struct heldrows *rows = &st->counters.rows;
	const struct str *missing = counters_missing(&st->counters);
	struct str *field = st->row.field;
	uint64_t no_dur = 0;

	if (missing)
		kev_die_misuse(&st->out, st->file, st->csv.line,
		               "-a: there is no column and no counter '%.*s'", (int)missing->n, missing->s);
	for (size_t i = 0; i < rows->keys.count; i++) {
		heldrows_get(rows, i, field);
		kev_row(&st->out, field, rows->columns);
		balance_out(&st->balance, field[KEV_DUR]);
		no_dur += field[KEV_DUR].n == 0;
	}
	warn_of_units(st);
	if (no_dur && csv_layout_has_duration_counter(&st->layout))
		warn("%s: kernels without the metric gpu__time_duration.sum or Duration, dur left empty: "
		     "%llu",
		     st->file, (unsigned long long)no_dur);
}

static void warn_unended(const struct state *st, uint64_t line)
{
	warn("%s: line %llu: the last row has no newline; its last value may be cut off", st->file,
	     (unsigned long long)line);
}

/* A row may have fewer fields than the header, and the last row no newline; both is a cut. */
static bool is_cut(const struct state *st, size_t fields)
{
	return st->csv.unended && st->csv.count < fields;
}

/* Makes a row that is cut off an error. Returns as csv_next. */
static int fail_cut(struct state *st, size_t fields)
{
	snprintf(st->csv.error, sizeof st->csv.error,
	         "the last row is cut off: it has %zu of %zu fields, and no newline", st->csv.count,
	         fields);
	return -1;
}

/* --- --table --------------------------------------------------------------- */

/*
 * The columns, each with the name of its header. A column without a name, or with the name of an
 * earlier one, gets a number.
 */
static void write_table_columns(struct state *st)
{
	struct words names = {0};

	for (size_t i = 0; i < st->csv.count; i++) {
		struct str name = str_trim(csv_field(&st->csv, i));
		struct buf other = {0};

		if (name.n && !words_have(&names, name)) {
			words_put(&names, name);
			continue;
		}
		if (!name.n)
			name = STR("column");
		for (size_t n = i + 1; other.len == 0 || words_have(&names, buf_view(&other)); n++) {
			other.len = 0;
			buf_str(&other, name);
			buf_format(&other, ".%zu", n);
		}
		words_put(&names, buf_view(&other));
		buf_free(&other);
	}
	kev_columns(&st->out, names.item, names.count);
	words_free(&names);
}

/* A row of the table has as many fields as the header: missing ones are empty. */
static void write_table_row(struct state *st, struct str *field, size_t count)
{
	size_t found = st->csv.count < count ? st->csv.count : count;

	for (size_t i = 0; i < count; i++)
		field[i] = i < found ? str_trim(csv_field(&st->csv, i)) : STR("");
	st->row.faults.long_rows += st->csv.count > count;
	if (st->csv.count > count && !st->row.faults.first_long)
		st->row.faults.first_long = st->csv.line;
	if (st->opts.strict && st->csv.count != count)
		kev_die(&st->out, st->file, st->csv.line, "%zu fields, but the header has %zu",
		        st->csv.count, count);
	kev_row(&st->out, field, count);
	balance_in(&st->balance, STR(""));
	balance_out(&st->balance, STR(""));
}

/* Copies a CSV. Returns as csv_next at the end. */
static int copy_table(struct state *st)
{
	int got = csv_next(&st->csv);
	size_t count = st->csv.count;
	struct str *field;
	bool unended;
	uint64_t last;

	if (got == 0)
		kev_damaged(&st->out, st->file, "the file is empty");
	if (got <= 0)
		return got;
	write_table_columns(st);
	field = mem_alloc(count, sizeof *field);
	do {
		unended = st->csv.unended;
		last = st->csv.line;
		got = csv_next(&st->csv);
		if (got > 0 && is_cut(st, count))
			got = fail_cut(st, count);
		else if (got > 0)
			write_table_row(st, field, count);
	} while (got > 0);
	if (got == 0 && unended)
		warn_unended(st, last);
	free(field);
	return got;
}

/* --- files --------------------------------------------------------------- */

static void begin_file(struct state *st, const char *name)
{
	st->file = name;
	st->row.faults = (struct csvrow_faults){0}; /* it may have no header, and then no rows */
	st->row.section = CSV_NO_SECTION;
	kev_meta(&st->out, "source", (struct str[]){str_of(name)}, 1);
	if (!st->table)
		kev_meta(&st->out, "unit", (struct str[]){STR("us")}, 1);
	if (st->columns.rank.n)
		kev_meta(&st->out, "rank", &st->columns.rank, 1);
}

/* Reads the record after a header, or the next one if it is a row of units. As csv_next. */
static int after_header(struct state *st)
{
	int got = next_record(st);

	if (got > 0 && csv_layout_units(&st->layout, &st->csv))
		got = next_record(st);
	settle_units(st);
	return got;
}

/*
 * Reads the next row. nvprof writes the header again before its second table, with other units.
 * Returns as csv_next.
 */
static int next_row(struct state *st)
{
	int got = next_record(st);

	while (got > 0 && str_equal(st->csv.record, buf_view(&st->header)))
		got = after_header(st);
	return got;
}

/*
 * Reads all rows for the clocks of their devices, and then the first row again. Takes and returns
 * the result of reading the first row.
 */
static int read_clocks(struct state *st, int got)
{
	struct ttclock *clock = &st->clock;

	ttclock_clear(clock);
	if (!csvtwice_begin(&st->twice, &st->csv))
		return -1;
	for (; got > 0; got = next_row(st)) {
		if (!is_cut(st, st->headers.count))
			csvrow_add_cycles(&st->row, clock);
		if (!csvtwice_keep(&st->twice, &st->csv))
			return -1;
	}
	for (size_t i = 0; st->opts.verbose && i < clock->devices.count; i++) {
		struct str device = strmap_key(&clock->devices, i);
		char quoted[QUOTE_MAX];

		warn("%s: clock of device %s: %llu MHz", st->file, quote(quoted, device.s, device.n),
		     (unsigned long long)ttclock_mhz(clock, i));
	}
	return csvtwice_again(&st->twice, &st->csv, got);
}

/* Reads the rows after the header. Returns as csv_next at the end. */
static int read_rows(struct state *st)
{
	bool unended = st->csv.unended;
	uint64_t last = st->csv.line;
	int got;

	st->header_line = st->csv.line;
	st->header.len = 0;
	buf_str(&st->header, st->csv.record);
	write_columns(st);
	csvrow_begin(&st->row, &st->csv, &st->headers, &st->layout, &st->columns, st->file);
	st->row.clock = &st->clock;
	counters_begin(&st->counters, &st->columns);
	warn_of_header(st);
	got = after_header(st);
	if (st->layout.by_clock)
		got = read_clocks(st, got);
	for (; got > 0; got = next_row(st)) {
		if (is_cut(st, st->headers.count))
			break;
		unended = st->csv.unended;
		last = st->csv.line;
		row(st);
	}
	if (got > 0)
		got = fail_cut(st, st->headers.count);
	if (st->layout.by_clock)
		got = csvtwice_end(&st->twice, &st->csv, got);
	if (got == 0 && unended)
		warn_unended(st, last);
	return got;
}

/* Converts the table of a profiler. Returns as csv_next at the end. */
static int convert(struct state *st)
{
	struct str core[KEV_CORE];
	int got = read_header(st);

	if (got > 0) {
		got = read_rows(st);
		write_dispatches(st);
		return got;
	}
	for (size_t i = 0; i < KEV_CORE; i++)
		core[i] = str_of(kev_core[i]);
	kev_columns(&st->out, core, KEV_CORE);
	if (got == 0)
		kev_damaged(&st->out, st->file, "the file is empty");
	return got;
}

static void warn_of_rows(const char *file, const struct csvrow_faults *faults)
{
	const struct {
		const char *what;
		uint64_t count;
	} rows[] = {
		{"rows without a type, left out", faults->no_type},
		{"rows without an ID or a name, left out", faults->no_dispatch},
		{"rows whose start is not a number, ts left empty", faults->bad_ts},
		{"rows whose duration is not a number, dur left empty", faults->bad_dur},
		{"rows whose start on the host is not a number, host_ts left empty", faults->bad_host_ts},
		{"rows whose total is not a number, total left empty", faults->bad_total},
		{"rows that end before they start, dur below 0", faults->negative},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].count)
			warn("%s: %s: %llu", file, rows[i].what, (unsigned long long)rows[i].count);
	if (faults->long_rows)
		warn("%s: rows with more fields than the header, the rest not read: %llu, the first on "
		     "line %llu",
		     file, (unsigned long long)faults->long_rows, (unsigned long long)faults->first_long);
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
	st->csv.only_csv = true;
	begin_file(st, name);
	got = st->table ? copy_table(st) : convert(st);
	if (st->csv.foreign)
		kev_die_misuse(&st->out, name, st->csv.line, "%s", st->csv.error);
	if (got < 0 && (st->csv.fatal || st->opts.strict))
		kev_die(&st->out, name, st->csv.line, "%s", st->csv.error);
	warn_of_rows(name, &st->row.faults);
	if (got < 0) {
		struct buf what = {0};

		buf_format(&what, "line %llu: %s", (unsigned long long)st->csv.line, st->csv.error);
		buf_char(&what, '\0');
		kev_damaged(&st->out, name, what.data);
		buf_free(&what);
	}
	csv_close(&st->csv);
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
			st.columns.all = true;
			break;
		case 'u':
			st.unit = csv_unit_of(str_of(st.opts.arg));
			if (!st.unit)
				opts_fail("-u: '%s' is none of ns, us, ms, s", st.opts.arg);
			break;
		case 'f':
			st.columns.file = true;
			break;
		case TABLE:
			st.table = true;
			break;
		case RANK:
			st.columns.rank = opts_rank(&st.opts);
			break;
		case MAX_FIELD:
			st.max_field = opts_size(&st.opts, 256 << 10);
			break;
		}
	}
	for (size_t i = 0; i < maps.count; i++)
		add_map(&st, maps.item[i]);
	for (size_t i = 0; i < extras.count; i++)
		if (!csvcolumns_add(&st.columns, extras.item[i]))
			opts_fail("-a: '%s' is not HEADER or HEADER=COL", extras.item[i].s);
	if (st.table && (maps.count || extras.count || st.columns.all || st.columns.file ||
	                 st.columns.rank.n || st.unit))
		opts_fail(
			"--table copies all columns as they are; leave out -m, -a, -A, -u, -f and --rank");
	st.balance.on = st.opts.verbose;

	kev_writer_init(&st.out, &st.opts);
	for (int i = 0; i < st.opts.operands_count; i++)
		read_file(&st, i);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
