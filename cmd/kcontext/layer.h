/*
 * layer - the layers of a model in a trace: graphs that look like a layer, the kernels from one
 * attention to the next, or calls of a module.
 */
#ifndef LAYER_H
#define LAYER_H

#include "base/dec.h"
#include "base/strmap.h"

#include <stdint.h>

#define LAYER_NONE UINT32_MAX

/* --- a graph is a layer if one launch has so many kernels, of both kinds ------ */

enum {
	LAYER_KERNELS = 70,
	LAYER_ATTENTION = 1,
	LAYER_FEED_FORWARD = 2,
	LAYER_GRAPH = LAYER_ATTENTION | LAYER_FEED_FORWARD,
};

/* The kinds that a kernel's name contains, in any case of letters; 0: neither. */
unsigned layer_kinds(struct str name);

/* The distinct names so far, and the kinds of each. Starts as {0}. */
struct layer_names {
	struct strmap names;
	unsigned *kinds;
	size_t cap;
};

/* The kinds of a name, which are computed only if the name is new. */
unsigned layer_names_kinds(struct layer_names *names, struct str name);

void layer_names_free(struct layer_names *names);

/* --- layers that begin with an attention ------------------------------------- */

/* Starts as {0}. Memory: 32 bytes for each layer of each step. */
struct layers {
	struct layer_start *starts;
	size_t count;
	size_t cap;
	size_t most; /* the most of any step, once built */
};

/* An attention starts; the caller numbers steps and devices. */
void layers_add(struct layers *layers, uint32_t step, uint32_t device, struct dec ts);

/* After the last attention. */
void layers_build(struct layers *layers);

/* The layer at ts, from 0 in each step and on each device; LAYER_NONE before the first. */
uint32_t layers_at(const struct layers *layers, uint32_t step, uint32_t device, struct dec ts);

void layers_free(struct layers *layers);

/* --- layers that are calls of a module --------------------------------------- */

/*
 * Whether function is a call of a module, "nn.Module: CLASS_N", whose class is or ends in this one.
 */
bool layer_is_module(struct str function, struct str class);

struct layer_call {
	uint32_t function; /* number of the function, by the caller */
	uint32_t step;
	size_t thread;
	struct dec ts;
	uint32_t layer; /* number of the layer, by layer_calls_number */
};

/* Starts as {0}. */
struct layer_calls {
	struct layer_call *call;
	size_t count;
	size_t cap;
	size_t most; /* the most of any step, once numbered */
};

void layer_calls_add(struct layer_calls *calls, const struct layer_call *call);

/* Numbers the calls from 0 in each step and on each thread, in order of ts. */
void layer_calls_number(struct layer_calls *calls);

#endif
