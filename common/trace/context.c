#include "trace/context.h"

#include "base/mem.h"
#include "trace/idmap.h"
#include "trace/layer.h"
#include "trace/stack.h"

#include <stdlib.h>

static const char *const column_names[CONTEXT_COLUMNS] = {
	[CONTEXT_TS] = "ts",
	[CONTEXT_DUR] = "dur",
	[CONTEXT_NAME] = "name",
	[CONTEXT_CAT] = "cat",
	[CONTEXT_PID] = "pid",
	[CONTEXT_TID] = "tid",
	[CONTEXT_CORRELATION] = "correlation",
	[CONTEXT_EXTERNAL_ID] = "External id",
	[CONTEXT_PYTHON_ID] = "Python id",
	[CONTEXT_PYTHON_PARENT_ID] = "Python parent id",
	[CONTEXT_TYPE] = "type",
	[CONTEXT_FILE] = "file",
};

/* A correlation: a launch and its kernels. The launch of a graph has hundreds. */
struct link {
	struct dec ts;
	uint32_t thread;
	uint32_t kernels; /* these two only if layers are graphs */
	unsigned kinds;   /* layer_kinds of all of them */
	uint32_t layer;
	bool launched; /* ts and thread are known */
};

struct context_trace {
	struct strmap threads; /* "pid TAB tid", of the host and of devices, and "pid" alone */
	struct idmap correlations;
	struct link *links; /* by correlation */
	size_t links_cap;
	struct idmap operators;  /* by External id */
	uint32_t *operator_name; /* in context.operators */
	size_t operators_cap;
	struct steps steps;
	struct stacks stacks;
	struct layers layers;
	size_t graphs; /* that are layers */
};

/* --- columns and fields ---------------------------------------------------- */

bool context_columns(struct context *c, struct kev_reader *in)
{
	size_t needed = c->functions ? CONTEXT_TYPE : CONTEXT_PYTHON_ID;

	for (size_t i = 0; i < CONTEXT_COLUMNS; i++) {
		c->column[i] = kev_column(in, str_of(column_names[i]));
		if (i < needed && !kev_need(in, str_of(column_names[i]), &c->column[i]))
			return false;
	}
	return true;
}

static struct str field(const struct context *c, const struct kev_reader *in,
                        enum context_column column)
{
	return in->field[c->column[column]];
}

static struct str text(struct context *c, const struct kev_reader *in, enum context_column column)
{
	return kev_text(in, c->column[column], &c->text[column]);
}

static bool decimal(struct context *c, struct kev_reader *in, enum context_column column,
                    struct dec *out)
{
	return kev_number(in, c->column[column], out);
}

enum context_kind context_kind(const struct context *c, const struct kev_reader *in)
{
	static const struct category {
		struct str name;
		enum context_kind kind;
	} categories[] = {
		{{"kernel", 6}, CONTEXT_KERNEL},
		{{"gpu_memcpy", 10}, CONTEXT_COPY},
		{{"gpu_memset", 10}, CONTEXT_COPY},
		{{"cuda_runtime", 12}, CONTEXT_LAUNCH},
		{{"cuda_driver", 11}, CONTEXT_LAUNCH},
		{{"cpu_op", 6}, CONTEXT_OPERATOR},
		{{"user_annotation", 15}, CONTEXT_ANNOTATION},
		{{"gpu_user_annotation", 19}, CONTEXT_DEVICE_ANNOTATION},
		{{"python_function", 15}, CONTEXT_FUNCTION},
	};
	struct str cat = field(c, in, CONTEXT_CAT);

	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
		if (str_equal(cat, categories[i].name))
			return categories[i].kind;
	return CONTEXT_OTHER;
}

/* --- traces ---------------------------------------------------------------- */

