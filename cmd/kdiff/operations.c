#include "operations.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "compare/pair.h"

static bool too_large(struct operations *operations)
{
	snprintf(operations->error, sizeof operations->error, "dur: the sum is too large");
	return false;
}

/* --- gathering ------------------------------------------------------------ */

static struct operation *operation_of(struct operations *operations, struct str name)
{
	bool new;
	size_t number = strmap_add(&operations->names, name, &new);

	operations->operation = mem_grow(operations->operation, &operations->cap, number + 1,
	                                 sizeof *operations->operation);
	if (new)
		operations->operation[operations->count++] = (struct operation){.name = {NULL, 0}};
	return &operations->operation[number];
}

static bool add_text(struct groups *groups, struct str text, struct dec dur)
{
	return text.n == 0 || group_add(groups_get(groups, text), dur, 1);
}

static bool add_layer(struct operations *operations, int s, struct dec number, struct dec dur)
{
	struct operation_layer *layer;
	size_t i;
	bool new;

	operations->key.len = 0;
	dec_print(&operations->key, number);
	i = strmap_add(&operations->numbers, buf_view(&operations->key), &new);
	operations->layer =
		mem_grow(operations->layer, &operations->layers_cap, i + 1, sizeof *operations->layer);
	layer = &operations->layer[i];
	if (new)
		operations->layer[operations->layers++] = (struct operation_layer){.number = number};
	operations->layers_of[s] += layer->sum[s].count == 0;
	return group_add(&layer->sum[s], dur, 1);
}

bool operations_add(struct operations *operations, int s, const struct operations_row *row)
{
	struct operation *op = operation_of(operations, row->op);
	struct operation_part *part = &op->part[s];

	if (!group_add(&op->sum[s], row->dur, 1) || !add_text(&part->kernels, row->name, row->dur) ||
	    !add_text(&part->patterns, row->pattern, row->dur) ||
	    !add_text(&part->cpu_ops, row->cpu_op, row->dur) ||
	    (row->has_layer && !add_layer(operations, s, row->layer, row->dur)))
		return too_large(operations);
	if (row->phase.n)
		strmap_add(&op->phases, row->phase, NULL);
	if (row->stack.n && (operations->stacks == 0 || part->stacks.count < operations->stacks))
		strmap_add(&part->stacks, row->stack, NULL);
	return true;
}

/* --- comparing ------------------------------------------------------------ */

static bool merge_groups(struct groups *to, const struct groups *from)
{
	for (size_t i = 0; i < from->keys.count; i++)
		if (!group_merge(groups_get(to, strmap_key(&from->keys, i)), &from->group[i]))
			return false;
	return true;
}

static void merge_words(struct strmap *to, const struct strmap *from, size_t most)
{
	for (size_t i = 0; i < from->count && (most == 0 || to->count < most); i++)
		strmap_add(to, strmap_key(from, i), NULL);
}

/* Adds a side of one operation to that side of another operation, and leaves it without kernels. */
static bool merge_side(struct operation *to, struct operation *from, int s, size_t stacks)
{
	struct operation_part *a = &to->part[s];
	struct operation_part *b = &from->part[s];

	merge_words(&to->phases, &from->phases, 0);
	merge_words(&a->stacks, &b->stacks, stacks);
	if (!group_merge(&to->sum[s], &from->sum[s]) || !merge_groups(&a->kernels, &b->kernels) ||
	    !merge_groups(&a->patterns, &b->patterns) || !merge_groups(&a->cpu_ops, &b->cpu_ops))
		return false;
	from->sum[s] = (struct group){0};
	return true;
}

bool operations_merge_phases(struct operations *operations, int s)
{
	for (size_t i = 0; i < operations->count; i++) {
		size_t to = pair_without_phase(&operations->names, i);

		if (to != i && !merge_side(&operations->operation[to], &operations->operation[i], s,
		                           operations->stacks))
			return too_large(operations);
	}
	return true;
}

