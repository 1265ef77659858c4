/*
 * tracediff - compares two traces, class by class of operation, or layer by layer.
 *
 *	tracediff a.kev b.kev
 * of two streams through kcontext and kclass gives
 *	#operation	trace1_count	trace2_count	trace1_total_ms	trace2_total_ms	...
 *	Dense GEMM	240	241	17.2	13.4	...
 *
 * Memory grows with the distinct kernels, operators and layers; with --stacks=0
 * with the distinct Python stacks.
 */
#include <stdlib.h>

#include "answer/sheet.h"
#include "base/mem.h"
#include "compare/pair.h"

/* One side of an operation. */
struct part {
	struct group sum;
	struct groups patterns;
	struct groups cpu_ops;
	struct groups kernels; /* by name */
	struct strmap stacks;
};

struct operation {
	struct str name; /* good until the next one is added */
	struct part part[PAIR_SIDES];
	struct strmap phases;
	struct dec gap; /* in us */
};

struct layer {
	struct dec number;
	struct group part[PAIR_SIDES];
};

/* Columns of a side, KEV_NONE where it has none; and how many layers it has. */
struct found {
	int pattern;
	int layer;
	int cpu_op;
	int stack;
	uint64_t layers;
};

struct state {
	struct opts opts;
	struct pair pair;
	struct found found[PAIR_SIDES];
	bool by_layer;           /* -L */
	bool by_kernel;          /* -K */
	size_t stacks;           /* --stacks; 0: all */
	struct dec op_threshold; /* in ms */
	struct dec layer_threshold;
	struct dec layer_ratio;
	struct dec fail_over; /* in ms */
	bool fails;           /* --fail-over was given */
	struct strmap operations;
	struct operation *operation; /* by number in operations */
	size_t operations_cap;
	size_t operations_shown; /* behind compare */
	struct strmap layers;    /* by number, as text */
	struct layer *layer;
	size_t layers_cap;
	struct buf key;
};

enum { PHASE_OPT = OPT_LONG, STACKS, OP_THRESHOLD, LAYER_THRESHOLD, LAYER_RATIO, FAIL_OVER };

static const struct opt opts[] = {
	{PHASE_OPT, "phase", "PHASE", "the kernels of this phase alone: prefill, decode, mixed (all)"},
	{'L', "layers", NULL, "compare layers"},
	{'K', "kernels", NULL, "compare the kernels within each class"},
	{STACKS, "stacks", "N", "the first N Python stacks of each class and side, 0 for all (3)"},
	{OP_THRESHOLD, "op-threshold", "MS", "an operation is slower over this gap, in ms (5)"},
	{LAYER_THRESHOLD, "layer-threshold", "MS", "the same of a layer (0.1)"},
	{LAYER_RATIO, "layer-ratio", "R", "and it must be so many times slower (1.2)"},
	{FAIL_OVER, "fail-over", "MS", "exit with 3 where A takes over MS ms longer than B"},
	{'r', "report", NULL, "a report for people"},
	{'j', "json", NULL, "JSON"},
	{'M', "markdown", NULL, "Markdown tables"},
};

static const struct opt_usage usage = {
	"[--phase=PHASE] [-L | -K] [--stacks=N] [--op-threshold=MS] [--layer-threshold=MS] "
	"[--layer-ratio=R] [--fail-over=MS] [-r | -j | -M] A B",
	"Compares two traces, class by class of operation.", opts, sizeof opts / sizeof *opts};

/* --- reading ------------------------------------------------------------- */

static bool columns(struct state *st, int s)
{
	struct kev_reader *in = &st->pair.side[s].in;
	struct found *found = &st->found[s];

	found->layer = kev_column(in, STR("layer"));
	found->cpu_op = kev_column(in, STR("cpu_op"));
	found->stack = kev_column(in, STR("python_stack"));
	if (st->by_layer && !kev_need(in, STR("layer"), &found->layer))
		return false;
	return kev_need(in, STR("pattern"), &found->pattern);
}

static struct operation *operation_of(struct state *st, struct str name)
{
	bool new;
	size_t number = strmap_add(&st->operations, name, &new);

	st->operation = mem_grow(st->operation, &st->operations_cap, number + 1, sizeof *st->operation);
	if (new)
		st->operation[number] = (struct operation){.name = {NULL, 0}};
	return &st->operation[number];
}

