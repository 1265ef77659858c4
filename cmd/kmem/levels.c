#include "levels.h"

/* The number of the slice that has this time; number 0 begins at 0. */
static __int128 number_of(struct dec length, struct dec time)
{
	__int128 number = time.nano / length.nano;

	return time.nano % length.nano < 0 ? number - 1 : number;
}

bool levels_begin(struct levels *levels, const struct events *events, const struct totals *totals,
                  struct dec length)
{
	*levels = (struct levels){.events = events,
	                          .length = length,
	                          .number = number_of(length, events->event[0].ts),
	                          .end = number_of(length, events->event[events->count - 1].ts) + 1,
	                          .now = totals->start};
	return levels->end - levels->number <= LEVELS_MAX;
}

bool levels_next(struct levels *levels, struct level *level)
{
	const struct events *events = levels->events;

	if (levels->number == levels->end)
		return false;
	*level = (struct level){{levels->number * levels->length.nano}, levels->now, levels->now, 0};
	levels->number++;
	while (levels->at < events->count &&
	       number_of(levels->length, events->event[levels->at].ts) < levels->number) {
		levels->now = events->event[levels->at++].total;
		level->low = levels->now < level->low ? levels->now : level->low;
		level->high = levels->now > level->high ? levels->now : level->high;
	}
	level->last = levels->now;
	return true;
}
