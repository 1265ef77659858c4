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

#include "answer/sheet.h"
#include "base/mem.h"
#include "compare/align.h"
#include "compare/pair.h"
#include "kernel/kclass.h"

struct trace {
	struct strmap passes; /* a step on one device */
	struct strmap steps;
	size_t phases[3]; /* steps, by phase */
	uint64_t no_ts;
	int ts;     /* columns */
	int key[3]; /* step, pid, and file where there is one */
	size_t keys;
	int type;
	int cat;
	int cpu_op;
};

/* What the kernels of a row sum up to. */
struct row {
	const struct align_row *at;
	struct group sum[PAIR_SIDES];
	struct str kernel[PAIR_SIDES]; /* the commonest */
};

/* What a layer sums up to. */
struct layer {
	const struct align_layer *at;
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
	struct align align;
	struct kclass kclass; /* the default rules, which know an attention from a part of one */
	bool by_layer;        /* -L */
	bool by_same;         /* -S */
	struct strmap ops;
	struct strmap names;
	struct row *rows;            /* as align.rows */
	struct layer *layers;        /* as align.layers */
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

static bool begins_layer(struct state *st, int s)
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

	return kclass_begins_layer(&st->kclass, &kernel);
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
	struct str key = kev_key(in, trace->key, trace->keys, &st->key, &st->pair.scratch);

	return (uint32_t)strmap_add(&trace->passes, key, NULL);
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
	struct align_kernel kernel = {.dur = dur, .step = side->in.field[trace->key[0]].n > 0};
	struct str detail;
	struct str name;

	kernel.timed = kev_number(&side->in, trace->ts, &kernel.ts);
	if (!kernel.timed) {
		trace->no_ts++;
		if (st->opts.strict && !side->in.error[0])
			kev_error(&side->in, "ts: a kernel without one");
	}
	kernel.op = strmap_add(&st->ops, kev_text(&side->in, side->op, &st->pair.scratch), NULL);
	name = kev_text(&side->in, side->name, &st->pair.scratch);
	kernel.name = strmap_add(&st->names, name, NULL);
	detail = detail_of(strmap_key(&st->ops, kernel.op), name);
	kernel.alike = detail.n ? strmap_add(&st->names, detail, NULL) : kernel.name;
	kernel.attention = begins_layer(st, s);
	kernel.pass = add_pass(st, s);
	if (kernel.step)
		add_step(st, s);
	align_add(&st->align, s, &kernel);
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
	if (st->align.side[s].count && trace->steps.count == 0)
		warn("%s: no kernel has a step: all are taken for one forward pass", file);
}

/* --- sums ---------------------------------------------------------------- */

