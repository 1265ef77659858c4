/*
 * shape - how people see a column of which only the values are known.
 *
 * A column is numeric if each value is a number or empty. Its numbers then have equally many places
 * after the point: as many as the longest, but at most three; or, if all are below 1, as many as
 * show four significant digits of the largest. Integers are never cut. Each value is rounded once,
 * half to even, from its own digits.
 *
 * Memory: the first value of a column.
 */
#ifndef SHAPE_H
#define SHAPE_H

#include "base/buf.h"

/* The shape of one column. Starts as {0}. */
struct shape {
	uint64_t values;   /* values seen, empty values included */
	bool filled;       /* a value is not empty */
	bool words;        /* a value is neither empty nor a number */
	bool several;      /* two values differ */
	bool large;        /* a number is 1 or more, or -1 or less */
	size_t places;     /* places after the point, of the longest number */
	size_t zeros;      /* zeros between the point and other digits, of the largest number below 1 */
	bool any_below;    /* a number is below 1 and not 0 */
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
