#include "difftables.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/plaintext.h"

enum { OPERATORS_SHOWN = 5 }; /* operators of each class in a report without -O */

/* --- operations ---------------------------------------------------------- */

static void put_status(struct sheet *sheet, const void *row, int which)
{
	const struct difftables *tables = sheet->context;

	(void)which;
	buf_text(&sheet->cell, operations_status(row, tables->similar));
}

/* The commonest key of a struct groups that is a field of the row. */
static void put_commonest(struct sheet *sheet, const void *row, int field)
{
	buf_str(&sheet->cell, groups_commonest(sheet_field(row, field)));
}

static int compare_words(const void *a, const void *b)
{
	return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* The phases of an operation, sorted; "all" if it has no phase. The caller frees them. */
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

/* A column for each trace, as the original program names it. */
#define OF_BOTH(name, kind, put)     \
	{"trace1_" name, kind, put, 0},  \
	{                                \
		"trace2_" name, kind, put, 1 \
	}

/* A column for a field of the part of each trace. */
#define OF_PARTS(name, kind, put, field)                                     \
	{"trace1_" name, kind, put, offsetof(struct operation, part[0].field)},  \
	{                                                                        \
		"trace2_" name, kind, put, offsetof(struct operation, part[1].field) \
	}

static const struct sheet_column operation_columns[] = {
	{"operation", SHEET_TEXT, sheet_put_text, offsetof(struct operation, name)},
	OF_BOTH("count", SHEET_NUMBER, pair_put_count),
	OF_BOTH("total_ms", SHEET_NUMBER, pair_put_ms),
	OF_BOTH("avg_us", SHEET_NUMBER | SHEET_SPARE, pair_put_average),
	{"ratio", SHEET_NUMBER, pair_put_ratio, PAIR_TOTALS},
	{"avg_ratio", SHEET_NUMBER | SHEET_SPARE, pair_put_ratio, PAIR_AVERAGES},
	{"gap_ms", SHEET_NUMBER, pair_put_gap_ms, 0},
	{"status", SHEET_TEXT, put_status, 0},
	OF_PARTS("kernel", SHEET_TEXT | SHEET_WIDE, put_commonest, patterns),
	OF_PARTS("cpu_op", SHEET_TEXT | SHEET_WIDE, put_commonest, cpu_ops),
	{"phases", SHEET_TEXT | SHEET_WIDE, put_phases, 0},
};

/* A column of a stream for each trace. */
#define BOTH(name, kind, put)  \
	{name "1", kind, put, 0},  \
	{                          \
		name "2", kind, put, 1 \
	}

#define PARTS(name, kind, put, field)                                  \
	{name "1", kind, put, offsetof(struct operation, part[0].field)},  \
	{                                                                  \
		name "2", kind, put, offsetof(struct operation, part[1].field) \
	}

static const struct sheet_column operation_stream[] = {
	{"op", SHEET_TEXT, sheet_put_text, offsetof(struct operation, name)},
	{"gap", SHEET_NUMBER, pair_put_gap_us, 0},
	{"status", SHEET_TEXT, put_status, 0},
	BOTH("count", SHEET_NUMBER, pair_put_count),
	BOTH("total", SHEET_NUMBER, pair_put_us),
	BOTH("mean", SHEET_NUMBER, pair_put_average),
	{"ratio", SHEET_NUMBER, pair_put_ratio, PAIR_TOTALS},
	{"mean_ratio", SHEET_NUMBER, pair_put_ratio, PAIR_AVERAGES},
	PARTS("kernel", SHEET_TEXT, put_commonest, patterns),
	PARTS("cpu_op", SHEET_TEXT, put_commonest, cpu_ops),
	{"phases", SHEET_TEXT, put_phases, 0},
};

/* For people, the sums of all. */
static void put_total(const struct difftables *tables, struct sheet *sheet)
{
	struct operation total = {.name = STR("TOTAL")};

	for (int s = 0; s < SIDES; s++)
		total.sum[s] = tables->pair->trace[s].sum;
	sheet_row(sheet, &total);
}

static void write_operations(const struct difftables *tables, const char *title,
                             const struct sheet_column *columns_of, size_t count, bool totalled)
{
	struct sheet sheet;

	pair_sheet(tables->pair, &sheet, title, columns_of, count);
	sheet.context = tables;
	for (size_t i = 0; i < tables->operations->count; i++)
		sheet_row(&sheet, &tables->operations->operation[i]);
	if (totalled && sheet.people)
		put_total(tables, &sheet);
	sheet_end(&sheet);
}

/* --- layers -------------------------------------------------------------- */

/* The ratio of a layer that takes no time in trace2 is 1. */
static bool has_no_ratio(const struct group *sum)
{
	return sum[1].total.nano == 0 && !pair_one_sided(&sum[0], &sum[1]);
}

static void put_layer_ratio(struct sheet *sheet, const void *row, int which)
{
	if (has_no_ratio(row))
		buf_char(&sheet->cell, '1');
	else
		pair_put_ratio(sheet, row, which);
}

static void put_layer_status(struct sheet *sheet, const void *row, int which)
{
	const struct difftables *tables = sheet->context;

	(void)which;
	buf_text(&sheet->cell, has_no_ratio(row) ? "similar" : operations_status(row, tables->layer));
}

static void put_in_both(struct sheet *sheet, const void *row, int which)
{
	const struct group *sum = row;

	(void)which;
	buf_text(&sheet->cell, pair_one_sided(&sum[0], &sum[1]) ? "false" : "true");
}

static const struct sheet_column layer_columns[] = {
	{"layer", SHEET_NUMBER, sheet_put_dec, offsetof(struct operation_layer, number)},
	OF_BOTH("kernels", SHEET_NUMBER, pair_put_count),
	OF_BOTH("total_ms", SHEET_NUMBER, pair_put_ms),
	{"ratio", SHEET_NUMBER, put_layer_ratio, PAIR_TOTALS},
	{"gap_ms", SHEET_NUMBER, pair_put_gap_ms, 0},
	{"status", SHEET_TEXT, put_layer_status, 0},
	{"in_both", SHEET_NUMBER, put_in_both, 0}, /* in JSON only, as true or false */
};

static const struct sheet_column layer_stream[] = {
	{"layer", SHEET_NUMBER, sheet_put_dec, offsetof(struct operation_layer, number)},
	{"gap", SHEET_NUMBER, pair_put_gap_us, 0},
	{"status", SHEET_TEXT, put_layer_status, 0},
	BOTH("kernels", SHEET_NUMBER, pair_put_count),
	BOTH("total", SHEET_NUMBER, pair_put_us),
	{"ratio", SHEET_NUMBER, put_layer_ratio, PAIR_TOTALS},
};

static void write_layers(const struct difftables *tables)
{
	size_t count = sizeof layer_columns / sizeof *layer_columns;
	struct sheet sheet;

	if (tables->pair->form == FORM_TSV)
		pair_sheet(tables->pair, &sheet, "Layers", layer_stream,
		           sizeof layer_stream / sizeof *layer_stream);
	else
		pair_sheet(tables->pair, &sheet, "Layers", layer_columns,
		           tables->pair->form == FORM_JSON ? count : count - 1);
	sheet.context = tables;
	for (size_t i = 0; i < tables->operations->layers; i++)
		sheet_row(&sheet, &tables->operations->layer[i]);
	sheet_end(&sheet);
}

/* --- kernels and operators ----------------------------------------------- */

/* The context is the operation. */
static void put_row_operation(struct sheet *sheet, const void *row, int which)
{
	const struct operation *op = sheet->context;

	(void)row;
	(void)which;
	buf_str(&sheet->cell, op->name);
}

static const struct sheet_column kernel_columns[] = {
	{"operation", SHEET_TEXT, put_row_operation, 0},
	{"kernel", SHEET_NAME, sheet_put_text, offsetof(struct operation_kernel, name)},
	OF_BOTH("count", SHEET_NUMBER, pair_put_count),
	OF_BOTH("total_ms", SHEET_NUMBER, pair_put_ms),
};

static const struct sheet_column kernel_stream[] = {
	{"op", SHEET_TEXT, put_row_operation, 0},
	{"kernel", SHEET_NAME, sheet_put_text, offsetof(struct operation_kernel, name)},
	{"gap", SHEET_NUMBER, pair_put_gap_us, 0},
	BOTH("count", SHEET_NUMBER, pair_put_count),
	BOTH("total", SHEET_NUMBER, pair_put_us),
};

static void put_operator(struct sheet *sheet, const void *row, int which)
{
	const struct operation_kernel *operator= row;

	(void)which;
	if (sheet->people && operator->name.n == 0)
		buf_text(&sheet->cell, "(none)");
	buf_str(&sheet->cell, operator->name);
}

static const struct sheet_column operator_columns[] = {
	{"operation", SHEET_TEXT, put_row_operation, 0},
	{"cpu_op", SHEET_NAME, put_operator, 0},
	OF_BOTH("count", SHEET_NUMBER, pair_put_count),
	OF_BOTH("total_ms", SHEET_NUMBER, pair_put_ms),
	{"ratio", SHEET_NUMBER, pair_put_ratio, PAIR_TOTALS},
	{"gap_ms", SHEET_NUMBER, pair_put_gap_ms, 0},
};

static const struct sheet_column operator_stream[] = {
	{"op", SHEET_TEXT, put_row_operation, 0},
	{"cpu_op", SHEET_NAME, put_operator, 0}, /* empty: without an operator */
	{"gap", SHEET_NUMBER, pair_put_gap_us, 0},
	BOTH("count", SHEET_NUMBER, pair_put_count),
	BOTH("total", SHEET_NUMBER, pair_put_us),
	{"ratio", SHEET_NUMBER, pair_put_ratio, PAIR_TOTALS},
};

/* The rows of an operation; the caller frees them. */
typedef struct operation_kernel *find_rows(const struct difftables *tables,
                                           const struct operation *op, size_t *count);

static struct operation_kernel *kernels_of(const struct difftables *tables,
                                           const struct operation *op, size_t *count)
{
	(void)tables;
	return operation_kernels(&op->part[0].kernels, &op->part[1].kernels, count);
}

/* A report leaves out classes without any operator. */
static struct operation_kernel *operators_of(const struct difftables *tables,
                                             const struct operation *op, size_t *count)
{
	struct operation_kernel *rows =
		operation_operators(op, tables->by_operator ? 0 : OPERATORS_SHOWN, count);

	if (!tables->by_operator &&
	    op->part[0].cpu_ops.keys.count + op->part[1].cpu_ops.keys.count == 0)
		*count = 0;
	return rows;
}

static void write_parts(const struct difftables *tables, const char *title,
                        const struct sheet_column *columns_of, size_t columns_count,
                        find_rows *find)
{
	struct sheet sheet;

	pair_sheet(tables->pair, &sheet, title, columns_of, columns_count);
	for (size_t i = 0; i < tables->operations->count; i++) {
		const struct operation *op = &tables->operations->operation[i];
		size_t count;
		struct operation_kernel *rows = find(tables, op, &count);

		sheet.context = op;
		for (size_t j = 0; j < count; j++)
			sheet_row(&sheet, &rows[j]);
		free(rows);
	}
	sheet_end(&sheet);
}

static void write_kernels(const struct difftables *tables)
{
	if (tables->pair->form == FORM_TSV)
		write_parts(tables, "Kernels", kernel_stream, sizeof kernel_stream / sizeof *kernel_stream,
		            kernels_of);
	else
		write_parts(tables, "Kernels", kernel_columns,
		            sizeof kernel_columns / sizeof *kernel_columns, kernels_of);
}

static void write_operators(const struct difftables *tables)
{
	if (tables->pair->form == FORM_TSV)
		write_parts(tables, "Operators", operator_stream,
		            sizeof operator_stream / sizeof *operator_stream, operators_of);
	else
		write_parts(tables, "Operators", operator_columns,
		            sizeof operator_columns / sizeof *operator_columns, operators_of);
}

/* --- sections of a report -------------------------------------------------- */

static const struct sheet_column summary_columns[] = {
	{"status", SHEET_TEXT, sheet_put_text, offsetof(struct operations_total, status)},
	{"operations", SHEET_NUMBER, sheet_put_count, offsetof(struct operations_total, operations)},
	OF_BOTH("total_ms", SHEET_NUMBER, pair_put_ms),
	{"gap_ms", SHEET_NUMBER, pair_put_gap_ms, 0},
};

/* How many operations are slower, faster and so on. */
static void write_summary(const struct difftables *tables)
{
	struct operations_total totals[OPERATIONS_STATUSES];
	struct buf text = {0};
	struct sheet sheet;

	if (!operations_summarize(tables->operations, tables->similar, totals))
		die("%s", tables->operations->error);
	pair_sheet(tables->pair, &sheet, "Summary", summary_columns,
	           sizeof summary_columns / sizeof *summary_columns);
	for (size_t i = 0; i < OPERATIONS_STATUSES; i++)
		sheet_row(&sheet, &totals[i]);
	sheet_end(&sheet);
	if (tables->pair->form == FORM_JSON)
		return;
	limit_put(tables->similar, &text);
	output_format(&tables->pair->out.out,
	              "\nslower: trace1 takes over %.*s longer than trace2; faster: trace2 takes over "
	              "%.*s longer.\n",
	              (int)text.len, text.data, (int)text.len, text.data);
	buf_free(&text);
}

static const struct sheet_column commonest_columns[] = {
	{"operation", SHEET_TEXT, sheet_put_text, offsetof(struct operation, name)},
	OF_PARTS("kernel", SHEET_TEXT, put_commonest, patterns),
	OF_PARTS("cpu_op", SHEET_TEXT, put_commonest, cpu_ops),
	{"phases", SHEET_TEXT, put_phases, 0},
};

/* Cuts the last frame off a stack. */
static struct str pop_frame(struct str *stack)
{
	size_t begin = stack->n;
	struct str frame;

	while (begin && stack->s[begin - 1] != ';')
		begin--;
	frame = (struct str){stack->s + begin, stack->n - begin};
	stack->n = begin ? begin - 1 : 0;
	return frame;
}

/* A stack of an operation, the innermost frame first. */
static void put_stack(const struct difftables *tables, struct str name, int s, struct str stack)
{
	bool markdown = tables->pair->form == FORM_MARKDOWN;
	struct output *out = &tables->pair->out.out;
	void (*put)(struct buf *, struct str) = markdown ? table_markdown_text : plaintext_put;

	buf_text(&out->buf, markdown ? "- " : "\n");
	put(&out->buf, name);
	buf_format(&out->buf, ", trace%d:\n", s + 1);
	while (stack.n) {
		buf_text(&out->buf, markdown ? "  - " : "  ");
		put(&out->buf, pop_frame(&stack));
		output_char(out, '\n');
	}
}

static void write_stacks(const struct difftables *tables)
{
	bool any = false;

	for (size_t i = 0; i < tables->operations->count; i++) {
		const struct operation *op = &tables->operations->operation[i];

		for (int s = 0; s < SIDES; s++)
			for (size_t j = 0; j < op->part[s].stacks.count; j++) {
				if (!any)
					output_text(&tables->pair->out.out,
					            tables->pair->form == FORM_MARKDOWN
					                ? "\n## Python stacks, innermost frame first\n\n"
					                : "\nPython stacks, innermost frame first\n");
				any = true;
				put_stack(tables, op->name, s, strmap_key(&op->part[s].stacks, j));
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

/* The groups of a struct groups that is a field of the row. */
static void list_groups(struct sheet *sheet, const void *row, int field)
{
	const struct groups none = {.group = NULL};
	struct jsonw *w = sheet->json;
	struct buf text = {0};
	size_t count;
	struct operation_kernel *kernels = operation_kernels(sheet_field(row, field), &none, &count);

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
	OF_BOTH("count", SHEET_NUMBER, pair_put_count),
	OF_BOTH("avg_us", SHEET_NUMBER | SHEET_SPARE, pair_put_average),
	OF_BOTH("total_ms", SHEET_NUMBER, pair_put_ms),
	{"ratio", SHEET_NUMBER, pair_put_ratio, PAIR_TOTALS},
	{"avg_ratio", SHEET_NUMBER | SHEET_SPARE, pair_put_ratio, PAIR_AVERAGES},
	{"gap_ms", SHEET_NUMBER, pair_put_gap_ms, 0},
	{"status", SHEET_TEXT, put_status, 0},
	OF_PARTS("kernel", SHEET_TEXT, put_commonest, patterns),
	OF_PARTS("cpu_op", SHEET_TEXT, put_commonest, cpu_ops),
	OF_PARTS("cpu_ops", SHEET_LIST, list_groups, cpu_ops),
	OF_BOTH("python_stacks", SHEET_LIST, list_stacks),
	OF_PARTS("kernels", SHEET_LIST, list_groups, kernels),
	{"phases", SHEET_LIST, list_phases, 0},
};

static void write_json(const struct difftables *tables)
{
	write_summary(tables);
	write_operations(tables, "Operations", json_columns, sizeof json_columns / sizeof *json_columns,
	                 false);
	write_layers(tables);
}

/* --- all of them --------------------------------------------------------- */

/* Whether any kernel has an operator. */
static bool has_operators(const struct operations *operations)
{
	for (size_t i = 0; i < operations->count; i++)
		for (int s = 0; s < SIDES; s++)
			if (operations->operation[i].part[s].cpu_ops.keys.count)
				return true;
	return false;
}

static void write_tables(const struct difftables *tables)
{
	bool report = tables->pair->form != FORM_TSV;

	if (report)
		write_summary(tables);
	if (!report && !tables->by_layer && !tables->by_kernel && !tables->by_operator)
		write_operations(tables, "Operations", operation_stream,
		                 sizeof operation_stream / sizeof *operation_stream, false);
	if (report)
		write_operations(tables, "Operations", operation_columns,
		                 sizeof operation_columns / sizeof *operation_columns, true);
	if (tables->pair->form == FORM_REPORT)
		write_operations(tables, "Commonest kernels and operators", commonest_columns,
		                 sizeof commonest_columns / sizeof *commonest_columns, false);
	if (tables->by_operator || (report && has_operators(tables->operations)))
		write_operators(tables);
	if (tables->by_kernel)
		write_kernels(tables);
	if (tables->by_layer)
		write_layers(tables);
	if (report)
		write_stacks(tables);
}

void difftables_write(const struct difftables *tables)
{
	if (tables->pair->form == FORM_JSON)
		write_json(tables);
	else
		write_tables(tables);
}
