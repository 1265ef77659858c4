#include "context.h"

#include "base/die.h"
#include "base/mem.h"
#include "kernel/rowkind.h"
#include "syntax/glob.h"

#include "contextgraph.h"
#include "contexttrace.h"

#include <stdlib.h>
#include <string.h>

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
	[CONTEXT_CALLED] = "kernel",
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
	free(c->arg_column);
	c->arg_column = mem_alloc(c->args.count, sizeof *c->arg_column);
	for (size_t i = 0; i < c->args.count; i++)
		if (!kev_need_for(in, "-a: ", c->args.item[i], &c->arg_column[i]))
			return false;
	return c->operators.globs.count == 0 ||
	       kev_need_for(in, "--op: ", STR("Input Dims"), &c->dims_column);
}

enum context_kind context_kind(const struct context *c, const struct kev_reader *in)
{
	static const enum context_kind kinds[ROWKIND_COUNT] = {
		[ROWKIND_KERNEL] = CONTEXT_KERNEL,
		[ROWKIND_CORE] = CONTEXT_KERNEL,
		[ROWKIND_COLLECTIVE] = CONTEXT_KERNEL,
		[ROWKIND_UNKNOWN] = CONTEXT_KERNEL,
		[ROWKIND_COPY] = CONTEXT_COPY,
		[ROWKIND_MEMSET] = CONTEXT_COPY,
		[ROWKIND_CALL] = CONTEXT_LAUNCH,
		[ROWKIND_OPERATOR] = CONTEXT_OPERATOR,
		[ROWKIND_FUNCTION] = CONTEXT_FUNCTION,
		[ROWKIND_ANNOTATION] = CONTEXT_ANNOTATION,
		[ROWKIND_DEVICE_ANNOTATION] = CONTEXT_DEVICE_ANNOTATION,
		[ROWKIND_QUEUE] = CONTEXT_OTHER,
		[ROWKIND_FLOW] = CONTEXT_FLOW,
		[ROWKIND_MARK] = CONTEXT_OTHER,
		[ROWKIND_OTHER] = CONTEXT_OTHER,
	};
	enum rowkind kind = rowkind_of(field(c, in, CONTEXT_CAT), field(c, in, CONTEXT_NAME));

