#include "alignsum.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "compare/pair.h"
#include "kernel/kclass.h"

/* What the kernels of one name in a row sum up to. */
struct named {
	size_t row;
	size_t op;
	size_t name;
	struct group sum[ALIGN_SIDES];
};

struct named_list {
	struct named *items;
	size_t count;
	size_t cap;
};

static bool too_large(struct alignsum *sums)
{
	snprintf(sums->error, sizeof sums->error, "dur: the sum is too large");
	return false;
}

/* --- rows and layers ------------------------------------------------------ */

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
static void note_name(struct alignsum_row *row, int side, struct str name, uint64_t count,
                      uint64_t *most)
{
	struct str *best = &row->kernel[side];

	if (count > *most || (count == *most && str_compare(name, *best) < 0)) {
		*best = name;
		*most = count;
	}
}

static void add_named(struct named_list *list, const struct align_kernel *kernel,
                      const struct group *sum)
{
	struct named *named;

	list->items = mem_grow(list->items, &list->cap, list->count + 1, sizeof *list->items);
	named = &list->items[list->count++];
	*named = (struct named){.row = kernel->row, .op = kernel->op, .name = kernel->name};
	named->sum[kernel->side] = *sum;
}

/* The kernels are gone through by row, side and name; list may be NULL. */
static bool sum_rows(struct alignsum *sums, struct align *align, const struct strmap *names,
                     struct named_list *list)
{
	struct align_kernel **order = align->order;
	uint64_t most = 0;
	size_t end;

	sums->rows = mem_zero(align->rows_count + 1, sizeof *sums->rows);
	for (size_t i = 0; i < align->rows_count; i++)
		sums->rows[i].at = &align->rows[i];
	if (align->count)
		qsort(order, align->count, sizeof(struct align_kernel *), compare_named);
	for (size_t i = 0; i < align->count; i = end) {
		const struct align_kernel *first = order[i];
		struct alignsum_row *row = &sums->rows[first->row];
		struct group sum = {0};

		for (end = i; end < align->count && compare_named(&order[end], &order[i]) == 0; end++)
			if (!group_add(&sum, order[end]->dur, 1))
				return too_large(sums);
		if (row->sum[first->side].count == 0)
			most = 0;
		note_name(row, first->side, strmap_key(names, first->name), end - i, &most);
		if (!group_merge(&row->sum[first->side], &sum))
			return too_large(sums);
		if (list)
			add_named(list, first, &sum);
	}
	return true;
}

static bool is_aligned(const struct alignsum_row *row)
{
	return row->sum[0].count && row->sum[1].count;
}

static bool sum_layer(struct alignsum *sums, struct alignsum_layer *layer)
{
	for (size_t i = 0; i < layer->at->rows; i++) {
		struct alignsum_row *row = &sums->rows[layer->at->first_row + i];

		row->layer = layer;
		for (int s = 0; s < ALIGN_SIDES; s++)
			if (!group_merge(&layer->sum[s], &row->sum[s]) ||
			    (is_aligned(row) && !group_merge(&layer->aligned[s], &row->sum[s])))
				return too_large(sums);
	}
	return true;
}

/* How many kernels of a class each side has in a layer. */
struct class_count {
	uint64_t kernels[ALIGN_SIDES];
};

static void count_classes(struct alignsum_row *rows, size_t count, struct class_count *classes)
{
	for (size_t i = 0; i < count; i++)
		classes[rows[i].at->op] = (struct class_count){{0}};
	for (size_t i = 0; i < count; i++)
		for (int s = 0; s < ALIGN_SIDES; s++)
			classes[rows[i].at->op].kernels[s] += rows[i].sum[s].count;
	for (size_t i = 0; i < count; i++)
		memcpy(rows[i].class_kernels, classes[rows[i].at->op].kernels,
		       sizeof rows[i].class_kernels);
}

static bool sum_layers(struct alignsum *sums, const struct align *align, size_t ops)
{
	struct class_count *classes = mem_alloc(ops + 1, sizeof *classes);
	bool good = true;

	sums->layers = mem_zero(align->layers_count + 1, sizeof *sums->layers);
	for (size_t i = 0; i < align->layers_count && good; i++) {
		const struct align_layer *at = &align->layers[i];

		sums->layers[i].at = at;
		good = sum_layer(sums, &sums->layers[i]);
		count_classes(sums->rows + at->first_row, at->rows, classes);
	}
	free(classes);
	return good;
}

/* --- kernels named alike --------------------------------------------------- */

