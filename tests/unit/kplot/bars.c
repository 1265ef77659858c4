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

static void too_large(void **state)
{
	struct bars bars = {.values = 1, .unit = "", .title = {STR("x")}};
	struct script_frame frame = {0};
	struct buf script = {0};
	struct dec value = {(__int128)(((unsigned __int128)-1) >> 1)};

	(void)state;
	bars_add(&bars, STR("a"), &value);
	bars_add(&bars, STR("b"), &value);
	assert_false(bars_script(&bars, frame, &script));
	buf_free(&script);
	bars_free(&bars);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_others),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