	if (kind == ROWKIND_HPU_OP)
		return launches_is_linked(field(c, in, CONTEXT_CORRELATION)) ? CONTEXT_LAUNCH
		                                                             : CONTEXT_OPERATOR;
	if (c->memory && kinds[kind] == CONTEXT_OTHER &&
	    str_equal(field(c, in, CONTEXT_NAME), STR("[memory]")))
		return CONTEXT_MEMORY;
	return kinds[kind];
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

/* For layers by graph. */
static void learn_kernel(struct context *c, struct context_trace *trace,
                         const struct kev_reader *in)
{
	struct str correlation = id_text(c, in, CONTEXT_CORRELATION);

	if (!c->kclass && !c->module.n && launches_is_linked(correlation))
		origins_kernel(&trace->origins, correlation, context_device(c, trace, in),
		               layer_names_kinds(&c->kernels, field(c, in, CONTEXT_NAME)));
}

/* Most names have no G, which is found sooner. */
static bool is_graph_launch(struct str name)
{
	return str_has_byte(name, 'G') && str_has(name, STR("GraphLaunch"));
}

/* The process of a thread, a number in threads. Launches of one thread mostly follow each other. */
static uint32_t process_of(struct context *c, struct context_trace *trace,
                           const struct kev_reader *in, uint32_t thread)
{
	if (trace->launching != thread + 1)
		trace->process = (uint32_t)strmap_add(&trace->threads, field(c, in, CONTEXT_PID), NULL);
	trace->launching = thread + 1;
	return trace->process;
}

static void learn_launch(struct context *c, struct context_trace *trace, struct kev_reader *in)
{
	struct str correlation = id_text(c, in, CONTEXT_CORRELATION);
	struct launch call = {.known = true};

	if (!launches_is_linked(correlation))
		return;
	if (!decimal(c, in, CONTEXT_TS, &call.ts)) {
		miss(c, in, &c->no_time, "ts is missing from a launch");
		return;
	}
	call.ended = decimal(c, in, CONTEXT_DUR, &call.dur);
	call.thread = context_add_thread(c, trace, in);
	call.process = process_of(c, trace, in, call.thread);
	call.graph = is_graph_launch(field(c, in, CONTEXT_NAME));
	c->launches++;
	trace->launched = true;
	if (!launches_add(&trace->origins.launches, 0, correlation, &call, &trace->threads, NULL))
		miss(c, in, &c->twice, "correlation: another launch has the same one");
}

static void learn_flow(struct context *c, struct context_trace *trace, struct kev_reader *in)
{
	struct str id = id_text(c, in, CONTEXT_EXTERNAL_ID);
	struct dec ts = {0};
	struct origin_flow *flow;
	bool new;

	if (id.n == 0)
		return;
	if (!decimal(c, in, CONTEXT_TS, &ts)) {
		miss(c, in, &c->no_time, "ts is missing from a flow");
		return;
	}
	c->launches++;
	trace->launched = true;
	flow = origins_add_flow(&trace->origins, id, &new);
	if (!new) {
		miss(c, in, &c->twice, "External id: another flow has the same one");
		/* The earliest counts, as of launches. */
		if (dec_compare(flow->ts, ts) <= 0)
			return;
	}
	*flow = (struct origin_flow){.ts = ts, .thread = context_add_thread(c, trace, in)};
}

/* The arguments of an operator. */
static struct str args_of(struct context *c, const struct kev_reader *in)
{
	c->key.len = 0;
	for (size_t i = 0; i < c->args.count; i++) {
		buf_str(&c->key, in->field[c->arg_column[i]]);
		buf_char(&c->key, '\t');
	}
	return buf_view(&c->key);
}

/* Whether an operator counts although other operators are within it. */
static bool is_outer(const struct context *c, const struct kev_reader *in, uint32_t call)
{
	return c->operators.globs.count && in->field[c->dims_column].n &&
	       operators_match(&c->operators, call);
}

static void learn_operator(struct context *c, struct context_trace *trace, struct kev_reader *in)
{
	struct str id = id_text(c, in, CONTEXT_EXTERNAL_ID);
	struct dec ts = {0};
	struct dec dur = {0};
	bool has_ts = decimal(c, in, CONTEXT_TS, &ts);
	uint32_t call = operators_add(&c->operators, text(c, in, CONTEXT_NAME), args_of(c, in));

	if (id.n && !operators_set_id(&c->operators, &trace->operators, id, call, has_ts ? &ts : NULL))
		miss(c, in, &c->twice, "External id: another cpu_op has the same one");
	if (c->at_kernel)
		return;
	if (!has_ts || !decimal(c, in, CONTEXT_DUR, &dur))
		miss(c, in, &c->no_time, "ts or dur is missing from an operator");
	else if (!operators_set_span(&trace->operators, context_add_thread(c, trace, in), ts, dur, call,
	                             is_outer(c, in, call)))
		too_large(in);
}

enum step_kind { NO_STEP, STEP, NUMBERED_STEP };

/* Whether an annotation is a step, or is one if no annotation has a known form. */
static enum step_kind step_kind(struct context *c, struct context_trace *trace, struct str name,
                                struct step_form *form)
{
	bool known = step_parse(name, form);

	if (c->steps.count == 0) {
		trace->formed |= known;
		if (known)
			return STEP;
		return !trace->formed && step_is_numbered(name) ? NUMBERED_STEP : NO_STEP;
	}
	for (size_t i = 0; i < c->steps.count; i++) {
		if (!glob_matches(c->steps.item[i], name))
			continue;
		if (!known)
			*form = (struct step_form){0};
		c->matched = true;
		return STEP;
	}
	return NO_STEP;
}

static void learn_step(struct context *c, struct context_trace *trace, struct kev_reader *in,
                       struct steps *steps, struct str name, bool device, struct dec ts,
                       struct dec dur, const struct step_form *form)
{
	struct str id = id_text(c, in, CONTEXT_EXTERNAL_ID);
	struct step_place place = {.device = device, .thread = context_add_thread(c, trace, in)};

