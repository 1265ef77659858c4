/*
 * events - the allocations and frees of one device, in the order of time.
 *
 * Memory: 64 bytes for each event. Time grows as that of sorting.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include "base/dec.h"

#define EVENTS_NONE INT64_MIN /* a number that the row lacks */

/* The largest size that a row may have, so that the difference of two does not wrap. */
#define EVENTS_LARGEST (INT64_MAX / 2)

struct event {
	struct dec ts;
	int64_t bytes;    /* above 0: allocated, below 0: freed */
	int64_t total;    /* Total Allocated, after the event; or EVENTS_NONE */
	int64_t reserved; /* Total Reserved, or EVENTS_NONE */
	uint64_t addr;
	int64_t idx;    /* Ev Idx, or EVENTS_NONE */
	uint32_t owner; /* number of its context, for the caller */
	uint32_t row;   /* number among the events of the device, in the order of the input */
};

/* Starts as {0}. */
struct events {
	struct event *event;
	size_t count;
	size_t cap;
};

/* Adds a copy, with its row set. False if there are 2^32 already. */
bool events_add(struct events *events, const struct event *event);

/* By ts, then Ev Idx, then the order of the input. */
void events_sort(struct events *events);

/* The number of events up to this time, included; after events_sort. */
size_t events_until(const struct events *events, struct dec time);

void events_free(struct events *events);

#endif
