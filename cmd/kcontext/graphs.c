#include "graphs.h"

#include "base/mem.h"

#include "contextgraph.h"

#include <stdlib.h>

/* --- rows ----------------------------------------------------------------------- */

static struct graphs_count *count_of(struct graphs *graphs, struct str name)
{
	size_t number = strmap_add(&graphs->names, name, NULL);

	graphs->count =
		mem_grow_zero(graphs->count, &graphs->count_cap, number + 1, sizeof *graphs->count);
	return &graphs->count[number];
}

/* The columns of the output that the candidates of a row lose. */
static void add_lost(struct graphs *graphs, const struct context *c,
                     const struct context_graph *graph)
{
	static const struct str names[CONTEXTGRAPH_ARGS] = {
		[CONTEXTGRAPH_OP] = {"cpu_op", 6},     [CONTEXTGRAPH_STACK] = {"python_stack", 12},
		[CONTEXTGRAPH_MODULE] = {"module", 6}, [CONTEXTGRAPH_MODULE_STACK] = {"module_stack", 12},
		[CONTEXTGRAPH_LAYER] = {"layer", 5},
	};
	const bool wanted[CONTEXTGRAPH_ARGS] = {
		[CONTEXTGRAPH_OP] = true,
		[CONTEXTGRAPH_STACK] = c->stacks,
		[CONTEXTGRAPH_MODULE] = c->modules,
		[CONTEXTGRAPH_MODULE_STACK] = c->modules,
		[CONTEXTGRAPH_LAYER] = c->module.n > 0,
	};
	bool any = false;

	for (size_t i = 0; i < CONTEXTGRAPH_ARGS + c->args.count; i++) {
		if ((i < CONTEXTGRAPH_ARGS && !wanted[i]) || !choices_lost(graph->choices, graph->row, i))
			continue;
		words_put_once(&graphs->columns,
		               i < CONTEXTGRAPH_ARGS ? names[i] : c->args.item[i - CONTEXTGRAPH_ARGS]);
		any = true;
	}
	graphs->differing += any;
}

struct str graphs_row(struct graphs *graphs, const struct context *context,
                      const struct context_place *place, struct str kernel_dur)
{
	const struct context_graph *graph = &place->graph;
	struct graphs_count *count;

	graphs->rows = true;
	if (!graph->replay)
		return STR("");
	count = count_of(graphs, contextgraph_name(context, graph));
	count->rows++;
	count->matched += place->captured;
	if (!graph->replay->written) {
		graph->replay->written = true;
		count->launches++;
		graphs->without += !graph->row;
		graphs->too_long += contextgraph_is_long(graph);
	}
	if (!graph->row)
		balance_time(&graphs->time, kernel_dur);
	else if (graph->row->lost)
		add_lost(graphs, context, graph);
	return place->captured ? contextgraph_name(context, graph) : STR("");
}

/* --- the end of a file, and of a stream --------------------------------------------- */

static void put_line(struct kev_writer *out, struct str name, const struct graphs_count *count)
{
	const uint64_t numbers[] = {count->launches, count->rows, count->matched};
	struct buf text[3] = {{0}};
	struct str values[4] = {name};

	for (size_t i = 0; i < 3; i++) {
		buf_format(&text[i], "%llu", (unsigned long long)numbers[i]);
		values[i + 1] = buf_view(&text[i]);
	}
	kev_meta(out, "capture", values, 4);
	for (size_t i = 0; i < 3; i++)
		buf_free(&text[i]);
}

void graphs_put(struct graphs *graphs, struct kev_writer *out, bool end)
{
	struct words names = {0};

	if (!graphs->rows && (!end || graphs->put))
		return;

	for (size_t i = 0; i < graphs->names.count; i++)
		words_put(&names, strmap_key(&graphs->names, i));
	words_sort(&names);
	for (size_t i = 0; i < names.count; i++)
		if (!str_equal(names.item[i], STR("none")))
			put_line(out, names.item[i], count_of(graphs, names.item[i]));
	put_line(out, STR("none"), count_of(graphs, STR("none")));
	words_free(&names);
	strmap_free(&graphs->names);
	free(graphs->count);
	graphs->count = NULL;
	graphs->count_cap = 0;
	graphs->rows = false;
	graphs->put = true;
}

static void warn_of_columns(const struct graphs *graphs, const char *file)
{
	struct buf text = {0};

	for (size_t i = 0; i < graphs->columns.count; i++) {
		buf_text(&text, i ? ", " : "");
		buf_str(&text, graphs->columns.item[i]);
	}
	warn("%s: rows whose captures are equally good and differ: %llu, in %.*s", file,
	     (unsigned long long)graphs->differing, (int)text.len, text.data);
	buf_free(&text);
}

void graphs_warn(struct graphs *graphs, const char *file, struct tally all_time)
{
	struct buf text = {0};

	if (graphs->without) {
		if (!all_time.overflow && all_time.time.nano > 0) {
			buf_text(&text, ", with ");
			dec_quotient_digits(&text, graphs->time.time, all_time.time, 2, 3);
			buf_text(&text, " % of the kernel time");
		}
		warn("%s: graph launches without a capture: %llu%.*s", file,
		     (unsigned long long)graphs->without, (int)text.len, text.len ? text.data : "");
	}
	if (graphs->too_long)
		warn("%s: of these, launches that take too long to match: %llu", file,
		     (unsigned long long)graphs->too_long);
	if (graphs->differing)
		warn_of_columns(graphs, file);
	buf_free(&text);
	words_free(&graphs->columns);
	*graphs = (struct graphs){
		.names = graphs->names, .count = graphs->count, .count_cap = graphs->count_cap};
}