/* The group of the text in a column, which is there. */
static bool add_text(struct pair *pair, int s, struct groups *groups, int column, struct dec dur)
{
	struct str text = kev_text(&pair->side[s].in, column, &pair->scratch);

	return text.n == 0 || group_add(groups_get(groups, text), dur, 1);
}

static bool add_layer(struct state *st, int s, struct dec dur)
{
	struct layer *layer;
	struct dec number;
	size_t i;
	bool new;

	if (!kev_number(&st->pair.side[s].in, st->found[s].layer, &number))
		return true; /* none, or an error */
	st->key.len = 0;
	dec_print(&st->key, number);
	i = strmap_add(&st->layers, buf_view(&st->key), &new);
	st->layer = mem_grow(st->layer, &st->layers_cap, i + 1, sizeof *st->layer);
	layer = &st->layer[i];
	if (new)
		*layer = (struct layer){.number = number};
	st->found[s].layers += layer->part[s].count == 0;
	return group_add(&layer->part[s], dur, 1);
}

/* A kernel that counts. */
static void add(struct state *st, int s, struct dec dur)
{
	struct pair *pair = &st->pair;
	struct pair_side *side = &pair->side[s];
	const struct found *found = &st->found[s];
	struct kev_reader *in = &side->in;
	struct operation *op = operation_of(st, kev_text(in, side->op, &pair->scratch));
	struct part *part = &op->part[s];
	struct str text;

	if (!group_add(&part->sum, dur, 1) || !add_text(pair, s, &part->kernels, side->name, dur) ||
	    !add_text(pair, s, &part->patterns, found->pattern, dur) ||
	    !add_text(pair, s, &part->cpu_ops, found->cpu_op, dur) || !add_layer(st, s, dur))
		kev_error(in, "dur: the sum is too large");
	text = kev_text(in, side->phase, &pair->scratch);
	if (text.n)
		strmap_add(&op->phases, text, NULL);
	text = kev_text(in, found->stack, &pair->scratch);
	if (text.n && (st->stacks == 0 || part->stacks.count < st->stacks))
		strmap_add(&part->stacks, text, NULL);
}

static void read_side(struct state *st, int s)
{
	struct dec dur;
	enum pair_item item;

	while ((item = pair_next(&st->pair, s, &dur)) != PAIR_END) {
		if (item == PAIR_COLUMNS)
			columns(st, s);
		else
			add(st, s, dur);
	}
}

/* --- comparing ----------------------------------------------------------- */

/*
 * A side that fuses its norms into products has none on their own: where the
 * other has none but these, they face each other. Each kernel stays in one row.
 */
static void face_norms(struct state *st)
{
	size_t fused = strmap_find(&st->operations, STR("RMSNorm+GEMM"));
	size_t plain = strmap_find(&st->operations, STR("RMSNorm"));

	if (fused == STRMAP_NONE || plain == STRMAP_NONE)
		return;
	for (size_t a = 0; a < PAIR_SIDES; a++) {
		struct operation *f = &st->operation[fused];
		struct operation *p = &st->operation[plain];
		size_t b = 1 - a;
		struct part none;

		if (!f->part[a].sum.count || f->part[b].sum.count || !p->part[b].sum.count ||
		    p->part[a].sum.count)
			continue;
		none = f->part[b];
		f->part[b] = p->part[b];
		p->part[b] = none;
		for (size_t i = 0; i < p->phases.count; i++)
			strmap_add(&f->phases, strmap_key(&p->phases, i), NULL);
		return;
	}
}

static int compare_operations(const void *a, const void *b)
{
	const struct operation *x = a;
	const struct operation *y = b;
	int order = pair_compare_gaps(x->gap, y->gap);

	return order ? order : str_compare(x->name, y->name);
}

/* Leaves the operations that have kernels, in their order; their numbers mean nothing then. */
static void compare(struct state *st)
{
	face_norms(st);
	for (size_t i = 0; i < st->operations.count; i++) {
		struct operation op = st->operation[i];

		op.name = strmap_key(&st->operations, i);
		op.gap = pair_gap(op.part[0].sum.total, op.part[1].sum.total);
		if (op.part[0].sum.count || op.part[1].sum.count)
			st->operation[st->operations_shown++] = op;
	}
	if (st->operations_shown)
		qsort(st->operation, st->operations_shown, sizeof *st->operation, compare_operations);
}

