/*
 * csv2tsv - a profiler's CSV of kernels to the kernel-event stream, kev(5).
 *
 *	Name,Type,Accelerator Core,Start Time(us),Duration(us)
 *	aclnnMatmul_1,MatMulV2,AI_CORE,1716543210123506.500,22.747
 * gives
 *	#ts	dur	type	name	cat	ph	pid	tid	source
 *	1716543210123506.500	22.747	MatMulV2	aclnnMatmul_1	AI_CORE	X
 *
 * Memory grows only with the longest record.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "syntax/csv.h"

/* The sources of the columns of the stream; end gives dur. */
enum field { TS, DUR, END, TYPE, NAME, CAT, PID, TID, SOURCE, FIELDS };

static const char *const field_names[FIELDS] = {"ts",  "dur", "end", "type",  "name",
                                                "cat", "pid", "tid", "source"};

enum { SPELLINGS = 3 };

/* The file of a profiler, recognized by its header. */
struct format {
	const char *name;
	const char *headers[FIELDS][SPELLINGS]; /* by field; they differ with the version */
	bool nanoseconds;
	bool name_last; /* a name in the last column is not quoted: it takes the rest of the line */
};

/* csv2tsv(1), FORMATS. The headers are those of real files. */
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

/* Why a record is dropped. */
enum reason { NO_TYPE, REASONS };

static const char *const reasons[REASONS] = {"no type"};
BALANCE_FITS(reasons);

enum { HEADER_LINES = 100 }; /* nsys writes messages before the header */

/* A further column: its header in the CSV and its name in the stream. */
struct extra {
	const char *header;
	const char *name;
};

/* What is known of the file being read. */
struct file {
	const char *name; /* for people */
	const struct format *format;
	int column[FIELDS]; /* the column of the CSV for each field; -1: none */
	size_t header_count;
	uint64_t no_type;
	uint64_t bad_ts;
	uint64_t bad_dur;
	uint64_t negative; /* end before they start */
	uint64_t long_rows;
	uint64_t first_long; /* its line */
};

struct state {
	struct opts opts;
	struct kev_writer out;
	struct balance balance;
	const char *mapped[FIELDS]; /* -m: the headers that the user chose */
	bool any_mapped;
	struct extra *extras; /* -a */
	size_t extras_count;
	bool all;        /* -A */
	struct str rank; /* --rank; empty: no column */
	bool file_column;
	size_t max_field;
	bool opened; /* one of the files could be opened */
	struct csv_reader csv;
	struct strmap headers; /* the distinct headers of the record that may be the header, */
	int *header_column;    /* and by their numbers the first column of each */
	struct file file;
	int *others; /* columns of the CSV that follow the core ones in the stream */
	size_t others_count;
	struct str *row;
	struct buf nanoseconds;
	struct buf ts;
	struct buf dur;
	struct buf rest;
};

enum { MAX_FIELD = OPT_LONG, RANK };

static const struct opt opts[] = {
	{'m', "map", "COL=HEADER,...", "take COL from this header; COL may be end: dur is end - ts"},
	{'a', "arg", "HEADER[=COL],...", "add columns by their headers"},
	{'A', "all", NULL, "add all other columns of the CSV"},
	{'f', "file", NULL, "add a column with the file's name"},
	{RANK, "rank", "N", "add a column with this rank"},
	{MAX_FIELD, "max-field", "BYTES", "fail on a larger record; at least 256K (default: 16M)"},
};

static const struct opt_usage usage = {
	"[-m COL=HEADER,...] [-a HEADER[=COL],...] [-A] [-f] [--rank=N] [FILE...]",
	"Convert a profiler's CSV of kernels to the kernel-event stream.", opts,
	sizeof opts / sizeof *opts};

/* --- the header ---------------------------------------------------------- */

static void read_headers(struct state *st)
{
	strmap_clear(&st->headers);
	st->header_column = mem_resize(st->header_column, st->csv.count, sizeof *st->header_column);
	for (size_t i = 0; i < st->csv.count; i++) {
		bool new;
		size_t number = strmap_add(&st->headers, str_trim(csv_field(&st->csv, i)), &new);

		if (new)
			st->header_column[number] = (int)i;
	}
}

static int find_header(const struct state *st, const char *name)
{
	size_t number = strmap_find(&st->headers, str_of(name));

	return number == STRMAP_NONE ? -1 : st->header_column[number];
}

/* Finds the columns of this format in the header. Returns their number. */
static size_t bind_format(struct state *st, const struct format *format)
{
	size_t found = 0;

	for (size_t i = 0; i < FIELDS; i++) {
		int *column = &st->file.column[i];

		*column = -1;
		for (size_t j = 0; j < SPELLINGS && *column < 0; j++)
			if (format->headers[i][j])
				*column = find_header(st, format->headers[i][j]);
		found += *column >= 0;
	}
	st->file.format = format;
	return found;
}

