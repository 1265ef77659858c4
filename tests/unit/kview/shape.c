/* shape: how a column is shown of which only the values are known. */
#include "../unit.h"

#include "kview/shape.h"

static void assert_shown(const char *const *values, size_t count, const char *want)
{
	struct shape shape = {0};
	struct buf out = {0};

	for (size_t i = 0; i < count; i++)
		shape_see(&shape, str_of(values[i]));
	for (size_t i = 0; i < count; i++) {
		buf_text(&out, i ? " " : "");
		shape_put(&shape, &out, str_of(values[i]));
	}
	assert_str(buf_view(&out), str_of(want));
	buf_free(&out);
	shape_free(&shape);
}

#define SHOWN(want, ...) \
	assert_shown((const char *[]){__VA_ARGS__}, COUNT(((const char *[]){__VA_ARGS__})), want)

static void places(void **state)
{
	(void)state;
	SHOWN("1 20 ", "1", "20", "");
	SHOWN("1.50 20.00 3.25", "1.5", "20", "3.25");
	SHOWN("1.235 2000000.000", "1.23456", "2e6");
	SHOWN("007 12", "007", "12"); /* integers stay as they are */
	SHOWN("123456789012345678901234567890123456789", "123456789012345678901234567890123456789");
	SHOWN("1.5 N/A", "1.5", "N/A"); /* not a column of numbers */
}

/* Four significant digits of the largest, if all are below 1. */
static void fractions(void **state)
{
	(void)state;
	SHOWN("0.01235 0.00012", "0.0123456", "0.000123");
	SHOWN("0.50 0.25", "0.5", "0.25");
	SHOWN("-0.1235 0.0000", "-0.12345678", "0");
	SHOWN("0.0 0.0", "0", "0.0");
}

static void rounding(void **state)
{
	(void)state;
	SHOWN("1.000 1.002 1.002", "1.0005", "1.0015", "1.00150000000000000000000000000001");
	SHOWN("9.999 10.000 -10.000", "9.9994", "9.9996", "-9.9996");
	SHOWN("1.000 0.000", "1", "-0.0001");
	SHOWN("1.001", "1.0005000000001"); /* once, not first to nine places */
}

static void digits(void **state)
{
	struct shape shape = {0};
	struct buf out = {0};

	(void)state;
	assert_true(shape_round(&shape, &out, STR("5"), 2));
	assert_true(shape_round(&shape, &out, STR(" 1"), 0) == false);
	assert_true(shape_round(&shape, &out, STR("2.5"), 0));
	assert_true(shape_round(&shape, &out, STR("3.5"), 0));
	assert_true(shape_round(&shape, &out, STR("0.5"), 0));
	assert_true(shape_round(&shape, &out, STR("99.5"), 0));
	assert_true(shape_round(&shape, &out, STR("2.6"), 0));
	assert_true(shape_round(&shape, &out, STR("0.0006"), 3));
	assert_buf(&out, "5.0024010030.001");
	buf_free(&out);
	shape_free(&shape);
}

static void facts(void **state)
{
	struct shape shape = {0};

	(void)state;
	shape_see(&shape, STR(""));
	assert_false(shape.filled || shape.several || shape_is_number(&shape));
	shape_see(&shape, STR("x"));
	assert_true(shape.filled && shape.several && shape.words);
	shape_free(&shape);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places), cmocka_unit_test(fractions), cmocka_unit_test(rounding),
		cmocka_unit_test(digits), cmocka_unit_test(facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
