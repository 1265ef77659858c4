/*
 * csv2tsv - a profiler's CSV of kernels to the kernel-event stream, kev(5).
 *
 *	Name,Type,Accelerator Core,Start Time(us),Duration(us)
 *	aclnnMatmul_1,MatMulV2,AI_CORE,1716543210123506.500,22.747
 * gives
 *	#ts	dur	type	name	cat	ph	pid	tid	source
 *	1716543210123506.500	22.747	MatMulV2	aclnnMatmul_1	AI_CORE	X
 *
 * Memory is constant: it grows with the longest record alone.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "syntax/csv.h"

/* What a column of the stream is filled from. */
enum field { TS, DUR, END, TYPE, NAME, CAT, PID, TID, SOURCE, FIELDS };

static const char *const field_names[FIELDS] = {"ts",  "dur", "end", "type",  "name",
                                                "cat", "pid", "tid", "source"};

enum { SPELLINGS = 3 };

/* A profiler's file, known by its header. */
struct format {
	const char *name;
	const char *headers[FIELDS][SPELLINGS]; /* of each column, in its versions */
	bool nanoseconds;
	bool name_last; /* an unquoted last name takes the rest of the line */
};

/* The names come from the files themselves; kev(5) and csv2tsv(1) list them. */
static const struct format formats[] = {
	{.name = "torch_npu kernel_details.csv",
     .headers = {[TS] = {"Start Time(us)"},
                 [DUR] = {"Duration(us)"},
                 [TYPE] = {"Type"},
                 [NAME] = {"Name"},
                 [CAT] = {"Accelerator Core"},
                 [PID] = {"Device_id"},
                 [TID] = {"Stream ID"}}},
	{.name = "msprof op_summary.csv",
     .headers = {[TS] = {"Task Start Time(us)", "Task Start Time"},
                 [DUR] = {"Task Duration(us)"},
                 [TYPE] = {"OP Type"},
                 [NAME] = {"Op Name"},
                 [CAT] = {"Task Type"},
                 [PID] = {"Device_id"},
                 [TID] = {"Stream ID"}}},
	{.name = "rocprofv3 kernel trace",
     .headers = {[TS] = {"Start_Timestamp"},
                 [END] = {"End_Timestamp"},
                 [NAME] = {"Kernel_Name"},
                 [CAT] = {"Kind"},
                 [PID] = {"Agent_Id"},
                 [TID] = {"Queue_Id"}},
     .nanoseconds = true},
	{.name = "nsys cuda_gpu_trace",
     .headers = {[TS] = {"Start (ns)"},
                 [DUR] = {"Duration (ns)"},
                 [NAME] = {"Name"},
                 [PID] = {"Device"},
                 [TID] = {"Strm"}},
     .nanoseconds = true,
     .name_last = true},
};

enum { FORMATS = sizeof formats / sizeof *formats };

/* Why a record gives no row. */
enum reason { NO_TYPE, REASONS };

static const char *const reasons[REASONS] = {"no type"};

enum { HEADER_LINES = 100 }; /* nsys puts messages of its own before the header */

/* A further column: its header in the CSV and its name in the stream. */
struct extra {
	const char *header;
	const char *name;
};

struct state {
	struct opts opts;
	struct kev_writer out;
	struct balance balance;
	const char *mapped[FIELDS]; /* -m: headers that the user names */
	bool any_mapped;
	struct extra *extras; /* -a */
	size_t extras_count;
	bool all; /* -A */
	bool file_column;
	size_t max_field;
	/* The file being read. */
	struct csv_reader csv;
	const struct format *format;
	int column[FIELDS]; /* its column for each field, -1 */
	int *others;        /* columns behind the core ones */
	size_t others_count;
	struct str *row;
	struct buf shifted; /* a time in ns, on its way to us */
	size_t header_count;
	uint64_t no_type;
	uint64_t bad_ts;
	uint64_t bad_dur;
	uint64_t negative; /* end before they start */
	uint64_t long_rows;
	uint64_t first_long;
	struct buf ts;
	struct buf dur;
	struct buf rest;
};

enum { MAX_FIELD = OPT_LONG };

static const struct opt opts[] = {
	{'m', "map", "COL=HEADER,...",
     "take COL from this header; COL may also be end, which is ts + dur"},
	{'a', "arg", "HEADER[=COL],...", "further columns, by their headers"},
	{'A', "all", NULL, "all further columns of the CSV"},
	{'f', "file", NULL, "add a column with the file's name"},
	{MAX_FIELD, "max-field", "BYTES", "the largest record, at least 256K (16M)"},
};

static const struct opt_usage usage = {
	"[-m COL=HEADER,...] [-a HEADER[=COL],...] [-A] [-f] [FILE...]",
	"A profiler's CSV of kernels to the kernel-event stream.", opts, sizeof opts / sizeof *opts};

