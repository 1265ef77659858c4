/*
 * groupwise - compares the samples of two sides, group by group, and the sum of all groups.
 */
#ifndef GROUPWISE_H
#define GROUPWISE_H

#include "changes.h"
#include "samples.h"

struct groupwise {
	struct samples *samples;
	bool units; /* samples are the totals of units; else single rows, whose sums are of one unit */
	size_t skip;
	struct dec alpha;
	struct comparison_tools tools;
};

/*
 * Puts the samples in order, compares them and fills changes. Groups that have no samples on
 * either side are left out. False if a sum is too large.
 */
bool groupwise_compare(struct groupwise *groupwise, struct changes *changes);

void groupwise_free(struct groupwise *groupwise);

#endif
