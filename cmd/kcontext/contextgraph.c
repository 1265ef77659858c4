#include "contextgraph.h"

#include "base/die.h"
#include "base/mem.h"

#include "contexttrace.h"

#include <stdlib.h>
#include <string.h>

/* --- the first look --------------------------------------------------------------- */

static bool learn_call(struct context *c, struct context_trace *trace, struct kev_reader *in)
{
	struct str name = text(c, in, CONTEXT_NAME);
	struct str kernel = kev_text(in, c->column[CONTEXT_CALLED], &c->text[CONTEXT_CALLED]);
	struct dec ts;

	if (!decimal(c, in, CONTEXT_TS, &ts))
		return !captures_is_call(name);
	captures_call(c->captures, &trace->ref, ts, context_add_thread(c, trace, in), name, kernel);
	return true;
}

static bool learn_annotation(struct context *c, struct context_trace *trace, struct kev_reader *in)
{
	struct str name = text(c, in, CONTEXT_NAME);
	struct dec ts;
	struct dec dur;

	if (!captures_is_annotation(name))
		return true;
	if (!decimal(c, in, CONTEXT_TS, &ts) || !decimal(c, in, CONTEXT_DUR, &dur))
		return false;
	if (!captures_annotation(c->captures, &trace->ref, context_add_thread(c, trace, in), ts, dur,
	                         name))
		kev_error(in, "ts + dur is too large");
	return true;
}

static uint32_t token_of(struct context *c, struct kev_reader *in)
{
	return captures_token(c->captures, field(c, in, CONTEXT_CAT), text(c, in, CONTEXT_NAME));
}

static void learn_row(struct context *c, struct context_trace *trace, struct kev_reader *in)
{
	struct str correlation = id_text(c, in, CONTEXT_CORRELATION);
	uint32_t token;
	uint32_t device;
	size_t number;
	struct dec ts = {0};

	if (!launches_is_linked(correlation))
		return;
	number = launches_id(&trace->origins.launches, 0, correlation);
	token = token_of(c, in);
	if (!c->reference) {
		replays_count(&trace->replays, number);
		return;
	}
	decimal(c, in, CONTEXT_TS, &ts);
	device = (uint32_t)strmap_add(&trace->threads, field(c, in, CONTEXT_PID), NULL);
	captures_row(&trace->ref, ts, token, (uint32_t)number, device);
}

bool contextgraph_learn(struct context *c, struct context_trace *trace, struct kev_reader *in,
                        enum context_kind kind)
{
	if (kind == CONTEXT_KERNEL || kind == CONTEXT_COPY)
		learn_row(c, trace, in);
	else if (c->reference && kind == CONTEXT_LAUNCH)
		return learn_call(c, trace, in);
	else if (c->reference && kind == CONTEXT_ANNOTATION)
		return learn_annotation(c, trace, in);
	return true;
}

/* --- a REF ---------------------------------------------------------------------------- */

/* The launches of rows: an eager kernel is not of a graph. */
static void find_launches(struct context_trace *trace)
{
	struct launches *launches = &trace->origins.launches;
	struct capture_ref *ref = &trace->ref;
	bool several = launches->others.count;

	for (size_t i = 0; i < ref->rows && several; i++)
		launches_own(launches, ref->row[i].launch, ref->row[i].device);
	for (size_t i = 0; i < ref->rows; i++) {
		struct capture_row *row = &ref->row[i];
		size_t number = several ? launches_choose(launches, row->launch, row->device) : row->launch;
		const struct launch *launch = launches_at(launches, number);

		if (!launch || launch->graph)
			continue;
		row->launch_ts = launch->ts;
		row->launch_thread = launch->thread;
	}
}

/* The arguments, escaped, with a tab after each. */
static void put_args(struct context *c, size_t call, struct str args)
{
	for (size_t i = 0; i < c->args.count; i++) {
		size_t n = (size_t)((const char *)memchr(args.s, '\t', args.n) - args.s);

		captures_value(c->captures, call, CONTEXTGRAPH_ARGS + i, (struct str){args.s, n});
		args.s += n + 1;
		args.n -= n + 1;
	}
}

static void put_layer(struct context *c, size_t call, uint32_t layer)
{
	c->key.len = 0;
	if (layer != LAYER_NONE)
		buf_format(&c->key, "%u", layer);
	captures_value(c->captures, call, CONTEXTGRAPH_LAYER, buf_view(&c->key));
}

/*
 * What a kernel would get if this call had launched it; gives its Python function. Counts a call in
 * *cut if its modules are too many.
 */
