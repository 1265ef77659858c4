#include "annotated.h"

#include "base/mem.h"

#include <stdlib.h>

void annotated_add(struct annotated *all, struct str id, struct str thread, struct dec ts)
{
	bool added;
	size_t number = strmap_add(&all->ids, id, &added);

	all->launch = mem_grow(all->launch, &all->launch_cap, number + 1, sizeof *all->launch);
	if (added || dec_compare(ts, all->launch[number].ts) < 0)
		all->launch[number] =
			(struct annotated_launch){strmap_add(&all->threads, thread, NULL), ts};
}

void annotated_annotate(struct annotated *all, struct str thread,
                        const struct annotated_span *annotation)
{
	all->annotation = mem_grow(all->annotation, &all->cap, all->count + 1, sizeof *all->annotation);
	all->annotation[all->count] = *annotation;
	all->annotation[all->count++].thread = strmap_add(&all->threads, thread, NULL);
	all->sorted = false;
}

static int compare(const void *a, const void *b)
{
	const struct annotated_span *x = a;
	const struct annotated_span *y = b;
	int order = (x->thread > y->thread) - (x->thread < y->thread);

	if (order == 0)
		order = dec_compare(x->start, y->start);
	if (order == 0)
		order = dec_compare(y->end, x->end);
	if (order == 0)
		order = (int)x->kind - (int)y->kind;
	return order ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static void sort(struct annotated *all)
{
	struct annotated_span *spans = all->annotation;

	if (all->count)
		qsort(spans, all->count, sizeof *spans, compare);
	for (size_t i = 0; i < all->count; i++) {
		size_t outer = i;

		while (outer && spans[outer - 1].thread == spans[i].thread &&
		       dec_compare(spans[outer - 1].end, spans[i].end) <= 0)
			outer = spans[outer - 1].outer;
		spans[i].outer = outer && spans[outer - 1].thread == spans[i].thread ? outer : 0;
	}
	all->sorted = true;
}

/*
 * How many annotations begin before the launch or with it, annotations of earlier threads included.
 */
static size_t count_before(const struct annotated *all, const struct annotated_launch *launch)
{
	size_t low = 0;
	size_t high = all->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct annotated_span *at = &all->annotation[middle];

		if (at->thread < launch->thread ||
		    (at->thread == launch->thread && dec_compare(at->start, launch->ts) <= 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct annotated_span *annotated_find(struct annotated *all, struct str id)
{
	size_t number = strmap_find(&all->ids, id);
	const struct annotated_launch *launch;

	if (number == STRMAP_NONE)
		return NULL;
	if (!all->sorted)
		sort(all);
	launch = &all->launch[number];
	for (size_t i = count_before(all, launch); i > 0; i = all->annotation[i - 1].outer) {
		const struct annotated_span *at = &all->annotation[i - 1];

		if (at->thread != launch->thread)
			break;
		if (dec_compare(at->end, launch->ts) >= 0)
			return at;
	}
	return NULL;
}

void annotated_clear(struct annotated *all)
{
	strmap_clear(&all->threads);
	strmap_clear(&all->ids);
	all->count = 0;
	all->sorted = false;
}

void annotated_free(struct annotated *all)
{
	strmap_free(&all->threads);
	strmap_free(&all->ids);
	free(all->launch);
	free(all->annotation);
}
