/* holm: adjusted p, and which tests have too few samples. */
#include "../unit.h"

#include "kcompare/holm.h"
#include "kcompare/mannwhitney.h"

static const struct dec alpha = {50000000}; /* 0.05 */

/* A p of so many thousandths, of a test with enough samples. */
static struct holm_test test_of(unsigned thousandths)
{
	return (struct holm_test){.p = probability_exact(thousandths, 1000),
	                          .ways = (unsigned __int128)1 << 90};
}

static void assert_adjusted(const unsigned *given, const unsigned *want, size_t count)
{
	struct holm_test tests[8];

	for (size_t i = 0; i < count; i++)
		tests[i] = test_of(given[i]);
	holm_adjust(tests, count, alpha);
	for (size_t i = 0; i < count; i++) {
		assert_false(tests[i].few);
		assert_int_equal(probability_compare(tests[i].adjusted, probability_exact(want[i], 1000)),
		                 0);
	}
}

static void adjusted(void **state)
{
	(void)state;
	assert_adjusted((unsigned[]){10, 40, 30, 5}, (unsigned[]){30, 60, 60, 20}, 4);
	assert_adjusted((unsigned[]){40}, (unsigned[]){40}, 1);
	assert_adjusted((unsigned[]){600, 700}, (unsigned[]){1000, 1000}, 2); /* at most 1 */
	assert_adjusted((unsigned[]){20, 20, 20}, (unsigned[]){60, 60, 60}, 3);
	holm_adjust(NULL, 0, alpha);
}

static void mixed(void **state)
{
	struct holm_test tests[] = {test_of(10), test_of(0), test_of(30)};

	(void)state;
	tests[1].p = probability_near(0.0078125);
	holm_adjust(tests, COUNT(tests), alpha);
	assert_int_equal(probability_compare(tests[0].adjusted, probability_exact(3, 128)), 0);
	assert_int_equal(probability_compare(tests[1].adjusted, probability_exact(3, 128)), 0);
	assert_int_equal(probability_compare(tests[2].adjusted, probability_exact(3, 100)), 0);
}

/* Tests of n samples on each side: how many of them have too few. */
static size_t few_of(const uint64_t *n, size_t count)
{
	struct holm_test tests[400];
	size_t few = 0;

	for (size_t i = 0; i < count; i++)
		tests[i] =
			(struct holm_test){.p = probability_exact(1, 2), .ways = mannwhitney_ways(n[i], n[i])};
	holm_adjust(tests, count, alpha);
	for (size_t i = 0; i < count; i++)
		few += tests[i].few;
	return few;
}

static void few(void **state)
{
	uint64_t n[400];

	(void)state;
	assert_int_equal(few_of((uint64_t[]){3}, 1), 1); /* 2 / 20 */
	assert_int_equal(few_of((uint64_t[]){4}, 1), 0); /* 2 / 70 */
	/* A group with 4 samples of 8 cannot be one of two tests: 2 / 70 is above 0.05 / 2. */
	assert_int_equal(few_of((uint64_t[]){4, 8}, 2), 1);
	assert_int_equal(few_of((uint64_t[]){5, 8}, 2), 0);
	for (size_t i = 0; i < COUNT(n); i++)
		n[i] = i < 10 ? 20 : 5;
	/* 2 / 252 is at most 0.05 / 6, but there are far more than 6; of 10 tests each is above it. */
	assert_int_equal(few_of(n, COUNT(n)), COUNT(n) - 10);
}

static void needed(void **state)
{
	static const size_t groups[] = {1, 10, 50, 100, 300, 1000};
	static const uint64_t want[] = {4, 6, 7, 8, 8, 9};

	(void)state;
	for (size_t i = 0; i < COUNT(groups); i++)
		assert_int_equal(holm_needed(groups[i], alpha), want[i]);
}

/* 2^28 of 10^9 times the most ways, 2^100, has no bit below 2^128. */
static void alpha_times_ways(void **state)
{
	const struct dec wide_alpha = {1 << 28};
	struct holm_test test = {.p = probability_exact(1, 100), .ways = (unsigned __int128)1 << 100};

	(void)state;
	holm_adjust(&test, 1, wide_alpha);
	assert_false(test.few);
}

/* Whether a test with the least p 2 / ways can be one of k. */
static bool is_able(unsigned __int128 ways, uint64_t k)
{
	return probability_at_most(probability_times(probability_exact(2, ways), k), alpha);
}

/* K by trying one number after the other. */
static void random_numbers(void **state)
{
	uint64_t seed = 4;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct holm_test tests[60];
		size_t count = 1 + unit_below(&seed, COUNT(tests));
		size_t able = count + 1;
		size_t k = 0;

		for (size_t i = 0; i < count; i++)
			tests[i] = (struct holm_test){
				.p = probability_exact(unit_below(&seed, 1000), 1000),
				.ways = mannwhitney_ways(1 + unit_below(&seed, 12), 1 + unit_below(&seed, 12))};
		while (able > k) {
			able = 0;
			k++;
			for (size_t i = 0; i < count; i++)
				able += is_able(tests[i].ways, k);
		}
		holm_adjust(tests, count, alpha);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(tests[i].few, !is_able(tests[i].ways, k));
			if (!tests[i].few)
				assert_true(probability_compare(tests[i].adjusted, tests[i].p) >= 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adjusted),
		cmocka_unit_test(mixed),
		cmocka_unit_test(few),
		cmocka_unit_test(needed),
		cmocka_unit_test(random_numbers),
		cmocka_unit_test(alpha_times_ways),
	};

	return cmocka_run_group_tests_name("holm", tests, NULL, NULL);
}