static int compare_layers(const void *a, const void *b)
{
	const struct layer *x = a;
	const struct layer *y = b;
	bool x_alone = pair_one_sided(&x->part[0], &x->part[1]);
	bool y_alone = pair_one_sided(&y->part[0], &y->part[1]);
	int order = x_alone - y_alone;

	if (order == 0)
		order = pair_compare_gaps(pair_gap(x->part[0].total, x->part[1].total),
		                          pair_gap(y->part[0].total, y->part[1].total));
	return order ? order : dec_compare(x->number, y->number);
}

/* Whether x us are more than limit ms; a limit past the range is never reached. */
static bool over_ms(struct dec x, struct dec limit)
{
	__int128 us;

	return !__builtin_mul_overflow(limit.nano, (__int128)1000, &us) && x.nano > us;
}

/* Whether a is more than r times b. */
static bool over_ratio(struct dec a, struct dec b, struct dec r)
{
	__int128 left;
	__int128 right;

	if (__builtin_mul_overflow(a.nano, (__int128)1000000000, &left) ||
	    __builtin_mul_overflow(b.nano, r.nano, &right))
		die("dur: the sum is too large");
	return left > right;
}

static const char *status_of(const struct group *a, const struct group *b, struct dec threshold,
                             const struct dec *ratio)
{
	struct dec gap = pair_gap(a->total, b->total);
	struct dec back = pair_gap(b->total, a->total);

	if (b->count == 0)
		return "trace1_only";
	if (a->count == 0)
		return "trace2_only";
	if (over_ms(gap, threshold) &&
	    (!ratio || (b->total.nano && over_ratio(a->total, b->total, *ratio))))
		return "slower";
	if (over_ms(back, threshold) && (!ratio || over_ratio(b->total, a->total, *ratio)))
		return "faster";
	return "similar";
}

/* --- figures ------------------------------------------------------------- */

