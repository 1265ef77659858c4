#include "mannwhitney.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 count128;

#define WAYS_MAX ((count128)1 << 100)

/* What is known of both sets together. */
struct ranks {
	uint64_t n[2];
	count128 twice_u; /* twice the U of the first set */
	double cubes;     /* the sum of t^3 - t over the numbers t of equal samples */
	bool tied;
	size_t distinct;                     /* values */
	unsigned tie[2 * MANNWHITNEY_EXACT]; /* t of each, as far as there is room */
};

count128 mannwhitney_ways(uint64_t n1, uint64_t n2)
{
	uint64_t least = n1 < n2 ? n1 : n2;
	uint64_t n = n1 + n2;
	count128 ways = 1;

	for (uint64_t i = 1; i <= least; i++) {
		count128 next;

		if (__builtin_mul_overflow(ways, n - least + i, &next))
			return WAYS_MAX;
		ways = next / i;
		if (ways >= WAYS_MAX)
			return WAYS_MAX;
	}
	return ways;
}

/* --- ranks ------------------------------------------------------------------------- */

static void add_tie(struct ranks *ranks, uint64_t first, uint64_t second)
{
	uint64_t t = first + second;

	if (ranks->distinct < sizeof ranks->tie / sizeof *ranks->tie)
		ranks->tie[ranks->distinct] = (unsigned)t;
	ranks->distinct++;
	ranks->tied |= t > 1;
	ranks->cubes += (double)t * ((double)t * (double)t - 1);
	ranks->twice_u += (count128)first * (2 * (count128)ranks->n[1] + second);
	ranks->n[0] += first;
	ranks->n[1] += second;
}

static void find_ranks(struct ranks *ranks, const struct mannwhitney_set sets[2])
{
	size_t at[2] = {0, 0};

	*ranks = (struct ranks){.tied = false};
	while (at[0] < sets[0].count || at[1] < sets[1].count) {
		const struct duration *a = &sets[0].values[at[0]];
		const struct duration *b = &sets[1].values[at[1]];
		int order = at[0] == sets[0].count   ? 1
		            : at[1] == sets[1].count ? -1
		                                     : dec_compare(a->dur, b->dur);

		add_tie(ranks, order <= 0 ? a->count : 0, order >= 0 ? b->count : 0);
		at[0] += order <= 0;
		at[1] += order >= 0;
	}
}

/* --- exact, all samples different ----------------------------------------------------- */

/*
 * The arrangements by U are the coefficients of a Gaussian binomial: of the product of
 * (1 - q^(n2 + i)) / (1 - q^i) for i from 1 to n1. Each quotient is a polynomial with coefficients
 * below 2^100; in between, they are computed modulo 2^128.
 */
static void find_at_most(struct mannwhitney *test, const uint64_t n[2])
{
	size_t count = (size_t)(n[0] * n[1] + 1);
	count128 *at_most;

	if (test->at_most && test->n[0] == n[0] && test->n[1] == n[1])
		return;
	free(test->at_most);
	at_most = mem_zero(count, sizeof *at_most);
	at_most[0] = 1;
	for (size_t i = 1; i <= n[0]; i++) {
		for (size_t u = count; u-- > n[1] + i;)
			at_most[u] -= at_most[u - n[1] - i];
		for (size_t u = i; u < count; u++)
			at_most[u] += at_most[u - i];
	}
	for (size_t u = 1; u < count; u++)
		at_most[u] += at_most[u - 1];
	test->at_most = at_most;
	test->n[0] = n[0];
	test->n[1] = n[1];
}

static struct probability different_p(struct mannwhitney *test, const struct ranks *ranks)
{
	uint64_t most = ranks->n[0] * ranks->n[1];
	uint64_t u = (uint64_t)(ranks->twice_u / 2);

	find_at_most(test, ranks->n);
	/* The distribution is symmetric. */
	return probability_exact(2 * test->at_most[u < most - u ? u : most - u], test->at_most[most]);
}

/* --- exact, with equal samples ---------------------------------------------------------- */

/* Arrangements of the samples so far, by how many are of the first set and by twice U. */
struct arrangements {
	count128 *count;
	size_t width; /* 2U from 0 to width - 1 are counted */
	size_t n[2];
	size_t seen; /* samples so far */
};