/* Moves a side of one operation to another operation, which has no kernels on that side. */
static void move_side(struct operation *to, struct operation *from, int s)
{
	struct operation_part none = to->part[s];

	to->sum[s] = from->sum[s];
	from->sum[s] = (struct group){0};
	to->part[s] = from->part[s];
	from->part[s] = none;
}

/*
 * A side that fuses its norms into products has no plain norms: if the other side has plain norms
 * only, they face each other. Each kernel stays in one row.
 */
static void face_norms(struct operations *operations)
{
	size_t fused = strmap_find(&operations->names, STR("RMSNorm+GEMM"));
	size_t plain = strmap_find(&operations->names, STR("RMSNorm"));

	if (fused == STRMAP_NONE || plain == STRMAP_NONE)
		return;
	for (int a = 0; a < OPERATIONS_SIDES; a++) {
		struct operation *f = &operations->operation[fused];
		struct operation *p = &operations->operation[plain];
		int b = 1 - a;

		if (!f->sum[a].count || f->sum[b].count || !p->sum[b].count || p->sum[a].count)
			continue;
		move_side(f, p, b);
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

static int compare_layers(const void *a, const void *b)
{
	const struct operation_layer *x = a;
	const struct operation_layer *y = b;
	int order = pair_one_sided(&x->sum[0], &x->sum[1]) - pair_one_sided(&y->sum[0], &y->sum[1]);

	if (order == 0)
		order = pair_compare_gaps(x->gap, y->gap);
	return order ? order : dec_compare(x->number, y->number);
}

static bool set_gap(struct dec *gap, const struct group *sum)
{
	*gap = sum[0].total;
	return dec_subtract(gap, sum[1].total);
}

static void free_operation(struct operation *op)
{
	for (int s = 0; s < OPERATIONS_SIDES; s++) {
		struct operation_part *part = &op->part[s];

		groups_free(&part->patterns);
		groups_free(&part->cpu_ops);
		groups_free(&part->kernels);
		strmap_free(&part->stacks);
	}
	strmap_free(&op->phases);
}

bool operations_compare(struct operations *operations)
{
	size_t count = 0;

	face_norms(operations);
	for (size_t i = 0; i < operations->count; i++) {
		struct operation *op = &operations->operation[i];

		op->name = strmap_key(&operations->names, i);
		if (!set_gap(&op->gap, op->sum))
			return too_large(operations);
	}
	for (size_t i = 0; i < operations->layers; i++)
		if (!set_gap(&operations->layer[i].gap, operations->layer[i].sum))
			return too_large(operations);
	for (size_t i = 0; i < operations->count; i++) {
		struct operation *op = &operations->operation[i];

		if (op->sum[0].count || op->sum[1].count)
			operations->operation[count++] = *op;
		else
			free_operation(op);
	}
	operations->count = count;
	if (count)
		qsort(operations->operation, count, sizeof *operations->operation, compare_operations);
	if (operations->layers)
		qsort(operations->layer, operations->layers, sizeof *operations->layer, compare_layers);
	return true;
}

const char *operations_status(const struct group *sum, const struct limit *limit)
{
	if (sum[1].count == 0)
		return "trace1_only";
	if (sum[0].count == 0)
		return "trace2_only";
	if (limit_is_exceeded(limit, sum[0].total, sum[1].total))
		return "slower";
	if (limit_is_exceeded(limit, sum[1].total, sum[0].total))
		return "faster";
	return "similar";
}

/* --- the kernels of an operation ------------------------------------------- */

static struct dec larger(const struct operation_kernel *k)
{
	return dec_compare(k->sum[0].total, k->sum[1].total) > 0 ? k->sum[0].total : k->sum[1].total;
}

static int compare_kernels(const void *a, const void *b)
{
	const struct operation_kernel *x = a;
	const struct operation_kernel *y = b;
	int order = dec_compare(larger(y), larger(x));

	return order ? order : str_compare(x->name, y->name);
}

struct operation_kernel *operation_kernels(const struct groups *a, const struct groups *b,
                                           size_t *count)
{
	struct operation_kernel *kernels = mem_zero(a->keys.count + b->keys.count + 1, sizeof *kernels);

	*count = a->keys.count;
	for (size_t i = 0; i < a->keys.count; i++) {
		kernels[i].name = strmap_key(&a->keys, i);
		kernels[i].sum[0] = a->group[i];
	}
	for (size_t i = 0; i < b->keys.count; i++) {
		size_t at = strmap_find(&a->keys, strmap_key(&b->keys, i));

		if (at == STRMAP_NONE)
			at = (*count)++;
		kernels[at].name = strmap_key(&b->keys, i);
		kernels[at].sum[1] = b->group[i];
	}
	qsort(kernels, *count, sizeof *kernels, compare_kernels);
	return kernels;
}

/* A gap that is out of range counts as the total of the first. */
static struct dec gap_of(const struct group *sum)
{
	struct dec gap = sum[0].total;

	dec_subtract(&gap, sum[1].total);
	return gap;
}

static int compare_operators(const void *a, const void *b)
{
	const struct operation_kernel *x = a;
	const struct operation_kernel *y = b;
	int order = pair_compare_gaps(gap_of(x->sum), gap_of(y->sum));

	return order ? order : compare_kernels(a, b);
}

/* The kernels of an operation that are in none of the rows. */
static struct operation_kernel rest_of(const struct operation *op,
                                       const struct operation_kernel *rows, size_t count)
{
	struct operation_kernel rest = {.name = {NULL, 0}};

	for (int s = 0; s < OPERATIONS_SIDES; s++) {
		rest.sum[s].count = op->sum[s].count;
		rest.sum[s].total = op->sum[s].total;
		for (size_t i = 0; i < count; i++) {
			rest.sum[s].count -= rows[i].sum[s].count;
			dec_subtract(&rest.sum[s].total, rows[i].sum[s].total);
		}
	}
	return rest;
}

struct operation_kernel *operation_operators(const struct operation *op, size_t most, size_t *count)
{
	struct operation_kernel *rows =
		operation_kernels(&op->part[0].cpu_ops, &op->part[1].cpu_ops, count);
	struct operation_kernel rest = rest_of(op, rows, *count);

	if (rest.sum[0].count || rest.sum[1].count)
		rows[(*count)++] = rest;
	qsort(rows, *count, sizeof *rows, compare_operators);
	if (most && *count > most) {
		rows[most] = rest_of(op, rows, most);
		rows[most].name = STR("(others)");
		*count = most + 1;
	}
	return rows;
}

/* --- summary --------------------------------------------------------------- */

bool operations_summarize(struct operations *operations, const struct limit *limit,
                          struct operations_total totals[OPERATIONS_STATUSES])
{
	static const char *const statuses[OPERATIONS_STATUSES] = {"slower", "faster", "similar",
	                                                          "trace1_only", "trace2_only"};

	for (size_t i = 0; i < OPERATIONS_STATUSES; i++)
		totals[i] = (struct operations_total){.status = str_of(statuses[i])};
	for (size_t i = 0; i < operations->count; i++) {
		const struct group *sum = operations->operation[i].sum;
		struct str status = str_of(operations_status(sum, limit));
		struct operations_total *total = totals;

		while (!str_equal(total->status, status))
			total++;
		total->operations++;
		if (!group_merge(&total->sum[0], &sum[0]) || !group_merge(&total->sum[1], &sum[1]))
			return too_large(operations);
	}
	return true;
}

void operations_free(struct operations *operations)
{
	for (size_t i = 0; i < operations->count; i++)
		free_operation(&operations->operation[i]);
	free(operations->operation);
	free(operations->layer);
	strmap_free(&operations->names);
	strmap_free(&operations->numbers);
	buf_free(&operations->key);
	*operations = (struct operations){.stacks = operations->stacks};
}