/* Overrides the format with the headers of -m. Returns the first that is missing, or NULL. */
static const char *bind_mapped(struct state *st)
{
	int *column = st->file.column;

	for (size_t i = 0; i < FIELDS; i++) {
		if (!st->mapped[i])
			continue;
		column[i] = find_header(st, st->mapped[i]);
		if (column[i] < 0)
			return st->mapped[i];
	}
	/* A duration that the user chose is not end - ts. */
	if (st->mapped[DUR] && !st->mapped[END])
		column[END] = -1;
	if (st->mapped[END] && !st->mapped[DUR])
		column[DUR] = -1;
	return NULL;
}

static bool has_duration(const int *column)
{
	return column[DUR] >= 0 || (column[END] >= 0 && column[TS] >= 0);
}

/* A kernel has a name or a type, and a duration. */
static bool is_complete(const int *column)
{
	return has_duration(column) && (column[NAME] >= 0 || column[TYPE] >= 0);
}

/*
 * True if the record is a header: of the format with most columns in it, or, with the columns of
 * -m, of none.
 */
static bool is_header(struct state *st)
{
	static const struct format none = {.name = "CSV with the columns of -m"};
	const struct format *best = NULL;
	size_t most = 0;

	read_headers(st);
	for (size_t i = 0; i < FORMATS; i++) {
		size_t found = bind_format(st, &formats[i]);

		if (found > most && !bind_mapped(st) && is_complete(st->file.column)) {
			best = &formats[i];
			most = found;
		}
	}
	bind_format(st, best ? best : &none);
	return !bind_mapped(st) && (best || (st->any_mapped && has_duration(st->file.column)));
}

