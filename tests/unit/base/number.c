/* number: the exact arithmetic of expressions. tests/check/expr.py holds it against fractions. */
#include "../unit.h"

#include "base/number.h"

static struct number number(const char *text)
{
	struct dec x = {0};

	assert_int_equal(dec_parse(str_of(text), &x), DEC_OK);
	return number_of(x);
}

#define assert_number(x, want)                        \
	do {                                              \
		struct buf printed = {0};                     \
		number_print(&printed, x);                    \
		assert_str(buf_view(&printed), str_of(want)); \
		buf_free(&printed);                           \
	} while (0)

/* a and b by one of the operators; "-" alone if the result is too large. */
static void assert_result(const char *a, char op, const char *b, const char *want)
{
	struct number x = number(a);
	struct number y = number(b);
	struct number out = {0};
	bool fits = true;
	struct buf text = {0};

	if (op == '+')
		fits = number_add(&out, x, y);
	else if (op == '-')
		fits = number_subtract(&out, x, y);
	else if (op == '*')
		fits = number_multiply(&out, x, y);
	else if (op == '/')
		fits = number_divide(&out, x, y);
	else
		out = number_remainder(x, y);
	if (fits)
		number_print(&text, out);
	else
		buf_text(&text, "too large");
	assert_str(buf_view(&text), str_of(want));
	buf_free(&text);
}

#define MOST "170141183460469231731687303715.884105727"
#define LEAST "-170141183460469231731687303715.884105727"

static void sums_are_exact(void **state)
{
	(void)state;
	assert_result("1760000000000000.123", '+', "0.001", "1760000000000000.124");
	assert_result("0.3", '-', "0.1", "0.2");
	assert_result("1", '-', "1", "0");
	assert_result(MOST, '+', "0.000000001", "too large");
	assert_result("-" MOST, '-', "0.000000001", "too large");
	assert_result(MOST, '-', MOST, "0");
}

static void products_round_once(void **state)
{
	(void)state;
	assert_result("1.5", '*', "-2", "-3");
	assert_result("0.000000003", '*', "0.5", "0.000000002"); /* 1.5, half to even */
	assert_result("0.000000001", '*', "0.5", "0");
	assert_result("0.000000001", '*', "0.500000001", "0.000000001");
	assert_result("123456789012345.678", '*', "1000.001", "123456912469134690.345678");
	assert_result("412000000000000", '*', "412000000000000", "169744000000000000000000000000");
	assert_result("413000000000000", '*', "413000000000000", "too large");
	assert_result(MOST, '*', MOST, "too large");
}

static void quotients_keep_digits(void **state)
{
	(void)state;
	assert_result("1", '/', "3", "0.333333333333"); /* 12 digits */
	assert_result("2", '/', "3", "0.666666666667");
	assert_result("1", '/', "3000000", "0.000000333333333333");
	assert_result("10000000", '/', "3", "3333333.333333333"); /* nine places */
	assert_result("-1", '/', "8", "-0.125");
	assert_result("1", '/', "1024", "0.0009765625");
	assert_result("0", '/', "-7", "0");
	assert_result("0.999999999", '/', "1", "0.999999999");
	assert_result(MOST, '/', "1", MOST);
	assert_result(MOST, '/', "0.5", "too large");
	assert_result("0.000000001", '/', MOST, "0.00000000000000000000000000000000000000587747175411");
}

static void remainders_have_the_sign_of_the_first(void **state)
{
	(void)state;
	assert_result("7", '%', "3", "1");
	assert_result("-7", '%', "3", "-1");
	assert_result("7", '%', "-3", "1");
	assert_result("1.1", '%', "0.25", "0.1");
	assert_result("1760000000000000.123", '%', "1000", "0.123");
}

/* A quotient of more than nine places, with each operation. */
static void quotients_go_on(void **state)
{
	struct number tiny;
	struct number out;

	(void)state;
	assert_true(number_divide(&tiny, number("1"), number("3000000")));
	assert_true(number_add(&out, tiny, number("1")));
	assert_number(out, "1.000000333333333333");
	assert_true(number_subtract(&out, out, number("1")));
	assert_number(out, "0.000000333333333333");
	assert_int_equal(number_compare(out, tiny), 0);
	assert_true(number_multiply(&out, tiny, number("3000000")));
	assert_number(out, "1");
	assert_true(number_divide(&out, tiny, number("1000")));
	assert_number(out, "0.000000000333333333333");
	assert_number(number_remainder(number("1"), tiny), "0.000000000001");
	assert_number(number_remainder(tiny, number("1")), "0.000000333333333333");
	assert_true(number_floor(&out, tiny));
	assert_number(out, "0");
	assert_true(number_negate(&out, tiny));
	assert_number(out, "-0.000000333333333333");
	assert_true(number_floor(&out, out));
	assert_number(out, "-1");
	/* What does not fit beside a large number is rounded. */
	assert_true(number_add(&out, number("170000000000000000000"), tiny));
	assert_number(out, "170000000000000000000.000000333333333333");
	assert_true(number_add(&out, number("170000000000000000000000"), tiny));
	assert_number(out, "170000000000000000000000.000000333333333");
	assert_true(number_add(&out, number("-" MOST), tiny));
	assert_number(out, "-170141183460469231731687303715.884105394");
	assert_false(number_add(&out, number(MOST), tiny));
	/* So many divisions end in 0. */
	for (int i = 0; i < 20; i++)
		assert_true(number_divide(&tiny, tiny, number("1000000000")));
	assert_number(tiny, "0");
}

static void compares_exactly(void **state)
{
	static const char *const order[] = {LEAST, "-2", "-1.000000001", "-1", "0", "0.000000001",
	                                    "1",   MOST};
	struct number tiny;

	(void)state;
	for (size_t i = 0; i < COUNT(order); i++)
		for (size_t k = 0; k < COUNT(order); k++)
			assert_int_equal(number_compare(number(order[i]), number(order[k])), (i > k) - (i < k));
	assert_true(number_divide(&tiny, number("0.000000001"), number(MOST)));
	assert_true(number_compare(tiny, number("0")) > 0);
	assert_true(number_compare(tiny, number("0.000000001")) < 0);
	assert_true(number_compare(tiny, number(MOST)) < 0);
	assert_true(number_compare(number("-" MOST), tiny) < 0);
	assert_true(number_negate(&tiny, tiny));
	assert_true(number_compare(tiny, number("-1")) > 0);
	assert_true(number_compare(number("1"), tiny) > 0);
}

static void floors(void **state)
{
	static const struct {
		const char *of;
		const char *want;
	} cases[] = {{"2.5", "2"}, {"-2.5", "-3"}, {"3", "3"}, {"-3", "-3"}, {"0.999999999", "0"}};
	struct number out;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(number_floor(&out, number(cases[i].of)));
		assert_number(out, cases[i].want);
	}
	assert_false(number_floor(&out, number("-" MOST)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_exact),
		cmocka_unit_test(products_round_once),
		cmocka_unit_test(quotients_keep_digits),
		cmocka_unit_test(remainders_have_the_sign_of_the_first),
		cmocka_unit_test(quotients_go_on),
		cmocka_unit_test(compares_exactly),
		cmocka_unit_test(floors),
	};

	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