static uint32_t describe(struct context *c, const struct context_trace *trace, size_t call,
                         uint64_t *cut)
{
	struct dec ts;
	uint32_t thread = capture_ref_where(&trace->ref, call, &ts);
	uint32_t operator= operators_at(&trace->operators, thread, ts);
	uint32_t frame = stacks_near(&trace->stacks, thread, ts);

	if (operator!= OPERATOR_NONE) {
		uint64_t number = c->operators.before + operator+ 1;

		if (number > UINT32_MAX)
			die("more than 4 billion operators in the traces of --capture");
		captures_value(c->captures, call, CONTEXTGRAPH_OP, operators_name(&c->operators, operator));
		captures_operator(c->captures, call, (uint32_t)number);
		put_args(c, call, operators_args(&c->operators, operator));
	}
	if (c->stacks) {
		c->key.len = 0;
		stacks_fold(&trace->stacks, frame, &c->key);
		captures_value(c->captures, call, CONTEXTGRAPH_STACK, buf_view(&c->key));
	}
	if (c->modules) {
		struct str last;

		c->key.len = 0;
		*cut += !stacks_fold_modules(&trace->stacks, frame, &c->key, &last);
		captures_value(c->captures, call, CONTEXTGRAPH_MODULE, last);
		captures_value(c->captures, call, CONTEXTGRAPH_MODULE_STACK, buf_view(&c->key));
	}
	return frame;
}

/* Layers by module in captures: calls of modules that launch something, from 0 in each set. */
static void number_layers(struct context *c, const struct context_trace *trace, size_t first,
                          const uint32_t *frame)
{
	const struct captures *captures = c->captures;
	uint32_t *set_of = mem_zero(trace->stacks.count, sizeof *set_of); /* 1 + the set, by function */
	uint32_t *layer = mem_alloc(trace->stacks.count, sizeof *layer);
	uint32_t layers = 0;

	for (size_t i = first; i < captures->count; i++) {
		const struct capture *capture = &captures->capture[i];

		if (i == captures->set[capture->set].first)
			layers = 0;
		for (size_t call = capture->first; call < capture->first + capture->count; call++) {
			uint32_t function = frame[call - trace->ref.first];
			uint32_t module =
				function == STACK_NONE ? STACK_NONE : trace->module_of_function[function];

			if (module == STACK_NONE)
				continue;
			if (set_of[module] != capture->set + 1) {
				set_of[module] = capture->set + 1;
				layer[module] = layers++;
			}
			put_layer(c, call, layer[module]);
		}
	}
	free(set_of);
	free(layer);
}

static void describe_all(struct context *c, const struct context_trace *trace, size_t first,
                         uint64_t *cut)
{
	const struct capture_ref *ref = &trace->ref;
	uint32_t *frame = mem_alloc(ref->end - ref->first, sizeof *frame);

	for (size_t call = ref->first; call < ref->end; call++) {
		uint32_t function = describe(c, trace, call, cut);

		frame[call - ref->first] = function;
		if (c->module.n && call >= ref->eager && function != STACK_NONE)
			put_layer(c, call, trace->layer_of_function[function]);
	}
	if (c->module.n)
		number_layers(c, trace, first, frame);
	free(frame);
}

struct contextgraph_found contextgraph_gather(struct context *c)
{
	struct contextgraph_found found = {0};

	for (size_t i = 0; i < c->scopes.count; i++) {
		struct context_trace *trace = &c->traces[i];
		size_t first = c->captures->count;

		find_launches(trace);
		if (captures_build(c->captures, &trace->ref, &trace->threads)) {
			describe_all(c, trace, first, &found.cut);
			found.any = true;
		}
		found.nameless |= trace->ref.nameless;
		found.deep += trace->ref.deep;
		found.single += trace->ref.single;
		capture_ref_free(&trace->ref);
	}
	return found;
}

/* --- the input ------------------------------------------------------------------------------ */

/* The number of the launch of a row if it is of a graph; LAUNCHES_NONE. */
static size_t graph_number(struct context *c, struct kev_reader *in, struct context_trace *trace)
{
	const struct launches *launches = &trace->origins.launches;
	size_t number = launches_find(launches, 0, id_text(c, in, CONTEXT_CORRELATION));
	const struct launch *launch;

	number = context_launch(c, in, trace, number);
	launch = launches_at(launches, number);
	return launch && launch->graph ? number : LAUNCHES_NONE;
}

static struct replay *add_launch(struct context_trace *trace, size_t number)
{
	const struct launch *launch = launches_at(&trace->origins.launches, number);
	struct replay_launch replay = {.ts = launch->ts,
	                               .thread = launch->thread,
	                               .step = context_step_near(trace, launch->thread, launch->ts)};

	if (replay.step == STEP_SEVERAL)
		replay.step = STEP_NONE;
	if (replay.step != STEP_NONE) {
		const struct step_tokens *size = &trace->steps.step[replay.step].form.size;

		replay.sized = size->known;
		replay.size = size->count;
	}
	return replays_add(&trace->replays, number, &replay);
}

