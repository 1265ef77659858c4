/*
 * kalign - sets the kernels of two traces beside each other, layer by layer of the model.
 *
 *	kalign --by=order a.kev b.kev
 * of two streams through kcontext and kclass gives
 *	#layer	position	operation	operation_detail	kernel1	kernel2	avg1_us	...
 *	0	0	Attention (Decode)		attn_fwd	flash_fwd	12.5	...
 *	0	1	RMSNorm+GEMM		triton_rms_gemm		8	...	fused by trace1
 *
 * All kernels are held, at some 90 bytes each, and the distinct names.
 */
#include <stdlib.h>

#include "kclass.h"
#include "lcs.h"
#include "mem.h"
#include "pair.h"
#include "sheet.h"

enum {
	LAYER_BEFORE = -1,         /* before the first attention of a step */
	LAYER_OUTSIDE = INT32_MAX, /* of no step */
};

struct kernel {
	struct dec ts;
	struct dec dur;
	size_t op;
	size_t name;
	size_t alike; /* by which one rather faces it: its detail, or its name */
	uint32_t pass;
	int32_t layer;
	uint32_t row;
	uint8_t side;
	bool attention;
	bool step; /* it has one */
};

/* A step on one device: its kernels are one sequence. */
struct pass {
	bool step; /* false: the kernels of no step */
	bool timed;
	struct dec start; /* where it is timed: of its first kernel */
	uint32_t number;
	uint32_t rank; /* in order of time */
};

struct trace {
	struct kernel *kernels;
	size_t count;
	size_t cap;
	struct strmap passes;
	struct pass *pass; /* by number in passes */
	size_t passes_cap;
	struct strmap steps;
	size_t phases[3]; /* steps, by phase */
	int32_t layers;   /* the most of any step */
	uint64_t no_ts;
	int ts;     /* columns */
	int key[3]; /* step, pid, and file where there is one */
	size_t keys;
	int type;
	int cat;
	int cpu_op;
};

/* Kernels of both sides that face each other, over all steps. */
struct row {
	int32_t layer;
	size_t position;
	size_t op;
	struct str operation; /* its name */
	struct group sum[PAIR_SIDES];
	struct str kernel[PAIR_SIDES]; /* the commonest */
};

/* One layer of all steps. */
struct layer {
	int32_t number;
	size_t first_row;
	size_t rows;
	uint64_t runs[PAIR_SIDES]; /* in how many passes it is */
	struct group sum[PAIR_SIDES];
	struct group aligned[PAIR_SIDES];
};

/* How many kernels of a class each side has in the layer that is written. */
struct class_count {
	uint64_t kernels[PAIR_SIDES];
};

/* What the kernels of one name in a row sum up to. */
struct named {
	size_t row;
	size_t op;
	size_t name;
	struct group sum[PAIR_SIDES];
};

/* A kernel name that faces itself. */
struct same {
	struct str operation;
	struct str name;
	struct dec gap;
	struct group sum[PAIR_SIDES];
	uint64_t pairs;
	uint64_t faster[PAIR_SIDES];
};

struct state {
	struct opts opts;
	struct pair pair;
	struct trace trace[PAIR_SIDES];
	struct kclass kclass; /* the default rules, which know an attention from a part of one */
	bool by_order;        /* --by */
	bool by_layer;        /* -L */
	bool by_same;         /* -S */
	struct strmap ops;
	struct strmap names;
	struct kernel **order; /* of both sides: by layer, then as they ran */
	size_t count;
	struct row *rows;
	size_t rows_count;
	size_t rows_cap;
	struct layer *layers;
	size_t layers_count;
	size_t layers_cap;
	struct class_count *classes; /* by number in ops */
	struct named *named;         /* of a side and a row, then of both sides */
	size_t named_count;
	size_t named_cap;
	struct same *same;
	size_t same_count;
	struct buf key;
	struct buf text[4];
};

enum { PHASE_OPT = OPT_LONG, BY };

static const struct opt opts[] = {
	{BY, "by", "HOW", "kernels of a layer face each other by position or order (position)"},
	{PHASE_OPT, "phase", "PHASE", "the kernels of this phase alone: prefill, decode, mixed (all)"},
	{'L', "layers", NULL, "the totals of layers"},
	{'S', "same", NULL, "the kernels that both traces name alike"},
	{'r', "report", NULL, "a report for people"},
	{'j', "json", NULL, "JSON"},
	{'M', "markdown", NULL, "Markdown tables"},
};

static const struct opt_usage usage = {
	"[--by=position|order] [--phase=PHASE] [-L | -S] [-r | -j | -M] A B",
	"Sets the kernels of two traces beside each other, layer by layer.", opts,
	sizeof opts / sizeof *opts};