	place.process = strmap_add(&trace->threads, field(c, in, CONTEXT_PID), NULL);
	if (!steps_add(steps, place, ts, dur, name, id, form))
		too_large(in);
}

static void learn_range(struct context *c, struct context_trace *trace, struct kev_reader *in,
                        struct str name, struct dec ts, struct dec dur)
{
	uint32_t thread = context_add_thread(c, trace, in);
	size_t process = strmap_add(&trace->threads, field(c, in, CONTEXT_PID), NULL);

	if (!ranges_add(&trace->ranges, thread, (uint32_t)process, ts, dur, name))
		too_large(in);
}

static void learn_annotation(struct context *c, struct context_trace *trace, struct kev_reader *in,
                             bool device)
{
	struct str name = text(c, in, CONTEXT_NAME);
	bool is_range = c->ranges && !device;
	struct step_form form;
	enum step_kind kind = step_kind(c, trace, name, &form);
	struct dec ts = {0};
	struct dec dur = {0};

	if (kind == NO_STEP && !is_range)
		return;
	if (!decimal(c, in, CONTEXT_TS, &ts) || !decimal(c, in, CONTEXT_DUR, &dur)) {
		if (kind == NUMBERED_STEP && !is_range)
			trace->numbered_missed++;
		else
			miss(c, in, &c->no_time,
			     kind == STEP ? "ts or dur is missing from the annotation of a step"
			                  : "ts or dur is missing from an annotation");
		return;
	}
	if (kind != NO_STEP)
		learn_step(c, trace, in, kind == STEP ? &trace->steps : &trace->numbered, name, device, ts,
		           dur, &form);
	if (is_range)
		learn_range(c, trace, in, name, ts, dur);
}

static void learn_function(struct context *c, struct context_trace *trace, struct kev_reader *in)
{
	struct str name = text(c, in, CONTEXT_NAME);
	struct str id = id_text(c, in, CONTEXT_PYTHON_ID);
	struct str parent = id_text(c, in, CONTEXT_PYTHON_PARENT_ID);
	struct dec ts = {0};
	struct dec dur = {0};
	bool again;
	uint32_t frame = stacks_add(&trace->stacks, name, id, parent, &again);
	uint32_t thread;

	c->calls++;
	if (again)
		miss(c, in, &c->twice, "Python id: another function has the same one");
	if (!decimal(c, in, CONTEXT_TS, &ts) || !decimal(c, in, CONTEXT_DUR, &dur)) {
		miss(c, in, &c->no_time, "ts or dur is missing from a Python function");
		return;
	}
	thread = context_add_thread(c, trace, in);
	if (!stacks_time(&trace->stacks, frame, thread, ts, dur))
		too_large(in);
	if (c->module.n && layer_is_module(name, c->module))
		layer_calls_add(&trace->modules,
		                &(struct layer_call){.function = frame, .thread = thread, .ts = ts});
}

enum context_kind context_learn(struct context *c, struct kev_reader *in)
{
	enum context_kind kind = context_kind(c, in);
	struct context_trace *trace;
	uint64_t missed = c->no_time;
	bool timed;