/* --- the header ---------------------------------------------------------- */

static int find_header(struct state *st, const char *name)
{
	for (size_t i = 0; i < st->csv.count; i++)
		if (str_equal(str_trim(csv_field(&st->csv, i)), str_of(name)))
			return (int)i;
	return -1;
}

/* The columns of this format that the header has. Gives how many. */
static size_t bind_format(struct state *st, const struct format *format)
{
	size_t found = 0;

	for (size_t i = 0; i < FIELDS; i++) {
		st->column[i] = -1;
		for (size_t j = 0; j < SPELLINGS && st->column[i] < 0; j++)
			if (format->headers[i][j])
				st->column[i] = find_header(st, format->headers[i][j]);
		found += st->column[i] >= 0;
	}
	st->format = format;
	return found;
}

/* The headers that -m names go before those of the format. Gives the first that is not there. */
static const char *bind_mapped(struct state *st)
{
	for (size_t i = 0; i < FIELDS; i++) {
		if (!st->mapped[i])
			continue;
		st->column[i] = find_header(st, st->mapped[i]);
		if (st->column[i] < 0)
			return st->mapped[i];
	}
	/* A duration of the user's own choice is not end - ts. */
	if (st->mapped[DUR] && !st->mapped[END])
		st->column[END] = -1;
	if (st->mapped[END] && !st->mapped[DUR])
		st->column[DUR] = -1;
	return NULL;
}

static bool has_duration(const struct state *st)
{
	return st->column[DUR] >= 0 || (st->column[END] >= 0 && st->column[TS] >= 0);
}

/* A kernel has a name or a type, and a duration. */
static bool is_complete(const struct state *st)
{
	return has_duration(st) && (st->column[NAME] >= 0 || st->column[TYPE] >= 0);
}

/* Whether the record at hand is a header: of the format of which it has most, or by -m alone. */
static bool is_header(struct state *st)
{
	static const struct format none = {.name = "CSV whose columns -m names"};
	const struct format *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < FORMATS; i++) {
		size_t found = bind_format(st, &formats[i]);

		if (found > most && !bind_mapped(st) && is_complete(st)) {
			best = &formats[i];
			most = found;
		}
	}
	bind_format(st, best ? best : &none);
	return !bind_mapped(st) && (best || (st->any_mapped && has_duration(st)));
}

/* Columns of the stream behind the core ones: those asked for, or all that are left. */
static void write_columns(struct state *st, const char *path)
{
	size_t room = KEV_CORE + st->csv.count + st->extras_count + 1;
	struct str *names = mem_alloc(room, sizeof *names);
	size_t count = 0;

	st->header_count = st->csv.count;
	st->others = mem_resize(st->others, room, sizeof *st->others);
	st->others_count = 0;
	st->row = mem_resize(st->row, room, sizeof *st->row);
	for (size_t i = 0; i < KEV_CORE; i++)
		names[count++] = str_of(kev_core[i]);
	for (size_t i = 0; i < st->extras_count; i++) {
		int column = find_header(st, st->extras[i].header);

		if (column < 0)
			kev_die(&st->out, path, st->csv.line, "there is no column '%s'", st->extras[i].header);
		names[count++] = str_of(st->extras[i].name);
		st->others[st->others_count++] = column;
	}
	for (size_t i = 0; st->all && i < st->csv.count; i++) {
		bool taken = false;

		for (size_t j = 0; j < FIELDS; j++)
			taken |= st->column[j] == (int)i;
		for (size_t j = 0; j < st->extras_count; j++)
			taken |= st->others[j] == (int)i;
		/* What spreadsheets leave behind the last column has no name. */
		if (taken || str_trim(csv_field(&st->csv, i)).n == 0)
			continue;
		names[count++] = str_trim(csv_field(&st->csv, i));
		st->others[st->others_count++] = (int)i;
	}
	if (st->file_column)
		names[count++] = STR("file");
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (str_equal(names[i], names[j]))
				kev_die(&st->out, path, st->csv.line,
				        "two columns would be named '%.*s': name one with -a HEADER=COL",
				        (int)names[i].n, names[i].s);
	kev_columns(&st->out, names, count);
	free(names);
}

/* --- rows ---------------------------------------------------------------- */

/* A value without the spaces and tabs around it; empty where the record is too short. */
static struct str value(struct state *st, int column)
{
	if (column < 0 || (size_t)column >= st->csv.count)
		return STR("");
	if (st->format->name_last && column == st->column[NAME] &&
	    (size_t)column + 1 == st->header_count && st->csv.count > st->header_count)
		return str_trim(csv_rest(&st->csv, (size_t)column, &st->rest));
	return str_trim(csv_field(&st->csv, (size_t)column));
}