/* --- reading ------------------------------------------------------------- */

static void columns(struct state *st, int s)
{
	struct kev_reader *in = &st->pair.side[s].in;
	struct trace *trace = &st->trace[s];

	trace->type = kev_column(in, STR("type"));
	trace->cat = kev_column(in, STR("cat"));
	trace->cpu_op = kev_column(in, STR("cpu_op"));
	trace->keys = 2;
	trace->key[2] = kev_column(in, STR("file"));
	trace->keys += trace->key[2] != KEV_NONE;
	if (kev_need(in, STR("ts"), &trace->ts) && kev_need(in, STR("step"), &trace->key[0]))
		kev_need(in, STR("pid"), &trace->key[1]);
}

static bool is_attention(struct state *st, int s)
{
	struct pair_side *side = &st->pair.side[s];
	const struct trace *trace = &st->trace[s];
	struct kclass_kernel kernel = {
		.name = kev_text(&side->in, side->name, &st->text[0]),
		.type = kev_text(&side->in, trace->type, &st->text[1]),
		.cat = kev_text(&side->in, trace->cat, &st->text[2]),
		.cpu_op = kev_text(&side->in, trace->cpu_op, &st->text[3]),
		.phase = kev_text(&side->in, side->phase, &st->pair.scratch),
	};
	struct kclass_label label;

	return kclass_of(&st->kclass, &kernel, &label) && kclass_is_attention(label.op) && !label.part;
}

/* The step of a row, without its device; a new one counts for its phase. */
static void add_step(struct state *st, int s)
{
	static const char *const phases[] = {"prefill", "decode", "mixed"};
	struct pair_side *side = &st->pair.side[s];
	struct trace *trace = &st->trace[s];
	const int key[] = {trace->key[0], trace->key[2]};
	struct str phase;
	bool new;

	strmap_add(&trace->steps, kev_key(&side->in, key, trace->keys - 1, &st->key, &st->pair.scratch),
	           &new);
	if (!new)
		return;
	phase = kev_text(&side->in, side->phase, &st->pair.scratch);
	for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
		trace->phases[i] += str_equal(phase, str_of(phases[i]));
}

static uint32_t add_pass(struct state *st, int s)
{
	struct kev_reader *in = &st->pair.side[s].in;
	struct trace *trace = &st->trace[s];
	bool step = in->field[trace->key[0]].n > 0;
	bool new;
	size_t pass;

	if (step)
		add_step(st, s);
	pass = strmap_add(&trace->passes,
	                  kev_key(in, trace->key, trace->keys, &st->key, &st->pair.scratch), &new);
	trace->pass = mem_grow(trace->pass, &trace->passes_cap, pass + 1, sizeof *trace->pass);
	if (new)
		trace->pass[pass] = (struct pass){.step = step, .number = (uint32_t)pass};
	return (uint32_t)pass;
}

/* Which product of a layer it is, where the name says so; else empty. */
static struct str detail_of(struct str operation, struct str name)
{
	static const struct {
		struct str has;
		struct str detail;
	} details[] = {
		{{"qkv", 3}, {"QKV", 3}},
		{{"o_proj", 6}, {"O", 1}},
		{{"out_proj", 8}, {"O", 1}},
		{{"gate_up", 7}, {"FFN_up", 6}},
		{{"up_proj", 7}, {"FFN_up", 6}},
		{{"ffn_up", 6}, {"FFN_up", 6}},
		{{"down_proj", 9}, {"FFN_down", 8}},
		{{"ffn_down", 8}, {"FFN_down", 8}},
	};

	if (!str_equal(operation, STR("Dense GEMM")))
		return STR("");
	for (size_t i = 0; i < sizeof details / sizeof *details; i++)
		if (str_has_any_case(name, details[i].has))
			return details[i].detail;
	return STR("");
}

static void add(struct state *st, int s, struct dec dur)
{
	struct pair_side *side = &st->pair.side[s];
	struct trace *trace = &st->trace[s];
	struct pass *pass;
	struct kernel kernel = {.dur = dur, .side = (uint8_t)s, .layer = LAYER_BEFORE};
	struct str detail;
	struct str name;

	if (!kev_number(&side->in, trace->ts, &kernel.ts)) {
		trace->no_ts++;
		kernel.layer = LAYER_OUTSIDE;
		if (st->opts.strict && !side->in.error[0])
			kev_error(&side->in, "ts: a kernel without one");
	}
	kernel.op = strmap_add(&st->ops, kev_text(&side->in, side->op, &st->pair.scratch), NULL);
	name = kev_text(&side->in, side->name, &st->pair.scratch);
	kernel.name = strmap_add(&st->names, name, NULL);
	detail = detail_of(strmap_key(&st->ops, kernel.op), name);
	kernel.alike = detail.n ? strmap_add(&st->names, detail, NULL) : kernel.name;
	kernel.attention = is_attention(st, s);
	kernel.pass = add_pass(st, s);
	pass = &trace->pass[kernel.pass];
	if (kernel.layer != LAYER_OUTSIDE &&
	    (!pass->timed || dec_compare(kernel.ts, pass->start) < 0)) {
		pass->timed = true;
		pass->start = kernel.ts;
	}
	trace->kernels =
		mem_grow(trace->kernels, &trace->cap, trace->count + 1, sizeof *trace->kernels);
	trace->kernels[trace->count++] = kernel;
}

