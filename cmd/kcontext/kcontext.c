/*
 * kcontext - the context of each kernel of a trace: its step and phase, its layer, the operator
 * that launched it, the ranges, modules and Python stack of the launch.
 *
 *	#ts	dur	name	cat	pid	tid	correlation	External id
 *	10	50	execute_context_1(2048)_generation_0(0)	user_annotation	9	9		1
 *	20	30	aten::mm	cpu_op	9	9		2
 *	25	5	cudaLaunchKernel	cuda_runtime	9	9	7	2
 *	90	40	gemm	kernel	0	7	7	2
 * gives
 *	#ts	...	step	phase	layer	cpu_op	step_name	launch_ts	launch_dur	launch_tid	op_id
 *	90	...	0	prefill		aten::mm	execute_context_1(2048)_generation_0(0)	25	5	9	1
 *
 * The input is read twice, and three times for layers by attention: a file is reread, the kernels
 * of a pipe wait in a temporary file. Memory grows with everything that can decide the place of a
 * kernel, see trace/context.h, but not with the kernels.
 */
#include <stdlib.h>

#include "base/filelist.h"
#include "base/mem.h"
#include "stream/balance.h"
#include "stream/hint.h"
#include "stream/kev.h"

#include "context.h"
#include "contextgraph.h"
#include "graphs.h"
#include "layer.h"
#include "ranges.h"
#include "references.h"
#include "stack.h"

/* Rows before kernels are dropped, by their kind. */
enum { REASONS = CONTEXT_KERNEL };

static const char *const reasons[REASONS] = {
	[CONTEXT_COPY] = "a copy, without --copies",
	[CONTEXT_LAUNCH] = "a launch",
	[CONTEXT_FLOW] = "a flow to a kernel",
	[CONTEXT_OPERATOR] = "an operator",
	[CONTEXT_ANNOTATION] = "an annotation",
	[CONTEXT_DEVICE_ANNOTATION] = "an annotation on the device",
	[CONTEXT_FUNCTION] = "a Python function",
	[CONTEXT_OTHER] = "another category",
};
BALANCE_FITS(reasons);

/* Why a kernel is in no step. */
enum no_step { UNLINKED, LAUNCHED_OUTSIDE, IN_SEVERAL, OUTSIDE, NO_STEP_REASONS };

static const char *const no_step_texts[NO_STEP_REASONS] = {
	[UNLINKED] = "without a launch: ",
	[LAUNCHED_OUTSIDE] = "launched outside of any step: ",
	[IN_SEVERAL] = "launched in several steps: ",
	[OUTSIDE] = "run outside of any step: ",
};

enum look { LEARN, OWN, REPLAY, MARK, WRITE };

/*
 * Columns that are added; some by an option, and those of launches unless klaunch has added them.
 */
enum { ADDED = 17 };

enum added_by { ALWAYS, BY_STACKS, UNLESS_KLAUNCH, BY_TOKENS, BY_RANGES, BY_MODULES, BY_CAPTURE };

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	bool copies;
	bool host;
	bool stacks;
	bool tokens;
	bool layers;          /* -l was given */
	bool prefill_tokens;  /* --prefill-tokens was given */
	bool opened;          /* a file could be opened */
	bool after_klaunch;   /* the columns line has klaunch's columns */
	struct kclass kclass; /* the default rules, for layers by attention */
	struct context context;
	struct references references; /* what --capture names */
	/* The stream at hand. */
	uint64_t rows;
	uint64_t kernels;     /* kernels, and copies if they are wanted */
	uint64_t allocations; /* allocations and frees, with --memory */
	uint64_t placed[CONTEXT_WAYS];
	struct tally time; /* time of kernels */
	struct tally time_without_step;
	struct tally time_why[NO_STEP_REASONS]; /* parts of time_without_step */
	struct tally time_without_layer;
	uint64_t range_threads; /* rows in no range, as several threads have ranges open */
	struct tally time_range_threads;
	uint64_t modules_cut; /* rows with more modules than are written */
	uint64_t range_cut;   /* rows with more ranges than are written */
	struct graphs graphs;
	struct buf text;
};

enum {
	ADDRESSES = OPT_LONG,
	AT,
	CAPTURE,
	COPIES,
	KEEP_HOST,
	MEMORY,
	MIXED,
	MODULES,
	OP,
	PREFILL_TOKENS,
	RANGES,
	STACKS,
	STEP,
	TOKENS
};

