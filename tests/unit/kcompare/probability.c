/* probability: exact quotients and binary floats, compared and multiplied. */
#include "../unit.h"

#include "kcompare/probability.h"

/* An exact one, or, if whole is 0, `near`. */
static struct probability made(unsigned part, unsigned whole, double near)
{
	return whole ? probability_exact(part, whole) : probability_near(near);
}

static void compared(void **state)
{
	static const struct {
		unsigned a[2];
		unsigned b[2];
		double near[2];
		int want;
	} cases[] = {
		{{1, 2}, {1, 2}, {0}, 0},
		{{1, 2}, {2, 4}, {0}, 0},
		{{1, 3}, {333333333, 1000000000}, {0}, 1},
		{{7, 2}, {1, 1}, {0}, 0}, /* at most 1 */
		{{1, 2}, {0, 0}, {0, 0.5}, 0},
		{{0, 0}, {1, 10}, {0.1, 0}, 1}, /* the binary 0.1 is above 1/10 */
		{{0, 0}, {0, 0}, {1e-20, 2e-20}, -1},
		{{0, 0}, {0, 0}, {1e-31, 1e-300}, 0}, /* at least 1e-30 */
		{{0, 0}, {1, 1}, {1, 0}, 0},
		{{0, 0}, {1, 1}, {1.5, 0}, 0},
		{{0, 0}, {0, 7}, {1e-30, 0}, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct probability a = made(cases[i].a[0], cases[i].a[1], cases[i].near[0]);
		struct probability b = made(cases[i].b[0], cases[i].b[1], cases[i].near[1]);

		assert_int_equal(probability_compare(a, b), cases[i].want);
		assert_int_equal(probability_compare(b, a), -cases[i].want);
	}
}

/* The largest quotients that the test of Mann and Whitney makes. */
static void large(void **state)
{
	unsigned __int128 whole = (unsigned __int128)1 << 119;
	struct probability a = probability_exact(whole - 1, whole);
	struct probability b = probability_exact(whole - 2, whole - 1);

	(void)state;
	assert_int_equal(probability_compare(a, b), 1);
	assert_true(probability_at_most(a, dec_of(1)));
	assert_false(probability_at_most(a, (struct dec){999999999}));
}

static void times(void **state)
{
	struct probability p = probability_exact(1, 70);

	(void)state;
	assert_int_equal(probability_compare(probability_times(p, 7), probability_exact(1, 10)), 0);
	assert_int_equal(probability_compare(probability_times(p, 71), probability_exact(1, 1)), 0);
	p = probability_exact(((unsigned __int128)1 << 119) - 2, ((unsigned __int128)1 << 119) - 1);
	assert_int_equal(probability_compare(probability_times(p, UINT64_MAX), probability_exact(1, 1)),
	                 0);
	p = probability_times(probability_near(0.25), 3);
	assert_int_equal(probability_compare(p, probability_exact(3, 4)), 0);
	p = probability_times(probability_near(0.25), 5);
	assert_int_equal(probability_compare(p, probability_exact(1, 1)), 0);
}

static void at_most(void **state)
{
	const struct dec alpha = {50000000}; /* 0.05 */

	(void)state;
	assert_true(probability_at_most(probability_exact(1, 20), alpha));
	assert_true(probability_at_most(probability_exact(2, 70), alpha));
	assert_false(probability_at_most(probability_exact(50000001, 1000000000), alpha));
	assert_false(probability_at_most(probability_near(0.05), alpha)); /* its last digit is above */
	assert_true(probability_at_most(probability_near(0.04), alpha));
}

static void texts(void **state)
{
	struct buf text = {0};

	(void)state;
	probability_put(&text, probability_exact(2, 70));
	assert_buf(&text, "0.0285714285714");
	text.len = 0;
	probability_put(&text, probability_near(0.1234567));
	assert_buf(&text, "0.123457");
	text.len = 0;
	probability_put(&text, probability_exact(9, 3));
	assert_buf(&text, "1");
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compared), cmocka_unit_test(large), cmocka_unit_test(times),
		cmocka_unit_test(at_most),  cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests_name("probability", tests, NULL, NULL);
}
