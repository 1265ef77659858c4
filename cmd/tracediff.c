/*
 * tracediff - compares two traces, class by class of operation, or layer by layer.
 *
 *	tracediff a.kev b.kev
 * of two streams through kcontext and kclass gives
 *	#operation	trace1_count	trace2_count	trace1_total_ms	trace2_total_ms	...
 *	Dense GEMM	240	241	17.2	13.4	...
 *
 * Memory grows with the distinct kernels, operators and layers, and with --stacks=0 also with the
 * distinct Python stacks.
 */
#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/plaintext.h"
#include "compare/operations.h"
#include "compare/pair.h"

/* Columns of a side, KEV_NONE if it has none. */
struct found {
	int pattern;
	int layer;
	int cpu_op;
	int stack;
};

enum { TEXTS = 6 };

struct state {
	struct opts opts;
	struct pair pair;
	struct found found[SIDES];
	bool by_layer;           /* -L */
	bool by_kernel;          /* -K */
	struct dec op_threshold; /* in ms */
	struct dec layer_threshold;
	struct dec layer_ratio;
	struct dec fail_over; /* in ms */
	bool fails;           /* --fail-over was given */
	struct operations operations;
	struct buf text[TEXTS]; /* of the row */
};

enum { PHASE_OPT = OPT_LONG, STACKS, OP_THRESHOLD, LAYER_THRESHOLD, LAYER_RATIO, FAIL_OVER };