static void read_side(struct state *st, int s)
{
	struct trace *trace = &st->trace[s];
	const char *file;
	enum pair_item item;
	struct dec dur;

	while ((item = pair_next(&st->pair, s, &dur)) != PAIR_END) {
		if (item == PAIR_COLUMNS)
			columns(st, s);
		else
			add(st, s, dur);
	}
	file = st->pair.side[s].in.file;
	if (trace->no_ts)
		warn("%s: kernels without ts, of no layer: %llu", file, (unsigned long long)trace->no_ts);
	if (trace->count && trace->steps.count == 0)
		warn("%s: no kernel has a step: all are taken for one forward pass", file);
}

/* --- layers -------------------------------------------------------------- */

/* Kernels of one side stand in one array, so that their places tell which came first. */
static int compare_places(const struct kernel *a, const struct kernel *b)
{
	return (a > b) - (a < b);
}

static int compare_runs(const void *a, const void *b)
{
	const struct kernel *x = *(struct kernel *const *)a;
	const struct kernel *y = *(struct kernel *const *)b;
	int order = (x->pass > y->pass) - (x->pass < y->pass);

	if (order == 0)
		order = dec_compare(x->ts, y->ts);
	return order ? order : compare_places(x, y);
}

static int compare_passes(const void *a, const void *b)
{
	const struct pass *x = *(struct pass *const *)a;
	const struct pass *y = *(struct pass *const *)b;
	int order = dec_compare(x->start, y->start);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Passes in order of time, whatever order their rows came in. */
static void rank_passes(struct trace *trace)
{
	struct pass **order = mem_alloc(trace->passes.count + 1, sizeof(struct pass *));

	for (size_t i = 0; i < trace->passes.count; i++)
		order[i] = &trace->pass[i];
	if (trace->passes.count)
		qsort(order, trace->passes.count, sizeof(struct pass *), compare_passes);
	for (size_t i = 0; i < trace->passes.count; i++)
		order[i]->rank = (uint32_t)i;
	free(order);
}

/* Each attention of a pass begins the next layer. */
static void number_layers(struct trace *trace, struct kernel **order)
{
	int32_t layer = LAYER_BEFORE;

	rank_passes(trace);
	for (size_t i = 0; i < trace->count; i++) {
		struct kernel *kernel = &trace->kernels[i];

		kernel->step = trace->pass[kernel->pass].step;
		kernel->pass = trace->pass[kernel->pass].rank;
		order[i] = kernel;
	}
	if (trace->count)
		qsort(order, trace->count, sizeof(struct kernel *), compare_runs);
	for (size_t i = 0; i < trace->count; i++) {
		struct kernel *kernel = order[i];

		if (i == 0 || kernel->pass != order[i - 1]->pass)
			layer = LAYER_BEFORE;
		if (kernel->layer == LAYER_OUTSIDE)
			continue; /* it has no time */
		layer += kernel->attention;
		kernel->layer = layer;
		if (trace->steps.count && !kernel->step)
			kernel->layer = LAYER_OUTSIDE;
		else if (layer >= trace->layers)
			trace->layers = layer + 1;
	}
}

/* By layer, then trace1 before trace2, then as number_layers left them. */
static int compare_layers(const void *a, const void *b)
{
	const struct kernel *x = *(struct kernel *const *)a;
	const struct kernel *y = *(struct kernel *const *)b;
	int order = (x->layer > y->layer) - (x->layer < y->layer);

	if (order == 0)
		order = x->side - y->side;
	return order ? order : compare_runs(a, b);
}

static void sort_kernels(struct state *st)
{
	st->count = st->trace[0].count + st->trace[1].count;
	st->order = mem_alloc(st->count + 1, sizeof(struct kernel *));
	number_layers(&st->trace[0], st->order);
	number_layers(&st->trace[1], st->order + st->trace[0].count);
	if (st->count)
		qsort(st->order, st->count, sizeof(struct kernel *), compare_layers);
}

/* --- which kernels face each other ----------------------------------------- */

static uint32_t add_row(struct state *st, int32_t layer, size_t position, size_t op)
{
	st->rows = mem_grow(st->rows, &st->rows_cap, st->rows_count + 1, sizeof *st->rows);
	st->rows[st->rows_count] = (struct row){.layer = layer, .position = position, .op = op};
	return (uint32_t)st->rows_count++;
}

/* Where the kernels of another pass or side or layer begin. */
static size_t end_of_run(const struct state *st, size_t begin, size_t end)
{
	const struct kernel *first = st->order[begin];
	size_t i = begin;

	while (i < end && st->order[i]->pass == first->pass && st->order[i]->side == first->side)
		i++;
	return i;
}

/* Rows by position and class. */
static void align_by_position(struct state *st, const struct layer *layer, size_t begin, size_t end)
{
	struct strmap rows = {0};
	size_t stop;

	for (size_t i = begin; i < end; i = stop) {
		stop = end_of_run(st, i, end);
		for (size_t j = i; j < stop; j++) {
			const size_t key[] = {j - i, st->order[j]->op};
			bool new;
			size_t row = strmap_add(&rows, (struct str){(const char *)key, sizeof key}, &new);

			if (new)
				add_row(st, layer->number, key[0], key[1]);
			st->order[j]->row = (uint32_t)(layer->first_row + row);
		}
	}
	strmap_free(&rows);
}

/* A sequence of rows that passes are matched with, and that grows by what has no match in it. */
struct spine {
	struct lcs_item *items;
	uint32_t *rows;
	size_t count;
};

static void free_spine(struct spine *spine)
{
	free(spine->items);
	free(spine->rows);
}

/*
 * The two, as one: what faces each other once, all else in its place. row_of[i] is set to the
 * place in it of the i-th item; a row that is new is NEW_ROW.
 */
#define NEW_ROW UINT32_MAX

static struct spine merge(const struct spine *spine, const struct lcs_item *items, size_t count,
                          size_t *place)
{
	struct spine whole = {.items = mem_alloc(spine->count + count + 1, sizeof *whole.items),
	                      .rows = mem_alloc(spine->count + count + 1, sizeof *whole.rows)};
	size_t *match = mem_alloc(count + 1, sizeof *match);
	size_t j = 0;

	lcs_match(items, count, spine->items, spine->count, match);
	match[count] = spine->count;
	for (size_t i = 0; i <= count; i++) {
		for (; match[i] != LCS_NONE && j < match[i]; j++) {
			whole.items[whole.count] = spine->items[j];
			whole.rows[whole.count++] = spine->rows[j];
		}
		if (i == count)
			break;
		place[i] = whole.count;
		whole.items[whole.count] = items[i];
		whole.rows[whole.count++] = match[i] == LCS_NONE ? NEW_ROW : spine->rows[j++];
	}
	free(match);
	return whole;
}

/* The kernels of one pass, matched with the spine of its side. */
static void add_pass_to_spine(struct state *st, const struct layer *layer, struct spine *spine,
                              size_t begin, size_t end)
{
	size_t count = end - begin;
	struct lcs_item *items = mem_alloc(count + 1, sizeof *items);
	size_t *place = mem_alloc(count + 1, sizeof *place);
	struct spine whole;

	for (size_t i = 0; i < count; i++)
		items[i] = (struct lcs_item){st->order[begin + i]->op, st->order[begin + i]->alike};
	whole = merge(spine, items, count, place);
	for (size_t i = 0; i < count; i++) {
		uint32_t *row = &whole.rows[place[i]];

		if (*row == NEW_ROW)
			*row = add_row(st, layer->number, 0, items[i].class);
		st->order[begin + i]->row = *row;
	}
	free_spine(spine);
	*spine = whole;
	free(items);
	free(place);
}

/* Rows by the longest common subsequence: of the passes of each side, and then of the sides. */
static void align_by_order(struct state *st, const struct layer *layer, size_t begin, size_t end)
{
	struct spine spine[PAIR_SIDES] = {{0}};
	struct spine whole;
	uint32_t *row_of = NULL; /* of trace2's own rows, the one that they become */
	size_t *place;
	size_t stop;

	for (size_t i = begin; i < end; i = stop) {
		stop = end_of_run(st, i, end);
		add_pass_to_spine(st, layer, &spine[st->order[i]->side], i, stop);
	}
	place = mem_alloc(spine[1].count + 1, sizeof *place);
	row_of = mem_alloc(st->rows_count - layer->first_row + 1, sizeof *row_of);
	for (size_t i = layer->first_row; i < st->rows_count; i++)
		row_of[i - layer->first_row] = (uint32_t)i;
	whole = merge(&spine[0], spine[1].items, spine[1].count, place);
	for (size_t i = 0; i < spine[1].count; i++) {
		uint32_t *row = &whole.rows[place[i]];

		if (*row == NEW_ROW)
			*row = spine[1].rows[i];
		row_of[spine[1].rows[i] - layer->first_row] = *row;
	}
	for (size_t i = begin; i < end; i++)
		st->order[i]->row = row_of[st->order[i]->row - layer->first_row];
	for (size_t i = 0; i < whole.count; i++)
		st->rows[whole.rows[i]].position = i;
	free(place);
	free(row_of);
	free_spine(&spine[0]);
	free_spine(&spine[1]);
	free_spine(&whole);
}

static void align_layer(struct state *st, size_t begin, size_t end)
{
	struct layer *layer;
	size_t stop;

	st->layers = mem_grow(st->layers, &st->layers_cap, st->layers_count + 1, sizeof *st->layers);
	layer = &st->layers[st->layers_count++];
	*layer = (struct layer){.number = st->order[begin]->layer, .first_row = st->rows_count};
	for (size_t i = begin; i < end; i = stop) {
		stop = end_of_run(st, i, end);
		layer->runs[st->order[i]->side]++;
	}
	if (st->by_order)
		align_by_order(st, layer, begin, end);
	else
		align_by_position(st, layer, begin, end);
	layer->rows = st->rows_count - layer->first_row;
}

static void align(struct state *st)
{
	size_t end;

	for (size_t begin = 0; begin < st->count; begin = end) {
		for (end = begin; end < st->count && st->order[end]->layer == st->order[begin]->layer;)
			end++;
		align_layer(st, begin, end);
	}
}

/* --- sums ---------------------------------------------------------------- */

static int compare_named(const void *a, const void *b)
{
	const struct kernel *x = *(struct kernel *const *)a;
	const struct kernel *y = *(struct kernel *const *)b;
	int order = (x->row > y->row) - (x->row < y->row);

	if (order == 0)
		order = x->side - y->side;
	if (order == 0)
		order = (x->name > y->name) - (x->name < y->name);
	return order;
}

/* count kernels of a row are named so. */
static void note_name(struct row *row, int side, struct str name, uint64_t count, uint64_t *most)
{
	struct str *best = &row->kernel[side];

	if (count > *most || (count == *most && str_compare(name, *best) < 0)) {
		*best = name;
		*most = count;
	}
}

/* JSON has all of the tables. */
static bool wants_same(const struct state *st)
{
	return st->by_same || st->pair.form == FORM_JSON;
}

static void add_sum(struct group *sum, const struct group *part)
{
	if (!group_merge(sum, part))
		die("dur: the sum is too large");
}

static void add_named(struct state *st, const struct kernel *kernel, const struct group *sum)
{
	struct named *named;

	st->named = mem_grow(st->named, &st->named_cap, st->named_count + 1, sizeof *st->named);
	named = &st->named[st->named_count++];
	*named =
		(struct named){.row = kernel->row, .op = st->rows[kernel->row].op, .name = kernel->name};
	named->sum[kernel->side] = *sum;
}

static void sum_rows(struct state *st)
{
	uint64_t most = 0;
	size_t end;

	if (st->count)
		qsort(st->order, st->count, sizeof(struct kernel *), compare_named);
	for (size_t i = 0; i < st->count; i = end) {
		const struct kernel *first = st->order[i];
		struct row *row = &st->rows[first->row];
		struct group sum = {0};

		for (end = i; end < st->count && compare_named(&st->order[end], &st->order[i]) == 0; end++)
			if (!group_add(&sum, st->order[end]->dur, 1))
				die("dur: the sum is too large");
		if (row->sum[first->side].count == 0)
			most = 0;
		note_name(row, first->side, strmap_key(&st->names, first->name), end - i, &most);
		add_sum(&row->sum[first->side], &sum);
		if (wants_same(st))
			add_named(st, first, &sum);
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a;
	const struct row *y = b;
	int order = (x->layer > y->layer) - (x->layer < y->layer);

	if (order == 0)
		order = (x->position > y->position) - (x->position < y->position);
	return order ? order : str_compare(x->operation, y->operation);
}

/* In their order, and without those that became another. */
static void sort_rows(struct state *st)
{
	size_t count = 0;

	for (size_t i = 0; i < st->rows_count; i++) {
		struct row row = st->rows[i];

		row.operation = strmap_key(&st->ops, row.op);
		if (row.sum[0].count || row.sum[1].count)
			st->rows[count++] = row;
	}
	st->rows_count = count;
	if (count)
		qsort(st->rows, count, sizeof *st->rows, compare_rows);
}

static bool is_aligned(const struct row *row)
{
	return row->sum[0].count && row->sum[1].count;
}

static void sum_layers(struct state *st)
{
	size_t r = 0;

	for (size_t i = 0; i < st->layers_count; i++) {
		struct layer *layer = &st->layers[i];

		layer->first_row = r;
		for (; r < st->rows_count && st->rows[r].layer == layer->number; r++) {
			for (int s = 0; s < PAIR_SIDES; s++)
				if (!group_merge(&layer->sum[s], &st->rows[r].sum[s]) ||
				    (is_aligned(&st->rows[r]) &&
				     !group_merge(&layer->aligned[s], &st->rows[r].sum[s])))
					die("dur: the sum is too large");
		}
		layer->rows = r - layer->first_row;
	}
}

static bool is_same(const struct row *row)
{
	return is_aligned(row) && str_equal(row->kernel[0], row->kernel[1]);
}

static int compare_named_rows(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;
	int order = (x->row > y->row) - (x->row < y->row);

	return order ? order : (x->name > y->name) - (x->name < y->name);
}

/* A class and a name of it: equal ones of several rows are one of the kernels named alike. */
static int compare_kinds(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;
	int order = (x->op > y->op) - (x->op < y->op);

	return order ? order : (x->name > y->name) - (x->name < y->name);
}

static int compare_same(const void *a, const void *b)
{
	const struct same *x = a;
	const struct same *y = b;
	int order = pair_compare_gaps(x->gap, y->gap);

	if (order == 0)
		order = str_compare(x->operation, y->operation);
	return order ? order : str_compare(x->name, y->name);
}

static void add_same(struct same *same, const struct named *named)
{
	int order = group_compare_means(&named->sum[0], &named->sum[1]);

	same->pairs++;
	same->faster[0] += order < 0;
	same->faster[1] += order > 0;
	for (int s = 0; s < PAIR_SIDES; s++)
		add_sum(&same->sum[s], &named->sum[s]);
	same->gap = pair_gap(same->sum[0].total, same->sum[1].total);
}

/* The names that both sides have in a row, the rest of them left out. */
static void join_named(struct state *st)
{
	struct named *named = st->named;
	size_t count = 0;

	if (st->named_count)
		qsort(named, st->named_count, sizeof *named, compare_named_rows);
	for (size_t i = 1; i < st->named_count; i++) {
		if (compare_named_rows(&named[i - 1], &named[i]) != 0)
			continue;
		/* Of one side each: no name comes twice in a row of one side. */
		named[count] = named[i - 1];
		for (int s = 0; s < PAIR_SIDES; s++)
			add_sum(&named[count].sum[s], &named[i].sum[s]);
		count++;
	}
	st->named_count = count;
}

static void find_same(struct state *st)
{
	join_named(st);
	if (st->named_count)
		qsort(st->named, st->named_count, sizeof *st->named, compare_kinds);
	st->same = mem_zero(st->named_count + 1, sizeof *st->same);
	for (size_t i = 0; i < st->named_count; i++) {
		const struct named *named = &st->named[i];
		struct same *same;

		st->same_count += i == 0 || compare_kinds(named - 1, named) != 0;
		same = &st->same[st->same_count - 1];
		same->operation = strmap_key(&st->ops, named->op);
		same->name = strmap_key(&st->names, named->name);
		add_same(same, named);
	}
	if (st->same_count)
		qsort(st->same, st->same_count, sizeof *st->same, compare_same);
}

/* --- what a row says of itself --------------------------------------------- */

/* Of each class that a layer has, its kernels on each side. */
static void count_classes(struct state *st, const struct layer *layer)
{
	const struct row *rows = st->rows + layer->first_row;

	for (size_t i = 0; i < layer->rows; i++)
		st->classes[rows[i].op] = (struct class_count){{0}};
	for (size_t i = 0; i < layer->rows; i++)
		for (int s = 0; s < PAIR_SIDES; s++)
			st->classes[rows[i].op].kernels[s] += rows[i].sum[s].count;
}

/* A row that one side has alone. */
static void note_alone(const struct state *st, const struct layer *layer, const struct row *row,
                       struct buf *note)
{
	const uint64_t *kernels = st->classes[row->op].kernels;
	int has = row->sum[0].count == 0;

	if (layer->runs[1 - has] == 0)
		return; /* it has no such layer, which says it once */
	if (kernels[1 - has]) {
		/* In a layer of one pass: the traces may have more and fewer of them. */
		if (st->by_order && (__int128)kernels[has] * layer->runs[1 - has] >
		                        (__int128)kernels[1 - has] * layer->runs[has])
			buf_format(note, "one more in trace%d", has + 1);
		else
			buf_format(note, "elsewhere in trace%d", 2 - has);
	} else if (!kclass_is_everywhere(row->operation)) {
		buf_format(note, "%s trace%d", str_has_byte(row->operation, '+') ? "fused by" : "only in",
		           has + 1);
	}
}

/* One side has it more than 1.5 times as often in a layer of one pass. */
static void note_more_often(const struct layer *layer, const struct row *row, struct buf *note)
{
	__int128 often[PAIR_SIDES];
	int more;

	for (int s = 0; s < PAIR_SIDES; s++)
		often[s] = (__int128)row->sum[s].count * (__int128)layer->runs[1 - s];
	more = often[1] > often[0];
	if (2 * often[more] <= 3 * often[1 - more])
		return;
	buf_format(note, "trace%d runs it ", more + 1);
	dec_quotient_digits(note, (struct dec){often[more]}, (struct dec){often[1 - more]}, 0, 3);
	buf_text(note, " times as often");
}

static void put_note(const struct state *st, const struct layer *layer, const struct row *row,
                     struct buf *note)
{
	if (layer->number == LAYER_OUTSIDE)
		return; /* there is no telling what ran how often there */
	if (is_aligned(row))
		note_more_often(layer, row, note);
	else
		note_alone(st, layer, row, note);
}

/* --- tables -------------------------------------------------------------- */

static const struct table_column row_columns[] = {
	{"layer", true},    {"position", true}, {"operation", false}, {"operation_detail", false},
	{"kernel1", false}, {"kernel2", false}, {"avg1_us", true},    {"avg2_us", true},
	{"count1", true},   {"count2", true},   {"total1_us", true},  {"total2_us", true},
	{"ratio", true},    {"gap_us", true},   {"same", false},      {"note", false},
};

static const struct table_column layer_columns[] = {
	{"layer", true},       {"count1", true},    {"count2", true},
	{"total1_us", true},   {"total2_us", true}, {"aligned1_us", true},
	{"aligned2_us", true}, {"ratio", true},     {"gap_us", true},
};

static const struct table_column same_columns[] = {
	{"operation", false}, {"kernel", false}, {"pairs", true},   {"count1", true},
	{"count2", true},     {"avg1_us", true}, {"avg2_us", true}, {"ratio", true},
	{"gap_us", true},     {"faster1", true}, {"faster2", true},
};

static void put_layer(struct sheet *sheet, int32_t layer)
{
	if (layer != LAYER_OUTSIDE)
		buf_format(&sheet->cell, "%d", layer);
	sheet_cell(sheet);
}

static void put_us(struct sheet *sheet, struct dec us)
{
	pair_us(&sheet->cell, us, sheet->people);
	sheet_cell(sheet);
}

static void put_averages(struct sheet *sheet, const struct group *sum)
{
	for (int s = 0; s < PAIR_SIDES; s++) {
		pair_average(&sheet->cell, &sum[s], sheet->people);
		sheet_cell(sheet);
	}
}

static void put_counts(struct sheet *sheet, const struct group *sum)
{
	for (int s = 0; s < PAIR_SIDES; s++)
		sheet_count(sheet, sum[s].count);
}

/* The ratio, and the gap of the totals. */
static void put_gap(struct sheet *sheet, const struct group *sum, bool averages)
{
	pair_ratio(&sheet->cell, &sum[0], &sum[1], averages, sheet->people);
	sheet_cell(sheet);
	put_us(sheet, pair_gap(sum[0].total, sum[1].total));
}

static void write_row(const struct state *st, struct sheet *sheet, const struct layer *layer,
                      const struct row *row)
{
	struct str detail = detail_of(row->operation, row->kernel[0]);

	put_layer(sheet, row->layer);
	sheet_count(sheet, row->position);
	sheet_text(sheet, row->operation);
	sheet_text(sheet, detail.n ? detail : detail_of(row->operation, row->kernel[1]));
	for (int s = 0; s < PAIR_SIDES; s++)
		sheet_name(sheet, row->kernel[s]);
	put_averages(sheet, row->sum);
	put_counts(sheet, row->sum);
	for (int s = 0; s < PAIR_SIDES; s++)
		put_us(sheet, row->sum[s].total);
	put_gap(sheet, row->sum, true);
	sheet_text(sheet, is_same(row) ? STR("yes") : STR("no"));
	put_note(st, layer, row, &sheet->cell);
	sheet_cell(sheet);
	sheet_row_end(sheet);
}

static void write_rows(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Kernels", row_columns, sizeof row_columns / sizeof *row_columns,
	           0);
	st->classes = mem_zero(st->ops.count + 1, sizeof *st->classes);
	for (size_t i = 0; i < st->layers_count; i++) {
		const struct layer *layer = &st->layers[i];

		count_classes(st, layer);
		for (size_t j = 0; j < layer->rows; j++)
			write_row(st, &sheet, layer, &st->rows[layer->first_row + j]);
	}
	free(st->classes);
	sheet_end(&sheet);
}

static void write_layers(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Layers", layer_columns,
	           sizeof layer_columns / sizeof *layer_columns, 0);
	for (size_t i = 0; i < st->layers_count; i++) {
		const struct layer *layer = &st->layers[i];

		put_layer(&sheet, layer->number);
		put_counts(&sheet, layer->sum);
		for (int s = 0; s < PAIR_SIDES; s++)
			put_us(&sheet, layer->sum[s].total);
		for (int s = 0; s < PAIR_SIDES; s++)
			put_us(&sheet, layer->aligned[s].total);
		put_gap(&sheet, layer->sum, false);
		sheet_row_end(&sheet);
	}
	sheet_end(&sheet);
}

