/*
 * collkind - kinds of collectives: their names, how many bytes they move, and which kinds wait for
 * all ranks.
 */
#ifndef COLLKIND_H
#define COLLKIND_H

#include "base/buf.h"

#include <stdint.h>

enum collkind {
	COLLKIND_ALLREDUCE,
	COLLKIND_ALLGATHER,
	COLLKIND_REDUCE_SCATTER,
	COLLKIND_ALL_TO_ALL,
	COLLKIND_BARRIER,
	COLLKIND_BROADCAST,
	COLLKIND_REDUCE,
	COLLKIND_GATHER,
	COLLKIND_SCATTER,
	COLLKIND_SEND,
	COLLKIND_RECV,
	COLLKIND_SENDRECV, /* a kernel that may be of any kind but a reduction */
	COLLKIND_UNKNOWN,
};
enum { COLLKINDS = COLLKIND_UNKNOWN + 1 };

extern const char *const collkind_names[COLLKINDS];

/* The kind with exactly this name; false without such a kind. */
bool collkind_parse(struct str name, enum collkind *kind);

/*
 * The kind that a text of a profiler means: allreduce, nccl:_all_gather_base,
 * ncclDevKernel_AllReduce_Sum_f32, allReduce. COLLKIND_UNKNOWN if it names none.
 */
enum collkind collkind_of(struct str text);

/* Whether no rank can end it before all have begun. */
bool collkind_waits(enum collkind kind);

/* Whether all ranks of a group call it, so that it has a place in the sequence of the group. */
bool collkind_is_named(enum collkind kind);

/* Whether its size is what a rank has after it, not what it has before. */
bool collkind_by_output(enum collkind kind);

/* Whether all ranks move equally many bytes, if there are no split sizes. */
bool collkind_is_even(enum collkind kind);

/*
 * A quotient: the algorithm's bandwidth times this factor is the bandwidth of the busiest link,
 * with n ranks. False if the factor is unknown.
 */
bool collkind_factor(enum collkind kind, uint64_t n, uint64_t *numerator, uint64_t *denominator);

/* Bytes of an element of a dtype: Float, c10::BFloat16, long int. 0 if it is not known. */
unsigned collkind_element(struct str dtype);

/*
 * Bytes of the first tensor of an operator, by its dims, [[394241], []], and types, ["float", ""].
 * False if its dims or its type are unknown.
 */
bool collkind_tensor(struct str dims, struct str types, uint64_t *bytes);

/* Whether a list of split sizes has one: not "" nor "[]". */
bool collkind_is_split(struct str list);

#endif
