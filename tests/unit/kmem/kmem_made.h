/* kmem_made - events of a device, for the unit tests of kmem. */
#ifndef KMEM_MADE_H
#define KMEM_MADE_H

#include "kmem/events.h"

/* Adds an event without reserved memory. */
static inline void kmem_made(struct events *events, int64_t ts, int64_t bytes, uint64_t addr,
                             int64_t total)
{
	const struct event event = {.ts = dec_of(ts),
	                            .bytes = bytes,
	                            .total = total,
	                            .reserved = EVENTS_NONE,
	                            .addr = addr,
	                            .idx = EVENTS_NONE};

	events_add(events, &event);
}

#endif
