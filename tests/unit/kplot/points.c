/* points: a picture of one column over another. */
#include "../unit.h"

#include "kplot/points.h"

#define HAS(script, text) assert_true(str_has(buf_view(&(script)), STR(text)))

static void lines_and_points(void **state)
{
	static const struct points_column y = {BYTES("y"), false};
	struct points points = {
		.column = &y, .columns = 1, .x_title = STR("x"), .x_unit = "", .y_unit = "us"};
	struct script_frame frame = {.title = STR("t")};
	struct buf script = {0};

	(void)state;
	points_add(&points, STR("line"), 0, dec_of(2), dec_of(1));
	points_add(&points, STR("points"), 0, dec_of(3), dec_of(1));
	points_add(&points, STR("line"), 0, dec_of(1), dec_of(5));
	points_add(&points, STR("points"), 0, dec_of(3), dec_of(2));
	assert_true(points_script(&points, frame, &script));
	HAS(script, "$d0 << END\n1 5\n2 1\nEND\n");
	HAS(script, "$d1 << END\n3 1\n3 2\nEND\n");
	HAS(script, "plot $d0 with linespoints ");
	HAS(script, ", $d1 with points ");
	buf_free(&script);
	points_free(&points);
}

/* Over time, values that hold are steps, however many; times of rows are a line or points. */
static void relative(void **state)
{
	static const struct points_column columns[] = {{BYTES("dur"), false}, {BYTES("queue"), true}};
	struct points points = {.column = columns,
	                        .columns = 2,
	                        .x_unit = "us",
	                        .y_unit = "",
	                        .relative = true,
	                        .log = true};
	struct script_frame frame = {0};
	struct buf script = {0};

	(void)state;
	points_add(&points, STR(""), 0, dec_of(1760000000000001), dec_of(1));
	points_add(&points, STR(""), 0, dec_of(1760000000000000), dec_of(1));
	points_add(&points, STR(""), 0, dec_of(0), dec_of(0));
	for (int64_t i = 0; i < 201; i++)
		points_add(&points, STR(""), 1, dec_of(1760000000000000 + i), dec_of(7));
	for (int64_t i = 0; i < 201; i++)
		points_add(&points, STR("many"), 0, dec_of(1760000000000000 + i), dec_of(7));
	assert_int_equal(points.not_positive, 1);
	assert_true(points_script(&points, frame, &script));
	HAS(script, " since 1760000000000000 (us)'");
	HAS(script, "$d2 << END\n0 1\n1 1\nEND\n");
	HAS(script, "plot $d0 with steps ");
	HAS(script, ", $d1 with points pointsize 0.8 ");
	HAS(script, ", $d2 with linespoints ");
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