	if (kind == CONTEXT_OTHER || (kind == CONTEXT_FUNCTION && !c->functions))
		return kind;
	trace = context_trace_of(c, in);
	timed = !c->captures || contextgraph_learn(c, trace, in, kind);
	switch (kind) {
	case CONTEXT_KERNEL:
		learn_kernel(c, trace, in);
		break;
	case CONTEXT_LAUNCH:
		learn_launch(c, trace, in);
		break;
	case CONTEXT_FLOW:
		learn_flow(c, trace, in);
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
	case CONTEXT_MEMORY:
	case CONTEXT_COPY:
	case CONTEXT_OTHER:
		break;
	}
	if (!timed && c->no_time == missed)
		miss(c, in, &c->no_time, "ts or dur is missing from a call or an annotation of a capture");
	return kind;
}

/* --- between the looks ------------------------------------------------------ */

/* Layers by module: the outermost calls, by the step in which they begin. */
static void number_modules(const struct context *c, struct context_trace *trace)
{
	const struct stacks *stacks = &trace->stacks;
	struct layer_calls *modules = &trace->modules;
	bool *wanted = mem_zero(stacks->names.count, sizeof *wanted);
	uint32_t *layer = mem_alloc(stacks->count, sizeof *layer);
	uint32_t *outermost;
	size_t kept = 0;

	for (size_t i = 0; i < stacks->names.count; i++)
		wanted[i] = layer_is_module(strmap_key(&stacks->names, i), c->module);
	outermost = stacks_outermost(stacks, wanted);
	for (size_t i = 0; i < stacks->count; i++)
		layer[i] = LAYER_NONE;
	for (size_t i = 0; i < modules->count; i++) {
		struct layer_call call = modules->call[i];

		if (outermost[call.function] != call.function)
			continue;
		call.step = context_step_near(trace, (uint32_t)call.thread, call.ts);
		if (call.step == STEP_SEVERAL)
			call.step = STEP_NONE;
		modules->call[kept++] = call;
	}
	modules->count = kept;
	layer_calls_number(modules);
	for (size_t i = 0; i < kept; i++)
		layer[modules->call[i].function] = modules->call[i].layer;
	if (c->reference) {
		trace->module_of_function = mem_alloc(stacks->count, sizeof *outermost);
		if (stacks->count)
			memcpy(trace->module_of_function, outermost, stacks->count * sizeof *outermost);
	}
	for (size_t i = 0; i < stacks->count; i++)
		outermost[i] = outermost[i] == STACK_NONE ? LAYER_NONE : layer[outermost[i]];
	trace->layer_of_function = outermost;
	free(layer);
	free(wanted);
}

/* Whether numbered annotations are steps is known after the last row. */
static void choose_steps(struct context *c, struct context_trace *trace)
{
	struct steps unused = trace->numbered;

	if (!trace->formed && !c->steps.count) {
		unused = trace->steps;
		trace->steps = trace->numbered;
		c->no_time += trace->numbered_missed;
	}
	steps_free(&unused);
	trace->numbered = (struct steps){0};
}

void context_build(struct context *c)
{
	for (size_t i = 0; i < c->scopes.count; i++) {
		struct context_trace *trace = &c->traces[i];

		operators_build(&trace->operators);
		choose_steps(c, trace);
		steps_build(&trace->steps);
		ranges_build(&trace->ranges);
		stacks_build(&trace->stacks);
		if (c->modules)
			stacks_build_modules(&trace->stacks);
		if (c->module.n)
			number_modules(c, trace);
	}
}

bool context_fails(const struct context *c, struct kev_reader *in)
{
	if (!c->strict || !c->no_time)
		return false;
	/* Other rows without a time have ended the first look. */
	kev_error(in, "ts or dur is missing from the annotation of a step");
	in->error_line = 0;
	return true;
}

void context_warn(const struct context *c, const char *file)
{
	if (c->no_time)
		warn("%s: launches, operators, annotations and functions skipped, as ts or dur is missing: "
		     "%llu",
		     file, (unsigned long long)c->no_time);
	if (c->twice)
		warn("%s: rows with the id of another row: %llu; trace2tsv -f keeps the ids of several "
		     "traces apart",
		     file, (unsigned long long)c->twice);
}

void context_warn_cut(const char *file, uint64_t rows)
{
	if (rows)
		warn("%s: rows in more than %d modules, of which module_stack has the innermost: %llu",
		     file, STACK_MODULES, (unsigned long long)rows);
}

/* --- correlations of several processes ----------------------------------------- */

bool context_needs_owners(const struct context *c)
{
	for (size_t i = 0; i < c->scopes.count; i++)
		if (c->traces[i].origins.launches.others.count)
			return true;
	return false;
}

void context_own(struct context *c, struct kev_reader *in)
{
	struct context_trace *trace = context_trace_of(c, in);
	struct launches *launches = &trace->origins.launches;
	size_t device = strmap_add(&trace->threads, field(c, in, CONTEXT_PID), NULL);

	launches_own(launches, launches_find(launches, 0, id_text(c, in, CONTEXT_CORRELATION)), device);
}

void context_build_graphs(struct context *c)
{
	for (size_t i = 0; i < c->scopes.count; i++)
		origins_build(&c->traces[i].origins);
}

/* --- the place of a kernel --------------------------------------------------- */

/* Where a kernel is in time: how it is found, and what is open there. */
struct spot {
	struct context_trace *trace;
	const struct launch *launch; /* NULL if it is not in the trace, or unknown */
	size_t number;               /* number of its correlation in launches; LAUNCHES_NONE */
	uint32_t step;
	uint32_t frame;
	uint32_t call; /* in context.operators; OPERATOR_NONE */
	enum context_way way;
	bool is_memory;
	bool has_ts;
	bool linked; /* by a launch or a flow, or as is_memory */
	struct dec ts;
	/* If it is linked: */
	uint32_t thread; /* thread of the launch or flow */
	struct dec at;   /* its start */
	struct context_graph graph;
};

/*
 * A kernel without a launch: by its own time, on its stream, its device, any device, the host. If
 * the trace has launches, it was launched before they began, and the host is in a later step.
 */
static void find_unlaunched(struct context *c, const struct kev_reader *in, struct spot *spot)
{
	const struct steps *steps = &spot->trace->steps;
	size_t stream = strmap_find(&spot->trace->threads, context_thread_key(c, in));
	size_t process = strmap_find(&spot->trace->threads, field(c, in, CONTEXT_PID));

	spot->way = CONTEXT_BY_DEVICE;
	spot->step = steps_on_device(steps, stream, process, spot->ts);
	if (spot->step != STEP_NONE || spot->trace->launched)
		return;
	spot->way = CONTEXT_BY_HOST;
	spot->step = steps_on_host(steps, spot->ts);
	/* The kernels of a step that is annotated on the device are found there. */
	if (spot->step != STEP_NONE && steps->step[spot->step].on_device)
		spot->step = STEP_NONE;
}

/* By a launch, or a flow: it was on this thread at that time. */
static void find_launched(struct spot *spot, uint32_t thread, struct dec ts)
{
	const struct context_trace *trace = spot->trace;

	spot->way = CONTEXT_BY_LAUNCH;
	spot->linked = true;
	spot->thread = thread;
	spot->at = ts;
	spot->step = context_step_near(trace, thread, ts);
	if (spot->step == STEP_SEVERAL) {
		spot->way = CONTEXT_IN_SEVERAL;
		spot->step = STEP_NONE;
	}
	spot->frame = stacks_near(&trace->stacks, thread, ts);
	/* The kernels of a graph were launched by operators when it was captured. */
	if (spot->launch && spot->launch->graph)
		return;
	spot->call = operators_at(&trace->operators, thread, ts);
}

static struct spot find(struct context *c, struct kev_reader *in)
{
	struct spot spot = {.trace = context_trace_of(c, in),
	                    .step = STEP_NONE,
	                    .frame = STACK_NONE,
	                    .call = OPERATOR_NONE,
	                    .is_memory = c->memory && context_kind(c, in) == CONTEXT_MEMORY};
	struct context_trace *trace = spot.trace;
	size_t launch;
	const struct origin_flow *flow =
		origins_find_flow(&trace->origins, id_text(c, in, CONTEXT_EXTERNAL_ID));