/* ns to us, exactly: the point moves by three places. */
static bool put_microseconds(struct state *st, struct buf *out, struct str text)
{
	if (!st->format->nanoseconds)
		return dec_copy(out, text);
	st->shifted.len = 0;
	if (!dec_copy(&st->shifted, text))
		return false;
	buf_text(&st->shifted, "e-3");
	return dec_copy(out, buf_view(&st->shifted));
}

/* A time as the stream has it. What is no number, and an empty cell is none, leaves it empty. */
static void put_time(struct state *st, struct buf *out, struct str text, uint64_t *bad)
{
	out->len = 0;
	if (!put_microseconds(st, out, text)) {
		out->len = 0;
		++*bad;
	}
}

/* dur = end - ts, where the file gives no duration. */
static void put_difference(struct state *st)
{
	struct str to = value(st, st->column[END]);
	struct buf end = {0};
	struct dec start;
	struct dec dur;

	st->dur.len = 0;
	put_microseconds(st, &end, to);
	if (st->ts.len && dec_parse(buf_view(&st->ts), &start) == DEC_OK &&
	    dec_parse(buf_view(&end), &dur) == DEC_OK && dec_subtract(&dur, start)) {
		dec_print(&st->dur, dur);
		st->negative += dur.nano < 0;
	} else {
		st->bad_dur++;
	}
	buf_free(&end);
}

/* What --strict refuses at this record. */
static void check_strict(struct state *st, const char *path)
{
	/* A time that a ragged row lacks is the lesser of what is wrong with it. */
	const char *what = st->no_type                        ? "a row without a type"
	                   : st->long_rows                    ? "more fields than the header has"
	                   : st->csv.count < st->header_count ? "fewer fields than the header has"
	                   : st->bad_ts                       ? "the start is not a number"
	                   : st->bad_dur                      ? "the duration is not a number"
	                                                      : NULL;

	if (st->opts.strict && what)
		kev_die(&st->out, path, st->csv.line, "%s", what);
}

static void write_row(struct state *st, struct str type, const char *path)
{
	struct str *out = st->row;

	out[KEV_TS] = buf_view(&st->ts);
	out[KEV_DUR] = buf_view(&st->dur);
	out[KEV_TYPE] = type;
	out[KEV_NAME] = value(st, st->column[NAME]);
	out[KEV_CAT] = value(st, st->column[CAT]);
	out[KEV_PH] = STR("X");
	out[KEV_PID] = value(st, st->column[PID]);
	out[KEV_TID] = value(st, st->column[TID]);
	out[KEV_SOURCE] = value(st, st->column[SOURCE]);
	out += KEV_CORE;
	for (size_t i = 0; i < st->others_count; i++)
		*out++ = value(st, st->others[i]);
	if (st->file_column)
		*out++ = str_of(path);
	kev_row(&st->out, st->row, (size_t)(out - st->row));
}

static void row(struct state *st, const char *path)
{
	struct str type = value(st, st->column[TYPE]);
	bool rest = st->format->name_last && st->column[NAME] + 1 == (int)st->header_count;
	uint64_t bad_ts = st->bad_ts;
	uint64_t bad_dur = st->bad_dur;

	if (st->csv.count > st->header_count && !rest) {
		st->long_rows++;
		if (!st->first_long)
			st->first_long = st->csv.line;
	}
	/* Where no row has a start, read_file has said that all have 0. */
	put_time(st, &st->ts, st->column[TS] < 0 ? STR("0") : value(st, st->column[TS]), &st->bad_ts);
	if (st->column[DUR] >= 0)
		put_time(st, &st->dur, value(st, st->column[DUR]), &st->bad_dur);
	else
		put_difference(st);
	balance_in(&st->balance, buf_view(&st->dur));
	if (st->column[TYPE] >= 0 && type.n == 0) {
		/* Of what is left out no other word is needed. */
		st->bad_ts = bad_ts;
		st->bad_dur = bad_dur;
		st->no_type++;
		balance_drop(&st->balance, NO_TYPE, buf_view(&st->dur));
		check_strict(st, path);
		return;
	}
	check_strict(st, path);
	write_row(st, type, path);
	balance_out(&st->balance, buf_view(&st->dur));
}

/* --- files --------------------------------------------------------------- */

