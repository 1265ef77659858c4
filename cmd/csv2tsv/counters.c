#include "counters.h"

#include "base/dec.h"
#include "base/mem.h"
#include "stream/kev.h"

#include <stdlib.h>

/* --- rows that wait for some of their fields --------------------------------- */

/* A field, in text. */
struct heldrows_span {
	size_t at;
	size_t n;
};

void heldrows_begin(struct heldrows *rows, size_t columns)
{
	strmap_clear(&rows->keys);
	rows->text.len = 0;
	rows->columns = columns;
}

static struct heldrows_span save(struct heldrows *rows, struct str text)
{
	struct heldrows_span span = {rows->text.len, text.n};

	buf_str(&rows->text, text);
	return span;
}

size_t heldrows_add(struct heldrows *rows, struct str key, const struct str *row, bool *added)
{
	size_t number = strmap_add(&rows->keys, key, added);
	size_t from = number * rows->columns;

	rows->field = mem_grow(rows->field, &rows->cap, from + rows->columns, sizeof *rows->field);
	for (size_t i = 0; *added && i < rows->columns; i++)
		rows->field[from + i] = save(rows, row[i]);
	return number;
}

bool heldrows_fill(struct heldrows *rows, size_t number, size_t column, struct str text)
{
	struct heldrows_span *field = &rows->field[number * rows->columns + column];

	if (field->n)
		return false;
	*field = save(rows, text);
	return true;
}

void heldrows_get(const struct heldrows *rows, size_t number, struct str *row)
{
	const struct heldrows_span *field = &rows->field[number * rows->columns];

	for (size_t i = 0; i < rows->columns; i++)
		row[i] = field[i].n ? (struct str){rows->text.data + field[i].at, field[i].n} : STR("");
}

void heldrows_free(struct heldrows *rows)
{
	strmap_free(&rows->keys);
	free(rows->field);
	buf_free(&rows->text);
	*rows = (struct heldrows){0};
}

/* --- counters ------------------------------------------------------------------ */

static void forget_extras(struct counters *counters)
{
	for (size_t i = 0; i < counters->extras; i++) {
		buf_free(&counters->unit[i]);
		buf_free(&counters->other_unit[i]);
	}
	free(counters->unit);
	free(counters->other_unit);
	free(counters->seen);
	counters->extras = 0;
}

void counters_begin(struct counters *counters, const struct csvcolumns *columns)
{
	forget_extras(counters);
	counters->columns = columns;
	heldrows_begin(&counters->rows, columns->count);
	counters->extras = columns->extras_count;
	counters->seen = mem_zero(counters->extras, sizeof *counters->seen);
	counters->unit = mem_zero(counters->extras, sizeof *counters->unit);
	counters->other_unit = mem_zero(counters->extras, sizeof *counters->other_unit);
}

/* Rows of one dispatch of a process on a device have equal keys. */
static struct str dispatch_key(struct counters *counters, struct csvrow *row)
{
	static const enum csv_content parts[] = {CSV_DISPATCH, CSV_PROCESS, CSV_PID};

	counters->key.len = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		buf_char(&counters->key, '\t');
		buf_str(&counters->key, csvrow_value(row, parts[i]));
	}
	return buf_view(&counters->key);
}

/* Whether the extra is a counter, and not a column of the CSV. */
static bool is_counter(const struct counters *counters, size_t extra)
{
	return counters->columns->others[extra] < 0;
}

/* Gives the dispatch its duration, if the row has it. */
static void fill_duration(struct counters *counters, struct csvrow *row, size_t dispatch,
                          struct str value)
{
	enum csv_unit unit = csv_unit_of(csvrow_value(row, CSV_VALUE_UNIT));
	struct str dur;

	row->time = STR("");
	counters->dur.len = 0;
	if (!csv_layout_is_duration(row->layout, csvrow_value(row, CSV_COUNTER)) || !unit ||
	    !csv_microseconds(&counters->dur, value, unit))
		return;
	dur = buf_view(&counters->dur);
	if (dec_round_places(&dur, &counters->dur) && !row->rounded)
		row->rounded = "dur";
	counters->gave_dur = heldrows_fill(&counters->rows, dispatch, KEV_DUR, dur);
	if (counters->gave_dur)
		row->time = dur;
}

/* Remembers the unit of a value that was taken, if it is the first or differs from it. */
static void add_unit(struct counters *counters, size_t extra, struct str unit)
{
	struct buf *first = &counters->unit[extra];
	struct buf *other = &counters->other_unit[extra];

	if (!counters->seen[extra])
		buf_str(first, unit);
	else if (other->len == 0 && !str_equal(unit, buf_view(first)))
		buf_str(other, unit);
}

bool counters_add(struct counters *counters, struct csvrow *row)
{
	const struct csvcolumns *columns = counters->columns;
	struct str counter = csvrow_value(row, CSV_COUNTER);
	struct str number;
	bool new;
	size_t dispatch = heldrows_add(&counters->rows, dispatch_key(counters, row), row->field, &new);

	counters->plain.len = 0;
	number = csv_layout_number(row->layout, csvrow_value(row, CSV_VALUE), &counters->plain);
	counters->gave_dur = false;
	if (csv_layout_has_duration_counter(row->layout))
		fill_duration(counters, row, dispatch, number);
	for (size_t i = 0; i < columns->extras_count; i++) {
		if (!is_counter(counters, i) || !str_equal(counter, columns->extras[i].header))
			continue;
		if (heldrows_fill(&counters->rows, dispatch, KEV_CORE + i, number))
			add_unit(counters, i, csvrow_value(row, CSV_VALUE_UNIT));
		counters->seen[i] = true;
	}
	return new;
}

const struct str *counters_missing(const struct counters *counters)
{
	for (size_t i = 0; i < counters->columns->extras_count; i++)
		if (is_counter(counters, i) && !counters->seen[i])
			return &counters->columns->extras[i].header;
	return NULL;
}

void counters_free(struct counters *counters)
{
	heldrows_free(&counters->rows);
	forget_extras(counters);
	buf_free(&counters->key);
	buf_free(&counters->dur);
	buf_free(&counters->plain);
	*counters = (struct counters){0};
}
