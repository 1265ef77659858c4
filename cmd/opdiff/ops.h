/*
 * ops - the sums of each kernel type, or whatever two passes are joined by, and how far predicted
 * sums are from measured sums.
 *
 * Exact, so that the order of the rows does not matter. Memory grows with the ops and with the
 * functions that are named.
 */
#ifndef OPS_H
#define OPS_H

#include "base/dec.h"
#include "base/strmap.h"

#include <stdint.h>

enum { OPS_FUNCS = 3 }; /* that an op names */

struct op {
	struct dec tc;          /* predicted, of one pass */
	struct dec tc_negative; /* its negative part, as by dec_sum */
	uint64_t tc_count;
	uint64_t misses; /* misses among tc_count */
	size_t func[OPS_FUNCS];
	size_t funcs;
	struct dec prof; /* measured, of all passes */
	struct dec prof_negative;
	uint64_t prof_count;
	/* Set by ops_sort: */
	struct str key;
	struct dec error;       /* predicted - measured, of all passes */
	struct dec count_error; /* predicted - measured numbers of kernels, of all passes */
	struct dec larger;      /* the larger of both times, of all passes */
};

/* Starts as {0}. */
struct ops {
	struct strmap keys;
	struct op *op; /* by number in keys; after ops_sort, in order */
	size_t cap;
	struct strmap funcs;
	char error[80];
};

/* The op of key, made if it is new; good until the next call. */
struct op *ops_get(struct ops *ops, struct str key);

/* Notes a function of the op, without torch.ops.: the first OPS_FUNCS are named, each once. */
void ops_add_func(struct ops *ops, struct op *op, struct str func);

/* Appends them, ", " between. */
void ops_put_funcs(const struct ops *ops, const struct op *op, struct buf *out);

/*
 * Orders them by the larger time, the larger first, then by key. The profile is of this many
 * passes. If a number is too large, returns false with the reason in error.
 */
bool ops_sort(struct ops *ops, size_t passes);

/* The sum of the ops from number `from` on, after ops_sort. False as ops_sort. */
bool ops_sum(struct ops *ops, size_t from, struct op *sum);

void ops_free(struct ops *ops);

#endif