static const struct opt opts[] = {
	{PHASE_OPT, "phase", "PHASE",
     "compare only kernels of this phase: prefill, decode, mixed (default: all)"},
	{'L', "layers", NULL, "compare layers"},
	{'K', "kernels", NULL, "compare the kernels within each class"},
	{STACKS, "stacks", "N", "print N Python stacks of each class and side (default: 3; 0: all)"},
	{OP_THRESHOLD, "op-threshold", "MS",
     "call an operation slower if its gap is above MS ms (default: 5)"},
	{LAYER_THRESHOLD, "layer-threshold", "MS",
     "call a layer slower if its gap is above MS ms (default: 0.1)"},
	{LAYER_RATIO, "layer-ratio", "R",
     "call a layer slower only if its ratio is above R, too (default: 1.2)"},
	{FAIL_OVER, "fail-over", "MS", "exit with 3 if A takes more than MS ms longer than B"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"[--phase=PHASE] [-L | -K] [--stacks=N] [--op-threshold=MS] [--layer-threshold=MS] "
	"[--layer-ratio=R] [--fail-over=MS] [-r | -j | -M] A B",
	"Compare two traces, class by class of operation.", opts, sizeof opts / sizeof *opts};

/* --- reading ------------------------------------------------------------- */

static void columns(struct state *st, int s)
{
	struct kev_reader *in = &st->pair.side[s].in;
	struct found *found = &st->found[s];

	found->layer = kev_column(in, STR("layer"));
	found->cpu_op = kev_column(in, STR("cpu_op"));
	found->stack = kev_column(in, STR("python_stack"));
	if (!st->by_layer || kev_need(in, STR("layer"), &found->layer))
		kev_need(in, STR("pattern"), &found->pattern);
}

/* A kernel that counts. */
static void add(struct state *st, int s, struct dec dur)
{
	struct kev_reader *in = &st->pair.side[s].in;
	const struct pair_trace *of = &st->pair.trace[s];
	const struct found *found = &st->found[s];
	struct operations_row row = {
		.op = kev_text(in, of->op, &st->text[0]),
		.name = kev_text(in, of->name, &st->text[1]),
		.pattern = kev_text(in, found->pattern, &st->text[2]),
		.cpu_op = kev_text(in, found->cpu_op, &st->text[3]),
		.phase = kev_text(in, of->phase, &st->text[4]),
		.stack = kev_text(in, found->stack, &st->text[5]),
		.dur = dur,
	};

	row.has_layer = kev_number(in, found->layer, &row.layer);
	if (!operations_add(&st->operations, s, &row))
		kev_error(in, "%s", st->operations.error);
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

/* --- tables -------------------------------------------------------------- */

static void put_status(struct sheet *sheet, const void *row, int which)
{
	const struct state *st = sheet->context;

	(void)which;
	buf_text(&sheet->cell, operations_status(row, st->op_threshold, NULL));
}

static void put_pattern(struct sheet *sheet, const void *row, int side)
{
	const struct operation *op = row;

	buf_str(&sheet->cell, groups_commonest(&op->part[side].patterns));
}

static void put_cpu_op(struct sheet *sheet, const void *row, int side)
{
	const struct operation *op = row;

	buf_str(&sheet->cell, groups_commonest(&op->part[side].cpu_ops));
}

static int compare_words(const void *a, const void *b)
{
	return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* The phases of an operation, sorted; "all" if it has none. The caller frees them. */
static struct str *phases_of(const struct operation *op, size_t *count)
{
	struct str *phases = mem_alloc(op->phases.count + 1, sizeof *phases);

	*count = op->phases.count;
	for (size_t i = 0; i < *count; i++)
		phases[i] = strmap_key(&op->phases, i);
	qsort(phases, *count, sizeof *phases, compare_words);
	if (*count == 0)
		phases[(*count)++] = STR("all");
	return phases;
}

static void put_phases(struct sheet *sheet, const void *row, int which)
{
	size_t count;
	struct str *phases = phases_of(row, &count);

	(void)which;
	for (size_t i = 0; i < count; i++) {
		buf_text(&sheet->cell, i ? "," : "");
		buf_str(&sheet->cell, phases[i]);
	}
	free(phases);
}

static const struct sheet_column operation_columns[] = {
	{"operation", SHEET_TEXT, sheet_put_text, offsetof(struct operation, name)},
	{"trace1_count", SHEET_NUMBER, pair_put_count, 0},
	{"trace2_count", SHEET_NUMBER, pair_put_count, 1},
	{"trace1_total_ms", SHEET_NUMBER, pair_put_ms, 0},
	{"trace2_total_ms", SHEET_NUMBER, pair_put_ms, 1},
	{"trace1_avg_us", SHEET_NUMBER | SHEET_WIDE, pair_put_average, 0},
	{"trace2_avg_us", SHEET_NUMBER | SHEET_WIDE, pair_put_average, 1},
	{"ratio", SHEET_NUMBER, pair_put_ratio, PAIR_TOTALS},
	{"avg_ratio", SHEET_NUMBER | SHEET_WIDE, pair_put_ratio, PAIR_AVERAGES},
	{"gap_ms", SHEET_NUMBER, pair_put_gap_ms, 0},
	{"status", SHEET_TEXT, put_status, 0},
	{"trace1_kernel", SHEET_TEXT, put_pattern, 0},
	{"trace2_kernel", SHEET_TEXT, put_pattern, 1},
	{"trace1_cpu_op", SHEET_TEXT | SHEET_WIDE, put_cpu_op, 0},
	{"trace2_cpu_op", SHEET_TEXT | SHEET_WIDE, put_cpu_op, 1},
	{"phases", SHEET_TEXT | SHEET_WIDE, put_phases, 0},
};

/* For people, the sums of all. */
static void put_total(const struct state *st, struct sheet *sheet)
{
	struct operation total = {.name = STR("TOTAL")};

	for (int s = 0; s < SIDES; s++)
		total.sum[s] = st->pair.trace[s].sum;
	sheet_row(sheet, &total);
}

static void write_operations(struct state *st, const struct sheet_column *columns_of, size_t count)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Operations", columns_of, count);
	sheet.context = st;
	for (size_t i = 0; i < st->operations.count; i++)
		sheet_row(&sheet, &st->operations.operation[i]);
	if (sheet.people)
		put_total(st, &sheet);
	sheet_end(&sheet);
}

static void put_layer(struct sheet *sheet, const void *row, int which)
{
	const struct operation_layer *layer = row;

	(void)which;
	dec_print(&sheet->cell, layer->number);
}

/* A layer that takes no time in trace2 has no ratio: 1. */
static void put_layer_ratio(struct sheet *sheet, const void *row, int which)
{
	const struct group *sum = row;

	if (sum[1].total.nano == 0 && !pair_one_sided(&sum[0], &sum[1]))
		buf_char(&sheet->cell, '1');
	else
		pair_put_ratio(sheet, row, which);
}

static void put_layer_status(struct sheet *sheet, const void *row, int which)
{
	const struct state *st = sheet->context;

	(void)which;
	buf_text(&sheet->cell, operations_status(row, st->layer_threshold, &st->layer_ratio));
}

static void put_in_both(struct sheet *sheet, const void *row, int which)
{
	const struct group *sum = row;

	(void)which;
	buf_text(&sheet->cell, pair_one_sided(&sum[0], &sum[1]) ? "false" : "true");
}

static const struct sheet_column layer_columns[] = {
	{"layer", SHEET_NUMBER, put_layer, 0},
	{"trace1_kernels", SHEET_NUMBER, pair_put_count, 0},
	{"trace2_kernels", SHEET_NUMBER, pair_put_count, 1},
	{"trace1_total_ms", SHEET_NUMBER, pair_put_ms, 0},
	{"trace2_total_ms", SHEET_NUMBER, pair_put_ms, 1},
	{"ratio", SHEET_NUMBER, put_layer_ratio, PAIR_TOTALS},
	{"gap_ms", SHEET_NUMBER, pair_put_gap_ms, 0},
	{"status", SHEET_TEXT, put_layer_status, 0},
	{"in_both", SHEET_NUMBER, put_in_both, 0}, /* in JSON only, as true or false */
};

static void write_layers(struct state *st)
{
	size_t count = sizeof layer_columns / sizeof *layer_columns;
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Layers", layer_columns,
	           st->pair.form == FORM_JSON ? count : count - 1);
	sheet.context = st;
	for (size_t i = 0; i < st->operations.layers; i++)
		sheet_row(&sheet, &st->operations.layer[i]);
	sheet_end(&sheet);
}

/* The context is the operation. */
static void put_kernel_operation(struct sheet *sheet, const void *row, int which)
{
	const struct operation *op = sheet->context;

	(void)row;
	(void)which;
	buf_str(&sheet->cell, op->name);
}

static const struct sheet_column kernel_columns[] = {
	{"operation", SHEET_TEXT, put_kernel_operation, 0},
	{"kernel", SHEET_NAME, sheet_put_text, offsetof(struct operation_kernel, name)},
	{"trace1_count", SHEET_NUMBER, pair_put_count, 0},
	{"trace2_count", SHEET_NUMBER, pair_put_count, 1},
	{"trace1_total_ms", SHEET_NUMBER, pair_put_ms, 0},
	{"trace2_total_ms", SHEET_NUMBER, pair_put_ms, 1},
};

static void write_kernels(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Kernels", kernel_columns,
	           sizeof kernel_columns / sizeof *kernel_columns);
	for (size_t i = 0; i < st->operations.count; i++) {
		const struct operation *op = &st->operations.operation[i];
		size_t count;
		struct operation_kernel *kernels =
			operation_kernels(&op->part[0].kernels, &op->part[1].kernels, &count);

		sheet.context = op;
		for (size_t j = 0; j < count; j++)
			sheet_row(&sheet, &kernels[j]);
		free(kernels);
	}
	sheet_end(&sheet);
}

