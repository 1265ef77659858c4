#include "align.h"

#include <stdlib.h>

#include "base/mem.h"

#include "lcs.h"

/* A pass, whose kernels are one sequence. */
struct align_pass {
	bool timed;
	struct dec start; /* start of the first kernel, if it is timed */
	uint32_t number;
	uint32_t rank; /* in order of time */
};

/* --- gathering ------------------------------------------------------------ */

static struct align_pass *pass_of(struct align_side *side, uint32_t number)
{
	if (number >= side->passes)
		side->pass =
			mem_grow(side->pass, &side->passes_cap, (size_t)number + 1, sizeof *side->pass);
	for (; number >= side->passes; side->passes++)
		side->pass[side->passes] = (struct align_pass){.number = (uint32_t)side->passes};
	return &side->pass[number];
}

void align_add(struct align *align, int s, const struct align_kernel *kernel)
{
	struct align_side *side = &align->side[s];
	struct align_pass *pass = pass_of(side, kernel->pass);

	if (kernel->timed && (!pass->timed || dec_compare(kernel->ts, pass->start) < 0)) {
		pass->timed = true;
		pass->start = kernel->ts;
	}
	side->steps |= kernel->step;
	side->kernels = mem_grow(side->kernels, &side->cap, side->count + 1, sizeof *side->kernels);
	side->kernels[side->count] = *kernel;
	side->kernels[side->count++].side = (uint8_t)s;
}

/* --- layers -------------------------------------------------------------- */

/* Kernels of one side are in one array, in the order in which they came. */
static int compare_places(const struct align_kernel *a, const struct align_kernel *b)
{
	return (a > b) - (a < b);
}

static int compare_runs(const void *a, const void *b)
{
	const struct align_kernel *x = *(struct align_kernel *const *)a;
	const struct align_kernel *y = *(struct align_kernel *const *)b;
	int order = (x->pass > y->pass) - (x->pass < y->pass);

	if (order == 0)
		order = dec_compare(x->ts, y->ts);
	return order ? order : compare_places(x, y);
}