static void write_same(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Same kernels", same_columns,
	           sizeof same_columns / sizeof *same_columns, 0);
	for (size_t i = 0; i < st->same_count; i++) {
		const struct same *same = &st->same[i];

		sheet_text(&sheet, same->operation);
		sheet_name(&sheet, same->name);
		sheet_count(&sheet, same->pairs);
		put_counts(&sheet, same->sum);
		put_averages(&sheet, same->sum);
		put_gap(&sheet, same->sum, true);
		for (int s = 0; s < PAIR_SIDES; s++)
			sheet_count(&sheet, same->faster[s]);
		sheet_row_end(&sheet);
	}
	sheet_end(&sheet);
}

/* --- the end ------------------------------------------------------------- */

enum { FACTS = 5 };

static void set_facts(const struct trace *trace, struct pair_fact facts[FACTS])
{
	/* Without steps all of it is one forward pass. */
	bool one = trace->steps.count == 0 && trace->count;

	facts[0] = (struct pair_fact){"forward_passes", one ? 1 : trace->steps.count};
	facts[1] = (struct pair_fact){"model_layers", (uint64_t)trace->layers};
	facts[2] = (struct pair_fact){"prefill_steps", trace->phases[0]};
	facts[3] = (struct pair_fact){"decode_steps", trace->phases[1]};
	facts[4] = (struct pair_fact){"mixed_steps", trace->phases[2]};
}

