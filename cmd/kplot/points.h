/*
 * points - a picture of one column over another: points, or lines if they are few.
 *
 * Memory grows with the points.
 */
#ifndef POINTS_H
#define POINTS_H

#include "base/strmap.h"

#include "script.h"

struct points_point;

/* Starts as {.x_title = …}. */
struct points {
	struct str x_title;
	struct str y_title;
	const char *x_unit;
	const char *y_unit;
	bool relative; /* x counts from its least value */
	bool log;      /* the y axis is logarithmic */
	struct strmap series;
	struct points_point *point;
	size_t count;
	size_t cap;
	uint64_t not_positive; /* with log, points that are not shown */
};

void points_add(struct points *points, struct str series, struct dec x, struct dec y);

/* Appends the script. False if x values are too far from each other. */
bool points_script(struct points *points, struct script_frame frame, struct buf *script);

void points_free(struct points *points);

#endif
