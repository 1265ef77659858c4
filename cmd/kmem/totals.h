/*
 * totals - how much memory of a device was allocated after each event: start, peak and end, and
 * whether the events account for it. All figures are bytes.
 */
#ifndef TOTALS_H
#define TOTALS_H

#include "events.h"

struct totals {
	uint64_t allocs;
	uint64_t frees;
	struct dec allocated; /* the sum of allocations */
	struct dec freed;
	bool relative;        /* no row has a total: the figures count from 0 at the start */
	int64_t start;        /* before the first event */
	int64_t peak;         /* the largest of start and all totals */
	size_t peak_count;    /* events until it is reached first; 0: it is start */
	int64_t end;          /* after the last event */
	int64_t reserved;     /* at the peak, at the first event if that is start; or EVENTS_NONE */
	int64_t reserved_max; /* or EVENTS_NONE, if none is above 0 */
	uint64_t breaks;      /* events whose total is not the one before and their bytes */
};

/*
 * The figures of at least one event, sorted. Gives events without a total theirs, by the bytes of
 * the events since the last one with a total, or until the first. False if a sum of sizes is too
 * large.
 */
bool totals_of(struct totals *totals, struct events *events);

/* The total after so many events. */
int64_t totals_after(const struct totals *totals, const struct events *events, size_t count);

#endif
