/* aie: events of a tile, two bytes each behind one of options, and the laws of pairs and
 * iterations. */
#include "../fuzz.h"

#include "aiepair/aie.h"

enum { LATEST = 1, BARE = 2, LARGE = 4, SMALL_FACTORS = 8 };

static struct aie_rules rules_of(uint8_t options)
{
	struct aie_rules rules = {.latest = options & LATEST,
	                          .stall_factor = {20, 1},
	                          .dup_gap = {1, 4},
	                          .outlier_lo = {1, 3},
	                          .outlier_hi = {3, 1}};

	if (options & SMALL_FACTORS) {
		rules.stall_factor = (struct aie_factor){3, 2};
		rules.outlier_hi = (struct aie_factor){11, 10};
	}
	if (options & BARE) { /* pairs as they are: only the very same event is a repeat */
		rules.dup_gap = rules.outlier_lo = (struct aie_factor){0, 1};
		rules.outlier_hi = (struct aie_factor){999999999999999, 1};
	}
	return rules;
}

/* The events, from the first to the last or the other way. */
static struct aie_tile tile_of(const uint8_t *data, size_t size, uint8_t options, bool backwards)
{
	struct aie_tile tile = {0};
	struct aie_times *lists[] = {&tile.starts, &tile.ends, &tile.stall_begins, &tile.stall_ends};

	for (size_t i = 0; i < size / 2; i++) {
		const uint8_t *event = data + 2 * (backwards ? size / 2 - 1 - i : i);
		int64_t time = ((event[0] & 0x3f) << 8 | event[1]) - 64;

		aie_times_add(lists[event[0] >> 6], options & LARGE ? time * (AIE_TIME_MAX >> 14) : time);
	}
	return tile;
}

static bool have(const struct aie_times *times, int64_t time)
{
	for (size_t i = 0; i < times->count; i++)
		if (times->at[i] == time)
			return true;
	return false;
}

static bool is_kernel(const struct aie_tile *tile, int64_t start, int64_t end)
{
	for (size_t i = 0; i < tile->starts.count; i++)
		if (tile->starts.at[i] == start && tile->ends.at[i] == end)
			return true;
	return false;
}

static void kernels(const struct aie_tile *tile, const struct aie_tile *given, bool latest)
{
	size_t shorter = 0;
	size_t longer = 0;

	LAW(tile->starts.count == tile->ends.count);
	for (size_t i = 0; i < tile->starts.count; i++) {
		int64_t start = tile->starts.at[i];
		int64_t end = tile->ends.at[i];

		LAW(start < end && have(&given->starts, start) && have(&given->ends, end));
		LAW(i == 0 || start > tile->ends.at[i - 1] || (latest && start == tile->ends.at[i - 1]));
		shorter += dec_compare(dec_of(end - start), tile->median) < 0;
		longer += dec_compare(dec_of(end - start), tile->median) > 0;
	}
	LAW(shorter <= tile->starts.count / 2 && longer <= tile->starts.count / 2);
	LAW((tile->iterations == 0) == (tile->starts.count == 0));
}

/* With nothing left out: an end and the last begin before it are a kernel, unless an end is
 * between. */
static void all_latest(const struct aie_tile *tile, const struct aie_tile *given)
{
	size_t count = 0;

	for (size_t i = 0; i < given->ends.count; i++) {
		int64_t end = given->ends.at[i];
		int64_t start = INT64_MIN;
		bool first = true;

		for (size_t j = 0; j < given->starts.count; j++)
			if (given->starts.at[j] < end && given->starts.at[j] > start)
				start = given->starts.at[j];
		for (size_t j = 0; j < given->ends.count; j++)
			if (given->ends.at[j] > start && given->ends.at[j] < end)
				first = false;
		for (size_t j = 0; j < i; j++)
			if (given->ends.at[j] == end)
				first = false;
		if (start == INT64_MIN || !first)
			continue;
		LAW(is_kernel(tile, start, end));
		count++;
	}
	LAW(count == tile->starts.count);
}

static void iterations(const struct aie_tile *tile, const struct aie_tile *given)
{
	const struct aie_times *boundaries = &tile->stall_ends;
	size_t kernel = 0;

	if (tile->iterations == 0)
		return;
	for (size_t i = 0; i < boundaries->count; i++)
		LAW(have(&given->stall_ends, boundaries->at[i]) &&
		    (i == 0 || boundaries->at[i] > boundaries->at[i - 1]));
	LAW(tile->iterations <= boundaries->count + 1 && tile->first[0] == 0);
	for (size_t i = 0; i < tile->iterations; i++) {
		struct aie_iteration it = aie_iteration(tile, i);

		LAW(tile->first[i] == kernel && it.span == aie_span(tile, i));
		LAW(it.total <= it.span && it.min <= it.max && it.max <= it.total);
		LAW((__int128)it.min * (__int128)it.kernels <= it.total);
		for (size_t k = 0; k < it.kernels; k++, kernel++) {
			size_t past = 0;

			while (past < boundaries->count && tile->starts.at[kernel] > boundaries->at[past])
				past++;
			LAW(past == i);
		}
	}
	LAW(kernel == tile->starts.count && tile->first[tile->iterations] == kernel);
}

static void same(const struct aie_tile *a, const struct aie_tile *b)
{
	LAW(a->starts.count == b->starts.count && a->iterations == b->iterations);
	LAW(a->median.nano == b->median.nano);
	for (size_t i = 0; i < a->starts.count; i++)
		LAW(a->starts.at[i] == b->starts.at[i] && a->ends.at[i] == b->ends.at[i]);
	for (size_t i = 0; i < a->iterations; i++)
		LAW(a->first[i] == b->first[i]);
}

/* A factor is read in its lowest terms; printed and read again, it is equal. */
static void factor(struct str text)
{
	struct aie_factor got;
	struct aie_factor again;
	struct buf out = {0};

	if (!aie_factor_parse(text, &got))
		return;
	LAW(got.numerator >= 0 && got.denominator > 0);
	dec_quotient_fixed(&out, dec_of(got.numerator), dec_of(1000000000), 0, 9);
	buf_char(&out, '/');
	dec_quotient_fixed(&out, dec_of(got.denominator), dec_of(1000000000), 0, 9);
	LAW(aie_factor_parse(buf_view(&out), &again));
	LAW(again.numerator == got.numerator && again.denominator == got.denominator);
	buf_free(&out);
}

static void try_input(const uint8_t *data, size_t size)
{
	uint8_t options = size ? data[0] : 0;
	struct aie_rules rules = rules_of(options);
	struct aie_tile given;
	struct aie_tile tile;
	struct aie_tile backwards;

	factor((struct str){(const char *)data, size});
	if (size == 0 || size > 1024)
		return;
	given = tile_of(data + 1, size - 1, options, false);
	tile = tile_of(data + 1, size - 1, options, false);
	backwards = tile_of(data + 1, size - 1, options, true);
	aie_pair(&tile, &rules);
	aie_pair(&backwards, &rules);
	kernels(&tile, &given, rules.latest);
	iterations(&tile, &given);
	same(&tile, &backwards);
	if ((options & (LATEST | BARE)) == (LATEST | BARE))
		all_latest(&tile, &given);
	aie_tile_free(&given);
	aie_tile_free(&tile);
	aie_tile_free(&backwards);
}