static const struct opt opts[] = {
	{'l', "layer", "graph|attention|module=NAME", "define a layer by this (default: graph)"},
	{'a', "add", "COL,...", "copy these columns from operators to their kernels"},
	{OP, "op", "@FILE", "prefer the outermost operator that matches a glob of this list"},
	{STACKS, "stacks", NULL, "add a column with the Python stack"},
	{ADDRESSES, "addresses", NULL, "keep the addresses of functions in the Python stack"},
	{MODULES, "modules", NULL, "add columns with the open nn.Modules: module, module_stack"},
	{RANGES, "ranges", NULL, "add columns with the open annotations: range, range_stack"},
	{CAPTURE, "capture", "REF,...", "take the operators of kernels of graphs from these streams"},
	{TOKENS, "tokens", NULL, "add columns with the tokens of the step: ctx_tokens, gen_tokens"},
	{AT, "at", "launch|kernel", "find steps and stacks at this time (default: launch)"},
	{STEP, "step", "GLOB,...", "take the annotations with these names as steps, and no other"},
	{COPIES, "copies", NULL, "keep the rows of copies and memsets too"},
	{MEMORY, "memory", NULL, "keep allocations and frees too, as kernels launched at their ts"},
	{KEEP_HOST, "host", NULL, "keep all other rows too, with the steps of annotations"},
	{MIXED, "mixed", NULL,
     "use phase mixed, not decode, for a step with both context and generation"},
	{PREFILL_TOKENS, "prefill-tokens", "N",
     "use phase prefill for a step with at least N tokens of context (default: 0; 1024 with "
     "--at=kernel)"},
};

static const struct opt_usage usage = {
	"[-l graph|attention|module=NAME] [-a COL,...] [--op=@FILE] [--stacks [--addresses]] "
	"[--modules] [--ranges] [--capture=REF,...] [--tokens] "
	"[--step=GLOB,...] [--at=launch|kernel] "
	"[--copies] [--memory] [--host] [--mixed] [--prefill-tokens=N] "
	"[FILE...]",
	"Add steps, phases, layers, operators and Python stacks to the kernels of a trace.", opts,
	sizeof opts / sizeof *opts};

/* --- columns and rows ------------------------------------------------------ */

static bool is_added(const struct state *st, enum added_by by)
{
	switch (by) {
	case BY_STACKS:
		return st->stacks;
	case UNLESS_KLAUNCH:
		return !st->after_klaunch;
	case BY_TOKENS:
		return st->tokens;
	case BY_RANGES:
		return st->context.ranges;
	case BY_MODULES:
		return st->context.modules;
	case BY_CAPTURE:
		return st->context.captures != NULL;
	case ALWAYS:
		break;
	}
	return true;
}

/* The first of the columns that are added, which annotations have, too. */
enum { STEP_AT, PHASE_AT, STEP_NAME_AT = 5 };

static const struct {
	const char *name;
	enum added_by by;
} all_added[ADDED] = {
	[STEP_AT] = {"step", ALWAYS},
	[PHASE_AT] = {"phase", ALWAYS},
	{"layer", ALWAYS},
	{"cpu_op", ALWAYS},
	{"python_stack", BY_STACKS},
	[STEP_NAME_AT] = {"step_name", ALWAYS},
	{"launch_ts", UNLESS_KLAUNCH},
	{"launch_dur", UNLESS_KLAUNCH},
	{"launch_tid", UNLESS_KLAUNCH},
	{"op_id", ALWAYS},
	{"ctx_tokens", BY_TOKENS},
	{"gen_tokens", BY_TOKENS},
	{"range", BY_RANGES},
	{"range_stack", BY_RANGES},
	{"module", BY_MODULES},
	{"module_stack", BY_MODULES},
	{"capture", BY_CAPTURE},
};

/* The names of the columns that are added, by put: how many. */
static size_t added(const struct state *st, struct str *names)
{
	size_t count = 0;

	for (size_t i = 0; i < ADDED; i++)
		if (is_added(st, all_added[i].by))
			names[count++] = str_of(all_added[i].name);
	return count;
}

