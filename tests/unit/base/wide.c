/* wide: 512 bits. The expected texts are Python's. */
#include "../unit.h"

#include "base/wide.h"

static struct wide parse(const char *text, int places)
{
	struct wide number;

	assert_true(wide_parse(str_of(text), places, &number));
	return number;
}

static void check_print(struct wide number, int places, const char *expected)
{
	struct buf text = {0};

	wide_print(&text, number, places);
	buf_char(&text, '\0');
	assert_string_equal(text.data, expected);
	buf_free(&text);
}

static void check_root(struct wide a, struct wide b, int shift, const char *expected)
{
	struct buf text = {0};

	wide_root(&text, a, b, shift);
	buf_char(&text, '\0');
	assert_string_equal(text.data, expected);
	buf_free(&text);
}

static void numbers_are_printed_and_read(void **state)
{
	static const char *const wrong[] = {"", ".", "-1", "1.2.3", "1e3", "1.1234", " 1"};
	struct wide number;

	(void)state;
	check_print(wide_of(0), 18, "0");
	check_print(wide_of(5), 18, "0.000000000000000005");
	check_print(wide_of(1200), 2, "12");
	check_print(wide_of(1250), 2, "12.5");
	check_print(wide_of(120), 0, "120");
	check_print(parse("340282366920938463463374607431768211456.25", 3), 3,
	            "340282366920938463463374607431768211456.25");
	check_print(parse(".5", 1), 0, "5");
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_false(wide_parse(str_of(wrong[i]), 3, &number));
	assert_false(
		wide_parse(STR("9999999999999999999999999999999999999999999999999999999999999999999"
	                   "99999999999999999999999999999999"),
	               0, &number));
}

static void arithmetic_carries(void **state)
{
	struct wide large = wide_of(~(unsigned __int128)0);
	struct wide square = wide_product(large, large);

	(void)state;
	check_print(wide_sum(large, wide_of(1)), 0, "340282366920938463463374607431768211456");
	check_print(wide_difference(wide_sum(large, wide_of(1)), wide_of(1)), 0,
	            "340282366920938463463374607431768211455");
	check_print(square, 0,
	            "115792089237316195423570985008687907852589419931798687112530834793049593217025");
	check_print(wide_square(-3), 0, "9");
	assert_true(wide_compare(square, large) > 0);
	assert_true(wide_compare(large, square) < 0);
	assert_int_equal(wide_compare(square, square), 0);
}

static void roots_are_rounded_once(void **state)
{
	struct wide large = wide_of(~(unsigned __int128)0);

	(void)state;
	check_root(wide_of(0), wide_of(7), 0, "0");
	check_root(wide_of(2), wide_of(1), 0, "1.41421356237");
	check_root(wide_of(2), wide_of(1), -9, "0.00000000141421356237");
	check_root(wide_of(2), wide_of(1), 20, "141421356237000000000");
	check_root(wide_of(9), wide_of(4), 0, "1.5");
	check_root(wide_of(1), large, 0, "0.0000000000000000000542101086243");
	check_root(wide_product(large, large), wide_of(1), 0,
	           "340282366921000000000000000000000000000");
	/* 1000000000005^2 and 1000000000015^2: halves, to even. */
	check_root(wide_square(1000000000005), wide_of(1), 0, "1000000000000");
	check_root(wide_square(1000000000015), wide_of(1), 0, "1000000000020");
	check_root(wide_sum(wide_square(1000000000005), wide_of(1)), wide_of(1), 0, "1000000000010");
	check_root(wide_square(9999999999999), wide_of(1), 0, "10000000000000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_printed_and_read),
		cmocka_unit_test(arithmetic_carries),
		cmocka_unit_test(roots_are_rounded_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