static count128 *counts_of(const struct arrangements *all, size_t first)
{
	return all->count + first * all->width;
}

/* Adds those in which `chosen` of t equal samples follow `first` others of the first set. */
static void add_chosen(const struct arrangements *all, size_t first, size_t chosen, size_t t)
{
	const count128 *from = counts_of(all, first);
	count128 *to = counts_of(all, first + chosen);
	size_t shift = chosen * (2 * (all->seen - first) + t - chosen);
	count128 ways = mannwhitney_ways(chosen, t - chosen);

	if (ways == 1)
		for (size_t u = shift; u < all->width; u++)
			to[u] += from[u - shift];
	else
		for (size_t u = shift; u < all->width; u++)
			to[u] += ways * from[u - shift];
}

/* Appends t equal samples, larger than all before them. */
static void add_equal(struct arrangements *all, size_t t)
{
	size_t most = all->seen + t < all->n[0] ? all->seen + t : all->n[0];

	/* From the largest number down, so that each step reads values of the step before. */
	for (size_t to = most; to > 0; to--)
		for (size_t chosen = 1; chosen <= t && chosen <= to; chosen++)
			if (to - chosen <= all->seen && all->seen - (to - chosen) <= all->n[1])
				add_chosen(all, to - chosen, chosen, t);
	all->seen += t;
}

static struct probability tied_p(const struct ranks *ranks)
{
	size_t most = (size_t)(2 * ranks->n[0] * ranks->n[1]);
	size_t twice_u = (size_t)ranks->twice_u;
	bool upper = twice_u > most / 2; /* counted from the other end, U and the table are smaller */
	struct arrangements all = {.n = {ranks->n[0], ranks->n[1]}};
	count128 whole = mannwhitney_ways(ranks->n[0], ranks->n[1]);
	count128 below = 0;
	count128 equal;

	twice_u = upper ? most - twice_u : twice_u;
	all.width = twice_u + 1;
	all.count = mem_zero((all.n[0] + 1) * all.width, sizeof *all.count);
	all.count[0] = 1;
	for (size_t i = 0; i < ranks->distinct; i++)
		add_equal(&all, ranks->tie[upper ? ranks->distinct - 1 - i : i]);
	for (size_t u = 0; u < twice_u; u++)
		below += counts_of(&all, all.n[0])[u];
	equal = counts_of(&all, all.n[0])[twice_u];
	free(all.count);
	/* P(U <= u) or P(U >= u). */
	return probability_exact(2 * (below + equal < whole - below ? below + equal : whole - below),
	                         whole);
}

/* --- by the normal distribution --------------------------------------------------------- */

static struct probability normal_p(const struct ranks *ranks)
{
	count128 pairs = (count128)ranks->n[0] * ranks->n[1];
	count128 off = ranks->twice_u > pairs ? ranks->twice_u - pairs : pairs - ranks->twice_u;
	double n = (double)ranks->n[0] + (double)ranks->n[1];
	double variance = (double)pairs / 12 * (n + 1 - ranks->cubes / (n * (n - 1)));

	/* 1/2 nearer to the mean, as U is whole. */
	if (off <= 1 || ranks->distinct == 1)
		return probability_near(1);
	return probability_near(erfc((double)(off - 1) / 2 / sqrt(2 * variance)));
}

struct probability mannwhitney_p(struct mannwhitney *test, const struct mannwhitney_set sets[2],
                                 int *order)
{
	struct ranks ranks;
	count128 pairs;
	uint64_t most;

	find_ranks(&ranks, sets);
	pairs = (count128)ranks.n[0] * ranks.n[1];
	*order = (ranks.twice_u < pairs) - (ranks.twice_u > pairs);
	most = ranks.tied ? MANNWHITNEY_EXACT_TIED : MANNWHITNEY_EXACT;
	if (ranks.n[0] > most || ranks.n[1] > most)
		return normal_p(&ranks);
	return ranks.tied ? tied_p(&ranks) : different_p(test, &ranks);
}

void mannwhitney_free(struct mannwhitney *test)
{
	free(test->at_most);
	*test = (struct mannwhitney){0};
}
