/*
 * fusion - what one of two traces does in one kernel and the other in several. kfusion(1) has
 * the rules in words.
 *
 * Kernels come in any order. Times are in us. Memory grows with the kernels: each is held as it
 * stands below, and 24 bytes for each class of a group. Time is n log n, and two products: each
 * group of trace1 meets the groups of trace2 with classes of its own, equal ones once for all; and
 * in two groups that match, each class with fewer kernels meets those with more.
 */
#ifndef FUSION_H
#define FUSION_H

#include "base/strmap.h"
#include "stream/group.h"

enum { FUSION_SIDES = 2 };

struct fusion_kernel {
	struct dec ts;
	struct dec dur;
	size_t op; /* its class: a number of ops */
	/* Numbers of its side, small and without gaps; STRMAP_NONE if it has none. */
	size_t device;
	size_t launch;
	size_t step; /* on its device */
};

/* Starts as {0}. */
struct fusion_side {
	struct fusion_kernel *kernels; /* after fusion_find by device and time */
	size_t count;
	size_t cap;
	size_t launches;
	size_t steps;
	struct fusion_bunch *bunches; /* groups of kernels that ran together, the largest first */
	size_t bunches_count;
	size_t bunches_cap;
	struct tally *pieces; /* of all groups, by group and class */
	struct tally *follow; /* how often one class directly follows another */
	size_t follow_count;
	struct tally *before; /* by class: the pair with the one that most often precedes it, */
	struct tally *after;  /* and with the one that most often follows it */
};

/* One class. Begins with a sum of either side, as the cells of pair.h want it. */
struct fusion_class {
	struct group sum[FUSION_SIDES];
	struct str name;
	uint64_t chains[FUSION_SIDES];  /* runs of its kernels that follow each other */
	uint64_t grouped[FUSION_SIDES]; /* its kernels in groups that have a match */
	uint64_t differ;                /* pairs of groups in which the counts are not equal */
	bool within[FUSION_SIDES];      /* it is a part of a fused class that this side has */
};

/* What one side fuses. */
struct fusion_mapping {
	int by; /* the side that does */
	struct str fused;
	uint64_t fused_count;
	struct str parts[2]; /* what the other side runs instead; the second may be empty */
	uint64_t count;      /* how often, */
	uint64_t of;         /* out of so many kernels */
	struct buf evidence; /* in words */
};

/* Starts as {0}. */
struct fusion {
	struct fusion_side side[FUSION_SIDES];
	const struct strmap *ops;
	/* After fusion_find. */
	struct fusion_class *classes; /* by name */
	size_t classes_count;
	uint64_t pairs;                  /* of groups that match */
	struct fusion_mapping *mappings; /* the most frequent first */
	size_t mappings_count;
	size_t mappings_cap;
	char error[64];
};

void fusion_add(struct fusion *fusion, int side, const struct fusion_kernel *kernel);

/*
 * Finds all of the above; to be called once, after the last kernel. ops, the names of the
 * classes, must outlive it. Returns false, with error set, if a sum is too large.
 */
bool fusion_find(struct fusion *fusion, const struct strmap *ops);

void fusion_free(struct fusion *fusion);

#endif