static void columns(struct state *st, enum look look)
{
	struct str more[ADDED];
	size_t more_count;
	size_t count = st->in.columns_count;
	struct str *names;

	st->after_klaunch = kev_column(&st->in, STR("cause")) != KEV_NONE &&
	                    kev_column(&st->in, STR("launch_ts")) != KEV_NONE;
	more_count = added(st, more);
	if (!context_columns(&st->context, &st->in))
		return;
	for (size_t i = 0; i < more_count; i++) {
		if (kev_column(&st->in, more[i]) != KEV_NONE) {
			kev_misuse(&st->in, "column '%s' already exists; run kcontext once, with all options",
			           more[i].s);
			return;
		}
	}
	if (look == LEARN)
		kev_keep(&st->in, KEV_COLUMNS);
	if (look != WRITE)
		return;
	names = mem_alloc(count + more_count, sizeof *names);
	memcpy(names, st->in.column, count * sizeof *names);
	memcpy(names + count, more, more_count * sizeof *names);
	kev_columns(&st->out, names, count + more_count);
	free(names);
}

static bool is_wanted(const struct state *st, enum context_kind kind)
{
	return kind >= CONTEXT_KERNEL || (kind == CONTEXT_COPY && st->copies);
}

/* Whether a row is only passed on: a row of the host or an annotation. */
static bool is_passed(const struct state *st, enum context_kind kind)
{
	return st->host && kind < CONTEXT_KERNEL && kind != CONTEXT_COPY;
}

static struct str dur_of(const struct state *st)
{
	return st->in.field[st->context.column[CONTEXT_DUR]];
}

static void learn(struct state *st)
{
	enum context_kind kind = context_learn(&st->context, &st->in);
	struct dec ts;

	st->rows++;
	balance_in(&st->balance, dur_of(st));
	if (is_passed(st, kind)) {
		kev_keep(&st->in, KEV_ROW);
		return;
	}
	if (!is_wanted(st, kind)) {
		balance_drop(&st->balance, kind, dur_of(st));
		if (kind == CONTEXT_COPY && st->context.captures)
			kev_keep(&st->in, KEV_ROW);
		return;
	}
	kev_number(&st->in, st->context.column[CONTEXT_TS], &ts); /* fails before the first output */
	kev_keep(&st->in, KEV_ROW);
	if (kind == CONTEXT_MEMORY)
		st->allocations++;
	else
		st->kernels++;
}

static void put_number(struct state *st, bool known, uint64_t number)
{
	if (known)
		kev_field_count(&st->out, number);
	else
		kev_field_raw(&st->out, STR(""));
}

static void put_time(struct state *st, bool known, struct dec time)
{
	if (known)
		kev_field_dec(&st->out, time);
	else
		kev_field_raw(&st->out, STR(""));
}

/* The row, with the operator's arguments in those of its columns that are empty. */
static void put_row(struct state *st, struct str args)
{
	if (args.n == 0) {
		kev_field_raw(&st->out, st->in.tsv.text);
		return;
	}
	for (size_t i = 0; i < st->context.args.count; i++) {
		struct str *own = &st->in.field[st->context.arg_column[i]];
		size_t n = (size_t)((const char *)memchr(args.s, '\t', args.n) - args.s);

		if (own->n == 0)
			*own = (struct str){args.s, n};
		args.s += n + 1;
		args.n -= n + 1;
	}
	for (size_t i = 0; i < st->in.columns_count; i++)
		kev_field_raw(&st->out, st->in.field[i]);
}

static enum no_step why_no_step(const struct state *st, const struct context_place *place)
{
	if (st->context.at_kernel || !st->context.launches)
		return OUTSIDE;
	if (place->way == CONTEXT_IN_SEVERAL)
		return IN_SEVERAL;
	return place->linked ? LAUNCHED_OUTSIDE : UNLINKED;
}

/* The columns range and range_stack. */
static void put_ranges(struct state *st, const struct context_place *place)
{
	struct str last = STR("");

	st->text.len = 0;
	if (place->range_thread == RANGES_SEVERAL)
		st->range_threads++;
	else if (place->range_thread != RANGES_NONE &&
	         !ranges_fold(place->ranges, place->range_thread, place->range_time, &st->text, &last))
		st->range_cut++;
	kev_field(&st->out, last);
	kev_field(&st->out, buf_view(&st->text));
}

/* The columns module and module_stack. */
static void put_modules(struct state *st, const struct context_place *place)
{
	struct str last;

	if (place->captured) {
		kev_field(&st->out, place->module);
		kev_field(&st->out, place->module_stack);
		return;
	}
	st->text.len = 0;
	if (!stacks_fold_modules(place->stacks, place->frame, &st->text, &last))
		st->modules_cut++;
	kev_field(&st->out, last);
	kev_field(&st->out, buf_view(&st->text));
}

