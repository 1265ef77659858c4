/*
 * probability - of a test: an exact quotient of whole numbers, or a binary float if it is only
 * known approximately.
 */
#ifndef PROBABILITY_H
#define PROBABILITY_H

#include "base/dec.h"

struct probability {
	unsigned __int128 part; /* numerator; at most whole, which is below 2^120 */
	unsigned __int128 whole;
	double approximate; /* if whole is 0 */
};

/* part / whole, at most 1. whole must be from 1 to 2^120 - 1. */
struct probability probability_exact(unsigned __int128 part, unsigned __int128 whole);

/* p, from 10^-30, so that it has a text, to 1. */
struct probability probability_near(double p);

/* < 0, 0, > 0. Those that are not approximate are compared exactly. */
int probability_compare(struct probability a, struct probability b);

/* times p, at most 1. */
struct probability probability_times(struct probability p, uint64_t times);

/* Whether p is at most alpha, which is not below 0. */
bool probability_at_most(struct probability p, struct dec alpha);

/* Appends it: to 12 significant digits, an approximate one to fewer. */
enum { PROBABILITY_ROUNDED = 6 };
void probability_put(struct buf *out, struct probability p);

#endif
