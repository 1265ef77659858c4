/*
 * interval - which tracks are busy when: unions, differences and intersections of intervals.
 *
 * Intervals [start, end) of any number of tracks go in, by their start; stretches come out, one
 * after the other: the longest runs of time in which the set of busy tracks stays. Touching
 * intervals of a track are one; an empty interval is none. So the union of track 0 is the sum of
 * the stretches that have it, and track 1 without track 0 the sum of those that have only 1. All is
 * exact. Differences of times must fit into a struct dec.
 *
 * Memory grows with the tracks and the intervals that are open at a time; an interval takes a
 * number of steps that grows with the logarithm of these.
 */
#ifndef INTERVAL_H
#define INTERVAL_H

#include "base/dec.h"

#include <stdint.h>

struct interval {
	struct dec start;
	struct dec end;
};

/* Sets *out. False if a time is so large that differences of times would not fit. */
bool interval_from(struct dec ts, struct dec dur, struct interval *out);

struct interval_stretch {
	struct interval span;
	size_t busy;   /* so many tracks; 0: between two busy stretches */
	size_t only;   /* the track, if it is one */
	uint64_t mask; /* bit n: track n is busy; of the first 64 */
};

struct interval_end;
struct interval_track;

/* Starts with stretch and arg set, all else 0. */
struct intervals {
	void (*stretch)(void *arg, const struct interval_stretch *stretch);
	void *arg;
	struct dec last;  /* the start of the last interval */
	struct dec begin; /* begin of the current stretch */
	bool begun;
	size_t busy; /* tracks that are busy */
	size_t sum;  /* sum of the numbers of these tracks */
	uint64_t mask;
	struct interval_track *track;
	size_t track_cap;
	struct interval_end *ends; /* a heap; some ends belong to a track that goes on by now */
	size_t ends_count;
	size_t ends_cap;
};

/* Adds an interval of a track; false, and nothing added, if it begins before the last one. */
bool intervals_add(struct intervals *intervals, size_t track, struct interval interval);

/* After the last interval: gives the last stretches. */
void intervals_finish(struct intervals *intervals);

/* The union of a track: so long was it busy in all, after intervals_finish. */
struct dec intervals_busy(const struct intervals *intervals, size_t track);

void intervals_free(struct intervals *intervals);

/* --- intervals in any order ------------------------------------------------ */

/* The intervals of one track, 32 bytes each. Starts as {0}. */
struct interval_set {
	struct interval *item;
	size_t count;
	size_t cap;
	bool is_mixed; /* an interval begins before the interval added before it */
};

void interval_set_add(struct interval_set *set, struct interval interval);

/* Adds the intervals of all sets, whose number is their track, and finishes. Sorts and frees them.
 */
void intervals_add_sets(struct intervals *intervals, struct interval_set *sets, size_t count);

void interval_set_free(struct interval_set *set);

#endif
