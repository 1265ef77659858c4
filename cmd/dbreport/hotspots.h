/*
 * hotspots - cases whose durations by microbench and by profile are far apart: their order, their
 * bars, their CSV.
 */
#ifndef HOTSPOTS_H
#define HOTSPOTS_H

#include "base/dec.h"

struct hotspot {
	struct str op; /* the caller's, as csv */
	struct str csv;
	struct str signature; /* a copy */
	struct dec microbench;
	struct dec profiling;
	struct dec diff;
	size_t number; /* in the order they were added */
};

/* Starts as {0}. */
struct hotspots {
	struct hotspot *item;
	size_t count;
	size_t cap;
};

/* Whether the ratio of two durations above 0 is below 0.8 or above 1.2. */
bool hotspots_far(struct dec microbench, struct dec profiling);

/* Adds a copy of the hotspot, with its number. */
void hotspots_add(struct hotspots *hotspots, struct hotspot hotspot);

/* By the factor between the durations, their difference, the operator: each descending. */
void hotspots_sort(struct hotspots *hotspots);

/* Appends a duration with six places. */
void hotspots_us(struct buf *out, struct dec us);

/* Appends the ratio with so many places. */
void hotspots_ratio(struct buf *out, const struct hotspot *hotspot, int places);

/*
 * Appends a bar, to the left if the microbench is shorter, to the right if it is longer. Four
 * characters double the factor; an arrow marks a bar that is cut.
 */
void hotspots_bar(struct buf *out, const struct hotspot *hotspot);

/* Appends all hotspots as CSV, with a header. */
void hotspots_csv(struct buf *out, const struct hotspots *hotspots);

void hotspots_free(struct hotspots *hotspots);

#endif
