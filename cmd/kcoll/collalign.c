#include "collalign.h"

#include <stdlib.h>

static int compare_ends(const void *a, const void *b)
{
	const struct collalign_point *x = a;
	const struct collalign_point *y = b;
	int order = dec_compare(x->end, y->end);

	return order ? order : dec_compare(x->offset, y->offset);
}

static int compare_offsets(const void *a, const void *b)
{
	const struct collalign_point *x = a;
	const struct collalign_point *y = b;

	return dec_compare(x->offset, y->offset);
}

/* The point of the median end, and the median offset; sorts by offset. */
static struct collalign_point median_of(struct collalign_point *point, size_t count)
{
	struct collalign_point median = {.end = point[(count - 1) / 2].end};

	qsort(point, count, sizeof *point, compare_offsets);
	median.offset = point[(count - 1) / 2].offset;
	return median;
}

bool collalign_measure(struct collalign_point *point, size_t count, struct collalign *align)
{
	size_t half = count / 2;
	struct collalign_point first;
	struct collalign_point second;

	*align = (struct collalign){.offset = {0}};
	qsort(point, count, sizeof *point, compare_ends);
	if (half) {
		first = median_of(point, half);
		second = median_of(point + half, count - half);
		align->change = second.offset;
		align->time = second.end;
		if (!dec_subtract(&align->change, first.offset) || !dec_subtract(&align->time, first.end))
			return false;
	}
	align->offset = median_of(point, count).offset;
	return true;
}
