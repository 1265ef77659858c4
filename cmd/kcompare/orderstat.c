#include "orderstat.h"

#include <math.h>

/* --- exact ------------------------------------------------------------------- */

/* 2 * 10^9 * count compared with alpha * 10^9 * all. */
static bool is_within(struct wide count, struct wide all, struct dec alpha)
{
	return wide_compare(wide_product(count, wide_of(2 * (unsigned __int128)dec_of(1).nano)),
	                    wide_product(all, wide_of((unsigned __int128)alpha.nano))) <= 0;
}

/* The binomial coefficients of n; row has n + 1. */
static void binomials(struct wide *row, uint64_t n)
{
	for (uint64_t i = 0; i <= n; i++) {
		row[i] = wide_of(1);
		for (uint64_t j = i; j-- > 1;)
			row[j] = wide_sum(row[j], row[j - 1]);
	}
}

static uint64_t exact_k(uint64_t n, struct dec alpha)
{
	struct wide row[ORDERSTAT_EXACT + 1];
	struct wide all = wide_of(1);
	struct wide below = wide_of(0);
	uint64_t k = 0;

	binomials(row, n);
	for (uint64_t i = 0; i < n; i++)
		all = wide_sum(all, all);
	for (; 2 * k <= n; k++) {
		below = wide_sum(below, row[k]);
		if (!is_within(below, all, alpha))
			break;
	}
	return k;
}

/* --- by binary floats -------------------------------------------------------------- */

/* log(n!) less Stirling's formula, for n above 100. */
static double stirling_rest(double n)
{
	return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / (n * n)) / (n * n)) / n;
}

/* x log(x / mean) + mean - x, without loss if x is near the mean. */
static double deviance(double x, double mean)
{
	double v = (x - mean) / (x + mean);
	double sum = (x - mean) * v;
	double term = 2 * x * v;

	if (fabs(v) > 0.1)
		return x * log(x / mean) + mean - x;
	for (int i = 3; i < 40; i += 2) {
		term *= v * v;
		sum += term / i;
	}
	return sum;
}

/* P(B = k), for n above ORDERSTAT_EXACT and k not far from n / 2. */
static double binomial(double n, double k)
{
	double rest = stirling_rest(n) - stirling_rest(k) - stirling_rest(n - k) - deviance(k, n / 2) -
	              deviance(n - k, n / 2);

	return exp(rest) * sqrt(n / (8 * atan(1) * k * (n - k)));
}

/* P(B < k). */
static double below(double n, double k)
{
	double term = binomial(n, k);
	double sum = 0;

	/* Each term from the one above it, until they no longer count. */
	while (k > 0 && term > sum * 1e-18) {
		term *= k / (n - k + 1);
		sum += term;
		k--;
	}
	return sum;
}

/* The probability by the normal distribution, for n so large that there are too many terms. */
static double far_below(uint64_t n, uint64_t k)
{
	/* n - 2k + 1 is exact before it becomes a binary float, and not below 0. */
	return erfc((double)(n - 2 * (k - 1) - 1) / sqrt(2 * (double)n)) / 2;
}

static uint64_t near_k(uint64_t n, double alpha)
{
	uint64_t low = n / 4; /* P(B < n / 4) is below 10^-26 */
	uint64_t high = n / 2 + 1;

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		double p = n > ORDERSTAT_NORMAL ? far_below(n, middle) : below((double)n, (double)middle);

		if (2 * p <= alpha)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint64_t orderstat_k(struct orderstat *orderstat, uint64_t n)
{
	uint16_t *known = &orderstat->known[n <= ORDERSTAT_EXACT ? n : 0];

	if (n > ORDERSTAT_EXACT)
		return near_k(n, (double)orderstat->alpha.nano / 1e9);
	if (*known == 0)
		*known = (uint16_t)(exact_k(n, orderstat->alpha) + 1);
	return *known - 1u;
}

struct dec orderstat_value(const struct duration *values, size_t count, uint64_t rank)
{
	size_t i;

	for (i = 0; i + 1 < count && rank > values[i].count; i++)
		rank -= values[i].count;
	return values[i].dur;
}
