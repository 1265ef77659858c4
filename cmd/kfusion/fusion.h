/*
 * fusion - what one of two traces does in one kernel and the other in several: the sums of each
 * class, and how often the traces launch it. kfusion(1) has the rules in words.
 *
 * Kernels come in any order. Times are in us. Memory grows with the kernels, the classes and the
 * groups, see sequence.h and matching.h. Time is n log n, and a product: in two groups that match,
 * each class with fewer kernels meets those with more.
 */
#ifndef FUSION_H
#define FUSION_H

#include "stream/group.h"

#include "claim.h"
#include "matching.h"
#include "sequence.h"

enum { FUSION_SIDES = 2 };

enum { FUSION_FEWEST = 5 }; /* kernels of which anything is claimed */

/* The class of kernels that prepare or finish the work of an attention kernel, of all phases. */
#define FUSION_PART STR("Attention part")

/* One class. Begins with a sum of either side, as the cells of pair.h want it. */
struct fusion_class {
	struct group sum[FUSION_SIDES];
	struct str name;
	size_t op;                      /* its number in ops */
	uint64_t chains[FUSION_SIDES];  /* runs of its kernels that follow each other */
	uint64_t grouped[FUSION_SIDES]; /* kernels of the class in groups that have a match */
	struct dec grouped_time[FUSION_SIDES];
	struct dec grouped_negative[FUSION_SIDES]; /* as by dec_sum */
	uint64_t differ;                           /* pairs of groups with different counts */
	/* What the claims explain. */
	bool within[FUSION_SIDES];      /* it is a part of a fused class that this side has */
	bool fuses[FUSION_SIDES];       /* it is the fused class of which this side has more */
	uint64_t claimed[FUSION_SIDES]; /* kernels of this side that the other side fuses */
	bool renamed;                   /* each side has a class of its own in this place */
};

/* What a launch ratio compares. */
enum fusion_per {
	FUSION_PER_GROUP, /* the kernels in groups that match */
	FUSION_PER_STEP,  /* all kernels, by the number of steps of their trace */
	FUSION_PER_TRACE, /* all kernels */
};

/* A class that one side launches over twice as often, or alone. Begins as a class does. */
struct fusion_opportunity {
	struct group sum[FUSION_SIDES]; /* count and total of what is compared */
	const struct fusion_class *class;
	enum fusion_per per;
	int more; /* the side with more launches */
	int by;   /* the side that fuses; -1 if that is not known */
};

/* Starts as {.min_group = …}. */
struct fusion {
	size_t min_group; /* the fewest kernels of a group */
	struct sequence side[FUSION_SIDES];
	const struct strmap *ops;
	bool experts[FUSION_SIDES]; /* the model has any: some class is MoE */
	/* After fusion_find. */
	struct matching matching;
	struct fusion_class *classes; /* by name */
	size_t classes_count;
	struct claim *claims; /* the most frequent first */
	size_t claims_count;
	size_t claims_cap;
	struct fusion_opportunity *opportunities; /* the largest difference of totals first */
	size_t opportunities_count;
	char error[64];
};

void fusion_add(struct fusion *fusion, int side, const struct sequence_kernel *kernel);

/*
 * Finds all of the above; to be called once, after the last kernel. ops, the names of the
 * classes, must outlive it. Returns false, with error set, if a sum is too large.
 */
bool fusion_find(struct fusion *fusion, const struct strmap *ops);

/* Kernels of that side as a number to compare with the other side: per step if both have steps. */
__int128 fusion_rate(const struct fusion *fusion, int side, uint64_t count);

/*
 * The launches of a class that may be compared, as launches[0] : launches[1]: launches in groups
 * that match if there are such groups, else launches of the traces, per step if both have steps.
 */
enum fusion_per fusion_launches(const struct fusion *fusion, const struct fusion_class *class,
                                __int128 launches[FUSION_SIDES]);

void fusion_free(struct fusion *fusion);

#endif
