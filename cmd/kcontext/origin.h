/*
 * origin - what launched the kernels of a trace: a call on the host with their correlation, or the
 * start of a flow with their id; and which launches are of a graph that is a layer.
 *
 * wall/launches decides which call launched a kernel. Memory: what it takes; for layers by graph 16
 * bytes more for each correlation, and 100 for each further device that has it; and 40 for each
 * flow, up to 80 more if the ids are far from each other.
 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "wall/launches.h"

/* The kernels of a correlation on a device. The launch of a graph has hundreds. */
struct origin_graph {
	uint32_t kernels;
	uint32_t device;     /* a number of the caller */
	uint32_t layer;      /* the layer that the graph is, after origins_build; LAYER_NONE */
	unsigned char kinds; /* layer_kinds of all kernels */
	bool several;        /* other devices have kernels of this correlation */
};

/* The start of a flow: when and where an operator made the kernel. */
struct origin_flow {
	struct dec ts;
	uint32_t thread;
};

/* Starts as {0}. */
struct origins {
	struct launches launches;   /* launches of one file, number 0 */
	struct origin_graph *graph; /* by number in launches; only for correlations of kernels */
	size_t graphs;
	struct strmap further;           /* for other devices: numbers of launch and device, as bytes */
	struct origin_graph *on_further; /* by number in further */
	size_t further_cap;
	bool by_device; /* once built: one correlation may be of several processes */
	struct idmap flow_ids;
	struct origin_flow *flow; /* by number in flow_ids */
	size_t flows_cap;
	size_t layers; /* graphs that are layers, the most of any process, once built */
};

/* The flow with an id; *added is set to whether it is new. Good until the next one is added. */
struct origin_flow *origins_add_flow(struct origins *origins, struct str id, bool *added);

/*
 * Adds a kernel that is linked, for layers by graph. kinds are the kinds of its name, as by
 * layer_kinds.
 */
void origins_kernel(struct origins *origins, struct str correlation, uint32_t device,
                    unsigned kinds);

/*
 * After the last row, and launches_own for each: numbers the layers of each process, in the order
 * of the correlations: whole numbers by value, and then texts by the time of their launch. A graph
 * without a launch is of the process of the other graphs on its device.
 */
void origins_build(struct origins *origins);

/* The layer of the launch with this number, on a device; LAYER_NONE. */
uint32_t origins_layer(const struct origins *origins, size_t launch, uint32_t device);

/* NULL if no flow has that id. */
const struct origin_flow *origins_find_flow(const struct origins *origins, struct str id);

void origins_free(struct origins *origins);

#endif