static int compare_passes(const void *a, const void *b)
{
	const struct align_pass *x = *(struct align_pass *const *)a;
	const struct align_pass *y = *(struct align_pass *const *)b;
	int order = dec_compare(x->start, y->start);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Numbers passes in order of time: their rows may come in any order. */
static void rank_passes(struct align_side *side)
{
	struct align_pass **order = mem_alloc(side->passes + 1, sizeof(struct align_pass *));

	for (size_t i = 0; i < side->passes; i++)
		order[i] = &side->pass[i];
	if (side->passes)
		qsort(order, side->passes, sizeof(struct align_pass *), compare_passes);
	for (size_t i = 0; i < side->passes; i++)
		order[i]->rank = (uint32_t)i;
	free(order);
}

/* Each attention of a pass begins the next layer. */
static void number_layers(struct align_side *side, struct align_kernel **order)
{
	int32_t layer = ALIGN_BEFORE;

	rank_passes(side);
	for (size_t i = 0; i < side->count; i++) {
		struct align_kernel *kernel = &side->kernels[i];

		kernel->pass = side->pass[kernel->pass].rank;
		order[i] = kernel;
	}
	if (side->count)
		qsort(order, side->count, sizeof(struct align_kernel *), compare_runs);
	for (size_t i = 0; i < side->count; i++) {
		struct align_kernel *kernel = order[i];

		if (i == 0 || kernel->pass != order[i - 1]->pass)
			layer = ALIGN_BEFORE;
		layer += kernel->timed && kernel->attention;
		kernel->layer = layer;
		if (!kernel->timed || (side->steps && !kernel->step))
			kernel->layer = ALIGN_OUTSIDE;
		else if (layer >= side->layers)
			side->layers = layer + 1;
	}
}

/* By layer, then by side, then as number_layers left them. */
static int compare_layers(const void *a, const void *b)
{
	const struct align_kernel *x = *(struct align_kernel *const *)a;
	const struct align_kernel *y = *(struct align_kernel *const *)b;
	int order = (x->layer > y->layer) - (x->layer < y->layer);

	if (order == 0)
		order = x->side - y->side;
	return order ? order : compare_runs(a, b);
}

static void sort_kernels(struct align *align)
{
	align->count = align->side[0].count + align->side[1].count;
	align->order = mem_alloc(align->count + 1, sizeof(struct align_kernel *));
	number_layers(&align->side[0], align->order);
	number_layers(&align->side[1], align->order + align->side[0].count);
	if (align->count)
		qsort(align->order, align->count, sizeof(struct align_kernel *), compare_layers);
}

/* --- which kernels face each other ----------------------------------------- */

static uint32_t add_row(struct align *align, int32_t layer, size_t position, size_t op)
{
	align->rows =
		mem_grow(align->rows, &align->rows_cap, align->rows_count + 1, sizeof *align->rows);
	align->rows[align->rows_count] =
		(struct align_row){.layer = layer, .position = position, .op = op};
	return (uint32_t)align->rows_count++;
}

/* The place at which the kernels of another pass, side or layer begin. */
static size_t end_of_run(const struct align *align, size_t begin, size_t end)
{
	const struct align_kernel *first = align->order[begin];
	size_t i = begin;

	while (i < end && align->order[i]->pass == first->pass && align->order[i]->side == first->side)
		i++;
	return i;
}

/* Rows by position and class. */
static void align_by_position(struct align *align, const struct align_layer *layer, size_t begin,
                              size_t end)
{
	struct strmap rows = {0};
	size_t stop;

	for (size_t i = begin; i < end; i = stop) {
		stop = end_of_run(align, i, end);
		for (size_t j = i; j < stop; j++) {
			const size_t key[] = {j - i, align->order[j]->op};
			bool new;
			size_t row = strmap_add(&rows, (struct str){(const char *)key, sizeof key}, &new);

			if (new)
				add_row(align, layer->number, key[0], key[1]);
			align->order[j]->row = (uint32_t)(layer->first_row + row);
		}
	}
	strmap_free(&rows);
}

/* A sequence of rows. Passes are matched with it, and it grows by their unmatched kernels. */
struct spine {
	struct lcs_item *items;
	uint32_t *rows;
	size_t count;
};

/* An empty one, with room for so many. */
static struct spine new_spine(size_t most)
{
	return (struct spine){.items = mem_alloc(most + 1, sizeof(struct lcs_item)),
	                      .rows = mem_alloc(most + 1, sizeof(uint32_t))};
}

static void free_spine(struct spine *spine)
{
	free(spine->items);
	free(spine->rows);
}

/*
 * Merges both: items that face each other become one item, others keep their place. Sets place[i]
 * to the place of items[i] in the result; its row is NEW_ROW if it faces no item.
 */
#define NEW_ROW UINT32_MAX

static struct spine merge(const struct spine *spine, const struct lcs_item *items, size_t count,
                          size_t *place)
{
	struct spine whole = new_spine(spine->count + count);
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

/* Matches the kernels of one pass with the spine of its side. */
static void add_pass_to_spine(struct align *align, const struct align_layer *layer,
                              struct spine *spine, size_t begin, size_t end)
{
	size_t count = end - begin;
	struct lcs_item *items = mem_alloc(count + 1, sizeof *items);
	size_t *place = mem_alloc(count + 1, sizeof *place);
	struct spine whole;

	for (size_t i = 0; i < count; i++)
		items[i] = (struct lcs_item){align->order[begin + i]->op, align->order[begin + i]->alike};
	whole = merge(spine, items, count, place);
	for (size_t i = 0; i < count; i++) {
		uint32_t *row = &whole.rows[place[i]];

		if (*row == NEW_ROW)
			*row = add_row(align, layer->number, 0, items[i].class);
		align->order[begin + i]->row = *row;
	}
	free_spine(spine);
	*spine = whole;
	free(items);
	free(place);
}

/* Rows by the longest common subsequence: of the passes of each side, then of the sides. */
static void align_by_order(struct align *align, const struct align_layer *layer, size_t begin,
                           size_t end)
{
	struct spine spine[ALIGN_SIDES] = {new_spine(0), new_spine(0)};
	struct spine whole;
	uint32_t *row_of = NULL; /* the row that each row of the second side becomes */
	size_t *place;
	size_t stop;

	for (size_t i = begin; i < end; i = stop) {
		stop = end_of_run(align, i, end);
		add_pass_to_spine(align, layer, &spine[align->order[i]->side], i, stop);
	}
	place = mem_alloc(spine[1].count + 1, sizeof *place);
	row_of = mem_alloc(align->rows_count - layer->first_row + 1, sizeof *row_of);
	for (size_t i = layer->first_row; i < align->rows_count; i++)
		row_of[i - layer->first_row] = (uint32_t)i;
	whole = merge(&spine[0], spine[1].items, spine[1].count, place);
	for (size_t i = 0; i < spine[1].count; i++) {
		uint32_t *row = &whole.rows[place[i]];

		if (*row == NEW_ROW)
			*row = spine[1].rows[i];
		row_of[spine[1].rows[i] - layer->first_row] = *row;
	}
	for (size_t i = begin; i < end; i++)
		align->order[i]->row = row_of[align->order[i]->row - layer->first_row];
	for (size_t i = 0; i < whole.count; i++)
		align->rows[whole.rows[i]].position = i;
	free(place);
	free(row_of);
	free_spine(&spine[0]);
	free_spine(&spine[1]);
	free_spine(&whole);
}

static void align_layer(struct align *align, size_t begin, size_t end)
{
	struct align_layer *layer;
	size_t stop;

	align->layers =
		mem_grow(align->layers, &align->layers_cap, align->layers_count + 1, sizeof *align->layers);
	layer = &align->layers[align->layers_count++];
	*layer =
		(struct align_layer){.number = align->order[begin]->layer, .first_row = align->rows_count};
	for (size_t i = begin; i < end; i = stop) {
		stop = end_of_run(align, i, end);
		layer->runs[align->order[i]->side]++;
	}
	if (align->by_order)
		align_by_order(align, layer, begin, end);
	else
		align_by_position(align, layer, begin, end);
}

static void align_layers(struct align *align)
{
	size_t end;

	for (size_t begin = 0; begin < align->count; begin = end) {
		for (end = begin;
		     end < align->count && align->order[end]->layer == align->order[begin]->layer;)
			end++;
		align_layer(align, begin, end);
	}
}

/* --- the rows ------------------------------------------------------------ */

static int compare_rows(const void *a, const void *b)
{
	const struct align_row *x = *(struct align_row *const *)a;
	const struct align_row *y = *(struct align_row *const *)b;
	int order = (x->layer > y->layer) - (x->layer < y->layer);

	if (order == 0)
		order = (x->position > y->position) - (x->position < y->position);
	return order ? order : str_compare(x->operation, y->operation);
}

/* The rows that have kernels, in their order; the other rows became rows of the first side. */
static struct align_row **sort_rows(struct align *align, const struct strmap *ops, size_t *count)
{
	struct align_row **order = mem_zero(align->rows_count + 1, sizeof(struct align_row *));

	for (size_t i = 0; i < align->count; i++) {
		uint32_t row = align->order[i]->row;

		order[row] = &align->rows[row];
	}
	*count = 0;
	for (size_t i = 0; i < align->rows_count; i++) {
		if (!order[i])
			continue;
		order[i]->operation = strmap_key(ops, order[i]->op);
		order[(*count)++] = order[i];
	}
	if (*count)
		qsort(order, *count, sizeof(struct align_row *), compare_rows);
	return order;
}

/* Puts rows into their order, and updates their numbers in kernels and layers. */
static void order_rows(struct align *align, const struct strmap *ops)
{
	size_t count;
	struct align_row **order = sort_rows(align, ops, &count);
	struct align_row *rows = mem_alloc(count + 1, sizeof *rows);
	uint32_t *number = mem_alloc(align->rows_count + 1, sizeof *number);
	size_t r = 0;

	for (size_t i = 0; i < count; i++) {
		number[order[i] - align->rows] = (uint32_t)i;
		rows[i] = *order[i];
	}
	for (size_t i = 0; i < align->count; i++)
		align->order[i]->row = number[align->order[i]->row];
	for (size_t i = 0; i < align->layers_count; i++) {
		struct align_layer *layer = &align->layers[i];

		layer->first_row = r;
		while (r < count && rows[r].layer == layer->number)
			r++;
		layer->rows = r - layer->first_row;
	}
	free(number);
	free(order);
	free(align->rows);
	align->rows = rows;
	align->rows_count = align->rows_cap = count;
}

void align_find(struct align *align, const struct strmap *ops)
{
	sort_kernels(align);
	align_layers(align);
	order_rows(align, ops);
}

void align_free(struct align *align)
{
	for (int s = 0; s < ALIGN_SIDES; s++) {
		free(align->side[s].kernels);
		free(align->side[s].pass);
	}
	free(align->order);
	free(align->rows);
	free(align->layers);
	*align = (struct align){.by_order = align->by_order};
}
