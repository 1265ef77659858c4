#include "origin.h"

#include "base/mem.h"

#include "layer.h"

#include <stdlib.h>

struct origin_flow *origins_add_flow(struct origins *origins, struct str id, bool *added)
{
	size_t number = idmap_add(&origins->flow_ids, id, added);

	origins->flow = mem_grow(origins->flow, &origins->flows_cap, number + 1, sizeof *origins->flow);
	if (*added)
		origins->flow[number] = (struct origin_flow){0};
	return &origins->flow[number];
}

static struct str further_key(const uint32_t key[2])
{
	return (struct str){(const char *)key, 2 * sizeof *key};
}

/* The place of the kernels of a launch on a device. */
static struct origin_graph *graph_of(struct origins *origins, uint32_t launch, uint32_t device)
{
	const uint32_t key[] = {launch, device};
	struct origin_graph *first;
	size_t number;
	bool new;

	origins->graph =
		mem_grow_zero(origins->graph, &origins->graphs, launch + 1, sizeof *origins->graph);
	first = &origins->graph[launch];
	if (first->kernels == 0)
		first->device = device;
	if (first->device == device)
		return first;
	first->several = true;
	number = strmap_add(&origins->further, further_key(key), &new);
	origins->on_further = mem_grow(origins->on_further, &origins->further_cap,
	                               origins->further.count, sizeof *origins->on_further);
	if (new)
		origins->on_further[number] = (struct origin_graph){.device = device};
	return &origins->on_further[number];
}

void origins_kernel(struct origins *origins, struct str correlation, uint32_t device,
                    unsigned kinds)
{
	uint32_t launch = (uint32_t)launches_id(&origins->launches, 0, correlation);
	struct origin_graph *graph = graph_of(origins, launch, device);

	graph->kernels++;
	graph->kinds |= (unsigned char)kinds;
}

/* --- graphs that are layers ------------------------------------------------ */

struct graph {
	uint64_t order;
	uint32_t process; /* PROCESS_UNKNOWN */
	struct origin_graph *at;
	bool text; /* the correlation is no whole number */
	bool has_ts;
	struct dec ts; /* start of the launch */
};

#define PROCESS_UNKNOWN UINT32_MAX
#define PROCESS_SEVERAL (UINT32_MAX - 1)

struct graphs {
	struct graph *graph;
	size_t count;
	size_t cap;
	uint64_t *order;
};

static int compare_graphs(const void *a, const void *b)
{
	const struct graph *x = a;
	const struct graph *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->text && y->text && x->has_ts != y->has_ts)
		return x->has_ts ? -1 : 1;
	if (x->text && y->text && dec_compare(x->ts, y->ts) != 0)
		return dec_compare(x->ts, y->ts);
	return (x->order > y->order) - (x->order < y->order);
}

/* Adds a graph if it has enough kernels, of both kinds. */
static void add_graph(struct graphs *graphs, struct origins *origins, uint32_t launch,
                      struct origin_graph *at)
{
	const struct launch *call;
	struct graph *graph;

	at->layer = LAYER_NONE;
	if (at->kernels < LAYER_KERNELS || at->kinds != LAYER_GRAPH)
		return;
	if (!graphs->order)
		graphs->order = launches_order(&origins->launches);
	graphs->graph = mem_grow(graphs->graph, &graphs->cap, graphs->count + 1, sizeof *graphs->graph);
	graph = &graphs->graph[graphs->count++];
	call = launches_at(&origins->launches,
	                   origins->by_device ? launches_choose(&origins->launches, launch, at->device)
	                                      : launch);
	*graph = (struct graph){.order = graphs->order[launch],
	                        .process = call ? call->process : PROCESS_UNKNOWN,
	                        .at = at,
	                        .text = idmap_is_text(graphs->order[launch]),
	                        .has_ts = call != NULL,
	                        .ts = call ? call->ts : (struct dec){0}};
}