static int compare_words(const void *a, const void *b)
{
	return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* The keys, sorted. The caller frees them. */
static struct str *sorted_keys(const struct strmap *map)
{
	struct str *keys = mem_alloc(map->count + 1, sizeof *keys);

	for (size_t i = 0; i < map->count; i++)
		keys[i] = strmap_key(map, i);
	qsort(keys, map->count, sizeof *keys, compare_words);
	return keys;
}

static void put_phases(struct buf *out, const struct operation *op)
{
	struct str *phases = sorted_keys(&op->phases);

	for (size_t i = 0; i < op->phases.count; i++) {
		buf_text(out, i ? "," : "");
		buf_str(out, phases[i]);
	}
	if (op->phases.count == 0)
		buf_text(out, "all");
	free(phases);
}

/* --- tables -------------------------------------------------------------- */

enum { COLUMNS_MAX = 16, NAME_MAX_SHOWN = 100 };

static const struct table_column operation_columns[] = {
	{"operation", false},      {"trace1_count", true},    {"trace2_count", true},
	{"trace1_total_ms", true}, {"trace2_total_ms", true}, {"trace1_avg_us", true},
	{"trace2_avg_us", true},   {"ratio", true},           {"avg_ratio", true},
	{"gap_ms", true},          {"status", false},         {"trace1_kernel", false},
	{"trace2_kernel", false},  {"trace1_cpu_op", false},  {"trace2_cpu_op", false},
	{"phases", false},
};

/* The averages, their ratio, the operators and the phases. */
enum { WIDE_COLUMNS = 1 << 5 | 1 << 6 | 1 << 8 | 1 << 13 | 1 << 14 | 1 << 15 };

static const struct table_column layer_columns[] = {
	{"layer", true},           {"trace1_kernels", true},  {"trace2_kernels", true},
	{"trace1_total_ms", true}, {"trace2_total_ms", true}, {"ratio", true},
	{"gap_ms", true},          {"status", false},
};

static const struct table_column kernel_columns[] = {
	{"operation", false},   {"kernel", false},         {"trace1_count", true},
	{"trace2_count", true}, {"trace1_total_ms", true}, {"trace2_total_ms", true},
};

static void put_total(struct sheet *sheet, struct dec us)
{
	pair_ms(&sheet->cell, us, sheet->people);
	sheet_cell(sheet);
}

static void put_operation(const struct state *st, struct sheet *sheet, const struct operation *op)
{
	const struct part *a = &op->part[0];
	const struct part *b = &op->part[1];

	sheet_text(sheet, op->name);
	sheet_count(sheet, a->sum.count);
	sheet_count(sheet, b->sum.count);
	put_total(sheet, a->sum.total);
	put_total(sheet, b->sum.total);
	pair_average(&sheet->cell, &a->sum, sheet->people);
	sheet_cell(sheet);
	pair_average(&sheet->cell, &b->sum, sheet->people);
	sheet_cell(sheet);
	pair_ratio(&sheet->cell, &a->sum, &b->sum, false, sheet->people);
	sheet_cell(sheet);
	pair_ratio(&sheet->cell, &a->sum, &b->sum, true, sheet->people);
	sheet_cell(sheet);
	put_total(sheet, op->gap);
	sheet_text(sheet, str_of(status_of(&a->sum, &b->sum, st->op_threshold, NULL)));
	sheet_text(sheet, groups_commonest(&a->patterns));
	sheet_text(sheet, groups_commonest(&b->patterns));
	sheet_text(sheet, groups_commonest(&a->cpu_ops));
	sheet_text(sheet, groups_commonest(&b->cpu_ops));
	put_phases(&sheet->cell, op);
	sheet_cell(sheet);
	sheet_row_end(sheet);
}

static void put_total_row(const struct state *st, struct sheet *sheet)
{
	struct operation total = {.name = STR("TOTAL")};

	for (int s = 0; s < PAIR_SIDES; s++)
		total.part[s].sum = st->pair.side[s].sum;
	total.gap = pair_gap(total.part[0].sum.total, total.part[1].sum.total);
	put_operation(st, sheet, &total);
}

static void write_operations(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Operations", operation_columns,
	           sizeof operation_columns / sizeof *operation_columns, WIDE_COLUMNS);
	for (size_t i = 0; i < st->operations_shown; i++)
		put_operation(st, &sheet, &st->operation[i]);
	if (sheet.people)
		put_total_row(st, &sheet);
	sheet_end(&sheet);
}

static void write_layers(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Layers", layer_columns,
	           sizeof layer_columns / sizeof *layer_columns, 0);
	for (size_t i = 0; i < st->layers.count; i++) {
		const struct layer *layer = &st->layer[i];
		const struct group *a = &layer->part[0];
		const struct group *b = &layer->part[1];

		dec_print(&sheet.cell, layer->number);
		sheet_cell(&sheet);
		sheet_count(&sheet, a->count);
		sheet_count(&sheet, b->count);
		put_total(&sheet, a->total);
		put_total(&sheet, b->total);
		if (b->total.nano == 0 && !pair_one_sided(a, b))
			buf_char(&sheet.cell, '1');
		else
			pair_ratio(&sheet.cell, a, b, false, sheet.people);
		sheet_cell(&sheet);
		put_total(&sheet, pair_gap(a->total, b->total));
		sheet_text(&sheet, str_of(status_of(a, b, st->layer_threshold, &st->layer_ratio)));
		sheet_row_end(&sheet);
	}
	sheet_end(&sheet);
}

/* The kernels of one class: of both sides, by name. */
struct kernel {
	struct str name;
	struct group part[PAIR_SIDES];
};

static struct dec larger(const struct kernel *k)
{
	return dec_compare(k->part[0].total, k->part[1].total) > 0 ? k->part[0].total
	                                                           : k->part[1].total;
}

static int compare_kernels(const void *a, const void *b)
{
	const struct kernel *x = a;
	const struct kernel *y = b;
	int order = dec_compare(larger(y), larger(x));

	return order ? order : str_compare(x->name, y->name);
}

/* Largest total first, of either side. The caller frees them. */
static struct kernel *kernels_of(const struct operation *op, size_t *count)
{
	const struct groups *a = &op->part[0].kernels;
	const struct groups *b = &op->part[1].kernels;
	struct kernel *kernels = mem_zero(a->keys.count + b->keys.count + 1, sizeof *kernels);