/* The number of a scope, for which there is then a trace. */
static size_t add_scope(struct context *c, struct str name)
{
	size_t scope = strmap_add(&c->scopes, name, NULL);
	size_t cap = c->traces_cap;

	c->traces = mem_grow(c->traces, &c->traces_cap, scope + 1, sizeof *c->traces);
	for (; cap < c->traces_cap; cap++)
		c->traces[cap] = (struct context_trace){0};
	return scope;
}

/* No file has such a name: a tab in a field is escaped. */
static void set_source(struct context *c, size_t number)
{
	c->sources = number;
	c->key.len = 0;
	buf_format(&c->key, "\t%zu", number);
	c->scope = add_scope(c, buf_view(&c->key));
}

void context_begin(struct context *c)
{
	set_source(c, 0);
}

void context_source(struct context *c)
{
	set_source(c, c->sources + 1);
}

static struct context_trace *trace_of(struct context *c, const struct kev_reader *in)
{
	size_t scope =
		c->column[CONTEXT_FILE] == KEV_NONE ? c->scope : add_scope(c, field(c, in, CONTEXT_FILE));

	return &c->traces[scope];
}

static struct str thread_key(struct context *c, const struct kev_reader *in)
{
	c->key.len = 0;
	buf_str(&c->key, field(c, in, CONTEXT_PID));
	buf_char(&c->key, '\t');
	buf_str(&c->key, field(c, in, CONTEXT_TID));
	return buf_view(&c->key);
}

static uint32_t add_thread(struct context *c, struct context_trace *trace,
                           const struct kev_reader *in)
{
	return (uint32_t)strmap_add(&trace->threads, thread_key(c, in), NULL);
}

static struct link *add_link(struct context_trace *trace, struct str correlation)
{
	bool new;
	size_t number = idmap_add(&trace->correlations, correlation, &new);

	trace->links = mem_grow(trace->links, &trace->links_cap, number + 1, sizeof *trace->links);
	if (new)
		trace->links[number] = (struct link){.layer = LAYER_NONE};
	return &trace->links[number];
}

/* --- the first look -------------------------------------------------------- */

/* Counts a row that cannot be used as it should. */
static void miss(struct context *c, struct kev_reader *in, uint64_t *counter, const char *what)
{
	++*counter;
	if (c->strict && !in->error[0])
		kev_error(in, "%s", what);
}

static void too_large(struct kev_reader *in)
{
	kev_error(in, "ts + dur is too large");
}

/* For layers by graph: the number and the kinds of the kernels of a correlation. */
static void learn_kernel(struct context *c, struct context_trace *trace,
                         const struct kev_reader *in)
{
	struct str name = field(c, in, CONTEXT_NAME);
	bool new;
	size_t number;
	struct link *link;

	if (c->kclass || field(c, in, CONTEXT_CORRELATION).n == 0)
		return;
	number = strmap_add(&c->kernels, name, &new);
	c->kernel_kinds =
		mem_grow(c->kernel_kinds, &c->kernels_cap, number + 1, sizeof *c->kernel_kinds);
	if (new)
		c->kernel_kinds[number] = layer_kinds(name);
	link = add_link(trace, text(c, in, CONTEXT_CORRELATION));
	link->kernels++;
	link->kinds |= c->kernel_kinds[number];
}

static void learn_launch(struct context *c, struct context_trace *trace, struct kev_reader *in)
{
	struct str correlation = text(c, in, CONTEXT_CORRELATION);
	struct dec ts = {0};
	struct link *link;

	if (correlation.n == 0)
		return;
	if (!decimal(c, in, CONTEXT_TS, &ts)) {
		miss(c, in, &c->no_time, "ts is missing from a launch");
		return;
	}
	c->launches++;
	link = add_link(trace, correlation);
	if (link->launched) {
		miss(c, in, &c->twice, "correlation: another launch has the same one");
		/* The earliest counts, so that the order of the rows does not matter. */
		if (dec_compare(link->ts, ts) <= 0)
			return;
	}
	link->launched = true;
	link->ts = ts;
	link->thread = add_thread(c, trace, in);
}