static int compare_numbers(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int compare_named_rows(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;
	int order = compare_numbers(x->row, y->row);

	return order ? order : compare_numbers(x->name, y->name);
}

/*
 * Orders by class and name: equal entries of several rows are one entry of the kernels named alike.
 */
static int compare_kinds(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;
	int order = compare_numbers(x->op, y->op);

	return order ? order : compare_numbers(x->name, y->name);
}

static int compare_same(const void *a, const void *b)
{
	const struct alignsum_same *x = a;
	const struct alignsum_same *y = b;
	int order = pair_compare_gaps(x->gap, y->gap);

	if (order == 0)
		order = str_compare(x->operation, y->operation);
	return order ? order : str_compare(x->name, y->name);
}

static bool add_sums(struct group *sum, const struct group *part)
{
	return group_merge(&sum[0], &part[0]) && group_merge(&sum[1], &part[1]);
}

static bool add_same(struct alignsum_same *same, const struct named *named)
{
	int order = group_compare_means(&named->sum[0], &named->sum[1]);

	same->pairs++;
	same->faster[0] += order < 0;
	same->faster[1] += order > 0;
	if (!add_sums(same->sum, named->sum))
		return false;
	same->gap = same->sum[0].total;
	return dec_subtract(&same->gap, same->sum[1].total);
}

/* Adds the ratio of the averages of a pair, times 10^9: it is kept to 18 places. */
static bool add_ratio(struct alignsum_alike *alike, const struct group *sum)
{
	struct dec a = sum[0].total;
	struct dec b = sum[1].total;
	struct buf text = {0};
	struct dec ratio;
	bool good;

	if (a.nano < 0 || b.nano <= 0)
		return true;
	if (__builtin_mul_overflow(a.nano, (__int128)sum[1].count, &a.nano) ||
	    __builtin_mul_overflow(b.nano, (__int128)sum[0].count, &b.nano))
		return false;
	dec_quotient_fixed(&text, a, b, 9, 9);
	good = dec_parse(buf_view(&text), &ratio) == DEC_OK && dec_add(&alike->ratio, ratio);
	alike->ratios++;
	buf_free(&text);
	return good;
}

void alignsum_mean_ratio(const struct alignsum_alike *alike, struct buf *out)
{
	if (alike->ratios)
		dec_quotient(out, alike->ratio, dec_of((int64_t)alike->ratios), -9);
}

/* Keeps the names that both sides have in a row. */
static bool join_named(struct named_list *list)
{
	struct named *named = list->items;
	size_t count = 0;

	if (list->count)
		qsort(named, list->count, sizeof *named, compare_named_rows);
	for (size_t i = 1; i < list->count; i++) {
		if (compare_named_rows(&named[i - 1], &named[i]) != 0)
			continue;
		/* The two are of different sides: no name comes twice in a row of one side. */
		named[count] = named[i - 1];
		if (!add_sums(named[count++].sum, named[i].sum))
			return false;
	}
	list->count = count;
	return true;
}

static bool find_same(struct alignsum *sums, struct named_list *list, const struct strmap *ops,
                      const struct strmap *names)
{
	if (!join_named(list))
		return too_large(sums);
	if (list->count)
		qsort(list->items, list->count, sizeof *list->items, compare_kinds);
	sums->same = mem_zero(list->count + 1, sizeof *sums->same);
	for (size_t i = 0; i < list->count; i++) {
		const struct named *named = &list->items[i];
		struct alignsum_same *same;

		sums->same_count += i == 0 || compare_kinds(named - 1, named) != 0;
		same = &sums->same[sums->same_count - 1];
		same->operation = strmap_key(ops, named->op);
		same->name = strmap_key(names, named->name);
		if (!add_same(same, named) || !add_same(&sums->alike.all, named) ||
		    !add_ratio(&sums->alike, named->sum))
			return too_large(sums);
	}
	sums->alike.kernels = sums->same_count;
	if (sums->same_count)
		qsort(sums->same, sums->same_count, sizeof *sums->same, compare_same);
	return true;
}

bool alignsum_find(struct alignsum *sums, struct align *align, const struct strmap *ops,
                   const struct strmap *names, bool same)
{
	struct named_list list = {0};
	bool good = sum_rows(sums, align, names, same ? &list : NULL) &&
	            sum_layers(sums, align, ops->count) && find_same(sums, &list, ops, names);

	free(list.items);
	return good;
}

void alignsum_free(struct alignsum *sums)
{
	free(sums->rows);
	free(sums->layers);
	free(sums->same);
	*sums = (struct alignsum){0};
}

/* --- notes ---------------------------------------------------------------- */

bool alignsum_is_same(const struct alignsum_row *row)
{
	return is_aligned(row) && str_equal(row->kernel[0], row->kernel[1]);
}

/* Only one side has kernels in the row. */
static void note_alone(const struct alignsum_row *row, bool by_order, struct buf *out)
{
	const uint64_t *kernels = row->class_kernels;
	const uint64_t *runs = row->layer->at->runs;
	int has = row->sum[0].count == 0;

	if (runs[1 - has] == 0)
		return; /* the other side has no such layer: no row of it has a note */
	if (kernels[1 - has]) {
		/* In a layer of one pass: the traces may have more or fewer passes. */
		if (by_order &&
		    (__int128)kernels[has] * runs[1 - has] > (__int128)kernels[1 - has] * runs[has])
			buf_format(out, "one more in trace%d", has + 1);
		else
			buf_format(out, "elsewhere in trace%d", 2 - has);
	} else if (!kclass_is_everywhere(row->at->operation)) {
		buf_format(out, "%s trace%d",
		           str_has_byte(row->at->operation, '+') ? "fused by" : "only in", has + 1);
	}
}

/* Notes that a side has the class more than 1.5 times as often in a layer of one pass. */
static void note_more_often(const struct alignsum_row *row, struct buf *out)
{
	__int128 often[ALIGN_SIDES];
	int more;

	for (int s = 0; s < ALIGN_SIDES; s++)
		often[s] = (__int128)row->sum[s].count * (__int128)row->layer->at->runs[1 - s];
	more = often[1] > often[0];
	if (2 * often[more] <= 3 * often[1 - more])
		return;
	buf_format(out, "trace%d runs it ", more + 1);
	dec_quotient_digits(out, (struct dec){often[more]}, (struct dec){often[1 - more]}, 0, 3);
	buf_text(out, " times as often");
}

void alignsum_note(const struct alignsum_row *row, bool by_order, struct buf *out)
{
	if (row->at->layer == ALIGN_OUTSIDE)
		return; /* how often something ran there is not known */
	if (is_aligned(row))
		note_more_often(row, out);
	else
		note_alone(row, by_order, out);
}
