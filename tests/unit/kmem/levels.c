/* levels: slices at whole multiples, each with the total at its beginning. */
#include "../unit.h"

#include "kmem/levels.h"
#include "kmem_made.h"

static void slices(void **state)
{
	static const struct {
		int64_t ts, low, high, last;
	} want[] = {{-10, 100, 130, 130}, {0, 90, 130, 90}, {10, 90, 90, 90}, {20, 90, 95, 95}};
	struct events events = {0};
	struct totals totals;
	struct levels levels;
	struct level level;

	(void)state;
	kmem_made(&events, -3, 30, 1, 130);
	kmem_made(&events, 0, -40, 2, 90);
	kmem_made(&events, 20, 5, 3, 95);
	assert_true(totals_of(&totals, &events));
	assert_true(levels_begin(&levels, &events, &totals, dec_of(10)));
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_true(levels_next(&levels, &level));
		assert_true(level.ts.nano == dec_of(want[i].ts).nano);
		assert_int_equal(level.low, want[i].low);
		assert_int_equal(level.high, want[i].high);
		assert_int_equal(level.last, want[i].last);
	}
	assert_false(levels_next(&levels, &level));
	events_free(&events);
}

static void too_many(void **state)
{
	struct events events = {0};
	struct totals totals;
	struct levels levels;

	(void)state;
	kmem_made(&events, 0, 1, 1, 1);
	kmem_made(&events, LEVELS_MAX, -1, 1, 0);
	assert_true(totals_of(&totals, &events));
	assert_false(levels_begin(&levels, &events, &totals, dec_of(1)));
	assert_true(levels_begin(&levels, &events, &totals, dec_of(2)));
	events_free(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests_name("levels", tests, NULL, NULL);
}