	*count = a->keys.count;
	for (size_t i = 0; i < a->keys.count; i++) {
		kernels[i].name = strmap_key(&a->keys, i);
		kernels[i].part[0] = a->group[i];
	}
	for (size_t i = 0; i < b->keys.count; i++) {
		size_t at = strmap_find(&a->keys, strmap_key(&b->keys, i));

		if (at == STRMAP_NONE)
			at = (*count)++;
		kernels[at].name = strmap_key(&b->keys, i);
		kernels[at].part[1] = b->group[i];
	}
	qsort(kernels, *count, sizeof *kernels, compare_kernels);
	return kernels;
}

static void write_kernels(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Kernels", kernel_columns,
	           sizeof kernel_columns / sizeof *kernel_columns, 0);
	for (size_t i = 0; i < st->operations_shown; i++) {
		size_t count;
		struct kernel *kernels = kernels_of(&st->operation[i], &count);

		for (size_t j = 0; j < count; j++) {
			sheet_text(&sheet, st->operation[i].name);
			sheet_name(&sheet, kernels[j].name);
			for (int s = 0; s < PAIR_SIDES; s++)
				sheet_count(&sheet, kernels[j].part[s].count);
			for (int s = 0; s < PAIR_SIDES; s++)
				put_total(&sheet, kernels[j].part[s].total);
			sheet_row_end(&sheet);
		}
		free(kernels);
	}
	sheet_end(&sheet);
}

/* --- heads --------------------------------------------------------------- */

static void write_stacks(struct state *st)
{
	struct output *out = &st->pair.out.out;
	bool any = false;

	for (size_t i = 0; i < st->operations_shown; i++) {
		for (int s = 0; s < PAIR_SIDES; s++) {
			const struct strmap *stacks = &st->operation[i].part[s].stacks;

			for (size_t j = 0; j < stacks->count; j++) {
				struct str stack = strmap_key(stacks, j);

				if (!any)
					output_text(out, st->pair.form == FORM_MARKDOWN ? "\n## Python stacks\n\n"
					                                                : "\nPython stacks\n\n");
				any = true;
				output_text(out, st->pair.form == FORM_MARKDOWN ? "- " : "");
				output_str(out, st->operation[i].name);
				output_format(out, ", trace%d: ", s + 1);
				output_str(out, stack);
				output_char(out, '\n');
			}
		}
	}
}

/* --- JSON ---------------------------------------------------------------- */

static void json_stacks(struct state *st, struct jsonw *w, int side, const struct strmap *stacks)
{
	jsonw_array(w, pair_key(&st->pair, side, "python_stacks"));
	for (size_t i = 0; i < stacks->count; i++) {
		struct str rest = strmap_key(stacks, i);

		jsonw_array(w, NULL);
		while (rest.n) {
			const char *end = memchr(rest.s, ';', rest.n);
			size_t n = end ? (size_t)(end - rest.s) : rest.n;

			jsonw_text(w, NULL, (struct str){rest.s, n});
			rest.s += n + (end != NULL);
			rest.n -= n + (end != NULL);
		}
		jsonw_end_array(w);
	}
	jsonw_end_array(w);
}

