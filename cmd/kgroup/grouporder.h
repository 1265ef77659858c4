/*
 * grouporder - the groups of a table in the order of one of its columns.
 *
 * Comparing is exact. Groups that lack the figure come before all others. Memory grows with the
 * groups.
 */
#ifndef GROUPORDER_H
#define GROUPORDER_H

#include "stream/group.h"

enum grouporder_by {
	GROUPORDER_KEY, /* a column of the key, in the order of sortkey */
	GROUPORDER_COUNT,
	GROUPORDER_TOTAL,
	GROUPORDER_MEAN,
	GROUPORDER_MIN,
	GROUPORDER_MAX,
	GROUPORDER_DEVIATION,
	GROUPORDER_QUANTILE,
	GROUPORDER_SUM,
};

struct grouporder {
	enum grouporder_by by;
	size_t index;       /* of the column of the key, or of the sum */
	struct dec percent; /* of the quantile */
	bool descending;    /* equal ones have the ascending order of their keys all the same */
	bool counts_alone;  /* the groups have no totals */
};

/*
 * The numbers of the groups in that order; the caller frees them. Keys are those of kev_key. The
 * values of all groups are sorted if it is by a quantile.
 */
size_t *grouporder_sort(struct groups *groups, const struct grouporder *order);

#endif