/* For the shares of time at the end. */
static void add_times(struct state *st, const struct context_place *place)
{
	struct dec dur = {0};

	dec_parse(dur_of(st), &dur); /* 0 if it is empty */
	balance_add_time(&st->time, dur);
	if (place->step == STEP_NONE) {
		balance_add_time(&st->time_without_step, dur);
		balance_add_time(&st->time_why[why_no_step(st, place)], dur);
	}
	if (place->layer == LAYER_NONE)
		balance_add_time(&st->time_without_layer, dur);
	if (place->range_thread == RANGES_SEVERAL)
		balance_add_time(&st->time_range_threads, dur);
}

/* --host: a row that is no kernel and no copy. Annotations on the host have their step. */
static void put_passed(struct state *st, enum context_kind kind)
{
	struct context_place place = {.step = STEP_NONE};
	bool is_step;

	if (kind == CONTEXT_ANNOTATION || kind == CONTEXT_DEVICE_ANNOTATION)
		place = context_annotation(&st->context, &st->in);
	is_step = kind == CONTEXT_ANNOTATION && place.step != STEP_NONE;
	balance_out(&st->balance, dur_of(st));
	kev_field_raw(&st->out, st->in.tsv.text);
	for (size_t i = 0; i < ADDED; i++) {
		if (!is_added(st, all_added[i].by))
			continue;
		if (i == STEP_AT)
			put_number(st, is_step, place.step);
		else if (is_step && i == PHASE_AT)
			kev_field(&st->out, str_of(step_phases[place.phase]));
		else if (is_step && i == STEP_NAME_AT)
			kev_field(&st->out, place.step_name);
		else
			kev_field_raw(&st->out, STR(""));
	}
	kev_row_end(&st->out);
}

static void put(struct state *st)
{
	enum context_kind kind = context_kind(&st->context, &st->in);
	struct context_place place;

	if (kind == CONTEXT_COPY && !st->copies && st->context.captures)
		contextgraph_pass(&st->context, &st->in);
	if (is_passed(st, kind))
		put_passed(st, kind);
	if (!is_wanted(st, kind))
		return;
	place = context_place(&st->context, &st->in);
	st->placed[place.way]++;
	balance_out(&st->balance, dur_of(st));
	if (kind == CONTEXT_KERNEL)
		add_times(st, &place);
	put_row(st, place.args);
	put_number(st, place.step != STEP_NONE, place.step);
	kev_field(&st->out, str_of(step_phases[place.phase]));
	put_number(st, place.layer != LAYER_NONE, place.layer);
	kev_field(&st->out, place.cpu_op);
	if (st->stacks) {
		st->text.len = 0;
		if (place.captured)
			buf_str(&st->text, place.stack);
		else
			stacks_fold(place.stacks, place.frame, &st->text);
		kev_field(&st->out, buf_view(&st->text));
	}
	kev_field(&st->out, place.step_name);
	if (!st->after_klaunch) {
		put_time(st, place.launched, place.launch_ts);
		put_time(st, place.has_launch_dur, place.launch_dur);
		kev_field_raw(&st->out, place.launch_tid);
	}
	put_number(st, place.op_id != 0, place.op_id);
	if (st->tokens) {
		put_number(st, place.ctx_tokens.known, place.ctx_tokens.count);
		put_number(st, place.gen_tokens.known, place.gen_tokens.count);
	}
	if (st->context.ranges)
		put_ranges(st, &place);
	if (st->context.modules)
		put_modules(st, &place);
	if (st->context.captures)
		kev_field(&st->out, graphs_row(&st->graphs, &st->context, &place,
		                               kind == CONTEXT_KERNEL ? dur_of(st) : STR("")));
	kev_row_end(&st->out);
}

static void row(struct state *st, enum look look)
{
	if (look == LEARN)
		learn(st);
	else if (look == OWN && is_wanted(st, context_kind(&st->context, &st->in)))
		context_own(&st->context, &st->in);
	else if (look == REPLAY)
		contextgraph_replay(&st->context, &st->in);
	else if (look == MARK)
		context_mark(&st->context, &st->in);
	else if (look == WRITE)
		put(st);
}