/* Whether the row is of a device. */
static bool is_row(const struct context *c, const struct kev_reader *in)
{
	enum context_kind kind = context_kind(c, in);

	return kind == CONTEXT_KERNEL || kind == CONTEXT_COPY;
}

void contextgraph_replay(struct context *c, struct kev_reader *in)
{
	struct context_trace *trace;
	struct replay *replay;
	uint32_t token;
	uint32_t stream;
	size_t number;
	struct dec ts = {0};

	if (!is_row(c, in))
		return;
	trace = context_trace_of(c, in);
	number = graph_number(c, in, trace);
	if (number == LAUNCHES_NONE)
		return;
	replay = replays_find(&trace->replays, number);
	if (!replay)
		replay = add_launch(trace, number);
	if (!c->name_ranks)
		c->name_ranks = strmap_ranks(&c->captures->names);
	token = token_of(c, in);
	stream = context_add_thread(c, trace, in);
	decimal(c, in, CONTEXT_TS, &ts);
	replays_row(&trace->replays, replay, trace->origins.launches.others.count == 0, ts, token,
	            captures_rank(c->name_ranks, token), stream);
}

void contextgraph_choose(struct context *c)
{
	for (size_t i = 0; i < c->scopes.count; i++) {
		struct context_trace *trace = &c->traces[i];
		size_t *ranks = strmap_ranks(&trace->threads);

		replays_build(&trace->replays, ranks);
		choices_make(&trace->choices, c->captures, &trace->replays, &c->replayed, &c->replay_steps);
		replays_rewind(&trace->replays);
		free(ranks);
	}
	free(c->name_ranks);
	c->name_ranks = NULL;
}

/* --- later looks --------------------------------------------------------------------------- */

void contextgraph_next(struct context_trace *trace, size_t number, struct context_graph *graph)
{
	const struct choice_answer *answer;
	uint32_t place;

	graph->replay = replays_next(&trace->replays, number, &place);
	if (!graph->replay)
		return;
	graph->choices = &trace->choices;
	answer = &trace->choices.answer[graph->replay->answer];
	if (answer->row)
		graph->row = &answer->row[place];
}

void contextgraph_pass(struct context *c, struct kev_reader *in)
{
	struct context_trace *trace = context_trace_of(c, in);
	struct context_graph graph;

	contextgraph_next(trace, graph_number(c, in, trace), &graph);
}

struct str contextgraph_value(const struct context *c, const struct context_graph *graph,
                              size_t column)
{
	if (!graph->row || graph->row->call == CAPTURE_NONE ||
	    choices_lost(graph->choices, graph->row, column))
		return STR("");
	return captures_text(c->captures, captures_value_of(c->captures, graph->row->call, column));
}

void contextgraph_place(struct context *c, struct context_place *place)
{
	const struct context_graph *graph = &place->graph;
	struct str layer = contextgraph_value(c, graph, CONTEXTGRAPH_LAYER);
	uint64_t number;

	place->captured = graph->row && graph->row->call != CAPTURE_NONE;
	if (!place->captured)
		return;
	if (graph->row->op)
		place->op_id =
			c->operators.before + c->operators.count + graph->replay->op_base + graph->row->op;
	c->replay_args.len = 0;
	for (size_t i = 0; i < c->args.count; i++) {
		buf_str(&c->replay_args, contextgraph_value(c, graph, CONTEXTGRAPH_ARGS + i));
		buf_char(&c->replay_args, '\t');
	}
	place->args = buf_view(&c->replay_args);
	place->stack = contextgraph_value(c, graph, CONTEXTGRAPH_STACK);
	place->module = contextgraph_value(c, graph, CONTEXTGRAPH_MODULE);
	place->module_stack = contextgraph_value(c, graph, CONTEXTGRAPH_MODULE_STACK);
	if (c->module.n)
		place->layer = str_whole(layer, &number) ? (uint32_t)number : LAYER_NONE;
	if (c->module.n && place->layer != LAYER_NONE && place->layer >= c->replay_layers)
		c->replay_layers = (size_t)place->layer + 1;
}

static const struct choice_answer *answer_of(const struct context_graph *graph)
{
	return &graph->choices->answer[graph->replay->answer];
}

struct str contextgraph_name(const struct context *c, const struct context_graph *graph)
{
	const struct choice_answer *answer = answer_of(graph);

	switch (answer->source) {
	case CHOICE_EAGER:
		return STR("eager");
	case CHOICE_CAPTURE:
		return answer->name ? captures_text(c->captures, answer->name) : STR("capture");
	case CHOICE_NONE:
	case CHOICE_LONG:
		break;
	}
	return STR("none");
}

bool contextgraph_is_long(const struct context_graph *graph)
{
	return answer_of(graph)->source == CHOICE_LONG;
}