/* A stream is of one table. */
static void write_tables(struct state *st, const struct pair_fact *facts[PAIR_SIDES])
{
	bool one = st->pair.form == FORM_TSV;

	pair_begin(&st->pair, "Two traces, kernel by kernel", facts, FACTS);
	if (!one || st->by_layer)
		write_layers(st);
	if (!one || (!st->by_layer && !st->by_same))
		write_rows(st);
	if (wants_same(st))
		write_same(st);
	pair_end(&st->pair);
}

static void finish(struct state *st)
{
	struct pair_fact of_side[PAIR_SIDES][FACTS];
	const struct pair_fact *facts[PAIR_SIDES] = {of_side[0], of_side[1]};

	pair_check(&st->pair);
	sort_kernels(st);
	align(st);
	sum_rows(st);
	sort_rows(st);
	sum_layers(st);
	find_same(st);
	for (int s = 0; s < PAIR_SIDES; s++)
		set_facts(&st->trace[s], of_side[s]);
	write_tables(st, facts);
}

static bool by_order(const struct opts *o)
{
	if (strcmp(o->arg, "order") != 0 && strcmp(o->arg, "position") != 0)
		opts_fail("%s: '%s' is neither position nor order", o->flag, o->arg);
	return strcmp(o->arg, "order") == 0;
}

int main(int argc, char **argv)
{
	struct state st = {.by_order = false};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		if (letter == PHASE_OPT)
			st.pair.phase = pair_phase(st.opts.arg);
		else if (letter == BY)
			st.by_order = by_order(&st.opts);
		else if (letter == 'L')
			st.by_layer = true;
		else if (letter == 'S')
			st.by_same = true;
		else
			opts_form(letter, &st.pair.form);
	}
	if (st.pair.form == FORM_TSV && st.by_layer && st.by_same)
		opts_fail("-L and -S are two tables: one at a time, or in a report (-r, -M)");

	if (!kclass_load(&st.kclass, NULL))
		die("%s", st.kclass.error);
	pair_open(&st.pair, &st.opts);
	for (int s = 0; s < PAIR_SIDES; s++)
		read_side(&st, s);
	finish(&st);
	return pair_finish(&st.pair);
}
