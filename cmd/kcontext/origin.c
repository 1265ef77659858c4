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

void origins_kernel(struct origins *origins, struct str correlation, unsigned kinds)
{
	struct origin_graph *graph;
	size_t number;

	number = launches_id(&origins->launches, 0, correlation);
	origins->graph =
		mem_grow_zero(origins->graph, &origins->graphs, number + 1, sizeof *origins->graph);
	graph = &origins->graph[number];
	graph->kernels++;
	graph->kinds |= (unsigned char)kinds;
}

/* --- graphs that are layers ------------------------------------------------ */

struct graph {
	uint64_t order;
	uint32_t launch;
	bool text; /* the correlation is no whole number */
	bool has_ts;
	struct dec ts; /* start of the launch */
};

static int compare_graphs(const void *a, const void *b)
{
	const struct graph *x = a;
	const struct graph *y = b;

	if (x->text && y->text && x->has_ts != y->has_ts)
		return x->has_ts ? -1 : 1;
	if (x->text && y->text && dec_compare(x->ts, y->ts) != 0)
		return dec_compare(x->ts, y->ts);
	return (x->order > y->order) - (x->order < y->order);
}

/* By correlation: the graphs with enough kernels, of both kinds. */
static struct graph *find_graphs(const struct origins *origins, size_t *count)
{
	struct graph *graphs = NULL;
	uint64_t *order = NULL;
	size_t cap = 0;

	*count = 0;
	for (uint32_t i = 0; i < origins->graphs; i++) {
		const struct launch *call;

		if (origins->graph[i].kernels < LAYER_KERNELS || origins->graph[i].kinds != LAYER_GRAPH)
			continue;
		if (!order)
			order = launches_order(&origins->launches);
		graphs = mem_grow(graphs, &cap, *count + 1, sizeof *graphs);
		call = launches_at(&origins->launches, i);
		graphs[(*count)++] = (struct graph){.order = order[i],
		                                    .launch = i,
		                                    .text = idmap_is_text(order[i]),
		                                    .has_ts = call != NULL,
		                                    .ts = call ? call->ts : (struct dec){0}};
	}
	free(order);
	return graphs;
}

void origins_build(struct origins *origins)
{
	struct graph *graphs = find_graphs(origins, &origins->layers);

	if (origins->layers)
		qsort(graphs, origins->layers, sizeof *graphs, compare_graphs);
	for (size_t i = 0; i < origins->graphs; i++)
		origins->graph[i].layer = LAYER_NONE;
	for (uint32_t i = 0; i < origins->layers; i++)
		origins->graph[graphs[i].launch].layer = i;
	free(graphs);
}

/* --- questions ------------------------------------------------------------- */

uint32_t origins_layer(const struct origins *origins, size_t launch)
{
	return launch < origins->graphs ? origins->graph[launch].layer : LAYER_NONE;
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
	idmap_free(&origins->flow_ids);
	free(origins->flow);
	*origins = (struct origins){0};
}
