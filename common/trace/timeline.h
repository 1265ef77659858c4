/*
 * timeline - spans of time on tracks, and the span that is open at a time.
 *
 * A span is open from its start up to, but not at, its end; a span of no or negative duration is
 * never open. If several are open, the shortest counts; of equally short spans the last to start
 * counts, then the span with the larger value. With `longest` it is the other way round. Spans can
 * overlap in any way.
 *
 * Building takes n log n steps, a question log n. Memory: some 64 bytes for each span, and up to 64
 * for each span that is open while its track is built; twice as much for questions about all of
 * more than 16 tracks. Times are exact.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "base/dec.h"

#include <stdint.h>

#define TIMELINE_NONE UINT32_MAX

/* Starts as {0}. */
struct timeline {
	bool longest;         /* the longest counts; set before the first span */
	struct track *tracks; /* by number */
	struct track *all; /* all spans, filled by the first question about them; NULL for few tracks */
	size_t count;
	size_t cap;
};

/*
 * Adds a span; the caller numbers tracks from 0, and a question gives back value. False, and
 * nothing added, if its end is too large for a struct dec.
 */
bool timeline_add(struct timeline *timeline, size_t track, struct dec start, struct dec dur,
                  uint32_t value);

/* Before timeline_build: sets the start of each span, by its value, and that it is known. */
void timeline_put_starts(const struct timeline *timeline, struct dec *start, bool *known);

/* After the last span, before the first question. */
void timeline_build(struct timeline *timeline);

/* The value of the span that counts; TIMELINE_NONE if none is open. */
uint32_t timeline_at(const struct timeline *timeline, size_t track, struct dec time);
uint32_t timeline_any(const struct timeline *timeline, struct dec time); /* on all tracks */

/* On that track, or if none is open there, on any. */
uint32_t timeline_near(const struct timeline *timeline, size_t track, struct dec time);

/* Stretch i of a track, from 0: when it begins, and the value that counts. False after the last,
 * in which no span is open. */
bool timeline_stretch(const struct timeline *timeline, size_t track, size_t i, struct dec *begin,
                      uint32_t *value);

void timeline_free(struct timeline *timeline);

#endif