/* A line of a report: a stack of an operation. */
static void put_stack(struct state *st, struct str name, int s, struct str stack)
{
	struct buf *out = &st->pair.out.out.buf;
	void (*put)(struct buf *, struct str) =
		st->pair.form == FORM_MARKDOWN ? table_markdown_text : plaintext_put;

	buf_text(out, st->pair.form == FORM_MARKDOWN ? "- " : "");
	put(out, name);
	buf_format(out, ", trace%d: ", s + 1);
	put(out, stack);
	output_char(&st->pair.out.out, '\n');
}

static void write_stacks(struct state *st)
{
	bool any = false;

	for (size_t i = 0; i < st->operations.count; i++) {
		const struct operation *op = &st->operations.operation[i];

		for (int s = 0; s < SIDES; s++) {
			const struct strmap *stacks = &op->part[s].stacks;

			if (stacks->count && !any)
				output_text(&st->pair.out.out, st->pair.form == FORM_MARKDOWN
				                                   ? "\n## Python stacks\n\n"
				                                   : "\nPython stacks\n\n");
			any |= stacks->count > 0;
			for (size_t j = 0; j < stacks->count; j++)
				put_stack(st, op->name, s, strmap_key(stacks, j));
		}
	}
}

/* --- JSON ---------------------------------------------------------------- */