	spot.number = launches_find(&trace->origins.launches, 0, id_text(c, in, CONTEXT_CORRELATION));
	launch = spot.is_memory ? LAUNCHES_NONE : context_launch(c, in, trace, spot.number);
	spot.launch = launches_at(&trace->origins.launches, launch);
	if (c->captures && spot.launch && spot.launch->graph)
		contextgraph_next(trace, launch, &spot.graph);
	spot.has_ts = decimal(c, in, CONTEXT_TS, &spot.ts);
	if (spot.is_memory) {
		if (spot.has_ts)
			find_launched(&spot, context_add_thread(c, trace, in), spot.ts);
	} else if (c->at_kernel) {
		spot.way = CONTEXT_BY_HOST;
		spot.call = operators_by_id(&trace->operators, id_text(c, in, CONTEXT_EXTERNAL_ID));
		if (spot.has_ts) {
			spot.step = steps_on_host(&trace->steps, spot.ts);
			spot.frame = stacks_any(&trace->stacks, spot.ts);
		}
	} else if (flow) {
		/* CANN may launch from a thread of its own, without operators and steps. */
		find_launched(&spot, flow->thread, flow->ts);
	} else if (spot.launch) {
		find_launched(&spot, spot.launch->thread, spot.launch->ts);
	} else {
		spot.call = operators_by_id(&trace->operators, id_text(c, in, CONTEXT_EXTERNAL_ID));
		if (spot.has_ts)
			find_unlaunched(c, in, &spot);
	}
	if (spot.step == STEP_NONE && spot.way != CONTEXT_IN_SEVERAL)
		spot.way = CONTEXT_BY_NOTHING;
	return spot;
}

/* What is open at a kernel's own time is decode if nothing else is known. */
static enum step_phase form_phase(const struct context *c, const struct step_form *form)
{
	enum step_phase phase = step_phase(form, c->prefill_tokens, c->mixed);

