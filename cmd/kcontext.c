/*
 * kcontext - the context of each kernel of a trace: its step and phase, its layer, the operator
 * that launched it, the Python stack of the launch.
 *
 *	#ts	dur	name	cat	pid	tid	correlation	External id
 *	10	50	execute_context_1(2048)_generation_0(0)	user_annotation	9	9		1
 *	20	30	aten::mm	cpu_op	9	9		2
 *	25	5	cudaLaunchKernel	cuda_runtime	9	9	7	2
 *	90	40	gemm	kernel	0	7	7	2
 * gives
 *	#ts	...	External id	step	phase	layer	cpu_op
 *	90	...	2	0	prefill		aten::mm
 *
 * The input is read twice, and three times for layers by attention: a file is reread, the kernels
 * of a pipe wait in a temporary file. Memory grows with everything that can decide the place of a
 * kernel, see trace/context.h, but not with the kernels.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "trace/context.h"
#include "trace/layer.h"
#include "trace/stack.h"

/* Rows that are not kernels are dropped, by their kind. */
enum { REASONS = CONTEXT_KERNEL };

static const char *const reasons[REASONS] = {
	[CONTEXT_COPY] = "a copy, without --copies",
	[CONTEXT_LAUNCH] = "a launch",
	[CONTEXT_OPERATOR] = "an operator",
	[CONTEXT_ANNOTATION] = "an annotation",
	[CONTEXT_DEVICE_ANNOTATION] = "an annotation on the device",
	[CONTEXT_FUNCTION] = "a Python function",
	[CONTEXT_OTHER] = "another category",
};
BALANCE_FITS(reasons);

enum look { LEARN, MARK, WRITE };

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	bool copies;
	bool stacks;
	bool opened;          /* one of the files could be opened */
	struct kclass kclass; /* the default rules, for layers by attention */
	struct context context;
	/* Of the stream at hand. */
	uint64_t kernels;
	uint64_t placed[CONTEXT_WAYS];
	struct buf text;
};

enum { AT = OPT_LONG, COPIES, MIXED, PREFILL_TOKENS, STACKS };

static const struct opt opts[] = {
	{'l', "layer", "HOW", "define a layer by graph or attention (default: graph)"},
	{STACKS, "stacks", NULL, "add a column with the Python stack"},
	{AT, "at", "WHEN", "find steps and stacks at the time of launch or kernel (default: launch)"},
	{COPIES, "copies", NULL, "keep the rows of gpu_memcpy and gpu_memset too"},
	{MIXED, "mixed", NULL,
     "use phase mixed, not decode, for a step with both context and generation"},
	{PREFILL_TOKENS, "prefill-tokens", "N",
     "use phase prefill for a step with at least N tokens of context (default: 1024)"},
};

static const struct opt_usage usage = {
	"[-l graph|attention] [--stacks] [--at=launch|kernel] [--copies] [--mixed] "
	"[--prefill-tokens=N] "
	"[FILE...]",
	"Add steps, phases, layers, operators and Python stacks to the kernels of a trace.", opts,
	sizeof opts / sizeof *opts};

/* --- columns and rows ------------------------------------------------------ */

static void columns(struct state *st, enum look look)
{
	static const struct str added[] = {
		{"step", 4}, {"phase", 5}, {"layer", 5}, {"cpu_op", 6}, {"python_stack", 12}};
	size_t more = sizeof added / sizeof *added - !st->stacks;
	size_t count = st->in.columns_count;
	struct str *names;

	if (!context_columns(&st->context, &st->in))
		return;
	for (size_t i = 0; i < more; i++) {
		if (kev_column(&st->in, added[i]) != KEV_NONE) {
			kev_error(&st->in, "column '%s' already exists; run kcontext only once", added[i].s);
			return;
		}
	}
	if (look == LEARN)
		kev_keep(&st->in, KEV_COLUMNS);
	if (look != WRITE)
		return;
	names = mem_alloc(count + more, sizeof *names);
	memcpy(names, st->in.column, count * sizeof *names);
	memcpy(names + count, added, more * sizeof *names);
	kev_columns(&st->out, names, count + more);
	free(names);
}

static bool is_wanted(const struct state *st, enum context_kind kind)
{
	return kind == CONTEXT_KERNEL || (kind == CONTEXT_COPY && st->copies);
}

static struct str dur_of(const struct state *st)
{
	return st->in.field[st->context.column[CONTEXT_DUR]];
}

static void learn(struct state *st)
{
	enum context_kind kind = context_learn(&st->context, &st->in);
	struct dec ts;

	balance_in(&st->balance, dur_of(st));
	if (!is_wanted(st, kind)) {
		balance_drop(&st->balance, kind, dur_of(st));
		return;
	}
	kev_number(&st->in, st->context.column[CONTEXT_TS], &ts); /* fails before the first output */
	kev_keep(&st->in, KEV_ROW);
	st->kernels++;
}

static void put_number(struct state *st, bool known, uint32_t number)
{
	st->text.len = 0;
	if (known)
		buf_format(&st->text, "%" PRIu32, number);
	kev_field_raw(&st->out, buf_view(&st->text));
}