/* --- the stream ------------------------------------------------------------ */

static void metadata(struct state *st, enum look look)
{
	if (str_equal(st->in.key, STR("source"))) {
		context_source(&st->context);
		if (look == WRITE && st->context.captures)
			graphs_put(&st->graphs, &st->out, false);
	}
	if (look == WRITE || !st->in.opened)
		kev_pass_meta(&st->out, &st->in);
	else if (look == LEARN)
		kev_keep(&st->in, KEV_META);
}

static void look_at(struct state *st, enum look look)
{
	enum kev_item item;

	context_begin(&st->context);
	while ((item = kev_next(&st->in)) > KEV_END) {
		if (item == KEV_META)
			metadata(st, look);
		else if (item == KEV_COLUMNS)
			columns(st, look);
		else
			row(st, look);
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, &st->in);
}

/* -v adds up the times of all streams. */
static void check_unit(struct state *st)
{
	const char *unit = kev_unit(&st->in);

	if (st->balance.unit && strcmp(unit, st->balance.unit) != 0)
		kev_die_misuse(&st->out, st->in.file, 0,
		               "unit: '%s' here, '%s' before: times of different units cannot be added",
		               unit, st->balance.unit);
	st->balance.unit = unit;
}

/* For -l: why there is no layer. */
static const char *no_layers(const struct context *context)
{
	if (context->module.n)
		return " (no Python function is a call of such a module)";
	if (context->kclass)
		return " (no attention in a step)";
	return " (no graph looks like a layer; try -l attention or -l module=NAME)";
}

static void put_share(struct buf *text, const char *what, struct dec part, struct dec all)
{
	buf_text(text, what);
	dec_quotient_digits(text, part, all, 2, 3);
	buf_text(text, " %");
}

/* The parts of the time in no step, in parentheses. */
static void put_reasons(struct buf *text, const struct state *st)
{
	const char *before = " (";

	for (size_t i = 0; i < NO_STEP_REASONS; i++) {
		if (st->time_why[i].time.nano == 0)
			continue;
		buf_text(text, before);
		put_share(text, no_step_texts[i], st->time_why[i].time, st->time.time);
		before = ", ";
	}
	buf_char(text, ')');
}

/* The share of kernel time that has no place; in no layer only if layers are wanted, or found. */
static void warn_of_shares(const struct state *st)
{
	struct context_totals totals = context_totals(&st->context);
	size_t layers = totals.layers;
	struct dec without_layer = st->layers || layers ? st->time_without_layer.time : (struct dec){0};
	struct buf text = {0};

	if (st->time.overflow)
		warn("%s: the kernel times are too large to add, so there are no shares of them",
		     st->in.file);
	if (st->time.overflow || st->time.time.nano <= 0)
		return;
	if (st->time_without_step.time.nano) {
		put_share(&text, "kernel time in no step: ", st->time_without_step.time, st->time.time);
		if (totals.steps)
			put_reasons(&text, st);
		else
			buf_text(&text, " (no annotation is a step)");
	}
	if (without_layer.nano) {
		buf_text(&text, text.len ? ", " : "kernel time ");
		put_share(&text, "in no layer: ", without_layer, st->time.time);
		buf_text(&text, layers ? "" : no_layers(&st->context));
	}
	if (text.len)
		warn("%s: %.*s", st->in.file, (int)text.len, text.data);
	buf_free(&text);
}

static void warn_of_ranges(const struct state *st)
{
	struct buf text = {0};

	if (st->range_threads) {
		if (!st->time.overflow && st->time.time.nano > 0)
			put_share(&text, " (kernel time: ", st->time_range_threads.time, st->time.time);
		warn("%s: rows in no range, as several other threads of their process had ranges open: "
		     "%llu%.*s%s",
		     st->in.file, (unsigned long long)st->range_threads, (int)text.len, text.data,
		     text.len ? ")" : "");
	}
	if (st->range_cut)
		warn("%s: rows with more than %d open ranges, of which range_stack has the innermost: %llu",
		     st->in.file, RANGES_MOST, (unsigned long long)st->range_cut);
	context_warn_cut(st->in.file, st->modules_cut);
	buf_free(&text);
}

