/*
 * orderstat - the confidence interval of a median, by order statistics.
 *
 * Of n samples in their order, the k-th smallest and the k-th largest enclose the median of what
 * they were drawn from with the probability 1 - 2 P(B < k), where B is binomial with n and 1/2.
 * Nothing is assumed of the distribution.
 */
#ifndef ORDERSTAT_H
#define ORDERSTAT_H

#include "stream/group.h"

enum { ORDERSTAT_EXACT = 440 }; /* 2^440 * 10^9 fits struct wide */

/* Above, the binomial distribution is the normal one. */
#define ORDERSTAT_NORMAL 1000000000u

/* Starts as {.alpha = …}, above 0 and below 1. */
struct orderstat {
	struct dec alpha;
	uint16_t known[ORDERSTAT_EXACT + 1]; /* k + 1 by n; 0: not computed */
};

/*
 * The largest k whose probability is at least 1 - alpha; 0 if no k has it. Up to ORDERSTAT_EXACT it
 * is exact; for larger n, binary floats may give another k if a probability and 1 - alpha agree in
 * their first 12 digits.
 */
uint64_t orderstat_k(struct orderstat *orderstat, uint64_t n);

/* The value with this rank, from 1; the values are sorted and distinct. */
struct dec orderstat_value(const struct duration *values, size_t count, uint64_t rank);

#endif