static void put(struct state *st)
{
	struct context_place place;

	if (!is_wanted(st, context_kind(&st->context, &st->in)))
		return;
	place = context_place(&st->context, &st->in);
	st->placed[place.way]++;
	kev_field_raw(&st->out, st->in.tsv.text);
	put_number(st, place.step != STEP_NONE, place.step);
	kev_field(&st->out, str_of(step_phases[place.phase]));
	put_number(st, place.layer != LAYER_NONE, place.layer);
	kev_field(&st->out, place.cpu_op);
	if (st->stacks) {
		st->text.len = 0;
		stacks_fold(place.stacks, place.frame, &st->text);
		kev_field(&st->out, buf_view(&st->text));
	}
	kev_row_end(&st->out);
	balance_out(&st->balance, dur_of(st));
}

static void row(struct state *st, enum look look)
{
	if (look == LEARN)
		learn(st);
	else if (look == MARK)
		context_mark(&st->context, &st->in);
	else
		put(st);
}

/* --- the stream ------------------------------------------------------------ */

static void metadata(struct state *st, enum look look)
{
	if (str_equal(st->in.key, STR("source")))
		context_source(&st->context);
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
		kev_die(&st->out, st->in.file, 0,
		        "unit: '%s' here, '%s' before: times of different units cannot be added", unit,
		        st->balance.unit);
	st->balance.unit = unit;
}

static void warn_of(const struct state *st)
{
	const struct context *context = &st->context;
	const char *file = st->in.file;

	if (context->no_time)
		warn("%s: launches, annotations and functions skipped, as ts or dur is missing: %llu", file,
		     (unsigned long long)context->no_time);
	if (context->twice)
		warn("%s: rows with the id of another row: %llu; trace2tsv -f keeps the ids of several "
		     "traces apart",
		     file, (unsigned long long)context->twice);
	if (st->kernels && !context->launches && !context->at_kernel)
		warn("%s: no launches (cuda_runtime, cuda_driver), so steps follow the kernels' own time; "
		     "use trace2tsv -g",
		     file);
}

/* -v: what the stream holds, and how kernels came to their steps. */
static void report(const struct state *st)
{
	struct context_totals totals = context_totals(&st->context);

	warn("%s: steps: %zu (%zu prefill, %zu decode, %zu mixed); layers: %zu", st->in.file,
	     totals.steps, totals.phases[STEP_PREFILL], totals.phases[STEP_DECODE],
	     totals.phases[STEP_MIXED], totals.layers);
	warn("%s: rows in a step: %llu by their launch, %llu by an annotation on the device, "
	     "%llu by one on the host; in none: %llu",
	     st->in.file, (unsigned long long)st->placed[CONTEXT_BY_LAUNCH],
	     (unsigned long long)st->placed[CONTEXT_BY_DEVICE],
	     (unsigned long long)st->placed[CONTEXT_BY_HOST],
	     (unsigned long long)st->placed[CONTEXT_BY_NOTHING]);
}

/* Looks at the stream that is open, as if it were the only one: ids and steps begin anew. */
static void looks(struct state *st)
{
	check_unit(st);
	context_build(&st->context);
	if (st->context.kclass) {
		kev_again(&st->in);
		look_at(st, MARK);
		context_build_layers(&st->context);
	}
	kev_again(&st->in);
	look_at(st, WRITE);
	warn_of(st);
	if (st->opts.verbose)
		report(st);
	context_clear(&st->context);
	memset(st->placed, 0, sizeof st->placed);
	st->kernels = 0;
}

static void stream(struct state *st, int operand)
{
	bool rounded = st->in.rounded;

	kev_open_operand(&st->in, &st->opts, operand);
	st->in.others = st->opened || operand + 1 < st->opts.operands_count;
	st->in.one_unit = true;
	st->in.rounded = rounded;
	look_at(st, LEARN);
	if (st->in.opened)
		looks(st);
	st->opened |= st->in.opened;
	kev_close(&st->in);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS},
	                   .context = {.prefill_tokens = 1024}};
	bool by_attention = false;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'l':
			by_attention = opts_second(&st.opts, "graph", "attention");
			break;
		case STACKS:
			st.stacks = true;
			break;
		case AT:
			st.context.at_kernel = opts_second(&st.opts, "launch", "kernel");
			break;
		case COPIES:
			st.copies = true;
			break;
		case MIXED:
			st.context.mixed = true;
			break;
		case PREFILL_TOKENS:
			st.context.prefill_tokens = opts_number(&st.opts, 1);
			break;
		}
	}
	st.balance.on = st.opts.verbose;
	st.context.strict = st.opts.strict;
	st.context.functions = st.stacks || st.context.at_kernel;
	if (by_attention) {
		if (!kclass_load(&st.kclass, NULL))
			die("%s", st.kclass.error);
		st.context.kclass = &st.kclass;
	}

	kev_writer_init(&st.out, &st.opts);
	for (int i = 0; i < st.opts.operands_count; i++)
		stream(&st, i);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