/* An empty window, or a stream that lost its kernels, would look like one without faults. */
static void warn_of_no_kernel(const struct state *st)
{
	if (st->kernels || st->allocations || !st->in.columns_known)
		return;
	if (st->rows)
		warn("%s: none of the %llu rows is a kernel%s", st->in.file, (unsigned long long)st->rows,
		     hint_rows(&st->in));
	else
		warn("%s: the input has no rows, and so no kernels", st->in.file);
}

/* Empty stacks and modules look like those of a trace without Python. */
static void warn_of_no_call(const struct state *st)
{
	const struct context *context = &st->context;
	const char *option = st->stacks          ? "--stacks"
	                     : context->modules  ? "--modules"
	                     : context->module.n ? "-l module"
	                                         : NULL;

	/* With captures, the functions are those of their files. */
	if (option && !context->calls && !context->captures && (st->kernels || st->allocations))
		warn("%s: %s: no row is a python_function; record with with_stack=True, and read with "
		     "trace2tsv -g without -c -python_function",
		     st->in.file, option);
}

static void warn_of(const struct state *st)
{
	const struct context *context = &st->context;
	const char *file = st->in.file;

	warn_of_no_kernel(st);
	if (context->memory && !st->allocations && st->rows)
		warn("%s: --memory: no row is named [memory]%s", file,
		     kev_is_of(&st->in, STR("trace2tsv")) || *hint_rows(&st->in)
		         ? "; record with profile_memory=True, and read with trace2tsv -g --memory"
		         : "");
	warn_of_no_call(st);
	context_warn(context, file);
	if (context->steps.count && !context->matched && st->rows)
		warn("%s: --step: no annotation has such a name", file);
	if (st->kernels && !context->launches && !context->at_kernel)
		warn("%s: no launches, so steps follow the kernels' own time%s", file,
		     st->after_klaunch ? "; use klaunch --host" : hint_rows(&st->in));
	if (st->placed[CONTEXT_IN_SEVERAL])
		warn("%s: rows in no step, as threads of their process were in different ones: %llu", file,
		     (unsigned long long)st->placed[CONTEXT_IN_SEVERAL]);
	warn_of_ranges(st);
	warn_of_shares(st);
}

/* -v: what the stream holds, and how kernels came to their steps. */
static void report(const struct state *st)
{
	struct context_totals totals = context_totals(&st->context);

	warn("%s: steps: %zu (%zu prefill, %zu decode, %zu mixed, %zu without a phase); layers: %zu",
	     st->in.file, totals.steps, totals.phases[STEP_PREFILL], totals.phases[STEP_DECODE],
	     totals.phases[STEP_MIXED], totals.phases[STEP_NO_PHASE], totals.layers);
	warn("%s: rows in a step: %llu by their launch, %llu by an annotation on the device, "
	     "%llu by one on the host; in none: %llu",
	     st->in.file, (unsigned long long)st->placed[CONTEXT_BY_LAUNCH],
	     (unsigned long long)st->placed[CONTEXT_BY_DEVICE],
	     (unsigned long long)st->placed[CONTEXT_BY_HOST],
	     (unsigned long long)(st->placed[CONTEXT_BY_NOTHING] + st->placed[CONTEXT_IN_SEVERAL]));
}

/* Looks at the stream that is open, as if it were the only one: ids and steps begin anew. */
static void looks(struct state *st)
{
	check_unit(st);
	context_build(&st->context);
	if (context_fails(&st->context, &st->in))
		kev_fail(&st->out, &st->in);
	if (context_needs_owners(&st->context)) {
		kev_again(&st->in);
		look_at(st, OWN);
	}
	context_build_graphs(&st->context);
	if (st->context.captures) {
		kev_again(&st->in);
		look_at(st, REPLAY);
		contextgraph_choose(&st->context);
	}
	if (st->context.kclass) {
		kev_again(&st->in);
		look_at(st, MARK);
		context_build_layers(&st->context);
	}
	kev_again(&st->in);
	look_at(st, WRITE);
	if (st->context.captures)
		graphs_put(&st->graphs, &st->out, true);
	graphs_warn(&st->graphs, st->in.file, st->time);
	warn_of(st);
	if (st->opts.verbose)
		report(st);
	context_clear(&st->context);
	memset(st->placed, 0, sizeof st->placed);
	st->time = st->time_without_step = st->time_without_layer = (struct tally){0};
	st->time_range_threads = (struct tally){0};
	st->range_threads = st->range_cut = st->modules_cut = 0;
	memset(st->time_why, 0, sizeof st->time_why);
	st->rows = st->kernels = st->allocations = 0;
}

