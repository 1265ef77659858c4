/*
 * kcontext - what each kernel of a trace belongs to: its step and phase, its
 * layer, the operator that launched it, the Python stack above that.
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
 * The input is looked at twice, for layers by attention three times: a file is
 * read again, of a pipe the rows of kernels wait in a temporary file. Memory
 * grows with what must be known before the first kernel goes out: 52 bytes or so
 * for each launch, 24 for each operator, 300 for each annotation of a step and 90 for
 * each Python function, where they are asked for (--stacks, --at kernel), and
 * the distinct names. Of kernels those are held that begin a layer, and for layers by
 * graph each correlation, which may be of one kernel without a launch.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "kernel/kclass.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "trace/idmap.h"
#include "trace/layer.h"
#include "trace/stack.h"
#include "trace/step.h"

/* What a row is, by its category; of what is no kernel, the reason of dropping it. */
enum kind { COPY, LAUNCH, CPU_OP, ANNOTATION, GPU_ANNOTATION, PYTHON, OTHER, KERNEL };

enum { REASONS = KERNEL };

static const char *const reasons[REASONS] = {
	[COPY] = "a copy, without --copies",
	[LAUNCH] = "a launch",
	[CPU_OP] = "an operator",
	[ANNOTATION] = "an annotation",
	[GPU_ANNOTATION] = "an annotation on the device",
	[PYTHON] = "a Python function",
	[OTHER] = "another category",
};

static const struct category {
	struct str name;
	enum kind kind;
} categories[] = {
	{{"kernel", 6}, KERNEL},
	{{"gpu_memcpy", 10}, COPY},
	{{"gpu_memset", 10}, COPY},
	{{"cuda_runtime", 12}, LAUNCH},
	{{"cuda_driver", 11}, LAUNCH},
	{{"cpu_op", 6}, CPU_OP},
	{{"user_annotation", 15}, ANNOTATION},
	{{"gpu_user_annotation", 19}, GPU_ANNOTATION},
	{{"python_function", 15}, PYTHON},
};

enum column {
	TS,
	DUR,
	NAME,
	CAT,
	PID,
	TID,
	CORRELATION,
	EXTERNAL_ID,
	PYTHON_ID, /* these two where Python functions are wanted, */
	PYTHON_PARENT_ID,
	TYPE, /* and these where they are there */
	SCOPE,
	COLUMNS
};

static const char *const column_names[COLUMNS] = {
	[TS] = "ts",
	[DUR] = "dur",
	[NAME] = "name",
	[CAT] = "cat",
	[PID] = "pid",
	[TID] = "tid",
	[CORRELATION] = "correlation",
	[EXTERNAL_ID] = "External id",
	[PYTHON_ID] = "Python id",
	[PYTHON_PARENT_ID] = "Python parent id",
	[TYPE] = "type",
	[SCOPE] = "file",
};

#define NONE UINT32_MAX /* as STEP_NONE and LAYER_NONE */

/* A correlation: a launch, and the kernels that it has. A graph's has hundreds. */
struct link {
	struct dec ts;
	uint32_t thread;
	uint32_t kernels; /* and of what kinds they are, where layers are graphs */
	unsigned kinds;
	uint32_t layer;
	bool launched; /* ts and thread are known */
};

/* What the rows of one trace say; ids and times mean nothing beyond it. */
struct trace {
	struct strmap threads; /* "pid TAB tid", of the host and of devices, and "pid" alone */
	struct idmap correlations;
	struct link *links; /* by correlation */
	size_t links_cap;
	struct idmap operators; /* by External id */
	uint32_t *operator_name;
	size_t operators_cap;
	struct steps steps;
	struct stacks stacks;
	struct layers layers;
	size_t graphs;
};

enum look { LEARN, MARK, WRITE };
enum by { BY_LAUNCH, BY_DEVICE, BY_HOST, BY_NOTHING, WAYS };

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	/* Options. */
	bool by_attention; /* -l */
	bool at_kernel;    /* --at */
	bool copies;
	bool stacks;
	bool mixed;
	uint64_t prefill_tokens;
	/* Columns, and their text where it was escaped. */
	int column[COLUMNS];
	struct buf text[COLUMNS];
	/* The stream at hand. */
	struct strmap scopes; /* what tells its traces apart: files, or how many ##source lines came */
	struct trace *traces; /* by scope */
	size_t traces_cap;
	size_t sources;
	size_t scope; /* of rows without a file */
	struct strmap operators;
	struct strmap kernels;  /* names, where layers are graphs, */
	unsigned *kernel_kinds; /* and what they tell */
	size_t kernels_cap;
	uint64_t kernel_rows;
	uint64_t launches;
	uint64_t no_time;
	uint64_t twice; /* rows with an id that another one has */
	uint64_t placed[WAYS];
	struct kclass kclass;
	struct buf key;
};

