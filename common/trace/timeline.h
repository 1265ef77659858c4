/*
 * timeline - spans of time on tracks, and which of them is open at a time.
 *
 * A span is open from its start up to, but not at, its end; one of no duration,
 * or of less, never is. Of those open the shortest counts; of equally short ones
 * that which started last, then that of the larger value. They may overlap in
 * any way.
 *
 * Building takes n log n steps, a question log n on each track that it is put
 * to; memory is some 64 bytes a span. Times are exact.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "base/dec.h"

#include <stdint.h>

#define TIMELINE_NONE UINT32_MAX

/* Starts as {0}. */
struct timeline {
	struct track *tracks; /* by number */
	size_t count;
	size_t cap;
};

/*
 * Tracks are numbered by the caller, from 0; value is what a question gives back.
 * False, and the span left out, where its end is too large for a struct dec.
 */
bool timeline_add(struct timeline *timeline, size_t track, struct dec start, struct dec dur,
                  uint32_t value);

/* Behind the last span, before the first question. */
void timeline_build(struct timeline *timeline);

/* The value of the span that counts, TIMELINE_NONE where none is open: */
uint32_t timeline_at(const struct timeline *timeline, size_t track, struct dec time);
uint32_t timeline_any(const struct timeline *timeline, struct dec time); /* of all tracks */

/* On that track, or where it has none open, on any. */
uint32_t timeline_near(const struct timeline *timeline, size_t track, struct dec time);

void timeline_free(struct timeline *timeline);

#endif
