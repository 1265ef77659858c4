#include "counters.h"

#include "base/mem.h"
#include "stream/kev.h"

#include <stdlib.h>

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
