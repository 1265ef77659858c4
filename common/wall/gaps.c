#include "wall/gaps.h"

#include "base/mem.h"

#include <stdlib.h>

void gaps_add(struct gaps *gaps, size_t device, const struct interval *span)
{
	gaps->item = mem_grow(gaps->item, &gaps->cap, gaps->count + 1, sizeof *gaps->item);
	gaps->item[gaps->count++] =
		(struct gap){.event = {device, *span}, .before = STRMAP_NONE, .after = STRMAP_NONE};
}

static int compare(const void *a, const void *b)
{
	const struct devices_event *x = &((const struct gap *)a)->event;
	const struct devices_event *y = &((const struct gap *)b)->event;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return dec_compare(x->span.start, y->span.start);
}

void gaps_sort(struct gaps *gaps)
{
	if (gaps->count)
		qsort(gaps->item, gaps->count, sizeof *gaps->item, compare);
}

/* The index of the first gap that is not before this one. */
static size_t find(const struct gaps *gaps, const struct gap *sought)
{
	size_t low = 0;
	size_t high = gaps->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&gaps->item[middle], sought) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_less(const struct gaps *gaps, struct str name, size_t other)
{
	return str_compare(name, strmap_key(&gaps->names, other)) < 0;
}

/* Whether a row that begins then and has this name is the one before the gap, of those offered. */
static bool is_before(const struct gaps *gaps, const struct gap *gap, struct dec ts,
                      struct str name)
{
	int order = gap->before == STRMAP_NONE ? 1 : dec_compare(ts, gap->before_ts);

	return order > 0 || (order == 0 && !is_less(gaps, name, gap->before));
}

static struct gaps_beside beside(const struct gaps *gaps, size_t device, const struct interval *row)
{
	struct gaps_beside found = {GAPS_NONE, GAPS_NONE};
	struct gap sought = {.event = {device, {row->end, row->end}}};
	size_t at = find(gaps, &sought);
	const struct gap *gap;

	if (at < gaps->count && compare(&gaps->item[at], &sought) == 0)
		found.next = at;
	/* The last gap that begins before the row may end at its start. */
	sought.event.span.start = row->start;
	at = find(gaps, &sought);
	gap = at ? &gaps->item[at - 1] : NULL;
	if (gap && gap->event.device == device && dec_compare(gap->event.span.end, row->start) == 0)
		found.last = at - 1;
	return found;
}

struct gaps_beside gaps_offer(struct gaps *gaps, size_t device, const struct interval *row,
                              struct str name)
{
	struct gaps_beside found = beside(gaps, device, row);
	struct gap *next = found.next == GAPS_NONE ? NULL : &gaps->item[found.next];
	struct gap *last = found.last == GAPS_NONE ? NULL : &gaps->item[found.last];
	bool before = next && is_before(gaps, next, row->start, name);
	bool after = last && (last->after == STRMAP_NONE || is_less(gaps, name, last->after));
	size_t number;

	if (!before && !after)
		return found;
	number = strmap_add(&gaps->names, name, NULL);
	if (before) {
		next->before = number;
		next->before_ts = row->start;
	}
	if (after)
		last->after = number;
	return found;
}

/* --- table ------------------------------------------------------------------- */

const char *const gaps_names[GAPS_COLUMNS] = {"before", "after"};

static void put_beside(struct sheet *sheet, const void *row, int which)
{
	const struct gaps *gaps = sheet->context;
	const struct gap *gap = row;
	size_t name = which ? gap->after : gap->before;

	if (name != STRMAP_NONE)
		buf_str(&sheet->cell, strmap_key(&gaps->names, name));
}

size_t gaps_first(const struct gaps *gaps, size_t device)
{
	const struct dec earliest = {-((__int128)1 << 126)};
	const struct gap sought = {.event = {device, {earliest, earliest}}};

	return find(gaps, &sought);
}

void gaps_write(const struct gaps *gaps, struct devices_table *table)
{
	const struct sheet_column columns[GAPS_COLUMNS] = {
		{gaps_names[0], SHEET_NAME, put_beside, 0},
		{gaps_names[1], SHEET_NAME, put_beside, 1},
	};
	const struct devices *devices = table->devices;

	table->event = "idle";
	devices_table_begin(table, "Gaps", columns, GAPS_COLUMNS, gaps);
	for (size_t i = 0; i < devices->order_count; i++) {
		for (size_t j = gaps_first(gaps, devices->order[i]);
		     j < gaps->count && gaps->item[j].event.device == devices->order[i]; j++)
			sheet_row(&table->sheet, &gaps->item[j]);
	}
	devices_table_end(table);
}

void gaps_free(struct gaps *gaps)
{
	free(gaps->item);
	strmap_free(&gaps->names);
	*gaps = (struct gaps){0};
}
