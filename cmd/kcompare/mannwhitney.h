/*
 * mannwhitney - the Mann-Whitney U test: whether one of two sets of samples tends to have larger
 * values.
 *
 * U counts the pairs of a sample of each set in which the sample of the first set is larger; equal
 * samples count 1/2. p is the smaller of P(U <= u) and P(U >= u) over all arrangements of the
 * samples, twice, and at most 1. So it does not depend on which set is the first.
 *
 * Memory: 16 bytes for each value that U can have, and with equal samples, for each of these and
 * each sample of the first set.
 */
#ifndef MANNWHITNEY_H
#define MANNWHITNEY_H

#include "stream/group.h"

#include "probability.h"

/* p is exact if each side has at most so many samples; else it is by the normal distribution. */
enum { MANNWHITNEY_EXACT = 50, MANNWHITNEY_EXACT_TIED = 25 };

/* Starts as {0}: what several tests have in common. */
struct mannwhitney {
	uint64_t n[2]; /* sizes of the sets that at_most is for */
	unsigned __int128
		*at_most; /* without equal samples: arrangements with U of at most the index */
};

/* The samples of a set: sorted and distinct values. */
struct mannwhitney_set {
	const struct duration *values;
	size_t count;
};

/*
 * p of two sets, neither of which is empty. *order is above 0 if the second set has the larger
 * ranks, below 0 if the first set has, and 0 if both have the same.
 */
struct probability mannwhitney_p(struct mannwhitney *test, const struct mannwhitney_set sets[2],
                                 int *order);

/*
 * In how many ways n1 and n2 samples can be arranged, but at most 2^100. The least p is 2 divided
 * by this.
 */
unsigned __int128 mannwhitney_ways(uint64_t n1, uint64_t n2);

void mannwhitney_free(struct mannwhitney *test);

#endif