static void list_stacks(struct sheet *sheet, const void *row, int side)
{
	const struct operation *op = row;
	const struct strmap *stacks = &op->part[side].stacks;

	for (size_t i = 0; i < stacks->count; i++) {
		struct str rest = strmap_key(stacks, i);

		jsonw_array(sheet->json, NULL);
		while (rest.n) {
			const char *end = memchr(rest.s, ';', rest.n);
			size_t n = end ? (size_t)(end - rest.s) : rest.n;

			jsonw_text(sheet->json, NULL, (struct str){rest.s, n});
			rest.s += n + (end != NULL);
			rest.n -= n + (end != NULL);
		}
		jsonw_end_array(sheet->json);
	}
}

static void list_kernels(struct sheet *sheet, const void *row, int side)
{
	const struct operation *op = row;
	const struct groups none = {.group = NULL};
	struct jsonw *w = sheet->json;
	struct buf text = {0};
	size_t count;
	struct operation_kernel *kernels = operation_kernels(&op->part[side].kernels, &none, &count);

	for (size_t i = 0; i < count; i++) {
		const struct group *sum = &kernels[i].sum[0];

		jsonw_object(w, NULL);
		jsonw_text(w, "name", kernels[i].name);
		pair_us(&text, sum->total, false);
		jsonw_figure(w, "total_us", buf_view(&text));
		text.len = 0;
		jsonw_count(w, "count", sum->count);
		pair_average(&text, sum, false);
		jsonw_figure(w, "avg_us", buf_view(&text));
		text.len = 0;
		jsonw_end_object(w);
	}
	free(kernels);
	buf_free(&text);
}

static void list_phases(struct sheet *sheet, const void *row, int which)
{
	size_t count;
	struct str *phases = phases_of(row, &count);

	(void)which;
	for (size_t i = 0; i < count; i++)
		jsonw_text(sheet->json, NULL, phases[i]);
	free(phases);
}

static const struct sheet_column json_columns[] = {
	{"operation", SHEET_TEXT, sheet_put_text, offsetof(struct operation, name)},
	{"trace1_count", SHEET_NUMBER, pair_put_count, 0},
	{"trace2_count", SHEET_NUMBER, pair_put_count, 1},
	{"trace1_avg_us", SHEET_NUMBER, pair_put_average, 0},
	{"trace2_avg_us", SHEET_NUMBER, pair_put_average, 1},
	{"trace1_total_ms", SHEET_NUMBER, pair_put_ms, 0},
	{"trace2_total_ms", SHEET_NUMBER, pair_put_ms, 1},
	{"ratio", SHEET_NUMBER, pair_put_ratio, PAIR_TOTALS},
	{"avg_ratio", SHEET_NUMBER, pair_put_ratio, PAIR_AVERAGES},
	{"gap_ms", SHEET_NUMBER, pair_put_gap_ms, 0},
	{"status", SHEET_TEXT, put_status, 0},
	{"trace1_kernel", SHEET_TEXT, put_pattern, 0},
	{"trace2_kernel", SHEET_TEXT, put_pattern, 1},
	{"trace1_cpu_op", SHEET_TEXT, put_cpu_op, 0},
	{"trace2_cpu_op", SHEET_TEXT, put_cpu_op, 1},
	{"trace1_python_stacks", SHEET_LIST, list_stacks, 0},
	{"trace2_python_stacks", SHEET_LIST, list_stacks, 1},
	{"trace1_kernels", SHEET_LIST, list_kernels, 0},
	{"trace2_kernels", SHEET_LIST, list_kernels, 1},
	{"phases", SHEET_LIST, list_phases, 0},
};

