#include "aie.h"

#include <stdlib.h>

#include "base/mem.h"

enum {
	FACTOR_LIMIT = 1000000,
	HALF = 1000000000 / 2 /* half a cycle, in the unit of struct dec */
};

void aie_times_add(struct aie_times *times, int64_t cycles)
{
	times->at = mem_grow(times->at, &times->cap, times->count + 1, sizeof *times->at);
	times->at[times->count++] = cycles;
}

/* --- factors ------------------------------------------------------------- */

static bool factor_part(struct str text, int64_t *nano)
{
	struct dec value;

	if (dec_parse(text, &value) != DEC_OK || value.nano < 0 ||
	    dec_compare(value, dec_of(FACTOR_LIMIT)) >= 0)
		return false;
	*nano = (int64_t)value.nano;
	return true;
}

bool aie_factor_parse(struct str text, struct aie_factor *out)
{
	const char *slash = text.n ? memchr(text.s, '/', text.n) : NULL;
	struct str above = {text.s, slash ? (size_t)(slash - text.s) : text.n};
	struct str below = slash ? (struct str){slash + 1, text.n - above.n - 1} : STR("1");
	struct aie_factor factor;
	int64_t a;
	int64_t b;

	if (!factor_part(above, &factor.numerator) || !factor_part(below, &factor.denominator) ||
	    factor.denominator == 0)
		return false;
	a = factor.numerator;
	b = factor.denominator;
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	factor.numerator /= a;
	factor.denominator /= a;
	*out = factor;
	return true;
}

/* Twice a median, which may have a half, is whole: below 2^64, times a factor below 2^114. */
static __int128 twice(struct dec median)
{
	return median.nano / HALF;
}

/* The whole cycles in factor * median. */
static __int128 whole_cycles(struct aie_factor factor, struct dec median)
{
	return twice(median) * factor.numerator / (2 * (__int128)factor.denominator);
}

static bool reaches(int64_t cycles, struct aie_factor factor, struct dec median)
{
	return (__int128)cycles * factor.denominator * 2 >= twice(median) * factor.numerator;
}

/* --- sorted times -------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Most traces come in order. */
static void sort(struct aie_times *times)
{
	for (size_t i = 1; i < times->count; i++) {
		if (times->at[i] < times->at[i - 1]) {
			qsort(times->at, times->count, sizeof *times->at, ascending);
			return;
		}
	}
}

/* Drops times less than gap after the last one kept. */
static void drop_repeats(struct aie_times *times, __int128 gap)
{
	size_t kept = 0;

	for (size_t i = 0; i < times->count; i++) {
		if (kept == 0 || times->at[i] - times->at[kept - 1] >= gap)
			times->at[kept++] = times->at[i];
	}
	times->count = kept;
}

/* --- pairs --------------------------------------------------------------- */

/* A walk along two sorted lists. */
struct walk {
	const struct aie_times *begins;
	const struct aie_times *ends;
	bool latest;
	bool apart;   /* skip begins at or before the end of the last pair */
	size_t begin; /* next in the lists */
	size_t end;
	size_t pairs; /* so far */
	int64_t from; /* begin of the last pair */
	int64_t to;
};

/*
 * The next pair; false after the last. Callers may overwrite the lists up to the place of the walk:
 * there are never more pairs.
 */
static bool next_pair(struct walk *w)
{
	const struct aie_times *begins = w->begins;
	const struct aie_times *ends = w->ends;

	while (w->begin < begins->count) {
		int64_t begin = begins->at[w->begin++];

		if (w->apart && w->pairs && begin <= w->to)
			continue;
		while (w->end < ends->count && ends->at[w->end] <= begin)
			w->end++;
		if (w->end == ends->count)
			return false;
		/* If another begin comes before the end, this begin has lost its end. */
		if (w->latest && w->begin < begins->count && begins->at[w->begin] < ends->at[w->end])
			continue;
		w->from = begin;
		w->to = ends->at[w->end++];
		w->pairs++;
		return true;
	}
	return false;
}

/* The median duration of all pairs; 0 without any. */
static struct dec median_of(struct walk walk)
{
	struct aie_times durations = {0};
	__int128 sum = 0;

	while (next_pair(&walk))
		aie_times_add(&durations, walk.to - walk.from);
	if (durations.count) {
		sort(&durations);
		sum = durations.at[(durations.count - 1) / 2];
		sum += durations.at[durations.count / 2];
	}
	free(durations.at);
	return (struct dec){sum * HALF};
}

/* --- a tile -------------------------------------------------------------- */

static struct walk kernel_walk(const struct aie_tile *tile, bool latest)
{
	return (struct walk){.begins = &tile->starts, .ends = &tile->ends, .latest = latest};
}

