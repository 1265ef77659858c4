#include "comparison.h"

#include "base/mem.h"
#include "base/wide.h"

#include "rounded.h"

#include <math.h>
#include <stdlib.h>

enum { MEAN_DIGITS = 6 };
enum { HALF_PLACES = 10 }; /* decimal places of a median, which may end in half of 10^-9 */

const char *const comparison_verdicts[COMPARISON_VERDICTS] = {
	[COMPARISON_EQUAL] = "~",     [COMPARISON_SLOWER] = "slower", [COMPARISON_FASTER] = "faster",
	[COMPARISON_MIXED] = "mixed", [COMPARISON_FEW] = "few",       [COMPARISON_GONE] = "gone",
	[COMPARISON_NEW] = "new",
};

static bool describe(struct comparison_side *side, struct orderstat *orderstat,
                     struct group *samples)
{
	struct dec upper;
	uint64_t k;

	durations_sort(&samples->durations);
	side->n = samples->count;
	side->total = samples->total;
	side->twice_median =
		orderstat_value(samples->durations.item, samples->durations.count, side->n - side->n / 2);
	upper = orderstat_value(samples->durations.item, samples->durations.count, side->n / 2 + 1);
	k = orderstat_k(orderstat, side->n);
	side->has_interval = k > 0;
	if (k) {
		side->low = orderstat_value(samples->durations.item, samples->durations.count, k);
		side->high =
			orderstat_value(samples->durations.item, samples->durations.count, side->n + 1 - k);
	}
	return dec_add(&side->twice_median, upper);
}

bool comparison_of(struct comparison *comparison, struct comparison_tools *tools,
                   struct group *samples[COMPARISON_SIDES])
{
	struct mannwhitney_set sets[COMPARISON_SIDES];

	for (int i = 0; i < COMPARISON_SIDES; i++) {
		if (!samples[i])
			continue;
		if (!describe(&comparison->side[i], &tools->orderstat, samples[i]))
			return false;
		sets[i] = (struct mannwhitney_set){samples[i]->durations.item, samples[i]->durations.count};
	}
	if (!comparison_is_tested(comparison))
		return true;
	comparison->test.p = mannwhitney_p(&tools->mannwhitney, sets, &comparison->ranks);
	comparison->test.ways = mannwhitney_ways(comparison->side[0].n, comparison->side[1].n);
	return true;
}

bool comparison_of_series(struct comparison *comparison, struct comparison_tools *tools,
                          const struct autocorrelation_value *const series[COMPARISON_SIDES],
                          const size_t count[COMPARISON_SIDES])
{
	struct group samples[COMPARISON_SIDES] = {{0}};
	struct group *given[COMPARISON_SIDES] = {NULL};
	bool good = true;

	for (int i = 0; i < COMPARISON_SIDES; i++) {
		for (size_t j = 0; j < count[i]; j++) {
			good &= group_add(&samples[i], series[i][j].value, 1);
			durations_add(&samples[i].durations, series[i][j].value, 1);
		}
		if (count[i])
			given[i] = &samples[i];
	}
	good = good && comparison_of(comparison, tools, given);
	for (int i = 0; i < COMPARISON_SIDES; i++) {
		struct comparison_side *side = &comparison->side[i];

		side->has_lag = autocorrelation_first(series[i], count[i], &side->lag);
		group_free(&samples[i]);
	}
	return good;
}

bool comparison_is_tested(const struct comparison *comparison)
{
	return comparison->side[0].n && comparison->side[1].n;
}

/* --- verdicts --------------------------------------------------------------------- */

static enum comparison_verdict judge(const struct comparison *comparison, struct dec alpha)
{
	const struct comparison_side *side = comparison->side;
	int order = dec_compare(side[1].twice_median, side[0].twice_median);

	if (!comparison_is_tested(comparison))
		return side[0].n ? COMPARISON_GONE : COMPARISON_NEW;
	if (comparison->test.few)
		return COMPARISON_FEW;
	if (!probability_at_most(comparison->test.adjusted, alpha))
		return COMPARISON_EQUAL;
	if (order == 0 || order != comparison->ranks)
		return COMPARISON_MIXED;
	return order > 0 ? COMPARISON_SLOWER : COMPARISON_FASTER;
}

void comparison_judge(struct comparison *comparison, size_t count, struct dec alpha)
{
	struct holm_test *tests = mem_alloc(count, sizeof *tests);
	size_t tested = 0;

	for (size_t i = 0; i < count; i++)
		if (comparison_is_tested(&comparison[i]))
			tests[tested++] = comparison[i].test;
	holm_adjust(tests, tested, alpha);
	tested = 0;
	for (size_t i = 0; i < count; i++) {
		if (comparison_is_tested(&comparison[i]))
			comparison[i].test = tests[tested++];
		comparison[i].verdict = judge(&comparison[i], alpha);
	}
	free(tests);
}

/* --- figures ------------------------------------------------------------------------ */

void comparison_put_median(struct buf *out, struct dec twice_median)
{
	__int128 nano = twice_median.nano;

	if (nano < 0)
		buf_char(out, '-');
	wide_print(out,
	           wide_product(wide_of(nano < 0 ? -(unsigned __int128)nano : (unsigned __int128)nano),
	                        wide_of(5)),
	           HALF_PLACES);
}

bool comparison_change(const struct comparison *comparison, struct dec *difference,
                       struct dec *whole)
{
	const struct comparison_side *side = comparison->side;

	*difference = side[1].twice_median;
	*whole = side[0].twice_median;
	if (!comparison_is_tested(comparison) || whole->nano == 0 || !dec_subtract(difference, *whole))
		return false;
	if (whole->nano < 0)
		whole->nano = -whole->nano;
	return true;
}

void comparison_add_mean(struct comparison_mean *mean, const struct comparison *comparison)
{
	const struct comparison_side *side = comparison->side;

	if (!comparison_is_tested(comparison))
		return;
	if (side[0].twice_median.nano <= 0 || side[1].twice_median.nano <= 0) {
		mean->left_out++;
		return;
	}
	mean->entered++;
	mean->logarithms += log((double)side[1].twice_median.nano / (double)side[0].twice_median.nano);
}

void comparison_put_mean(struct buf *out, const struct comparison_mean *mean)
{
	double change;

	if (mean->entered == 0)
		return;
	change = 100 * expm1(mean->logarithms / (double)mean->entered);
	/* Nearer to 0 it is only what the sum of logarithms lost. */
	rounded_put(out, fabs(change) < 1e-12 ? 0 : change, MEAN_DIGITS);
}

void comparison_tools_free(struct comparison_tools *tools)
{
	mannwhitney_free(&tools->mannwhitney);
}