static int compare_named(const void *a, const void *b)
{
	const struct align_kernel *x = *(struct align_kernel *const *)a;
	const struct align_kernel *y = *(struct align_kernel *const *)b;
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

static void add_named(struct state *st, const struct align_kernel *kernel, const struct group *sum)
{
	struct named *named;

	st->named = mem_grow(st->named, &st->named_cap, st->named_count + 1, sizeof *st->named);
	named = &st->named[st->named_count++];
	*named = (struct named){.row = kernel->row, .op = kernel->op, .name = kernel->name};
	named->sum[kernel->side] = *sum;
}

static void sum_rows(struct state *st)
{
	struct align_kernel **order = st->align.order;
	size_t count = st->align.count;
	uint64_t most = 0;
	size_t end;

	st->rows = mem_zero(st->align.rows_count + 1, sizeof *st->rows);
	for (size_t i = 0; i < st->align.rows_count; i++)
		st->rows[i].at = &st->align.rows[i];
	if (count)
		qsort(order, count, sizeof(struct align_kernel *), compare_named);
	for (size_t i = 0; i < count; i = end) {
		const struct align_kernel *first = order[i];
		struct row *row = &st->rows[first->row];
		struct group sum = {0};

		for (end = i; end < count && compare_named(&order[end], &order[i]) == 0; end++)
			if (!group_add(&sum, order[end]->dur, 1))
				die("dur: the sum is too large");
		if (row->sum[first->side].count == 0)
			most = 0;
		note_name(row, first->side, strmap_key(&st->names, first->name), end - i, &most);
		add_sum(&row->sum[first->side], &sum);
		if (wants_same(st))
			add_named(st, first, &sum);
	}
}

static bool is_aligned(const struct row *row)
{
	return row->sum[0].count && row->sum[1].count;
}

static void sum_layers(struct state *st)
{
	st->layers = mem_zero(st->align.layers_count + 1, sizeof *st->layers);
	for (size_t i = 0; i < st->align.layers_count; i++) {
		const struct align_layer *at = &st->align.layers[i];
		struct layer *layer = &st->layers[i];

		layer->at = at;
		for (size_t r = at->first_row; r < at->first_row + at->rows; r++) {
			for (int s = 0; s < PAIR_SIDES; s++) {
				add_sum(&layer->sum[s], &st->rows[r].sum[s]);
				if (is_aligned(&st->rows[r]))
					add_sum(&layer->aligned[s], &st->rows[r].sum[s]);
			}
		}
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
	const struct row *rows = st->rows + layer->at->first_row;

	for (size_t i = 0; i < layer->at->rows; i++)
		st->classes[rows[i].at->op] = (struct class_count){{0}};
	for (size_t i = 0; i < layer->at->rows; i++)
		for (int s = 0; s < PAIR_SIDES; s++)
			st->classes[rows[i].at->op].kernels[s] += rows[i].sum[s].count;
}

/* A row that one side has alone. */
static void note_alone(const struct state *st, const struct layer *layer, const struct row *row,
                       struct buf *note)
{
	const uint64_t *kernels = st->classes[row->at->op].kernels;
	const uint64_t *runs = layer->at->runs;
	int has = row->sum[0].count == 0;

	if (runs[1 - has] == 0)
		return; /* it has no such layer, which says it once */
	if (kernels[1 - has]) {
		/* In a layer of one pass: the traces may have more and fewer of them. */
		if (st->align.by_order &&
		    (__int128)kernels[has] * runs[1 - has] > (__int128)kernels[1 - has] * runs[has])
			buf_format(note, "one more in trace%d", has + 1);
		else
			buf_format(note, "elsewhere in trace%d", 2 - has);
	} else if (!kclass_is_everywhere(row->at->operation)) {
		buf_format(note, "%s trace%d",
		           str_has_byte(row->at->operation, '+') ? "fused by" : "only in", has + 1);
	}
}

/* One side has it more than 1.5 times as often in a layer of one pass. */
static void note_more_often(const struct layer *layer, const struct row *row, struct buf *note)
{
	__int128 often[PAIR_SIDES];
	int more;

	for (int s = 0; s < PAIR_SIDES; s++)
		often[s] = (__int128)row->sum[s].count * (__int128)layer->at->runs[1 - s];
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
	if (layer->at->number == ALIGN_OUTSIDE)
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
	if (layer != ALIGN_OUTSIDE)
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
	const struct align_row *at = row->at;
	struct str detail = detail_of(at->operation, row->kernel[0]);

	put_layer(sheet, at->layer);
	sheet_count(sheet, at->position);
	sheet_text(sheet, at->operation);
	sheet_text(sheet, detail.n ? detail : detail_of(at->operation, row->kernel[1]));
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
	for (size_t i = 0; i < st->align.layers_count; i++) {
		const struct layer *layer = &st->layers[i];

		count_classes(st, layer);
		for (size_t j = 0; j < layer->at->rows; j++)
			write_row(st, &sheet, layer, &st->rows[layer->at->first_row + j]);
	}
	free(st->classes);
	sheet_end(&sheet);
}

static void write_layers(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Layers", layer_columns,
	           sizeof layer_columns / sizeof *layer_columns, 0);
	for (size_t i = 0; i < st->align.layers_count; i++) {
		const struct layer *layer = &st->layers[i];

		put_layer(&sheet, layer->at->number);
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

static void set_facts(const struct state *st, int s, struct pair_fact facts[FACTS])
{
	const struct trace *trace = &st->trace[s];
	const struct align_side *side = &st->align.side[s];
	/* Without steps all of it is one forward pass. */
	bool one = trace->steps.count == 0 && side->count;

	facts[0] = (struct pair_fact){"forward_passes", one ? 1 : trace->steps.count};
	facts[1] = (struct pair_fact){"model_layers", (uint64_t)side->layers};
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
	align_find(&st->align, &st->ops);
	sum_rows(st);
	sum_layers(st);
	find_same(st);
	for (int s = 0; s < PAIR_SIDES; s++)
		set_facts(st, s, of_side[s]);
	write_tables(st, facts);
}

int main(int argc, char **argv)
{
	struct state st = {.by_layer = false};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		if (letter == PHASE_OPT)
			st.pair.phase = pair_phase(st.opts.arg);
		else if (letter == BY)
			st.align.by_order = opts_second(&st.opts, "position", "order");
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
