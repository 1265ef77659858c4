/*
 * matching - which groups of kernels of two traces match, and in which classes they differ.
 *
 * Equal groups match first. Then, largest first, groups match whose sizes are within a quarter and
 * that have at least half of their kernels in common. A group takes the group with most in common,
 * and of several the closest in size. It is compared with the 1,000 groups closest in size, where
 * equal groups count once.
 *
 * Memory: some 100 bytes for each group, and 96 for each class in which two that match differ. Time
 * grows with the groups and their classes.
 */
#ifndef MATCHING_H
#define MATCHING_H

#include "sequence.h"

struct matching_pair {
	size_t bunch[2]; /* places in the bunches of either sequence */
};

/* Starts as {0}. */
struct matching {
	struct matching_pair *pairs;
	size_t count;
	size_t cap;
	/*
	 * Differences of a pair of groups (a) in a class (b): trace2's kernels less trace1's. Never 0.
	 */
	struct couple *differences;
	size_t differences_count;
	size_t differences_cap;
	size_t *at; /* the first difference of each pair, and the end */
	struct couple_index by_class;
};

/* To be called once. classes: how many there are. */
void matching_find(struct matching *matching, const struct sequence *a, const struct sequence *b,
                   size_t classes);

void matching_free(struct matching *matching);

#endif