static uint32_t one_of(uint32_t a, uint32_t b)
{
	if (a == PROCESS_UNKNOWN || b == PROCESS_UNKNOWN)
		return a == PROCESS_UNKNOWN ? b : a;
	return a == b ? a : PROCESS_SEVERAL;
}

/* Graphs without a launch are of the only process, or of the only one on their device. */
static void find_processes(struct graphs *graphs)
{
	uint32_t all = PROCESS_UNKNOWN;
	uint32_t *of_device = NULL; /* + 1; 0: unknown */
	size_t cap = 0;

	for (size_t i = 0; i < graphs->count; i++) {
		uint32_t process = graphs->graph[i].process;
		uint32_t device = graphs->graph[i].at->device;

		of_device = mem_grow_zero(of_device, &cap, (size_t)device + 1, sizeof *of_device);
		all = one_of(all, process);
		of_device[device] = one_of(of_device[device] - 1, process) + 1;
	}
	for (size_t i = 0; i < graphs->count; i++) {
		struct graph *graph = &graphs->graph[i];

		if (graph->process == PROCESS_UNKNOWN)
			graph->process = all == PROCESS_SEVERAL ? of_device[graph->at->device] - 1 : all;
	}
	free(of_device);
}

/* The numbers of a key of further. */
static struct origin_graph *further_at(const struct origins *origins, size_t i, uint32_t *launch)
{
	memcpy(launch, strmap_key(&origins->further, i).s, sizeof *launch);
	return &origins->on_further[i];
}

static struct graphs find_graphs(struct origins *origins)
{
	struct graphs graphs = {0};
	uint32_t launch;

	origins->by_device = origins->launches.others.count;
	for (size_t i = 0; i < origins->further.count; i++) {
		struct origin_graph *at = further_at(origins, i, &launch);

		if (origins->by_device) {
			add_graph(&graphs, origins, launch, at);
		} else {
			origins->graph[launch].kernels += at->kernels;
			origins->graph[launch].kinds |= at->kinds;
		}
	}
	for (launch = 0; launch < origins->graphs; launch++)
		add_graph(&graphs, origins, launch, &origins->graph[launch]);
	free(graphs.order);
	find_processes(&graphs);
	return graphs;
}

/* A correlation is one layer on all devices of a process. */
void origins_build(struct origins *origins)
{
	struct graphs graphs = find_graphs(origins);
	uint32_t layer = 0;

	origins->layers = 0;
	if (graphs.count)
		qsort(graphs.graph, graphs.count, sizeof *graphs.graph, compare_graphs);
	for (size_t i = 0; i < graphs.count; i++) {
		const struct graph *graph = &graphs.graph[i];

		if (i && graph->process != graph[-1].process)
			layer = 0;
		else if (i && graph->order != graph[-1].order)
			layer++;
		graph->at->layer = layer;
		if (layer >= origins->layers)
			origins->layers = layer + 1;
	}
	free(graphs.graph);
}

/* --- questions ------------------------------------------------------------- */

uint32_t origins_layer(const struct origins *origins, size_t launch, uint32_t device)
{
	const uint32_t key[] = {(uint32_t)launch, device};
	size_t number;

	if (launch >= origins->graphs)
		return LAYER_NONE;
	if (!origins->by_device || origins->graph[launch].device == device)
		return origins->graph[launch].layer;
	number = strmap_find(&origins->further, further_key(key));
	return number == STRMAP_NONE ? LAYER_NONE : origins->on_further[number].layer;
}

const struct origin_flow *origins_find_flow(const struct origins *origins, struct str id)
{
	size_t number = idmap_find(&origins->flow_ids, id);

	return number == IDMAP_NONE ? NULL : &origins->flow[number];
}

void origins_free(struct origins *origins)
{
	launches_free(&origins->launches);
	free(origins->graph);
	strmap_free(&origins->further);
	free(origins->on_further);
	idmap_free(&origins->flow_ids);
	free(origins->flow);
	*origins = (struct origins){0};
}
