#include "samples.h"

#include "base/mem.h"
#include "syntax/sortkey.h"
#include "syntax/tsv.h"

#include <stdlib.h>

enum { CELLS_FIRST = 64 }; /* room for so many */

/* --- adding --------------------------------------------------------------------- */

size_t samples_group(struct samples *samples, struct str key)
{
	return strmap_add(&samples->groups, key, NULL);
}

size_t samples_unit(struct samples *samples, int side, size_t file, struct str key)
{
	struct samples_side *of = &samples->side[side];
	bool added;
	size_t number;

	of->key.len = 0;
	sortkey_put_number(&of->key, file);
	buf_str(&of->key, key);
	number = strmap_add(&of->units, buf_view(&of->key), &added);
	if (added) {
		of->unit = mem_grow(of->unit, &of->unit_cap, number + 1, sizeof *of->unit);
		of->unit[number] = (struct samples_unit){.file = file, .run = samples->one_run ? 0 : file};
	}
	return number;
}

/* --- cells -------------------------------------------------------------------------- */

/* Sorts the cells by a number below `numbers` that each has, and keeps the order of equal ones. */
static void sort_cells(struct samples_side *of,
                       size_t (*number)(const struct samples_side *, const struct samples_cell *),
                       size_t numbers)
{
	size_t *start = mem_zero(numbers + 1, sizeof *start);
	struct samples_cell *sorted = mem_alloc(of->cells, sizeof *sorted);

	for (size_t i = 0; i < of->cells; i++)
		start[number(of, &of->cell[i]) + 1]++;
	for (size_t i = 0; i < numbers; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < of->cells; i++)
		sorted[start[number(of, &of->cell[i])]++] = of->cell[i];
	free(of->cell);
	of->cell = sorted;
	/* Each start has moved to the next one. */
	free(of->start);
	of->start = start;
}

static size_t place_of(const struct samples_side *of, const struct samples_cell *cell)
{
	return of->unit[cell->unit].place;
}

static size_t group_of(const struct samples_side *of, const struct samples_cell *cell)
{
	(void)of;
	return cell->group;
}

static size_t unit_of(const struct samples_side *of, const struct samples_cell *cell)
{
	(void)of;
	return cell->unit;
}

/* Adds up the cells of a unit and group. Then each group has its cells in one place. */
static bool join_cells(struct samples *samples, struct samples_side *of)
{
	size_t kept = 0;
	bool good = true;

	sort_cells(of, unit_of, of->units.count);
	sort_cells(of, group_of, samples->groups.count);
	for (size_t i = 1; i < of->cells; i++) {
		struct samples_cell *last = &of->cell[kept];

		if (last->group == of->cell[i].group && last->unit == of->cell[i].unit)
			good &= dec_sum(&last->total, &last->negative, of->cell[i].total, of->cell[i].negative);
		else
			of->cell[++kept] = of->cell[i];
	}
	of->cells = of->cells ? kept + 1 : 0;
	of->cells_cap = of->cells;
	return good;
}

/* Makes room for a cell: if different cells need more than half of the room, it doubles. */
static bool grow_cells(struct samples *samples, struct samples_side *of)
{
	size_t cap = of->cells_cap ? of->cells_cap : CELLS_FIRST;
	bool good = of->cells == 0 || join_cells(samples, of);

	of->cells_cap = of->cells >= cap / 2 ? 2 * cap : cap;
	of->cell = mem_resize(of->cell, of->cells_cap, sizeof *of->cell);
	memset(of->last, 0, of->last_cap * sizeof *of->last);
	for (size_t i = 0; i < of->cells; i++)
		of->last[of->cell[i].group] = i + 1;
	return good;
}

bool samples_add(struct samples *samples, int side, size_t group, size_t unit, struct dec dur)
{
	struct samples_side *of = &samples->side[side];
	struct samples_cell *cell;
	bool good = true;

	of->last = mem_grow_zero(of->last, &of->last_cap, group + 1, sizeof *of->last);
	if (of->last[group] && of->cell[of->last[group] - 1].unit == unit) {
		cell = &of->cell[of->last[group] - 1];
		return dec_sum(&cell->total, &cell->negative, dur, (struct dec){0});
	}
	if (of->cells == of->cells_cap)
		good = grow_cells(samples, of);
	cell = &of->cell[of->cells];
	*cell = (struct samples_cell){.group = group, .unit = unit};
	dec_sum(&cell->total, &cell->negative, dur, (struct dec){0});
	of->last[group] = ++of->cells;
	return good;
}

bool samples_pool(struct samples *samples, int side, size_t group, struct dec dur, uint64_t count)
{
	struct samples_side *of = &samples->side[side];

	of->pooled = mem_grow_zero(of->pooled, &of->pooled_cap, group + 1, sizeof *of->pooled);
	durations_add(&of->pooled[group].durations, dur, count);
	return group_add(&of->pooled[group], dur, count) && of->pooled[group].count <= SAMPLES_MOST;
}

/* --- order ------------------------------------------------------------------------ */

struct place {
	struct str key; /* whose bytes have the order of units */
	size_t unit;
};

static int compare_places(const void *a, const void *b)
{
	return str_compare(((const struct place *)a)->key, ((const struct place *)b)->key);
}

/*
 * Appends the key of a unit, its file and fields, as bytes in the order of the values; values such
 * as 1 and 1.0 have the order of their texts.
 */
