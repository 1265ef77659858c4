/*
 * sequence - the kernels of one trace in their order: which classes follow which, and the groups of
 * kernels that ran together.
 *
 * Times are in us. Memory: 64 bytes for each kernel, twice that while they are read, and 64 bytes
 * for each two classes that follow each other and for each class of a group.
 */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include "base/strmap.h"

#include "couple.h"

struct sequence_kernel {
	struct dec ts;
	struct dec dur;
	size_t op; /* the number of its class */
	/* Numbers, small and without gaps; STRMAP_NONE: the kernel has no launch or step. */
	size_t device;
	size_t launch;
	size_t step; /* on its device */
};

/* A group: the kernels of one large launch, or the other kernels of a step. */
struct bunch {
	size_t kernels;
	size_t first;                /* the place of its first kernel */
	size_t launch;               /* number of the launch, or STRMAP_NONE */
	size_t step;                 /* number of the step, if launch is STRMAP_NONE */
	const struct couple *pieces; /* by class (b): its kernels of each */
	size_t pieces_count;
};

/* Starts as {0}. */
struct sequence {
	struct sequence_kernel *kernels;
	size_t count;
	size_t cap;
	size_t launches;
	size_t steps;
	struct bunch *bunches; /* the largest first */
	size_t bunches_count;
	size_t bunches_cap;
	struct couple *pieces; /* kernels of all groups, by group and class */
	struct couple *follow; /* how often one class (a) is directly followed by another (b) */
	size_t follow_count;
};

/* Kernels come in any order. */
void sequence_add(struct sequence *sequence, const struct sequence_kernel *kernel);

/* To be called once, after the last kernel and before the functions below. */
void sequence_sort(struct sequence *sequence);

/* Whether the kernel at i directly follows the kernel at i - 1: on its device, in its step. */
bool sequence_follows(const struct sequence *sequence, size_t i);

/* Fill `follow`, and the groups of at least so many kernels. False if a sum is too large. */
bool sequence_pair(struct sequence *sequence);
bool sequence_bunch(struct sequence *sequence, size_t fewest);

/* The kernels of a group that belong to that class; NULL if there are none. */
const struct couple *sequence_piece(const struct bunch *bunch, size_t op);

void sequence_free(struct sequence *sequence);

#endif
