/* timeline: which span is open at a time. */
#include "../unit.h"

#include "trace/timeline.h"

static struct dec at(const char *text)
{
	struct dec x = {0};

	assert_int_equal(dec_parse(str_of(text), &x), DEC_OK);
	return x;
}

static void an_empty_one_has_nothing_open(void **state)
{
	struct timeline t = {0};

	(void)state;
	timeline_build(&t);
	assert_int_equal(timeline_at(&t, 0, dec_of(0)), TIMELINE_NONE);
	assert_int_equal(timeline_any(&t, dec_of(0)), TIMELINE_NONE);
	timeline_free(&t);
}

/* At epoch times in microseconds a double would not tell these apart. */
static void open_from_the_start_up_to_the_end(void **state)
{
	struct timeline t = {0};

	(void)state;
	assert_true(timeline_add(&t, 2, at("1716543210123456.001"), at("0.002"), 5));
	timeline_build(&t);
	assert_int_equal(timeline_at(&t, 2, at("1716543210123456")), TIMELINE_NONE);
	assert_int_equal(timeline_at(&t, 2, at("1716543210123456.000999999")), TIMELINE_NONE);
	assert_int_equal(timeline_at(&t, 2, at("1716543210123456.001")), 5);
	assert_int_equal(timeline_at(&t, 2, at("1716543210123456.002999999")), 5);
	assert_int_equal(timeline_at(&t, 2, at("1716543210123456.003")), TIMELINE_NONE);
	/* Not on another track, but near it. */
	for (size_t track = 0; track < 5; track++) {
		assert_int_equal(timeline_at(&t, track, at("1716543210123456.001")),
		                 track == 2 ? 5 : TIMELINE_NONE);
		assert_int_equal(timeline_near(&t, track, at("1716543210123456.001")), 5);
	}
	timeline_free(&t);
}

static void what_has_no_duration_is_never_open(void **state)
{
	struct timeline t = {0};

	(void)state;
	assert_true(timeline_add(&t, 0, dec_of(1), dec_of(0), 1));
	assert_true(timeline_add(&t, 0, dec_of(1), dec_of(-5), 2));
	timeline_build(&t);
	for (int64_t time = -6; time < 4; time++)
		assert_int_equal(timeline_at(&t, 0, dec_of(time)), TIMELINE_NONE);
	timeline_free(&t);
}

static void an_end_too_large_is_refused(void **state)
{
	const struct dec most = {(__int128)((unsigned __int128)-1 >> 1)};
	struct timeline t = {0};

	(void)state;
	assert_false(timeline_add(&t, 0, most, dec_of(1), 1));
	assert_true(timeline_add(&t, 0, (struct dec){-most.nano}, most, 2));
	assert_true(timeline_add(&t, 0, dec_of(-1), most, 3));
	timeline_build(&t);
	assert_int_equal(timeline_at(&t, 0, dec_of(-2)), 2);
	assert_int_equal(timeline_at(&t, 0, dec_of(-1)), 3);
	assert_int_equal(timeline_at(&t, 0, dec_of(0)), 3);
	timeline_free(&t);
}

/* The shortest, then what started last, then the larger value. */
static void of_several_one_counts(void **state)
{
	struct timeline t = {0};

	(void)state;
	timeline_add(&t, 0, dec_of(0), dec_of(100), 1); /* the outermost */
	timeline_add(&t, 0, dec_of(10), dec_of(20), 2);
	timeline_add(&t, 0, dec_of(20), dec_of(20), 3); /* overlaps 2 and is as long */
	timeline_add(&t, 0, dec_of(50), dec_of(10), 5); /* one span twice */
	timeline_add(&t, 0, dec_of(50), dec_of(10), 4);
	timeline_add(&t, 1, dec_of(55), dec_of(9), 6);
	timeline_build(&t);
	assert_int_equal(timeline_at(&t, 0, dec_of(5)), 1);
	assert_int_equal(timeline_at(&t, 0, dec_of(10)), 2);
	assert_int_equal(timeline_at(&t, 0, dec_of(19)), 2);
	assert_int_equal(timeline_at(&t, 0, dec_of(20)), 3);
	assert_int_equal(timeline_at(&t, 0, dec_of(30)), 3);
	assert_int_equal(timeline_at(&t, 0, dec_of(40)), 1);
	assert_int_equal(timeline_at(&t, 0, dec_of(55)), 5);
	assert_int_equal(timeline_any(&t, dec_of(54)), 5);
	assert_int_equal(timeline_any(&t, dec_of(55)), 6);
	assert_int_equal(timeline_near(&t, 0, dec_of(55)), 5);
	assert_int_equal(timeline_near(&t, 1, dec_of(54)), 5);
	assert_int_equal(timeline_at(&t, 0, dec_of(99)), 1);
	assert_int_equal(timeline_at(&t, 0, dec_of(100)), TIMELINE_NONE);
	timeline_free(&t);
}

struct span {
	size_t track;
	int64_t start;
	int64_t dur;
};

/* Whether a counts although b is open too; b came before it. */
static bool counts(const struct span *a, const struct span *b, bool longest)
{
	if (a->dur != b->dur)
		return (a->dur > b->dur) == longest;
	return longest ? a->start < b->start : a->start >= b->start;
}