enum { AT = OPT_LONG, COPIES, MIXED, PREFILL_TOKENS, STACKS };

static const struct opt opts[] = {
	{'l', "layer", "HOW", "what a layer is: graph, or attention (graph)"},
	{STACKS, "stacks", NULL, "add a column with the Python stack"},
	{AT, "at", "WHEN", "steps and stacks by the time of the launch, or the kernel (launch)"},
	{COPIES, "copies", NULL, "keep the rows of gpu_memcpy and gpu_memset, too"},
	{MIXED, "mixed", NULL, "steps with both context and generation are mixed, not decode"},
	{PREFILL_TOKENS, "prefill-tokens", "N",
     "a step of so many tokens of context is prefill (1024)"},
};

static const struct opt_usage usage = {
	"[-l graph|attention] [--stacks] [--at=launch|kernel] [--copies] [--mixed] "
	"[--prefill-tokens=N] "
	"[FILE...]",
	"Steps, phases, layers, operators and Python stacks of a trace's kernels.", opts,
	sizeof opts / sizeof *opts};

/* --- columns ------------------------------------------------------------- */

static bool need_columns(struct state *st)
{
	size_t needed = st->stacks || st->at_kernel ? TYPE : PYTHON_ID;

	for (size_t i = 0; i < COLUMNS; i++) {
		st->column[i] = kev_column(&st->in, str_of(column_names[i]));
		if (i < needed && !kev_need(&st->in, str_of(column_names[i]), &st->column[i]))
			return false;
	}
	return true;
}

static bool columns(struct state *st, enum look look)
{
	static const struct str added[] = {
		{"step", 4}, {"phase", 5}, {"layer", 5}, {"cpu_op", 6}, {"python_stack", 12}};
	size_t more = sizeof added / sizeof *added - !st->stacks;
	size_t count = st->in.columns_count;
	struct str *names;

	if (!need_columns(st))
		return false;
	for (size_t i = 0; i < more; i++) {
		if (kev_column(&st->in, added[i]) != KEV_NONE) {
			kev_error(&st->in, "there is a column '%s' already", added[i].s);
			return false;
		}
	}
	if (look != WRITE)
		return true;
	names = mem_alloc(count + more, sizeof *names);
	memcpy(names, st->in.column, count * sizeof *names);
	memcpy(names + count, added, more * sizeof *names);
	kev_columns(&st->out, names, count + more);
	free(names);
	return true;
}

/* A field of the row at hand, as it stands, and decoded. */
static struct str field(const struct state *st, enum column column)
{
	return st->in.field[st->column[column]];
}

static struct str text(struct state *st, enum column column)
{
	return kev_text(&st->in, st->column[column], &st->text[column]);
}

static bool decimal(struct state *st, enum column column, struct dec *out)
{
	return kev_number(&st->in, st->column[column], out);
}

/* --- traces -------------------------------------------------------------- */

/* The number of a scope; there is a trace for it. */
static size_t add_scope(struct state *st, struct str key)
{
	size_t scope = strmap_add(&st->scopes, key, NULL);
	size_t cap = st->traces_cap;

	st->traces = mem_grow(st->traces, &st->traces_cap, scope + 1, sizeof *st->traces);
	for (; cap < st->traces_cap; cap++)
		st->traces[cap] = (struct trace){0};
	return scope;
}

/* A ##source line has come, or the stream begins. No file is named like its key. */
static void add_source(struct state *st, size_t number)
{
	st->sources = number;
	st->key.len = 0;
	buf_format(&st->key, "\t%zu", number);
	st->scope = add_scope(st, buf_view(&st->key));
}

static struct trace *trace_of_row(struct state *st)
{
	size_t scope = st->column[SCOPE] == KEV_NONE ? st->scope : add_scope(st, field(st, SCOPE));

	return &st->traces[scope];
}