static void put_order(struct buf *keys, struct str unit, struct buf *scratch)
{
	struct str rest = {unit.s + SORTKEY_NUMBER, unit.n - SORTKEY_NUMBER};

	buf_bytes(keys, unit.s, SORTKEY_NUMBER);
	for (;;) {
		const char *tab = rest.n ? memchr(rest.s, '\t', rest.n) : NULL;
		size_t n = tab ? (size_t)(tab - rest.s) : rest.n;

		sortkey_put(keys, tsv_text((struct str){rest.s, n}, scratch), false);
		if (!tab)
			break;
		rest.s += n + 1;
		rest.n -= n + 1;
	}
	buf_str(keys, unit);
}

/* The units of a side in their order; the caller frees them, and the bytes of their keys. */
static struct place *sort_units(const struct samples_side *of, struct buf *keys)
{
	size_t count = of->units.count;
	struct place *places = mem_alloc(count, sizeof *places);
	size_t *ends = mem_alloc(count, sizeof *ends);
	struct buf scratch = {0};

	for (size_t i = 0; i < count; i++) {
		put_order(keys, strmap_key(&of->units, i), &scratch);
		ends[i] = keys->len;
	}
	for (size_t i = 0; i < count; i++) {
		size_t at = i ? ends[i - 1] : 0;

		places[i] = (struct place){{keys->data + at, ends[i] - at}, i};
	}
	if (count)
		qsort(places, count, sizeof *places, compare_places);
	free(ends);
	buf_free(&scratch);
	return places;
}

static void place_units(struct samples_side *of, size_t skip)
{
	struct buf keys = {0};
	struct place *places = sort_units(of, &keys);
	size_t in_run = 0;

	for (size_t i = 0; i < of->units.count; i++) {
		struct samples_unit *unit = &of->unit[places[i].unit];

		in_run = i && unit->run == of->unit[places[i - 1].unit].run ? in_run + 1 : 0;
		unit->place = i;
		unit->skipped = in_run < skip;
	}
	free(places);
	buf_free(&keys);
}

static void leave_out(struct samples_side *of)
{
	size_t kept = 0;

	for (size_t i = 0; i < of->cells; i++)
		if (!of->unit[of->cell[i].unit].skipped)
			of->cell[kept++] = of->cell[i];
	of->cells = kept;
}

bool samples_settle(struct samples *samples, size_t skip)
{
	bool good = true;

	for (int i = 0; i < SAMPLES_SIDES; i++) {
		struct samples_side *of = &samples->side[i];

		good &= join_cells(samples, of);
		place_units(of, skip);
		leave_out(of);
		sort_cells(of, place_of, of->units.count);
		sort_cells(of, group_of, samples->groups.count);
		of->pooled =
			mem_grow_zero(of->pooled, &of->pooled_cap, samples->groups.count, sizeof *of->pooled);
		for (size_t g = 0; g < samples->groups.count; g++)
			durations_sort(&of->pooled[g].durations);
	}
	return good;
}

/* --- the samples -------------------------------------------------------------------- */

size_t samples_units(const struct samples_side *side)
{
	size_t left = 0;

	for (size_t i = 0; i < side->units.count; i++)
		left += !side->unit[i].skipped;
	return left;
}

struct autocorrelation_value *samples_series(const struct samples_side *side, size_t group,
                                             size_t *count)
{
	size_t from = group ? side->start[group - 1] : 0;
	struct autocorrelation_value *series;

	*count = side->start[group] - from;
	if (*count == 0)
		return NULL;
	series = mem_alloc(*count, sizeof *series);
	for (size_t i = 0; i < *count; i++) {
		const struct samples_cell *cell = &side->cell[from + i];

		series[i] = (struct autocorrelation_value){cell->total, side->unit[cell->unit].run};
	}
	return series;
}

struct autocorrelation_value *samples_sums(const struct samples_side *side, size_t *count)
{
	size_t units = side->units.count;
	struct autocorrelation_value *sums = mem_zero(units, sizeof *sums);
	struct dec *negative = mem_zero(units, sizeof *negative);
	bool *filled = mem_zero(units, sizeof *filled);
	size_t kept = 0;
	bool good = true;

	for (size_t i = 0; i < side->cells; i++) {
		const struct samples_unit *unit = &side->unit[side->cell[i].unit];

		filled[unit->place] = true;
		sums[unit->place].run = unit->run;
		good &= dec_sum(&sums[unit->place].value, &negative[unit->place], side->cell[i].total,
		                side->cell[i].negative);
	}
	for (size_t i = 0; i < units; i++)
		if (filled[i])
			sums[kept++] = sums[i];
	free(filled);
	free(negative);
	*count = kept;
	if (good)
		return sums;
	free(sums);
	return NULL;
}

struct group *samples_pooled(struct samples_side *side, size_t group)
{
	return side->pooled[group].count ? &side->pooled[group] : NULL;
}

void samples_free(struct samples *samples)
{
	for (int i = 0; i < SAMPLES_SIDES; i++) {
		struct samples_side *of = &samples->side[i];

		for (size_t g = 0; g < of->pooled_cap; g++)
			group_free(&of->pooled[g]);
		free(of->pooled);
		free(of->unit);
		free(of->cell);
		free(of->last);
		free(of->start);
		strmap_free(&of->units);
		buf_free(&of->key);
	}
	strmap_free(&samples->groups);
	*samples = (struct samples){0};
}