/* By column of the CSV: whether it is already in the stream, by the format or by -a. */
static bool *taken_columns(const struct state *st)
{
	bool *taken = mem_zero(st->csv.count, sizeof *taken);

	for (size_t i = 0; i < FIELDS; i++)
		if (st->file.column[i] >= 0)
			taken[st->file.column[i]] = true;
	for (size_t i = 0; i < st->extras_count; i++)
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

/* The core columns, those of -a, with -A all others, and those of --rank and -f last. */
static void write_columns(struct state *st)
{
	size_t room = KEV_CORE + st->csv.count + st->extras_count + 2;
	struct str *names = mem_alloc(room, sizeof *names);
	size_t count = 0;
	bool *taken;

	st->file.header_count = st->csv.count;
	st->others = mem_resize(st->others, room, sizeof *st->others);
	st->others_count = 0;
	st->row = mem_resize(st->row, room, sizeof *st->row);
	for (size_t i = 0; i < KEV_CORE; i++)
		names[count++] = str_of(kev_core[i]);
	for (size_t i = 0; i < st->extras_count; i++) {
		int column = find_header(st, st->extras[i].header);

		if (column < 0)
			kev_die(&st->out, st->file.name, st->csv.line, "-a: column '%s' is missing",
			        st->extras[i].header);
		names[count++] = str_of(st->extras[i].name);
		st->others[st->others_count++] = column;
	}
	taken = taken_columns(st);
	for (size_t i = 0; st->all && i < st->csv.count; i++) {
		struct str name = str_trim(csv_field(&st->csv, i));

		/* Spreadsheets add columns without a name at the end. */
		if (name.n == 0 || taken[i])
			continue;
		names[count++] = name;
		st->others[st->others_count++] = (int)i;
	}
	if (st->rank.n)
		names[count++] = STR("rank");
	if (st->file_column)
		names[count++] = STR("file");
	check_names(st, names, count);
	kev_columns(&st->out, names, count);
	free(taken);
	free(names);
}

/* --- rows ---------------------------------------------------------------- */

/* True if the name is in the last column of a format that does not quote it. */
static bool name_takes_rest(const struct state *st)
{
	return st->file.format->name_last && st->file.column[NAME] + 1 == (int)st->file.header_count;
}

/* A value without spaces and tabs around it; empty if the record is too short. */
static struct str value(struct state *st, int column)
{
	if (column < 0 || (size_t)column >= st->csv.count)
		return STR("");
	if (column == st->file.column[NAME] && st->csv.count > st->file.header_count &&
	    name_takes_rest(st))
		return str_trim(csv_rest(&st->csv, (size_t)column, &st->rest));
	return str_trim(csv_field(&st->csv, (size_t)column));
}

/* ns to us, exactly: the point moves by three places. */
static bool put_microseconds(struct state *st, struct buf *out, struct str text)
{
	if (!st->file.format->nanoseconds)
		return dec_copy(out, text);
	st->nanoseconds.len = 0;
	if (!dec_copy(&st->nanoseconds, text))
		return false;
	buf_text(&st->nanoseconds, "e-3");
	return dec_copy(out, buf_view(&st->nanoseconds));
}

/* Sets out to a time in us; empty, and counted as bad, if it is not a number. */
static void put_time(struct state *st, struct buf *out, struct str text, uint64_t *bad)
{
	out->len = 0;
	if (!put_microseconds(st, out, text)) {
		out->len = 0;
		++*bad;
	}
}

/* dur = end - ts, for a file without durations. */
static void put_difference(struct state *st)
{
	struct str to = value(st, st->file.column[END]);
	struct buf end = {0};
	struct dec start;
	struct dec dur;

	st->dur.len = 0;
	put_microseconds(st, &end, to);
	if (st->ts.len && dec_parse(buf_view(&st->ts), &start) == DEC_OK &&
	    dec_parse(buf_view(&end), &dur) == DEC_OK && dec_subtract(&dur, start)) {
		dec_print(&st->dur, dur);
		st->file.negative += dur.nano < 0;
	} else {
		st->file.bad_dur++;
	}
	buf_free(&end);
}

/* With --strict, fails on what end_file only warns of, and on short rows. */
static void check_strict(struct state *st)
{
	const struct file *file = &st->file;
	/* A time that is missing from a ragged row is the lesser fault. */
	const char *what = file->no_type     ? "type is missing"
	                   : file->long_rows ? "the row has more fields than the header"
	                   : st->csv.count < file->header_count
	                       ? "the row has fewer fields than the header"
	                   : file->bad_ts  ? "the start is not a number"
	                   : file->bad_dur ? "the duration is not a number"
	                                   : NULL;

	if (st->opts.strict && what)
		kev_die(&st->out, file->name, st->csv.line, "%s", what);
}

static void write_row(struct state *st, struct str type)
{
	const int *column = st->file.column;
	struct str *out = st->row;

	out[KEV_TS] = buf_view(&st->ts);
	out[KEV_DUR] = buf_view(&st->dur);
	out[KEV_TYPE] = type;
	out[KEV_NAME] = value(st, column[NAME]);
	out[KEV_CAT] = value(st, column[CAT]);
	out[KEV_PH] = STR("X");
	out[KEV_PID] = value(st, column[PID]);
	out[KEV_TID] = value(st, column[TID]);
	out[KEV_SOURCE] = value(st, column[SOURCE]);
	out += KEV_CORE;
	for (size_t i = 0; i < st->others_count; i++)
		*out++ = value(st, st->others[i]);
	if (st->rank.n)
		*out++ = st->rank;
	if (st->file_column)
		*out++ = str_of(st->file.name);
	kev_row(&st->out, st->row, (size_t)(out - st->row));
}

static void row(struct state *st)
{
	struct file *file = &st->file;
	struct str type = value(st, file->column[TYPE]);
	uint64_t bad_ts = file->bad_ts;
	uint64_t bad_dur = file->bad_dur;

	if (st->csv.count > file->header_count && !name_takes_rest(st)) {
		if (file->long_rows++ == 0)
			file->first_long = st->csv.line;
	}
	/* If the start column is missing, read_file has warned that all starts are 0. */
	put_time(st, &st->ts, file->column[TS] < 0 ? STR("0") : value(st, file->column[TS]),
	         &file->bad_ts);
	if (file->column[DUR] >= 0)
		put_time(st, &st->dur, value(st, file->column[DUR]), &file->bad_dur);
	else
		put_difference(st);
	balance_in(&st->balance, buf_view(&st->dur));
	if (file->column[TYPE] >= 0 && type.n == 0) {
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
	write_row(st, str_equal(type, STR("N/A")) ? STR("") : type);
	balance_out(&st->balance, buf_view(&st->dur));
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

/* Reads up to the header. Returns as csv_next. */
static int read_header(struct state *st)
{
	char first[QUOTE_MAX] = "";
	const char *missing = NULL; /* the first header of -m that is missing */
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

/* Reads the rows after the header. Returns as csv_next at the end. */
static int read_rows(struct state *st)
{
	const struct file *file = &st->file;
	int got;

	write_columns(st);
	if (st->opts.verbose)
		warn("%s: read as %s", file->name, file->format->name);
	if (file->column[TS] < 0 && st->opts.strict)
		kev_die(&st->out, file->name, st->csv.line, "the start column is missing");
	if (file->column[TS] < 0)
		warn("%s: the start column is missing; ts is 0 in all rows", file->name);
	while ((got = csv_next(&st->csv)) > 0) {
		/* A row may be short, and the last one may have no newline; both together is a cut. */
		if (st->csv.unended && st->csv.count < file->header_count) {
			snprintf(st->csv.error, sizeof st->csv.error,
			         "the last row is cut off: it has %zu of %zu fields, and no newline",
			         st->csv.count, file->header_count);
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

	for (size_t i = 0; i < FIELDS; i++) {
		if (n && equals[1] && strlen(field_names[i]) == n && memcmp(field_names[i], word, n) == 0) {
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
