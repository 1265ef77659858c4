/* events: their order, by ts, Ev Idx and arrival. */
#include "../unit.h"

#include "kmem_made.h"

static void order(void **state)
{
	struct events events = {0};

	(void)state;
	kmem_made(&events, 5, 1, 0, 0);
	kmem_made(&events, 3, 2, 0, 0);
	kmem_made(&events, 5, 3, 0, 0);
	kmem_made(&events, 5, 4, 0, 0);
	events.event[0].idx = 7;
	events.event[2].idx = 6;
	events_sort(&events);
	assert_int_equal(events.event[0].bytes, 2);
	assert_int_equal(events.event[1].bytes, 4); /* without Ev Idx */
	assert_int_equal(events.event[2].bytes, 3);
	assert_int_equal(events.event[3].bytes, 1);
	assert_int_equal(events.event[3].row, 0);
	events_free(&events);
}

static void arrival(void **state)
{
	struct events events = {0};

	(void)state;
	for (int i = 0; i < 1000; i++)
		kmem_made(&events, i % 3, i + 1, 0, 0);
	events_sort(&events);
	for (size_t i = 1; i < events.count; i++)
		assert_true(events.event[i].ts.nano > events.event[i - 1].ts.nano ||
		            events.event[i].row > events.event[i - 1].row);
	assert_int_equal(events_until(&events, dec_of(-1)), 0);
	assert_int_equal(events_until(&events, dec_of(0)), 334);
	assert_int_equal(events_until(&events, dec_of(1)), 667);
	assert_int_equal(events_until(&events, dec_of(9)), 1000);
	events_free(&events);
}

static void none(void **state)
{
	struct events events = {0};

	(void)state;
	events_sort(&events);
	assert_int_equal(events_until(&events, dec_of(1)), 0);
	events_free(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order),
		cmocka_unit_test(arrival),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