static void free_trace(struct trace *trace)
{
	strmap_free(&trace->threads);
	idmap_free(&trace->correlations);
	free(trace->links);
	idmap_free(&trace->operators);
	free(trace->operator_name);
	steps_free(&trace->steps);
	stacks_free(&trace->stacks);
	layers_free(&trace->layers);
}

static struct str thread_key(struct state *st)
{
	st->key.len = 0;
	buf_str(&st->key, field(st, PID));
	buf_char(&st->key, '\t');
	buf_str(&st->key, field(st, TID));
	return buf_view(&st->key);
}

static uint32_t add_thread(struct state *st, struct trace *trace)
{
	return (uint32_t)strmap_add(&trace->threads, thread_key(st), NULL);
}

/* The entry of a correlation, made where it is new. */
static struct link *add_link(struct trace *trace, struct str correlation)
{
	bool new;
	size_t number = idmap_add(&trace->correlations, correlation, &new);

	trace->links = mem_grow(trace->links, &trace->links_cap, number + 1, sizeof *trace->links);
	if (new)
		trace->links[number] = (struct link){.layer = LAYER_NONE};
	return &trace->links[number];
}

/* --- the first look ------------------------------------------------------ */

static enum kind kind_of(struct str category)
{
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
		if (str_equal(category, categories[i].name))
			return categories[i].kind;
	return OTHER;
}

static bool is_wanted(const struct state *st, enum kind kind)
{
	return kind == KERNEL || (kind == COPY && st->copies);
}

/* A row that tells less than it should: counted, and an error with --strict. */
static void miss(struct state *st, uint64_t *counter, const char *column, const char *what)
{
	++*counter;
	if (st->opts.strict && !st->in.error[0])
		kev_error(&st->in, "%s: %s", column, what);
}

static void too_large(struct state *st)
{
	kev_error(&st->in, "dur: the end, ts + dur, is too large a number");
}

/* For layers by graph: how many kernels a correlation has, and what is among them. */
static void learn_kernel(struct state *st, struct trace *trace)
{
	struct str correlation = field(st, CORRELATION);
	bool new;
	size_t name;
	struct link *link;

	if (correlation.n == 0)
		return;
	name = strmap_add(&st->kernels, field(st, NAME), &new);
	st->kernel_kinds =
		mem_grow(st->kernel_kinds, &st->kernels_cap, name + 1, sizeof *st->kernel_kinds);
	if (new)
		st->kernel_kinds[name] = layer_kinds(field(st, NAME));
	link = add_link(trace, text(st, CORRELATION));
	link->kernels++;
	link->kinds |= st->kernel_kinds[name];
}

static void learn_launch(struct state *st, struct trace *trace)
{
	struct str correlation = text(st, CORRELATION);
	struct dec ts = {0};
	struct link *link;

	if (correlation.n == 0)
		return;
	if (!decimal(st, TS, &ts)) {
		miss(st, &st->no_time, "ts", "a launch without one");
		return;
	}
	st->launches++;
	link = add_link(trace, correlation);
	if (link->launched) {
		miss(st, &st->twice, "correlation", "another launch has this one, too");
		/* Whatever the order of rows, the same of them counts. */
		if (dec_compare(link->ts, ts) <= 0)
			return;
	}
	link->launched = true;
	link->ts = ts;
	link->thread = add_thread(st, trace);
}

static void learn_operator(struct state *st, struct trace *trace)
{
	struct str id = text(st, EXTERNAL_ID);
	struct str name = text(st, NAME);
	bool new;
	size_t number;

	if (id.n == 0)
		return;
	number = idmap_add(&trace->operators, id, &new);
	trace->operator_name = mem_grow(trace->operator_name, &trace->operators_cap, number + 1,
	                                sizeof *trace->operator_name);
	if (new)
		trace->operator_name[number] = (uint32_t)strmap_add(&st->operators, name, NULL);
	else
		miss(st, &st->twice, "External id", "another cpu_op has this one, too");
}

static void learn_annotation(struct state *st, struct trace *trace, bool device)
{
	struct str name = text(st, NAME);
	struct str id = text(st, EXTERNAL_ID);
	struct step_form form;
	struct dec ts = {0};
	struct dec dur = {0};

	if (!step_parse(name, &form))
		return;
	if (!decimal(st, TS, &ts) || !decimal(st, DUR, &dur))
		miss(st, &st->no_time, "ts, dur", "the annotation of a step without one");
	else if (!steps_add(&trace->steps, device, add_thread(st, trace), ts, dur, name, id, &form))
		too_large(st);
}

