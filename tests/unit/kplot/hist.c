/* hist: a picture of how values are distributed. */
#include "../unit.h"

#include "kplot/hist.h"

static void assert_boxes(bool log, const char *const *values, size_t count, const char *want)
{
	struct hist hist = {.title = STR("x"), .unit = "us", .log = log};
	struct script_frame frame = {.title = STR("t")};
	struct buf script = {0};

	for (size_t i = 0; i < count; i++) {
		struct dec value = {0};

		dec_parse(str_of(values[i]), &value);
		hist_add(&hist, STR("g"), value, dec_of(1));
	}
	assert_true(hist_script(&hist, frame, &script));
	assert_true(str_has(buf_view(&script), str_of(want)));
	buf_free(&script);
	hist_free(&hist);
}

#define BOXES(log, want, ...)                                                                \
	assert_boxes(log, (const char *[]){__VA_ARGS__}, COUNT(((const char *[]){__VA_ARGS__})), \
	             "$d0 << END\n" want "END\n")

/* Bins begin at round places, also below 0. */
static void linear(void **state)
{
	(void)state;
	BOXES(false, "5 5.000000001 0 2\n", "5", "5");
	BOXES(false, "0 2 0 2\n98 100 0 1\n", "0", "1.999999999", "99");
	BOXES(false, "-10 -9.5 0 1\n10 10.5 0 1\n", "-10", "10");
}

/* A power of ten begins a bin. */
static void logarithmic(void **state)
{
	(void)state;
	BOXES(true, "0.1 0.133352144 0 1\n1 1.333521432 0 1\n7.498942093 10 0 1\n10 13.33521432 0 2\n",
	      "0.1", "1", "9.999999999", "10", "13.3352143", "0", "-1");
	BOXES(true, "0.000000001 0.000000002 0 1\n", "0.000000001");
	BOXES(true, "133352143200000000000000000000 170141183460000000000000000000 0 1\n",
	      "170141183460469231731687303715.884105727");
}

/* Every bin of whole numbers has room for one: no gap between 1 and 2. */
static void whole(void **state)
{
	(void)state;
	BOXES(true, "1 2 0 1\n2 3 0 1\n3 4 0 1\n4 5 0 1\n5 6 0 1\n6 8 0 2\n8 10 0 2\n10 14 0 1\n", "1",
	      "2", "3", "4", "5", "6", "7", "8", "9", "10");
	BOXES(true, "10 20 0 1\n20 30 0 1\n", "10", "20");
}

/* Sums below 0 are below the axis; sums of 0 have no box, but the picture has axes. */
static void sums(void **state)
{
	static const struct {
		int weights[3];
		const char *want;
	} cases[] = {
		{{0, 0, 0}, "set yrange [0:1]\n"},
		{{0, 0, 0}, "plot 0 linecolor rgb '#888888'\n"},
		{{3, -3, 0}, "set yrange [0:1]\n"},
		{{5, 0, -3}, "set yrange [*:*]\n"},
		{{5, 0, -3}, "$d0 << END\n1 1.05 0 5\n2 2.05 0 -3\nEND\n"},
		{{-5, 0, 0}, "set yrange [*:0]\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct hist hist = {.title = STR("x"), .unit = "us", .weight_title = STR("w")};
		struct script_frame frame = {0};
		struct buf script = {0};

		hist.weight_unit = "";
		for (size_t j = 0; j < 3; j++)
			hist_add(&hist, STR("g"), dec_of(j < 2 ? 1 : 2), dec_of(cases[i].weights[j]));
		assert_true(hist_script(&hist, frame, &script));
		assert_case(cases[i].want, str_has(buf_view(&script), str_of(cases[i].want)));
		buf_free(&script);
		hist_free(&hist);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linear),
		cmocka_unit_test(logarithmic),
		cmocka_unit_test(whole),
		cmocka_unit_test(sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
