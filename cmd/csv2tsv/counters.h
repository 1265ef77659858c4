/*
 * counters - a table of counters, which has a row for each counter of a dispatch: its rows become
 * one event, and the counters that the user adds (see csvcolumns_add) its columns.
 *
 * Memory grows with the dispatches, and with the texts of held rows.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "base/strmap.h"

#include "csvrow.h"

/* --- rows that wait for some of their fields, by key ------------------------- */

/* Starts as {0}. */
struct heldrows {
	struct strmap keys; /* as many keys as rows */
	size_t columns;
	/* The rest is private to counters.c. */
	struct heldrows_span *field; /* by number in keys and by column */
	size_t cap;
	struct buf text;
};

/* Empty, for rows of this many columns. */
void heldrows_begin(struct heldrows *rows, size_t columns);

/* The number of the row with this key; if the key is new, a copy of `row` becomes that row. */
size_t heldrows_add(struct heldrows *rows, struct str key, const struct str *row, bool *added);

/* Sets a field that is empty, and returns true; one that is not stays. */
bool heldrows_fill(struct heldrows *rows, size_t number, size_t column, struct str text);

/* Stores the fields of a row, which are good until the next change. */
void heldrows_get(const struct heldrows *rows, size_t number, struct str *row);

void heldrows_free(struct heldrows *rows);

/* --- counters ------------------------------------------------------------------ */

/* Starts as {0}. */
struct counters {
	struct heldrows rows;             /* a row for each dispatch, in the order of their first */
	const struct csvcolumns *columns; /* columns of the file */
	bool *seen;                       /* by extra: the file has the counter */
	struct buf *unit;                 /* by extra: unit of its first value */
	struct buf *other_unit;           /* by extra: the first unit that differs, or empty */
	size_t extras;
	bool gave_dur; /* the last row gave its dispatch dur */
	struct buf key;
	struct buf dur;
	struct buf plain; /* the value without its commas */
};

/* Empty, for a file with these columns, which must outlive the reading of its rows. */
void counters_begin(struct counters *counters, const struct csvcolumns *columns);

/*
 * Takes the row that was read. False if its dispatch was there before. If a counter gives
 * durations, the row's time becomes the duration that it gave to its dispatch, or empty.
 */
bool counters_add(struct counters *counters, struct csvrow *row);

/* The first header of an extra that is neither a column nor a counter so far, or NULL. */
const struct str *counters_missing(const struct counters *counters);

void counters_free(struct counters *counters);

#endif