static void learn_function(struct state *st, struct trace *trace)
{
	struct str name = text(st, NAME);
	struct str id = text(st, PYTHON_ID);
	struct str parent = text(st, PYTHON_PARENT_ID);
	struct dec ts = {0};
	struct dec dur = {0};
	bool again;
	uint32_t frame;

	frame = stacks_add(&trace->stacks, name, id, parent, &again);
	if (again)
		miss(st, &st->twice, "Python id", "another function has this one, too");
	if (!decimal(st, TS, &ts) || !decimal(st, DUR, &dur))
		miss(st, &st->no_time, "ts, dur", "a Python function without one");
	else if (!stacks_time(&trace->stacks, frame, add_thread(st, trace), ts, dur))
		too_large(st);
}

static void learn(struct state *st)
{
	enum kind kind = kind_of(field(st, CAT));
	struct str dur = field(st, DUR);
	struct trace *trace = trace_of_row(st);
	struct dec ts;

	balance_in(&st->balance, dur);
	if (is_wanted(st, kind)) {
		decimal(st, TS, &ts); /* so that an error comes before the first row */
		kev_keep(&st->in, KEV_ROW);
		st->kernel_rows++;
	} else {
		balance_drop(&st->balance, kind, dur);
	}
	switch (kind) {
	case KERNEL:
		if (!st->by_attention)
			learn_kernel(st, trace);
		break;
	case LAUNCH:
		learn_launch(st, trace);
		break;
	case CPU_OP:
		learn_operator(st, trace);
		break;
	case ANNOTATION:
	case GPU_ANNOTATION:
		learn_annotation(st, trace, kind == GPU_ANNOTATION);
		break;
	case PYTHON:
		if (st->stacks || st->at_kernel)
			learn_function(st, trace);
		break;
	case COPY:
	case OTHER:
		break;
	}
}

/* --- between the looks ---------------------------------------------------- */

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

/* Layers by graph: the correlations with kernels enough, in the order of their ids. */
static void number_graphs(struct trace *trace)
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

static void build(struct state *st)
{
	for (size_t i = 0; i < st->scopes.count; i++) {
		steps_build(&st->traces[i].steps);
		stacks_build(&st->traces[i].stacks);
		number_graphs(&st->traces[i]);
	}
}

/* --- the kernel at hand --------------------------------------------------- */

struct place {
	struct trace *trace;
	const struct link *link; /* NULL: its correlation is not known */
	uint32_t step;
	uint32_t frame;
	enum by by;
	bool has_ts;
	struct dec ts;
};

static struct place place_of_row(struct state *st)
{
	struct place place = {.trace = trace_of_row(st), .step = STEP_NONE, .frame = STACK_NONE};
	struct trace *trace = place.trace;
	struct str correlation = text(st, CORRELATION);
	size_t link = idmap_find(&trace->correlations, correlation);

	place.has_ts = decimal(st, TS, &place.ts);
	if (correlation.n && link != IDMAP_NONE)
		place.link = &trace->links[link];
	if (st->at_kernel) {
		place.by = BY_HOST;
		if (place.has_ts) {
			place.step = steps_on_host(&trace->steps, place.ts);
			place.frame = stacks_any(&trace->stacks, place.ts);
		}
	} else if (place.link && place.link->launched) {
		place.by = BY_LAUNCH;
		place.step = steps_on_thread(&trace->steps, place.link->thread, place.link->ts);
		place.frame = stacks_near(&trace->stacks, place.link->thread, place.link->ts);
	} else if (place.has_ts) {
		size_t stream = strmap_find(&trace->threads, thread_key(st));

		place.by = BY_DEVICE;
		place.step = steps_on_device(&trace->steps, stream, place.ts);
		if (place.step == STEP_NONE) {
			place.by = BY_HOST;
			place.step = steps_on_host(&trace->steps, place.ts);
			/* Of a step that is annotated on the device it would have been found there. */
			if (place.step != STEP_NONE && trace->steps.step[place.step].on_device)
				place.step = STEP_NONE;
		}
	}
	if (place.step == STEP_NONE)
		place.by = BY_NOTHING;
	return place;
}

static struct str phase_of(const struct state *st, const struct place *place)
{
	static const struct step_form none;
	const struct step_form *form =
		place->step == STEP_NONE ? &none : &place->trace->steps.step[place->step].form;