static void learn_operator(struct context *c, struct context_trace *trace, struct kev_reader *in)
{
	struct str id = text(c, in, CONTEXT_EXTERNAL_ID);
	struct str name = text(c, in, CONTEXT_NAME);
	bool new;
	size_t number;

	if (id.n == 0)
		return;
	number = idmap_add(&trace->operators, id, &new);
	trace->operator_name = mem_grow(trace->operator_name, &trace->operators_cap, number + 1,
	                                sizeof *trace->operator_name);
	if (new)
		trace->operator_name[number] = (uint32_t)strmap_add(&c->operators, name, NULL);
	else
		miss(c, in, &c->twice, "External id: another cpu_op has the same one");
}

static void learn_annotation(struct context *c, struct context_trace *trace, struct kev_reader *in,
                             bool device)
{
	struct str name = text(c, in, CONTEXT_NAME);
	struct str id = text(c, in, CONTEXT_EXTERNAL_ID);
	struct step_form form;
	struct dec ts = {0};
	struct dec dur = {0};

	if (!step_parse(name, &form))
		return;
	if (!decimal(c, in, CONTEXT_TS, &ts) || !decimal(c, in, CONTEXT_DUR, &dur))
		miss(c, in, &c->no_time, "ts or dur is missing from the annotation of a step");
	else if (!steps_add(&trace->steps, device, add_thread(c, trace, in), ts, dur, name, id, &form))
		too_large(in);
}

static void learn_function(struct context *c, struct context_trace *trace, struct kev_reader *in)
{
	struct str name = text(c, in, CONTEXT_NAME);
	struct str id = text(c, in, CONTEXT_PYTHON_ID);
	struct str parent = text(c, in, CONTEXT_PYTHON_PARENT_ID);
	struct dec ts = {0};
	struct dec dur = {0};
	bool again;
	uint32_t frame;

	if (!c->functions)
		return;
	frame = stacks_add(&trace->stacks, name, id, parent, &again);
	if (again)
		miss(c, in, &c->twice, "Python id: another function has the same one");
	if (!decimal(c, in, CONTEXT_TS, &ts) || !decimal(c, in, CONTEXT_DUR, &dur))
		miss(c, in, &c->no_time, "ts or dur is missing from a Python function");
	else if (!stacks_time(&trace->stacks, frame, add_thread(c, trace, in), ts, dur))
		too_large(in);
}

enum context_kind context_learn(struct context *c, struct kev_reader *in)
{
	enum context_kind kind = context_kind(c, in);
	struct context_trace *trace = trace_of(c, in);

	switch (kind) {
	case CONTEXT_KERNEL:
		learn_kernel(c, trace, in);
		break;
	case CONTEXT_LAUNCH:
		learn_launch(c, trace, in);
		break;
	case CONTEXT_OPERATOR:
		learn_operator(c, trace, in);
		break;
	case CONTEXT_ANNOTATION:
	case CONTEXT_DEVICE_ANNOTATION:
		learn_annotation(c, trace, in, kind == CONTEXT_DEVICE_ANNOTATION);
		break;
	case CONTEXT_FUNCTION:
		learn_function(c, trace, in);
		break;
	case CONTEXT_COPY:
	case CONTEXT_OTHER:
		break;
	}
	return kind;
}

/* --- between the looks ------------------------------------------------------ */

struct graph {
	uint64_t order;
	uint32_t link;
};

