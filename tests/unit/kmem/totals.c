/* totals: start, peak, end and breaks, with totals, with some of them and without. */
#include "../unit.h"

#include "kmem/totals.h"
#include "kmem_made.h"

static struct totals of(const int64_t (*made)[2], size_t count)
{
	struct events events = {0};
	struct totals totals;

	for (size_t i = 0; i < count; i++)
		kmem_made(&events, (int64_t)i, made[i][0], i, made[i][1]);
	assert_true(totals_of(&totals, &events));
	assert_int_equal(totals_after(&totals, &events, 0), totals.start);
	assert_int_equal(totals_after(&totals, &events, count), totals.end);
	events_free(&events);
	return totals;
}

static void breaks(void **state)
{
	const int64_t made[][2] = {{100, 100}, {50, 170}, {-100, 70}, {8, 70}};
	struct totals totals = of(made, COUNT(made));

	(void)state;
	assert_int_equal(totals.start, 0);
	assert_int_equal(totals.peak, 170);
	assert_int_equal(totals.peak_count, 2);
	assert_int_equal(totals.end, 70);
	assert_int_equal(totals.breaks, 2);
	assert_int_equal(totals.allocs, 3);
	assert_true(totals.allocated.nano == dec_of(158).nano);
	assert_true(totals.freed.nano == dec_of(100).nano);
	assert_int_equal(totals.reserved_max, EVENTS_NONE);
}

/* The peak is start, which the third event reaches again; or which no event reaches. */
static void peak_at_start(void **state)
{
	const int64_t again[][2] = {{-40, 960}, {10, 970}, {30, 1000}, {-10, 990}};
	const int64_t never[][2] = {{-40, 960}, {10, 970}};

	(void)state;
	assert_int_equal(of(again, COUNT(again)).peak, 1000);
	assert_int_equal(of(again, COUNT(again)).peak_count, 3);
	assert_int_equal(of(never, COUNT(never)).peak, 1000);
	assert_int_equal(of(never, COUNT(never)).peak_count, 0);
}

static void relative(void **state)
{
	const int64_t made[][2] = {{-5, EVENTS_NONE}, {9, EVENTS_NONE}};
	struct totals totals = of(made, COUNT(made));

	(void)state;
	assert_true(totals.relative);
	assert_int_equal(totals.start, 0);
	assert_int_equal(totals.peak, 4);
	assert_int_equal(totals.breaks, 0);
}

static void some_totals(void **state)
{
	const int64_t made[][2] = {{-5, EVENTS_NONE}, {9, 104}, {1, EVENTS_NONE}, {1, 107}};
	struct totals totals = of(made, COUNT(made));

	(void)state;
	assert_false(totals.relative);
	assert_int_equal(totals.start, 100);
	assert_int_equal(totals.end, 107);
	assert_int_equal(totals.breaks, 1);
}

static void reserved(void **state)
{
	struct events events = {0};
	struct totals totals;

	(void)state;
	kmem_made(&events, 0, 4, 1, 4);
	kmem_made(&events, 1, -4, 1, 0);
	events.event[0].reserved = 8;
	events.event[1].reserved = 16;
	assert_true(totals_of(&totals, &events));
	assert_int_equal(totals.reserved, 8);
	assert_int_equal(totals.reserved_max, 16);
	events.event[0].reserved = events.event[1].reserved = 0;
	assert_true(totals_of(&totals, &events));
	assert_int_equal(totals.reserved, EVENTS_NONE);
	events_free(&events);
}

static void too_large(void **state)
{
	struct events events = {0};
	struct totals totals;

	(void)state;
	for (int i = 0; i < 3; i++)
		kmem_made(&events, i, EVENTS_LARGEST, 1, EVENTS_NONE);
	assert_false(totals_of(&totals, &events));
	events.event[0].total = events.event[1].total = EVENTS_NONE;
	events.event[2].total = -EVENTS_LARGEST;
	assert_false(totals_of(&totals, &events));
	events_free(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(breaks),      cmocka_unit_test(peak_at_start), cmocka_unit_test(relative),
		cmocka_unit_test(some_totals), cmocka_unit_test(reserved),      cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests_name("totals", tests, NULL, NULL);
}