/* An event that was recorded twice counts once. The least gap comes from a first pairing. */
static void drop_repeated_events(struct aie_tile *tile, const struct aie_rules *rules)
{
	int64_t median = (int64_t)(twice(median_of(kernel_walk(tile, rules->latest))) / 2);
	__int128 gap = whole_cycles(rules->dup_gap, dec_of(median));

	drop_repeats(&tile->starts, gap > 1 ? gap : 1);
	drop_repeats(&tile->ends, gap > 1 ? gap : 1);
}

static void pair_kernels(struct aie_tile *tile, const struct aie_rules *rules)
{
	struct walk walk = kernel_walk(tile, rules->latest);

	/* With the latest begin, a kernel may begin in the cycle in which the last one ended. */
	walk.apart = !rules->latest;
	while (next_pair(&walk)) {
		tile->starts.at[walk.pairs - 1] = walk.from;
		tile->ends.at[walk.pairs - 1] = walk.to;
	}
	tile->starts.count = tile->ends.count = walk.pairs;
}

/* Leaves out kernels far from the median, unless all are. */
static void drop_outliers(struct aie_tile *tile, const struct aie_rules *rules)
{
	struct dec median = median_of(kernel_walk(tile, false));
	__int128 lo = whole_cycles(rules->outlier_lo, median);
	__int128 hi = whole_cycles(rules->outlier_hi, median);
	size_t kept = 0;

	lo = lo > 1 ? lo : 1;
	hi = hi > lo ? hi : lo + 1;
	for (size_t i = 0; i < tile->starts.count; i++) {
		int64_t cycles = tile->ends.at[i] - tile->starts.at[i];

		if (cycles < lo || cycles > hi)
			continue;
		tile->starts.at[kept] = tile->starts.at[i];
		tile->ends.at[kept++] = tile->ends.at[i];
	}
	if (kept)
		tile->starts.count = tile->ends.count = kept;
}

/* Leaves the distinct ends of long stalls in stall_ends. */
static void find_boundaries(struct aie_tile *tile, const struct aie_rules *rules)
{
	struct walk walk = {
		.begins = &tile->stall_begins, .ends = &tile->stall_ends, .latest = rules->latest};
	int64_t *boundary = tile->stall_ends.at;
	size_t count = 0;

	while (next_pair(&walk)) {
		if (reaches(walk.to - walk.from, rules->stall_factor, tile->median) &&
		    (count == 0 || boundary[count - 1] != walk.to))
			boundary[count++] = walk.to;
	}
	tile->stall_ends.count = count;
}

/* A kernel that starts after a boundary closes an iteration, which may be empty. */
static void part(struct aie_tile *tile)
{
	const struct aie_times *boundaries = &tile->stall_ends;
	size_t *first = mem_alloc(boundaries->count + 2, sizeof *first);
	size_t count = 0;

	first[0] = 0;
	for (size_t i = 0; i < tile->starts.count; i++) {
		while (count < boundaries->count && tile->starts.at[i] > boundaries->at[count])
			first[++count] = i;
	}
	first[++count] = tile->starts.count;
	tile->first = first;
	tile->iterations = count;
}

void aie_pair(struct aie_tile *tile, const struct aie_rules *rules)
{
	tile->all_starts = tile->starts.count;
	tile->all_ends = tile->ends.count;
	sort(&tile->starts);
	sort(&tile->ends);
	sort(&tile->stall_begins);
	sort(&tile->stall_ends);
	drop_repeated_events(tile, rules);
	pair_kernels(tile, rules);
	if (tile->starts.count == 0)
		return;
	drop_outliers(tile, rules);
	tile->median = median_of(kernel_walk(tile, false));
	find_boundaries(tile, rules);
	part(tile);
}

int64_t aie_span(const struct aie_tile *tile, size_t i)
{
	size_t from = tile->first[i];
	size_t to = tile->first[i + 1];

	return from < to ? tile->ends.at[to - 1] - tile->starts.at[from] : 0;
}

struct aie_iteration aie_iteration(const struct aie_tile *tile, size_t i)
{
	size_t from = tile->first[i];
	size_t to = tile->first[i + 1];
	struct aie_iteration it = {.kernels = to - from, .span = aie_span(tile, i)};

	if (from == to)
		return it;
	it.first_start = tile->starts.at[from];
	it.last_end = tile->ends.at[to - 1];
	it.min = INT64_MAX;
	for (size_t k = from; k < to; k++) {
		int64_t cycles = tile->ends.at[k] - tile->starts.at[k];

		it.total += cycles;
		it.min = cycles < it.min ? cycles : it.min;
		it.max = cycles > it.max ? cycles : it.max;
	}
	return it;
}

void aie_tile_free(struct aie_tile *tile)
{
	free(tile->starts.at);
	free(tile->ends.at);
	free(tile->stall_begins.at);
	free(tile->stall_ends.at);
	free(tile->first);
	*tile = (struct aie_tile){0};
}