/* By looking at each of them. */
static uint32_t search(const struct span *spans, size_t count, size_t track, bool any, bool longest,
                       int64_t time)
{
	size_t best = count;

	for (size_t i = 0; i < count; i++) {
		if ((!any && spans[i].track != track) || spans[i].start > time ||
		    spans[i].start + spans[i].dur <= time)
			continue;
		if (best == count || counts(&spans[i], &spans[best], longest))
			best = i;
	}
	return best == count ? TIMELINE_NONE : (uint32_t)best;
}

/*
 * Spans that overlap in all ways, sorted or not, against a search through them; some are of 10^11
 * us and more, which 64 bits of nano do not hold. In some rounds most are open at once, and the
 * later ones are longer. Questions come in order, then in any.
 */
static void random_spans(void **state)
{
	enum { SPANS = 60, TIMES = 50, END = 3 * TIMES };
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct span spans[SPANS];
		size_t count = 1 + unit_below(&seed, SPANS);
		int64_t scale = round % 5 ? 1 : 100000000000;
		size_t tracks = round % 11 ? 3 : 40; /* many answer as one */
		struct timeline t = {.longest = round % 4 == 3};

		for (size_t i = 0; i < count; i++) {
			int64_t start = (int64_t)unit_below(&seed, TIMES);

			if (round % 3 == 0 && i)
				start = spans[i - 1].start + (int64_t)unit_below(&seed, 2);
			spans[i] = (struct span){unit_below(&seed, tracks), start,
			                         (int64_t)unit_below(&seed, round % 2 ? 8 : TIMES) - 1};
			if (round % 7 == 6)
				spans[i] =
					(struct span){0, (int64_t)i / 2, 20 + (int64_t)(2 * i + unit_below(&seed, 8))};
			timeline_add(&t, spans[i].track, dec_of(spans[i].start * scale),
			             dec_of(spans[i].dur * scale), (uint32_t)i);
		}
		timeline_build(&t);
		for (int64_t i = -1; i < 2 * END; i++) {
			int64_t time = i < END ? i : (int64_t)unit_below(&seed, END);

			for (size_t track = 0; track < tracks; track++)
				assert_int_equal(timeline_at(&t, track, dec_of(time * scale)),
				                 search(spans, count, track, false, t.longest, time));
			assert_int_equal(timeline_any(&t, dec_of(time * scale)),
			                 search(spans, count, 0, true, t.longest, time));
		}
		timeline_free(&t);
	}
}

static void the_stretches_of_a_track(void **state)
{
	struct timeline timeline = {0};
	static const struct {
		int64_t begin;
		uint32_t value;
	} want[] = {{10, 1}, {12, 2}, {14, 1}, {20, TIMELINE_NONE}};
	struct dec begin;
	uint32_t value;

	(void)state;
	assert_true(timeline_add(&timeline, 1, dec_of(10), dec_of(10), 1));
	assert_true(timeline_add(&timeline, 1, dec_of(12), dec_of(2), 2));
	timeline_build(&timeline);
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_true(timeline_stretch(&timeline, 1, i, &begin, &value));
		assert_int_equal(dec_compare(begin, dec_of(want[i].begin)), 0);
		assert_int_equal(value, want[i].value);
	}
	assert_false(timeline_stretch(&timeline, 1, COUNT(want), &begin, &value));
	assert_false(timeline_stretch(&timeline, 0, 0, &begin, &value));
	assert_false(timeline_stretch(&timeline, 2, 0, &begin, &value));
	timeline_free(&timeline);
}

/* The earlier of two equally long spans counts, then the span with the smaller value. */
static void the_longest_counts(void **state)
{
	struct timeline timeline = {.longest = true};
	static const struct {
		int64_t time;
		uint32_t value;
	} want[] = {
		{9, TIMELINE_NONE}, {10, 1}, {13, 1}, {18, 4}, {19, 4}, {20, 4}, {29, 4}, {30, 6}, {33, 6},
		{34, TIMELINE_NONE}};

	(void)state;
	assert_true(timeline_add(&timeline, 0, dec_of(12), dec_of(2), 2));
	assert_true(timeline_add(&timeline, 0, dec_of(10), dec_of(10), 3));
	assert_true(timeline_add(&timeline, 0, dec_of(10), dec_of(10), 1));
	assert_true(timeline_add(&timeline, 0, dec_of(18), dec_of(12), 4));
	assert_true(timeline_add(&timeline, 0, dec_of(22), dec_of(12), 6));
	timeline_build(&timeline);
	for (size_t i = 0; i < COUNT(want); i++)
		assert_int_equal(timeline_at(&timeline, 0, dec_of(want[i].time)), want[i].value);
	assert_int_equal(timeline_any(&timeline, dec_of(12)), 1);
	timeline_free(&timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stretches_of_a_track),
		cmocka_unit_test(the_longest_counts),
		cmocka_unit_test(an_empty_one_has_nothing_open),
		cmocka_unit_test(open_from_the_start_up_to_the_end),
		cmocka_unit_test(what_has_no_duration_is_never_open),
		cmocka_unit_test(an_end_too_large_is_refused),
		cmocka_unit_test(of_several_one_counts),
		cmocka_unit_test(random_spans),
	};

	return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