static int compare_graphs(const void *a, const void *b)
{
	const struct graph *x = a;
	const struct graph *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

/* Layers by graph: the correlations with enough kernels, in the order of their ids. */
static void number_graphs(struct context_trace *trace)
{
	struct graph *graphs = NULL;
	size_t count = 0;
	size_t cap = 0;

	for (size_t i = 0; i < trace->correlations.count; i++) {
		if (trace->links[i].kernels < LAYER_KERNELS || trace->links[i].kinds != LAYER_GRAPH)
			continue;
		graphs = mem_grow(graphs, &cap, count + 1, sizeof *graphs);
		graphs[count++] = (struct graph){idmap_order(&trace->correlations, i), (uint32_t)i};
	}
	if (count)
		qsort(graphs, count, sizeof *graphs, compare_graphs);
	for (uint32_t i = 0; i < count; i++)
		trace->links[graphs[i].link].layer = i;
	trace->graphs = count;
	free(graphs);
}

void context_build(struct context *c)
{
	for (size_t i = 0; i < c->scopes.count; i++) {
		steps_build(&c->traces[i].steps);
		stacks_build(&c->traces[i].stacks);
		number_graphs(&c->traces[i]);
	}
}

/* --- the place of a kernel --------------------------------------------------- */

/* Where a kernel is in time: how it is found, and what is open there. */
struct spot {
	struct context_trace *trace;
	const struct link *link; /* NULL if the trace does not know its correlation */
	uint32_t step;
	uint32_t frame;
	enum context_way way;
	bool has_ts;
	struct dec ts;
};

/* A kernel without a launch: by its own time, on its stream, on the device, on the host. */
static void find_unlaunched(struct context *c, const struct kev_reader *in, struct spot *spot)
{
	const struct steps *steps = &spot->trace->steps;
	size_t stream = strmap_find(&spot->trace->threads, thread_key(c, in));

	spot->way = CONTEXT_BY_DEVICE;
	spot->step = steps_on_device(steps, stream, spot->ts);
	if (spot->step != STEP_NONE)
		return;
	spot->way = CONTEXT_BY_HOST;
	spot->step = steps_on_host(steps, spot->ts);
	/* The kernels of a step that is annotated on the device are found there. */
	if (spot->step != STEP_NONE && steps->step[spot->step].on_device)
		spot->step = STEP_NONE;
}

static struct spot find(struct context *c, struct kev_reader *in)
{
	struct spot spot = {.trace = trace_of(c, in), .step = STEP_NONE, .frame = STACK_NONE};
	struct context_trace *trace = spot.trace;
	struct str correlation = text(c, in, CONTEXT_CORRELATION);
	size_t link = idmap_find(&trace->correlations, correlation);

	spot.has_ts = decimal(c, in, CONTEXT_TS, &spot.ts);
	if (correlation.n && link != IDMAP_NONE)
		spot.link = &trace->links[link];
	if (c->at_kernel) {
		spot.way = CONTEXT_BY_HOST;
		if (spot.has_ts) {
			spot.step = steps_on_host(&trace->steps, spot.ts);
			spot.frame = stacks_any(&trace->stacks, spot.ts);
		}
	} else if (spot.link && spot.link->launched) {
		spot.way = CONTEXT_BY_LAUNCH;
		spot.step = steps_on_thread(&trace->steps, spot.link->thread, spot.link->ts);
		spot.frame = stacks_near(&trace->stacks, spot.link->thread, spot.link->ts);
	} else if (spot.has_ts) {
		find_unlaunched(c, in, &spot);
	}
	if (spot.step == STEP_NONE)
		spot.way = CONTEXT_BY_NOTHING;
	return spot;
}

static enum step_phase phase_of(const struct context *c, const struct spot *spot)
{
	static const struct step_form none;
	const struct step_form *form =
		spot->step == STEP_NONE ? &none : &spot->trace->steps.step[spot->step].form;

	return step_phase(form, c->prefill_tokens, c->mixed);
}

static struct str operator_of(struct context *c, const struct spot *spot,
                              const struct kev_reader *in)
{
	struct str id = text(c, in, CONTEXT_EXTERNAL_ID);
	size_t number = id.n ? idmap_find(&spot->trace->operators, id) : IDMAP_NONE;

	if (number != IDMAP_NONE)
		return strmap_key(&c->operators, spot->trace->operator_name[number]);
	if (c->at_kernel && spot->frame != STACK_NONE)
		return stacks_name(&spot->trace->stacks, spot->frame);
	return STR("");
}

static uint32_t layer_of(const struct context *c, const struct spot *spot,
                         const struct kev_reader *in)
{
	size_t device;

	if (!c->kclass)
		return spot->link ? spot->link->layer : LAYER_NONE;
	device = strmap_find(&spot->trace->threads, field(c, in, CONTEXT_PID));
	if (spot->step == STEP_NONE || !spot->has_ts || device == STRMAP_NONE)
		return LAYER_NONE;
	return layers_at(&spot->trace->layers, spot->step, (uint32_t)device, spot->ts);
}

struct context_place context_place(struct context *c, struct kev_reader *in)
{
	struct spot spot = find(c, in);

	return (struct context_place){.step = spot.step,
	                              .phase = phase_of(c, &spot),
	                              .layer = layer_of(c, &spot, in),
	                              .cpu_op = operator_of(c, &spot, in),
	                              .way = spot.way,
	                              .stacks = &spot.trace->stacks,
	                              .frame = spot.frame};
}

/* --- layers by attention ------------------------------------------------------ */

static bool begins_layer(struct context *c, const struct spot *spot, const struct kev_reader *in)
{
	struct kclass_kernel kernel = {.name = text(c, in, CONTEXT_NAME),
	                               .type = text(c, in, CONTEXT_TYPE),
	                               .cat = field(c, in, CONTEXT_CAT),
	                               .cpu_op = operator_of(c, spot, in),
	                               .phase = str_of(step_phases[phase_of(c, spot)])};

	return kclass_begins_layer(c->kclass, &kernel);
}

void context_mark(struct context *c, struct kev_reader *in)
{
	struct spot spot;

	if (context_kind(c, in) != CONTEXT_KERNEL)
		return;
	spot = find(c, in);
	if (spot.step != STEP_NONE && spot.has_ts && begins_layer(c, &spot, in)) {
		size_t device = strmap_add(&spot.trace->threads, field(c, in, CONTEXT_PID), NULL);

		layers_add(&spot.trace->layers, spot.step, (uint32_t)device, spot.ts);
	}
}

void context_build_layers(struct context *c)
{
	for (size_t i = 0; i < c->scopes.count; i++)
		layers_build(&c->traces[i].layers);
}

/* --- the stream as a whole ------------------------------------------------------ */

struct context_totals context_totals(const struct context *c)
{
	struct context_totals totals = {0};

	for (size_t i = 0; i < c->scopes.count; i++) {
		const struct context_trace *trace = &c->traces[i];
		size_t layers = c->kclass ? trace->layers.most : trace->graphs;

		for (size_t j = 0; j < trace->steps.count; j++)
			totals.phases[step_phase(&trace->steps.step[j].form, c->prefill_tokens, c->mixed)]++;
		totals.steps += trace->steps.count;
		if (layers > totals.layers)
			totals.layers = layers;
	}
	return totals;
}

void context_clear(struct context *c)
{
	for (size_t i = 0; i < c->scopes.count; i++) {
		struct context_trace *trace = &c->traces[i];

		strmap_free(&trace->threads);
		idmap_free(&trace->correlations);
		free(trace->links);
		idmap_free(&trace->operators);
		free(trace->operator_name);
		steps_free(&trace->steps);
		stacks_free(&trace->stacks);
		layers_free(&trace->layers);
		*trace = (struct context_trace){0};
	}
	strmap_clear(&c->scopes);
	strmap_clear(&c->operators);
	strmap_clear(&c->kernels);
	c->launches = c->no_time = c->twice = 0;
}

void context_free(struct context *c)
{
	context_clear(c);
	free(c->traces);
	strmap_free(&c->scopes);
	strmap_free(&c->operators);
	strmap_free(&c->kernels);
	free(c->kernel_kinds);
	for (size_t i = 0; i < CONTEXT_COLUMNS; i++)
		buf_free(&c->text[i]);
	buf_free(&c->key);
	*c = (struct context){0};
}
