#include "counters.h"

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

void heldrows_fill(struct heldrows *rows, size_t number, size_t column, struct str text)
{
	struct heldrows_span *field = &rows->field[number * rows->columns + column];

	if (field->n == 0)
		*field = save(rows, text);
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

void counters_begin(struct counters *counters, const struct csvcolumns *columns)
{
	counters->columns = columns;
	heldrows_begin(&counters->rows, columns->count);
	free(counters->seen);
	counters->seen = mem_zero(columns->extras_count, sizeof *counters->seen);
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

bool counters_add(struct counters *counters, struct csvrow *row)
{
	const struct csvcolumns *columns = counters->columns;
	struct str counter = csvrow_value(row, CSV_COUNTER);
	bool new;
	size_t dispatch = heldrows_add(&counters->rows, dispatch_key(counters, row), row->field, &new);

	for (size_t i = 0; i < columns->extras_count; i++) {
		if (!is_counter(counters, i) || !str_equal(counter, columns->extras[i].header))
			continue;
		counters->seen[i] = true;
		heldrows_fill(&counters->rows, dispatch, KEV_CORE + i, csvrow_value(row, CSV_VALUE));
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
	free(counters->seen);
	buf_free(&counters->key);
	*counters = (struct counters){0};
}
