/*
 * alignsum - what the rows and layers of align.h sum up to, and what a row's note says.
 *
 * Times are in us. Memory grows with the rows, and with the distinct names of each row if
 * kernels named alike are wanted.
 */
#ifndef ALIGNSUM_H
#define ALIGNSUM_H

#include "stream/group.h"

#include "align.h"

/* Each of these begins with a sum of either side, as the cells of pair.h want it. */
struct alignsum_row {
	struct group sum[ALIGN_SIDES];
	const struct align_row *at;
	const struct alignsum_layer *layer;
	struct str kernel[ALIGN_SIDES];      /* the commonest name */
	uint64_t class_kernels[ALIGN_SIDES]; /* all kernels of its class in its layer */
};

struct alignsum_layer {
	struct group sum[ALIGN_SIDES];
	struct group aligned[ALIGN_SIDES]; /* sums of rows with kernels of both sides */
	const struct align_layer *at;
};

/* Kernels of one class and one name that face each other. */
struct alignsum_same {
	struct group sum[ALIGN_SIDES];
	struct str operation;
	struct str name;
	struct dec gap;
	uint64_t pairs; /* rows in which they do, and in how many a side is faster on average */
	uint64_t faster[ALIGN_SIDES];
};

/* The kernels named alike, in all. */
struct alignsum_alike {
	struct alignsum_same all;
	uint64_t kernels; /* names, each in its class */
	uint64_t ratios;  /* pairs with a ratio: the second side takes time, neither one below 0 */
	struct dec ratio; /* the sum of their ratios, times 10^9: see alignsum_mean_ratio */
};

/* Starts as {0}. */
struct alignsum {
	struct alignsum_row *rows;     /* as align->rows */
	struct alignsum_layer *layers; /* as align->layers */
	struct alignsum_same *same;    /* the largest gap first */
	size_t same_count;
	struct alignsum_alike alike;
	char error[64];
};

/*
 * Sums up what align_find found, and sorts align->order anew. The kernels named alike are summed
 * up if `same`. ops and names, of the kernels' numbers, and align must outlive the sums. Returns
 * false, with error set, if a sum is too large.
 */
bool alignsum_find(struct alignsum *sums, struct align *align, const struct strmap *ops,
                   const struct strmap *names, bool same);

/* Whether the commonest kernels of both sides have one name. */
bool alignsum_is_same(const struct alignsum_row *row);

/*
 * Appends the mean, over pairs, of the ratio of the averages; nothing without pairs. A pair in
 * which the second side takes no time has no ratio.
 */
void alignsum_mean_ratio(const struct alignsum_alike *alike, struct buf *out);

/* Appends what is remarkable of a row, if anything: "fused by trace1". */
void alignsum_note(const struct alignsum_row *row, bool by_order, struct buf *out);

void alignsum_free(struct alignsum *sums);

#endif