static void json_kernels(struct state *st, struct jsonw *w, int side, const struct operation *op)
{
	size_t count;
	struct operation alone = {.part = {[0] = op->part[side]}};
	struct kernel *kernels = kernels_of(&alone, &count);
	struct buf text = {0};

	jsonw_array(w, pair_key(&st->pair, side, "kernels"));
	for (size_t i = 0; i < count; i++) {
		jsonw_object(w, NULL);
		jsonw_text(w, "name", kernels[i].name);
		dec_print(&text, kernels[i].part[0].total);
		jsonw_figure(w, "total_us", buf_view(&text));
		text.len = 0;
		jsonw_count(w, "count", kernels[i].part[0].count);
		pair_average(&text, &kernels[i].part[0], false);
		jsonw_figure(w, "avg_us", buf_view(&text));
		text.len = 0;
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	free(kernels);
	buf_free(&text);
}

static void json_operation(struct state *st, struct jsonw *w, const struct operation *op)
{
	const struct group *a = &op->part[0].sum;
	const struct group *b = &op->part[1].sum;
	struct str *phases = sorted_keys(&op->phases);
	struct buf text = {0};

	jsonw_object(w, NULL);
	jsonw_text(w, "operation", op->name);
	for (int s = 0; s < PAIR_SIDES; s++)
		jsonw_count(w, pair_key(&st->pair, s, "count"), op->part[s].sum.count);
	for (int s = 0; s < PAIR_SIDES; s++) {
		pair_average(&text, &op->part[s].sum, false);
		jsonw_figure(w, pair_key(&st->pair, s, "avg_us"), buf_view(&text));
		text.len = 0;
	}
	for (int s = 0; s < PAIR_SIDES; s++) {
		pair_ms(&text, op->part[s].sum.total, false);
		jsonw_figure(w, pair_key(&st->pair, s, "total_ms"), buf_view(&text));
		text.len = 0;
	}
	pair_ratio(&text, a, b, false, false);
	jsonw_figure(w, "ratio", buf_view(&text));
	text.len = 0;
	pair_ratio(&text, a, b, true, false);
	jsonw_figure(w, "avg_ratio", buf_view(&text));
	text.len = 0;
	pair_ms(&text, op->gap, false);
	jsonw_figure(w, "gap_ms", buf_view(&text));
	text.len = 0;
	jsonw_text(w, "status", str_of(status_of(a, b, st->op_threshold, NULL)));
	for (int s = 0; s < PAIR_SIDES; s++)
		jsonw_known(w, pair_key(&st->pair, s, "kernel"), groups_commonest(&op->part[s].patterns));
	for (int s = 0; s < PAIR_SIDES; s++)
		jsonw_known(w, pair_key(&st->pair, s, "cpu_op"), groups_commonest(&op->part[s].cpu_ops));
	for (int s = 0; s < PAIR_SIDES; s++)
		json_stacks(st, w, s, &op->part[s].stacks);
	for (int s = 0; s < PAIR_SIDES; s++)
		json_kernels(st, w, s, op);
	jsonw_array(w, "phases");
	for (size_t i = 0; i < op->phases.count; i++)
		jsonw_text(w, NULL, phases[i]);
	if (op->phases.count == 0)
		jsonw_text(w, NULL, STR("all"));
	jsonw_end_array(w);
	jsonw_end_object(w);
	free(phases);
	buf_free(&text);
}

static void json_layer(struct state *st, struct jsonw *w, const struct layer *layer)
{
	const struct group *a = &layer->part[0];
	const struct group *b = &layer->part[1];
	struct buf text = {0};

	jsonw_object(w, NULL);
	dec_print(&text, layer->number);
	jsonw_figure(w, "layer", buf_view(&text));
	text.len = 0;
	for (int s = 0; s < PAIR_SIDES; s++)
		jsonw_count(w, pair_key(&st->pair, s, "kernels"), layer->part[s].count);
	for (int s = 0; s < PAIR_SIDES; s++) {
		pair_ms(&text, layer->part[s].total, false);
		jsonw_figure(w, pair_key(&st->pair, s, "total_ms"), buf_view(&text));
		text.len = 0;
	}
	if (b->total.nano == 0 && !pair_one_sided(a, b))
		buf_char(&text, '1');
	else
		pair_ratio(&text, a, b, false, false);
	jsonw_figure(w, "ratio", buf_view(&text));
	text.len = 0;
	pair_ms(&text, pair_gap(a->total, b->total), false);
	jsonw_figure(w, "gap_ms", buf_view(&text));
	text.len = 0;
	jsonw_text(w, "status", str_of(status_of(a, b, st->layer_threshold, &st->layer_ratio)));
	jsonw_raw(w, "in_both", pair_one_sided(a, b) ? STR("false") : STR("true"));
	jsonw_end_object(w);
	buf_free(&text);
}

static void write_json(struct state *st)
{
	struct jsonw *w = &st->pair.json;

	jsonw_array(w, "operations");
	for (size_t i = 0; i < st->operations_shown; i++) {
		json_operation(st, w, &st->operation[i]);
		output_drain(&st->pair.out.out);
	}
	jsonw_end_array(w);
	jsonw_array(w, "layers");
	for (size_t i = 0; i < st->layers.count; i++)
		json_layer(st, w, &st->layer[i]);
	jsonw_end_array(w);
}

/* --- the end ------------------------------------------------------------- */

static void write_tables(struct state *st)
{
	if (st->pair.form != FORM_TSV || (!st->by_layer && !st->by_kernel))
		write_operations(st);
	if (st->by_layer)
		write_layers(st);
	if (st->by_kernel)
		write_kernels(st);
	if (st->pair.form != FORM_TSV)
		write_stacks(st);
}

static void check_limit(struct state *st)
{
	struct dec gap = pair_gap(st->pair.side[0].sum.total, st->pair.side[1].sum.total);
	struct buf text = {0};

	if (over_ms(gap, st->fail_over)) {
		pair_ms(&text, gap, false);
		warn("trace1 takes %.*s ms longer than trace2", (int)text.len, text.data);
		st->pair.out.status = status_worse(st->pair.out.status, STATUS_LIMIT);
	}
	for (size_t i = 0; i < st->operations_shown; i++) {
		const struct operation *op = &st->operation[i];

		if (!over_ms(op->gap, st->fail_over))
			continue;
		text.len = 0;
		pair_ms(&text, op->gap, false);
		warn("%.*s takes %.*s ms longer in trace1", (int)op->name.n, op->name.s, (int)text.len,
		     text.data);
		st->pair.out.status = status_worse(st->pair.out.status, STATUS_LIMIT);
	}
	buf_free(&text);
}

static void check_layers(const struct state *st)
{
	for (int s = 0; s < PAIR_SIDES; s++)
		if (st->pair.side[s].sum.count && st->found[s].layers == 0)
			warn("%s: no kernel has a layer: kcontext -l attention may find some",
			     st->pair.side[s].in.file);
}

static void finish(struct state *st)
{
	struct pair_fact layers[PAIR_SIDES] = {{"layers", st->found[0].layers},
	                                       {"layers", st->found[1].layers}};
	const struct pair_fact *facts[PAIR_SIDES] = {&layers[0], &layers[1]};

	pair_check(&st->pair);
	if (st->by_layer)
		check_layers(st);
	compare(st);
	if (st->layers.count)
		qsort(st->layer, st->layers.count, sizeof *st->layer, compare_layers);
	pair_begin(&st->pair, "Comparison of two traces", facts, 1);
	if (st->pair.form == FORM_JSON)
		write_json(st);
	else
		write_tables(st);
	pair_end(&st->pair);
	if (st->fails)
		check_limit(st);
}

static struct dec limit(const struct opts *o, const char *what)
{
	struct dec x;

	if (dec_parse(str_of(o->arg), &x) > DEC_ROUNDED || x.nano < 0)
		opts_fail("%s: '%s' is not %s", o->flag, o->arg, what);
	return x;
}

int main(int argc, char **argv)
{
	struct state st = {.stacks = 3,
	                   .op_threshold = dec_of(5),
	                   .layer_threshold = {100000000},
	                   .layer_ratio = {1200000000}};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case PHASE_OPT:
			st.pair.phase = pair_phase(st.opts.arg);
			break;
		case 'L':
			st.by_layer = true;
			break;
		case 'K':
			st.by_kernel = true;
			break;
		case STACKS:
			st.stacks = opts_number(&st.opts, 0);
			break;
		case OP_THRESHOLD:
			st.op_threshold = limit(&st.opts, "a time in ms");
			break;
		case LAYER_THRESHOLD:
			st.layer_threshold = limit(&st.opts, "a time in ms");
			break;
		case LAYER_RATIO:
			st.layer_ratio = limit(&st.opts, "a ratio");
			break;
		case FAIL_OVER:
			st.fail_over = limit(&st.opts, "a time in ms");
			st.fails = true;
			break;
		default:
			opts_form(letter, &st.pair.form);
			break;
		}
	}
	if (st.pair.form == FORM_TSV && st.by_layer && st.by_kernel)
		opts_fail("-L and -K are two tables: one at a time, or in a report (-r, -M)");

	pair_open(&st.pair, &st.opts);
	for (int s = 0; s < PAIR_SIDES; s++)
		read_side(&st, s);
	finish(&st);
	return pair_finish(&st.pair);
}
