/*
 * operations - what two traces spend in each class of operation, and in each layer.
 *
 * Times are in us. Memory grows with the classes, the distinct kernels, operators
 * and Python stacks of each, and the layers.
 */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "compare/limit.h"
#include "stream/group.h"

enum { OPERATIONS_SIDES = 2 };

/* A kernel that counts. Texts may be empty, but for op. */
struct operations_row {
	struct str op; /* its class */
	struct str name;
	struct str pattern;
	struct str cpu_op;
	struct str phase;
	struct str stack; /* the Python stack, frames with ; between them */
	bool has_layer;
	struct dec layer;
	struct dec dur;
};

/* One side of an operation: kernels by text. */
struct operation_part {
	struct groups patterns;
	struct groups cpu_ops;
	struct groups kernels;
	struct strmap stacks;
};

/* Each of these begins with a sum of either side, as the cells of pair.h want it. */
struct operation {
	struct group sum[OPERATIONS_SIDES];
	struct str name;
	struct dec gap;
	struct operation_part part[OPERATIONS_SIDES];
	struct strmap phases;
};

struct operation_layer {
	struct group sum[OPERATIONS_SIDES];
	struct dec number;
	struct dec gap;
};

struct operation_kernel { /* a kernel or an operator */
	struct group sum[OPERATIONS_SIDES];
	struct str name;
};

/* Starts as {.stacks = …}. */
struct operations {
	size_t stacks; /* so many Python stacks are kept of each class and side; 0: all */
	/* By number in names and numbers until operations_compare, then in their order. */
	struct operation *operation;
	size_t count;
	size_t cap;
	struct operation_layer *layer;
	size_t layers;
	size_t layers_cap;
	uint64_t layers_of[OPERATIONS_SIDES]; /* layers that a side has */
	struct strmap names;
	struct strmap numbers; /* layers, as text */
	struct buf key;
	char error[64];
};

/* Returns false, with error set, if a sum is too large. */
bool operations_add(struct operations *operations, int side, const struct operations_row *row);

/*
 * Before operations_compare: what a side has in phases of attention becomes Attention. Returns
 * false, with error set, if a sum is too large.
 */
bool operations_merge_phases(struct operations *operations, int side);

/*
 * After the last row: puts operations and layers into their order, the largest gap first, and
 * layers of one side last. If one side has RMSNorm+GEMM alone and the other RMSNorm alone, these
 * face each other as RMSNorm+GEMM. Returns false, with error set, if a gap is too large.
 */
bool operations_compare(struct operations *operations);

/*
 * "slower", "faster", "similar", "trace1_only" or "trace2_only": trace1 is slower if its total
 * exceeds the total of trace2 by the limit, and faster in the opposite case.
 */
const char *operations_status(const struct group *sum, const struct limit *limit);

/*
 * The kernels of two sets by name, the kernel with the largest total of either side first. The
 * caller frees them.
 */
struct operation_kernel *operation_kernels(const struct groups *a, const struct groups *b,
                                           size_t *count);

/*
 * The operators of an operation, largest gap first, and an empty name for kernels without an
 * operator, so that the sums add up. If there are more than `most` (0: all), the last row is named
 * "(others)". The caller frees them.
 */
struct operation_kernel *operation_operators(const struct operation *op, size_t most,
                                             size_t *count);

/* What operations of one status add up to. */
struct operations_total {
	struct group sum[OPERATIONS_SIDES];
	struct str status;
	uint64_t operations;
};

enum { OPERATIONS_STATUSES = 5 };

/* By status, for operations_compare's order; returns false, with error set, if too large. */
bool operations_summarize(struct operations *operations, const struct limit *limit,
                          struct operations_total totals[OPERATIONS_STATUSES]);

void operations_free(struct operations *operations);

#endif
