#include "events.h"

#include "base/mem.h"

#include <stdlib.h>

_Static_assert(sizeof(struct event) == 64, "kmem(1) and events.h promise 64 bytes");

bool events_add(struct events *events, const struct event *event)
{
	if (events->count > UINT32_MAX)
		return false;
	events->event = mem_grow(events->event, &events->cap, events->count + 1, sizeof *events->event);
	events->event[events->count] = *event;
	events->event[events->count].row = (uint32_t)events->count;
	events->count++;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct event *x = a;
	const struct event *y = b;
	int order = dec_compare(x->ts, y->ts);

	if (order == 0)
		order = (x->idx > y->idx) - (x->idx < y->idx);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

void events_sort(struct events *events)
{
	if (events->count)
		qsort(events->event, events->count, sizeof *events->event, compare);
}

size_t events_until(const struct events *events, struct dec time)
{
	size_t from = 0;
	size_t to = events->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (dec_compare(events->event[middle].ts, time) <= 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

void events_free(struct events *events)
{
	free(events->event);
	*events = (struct events){0};
}
