/* comparison: medians, intervals, verdicts and changes of two sides. */
#include "../unit.h"

#include "kcompare/comparison.h"

#include <math.h>

enum { MOST = 21 };

struct given {
	size_t n;
	int64_t value[MOST];
};

/* Compares two sides and judges them alone. */
static struct comparison compared(const struct given sides[2])
{
	struct comparison_tools tools = {.orderstat = {.alpha = {50000000}}};
	struct comparison comparison = {.verdict = COMPARISON_EQUAL};
	struct autocorrelation_value series[2][MOST];
	const struct autocorrelation_value *const both[] = {series[0], series[1]};
	const size_t count[] = {sides[0].n, sides[1].n};

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < count[s]; i++)
			series[s][i] = (struct autocorrelation_value){dec_of(sides[s].value[i]), 0};
	assert_true(comparison_of_series(&comparison, &tools, both, count));
	comparison_judge(&comparison, 1, (struct dec){50000000});
	comparison_tools_free(&tools);
	return comparison;
}

static void verdicts(void **state)
{
	static const struct {
		struct given sides[2];
		enum comparison_verdict want;
	} cases[] = {
		{{{4, {1, 2, 3, 4}}, {4, {5, 6, 7, 8}}}, COMPARISON_SLOWER},
		{{{4, {5, 6, 7, 8}}, {4, {1, 2, 3, 4}}}, COMPARISON_FASTER},
		{{{4, {1, 2, 3, 5}}, {4, {4, 6, 7, 8}}}, COMPARISON_EQUAL}, /* p is 4/70 */
		{{{3, {1, 2, 3}}, {3, {4, 5, 6}}}, COMPARISON_FEW},
		{{{1, {1}}, {0, {0}}}, COMPARISON_GONE},
		{{{0, {0}}, {2, {1, 2}}}, COMPARISON_NEW},
		/* Significant, but the medians are equal. */
		{{{9, {1, 1, 1, 1, 5, 5, 5, 5, 5}}, {9, {5, 5, 5, 5, 5, 9, 9, 9, 9}}}, COMPARISON_MIXED},
		/* Ranks rise, the median falls by 1; ranks fall, the median rises by 1. */
		{{{21, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6}},
	      {21, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 4, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}}},
	     COMPARISON_MIXED},
		{{{21, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 4, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}},
	      {21, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6}}},
	     COMPARISON_MIXED},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(compared(cases[i].sides).verdict, cases[i].want);
}

static void assert_median(const struct comparison_side *side, const char *want)
{
	struct buf text = {0};

	comparison_put_median(&text, side->twice_median);
	assert_str(buf_view(&text), str_of(want));
	buf_free(&text);
}

static void medians(void **state)
{
	const struct given sides[2] = {{6, {6, -10, 5, 2, 4, 3}}, {5, {9, 1, 5, 7, 3}}};
	struct comparison comparison = compared(sides);
	struct buf text = {0};

	(void)state;
	assert_median(&comparison.side[0], "3.5");
	assert_true(comparison.side[0].has_interval);
	assert_true(comparison.side[0].low.nano == dec_of(-10).nano);
	assert_true(comparison.side[0].high.nano == dec_of(6).nano);
	assert_true(comparison.side[0].total.nano == dec_of(10).nano);
	assert_median(&comparison.side[1], "5");
	assert_false(comparison.side[1].has_interval);
	comparison_put_median(&text, (struct dec){-1});
	assert_buf(&text, "-0.0000000005");
	buf_free(&text);
}

/* The change in percent, 9999 if there is none. */
static int64_t change_of(int64_t median1, int64_t median2)
{
	const struct given sides[2] = {{1, {median1}}, {1, {median2}}};
	struct comparison comparison = compared(sides);
	struct dec difference;
	struct dec whole;

	if (!comparison_change(&comparison, &difference, &whole))
		return 9999;
	return (int64_t)(difference.nano * 100 / whole.nano);
}

static void changes(void **state)
{
	const struct given gone[2] = {{1, {5}}, {0, {0}}};
	struct comparison comparison = compared(gone);
	struct dec difference;
	struct dec whole;

	(void)state;
	assert_int_equal(change_of(100, 120), 20);
	assert_int_equal(change_of(100, 50), -50);
	assert_int_equal(change_of(-100, -50), 50); /* upwards */
	assert_int_equal(change_of(0, 50), 9999);
	assert_false(comparison_change(&comparison, &difference, &whole));
}

static void means(void **state)
{
	static const struct given cases[][2] = {
		{{1, {100}}, {1, {200}}}, {{1, {100}}, {1, {50}}}, {{1, {100}}, {1, {800}}},
		{{1, {0}}, {1, {50}}},    {{1, {50}}, {1, {-1}}},  {{1, {9}}, {0, {0}}},
	};
	struct comparison_mean mean = {.entered = 0};
	struct buf text = {0};

	(void)state;
	comparison_put_mean(&text, &mean);
	assert_buf(&text, "");
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct comparison comparison = compared(cases[i]);

		comparison_add_mean(&mean, &comparison);
	}
	assert_int_equal(mean.entered, 3);
	assert_int_equal(mean.left_out, 2);
	comparison_put_mean(&text, &mean); /* the cube root of 2 * 1/2 * 8 */
	assert_buf(&text, "100");
	text.len = 0;
	mean = (struct comparison_mean){.entered = 3, .logarithms = 3e-16};
	comparison_put_mean(&text, &mean);
	assert_buf(&text, "0");
	buf_free(&text);
}

static void too_large(void **state)
{
	struct comparison_tools tools = {.orderstat = {.alpha = {50000000}}};
	struct comparison comparison = {.verdict = COMPARISON_EQUAL};
	struct autocorrelation_value large[2] = {{{(__int128)3 << 125}, 0}, {{0}, 0}};
	const struct autocorrelation_value *const both[] = {large, large};

	(void)state;
	/* Twice the median is too large, then a total. */
	assert_false(comparison_of_series(&comparison, &tools, both, (size_t[]){1, 1}));
	large[1] = large[0];
	assert_false(comparison_of_series(&comparison, &tools, both, (size_t[]){2, 2}));
	comparison_tools_free(&tools);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts), cmocka_unit_test(medians),   cmocka_unit_test(changes),
		cmocka_unit_test(means),    cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
