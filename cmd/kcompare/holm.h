/*
 * holm - p of many tests, adjusted so that a false alarm in any of them has a probability of at
 * most alpha: Holm's method over the tests that can become significant at all, which are Tarone's.
 *
 * The least p of a test follows from the numbers of its samples. K is the smallest number such that
 * at most K tests have a least p of alpha / K or below. These are adjusted; the others have too few
 * samples.
 */
#ifndef HOLM_H
#define HOLM_H

#include "probability.h"

struct holm_test {
	struct probability p;
	unsigned __int128 ways;      /* 2 / ways is the least p; below 2^120 */
	bool few;                    /* set by holm_adjust: the test has too few samples */
	struct probability adjusted; /* set by holm_adjust if the test has enough samples */
};

void holm_adjust(struct holm_test *tests, size_t count, struct dec alpha);

/* How many samples on each side would let each of so many tests, at least 1, become significant. */
uint64_t holm_needed(size_t count, struct dec alpha);

#endif
