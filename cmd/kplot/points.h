/*
 * points - a picture of columns over another one: lines, steps or points.
 *
 * Memory grows with the points.
 */
#ifndef POINTS_H
#define POINTS_H

#include "base/strmap.h"

#include "script.h"

struct points_point;

/* A column of the vertical axis. */
struct points_column {
	struct str title;
	bool held; /* over time, a value holds until the next one, as that of a counter does */
};

/* Starts as {.columns = …}. */
struct points {
	const struct points_column *column; /* set before points_script */
	size_t columns;
	struct str x_title;
	const char *x_unit;
	const char *y_unit;
	struct str no_group; /* what the legend shows for an empty group */
	bool relative;       /* x is a time and counts from its least value */
	bool log;            /* the y axis is logarithmic */
	struct strmap groups;
	struct points_point *point;
	size_t count;
	size_t cap;
	uint64_t not_positive; /* with log, points that are not shown */
};

/* Adds a point of a group; column is below columns. */
void points_add(struct points *points, struct str group, size_t column, struct dec x, struct dec y);

/* Appends the script. False if x values are too far from each other. */
bool points_script(struct points *points, struct script_frame frame, struct buf *script);

void points_free(struct points *points);

#endif
