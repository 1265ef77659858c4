/*
 * collalign - how far the clock of a rank is ahead of another, and how fast that changes, by the
 * ends of collectives, which all ranks reach together.
 *
 * Memory: 32 bytes for each collective.
 */
#ifndef COLLALIGN_H
#define COLLALIGN_H

#include "base/dec.h"

#include <stddef.h>

/* The end of a collective on a rank, and how much later it is than on the other rank. */
struct collalign_point {
	struct dec end;
	struct dec offset;
};

struct collalign {
	struct dec offset; /* the median: of an even number the lower of two */
	/* From the first half of the points to the second: of the medians of both. */
	struct dec change;
	struct dec time; /* 0: too few points, or all at one time */
};

/* Sorts the points, at least one. False if a difference is too large. */
bool collalign_measure(struct collalign_point *point, size_t count, struct collalign *align);

#endif
