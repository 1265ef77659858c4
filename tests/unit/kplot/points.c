/* points: a picture of one column over another. */
#include "../unit.h"

#include "kplot/points.h"

static void lines_and_points(void **state)
{
	struct points points = {.x_title = STR("x"), .y_title = STR("y"), .x_unit = "", .y_unit = "us"};
	struct script_frame frame = {.title = STR("t")};
	struct buf script = {0};

	(void)state;
	points_add(&points, STR("line"), dec_of(2), dec_of(1));
	points_add(&points, STR("line"), dec_of(1), dec_of(5));
	points_add(&points, STR("points"), dec_of(3), dec_of(1));
	points_add(&points, STR("points"), dec_of(3), dec_of(2));
	assert_true(points_script(&points, frame, &script));
	assert_true(str_has(buf_view(&script), STR("$d0 << END\n1 5\n2 1\nEND\n")));
	assert_true(str_has(buf_view(&script), STR("$d1 << END\n3 1\n3 2\nEND\n")));
	assert_true(str_has(buf_view(&script), STR("plot $d0 with linespoints ")));
	assert_true(str_has(buf_view(&script), STR(", $d1 with points ")));
	buf_free(&script);
	points_free(&points);
}

static void relative(void **state)
{
	struct points points = {.x_unit = "us", .y_unit = "", .relative = true, .log = true};
	struct script_frame frame = {0};
	struct buf script = {0};

	(void)state;
	points_add(&points, STR(""), dec_of(1760000000000001), dec_of(1));
	points_add(&points, STR(""), dec_of(1760000000000000), dec_of(1));
	points_add(&points, STR(""), dec_of(0), dec_of(0));
	assert_int_equal(points.not_positive, 1);
	assert_true(points_script(&points, frame, &script));
	assert_true(str_has(buf_view(&script), STR(" since 1760000000000000 (us)'")));
	assert_true(str_has(buf_view(&script), STR("$d0 << END\n0 1\n1 1\nEND\n")));
	buf_free(&script);
	points_free(&points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_points),
		cmocka_unit_test(relative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
