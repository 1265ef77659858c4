/* bars: a picture of a table. */
#include "../unit.h"

#include "kplot/bars.h"

static void rows_and_others(void **state)
{
	struct bars bars = {.values = 1, .unit = "us", .shares = true, .title = {STR("total")}};
	struct script_frame frame = {.title = STR("t")};
	struct buf script = {0};
	struct dec value = dec_of(1000);

	(void)state;
	for (size_t i = 0; i < BARS_MOST + 2; i++)
		bars_add(&bars, i ? STR("a'%") : STR("first"), &value);
	assert_true(bars_script(&bars, frame, &script));
	assert_true(str_has(buf_view(&script), STR("('first' 0, 'a'.\"\\047\".'%%' 1, ")));
	assert_true(str_has(buf_view(&script), STR(", '(3 others)' 39)\n")));
	assert_true(str_has(buf_view(&script), STR("'3000   7.1 %' at 3000,39 left")));
	assert_true(str_has(buf_view(&script), STR("0 3000 38.62 39.38\nEND\n")));
	buf_free(&script);
	bars_free(&bars);
}

/* A bar for each row, its values after each other; the label is their sum. */
static void stacked(void **state)
{
	struct bars bars = {.values = 2, .unit = "us", .stack = true, .title = {STR("idle"), STR("0")}};
	struct script_frame frame = {0};
	struct buf script = {0};
	struct dec value[] = {dec_of(3), dec_of(4)};

	(void)state;
	for (size_t i = 0; i < BARS_MOST + 1; i++)
		bars_add(&bars, STR("a"), value);
	assert_true(bars_script(&bars, frame, &script));
	assert_true(str_has(buf_view(&script), STR("size 1000,1126 ")));
	assert_true(str_has(buf_view(&script), STR("set label '7.00' at 7,0 left")));
	assert_true(str_has(buf_view(&script), STR("set label '14.00' at 14,39 left")));
	assert_true(str_has(buf_view(&script), STR("$d0 << END\n0 3 -0.38 0.38\n")));
	assert_true(str_has(buf_view(&script), STR("$d1 << END\n3 7 -0.38 0.38\n")));
	assert_true(str_has(buf_view(&script), STR("6 14 38.62 39.38\nEND\n")));
	assert_true(str_has(buf_view(&script), STR("linecolor rgb '#b8b8b8' title 'idle', ")));
	assert_true(str_has(buf_view(&script), STR("linecolor rgb '#4477aa' title '0'\n")));
	buf_free(&script);
	bars_free(&bars);
}

static void too_large(void **state)
{
	struct bars bars = {.values = 1, .unit = "", .title = {STR("x")}};
	struct script_frame frame = {0};
	struct buf script = {0};
	struct dec value = {(__int128)(((unsigned __int128)-1) >> 1)};
	struct dec values[] = {value, value};

	(void)state;
	bars_add(&bars, STR("a"), &value);
	bars_add(&bars, STR("b"), &value);
	assert_false(bars_script(&bars, frame, &script));
	bars_free(&bars);
	bars = (struct bars){.values = 2, .unit = "", .stack = true, .title = {STR("x"), STR("y")}};
	bars_add(&bars, STR("a"), values);
	assert_false(bars_script(&bars, frame, &script));
	buf_free(&script);
	bars_free(&bars);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_others),
		cmocka_unit_test(stacked),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
