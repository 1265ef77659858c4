/* legend: which colour means what. */
#include "../unit.h"

#include "kplot/legend.h"

static void grid(void **state)
{
	static const struct legend_entry entry[] = {
		{BYTES("gemm"), "'#000001'"}, {BYTES("it's"), "'#000002'"}, {BYTES("norm"), "'#000003'"}};
	struct script_frame frame = {.width = 100, .height = 100};
	struct legend legend = legend_fit(entry, 3, 140, 2);
	struct buf script = {0};

	(void)state;
	assert_int_equal(legend.columns, 2);
	assert_int_equal(legend.rows, 2);
	assert_int_equal(legend.shown, 3);
	legend_put(&legend, &frame, 10, 20, &script);
	assert_buf(&script, "set object rectangle from screen 0.1000, screen 0.7600 to screen 0.2600, "
	                    "screen 0.6600 fillcolor rgb '#000001' fillstyle solid noborder\n"
	                    "set label 'gemm' at screen 0.3200, screen 0.7100 left\n"
	                    "set object rectangle from screen 0.7800, screen 0.7600 to screen 0.9400, "
	                    "screen 0.6600 fillcolor rgb '#000002' fillstyle solid noborder\n"
	                    "set label 'it'.\"\\047\".'s' at screen 1.0000, screen 0.7100 left\n"
	                    "set object rectangle from screen 0.1000, screen 0.5800 to screen 0.2600, "
	                    "screen 0.4800 fillcolor rgb '#000003' fillstyle solid noborder\n"
	                    "set label 'norm' at screen 0.3200, screen 0.5300 left\n");
	buf_free(&script);
	legend_free(&legend);
}

/* A legend that leaves out entries reports how many. */
static void no_room(void **state)
{
	static const struct legend_entry entry[] = {
		{BYTES("a"), "'#000001'"}, {BYTES("b"), "'#000002'"}, {BYTES("c"), "'#000003'"}};
	struct script_frame frame = {.width = 100, .height = 100};
	struct legend legend = legend_fit(entry, 3, 1, 2);
	struct buf script = {0};

	(void)state;
	assert_int_equal(legend.rows, 2);
	legend_put(&legend, &frame, 0, 0, &script);
	assert_true(str_has(buf_view(&script), STR("set label 'a' at")));
	assert_true(str_has(buf_view(&script), STR("set label 'and 2 more' at screen 0.2200, ")));
	assert_false(str_has(buf_view(&script), STR("'b'")));
	buf_free(&script);
	legend_free(&legend);
	legend = legend_fit(entry, 2, 1, 2);
	assert_int_equal(legend.shown, 2);
	legend_free(&legend);
	legend = legend_fit(entry, 0, 1, 2);
	assert_int_equal(legend.rows, 0);
	legend_put(&legend, &frame, 0, 0, &script);
	assert_int_equal(script.len, 0);
	legend_free(&legend);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grid),
		cmocka_unit_test(no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
