#include "wall/busy.h"

#include "base/mem.h"

#include <stdlib.h>

static struct dec length(const struct interval *span)
{
	return (struct dec){span->end.nano - span->start.nano};
}

static void add_gap(struct busy *busy, const struct interval *span, struct dec time)
{
	const struct busy_listener *listener = busy->listener;

	busy->idle.nano += time.nano;
	if (dec_compare(time, listener->micro) >= 0)
		busy->idle_macro.nano += time.nano;
	if (listener->gap)
		listener->gap(listener->arg, busy->device, span);
}

static void stretch(void *arg, const struct interval_stretch *stretch)
{
	struct busy *busy = arg;
	const struct busy_listener *listener = busy->listener;
	struct dec time = length(&stretch->span);

	if (!busy->begun)
		busy->begin = stretch->span.start;
	busy->begun = true;
	busy->end = stretch->span.end;
	busy->with[stretch->mask % (1 << KIND_COUNT)].nano += time.nano;
	if (stretch->busy)
		busy->busy.nano += time.nano;
	else
		add_gap(busy, &stretch->span, time);
	if (listener->stretch)
		listener->stretch(listener->arg, busy->device, stretch);
}

enum busy_result busy_add(struct busy *busy, size_t track, struct dec ts, struct dec dur)
{
	struct interval span;
	struct dec total = busy->total;
	struct dec negative = busy->negative_total;

	if (!interval_from(ts, dur, &span) || !dec_sum(&total, &negative, dur, (struct dec){0}))
		return BUSY_TOO_LARGE;
	if (dur.nano < 0)
		span.end = ts;
	if (busy->listener->sorted && busy->count && dec_compare(ts, busy->latest_start) < 0)
		return BUSY_NOT_SORTED;
	if (busy->count == 0 || dec_compare(ts, busy->first) < 0)
		busy->first = ts;
	if (busy->count == 0 || dec_compare(span.end, busy->last) > 0)
		busy->last = span.end;
	if (busy->count == 0 || dec_compare(ts, busy->latest_start) > 0)
		busy->latest_start = ts;
	busy->total = total;
	busy->negative_total = negative;
	busy->count++;
	busy->negative += dur.nano < 0;
	busy->intervals.stretch = stretch;
	busy->intervals.arg = busy;
	if (busy->listener->sorted) {
		intervals_add(&busy->intervals, track, span);
	} else if (dur.nano > 0) {

		busy->sets = mem_grow_zero(busy->sets, &busy->sets_cap, track + 1, sizeof *busy->sets);
		busy->sets_count = track < busy->sets_count ? busy->sets_count : track + 1;
		interval_set_add(&busy->sets[track], span);
	}
	return BUSY_OK;
}

/* Rows without a duration may begin before or after what is busy. */
static void add_edge(struct busy *busy, struct dec start, struct dec end)
{
	struct interval edge = {start, end};

	if (dec_compare(start, end) < 0)
		add_gap(busy, &edge, length(&edge));
}

void busy_finish(struct busy *busy)
{
	busy->intervals.arg = busy; /* it may have moved */
	if (busy->listener->sorted)
		intervals_finish(&busy->intervals);
	else
		intervals_add_sets(&busy->intervals, busy->sets, busy->sets_count);
	if (!busy->begun)
		busy->begin = busy->end = busy->last;
	add_edge(busy, busy->first, busy->begin);
	add_edge(busy, busy->end, busy->last);
}

/* --- figures --------------------------------------------------------------- */

const char *const busy_names[BUSY_FIGURES] = {
	[BUSY_BUSY] = "busy",
	[BUSY_COMM_EXPOSED] = "comm_exposed",
	[BUSY_SPAN] = "span",
	[BUSY_IDLE] = "idle",
	[BUSY_COPY_EXPOSED] = "copy_exposed",
	[BUSY_COMPUTE_UNION] = "compute",
	[BUSY_COMM_UNION] = "comm",
	[BUSY_COPY_UNION] = "copy",
	[BUSY_COMM_HIDDEN] = "comm_hidden",
	[BUSY_TOTAL] = "total",
	[BUSY_COUNT] = "count",
	[BUSY_UNLINKED] = "unlinked",
	[BUSY_IDLE_MICRO] = "idle_micro",
	[BUSY_IDLE_MACRO] = "idle_macro",
	[BUSY_FIRST] = "first",
	[BUSY_LAST] = "last",
};

/* Time in which one of `kinds` ran, and none of `without`. */
static struct dec time_with(const struct busy *busy, size_t kinds, size_t without)
{
	struct dec time = {0};

	for (size_t mask = 0; mask < 1 << KIND_COUNT; mask++)
		if (mask & kinds && !(mask & without))
			time.nano += busy->with[mask].nano;
	return time;
}

static struct dec minus(struct dec a, struct dec b)
{
	return (struct dec){a.nano - b.nano};
}

struct dec busy_figure(const struct busy *busy, enum busy_figure figure)
{
	enum { COMPUTE = 1 << KIND_COMPUTE, COMM = 1 << KIND_COMM, COPY = 1 << KIND_COPY };

	switch (figure) {
	case BUSY_SPAN:
		return minus(busy->last, busy->first);
	case BUSY_BUSY:
		return busy->busy;
	case BUSY_IDLE:
		return busy->idle;
	case BUSY_COMPUTE_UNION:
		return time_with(busy, COMPUTE, 0);
	case BUSY_COMM_UNION:
		return time_with(busy, COMM, 0);
	case BUSY_COPY_UNION:
		return time_with(busy, COPY, 0);
	case BUSY_COMM_EXPOSED:
		return time_with(busy, COMM, COMPUTE);
	case BUSY_COPY_EXPOSED:
		return time_with(busy, COPY, COMPUTE | COMM);
	case BUSY_COMM_HIDDEN:
		return minus(time_with(busy, COMM, 0), time_with(busy, COMM, COMPUTE));
	case BUSY_TOTAL:
		return busy->total;
	case BUSY_COUNT:
		return dec_of((int64_t)busy->count);
	case BUSY_UNLINKED:
		return dec_of((int64_t)busy->unlinked);
	case BUSY_IDLE_MICRO:
		return minus(busy->idle, busy->idle_macro);
	case BUSY_IDLE_MACRO:
		return busy->idle_macro;
	case BUSY_FIRST:
		return busy->first;
	default:
		return busy->last;
	}
}

void busy_free(struct busy *busy)
{
	for (size_t i = 0; i < busy->sets_cap; i++)
		interval_set_free(&busy->sets[i]);
	free(busy->sets);
	intervals_free(&busy->intervals);
	*busy = (struct busy){0};
}
