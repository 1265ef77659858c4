/* orderstat: which order statistics enclose a median. */
#include "../unit.h"

#include "kcompare/orderstat.h"

#include <math.h>

static void ranks(void **state)
{
	/* From the binomial distribution, by exact fractions: the coverage is in the comment. */
	static const struct {
		uint64_t n;
		uint64_t k;
	} cases[] = {
		{0, 0},
		{1, 0},
		{5, 0},
		{6, 1}, /* .96875 */
		{7, 1},
		{8, 1},
		{9, 2}, /* .984375, .9921875, .9609375 */
		{10, 2},
		{12, 3},
		{16, 4},
		{20, 6}, /* .978516, .961426, .978729, .958611 */
		{25, 8},
		{50, 18},
		{100, 40}, /* .956715, .967161, .964800 */
		{440, 199},
		{441, 200},
		{442, 200},
		{1000, 469},
		{10000, 4902},
		{1000000, 499020},
		{1000000000, 499969010},
		{1000000001, 499969011},
		{10000000000, 4999902002},
		{1000000000000, 499999020018}, /* 10^12 / 2 - 1.95996398454 * 10^6 / 2 + 1/2 */

	};
	struct orderstat orderstat = {.alpha = {50000000}};

	(void)state;
	for (int round = 0; round < 2; round++) /* computed, and known */
		for (size_t i = 0; i < COUNT(cases); i++)
			assert_int_equal(orderstat_k(&orderstat, cases[i].n), cases[i].k);
}

/* Exactly at the border: 2 P(B < 1) of 6 samples is 1/32. */
static void border(void **state)
{
	struct orderstat orderstat = {.alpha = {31250000}};

	(void)state;
	assert_int_equal(orderstat_k(&orderstat, 6), 1);
	orderstat = (struct orderstat){.alpha = {31249999}};
	assert_int_equal(orderstat_k(&orderstat, 6), 0);
}

/* The k of orderstat_k in long doubles, by a sum of logarithms. */
static uint64_t k_of(uint64_t n, long double alpha)
{
	long double sum = 0;
	uint64_t k = 0;

	for (;; k++) {
		sum += expl(lgammal((long double)n + 1) - lgammal((long double)k + 1) -
		            lgammal((long double)(n - k) + 1) - (long double)n * logl(2));
		if (2 * sum > alpha || k > n)
			return k;
	}
}

static void many(void **state)
{
	static const __int128 alphas[] = {1, 10000000, 50000000, 100000000, 999000000};

	(void)state;
	for (size_t i = 0; i < COUNT(alphas); i++) {
		struct orderstat orderstat = {.alpha = {alphas[i]}};

		for (uint64_t n = 1; n < 3000; n += 1 + n / 9)
			assert_int_equal(orderstat_k(&orderstat, n), k_of(n, (long double)alphas[i] / 1e9L));
	}
}

static void values(void **state)
{
	const struct duration of[] = {{{-1}, 2}, {{5}, 1}, {{9}, 3}};
	static const int64_t want[] = {-1, -1, 5, 9, 9, 9};

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++)
		assert_true(orderstat_value(of, COUNT(of), i + 1).nano == want[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks),
		cmocka_unit_test(border),
		cmocka_unit_test(many),
		cmocka_unit_test(values),
	};

	return cmocka_run_group_tests_name("orderstat", tests, NULL, NULL);
}
