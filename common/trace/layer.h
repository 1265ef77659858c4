/*
 * layer - the layers of a model in a trace: graphs that look like one, and what
 * follows an attention kernel.
 */
#ifndef LAYER_H
#define LAYER_H

#include "base/dec.h"

#include <stdint.h>

#define LAYER_NONE UINT32_MAX

/* --- a graph that is a layer: so many kernels of one launch, and both kinds among them */

enum {
	LAYER_KERNELS = 70,
	LAYER_ATTENTION = 1,
	LAYER_FEED_FORWARD = 2,
	LAYER_GRAPH = LAYER_ATTENTION | LAYER_FEED_FORWARD,
};

/* Which of the two a kernel's name tells, 0 for neither; in any case of letters. */
unsigned layer_kinds(struct str name);

/* --- layers that begin with an attention */

/* Starts as {0}. Memory: 32 bytes for each layer of each step. */
struct layers {
	struct layer_start *starts;
	size_t count;
	size_t cap;
	size_t most; /* of any step, once built */
};

/* In a step, on a device, both numbered by the caller, an attention starts. */
void layers_add(struct layers *layers, uint32_t step, uint32_t device, struct dec ts);

/* Behind the last of them. */
void layers_build(struct layers *layers);

/* The layer that ts lies in, from 0 in each step and on each device; LAYER_NONE before the first.
 */
uint32_t layers_at(const struct layers *layers, uint32_t step, uint32_t device, struct dec ts);

void layers_free(struct layers *layers);

#endif
