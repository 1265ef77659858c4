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

#include "balance.h"
#include "facts.h"
#include "group.h"
#include "jsonw.h"
#include "kev.h"
#include "mem.h"
#include "report.h"
#include "table.h"

enum { SIDES = 2 };

/* Why a row does not count. */
enum reason { NO_KERNEL, NO_DUR, PHASE, REASONS };

static const char *const reasons[REASONS] = {
	[NO_KERNEL] = "no kernel", [NO_DUR] = "no dur", [PHASE] = "another phase"};

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
	struct part part[SIDES];
	struct strmap phases;
	struct dec gap; /* in us */
};

struct layer {
	struct dec number;
	struct group part[SIDES];
};

struct side {
	struct kev_reader in;
	struct balance balance;
	struct facts facts;
	struct groups phases; /* of all kernels, for the message where --phase finds none */
	struct group sum;
	uint64_t layers;
	uint64_t no_dur;
	int dur;
	int op;
	int pattern;
	int name;
	int phase;
	int layer;
	int cpu_op;
	int stack;
};

struct state {
	struct opts opts;
	struct kev_writer out;
	const char *phase;       /* --phase; NULL: all */
	bool by_layer;           /* -L */
	bool by_kernel;          /* -K */
	size_t stacks;           /* --stacks; 0: all */
	struct dec op_threshold; /* in ms */
	struct dec layer_threshold;
	struct dec layer_ratio;
	struct dec fail_over; /* in ms */
	bool fails;           /* --fail-over was given */
	enum { TSV, REPORT, JSON, MARKDOWN } form;
	struct side side[SIDES];
	struct strmap operations;
	struct operation *operation; /* by number in operations */
	size_t operations_cap;
	size_t operations_shown; /* behind compare */
	struct strmap layers;    /* by number, as text */
	struct layer *layer;
	size_t layers_cap;
	struct buf key;
	struct buf scratch;
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

static bool columns(struct state *st, struct side *side)
{
	struct kev_reader *in = &side->in;

	side->layer = kev_column(in, STR("layer"));
	side->cpu_op = kev_column(in, STR("cpu_op"));
	side->stack = kev_column(in, STR("python_stack"));
	side->phase = kev_column(in, STR("phase"));
	if (st->phase && !kev_need(in, STR("phase"), &side->phase))
		return false;
	if (st->by_layer && !kev_need(in, STR("layer"), &side->layer))
		return false;
	return kev_need(in, STR("dur"), &side->dur) && kev_need(in, STR("name"), &side->name) &&
	       kev_need(in, STR("op"), &side->op) && kev_need(in, STR("pattern"), &side->pattern);
}

static bool metadata(struct state *st, struct side *side)
{
	struct kev_reader *in = &side->in;
	bool ours = facts_take(&side->facts, in);

	if (str_equal(in->key, STR("unit")) && !str_equal(in->value, STR("us"))) {
		char unit[QUOTE_MAX];

		kev_error(in, "unit: %s, where times in us are compared",
		          quote(unit, in->value.s, in->value.n));
		return false;
	}
	/* The facts are said anew, side by side; tables of names are of no use here. */
	if (!ours && !str_equal(in->key, STR("process")) && !str_equal(in->key, STR("thread")))
		kev_pass_meta(&st->out, in);
	return true;
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
static bool add_text(struct state *st, struct side *side, struct groups *groups, int column,
                     struct dec dur)
{
	struct str text = kev_text(&side->in, column, &st->scratch);

	return text.n == 0 || group_add(groups_get(groups, text), dur, 1);
}

static bool add_layer(struct state *st, struct side *side, struct dec dur)
{
	struct layer *layer;
	struct dec number;
	size_t i;
	bool new;

	if (!kev_number(&side->in, side->layer, &number))
		return true; /* none, or an error */
	st->key.len = 0;
	dec_print(&st->key, number);
	i = strmap_add(&st->layers, buf_view(&st->key), &new);
	st->layer = mem_grow(st->layer, &st->layers_cap, i + 1, sizeof *st->layer);
	layer = &st->layer[i];
	if (new)
		*layer = (struct layer){.number = number};
	side->layers += layer->part[side - st->side].count == 0;
	return group_add(&layer->part[side - st->side], dur, 1);
}

/* A kernel that counts. False where a sum is too large. */
static bool add(struct state *st, struct side *side, struct dec dur)
{
	struct kev_reader *in = &side->in;
	struct operation *op = operation_of(st, kev_text(in, side->op, &st->scratch));
	struct part *part = &op->part[side - st->side];
	struct str text;

	if (!group_add(&side->sum, dur, 1) || !group_add(&part->sum, dur, 1) ||
	    !group_add(groups_get(&part->kernels, kev_text(in, side->name, &st->scratch)), dur, 1) ||
	    !add_text(st, side, &part->patterns, side->pattern, dur) ||
	    !add_text(st, side, &part->cpu_ops, side->cpu_op, dur) || !add_layer(st, side, dur))
		return false;
	text = kev_text(in, side->phase, &st->scratch);
	if (text.n)
		strmap_add(&op->phases, text, NULL);
	text = kev_text(in, side->stack, &st->scratch);
	if (text.n && (st->stacks == 0 || part->stacks.count < st->stacks))
		strmap_add(&part->stacks, text, NULL);
	return true;
}

/* What is wrong is said in side->in.error. */
static void row(struct state *st, struct side *side)
{
	struct kev_reader *in = &side->in;
	struct str text = in->field[side->dur];
	struct str phase = kev_text(in, side->phase, &st->scratch);
	struct dec dur;
	bool has_dur = kev_number(in, side->dur, &dur);

	balance_in(&side->balance, text);
	if (in->error[0]) {
		return;
	} else if (in->field[side->op].n == 0) {
		balance_drop(&side->balance, NO_KERNEL, text);
	} else if (!has_dur) {
		side->no_dur++;
		balance_drop(&side->balance, NO_DUR, text);
		if (st->opts.strict)
			kev_error(in, "dur: a kernel without one");
	} else {
		bool good = phase.n == 0 || group_add(groups_get(&side->phases, phase), dur, 1);

		if (st->phase && !str_equal(phase, str_of(st->phase))) {
			balance_drop(&side->balance, PHASE, text);
		} else {
			good = good && add(st, side, dur);
			balance_out(&side->balance, text);
		}
		if (!good && !in->error[0])
			kev_error(in, "dur: the sum is too large");
	}
}

static void read_side(struct state *st, struct side *side)
{
	struct kev_reader *in = &side->in;
	enum kev_item item;

	while ((item = kev_next(in)) > KEV_END && !in->error[0]) {
		if (item == KEV_META)
			metadata(st, side);
		else if (item == KEV_COLUMNS)
			columns(st, side);
		else
			row(st, side);
		if (in->error[0])
			break;
	}
	if (in->error[0])
		kev_fail(&st->out, in);
	if (side->no_dur)
		warn("%s: kernels without dur, not counted: %llu", in->file,
		     (unsigned long long)side->no_dur);
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
	for (size_t a = 0; a < SIDES; a++) {
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

static struct dec absolute(struct dec x)
{
	if (x.nano < 0)
		x.nano = -x.nano;
	return x;
}

static struct dec difference(struct dec a, struct dec b)
{
	if (!dec_subtract(&a, b))
		die("dur: the sum is too large");
	return a;
}

static int compare_gaps(struct dec a, struct dec b)
{
	return dec_compare(absolute(b), absolute(a));
}

static int compare_operations(const void *a, const void *b)
{
	const struct operation *x = a;
	const struct operation *y = b;
	int order = compare_gaps(x->gap, y->gap);

	return order ? order : str_compare(x->name, y->name);
}

/* Leaves the operations that have kernels, in their order; their numbers mean nothing then. */
static void compare(struct state *st)
{
	face_norms(st);
	for (size_t i = 0; i < st->operations.count; i++) {
		struct operation op = st->operation[i];

		op.name = strmap_key(&st->operations, i);
		op.gap = difference(op.part[0].sum.total, op.part[1].sum.total);
		if (op.part[0].sum.count || op.part[1].sum.count)
			st->operation[st->operations_shown++] = op;
	}
	if (st->operations_shown)
		qsort(st->operation, st->operations_shown, sizeof *st->operation, compare_operations);
}

static bool one_sided(const struct group *a, const struct group *b)
{
	return a->count == 0 || b->count == 0;
}

static int compare_layers(const void *a, const void *b)
{
	const struct layer *x = a;
	const struct layer *y = b;
	bool x_alone = one_sided(&x->part[0], &x->part[1]);
	bool y_alone = one_sided(&y->part[0], &y->part[1]);
	int order = x_alone - y_alone;

	if (order == 0)
		order = compare_gaps(difference(x->part[0].total, x->part[1].total),
		                     difference(y->part[0].total, y->part[1].total));
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
	struct dec gap = difference(a->total, b->total);
	struct dec back = difference(b->total, a->total);

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

/* x us in ms: exact, or for people with three places. */
static void put_ms(struct buf *out, struct dec x, bool people)
{
	dec_quotient_fixed(out, x, dec_of(1000), 0, people ? 3 : 12);
	if (people)
		return;
	while (out->data[out->len - 1] == '0')
		out->len--;
	if (out->data[out->len - 1] == '.')
		out->len--;
}

/* a / b, 0 where one of the two is missing. */
static void put_ratio(struct buf *out, const struct group *a, const struct group *b, bool averages,
                      bool people)
{
	struct dec x = a->total;
	struct dec y = b->total;

	if (one_sided(a, b)) {
		buf_char(out, '0');
	} else if (y.nano == 0) {
		buf_text(out, x.nano ? "inf" : "1");
	} else {
		if (averages && (__builtin_mul_overflow(x.nano, (__int128)b->count, &x.nano) ||
		                 __builtin_mul_overflow(y.nano, (__int128)a->count, &y.nano)))
			die("dur: the sum is too large");
		if (people)
			dec_quotient_fixed(out, x, y, 0, 3);
		else
			dec_quotient(out, x, y, 0);
	}
}

static void put_average(struct buf *out, const struct group *g, bool people)
{
	if (g->count == 0)
		buf_char(out, '0');
	else if (people)
		dec_quotient_fixed(out, g->total, dec_of((int64_t)g->count), 0, 3);
	else
		dec_quotient(out, g->total, dec_of((int64_t)g->count), 0);
}

/* The key that most rows have; of several the smallest. */
static struct str commonest(const struct groups *groups)
{
	struct str best = {"", 0};
	uint64_t count = 0;

	for (size_t i = 0; i < groups->keys.count; i++) {
		struct str key = strmap_key(&groups->keys, i);
		uint64_t n = groups->group[i].count;

		if (n > count || (n == count && str_compare(key, best) < 0)) {
			best = key;
			count = n;
		}
	}
	return best;
}

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

/* A table being written. */
struct sheet {
	const char *title;
	size_t count;
	struct table table;
	struct buf cell;
	bool people;                            /* rounded figures */
	unsigned left_out;                      /* columns, by bit: a report is only so wide */
	struct table_column shown[COLUMNS_MAX]; /* of table */
	size_t at;                              /* the column of the next cell */
	struct kev_writer *out;
	bool rows; /* written at once, as a stream's */
};

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

static void sheet_begin(struct sheet *sheet, struct state *st, const char *title,
                        const struct table_column *columns, size_t count, unsigned left_out)
{
	*sheet = (struct sheet){.title = title,
	                        .count = count,
	                        .people = st->form != TSV,
	                        .left_out = st->form == REPORT ? left_out : 0,
	                        .out = &st->out,
	                        .rows = st->form == TSV};
	sheet->table.columns = sheet->shown;
	for (size_t i = 0; i < count; i++)
		if (!(sheet->left_out >> i & 1))
			sheet->shown[sheet->table.count++] = columns[i];
	if (sheet->rows) {
		struct str names[COLUMNS_MAX];

		for (size_t i = 0; i < count; i++)
			names[i] = str_of(columns[i].title);
		kev_columns(&st->out, names, count);
	}
}

/* What was put into sheet->cell, or text. */
static void put_text(struct sheet *sheet, struct str text)
{
	if (sheet->rows)
		kev_field(sheet->out, text);
	else if (!(sheet->left_out >> sheet->at & 1))
		table_cell(&sheet->table, text);
	sheet->at = (sheet->at + 1) % sheet->count;
	sheet->cell.len = 0;
}

static void put_cell(struct sheet *sheet)
{
	put_text(sheet, buf_view(&sheet->cell));
}

static void put_count(struct sheet *sheet, uint64_t count)
{
	buf_format(&sheet->cell, "%llu", (unsigned long long)count);
	put_cell(sheet);
}

static void put_total(struct sheet *sheet, struct dec us)
{
	put_ms(&sheet->cell, us, sheet->people);
	put_cell(sheet);
}

static void put_row_end(struct sheet *sheet)
{
	if (sheet->rows)
		kev_row_end(sheet->out);
}

static void sheet_end(struct sheet *sheet, struct state *st)
{
	struct output *out = &st->out.out;

	if (st->form == REPORT) {
		output_format(out, "\n%s\n\n", sheet->title);
		table_print(&sheet->table, out);
	} else if (st->form == MARKDOWN) {
		output_format(out, "\n## %s\n\n", sheet->title);
		table_markdown(&sheet->table, out);
	}
	table_free(&sheet->table);
	buf_free(&sheet->cell);
}

static void write_operations(struct state *st)
{
	struct sheet sheet;

	sheet_begin(&sheet, st, "Operations", operation_columns,
	            sizeof operation_columns / sizeof *operation_columns, WIDE_COLUMNS);
	for (size_t i = 0; i < st->operations_shown; i++) {
		const struct operation *op = &st->operation[i];
		const struct part *a = &op->part[0];
		const struct part *b = &op->part[1];

		put_text(&sheet, op->name);
		put_count(&sheet, a->sum.count);
		put_count(&sheet, b->sum.count);
		put_total(&sheet, a->sum.total);
		put_total(&sheet, b->sum.total);
		put_average(&sheet.cell, &a->sum, sheet.people);
		put_cell(&sheet);
		put_average(&sheet.cell, &b->sum, sheet.people);
		put_cell(&sheet);
		put_ratio(&sheet.cell, &a->sum, &b->sum, false, sheet.people);
		put_cell(&sheet);
		put_ratio(&sheet.cell, &a->sum, &b->sum, true, sheet.people);
		put_cell(&sheet);
		put_total(&sheet, op->gap);
		put_text(&sheet, str_of(status_of(&a->sum, &b->sum, st->op_threshold, NULL)));
		put_text(&sheet, commonest(&a->patterns));
		put_text(&sheet, commonest(&b->patterns));
		put_text(&sheet, commonest(&a->cpu_ops));
		put_text(&sheet, commonest(&b->cpu_ops));
		put_phases(&sheet.cell, op);
		put_cell(&sheet);
		put_row_end(&sheet);
	}
	sheet_end(&sheet, st);
}

static void write_layers(struct state *st)
{
	struct sheet sheet;

	sheet_begin(&sheet, st, "Layers", layer_columns, sizeof layer_columns / sizeof *layer_columns,
	            0);
	for (size_t i = 0; i < st->layers.count; i++) {
		const struct layer *layer = &st->layer[i];
		const struct group *a = &layer->part[0];
		const struct group *b = &layer->part[1];

		dec_print(&sheet.cell, layer->number);
		put_cell(&sheet);
		put_count(&sheet, a->count);
		put_count(&sheet, b->count);
		put_total(&sheet, a->total);
		put_total(&sheet, b->total);
		if (b->total.nano == 0 && !one_sided(a, b))
			buf_char(&sheet.cell, '1');
		else
			put_ratio(&sheet.cell, a, b, false, sheet.people);
		put_cell(&sheet);
		put_total(&sheet, difference(a->total, b->total));
		put_text(&sheet, str_of(status_of(a, b, st->layer_threshold, &st->layer_ratio)));
		put_row_end(&sheet);
	}
	sheet_end(&sheet, st);
}

/* The kernels of one class: of both sides, by name. */
struct kernel {
	struct str name;
	struct group part[SIDES];
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

/* For people, the beginning of a long name. */
static struct str shown_name(const struct sheet *sheet, struct str name)
{
	if (sheet->people && name.n > NAME_MAX_SHOWN)
		name.n = NAME_MAX_SHOWN;
	return name;
}

static void write_kernels(struct state *st)
{
	struct sheet sheet;

	sheet_begin(&sheet, st, "Kernels", kernel_columns,
	            sizeof kernel_columns / sizeof *kernel_columns, 0);
	for (size_t i = 0; i < st->operations_shown; i++) {
		size_t count;
		struct kernel *kernels = kernels_of(&st->operation[i], &count);

		for (size_t j = 0; j < count; j++) {
			put_text(&sheet, st->operation[i].name);
			put_text(&sheet, shown_name(&sheet, kernels[j].name));
			for (int s = 0; s < SIDES; s++)
				put_count(&sheet, kernels[j].part[s].count);
			for (int s = 0; s < SIDES; s++)
				put_total(&sheet, kernels[j].part[s].total);
			put_row_end(&sheet);
		}
		free(kernels);
	}
	sheet_end(&sheet, st);
}

/* --- heads --------------------------------------------------------------- */

static void put_source(struct buf *out, const struct side *side)
{
	facts_get(&side->facts, "source", out);
	if (out->len == 0)
		buf_text(out, side->in.file);
}

/* A fact of one side: a ##trace1 line, or a cell of the report's head. */
static void put_fact(struct state *st, struct sheet *sheet, const char *trace, struct str name,
                     struct str value)
{
	if (st->form == TSV) {
		kev_meta(&st->out, trace, (struct str[]){name, value}, 2);
	} else {
		table_cell(&sheet->table, str_of(trace));
		table_cell(&sheet->table, name);
		table_cell(&sheet->table, value);
	}
}

static void put_facts(struct state *st, struct sheet *sheet, const char *trace, struct side *side)
{
	static const char *const keys[] = {"platform", "device"};
	struct buf text = {0};
	struct str name;

	put_source(&text, side);
	put_fact(st, sheet, trace, STR("source"), buf_view(&text));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		text.len = 0;
		facts_get(&side->facts, keys[i], &text);
		if (text.len)
			put_fact(st, sheet, trace, str_of(keys[i]), buf_view(&text));
	}
	text.len = 0;
	for (size_t i = 0; facts_property(&side->facts, i, &name, &text); i++) {
		put_fact(st, sheet, trace, name, buf_view(&text));
		text.len = 0;
	}
	buf_format(&text, "%llu", (unsigned long long)side->sum.count);
	put_fact(st, sheet, trace, STR("kernels"), buf_view(&text));
	text.len = 0;
	put_ms(&text, side->sum.total, st->form != TSV);
	put_fact(st, sheet, trace, STR("total_ms"), buf_view(&text));
	text.len = 0;
	buf_format(&text, "%llu", (unsigned long long)side->layers);
	put_fact(st, sheet, trace, STR("layers"), buf_view(&text));
	put_fact(st, sheet, trace, STR("phase"), str_of(st->phase ? st->phase : "all"));
	buf_free(&text);
}

static void write_head(struct state *st)
{
	static const struct table_column fact_columns[] = {
		{"trace", false}, {"fact", false}, {"value", false}};
	struct sheet sheet = {.title = "Traces", .table = {.columns = fact_columns, .count = 3}};

	if (st->form == REPORT)
		output_text(&st->out.out, "Comparison of two traces\n");
	else if (st->form == MARKDOWN)
		output_text(&st->out.out, "# Comparison of two traces\n");
	put_facts(st, &sheet, "trace1", &st->side[0]);
	put_facts(st, &sheet, "trace2", &st->side[1]);
	if (st->form != TSV)
		sheet_end(&sheet, st);
}

static void write_damages(struct state *st)
{
	struct output *out = &st->out.out;
	bool any = st->side[0].facts.damages.len || st->side[1].facts.damages.len;

	if (!any)
		return;
	output_text(out, st->form == MARKDOWN
	                     ? "\n**The input is damaged, and the figures with it:**\n\n"
	                     : "\nThe input is damaged, and the figures with it:\n");
	for (int s = 0; s < SIDES; s++)
		output_str(out, buf_view(&st->side[s].facts.damages));
}

static void write_stacks(struct state *st)
{
	struct output *out = &st->out.out;
	bool any = false;

	for (size_t i = 0; i < st->operations_shown; i++) {
		for (int s = 0; s < SIDES; s++) {
			const struct strmap *stacks = &st->operation[i].part[s].stacks;

			for (size_t j = 0; j < stacks->count; j++) {
				struct str stack = strmap_key(stacks, j);

				if (!any)
					output_text(out, st->form == MARKDOWN ? "\n## Python stacks\n\n"
					                                      : "\nPython stacks\n\n");
				any = true;
				output_text(out, st->form == MARKDOWN ? "- " : "");
				output_str(out, st->operation[i].name);
				output_format(out, ", trace%d: ", s + 1);
				output_str(out, stack);
				output_char(out, '\n');
			}
		}
	}
}

/* --- JSON ---------------------------------------------------------------- */

/* A figure that json_number quotes where it is none, and that is null where it is inf. */
static void json_figure(struct jsonw *w, const char *key, struct buf *text)
{
	struct str figure = buf_view(text);

	jsonw_raw(w, key, str_equal(figure, STR("inf")) ? STR("null") : figure);
	text->len = 0;
}

static void json_text(struct jsonw *w, const char *key, struct str text)
{
	if (text.n)
		jsonw_text(w, key, text);
	else
		jsonw_raw(w, key, STR("null"));
}

/* Keys of the two sides: "trace1_" and "trace2_" with a name behind. */
static const char *side_key(struct state *st, int side, const char *name)
{
	st->key.len = 0;
	buf_format(&st->key, "trace%d_%s", side + 1, name);
	buf_char(&st->key, '\0');
	return st->key.data;
}

/* Digits, and a point among them: such a property is a number in JSON, too. */
static bool is_plain_number(struct str text)
{
	size_t points = 0;

	if (text.n == 0 || text.s[0] < '1' || text.s[0] > '9' || text.s[text.n - 1] == '.')
		return false;
	for (size_t i = 0; i < text.n; i++) {
		points += text.s[i] == '.';
		if (text.s[i] != '.' && (text.s[i] < '0' || text.s[i] > '9'))
			return false;
	}
	return points <= 1;
}

static void json_head(struct state *st, struct jsonw *w)
{
	struct buf text = {0};

	jsonw_object(w, "metadata");
	for (int s = 0; s < SIDES; s++) {
		struct side *side = &st->side[s];
		struct str name;

		put_source(&text, side);
		jsonw_text(w, side_key(st, s, "name"), buf_view(&text));
		text.len = 0;
		facts_get(&side->facts, "platform", &text);
		json_text(w, side_key(st, s, "platform"), buf_view(&text));
		text.len = 0;
		facts_get(&side->facts, "device", &text);
		json_text(w, side_key(st, s, "gpu"), buf_view(&text));
		text.len = 0;
		jsonw_object(w, side_key(st, s, "device"));
		for (size_t i = 0; facts_property(&side->facts, i, &name, &text); i++) {
			st->key.len = 0;
			buf_str(&st->key, name);
			buf_char(&st->key, '\0');
			if (is_plain_number(buf_view(&text)))
				jsonw_raw(w, st->key.data, buf_view(&text));
			else
				jsonw_text(w, st->key.data, buf_view(&text));
			text.len = 0;
		}
		jsonw_end_object(w);
		jsonw_count(w, side_key(st, s, "kernels"), side->sum.count);
		put_ms(&text, side->sum.total, false);
		json_figure(w, side_key(st, s, "total_ms"), &text);
		jsonw_count(w, side_key(st, s, "layers"), side->layers);
	}
	jsonw_text(w, "phase", str_of(st->phase ? st->phase : "all"));
	if (st->side[0].facts.damages.len || st->side[1].facts.damages.len) {
		jsonw_array(w, "damaged");
		for (int s = 0; s < SIDES; s++) {
			struct str rest = buf_view(&st->side[s].facts.damages);

			while (rest.n) {
				size_t n = (size_t)((const char *)memchr(rest.s, '\n', rest.n) - rest.s);

				jsonw_text(w, NULL, (struct str){rest.s, n});
				rest.s += n + 1;
				rest.n -= n + 1;
			}
		}
		jsonw_end_array(w);
	}
	jsonw_end_object(w);
	buf_free(&text);
}

static void json_stacks(struct state *st, struct jsonw *w, int side, const struct strmap *stacks)
{
	jsonw_array(w, side_key(st, side, "python_stacks"));
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

	jsonw_array(w, side_key(st, side, "kernels"));
	for (size_t i = 0; i < count; i++) {
		jsonw_object(w, NULL);
		jsonw_text(w, "name", kernels[i].name);
		dec_print(&text, kernels[i].part[0].total);
		json_figure(w, "total_us", &text);
		jsonw_count(w, "count", kernels[i].part[0].count);
		put_average(&text, &kernels[i].part[0], false);
		json_figure(w, "avg_us", &text);
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
	for (int s = 0; s < SIDES; s++)
		jsonw_count(w, side_key(st, s, "count"), op->part[s].sum.count);
	for (int s = 0; s < SIDES; s++) {
		put_average(&text, &op->part[s].sum, false);
		json_figure(w, side_key(st, s, "avg_us"), &text);
	}
	for (int s = 0; s < SIDES; s++) {
		put_ms(&text, op->part[s].sum.total, false);
		json_figure(w, side_key(st, s, "total_ms"), &text);
	}
	put_ratio(&text, a, b, false, false);
	json_figure(w, "ratio", &text);
	put_ratio(&text, a, b, true, false);
	json_figure(w, "avg_ratio", &text);
	put_ms(&text, op->gap, false);
	json_figure(w, "gap_ms", &text);
	jsonw_text(w, "status", str_of(status_of(a, b, st->op_threshold, NULL)));
	for (int s = 0; s < SIDES; s++)
		json_text(w, side_key(st, s, "kernel"), commonest(&op->part[s].patterns));
	for (int s = 0; s < SIDES; s++)
		json_text(w, side_key(st, s, "cpu_op"), commonest(&op->part[s].cpu_ops));
	for (int s = 0; s < SIDES; s++)
		json_stacks(st, w, s, &op->part[s].stacks);
	for (int s = 0; s < SIDES; s++)
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
	json_figure(w, "layer", &text);
	for (int s = 0; s < SIDES; s++)
		jsonw_count(w, side_key(st, s, "kernels"), layer->part[s].count);
	for (int s = 0; s < SIDES; s++) {
		put_ms(&text, layer->part[s].total, false);
		json_figure(w, side_key(st, s, "total_ms"), &text);
	}
	if (b->total.nano == 0 && !one_sided(a, b))
		buf_char(&text, '1');
	else
		put_ratio(&text, a, b, false, false);
	json_figure(w, "ratio", &text);
	put_ms(&text, difference(a->total, b->total), false);
	json_figure(w, "gap_ms", &text);
	jsonw_text(w, "status", str_of(status_of(a, b, st->layer_threshold, &st->layer_ratio)));
	jsonw_raw(w, "in_both", one_sided(a, b) ? STR("false") : STR("true"));
	jsonw_end_object(w);
	buf_free(&text);
}

static void write_json(struct state *st)
{
	struct jsonw w = {.out = &st->out.out.buf};

	jsonw_object(&w, NULL);
	json_head(st, &w);
	jsonw_array(&w, "operations");
	for (size_t i = 0; i < st->operations_shown; i++) {
		json_operation(st, &w, &st->operation[i]);
		output_drain(&st->out.out);
	}
	jsonw_end_array(&w);
	jsonw_array(&w, "layers");
	for (size_t i = 0; i < st->layers.count; i++)
		json_layer(st, &w, &st->layer[i]);
	jsonw_end_array(&w);
	jsonw_end_object(&w);
}

/* --- the end ------------------------------------------------------------- */

/* --phase found nothing: the phases there are. */
static void no_such_phase(struct state *st)
{
	struct buf list = {0};

	for (int s = 0; s < SIDES; s++) {
		const struct groups *phases = &st->side[s].phases;

		buf_format(&list, "%strace%d has ", s ? "; " : "", s + 1);
		for (size_t i = 0; i < phases->keys.count; i++) {
			buf_text(&list, i ? ", " : "");
			buf_str(&list, strmap_key(&phases->keys, i));
			buf_format(&list, " %llu", (unsigned long long)phases->group[i].count);
		}
		if (phases->keys.count == 0)
			buf_text(&list, "none");
	}
	die("no kernel of phase '%s' in either trace: %.*s", st->phase, (int)list.len, list.data);
}

static void check_limit(struct state *st)
{
	struct dec gap = difference(st->side[0].sum.total, st->side[1].sum.total);
	struct buf text = {0};

	if (over_ms(gap, st->fail_over)) {
		put_ms(&text, gap, false);
		warn("trace1 takes %.*s ms longer than trace2", (int)text.len, text.data);
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
	}
	for (size_t i = 0; i < st->operations_shown; i++) {
		const struct operation *op = &st->operation[i];

		if (!over_ms(op->gap, st->fail_over))
			continue;
		text.len = 0;
		put_ms(&text, op->gap, false);
		warn("%.*s takes %.*s ms longer in trace1", (int)op->name.n, op->name.s, (int)text.len,
		     text.data);
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
	}
	buf_free(&text);
}

static void finish(struct state *st)
{
	if (st->phase && st->side[0].sum.count == 0 && st->side[1].sum.count == 0)
		no_such_phase(st);
	compare(st);
	if (st->layers.count)
		qsort(st->layer, st->layers.count, sizeof *st->layer, compare_layers);
	if (st->form == JSON) {
		write_json(st);
	} else {
		write_head(st);
		if (st->form != TSV || (!st->by_layer && !st->by_kernel))
			write_operations(st);
		if (st->by_layer)
			write_layers(st);
		if (st->by_kernel)
			write_kernels(st);
		if (st->form != TSV) {
			write_stacks(st);
			write_damages(st);
		}
	}
	if (st->fails)
		check_limit(st);
	for (int s = 0; s < SIDES; s++)
		balance_print(&st->side[s].balance);
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
	static const char *const rows[SIDES] = {"rows of trace1", "rows of trace2"};
	struct state st = {.stacks = 3,
	                   .op_threshold = dec_of(5),
	                   .layer_threshold = {100000000},
	                   .layer_ratio = {1200000000}};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case PHASE_OPT:
			st.phase = strcmp(st.opts.arg, "all") == 0 ? NULL : st.opts.arg;
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
		case 'r':
			st.form = REPORT;
			break;
		case 'j':
			st.form = JSON;
			break;
		case 'M':
			st.form = MARKDOWN;
			break;
		}
	}
	if (st.opts.operands_count != SIDES)
		opts_fail("two streams are needed: A and B");
	if (st.form == TSV && st.by_layer && st.by_kernel)
		opts_fail("-L and -K are two tables: one at a time, or in a report (-r, -M)");

	kev_writer_init(&st.out, &st.opts);
	/* A report has no head; what is damaged it says in its own words. */
	st.opts.no_head |= st.form != TSV;
	for (int s = 0; s < SIDES; s++) {
		struct side *side = &st.side[s];

		side->balance = (struct balance){.on = st.opts.verbose,
		                                 .unit = "us",
		                                 .what = rows[s],
		                                 .reasons = reasons,
		                                 .reasons_count = REASONS};
		kev_open(&side->in, &st.opts.operands[s], 1);
		side->in.one_unit = true;
		read_side(&st, side);
	}
	finish(&st);
	for (int s = 0; s < SIDES; s++)
		kev_close(&st.side[s].in);
	return kev_finish(&st.out);
}
