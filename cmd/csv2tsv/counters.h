/*
 * counters - a table of counters, which has a row for each counter of a dispatch: its rows become
 * one event, and the counters that the user adds (see csvcolumns_add) its columns.
 *
 * Memory grows with the dispatches.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "csvrow.h"
#include "heldrows.h"

/* Starts as {0}. */
struct counters {
	struct heldrows rows;             /* a row for each dispatch, in the order of their first */
	const struct csvcolumns *columns; /* columns of the file */
	bool *seen;                       /* by extra: the file has the counter */
	struct buf key;
};

/* Empty, for a file with these columns, which must outlive the reading of its rows. */
void counters_begin(struct counters *counters, const struct csvcolumns *columns);

/* Takes the row that was read. False if its dispatch was there before. */
bool counters_add(struct counters *counters, struct csvrow *row);

/* The first header of an extra that is neither a column nor a counter so far, or NULL. */
const struct str *counters_missing(const struct counters *counters);

void counters_free(struct counters *counters);

#endif
