#include "couple.h"

#include <stdlib.h>

#include "base/mem.h"

struct couple couple_of(size_t a, size_t b, struct dec time)
{
	struct couple couple = {.a = a, .b = b, .count = 1};

	couple_add(&couple, time); /* fits */
	return couple;
}

bool couple_add(struct couple *couple, struct dec time)
{
	return dec_sum(&couple->time, &couple->negative, time, (struct dec){0});
}

static int compare(const void *a, const void *b)
{
	const struct couple *x = a;
	const struct couple *y = b;
	int order = (x->a > y->a) - (x->a < y->a);

	return order ? order : (x->b > y->b) - (x->b < y->b);
}

bool couple_join(struct couple *couple, size_t *n)
{
	size_t count = 0;

	if (*n)
		qsort(couple, *n, sizeof *couple, compare);
	for (size_t i = 0; i < *n; i++) {
		if (count == 0 || compare(&couple[count - 1], &couple[i]) != 0) {
			couple[count++] = couple[i];
			continue;
		}
		couple[count - 1].count += couple[i].count;
		if (!dec_sum(&couple[count - 1].time, &couple[count - 1].negative, couple[i].time,
		             couple[i].negative))
			return false;
	}
	*n = count;
	return true;
}

struct couple *couple_find(const struct couple *couple, size_t n, size_t a, size_t b)
{
	const struct couple key = {.a = a, .b = b};

	return n ? bsearch(&key, couple, n, sizeof key, compare) : NULL;
}

struct couple_index couple_index_of(const struct couple *couple, size_t n, size_t numbers)
{
	struct couple_index index = {mem_zero(numbers + 2, sizeof *index.at),
	                             mem_alloc(n + 1, sizeof *index.item)};

	for (size_t i = 0; i < n; i++)
		index.at[couple[i].b + 2]++;
	for (size_t i = 2; i < numbers + 2; i++)
		index.at[i] += index.at[i - 1];
	for (size_t i = 0; i < n; i++)
		index.item[index.at[couple[i].b + 1]++] = couple[i];
	return index;
}

void couple_index_free(struct couple_index *index)
{
	free(index->at);
	free(index->item);
}
