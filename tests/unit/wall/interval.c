#include "../unit.h"

#include "wall/interval.h"

enum { TIMES = 40, TRACKS = 4 };

/* What the stretches say of each whole time. */
struct grid {
	uint64_t mask[TIMES];
	size_t stretches;
	struct dec last_end;
	uint64_t last_mask;
	bool touches; /* two neighbours have equal tracks */
};

static size_t bits(uint64_t mask)
{
	size_t n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

static void draw(void *arg, const struct interval_stretch *stretch)
{
	struct grid *grid = arg;

	assert_true(dec_compare(stretch->span.start, stretch->span.end) < 0);
	assert_int_equal(stretch->busy, bits(stretch->mask));
	if (stretch->busy == 1)
		assert_int_equal(UINT64_C(1) << stretch->only, stretch->mask);
	if (grid->stretches) {
		assert_true(dec_compare(grid->last_end, stretch->span.start) == 0);
		assert_int_not_equal(grid->last_mask, stretch->mask);
	}
	grid->stretches++;
	grid->last_end = stretch->span.end;
	grid->last_mask = stretch->mask;
	for (int t = 0; t < TIMES; t++)
		if (dec_compare(stretch->span.start, dec_of(t)) <= 0 &&
		    dec_compare(dec_of(t), stretch->span.end) < 0)
			grid->mask[t] = stretch->mask;
}

static struct interval interval_of(int64_t start, int64_t end)
{
	return (struct interval){dec_of(start), dec_of(end)};
}

/* Random intervals on a grid: each time has the tracks that a brute force finds. */
static void as_by_brute_force(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct interval_set sets[TRACKS] = {{0}};
		struct grid grid = {.stretches = 0};
		uint64_t want[TIMES] = {0};
		struct intervals in = {.stretch = draw, .arg = &grid};
		size_t count = unit_random(&seed) % 14;

		for (size_t i = 0; i < count; i++) {
			int start = (int)(unit_random(&seed) % TIMES);
			int end = start + (int)(unit_random(&seed) % 9) - 1;
			size_t track = unit_random(&seed) % TRACKS;

			end = end < TIMES ? end : TIMES;
			interval_set_add(&sets[track], interval_of(start, end));
			for (int t = start; t < end; t++)
				want[t] |= UINT64_C(1) << track;
		}
		intervals_add_sets(&in, sets, TRACKS);
		for (int t = 0; t < TIMES; t++)
			assert_int_equal(grid.mask[t], want[t]);
		for (size_t track = 0; track < TRACKS; track++) {
			int time = 0;

			for (int t = 0; t < TIMES; t++)
				time += (int)(want[t] >> track & 1);
			assert_true(dec_compare(intervals_busy(&in, track), dec_of(time)) == 0);
		}
		intervals_free(&in);
		for (int i = 0; i < TRACKS; i++)
			interval_set_free(&sets[i]);
	}
}

static void put_stretch(void *arg, const struct interval_stretch *stretch)
{
	struct buf *text = arg;

	buf_char(text, '[');
	dec_print(text, stretch->span.start);
	buf_char(text, ' ');
	dec_print(text, stretch->span.end);
	buf_format(text, " %zu]", stretch->busy);
}

/* Touching intervals of a track are one, of two tracks two; idle time is between, never outside. */
static void stretches(void **state)
{
	struct buf text = {0};
	struct intervals in = {.stretch = put_stretch, .arg = &text};

	(void)state;
	assert_true(intervals_add(&in, 0, interval_of(5, 10)));
	assert_true(intervals_add(&in, 0, interval_of(10, 12)));
	assert_true(intervals_add(&in, 100, interval_of(12, 14)));
	assert_false(intervals_add(&in, 0, interval_of(11, 20)));
	assert_true(intervals_add(&in, 0, interval_of(20, 20)));
	assert_true(intervals_add(&in, 0, interval_of(20, 19)));
	assert_true(intervals_add(&in, 0, interval_of(30, 31)));
	intervals_finish(&in);
	assert_str(buf_view(&text), STR("[5 12 1][12 14 1][14 30 0][30 31 1]"));
	intervals_free(&in);
	buf_free(&text);
}

/* An interval that each of many others extends leaves no memory behind. */
static void long_chains(void **state)
{
	struct buf text = {0};
	struct intervals in = {.stretch = put_stretch, .arg = &text};

	(void)state;
	for (int64_t i = 0; i < 100000; i++)
		assert_true(intervals_add(&in, 0, interval_of(i, i + 2)));
	assert_true(in.ends_count < 10);
	intervals_finish(&in);
	assert_str(buf_view(&text), STR("[0 100001 1]"));
	intervals_free(&in);
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_by_brute_force),
		cmocka_unit_test(stretches),
		cmocka_unit_test(long_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
