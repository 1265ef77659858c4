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
	BOXES(true, "0.1 0.133352143 0 1\n1 1.33352143 0 1\n7.49894209 10 0 1\n10 13.3352143 0 2\n",
	      "0.1", "1", "9.999999999", "10", "13.3352143", "0", "-1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linear),
		cmocka_unit_test(logarithmic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
