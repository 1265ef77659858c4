/*
 * origin - what launched the kernels of a trace: a call on the host with their correlation, or the
 * start of a flow with their id; and which launches are of a graph that is a layer.
 *
 * Memory: some 52 bytes for each correlation of a launch or of kernels, and 40 for each flow; up to
 * 80 more if their ids are far from each other.
 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "base/dec.h"
#include "trace/idmap.h"

/* A correlation: a launch and its kernels. The launch of a graph has hundreds. */
struct origin {
	/* Set by the caller. */
	struct dec ts;
	struct dec dur;
	uint32_t thread;
	bool launched; /* ts and thread are known, */
	bool has_dur;  /* and dur */
	bool graph;    /* it is the launch of a graph */
	/* By origins_kernel and origins_build. */
	unsigned char kinds; /* layer_kinds of all its kernels, */
	uint32_t kernels;    /* their number, */
	uint32_t layer;      /* and the layer that they are; LAYER_NONE */
};

/* The start of a flow: when and where an operator made the kernel. */
struct origin_flow {
	struct dec ts;
	uint32_t thread;
};

/* Starts as {0}. */
struct origins {
	struct idmap correlations;
	struct origin *origin; /* by number in correlations */
	size_t cap;
	struct idmap flow_ids;
	struct origin_flow *flow; /* by number in flow_ids */
	size_t flows_cap;
	size_t layers; /* graphs that are layers, once built */
};

/* The origin of a correlation, without a launch if it is new. Good until the next one is added. */
struct origin *origins_add(struct origins *origins, struct str correlation);

/* The flow with an id; *added is set to whether it is new. Good until the next one is added. */
struct origin_flow *origins_add_flow(struct origins *origins, struct str id, bool *added);

/* A kernel, for layers by graph; kinds are those that its name has, as by layer_kinds. */
void origins_kernel(struct origins *origins, struct str correlation, unsigned kinds);

/* After the last row: numbers the layers, in the order of the correlations. */
void origins_build(struct origins *origins);

/* NULL if no row had that correlation, or id. */
const struct origin *origins_find(const struct origins *origins, struct str correlation);
const struct origin_flow *origins_find_flow(const struct origins *origins, struct str id);

void origins_free(struct origins *origins);

#endif