static void stream(struct state *st, int operand)
{
	bool rounded = st->in.rounded;

	kev_open_operand(&st->in, &st->opts, operand);
	st->in.by_source = true;
	st->in.others = st->opened || operand + 1 < st->opts.operands_count;
	st->in.one_unit = true;
	st->in.rounded = rounded;
	look_at(st, LEARN);
	if (st->in.opened)
		looks(st);
	st->opened |= st->in.opened;
	kev_close(&st->in);
}

/* --- options ------------------------------------------------------------------- */

/* -l */
static void set_layer(struct state *st)
{
	const char *how = st->opts.arg;
	struct context *context = &st->context;

	context->kclass = NULL;
	context->module = STR("");
	if (strcmp(how, "attention") == 0)
		context->kclass = &st->kclass;
	else if (strncmp(how, "module=", 7) == 0 && how[7])
		context->module = str_of(how + 7);
	else if (strcmp(how, "graph") != 0)
		opts_fail("%s: '%s' is not graph, attention or module=NAME", st->opts.flag, how);
}

/* --op */
static void set_ops(struct state *st)
{
	struct filelist list = {0};
	const char *arg = st->opts.arg;

	if (arg[0] != '@' || !arg[1])
		opts_fail("%s: '%s' is not @FILE", st->opts.flag, arg);
	if (!filelist_read(&list, arg + 1, false))
		die("%s: %s", arg + 1, list.error);
	if (list.count == 0)
		die("%s: the list of operators is empty", arg + 1);
	for (size_t i = 0; i < list.count; i++) {
		words_put(&st->context.operators.globs, str_of(list.name[i]));
		free(list.name[i]);
	}
	free(list.name);
}

static void settle(struct state *st)
{
	struct context *context = &st->context;

	opts_distinct("-a", &context->args);
	st->balance.on = st->opts.verbose;
	context->strict = st->opts.strict;
	context->functions = st->stacks || context->modules || context->at_kernel || context->module.n;
	if (context->addresses && !st->stacks)
		opts_fail("--addresses needs --stacks");
	if (context->at_kernel && context->operators.globs.count)
		opts_fail("--op needs the time of the launch; leave out --at=kernel");
	if (context->at_kernel && (context->ranges || context->modules))
		opts_fail("%s needs the time of the launch; leave out --at=kernel",
		          context->ranges ? "--ranges" : "--modules");
	if (context->at_kernel && context->memory)
		opts_fail("--memory needs the time of the launch; leave out --at=kernel");
	if (context->at_kernel && st->references.paths.count)
		opts_fail("--capture needs the time of the launch; leave out --at=kernel");
	references_check(&st->references, &st->opts);
	if (context->at_kernel && !st->prefill_tokens)
		context->prefill_tokens = 1024; /* as the original has it */
	if (context->kclass && !kclass_load(&st->kclass, NULL))
		die("%s", st->kclass.error);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'l':
			set_layer(&st);
			st.layers = true;
			break;
		case 'a':
			opts_words(&st.opts, &st.context.args);
			break;
		case OP:
			set_ops(&st);
			break;
		case STACKS:
			st.stacks = true;
			break;
		case ADDRESSES:
			st.context.addresses = true;
			break;
		case MODULES:
			st.context.modules = true;
			break;
		case STEP:
			opts_words(&st.opts, &st.context.steps);
			break;
		case RANGES:
			st.context.ranges = true;
			break;
		case CAPTURE:
			opts_words(&st.opts, &st.references.paths);
			break;
		case TOKENS:
			st.tokens = true;
			break;
		case AT:
			st.context.at_kernel = opts_second(&st.opts, "launch", "kernel");
			break;
		case COPIES:
			st.copies = true;
			break;
		case MEMORY:
			st.context.memory = true;
			break;
		case KEEP_HOST:
			st.host = true;
			break;
		case MIXED:
			st.context.mixed = true;
			break;
		case PREFILL_TOKENS:
			st.context.prefill_tokens = opts_number(&st.opts, 0);
			st.prefill_tokens = true;
			break;
		}
	}
	settle(&st);

	kev_writer_init(&st.out, &st.opts);
	st.context.stacks = st.stacks;
	references_read(&st.references, &st.opts, &st.context, &st.out);
	for (int i = 0; i < st.opts.operands_count; i++)
		stream(&st, i);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
