/*
 * shape - how people see a column of which only the values are known.
 *
 * A column is one of numbers if all its values are, but for empty ones. Its numbers then have the
 * same places after the point: as many as the longest, but at most three; or, if all are below 1,
 * as many as show four significant digits of the largest. Integers are never cut. Each value is
 * rounded once, half to even, from its own digits.
 *
 * Memory: the first value of a column.
 */
#ifndef SHAPE_H
#define SHAPE_H

#include "base/buf.h"

/* Of one column. Starts as {0}. */
struct shape {
	uint64_t values;   /* seen, empty ones included */
	bool filled;       /* one is not empty, */
	bool words;        /* one is neither empty nor a number, */
	bool several;      /* two differ */
	bool large;        /* a number is 1 or more, or -1 or less */
	size_t places;     /* after the point, of the longest number */
	size_t zeros;      /* after the point and before other digits, of the largest below 1, */
	bool any_below;    /* if there is one that is not 0 */
	struct buf first;  /* the first value */
	struct buf number; /* scratch */
};

/* Takes a value into account. */
void shape_see(struct shape *shape, struct str value);

bool shape_is_number(const struct shape *shape); /* its values are numbers */

/* Appends a value as it is shown. */
void shape_put(struct shape *shape, struct buf *out, struct str value);

/* Appends a value with so many places, whatever the others are; false if it is not a number. */
bool shape_round(struct shape *shape, struct buf *out, struct str value, size_t places);

void shape_free(struct shape *shape);

#endif
