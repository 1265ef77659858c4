#include "grouporder.h"

#include "base/mem.h"
#include "syntax/sortkey.h"
#include "syntax/tsv.h"

#include <stdlib.h>

struct line {
	size_t number;
	const struct group *group;
	struct str key;      /* all its fields */
	struct buf sort_key; /* the field to sort by, as sortkey makes it */
	struct dec value;
	bool has_value;
	const struct grouporder *order;
};

static int compare_figures(const struct line *a, const struct line *b)
{
	switch (a->order->by) {
	case GROUPORDER_KEY:
		return str_compare(buf_view(&a->sort_key), buf_view(&b->sort_key));
	case GROUPORDER_COUNT:
		return (a->group->count > b->group->count) - (a->group->count < b->group->count);
	case GROUPORDER_MEAN:
		return group_compare_means(a->group, b->group);
	case GROUPORDER_DEVIATION:
		return group_compare_deviations(a->group, b->group);
	default:
		if (a->has_value != b->has_value)
			return a->has_value ? 1 : -1;
		return dec_compare(a->value, b->value);
	}
}

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left;
	const struct line *b = right;
	int result = compare_figures(a, b);

	if (result)
		return a->order->descending ? -result : result;
	return str_compare(a->key, b->key);
}

/* Sets what the line is compared by, unless that is a figure of its group. */
static void set_value(struct line *line, struct group *group)
{
	const struct grouporder *order = line->order;
	const struct dec *sum = NULL;
	struct buf scratch = {0};

	line->has_value = !order->counts_alone;
	switch (order->by) {
	case GROUPORDER_KEY:
		sortkey_put(&line->sort_key, tsv_text(tsv_field(line->key, order->index), &scratch), false);
		break;
	case GROUPORDER_QUANTILE:
		if (line->has_value)
			line->value = group_quantile(group, order->percent);
		break;
	case GROUPORDER_SUM:
		sum = group_sum(group, order->index);
		line->has_value = sum != NULL;
		line->value = sum ? *sum : dec_of(0);
		break;
	case GROUPORDER_MIN:
	case GROUPORDER_MAX:
		line->has_value = !group->unranged;
		line->value = order->by == GROUPORDER_MIN ? group->min : group->max;
		break;
	default:
		line->value = group->total;
	}
	buf_free(&scratch);
}

size_t *grouporder_sort(struct groups *groups, const struct grouporder *order)
{
	size_t count = groups->keys.count;
	struct line *lines = mem_alloc(count, sizeof *lines);
	size_t *numbers = mem_alloc(count, sizeof *numbers);

	for (size_t i = 0; i < count; i++) {
		lines[i] = (struct line){.number = i,
		                         .group = &groups->group[i],
		                         .key = strmap_key(&groups->keys, i),
		                         .order = order};
		set_value(&lines[i], &groups->group[i]);
	}
	qsort(lines, count, sizeof *lines, compare_lines);
	for (size_t i = 0; i < count; i++) {
		numbers[i] = lines[i].number;
		buf_free(&lines[i].sort_key);
	}
	free(lines);
	return numbers;
}