	return str_of(step_phases[step_phase(form, st->prefill_tokens, st->mixed)]);
}

static struct str operator_of(struct state *st, const struct place *place)
{
	struct str id = text(st, EXTERNAL_ID);
	size_t number = id.n ? idmap_find(&place->trace->operators, id) : IDMAP_NONE;

	if (number != IDMAP_NONE)
		return strmap_key(&st->operators, place->trace->operator_name[number]);
	if (st->at_kernel && place->frame != STACK_NONE)
		return stacks_name(&place->trace->stacks, place->frame);
	return STR("");
}

/* --- layers by attention -------------------------------------------------- */

/* Whether the kernel at hand is an attention, and not a part of one. */
static bool is_attention(struct state *st, const struct place *place)
{
	struct kclass_kernel kernel = {.name = text(st, NAME),
	                               .type = text(st, TYPE),
	                               .cat = field(st, CAT),
	                               .cpu_op = operator_of(st, place),
	                               .phase = phase_of(st, place)};

	return kclass_begins_layer(&st->kclass, &kernel);
}

static void mark(struct state *st)
{
	struct place place;

	if (kind_of(field(st, CAT)) != KERNEL)
		return;
	place = place_of_row(st);
	if (place.step != STEP_NONE && place.has_ts && is_attention(st, &place))
		layers_add(&place.trace->layers, place.step,
		           (uint32_t)strmap_add(&place.trace->threads, field(st, PID), NULL), place.ts);
}

static uint32_t layer_of(const struct state *st, const struct place *place)
{
	size_t device;

	if (!st->by_attention)
		return place->link ? place->link->layer : LAYER_NONE;
	device = strmap_find(&place->trace->threads, field(st, PID));
	if (place->step == STEP_NONE || !place->has_ts || device == STRMAP_NONE)
		return LAYER_NONE;
	return layers_at(&place->trace->layers, place->step, (uint32_t)device, place->ts);
}

/* --- the last look -------------------------------------------------------- */

static void put_number(struct state *st, uint32_t number)
{
	st->key.len = 0;
	if (number != NONE)
		buf_format(&st->key, "%" PRIu32, number);
	kev_field_raw(&st->out, buf_view(&st->key));
}

static void write_row(struct state *st)
{
	struct place place;

	if (!is_wanted(st, kind_of(field(st, CAT))))
		return;
	place = place_of_row(st);
	st->placed[place.by]++;
	kev_field_raw(&st->out, st->in.tsv.text);
	put_number(st, place.step);
	kev_field(&st->out, phase_of(st, &place));
	put_number(st, layer_of(st, &place));
	kev_field(&st->out, operator_of(st, &place));
	if (st->stacks) {
		st->key.len = 0;
		stacks_fold(&place.trace->stacks, place.frame, &st->key);
		kev_field(&st->out, buf_view(&st->key));
	}
	kev_row_end(&st->out);
	balance_out(&st->balance, field(st, DUR));
}

/* --- the stream ----------------------------------------------------------- */

static void metadata(struct state *st, enum look look)
{
	if (str_equal(st->in.key, STR("source")))
		add_source(st, st->sources + 1);
	if (look == LEARN)
		kev_keep(&st->in, KEV_META);
	else if (look == WRITE)
		kev_pass_meta(&st->out, &st->in);
}

static void look_at(struct state *st, enum look look)
{
	enum kev_item item;

	add_source(st, 0);
	while ((item = kev_next(&st->in)) > KEV_END) {
		if (item == KEV_META) {
			metadata(st, look);
		} else if (item == KEV_COLUMNS) {
			if (columns(st, look) && look == LEARN)
				kev_keep(&st->in, KEV_COLUMNS);
		} else if (look == LEARN) {
			learn(st);
		} else if (look == MARK) {
			mark(st);
		} else {
			write_row(st);
		}
		if (st->in.error[0])
			kev_fail(&st->out, &st->in);
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, &st->in);
}

static void warn_of(const struct state *st)
{
	const char *file = st->in.file;

	if (st->no_time)
		warn("%s: launches, annotations and functions without ts or dur, of no use: %llu", file,
		     (unsigned long long)st->no_time);
	if (st->twice)
		warn("%s: rows whose id another one has, too: %llu; trace2tsv -f tells the rows of several "
		     "traces apart",
		     file, (unsigned long long)st->twice);
	if (st->kernel_rows && !st->launches && !st->at_kernel)
		warn("%s: there are no launches (cuda_runtime, cuda_driver), which trace2tsv -g writes: "
		     "steps go by the kernels' own time",
		     file);
}