static void write_json(struct state *st)
{
	write_operations(st, json_columns, sizeof json_columns / sizeof *json_columns);
	write_layers(st);
}

/* --- the end ------------------------------------------------------------- */

static void write_tables(struct state *st)
{
	if (st->pair.form != FORM_TSV || (!st->by_layer && !st->by_kernel))
		write_operations(st, operation_columns,
		                 sizeof operation_columns / sizeof *operation_columns);
	if (st->by_layer)
		write_layers(st);
	if (st->by_kernel)
		write_kernels(st);
	if (st->pair.form != FORM_TSV)
		write_stacks(st);
}

static void check_limit(struct state *st)
{
	struct dec gap = st->pair.trace[0].sum.total;
	struct buf text = {0};

	if (!dec_subtract(&gap, st->pair.trace[1].sum.total))
		die("dur: the sum is too large");
	if (operations_is_over(gap, st->fail_over)) {
		pair_ms(&text, gap, false);
		warn("trace1 takes %.*s ms longer than trace2", (int)text.len, text.data);
		st->pair.out.status = status_worse(st->pair.out.status, STATUS_LIMIT);
	}
	for (size_t i = 0; i < st->operations.count; i++) {
		const struct operation *op = &st->operations.operation[i];

		if (!operations_is_over(op->gap, st->fail_over))
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
	for (int s = 0; s < SIDES; s++)
		if (st->pair.trace[s].sum.count && st->operations.layers_of[s] == 0)
			warn("%s: no kernel has a layer: kcontext -l attention may find some",
			     st->pair.side[s].in.file);
}

static void finish(struct state *st)
{
	struct pair_fact layers[SIDES] = {{"layers", st->operations.layers_of[0]},
	                                  {"layers", st->operations.layers_of[1]}};
	const struct pair_fact *facts[SIDES] = {&layers[0], &layers[1]};
	int phased = pair_phased_side(&st->pair);

	pair_check(&st->pair);
	if (st->by_layer)
		check_layers(st);
	if ((phased >= 0 && !operations_merge_phases(&st->operations, phased)) ||
	    !operations_compare(&st->operations))
		die("%s", st->operations.error);
	pair_begin(&st->pair, "Comparison of two traces", facts, 1);
	if (st->pair.form == FORM_JSON)
		write_json(st);
	else
		write_tables(st);
	pair_end(&st->pair);
	if (st->fails)
		check_limit(st);
}

int main(int argc, char **argv)
{
	struct state st = {.operations = {.stacks = 3},
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
			st.operations.stacks = opts_number(&st.opts, 0);
			break;
		case OP_THRESHOLD:
			st.op_threshold = opts_decimal(&st.opts, "a time in ms");
			break;
		case LAYER_THRESHOLD:
			st.layer_threshold = opts_decimal(&st.opts, "a time in ms");
			break;
		case LAYER_RATIO:
			st.layer_ratio = opts_decimal(&st.opts, "a ratio");
			break;
		case FAIL_OVER:
			st.fail_over = opts_decimal(&st.opts, "a time in ms");
			st.fails = true;
			break;
		default:
			opts_form(letter, &st.pair.form);
			break;
		}
	}
	if (st.pair.form == FORM_TSV && st.by_layer && st.by_kernel)
		opts_fail("-L and -K print two tables: give one of them, or use -r or -M");

	pair_open(&st.pair, &st.opts);
	for (int s = 0; s < SIDES; s++)
		read_side(&st, s);
	finish(&st);
	return pair_finish(&st.pair);
}