/* The first record that is a header known here; > 0, 0, < 0 as csv_next. */
static int read_header(struct state *st, const char *path)
{
	char first[QUOTE_MAX] = "";
	const char *missing = NULL; /* the first header of -m that is not there */
	uint64_t first_line = 0;
	int got = 0;

	for (int i = 0; i < HEADER_LINES && (got = csv_next(&st->csv)) > 0; i++) {
		if (is_header(st))
			return 1;
		if (i == 0) {
			struct str text = csv_rest(&st->csv, 0, &st->rest);

			quote(first, text.s, text.n);
			first_line = st->csv.line;
			missing = bind_mapped(st);
		}
	}
	if (got >= 0 && first_line && (first[1] == '{' || first[1] == '['))
		kev_die(&st->out, path, first_line, "this is JSON and no CSV: trace2tsv reads traces");
	if (got >= 0 && first_line && st->any_mapped && missing)
		kev_die(&st->out, path, first_line, "there is no column '%s', which -m names: %s", missing,
		        first);
	if (got >= 0 && first_line && st->any_mapped)
		kev_die(&st->out, path, first_line, "-m names no column for dur, nor for ts and end: %s",
		        first);
	if (got >= 0 && first_line)
		kev_die(&st->out, path, first_line,
		        "the header names none of the columns needed (a duration, and a name or type); "
		        "-m names others: %s",
		        first);
	return got;
}

/* What happened in the file and was not said yet. */
static void end_file(struct state *st, const char *path)
{
	if (st->no_type)
		warn("%s: rows without a type, left out: %llu", path, (unsigned long long)st->no_type);
	if (st->bad_ts)
		warn("%s: rows whose start is not a number, ts left empty: %llu", path,
		     (unsigned long long)st->bad_ts);
	if (st->bad_dur)
		warn("%s: rows whose duration is not a number, dur left empty: %llu", path,
		     (unsigned long long)st->bad_dur);
	if (st->negative)
		warn("%s: rows that end before they start, dur below 0: %llu", path,
		     (unsigned long long)st->negative);
	if (st->long_rows)
		warn("%s: rows with more fields than the header, the rest not read: %llu, the first on "
		     "line %llu",
		     path, (unsigned long long)st->long_rows, (unsigned long long)st->first_long);
}

/* Rows may be short, and a file may end without a newline; both at once is a cut. */
static bool cut(const struct state *st)
{
	return st->csv.unended && st->csv.count < st->header_count;
}

static void read_file(struct state *st, const char *path)
{
	struct str core[KEV_CORE];
	int got;

	st->no_type = st->bad_ts = st->bad_dur = st->negative = st->long_rows = st->first_long = 0;
	if (!csv_open(&st->csv, path, st->max_field))
		kev_die(&st->out, path, 0, "%s", st->csv.error);
	kev_meta(&st->out, "source", (struct str[]){str_of(path)}, 1);
	kev_meta(&st->out, "unit", (struct str[]){STR("us")}, 1);
	got = read_header(st, path);
	if (got > 0) {
		write_columns(st, path);
		if (st->opts.verbose)
			warn("%s: read as %s", path, st->format->name);
		if (st->column[TS] < 0 && st->opts.strict)
			kev_die(&st->out, path, st->csv.line, "there is no start column");
		if (st->column[TS] < 0)
			warn("%s: there is no start column: ts is 0 in all rows", path);
		while ((got = csv_next(&st->csv)) > 0 && !cut(st))
			row(st, path);
	} else {
		for (size_t i = 0; i < KEV_CORE; i++)
			core[i] = str_of(kev_core[i]);
		kev_columns(&st->out, core, KEV_CORE);
		if (got == 0)
			kev_damaged(&st->out, path, "the file is empty");
	}
	if (got > 0) {
		snprintf(st->csv.error, sizeof st->csv.error,
		         "the last row is cut off: it has %zu of %zu fields, and no newline", st->csv.count,
		         st->header_count);
		got = -1;
	}
	if (got < 0 && (st->csv.fatal || st->opts.strict))
		kev_die(&st->out, path, st->csv.line, "%s", st->csv.error);
	end_file(st, path);
	if (got < 0) {
		struct buf what = {0};

		buf_format(&what, "line %llu: %s", (unsigned long long)st->csv.line, st->csv.error);
		buf_char(&what, '\0');
		kev_damaged(&st->out, path, what.data);
		buf_free(&what);
	}
	csv_close(&st->csv);
}

static void add_map(struct state *st, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t n = equals ? (size_t)(equals - word) : 0;

	for (size_t i = 0; i < FIELDS; i++) {
		if (n && equals[1] && strlen(field_names[i]) == n && memcmp(field_names[i], word, n) == 0) {
			st->mapped[i] = equals + 1;
			st->any_mapped = true;
			return;
		}
	}
	opts_fail("-m: '%s' is not COL=HEADER, COL one of ts dur end type name cat pid tid source",
	          word);
}

static void add_extra(struct state *st, struct str word)
{
	const char *equals = memchr(word.s, '=', word.n);
	struct extra extra = {word.s, word.s};

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
		case 'f':
			st.file_column = true;
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
	if (st.opts.operands_count == 0)
		read_file(&st, "-");
	for (int i = 0; i < st.opts.operands_count; i++)
		read_file(&st, st.opts.operands[i]);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