	return c->at_kernel && phase == STEP_NO_PHASE ? STEP_DECODE : phase;
}

static enum step_phase phase_of(const struct context *c, const struct spot *spot)
{
	static const struct step_form none;
	const struct step_form *form =
		spot->step == STEP_NONE ? &none : &spot->trace->steps.step[spot->step].form;

	return form_phase(c, form);
}

static struct str operator_of(const struct context *c, const struct spot *spot)
{
	if (spot->call != OPERATOR_NONE)
		return operators_name(&c->operators, spot->call);
	if (c->at_kernel && spot->frame != STACK_NONE)
		return stacks_name(&spot->trace->stacks, spot->frame);
	return contextgraph_value(c, &spot->graph, CONTEXTGRAPH_OP);
}

static uint32_t layer_of(const struct context *c, const struct spot *spot,
                         const struct kev_reader *in)
{
	size_t device;

	if (c->module.n)
		return spot->frame == STACK_NONE ? LAYER_NONE : spot->trace->layer_of_function[spot->frame];
	if (spot->is_memory)
		return LAYER_NONE;
	if (!c->kclass)
		return origins_layer(&spot->trace->origins, spot->number,
		                     context_device(c, spot->trace, in));
	device = strmap_find(&spot->trace->threads, field(c, in, CONTEXT_PID));
	if (spot->step == STEP_NONE || !spot->has_ts || device == STRMAP_NONE)
		return LAYER_NONE;
	return layers_at(&spot->trace->layers, spot->step, (uint32_t)device, spot->ts);
}

/* The thread whose ranges are those of a kernel. */
static uint32_t range_thread(const struct context *c, const struct spot *spot)
{
	const struct ranges *ranges = &spot->trace->ranges;
	size_t process;

	if (!c->ranges || !spot->linked)
		return RANGES_NONE;
	if (ranges_on_thread(ranges, spot->thread, spot->at))
		return spot->thread;
	process = context_process(spot->trace, spot->thread);
	return process == STRMAP_NONE ? RANGES_NONE
	                              : ranges_in_process(ranges, (uint32_t)process, spot->at);
}

static struct str tid_of(const struct spot *spot)
{
	struct str key = strmap_key(&spot->trace->threads, spot->launch->thread);
	const char *tid = (const char *)memchr(key.s, '\t', key.n) + 1;

	return (struct str){tid, (size_t)(key.s + key.n - tid)};
}

struct context_place context_place(struct context *c, struct kev_reader *in)
{
	struct spot spot = find(c, in);
	struct context_place place = {.step = spot.step,
	                              .phase = phase_of(c, &spot),
	                              .layer = layer_of(c, &spot, in),
	                              .cpu_op = operator_of(c, &spot),
	                              .way = spot.way,
	                              .linked = spot.linked,
	                              .ranges = &spot.trace->ranges,
	                              .range_thread = range_thread(c, &spot),
	                              .range_time = spot.at,
	                              .stacks = &spot.trace->stacks,
	                              .frame = spot.frame,
	                              .graph = spot.graph};

