#include "sqlevents.h"

#include <inttypes.h>
#include <stdio.h>

const char *const sqlevents_reasons[SQLEVENTS_REASONS] = {
	[SQLEVENTS_TIME] = "start or end is not a whole number",
	[SQLEVENTS_NO_TIMES] = "graph without times",
	[SQLEVENTS_PHASE] = "phase",
	[SQLEVENTS_KIND] = "not an event of these kinds",
	[SQLEVENTS_PART] = "wait, or part of a collective",
	[SQLEVENTS_AGAIN] = "the same row again",
};
BALANCE_FITS(sqlevents_reasons);

enum column {
	CORRELATION = KEV_CORE,
	EXTERNAL_ID,
	STREAM,
	PYTHON_ID,
	PYTHON_PARENT_ID,
	DEVICE,
	CONTEXT,
	BYTES,
	EXTRA,
	COLUMNS
};
enum { LATER = 4 }; /* the columns of operators, the rank and the file */

enum { DIGITS = 48 }; /* two numbers with a colon between them */

/* --- numbers ------------------------------------------------------------------ */

/* Writes the digits before end; returns the first. */
static char *put_digits(char *end, uint64_t number)
{
	do {
		*--end = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return end;
}

static char *put_number(char *end, int64_t number)
{
	char *begin = put_digits(end, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);

	if (number < 0)
		*--begin = '-';
	return begin;
}

/* ns as us, without zeros at its end. */
static struct str put_us(char text[DIGITS], int64_t ns)
{
	enum { NS = 1000, PLACES = 3 };
	uint64_t all = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	uint64_t fraction = all % NS;
	char *end = text + DIGITS;
	char *begin = end;

	if (fraction) {
		for (int i = 0; i < PLACES; i++, fraction /= 10)
			*--begin = (char)('0' + fraction % 10);
		while (end[-1] == '0')
			end--;
		*--begin = '.';
	}
	begin = put_digits(begin, all / NS);
	if (ns < 0)
		*--begin = '-';
	return (struct str){begin, (size_t)(end - begin)};
}

static struct str text_of(char text[DIGITS], int64_t number)
{
	char *begin;

	if (number == SQLEVENTS_NONE)
		return STR("");
	begin = put_number(text + DIGITS, number);
	return (struct str){begin, (size_t)(text + DIGITS - begin)};
}

/* --- the file ---------------------------------------------------------------- */

void sqlevents_meta(struct sqlevents *events, const char *key, const char *name, int64_t value)
{
	char digits[DIGITS];
	struct str values[2] = {str_of(name ? name : ""), text_of(digits, value)};

	if (name)
		kev_meta(events->out, key, values, 2);
	else
		kev_meta(events->out, key, values + 1, 1);
}

void sqlevents_rank(struct sqlevents *events, int64_t rank)
{
	if (events->rank.len || rank < 0)
		return;
	buf_format(&events->rank, "%" PRId64, rank);
	if (events->options->rank.n) {
		if (!str_equal(buf_view(&events->rank), events->options->rank))
			warn("%s: the database is of rank %" PRId64 "; --rank changes this to %.*s",
			     events->name, rank, (int)events->options->rank.n, events->options->rank.s);
	} else {
		kev_meta(events->out, "rank", (struct str[]){buf_view(&events->rank)}, 1);
	}
}

void sqlevents_begin(struct sqlevents *events, const char *extra)
{
	static const char *const further[] = {
		[CORRELATION] = "correlation",
		[EXTERNAL_ID] = "External id",
		[STREAM] = "stream",
		[PYTHON_ID] = "Python id",
		[PYTHON_PARENT_ID] = "Python parent id",
		[DEVICE] = "device",
		[CONTEXT] = "context",
		[BYTES] = "bytes",
	};
	struct str names[COLUMNS + LATER];
	size_t count = COLUMNS;

	for (size_t i = 0; i < EXTRA; i++)
		names[i] = str_of(i < KEV_CORE ? kev_core[i] : further[i]);
	names[EXTRA] = str_of(extra);
	if (events->operators) {
		names[count++] = STR("Sequence number");
		names[count++] = STR("Input Dims");
	}
	if (events->options->rank_column) {
		names[count++] = STR("rank");
		if (events->options->rank.n) {
			events->rank.len = 0;
			buf_str(&events->rank, events->options->rank);
			kev_meta(events->out, "rank", &events->options->rank, 1);
		} else if (events->rank.len == 0) {
			warn("%s: the database has no rank, so the column is empty; use --rank=N",
			     events->name);
		}
	}
	if (events->options->file_column)
		names[count++] = STR("file");
	kev_columns(events->out, names, count);
	events->last_pid = events->last_tid = SQLEVENTS_NONE;
}

void sqlevents_damaged(struct sqlevents *events, const char *what)
{
	bool is_new;

	if (events->strict)
		kev_die(events->out, events->name, 0, "%s", what);
	strmap_add(&events->damage, str_of(what), &is_new);
	if (is_new)
		kev_damaged(events->out, events->name, what);
}

/* Reports the damage of a table that was read, or that could not be. */
static void end_rows(struct sqlevents *events, struct sqlrows *rows)
{
	if (rows->places) {
		struct buf what = {0};

		buf_text(&what, rows->damage);
		if (rows->places > 1)
			buf_format(&what, "; damaged places: %" PRIu64, rows->places);
		if (rows->places == SQLROWS_PLACES)
			buf_text(&what, "; reading ended there");
		buf_char(&what, '\0');
		sqlevents_damaged(events, what.data);
		buf_free(&what);
	}
	if (rows->lack[0])
		sqlevents_damaged(events, rows->lack);
	if (rows->error[0])
		sqlevents_damaged(events, rows->error);
	if (rows->plan && rows->plan->many)
		rows->again = 0;
	events->again += rows->again;
	for (; rows->again; rows->again--) {
		balance_in(events->balance, STR(""));
		balance_drop(events->balance, SQLEVENTS_AGAIN, STR(""));
	}
	sqlrows_end(rows);
}

void sqlevents_texts(struct sqlevents *events, const char *table, const char *value)
{
	struct sqlrows rows = {0};

	sqltexts_read(&events->texts, &rows, events->file, table, value);
	rows.again = 0;
	end_rows(events, &rows);
}

bool sqlevents_range(struct sqlevents *events, const char *table, const char *column, int shift,
                     struct sqlrows_range *range)
{
	const struct sqlrows_column columns[] = {{column, SQLROWS_OWN, true}};
	const struct sqlrows_plan plan = SQLROWS_PLAN(table, columns);
	size_t number = sqlfile_table(events->file, str_of(table));
	struct sqlrows rows;

	*range = (struct sqlrows_range){0};
	if (number == STRMAP_NONE || !sqlfile_has_column(events->file, number, str_of(column)))
		return false;
	sqlrows_range(&rows, &plan, events->file, shift, range);
	end_rows(events, &rows);
	return true;
}

static bool begin_rows(struct sqlevents *events, struct sqlrows *rows,
                       const struct sqlrows_plan *plan)
{
	if (!sqlfile_has(events->file, plan->table))
		return false;
	if (sqlrows_begin(rows, events->file, plan))
		return true;
	end_rows(events, rows);
	return false;
}

static bool next_row(struct sqlevents *events, struct sqlrows *rows)
{
	if (sqlrows_next(rows) <= 0) {
		end_rows(events, rows);
		return false;
	}
	events->missing.len = events->composed.len = 0;
	buf_reserve(&events->missing, (size_t)8 * DIGITS);
	return true;
}

bool sqlevents_row(struct sqlevents *events, struct sqlrows *rows, const struct sqlrows_plan *plan)
{
	return (rows->plan || begin_rows(events, rows, plan)) && next_row(events, rows);
}

/* --- a row ------------------------------------------------------------------- */

/* With --strict a fault of a row ends the program. */
static void fault(struct sqlevents *events, const struct sqlrows *rows, const char *what)
{
	if (events->strict)
		kev_die(events->out, events->name, 0, "table %s, row %" PRId64 ": %s", rows->plan->table,
		        rows->rowid, what);
}

bool sqlevents_times(struct sqlevents *events, const struct sqlrows *rows, size_t start, size_t end,
                     struct sqlevent *event)
{
	int64_t dur;

	if (sqlrows_number(rows, start, &event->start) != SQLROWS_NUMBER ||
	    sqlrows_number(rows, end, &event->end) != SQLROWS_NUMBER ||
	    __builtin_sub_overflow(event->end, event->start, &dur) || dur == SQLEVENTS_NONE) {
		fault(events, rows, "start or end is not a whole number");
		events->bad_times++;
		sqlevents_drop(events, SQLEVENTS_TIME);
		return false;
	}
	if (dur < 0) {
		fault(events, rows, "it ends before it starts");
		events->negative++;
	}
	return true;
}

struct str sqlevents_text_of(struct sqlevents *events, int64_t id)
{
	struct str text;

	if (sqltexts_find(&events->texts, id, &text))
		return text;
	events->no_text++;
	/* There is room for all that one row has: texts of before must not move. */
	buf_reserve(&events->missing, DIGITS);
	text.s = events->missing.data + events->missing.len;
	text.n = (size_t)snprintf(events->missing.data + events->missing.len, DIGITS, "#%" PRId64, id);
	events->missing.len += text.n;
	return text;
}

struct str sqlevents_text(struct sqlevents *events, const struct sqlrows *rows, size_t column)
{
	int64_t id;
	struct str text;

	if (sqlrows_number(rows, column, &id) != SQLROWS_NUMBER)
		return sqlrows_text(rows, column); /* torch_npu writes some texts themselves */
	if (!sqltexts_find(&events->texts, id, &text))
		fault(events, rows, "its text is missing");
	return sqlevents_text_of(events, id);
}

int64_t sqlevents_number(const struct sqlrows *rows, size_t column)
{
	return sqlrows_number_or(rows, column, SQLEVENTS_NONE);
}

int64_t sqlevents_id(const struct sqlrows *rows, size_t column)
{
	int64_t id = sqlevents_number(rows, column);

	return id == 0 ? SQLEVENTS_NONE : id;
}

/* Remembers the process and the thread of a row of the host. */
static void note_host(struct sqlevents *events, const struct sqlevent *event)
{
	char text[2 * DIGITS];
	int length;

	if (event->pid == events->last_pid && event->tid == events->last_tid)
		return;
	events->last_pid = event->pid;
	events->last_tid = event->tid;
	length = snprintf(text, sizeof text, "%" PRId64, event->pid);
	strmap_add(&events->processes, (struct str){text, (size_t)length}, NULL);
	length = snprintf(text, sizeof text, "%" PRId64 "\t%" PRId64, event->pid, event->tid);
	strmap_add(&events->host, (struct str){text, (size_t)length}, NULL);
}

void sqlevents_drop(struct sqlevents *events, enum sqlevents_reason reason)
{
	balance_in(events->balance, STR(""));
	balance_drop(events->balance, reason, STR(""));
}

/* A number that each process counts for itself: with the process if there are several. */
static struct str text_in_process(const struct sqlevents *events, const struct sqlevent *event,
                                  char text[DIGITS], int64_t number)
{
	char *begin;

	if (number == SQLEVENTS_NONE)
		return STR("");
	begin = put_number(text + DIGITS, number);
	if (events->by_process && event->process != SQLEVENTS_NONE) {
		*--begin = ':';
		begin = put_number(begin, event->process);
	}
	return (struct str){begin, (size_t)(text + DIGITS - begin)};
}

static void put(struct sqlevents *events, const struct sqlevent *event)
{
	char digits[COLUMNS][DIGITS];
	struct str text[COLUMNS + LATER];
	size_t count = COLUMNS;

	if (!strchr(events->options->phases, event->ph)) {
		sqlevents_drop(events, SQLEVENTS_PHASE);
		return;
	}
	for (size_t i = 0; i < COLUMNS; i++)
		text[i] = STR("");
	text[KEV_TS] = put_us(digits[KEV_TS], event->start);
	if (event->end != SQLEVENTS_NONE)
		text[KEV_DUR] = put_us(digits[KEV_DUR], event->end - event->start);
	text[KEV_TYPE] = event->type;
	text[KEV_NAME] = event->name;
	text[KEV_CAT] = event->cat;
	text[KEV_PH] = (struct str){&event->ph, 1};
	text[KEV_PID] = text_of(digits[KEV_PID], event->pid);
	if (event->tid_text.n)
		text[KEV_TID] = event->tid_text;
	else if (event->device != SQLEVENTS_NONE)
		text[KEV_TID] = text_in_process(events, event, digits[KEV_TID], event->tid);
	else
		text[KEV_TID] = text_of(digits[KEV_TID], event->tid);
	text[CORRELATION] = text_in_process(events, event, digits[CORRELATION], event->correlation);
	text[EXTERNAL_ID] = text_in_process(events, event, digits[EXTERNAL_ID], event->external_id);
	text[STREAM] = text_in_process(events, event, digits[STREAM], event->stream);
	text[DEVICE] = text_of(digits[DEVICE], event->device);
	text[CONTEXT] = text_of(digits[CONTEXT], event->context);
	text[BYTES] = text_of(digits[BYTES], event->bytes);
	text[EXTRA] = event->extra.n ? event->extra : text_of(digits[EXTRA], event->extra_number);
	if (events->operators) {
		text[count++] = event->sequence;
		text[count++] = event->dims;
	}
	if (events->options->rank_column)
		text[count++] = buf_view(&events->rank);
	if (events->options->file_column)
		text[count++] = str_of(events->name);
	kev_row(events->out, text, count);
	balance_in(events->balance, text[KEV_DUR]);
	balance_out(events->balance, text[KEV_DUR]);
	events->rows++;
	if (event->device == SQLEVENTS_NONE && event->pid != SQLEVENTS_NONE)
		note_host(events, event);
}

void sqlevents_write(struct sqlevents *events, const struct sqlevents_source *source, void *kind)
{
	struct sqlrows rows;

	if (!begin_rows(events, &rows, source->plan))
		return;
	if (source->begin)
		source->begin(kind, &rows);
	while (next_row(events, &rows)) {
		struct sqlevent event = {.ph = 'X',
		                         .end = SQLEVENTS_NONE,
		                         .pid = SQLEVENTS_NONE,
		                         .tid = SQLEVENTS_NONE,
		                         .correlation = SQLEVENTS_NONE,
		                         .process = SQLEVENTS_NONE,
		                         .external_id = SQLEVENTS_NONE,
		                         .stream = SQLEVENTS_NONE,
		                         .device = SQLEVENTS_NONE,
		                         .context = SQLEVENTS_NONE,
		                         .bytes = SQLEVENTS_NONE,
		                         .extra_number = SQLEVENTS_NONE};

		if (source->event(kind, &rows, &event))
			put(events, &event);
	}
}

/* --- names of processes -------------------------------------------------------- */

void sqlevents_device(struct sqlevents *events, int64_t device, struct str name)
{
	char digits[DIGITS];

	kev_meta(events->out, "process", (struct str[]){text_of(digits, device), name}, 2);
}

void sqlevents_process(struct sqlevents *events, int64_t pid, struct str name)
{
	char digits[DIGITS];
	struct str text = text_of(digits, pid);

	if (name.n && strmap_find(&events->processes, text) != STRMAP_NONE)
		kev_meta(events->out, "process", (struct str[]){text, name}, 2);
}

void sqlevents_thread(struct sqlevents *events, int64_t pid, int64_t tid, struct str name)
{
	char digits[2][DIGITS];
	struct str values[] = {text_of(digits[0], pid), text_of(digits[1], tid), name};
	char key[2 * DIGITS];
	int length = snprintf(key, sizeof key, "%" PRId64 "\t%" PRId64, pid, tid);

	if (name.n && strmap_find(&events->host, (struct str){key, (size_t)length}) != STRMAP_NONE)
		kev_meta(events->out, "thread", values, 3);
}

/* --- the end ------------------------------------------------------------------- */

void sqlevents_end(struct sqlevents *events)
{
	const struct {
		const char *what;
		uint64_t count;
	} counts[] = {
		{"rows whose start or end is not a whole number, left out", events->bad_times},
		{"graphs without times, left out", events->no_times},
		{"rows that end before they start, dur below 0", events->negative},
		{"names that the table of texts lacks, written as #ID", events->no_text},
		{"rows that a second table has twice, the second left out", events->again},
	};

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (counts[i].count)
			warn("%s: %s: %" PRIu64, events->name, counts[i].what, counts[i].count);
	sqltexts_free(&events->texts);
	strmap_free(&events->damage);
	strmap_free(&events->host);
	strmap_free(&events->processes);
	buf_free(&events->rank);
	buf_free(&events->missing);
	buf_free(&events->composed);
}
