#include "totals.h"

/* The first event with a total; count if there is none. */
static size_t first_known(const struct events *events)
{
	size_t i = 0;

	while (i < events->count && events->event[i].total == EVENTS_NONE)
		i++;
	return i;
}

/* False if a total is too large. */
static bool fill(struct totals *totals, struct events *events)
{
	struct event *event = events->event;
	size_t known = first_known(events);
	int64_t now = 0;

	totals->relative = known == events->count;
	if (!totals->relative) {
		now = event[known].total;
		for (size_t i = known + 1; i > 0; i--)
			if (__builtin_sub_overflow(now, event[i - 1].bytes, &now))
				return false;
	}
	totals->start = now;
	for (size_t i = 0; i < events->count; i++) {
		int64_t before = now;
		bool wraps = __builtin_add_overflow(before, event[i].bytes, &now);

		if (event[i].total != EVENTS_NONE) {
			totals->breaks += wraps || now != event[i].total;
			now = event[i].total;
		} else if (wraps) {
			return false;
		}
		event[i].total = now;
	}
	totals->end = now;
	return true;
}

static void find_peak(struct totals *totals, const struct events *events)
{
	totals->peak = totals->start;
	for (size_t i = 0; i < events->count; i++) {
		/* An event that reaches start again is the first that has a total as large. */
		if (events->event[i].total > totals->peak ||
		    (totals->peak_count == 0 && events->event[i].total == totals->peak)) {
			totals->peak = events->event[i].total;
			totals->peak_count = i + 1;
		}
		if (events->event[i].reserved > totals->reserved_max)
			totals->reserved_max = events->event[i].reserved;
	}
	totals->reserved = events->event[totals->peak_count ? totals->peak_count - 1 : 0].reserved;
}

bool totals_of(struct totals *totals, struct events *events)
{
	const __int128 one = dec_of(1).nano;

	*totals = (struct totals){.reserved_max = EVENTS_NONE};
	if (!fill(totals, events))
		return false;
	for (size_t i = 0; i < events->count; i++) {
		int64_t bytes = events->event[i].bytes;

		if (bytes > 0) {
			totals->allocs++;
			totals->allocated.nano += bytes * one;
		} else {
			totals->frees++;
			totals->freed.nano -= bytes * one;
		}
	}
	find_peak(totals, events);
	if (totals->reserved_max <= 0)
		totals->reserved = totals->reserved_max = EVENTS_NONE;
	return true;
}

int64_t totals_after(const struct totals *totals, const struct events *events, size_t count)
{
	return count ? events->event[count - 1].total : totals->start;
}