	if (spot.step != STEP_NONE) {
		place.step_name = steps_name(&spot.trace->steps, spot.step);
		place.ctx_tokens = spot.trace->steps.step[spot.step].form.ctx;
		place.gen_tokens = spot.trace->steps.step[spot.step].form.gen;
	}
	if (spot.call != OPERATOR_NONE) {
		place.op_id = c->operators.before + spot.call + 1;
		place.args = operators_args(&c->operators, spot.call);
	}
	if (spot.launch) {
		place.launched = true;
		place.launch_ts = spot.launch->ts;
		place.has_launch_dur = spot.launch->ended;
		place.launch_dur = spot.launch->dur;
		place.launch_tid = tid_of(&spot);
	}
	if (spot.graph.replay)
		contextgraph_place(c, &place);
	return place;
}

/* --- layers by attention ------------------------------------------------------ */

static bool begins_layer(struct context *c, const struct spot *spot, const struct kev_reader *in)
{
	struct kclass_kernel kernel = {.name = text(c, in, CONTEXT_NAME),
	                               .type = text(c, in, CONTEXT_TYPE),
	                               .cat = field(c, in, CONTEXT_CAT),
	                               .cpu_op = operator_of(c, spot),
	                               .phase = str_of(step_phases[phase_of(c, spot)])};

	return kclass_begins_layer(c->kclass, &kernel);
}

void context_mark(struct context *c, struct kev_reader *in)
{
	enum context_kind kind = context_kind(c, in);
	struct spot spot;

	if (kind == CONTEXT_COPY && c->captures)
		contextgraph_pass(c, in);
	if (kind != CONTEXT_KERNEL)
		return;
	spot = find(c, in);
	if (spot.step != STEP_NONE && spot.has_ts && begins_layer(c, &spot, in)) {
		size_t device = strmap_add(&spot.trace->threads, field(c, in, CONTEXT_PID), NULL);

		layers_add(&spot.trace->layers, spot.step, (uint32_t)device, spot.ts);
	}
}

void context_build_layers(struct context *c)
{
	for (size_t i = 0; i < c->scopes.count; i++) {
		layers_build(&c->traces[i].layers);
		replays_rewind(&c->traces[i].replays);
	}
}

struct context_place context_annotation(struct context *c, struct kev_reader *in)
{
	struct context_place place = {.step = STEP_NONE, .phase = STEP_NO_PHASE};
	struct context_trace *trace = context_trace_of(c, in);
	struct step_form form;
	struct dec time;

	if (step_kind(c, trace, text(c, in, CONTEXT_NAME), &form) == NO_STEP ||
	    !decimal(c, in, CONTEXT_TS, &time) || !decimal(c, in, CONTEXT_DUR, &time))
		return place;
	place.step = steps_annotated(&trace->steps, trace->annotations++);
	place.phase = form_phase(c, &trace->steps.step[place.step].form);
	place.step_name = steps_name(&trace->steps, place.step);
	return place;
}

/* --- the stream as a whole ------------------------------------------------------ */

struct context_totals context_totals(const struct context *c)
{
	struct context_totals totals = {.layers = c->replay_layers};

	for (size_t i = 0; i < c->scopes.count; i++) {
		const struct context_trace *trace = &c->traces[i];
		size_t layers = c->kclass     ? trace->layers.most
		                : c->module.n ? trace->modules.most
		                              : trace->origins.layers;

		for (size_t j = 0; j < trace->steps.count; j++)
			totals.phases[form_phase(c, &trace->steps.step[j].form)]++;
		totals.steps += trace->steps.count;
		if (layers > totals.layers)
			totals.layers = layers;
	}
	return totals;
}

void context_clear(struct context *c)
{
	for (size_t i = 0; i < c->scopes.count; i++)
		context_clear_trace(c, &c->traces[i]);
	strmap_clear(&c->scopes);
	operators_clear(&c->operators);
	c->operators.before += c->replayed;
	c->replayed = 0;
	c->replay_layers = 0;
	layer_names_free(&c->kernels);
	c->launches = c->calls = c->no_time = c->twice = 0;
	c->matched = false;
}

void context_free(struct context *c)
{
	context_clear(c);
	free(c->traces);
	strmap_free(&c->scopes);
	operators_free(&c->operators);
	free(c->arg_column);
	for (size_t i = 0; i < CONTEXT_COLUMNS; i++)
		buf_free(&c->text[i]);
	buf_free(&c->key);
	free(c->name_ranks);
	buf_free(&c->replay_args);
	*c = (struct context){0};
}
