/*
 * levels - the memory of a device in each slice of time: smallest, largest and last total.
 *
 * Slices begin at whole multiples of their length, from that of the first event to that of the
 * last. The total at the beginning of a slice counts for it.
 */
#ifndef LEVELS_H
#define LEVELS_H

#include "totals.h"

enum { LEVELS_MAX = 1000000 }; /* slices of a device */

struct level {
	struct dec ts;
	int64_t low;
	int64_t high;
	int64_t last;
};

/* An iterator. */
struct levels {
	const struct events *events;
	struct dec length;
	__int128 number; /* the next slice, and the one after the last */
	__int128 end;
	size_t at;   /* the next event */
	int64_t now; /* the total before it */
};

/* events after totals_of; length is above 0. False if there are more than LEVELS_MAX slices. */
bool levels_begin(struct levels *levels, const struct events *events, const struct totals *totals,
                  struct dec length);

/* False after the last one. */
bool levels_next(struct levels *levels, struct level *level);

#endif