/* -v: what was found, and how kernels came to their steps. */
static void report(const struct state *st)
{
	unsigned long long phases[STEP_PHASES] = {0};
	size_t steps = 0;
	size_t layers = 0;

	for (size_t i = 0; i < st->scopes.count; i++) {
		const struct trace *trace = &st->traces[i];

		for (size_t j = 0; j < trace->steps.count; j++)
			phases[step_phase(&trace->steps.step[j].form, st->prefill_tokens, st->mixed)]++;
		steps += trace->steps.count;
		layers = trace->layers.most > layers ? trace->layers.most : layers;
		layers = trace->graphs > layers ? trace->graphs : layers;
	}
	warn("%s: steps: %zu (%llu prefill, %llu decode, %llu mixed); layers: %zu", st->in.file, steps,
	     phases[STEP_PREFILL], phases[STEP_DECODE], phases[STEP_MIXED], layers);
	warn("%s: rows in a step: %llu by their launch, %llu by an annotation on the device, "
	     "%llu by one on the host; in none: %llu",
	     st->in.file, (unsigned long long)st->placed[BY_LAUNCH],
	     (unsigned long long)st->placed[BY_DEVICE], (unsigned long long)st->placed[BY_HOST],
	     (unsigned long long)st->placed[BY_NOTHING]);
}

static void free_stream(struct state *st)
{
	for (size_t i = 0; i < st->scopes.count; i++)
		free_trace(&st->traces[i]);
	memset(st->traces, 0, st->traces_cap * sizeof *st->traces);
	strmap_clear(&st->scopes);
	strmap_clear(&st->operators);
	strmap_clear(&st->kernels);
	memset(st->placed, 0, sizeof st->placed);
	st->kernel_rows = st->launches = st->no_time = st->twice = 0;
}

/* Times of all streams are added up for -v. */
static void check_unit(struct state *st)
{
	const char *unit = kev_unit(&st->in);

	if (st->balance.unit && strcmp(unit, st->balance.unit) != 0)
		kev_die(&st->out, st->in.file, 0, "unit: %s here, %s before", unit, st->balance.unit);
	st->balance.unit = unit;
}

/* One stream, as if it were the only one: ids and steps begin anew. */
static void stream(struct state *st, char **path, int count)
{
	bool rounded = st->in.rounded;

	kev_open(&st->in, path, count);
	st->in.one_unit = true;
	st->in.rounded = rounded;
	look_at(st, LEARN);
	check_unit(st);
	build(st);
	if (st->by_attention) {
		kev_again(&st->in);
		look_at(st, MARK);
		for (size_t i = 0; i < st->scopes.count; i++)
			layers_build(&st->traces[i].layers);
	}
	kev_again(&st->in);
	look_at(st, WRITE);
	warn_of(st);
	if (st->opts.verbose)
		report(st);
	kev_close(&st->in);
	free_stream(st);
}

/* Whether the option's argument is the second of the two words that it may be. */
static bool is_second(const struct state *st, const char *first, const char *second)
{
	if (strcmp(st->opts.arg, first) != 0 && strcmp(st->opts.arg, second) != 0)
		opts_fail("%s: '%s' is not %s or %s", st->opts.flag, st->opts.arg, first, second);
	return strcmp(st->opts.arg, second) == 0;
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS},
	                   .prefill_tokens = 1024};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'l':
			st.by_attention = is_second(&st, "graph", "attention");
			break;
		case STACKS:
			st.stacks = true;
			break;
		case AT:
			st.at_kernel = is_second(&st, "launch", "kernel");
			break;
		case COPIES:
			st.copies = true;
			break;
		case MIXED:
			st.mixed = true;
			break;
		case PREFILL_TOKENS:
			st.prefill_tokens = opts_number(&st.opts, 1);
			break;
		}
	}
	st.balance.on = st.opts.verbose;
	if (st.by_attention && !kclass_load(&st.kclass, NULL))
		die("%s", st.kclass.error);

	kev_writer_init(&st.out, &st.opts);
	if (st.opts.operands_count == 0)
		stream(&st, NULL, 0);
	for (int i = 0; i < st.opts.operands_count; i++)
		stream(&st, &st.opts.operands[i], 1);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
