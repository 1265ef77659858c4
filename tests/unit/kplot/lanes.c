/* lanes: a picture of time. */
#include "../unit.h"

#include "kplot/lanes.h"

/* Nested events are below; the order of the rows does not matter; boxes of a pixel are merged. */
static void boxes(void **state)
{
	static const struct str labels[] = {BYTES("first"), BYTES("second")};
	struct lanes lanes = {.unit = "us", .labels = labels};
	struct script_frame frame = {.title = STR("t")};
	struct buf script = {0};

	(void)state;
	lanes_add(&lanes, STR("1"), STR("in"), dec_of(100), dec_of(50));
	lanes_add(&lanes, STR("1"), STR("out"), dec_of(10), dec_of(2300));
	lanes_add(&lanes, STR("2"), STR("in"), dec_of(20), dec_of(1));
	lanes_add(&lanes, STR("2"), STR("in"), dec_of(22), dec_of(1));
	assert_true(lanes_script(&lanes, frame, &script));
	assert_int_equal(lanes.merged, 1);
	assert_int_equal(lanes.deeper + lanes.further, 0);
	assert_true(str_has(buf_view(&script), STR("('first' 24, 'second' 65)")));
	assert_true(str_has(buf_view(&script), STR("$d0 << END\n0 2300 4 21\nEND\n")));
	assert_true(str_has(buf_view(&script), STR("$d1 << END\n90 140 24 41\n10 13 52 78\nEND\n")));
	buf_free(&script);
	lanes_free(&lanes);
}

static void too_far(void **state)
{
	static const struct str labels[] = {BYTES("")};
	struct lanes lanes = {.unit = "us", .labels = labels};
	struct script_frame frame = {0};
	struct buf script = {0};
	__int128 most = (__int128)(((unsigned __int128)-1) >> 1);

	(void)state;
	lanes_add(&lanes, STR(""), STR(""), (struct dec){-most}, dec_of(1));
	lanes_add(&lanes, STR(""), STR(""), (struct dec){most}, dec_of(1));
	assert_false(lanes_script(&lanes, frame, &script));
	buf_free(&script);
	lanes_free(&lanes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes),
		cmocka_unit_test(too_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
