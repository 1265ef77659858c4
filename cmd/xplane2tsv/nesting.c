#include "nesting.h"

#include "base/mem.h"

#include <stdlib.h>

#define CONTAINS ((uint64_t)1 << 63)

void nesting_add(struct nesting *nesting, int64_t start, int64_t dur)
{
	nesting->events =
		mem_grow(nesting->events, &nesting->cap, nesting->count + 1, sizeof *nesting->events);
	nesting->events[nesting->count] = (struct nesting_event){start, dur, nesting->count};
	nesting->count++;
}

static int by_position(const void *a, const void *b)
{
	uint64_t x = ((const struct nesting_event *)a)->position & ~CONTAINS;
	uint64_t y = ((const struct nesting_event *)b)->position & ~CONTAINS;

	return (x > y) - (x < y);
}

static int by_start(const void *a, const void *b)
{
	const struct nesting_event *x = a;
	const struct nesting_event *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->dur != y->dur)
		return x->dur > y->dur ? -1 : 1;
	return by_position(a, b);
}

/* Sorts, unless the events are in order, as profilers mostly write them. */
static void sort(struct nesting *nesting, int compare(const void *, const void *))
{
	struct nesting_event *events = nesting->events;

	for (size_t i = 1; i < nesting->count; i++) {
		if (compare(events + i - 1, events + i) > 0) {
			qsort(events, nesting->count, sizeof *events, compare);
			return;
		}
	}
}

void nesting_find(struct nesting *nesting)
{
	bool any = false;
	__int128 first_end = 0; /* the first end of the events after this one */

	sort(nesting, by_start);
	for (size_t i = nesting->count; i-- > 0;) {
		struct nesting_event *event = nesting->events + i;
		__int128 end = (__int128)event->start + event->dur;

		if (any && first_end <= end)
			event->position |= CONTAINS;
		if (event->dur > 0 && (!any || end < first_end)) {
			first_end = end;
			any = true;
		}
	}
	sort(nesting, by_position);
}

bool nesting_contains(const struct nesting *nesting, size_t position)
{
	return nesting->events[position].position & CONTAINS;
}

void nesting_clear(struct nesting *nesting)
{
	nesting->count = 0;
}

void nesting_free(struct nesting *nesting)
{
	free(nesting->events);
	*nesting = (struct nesting){0};
}
