/*
 * bars - a picture of a table: a bar for each row beside its name, with its value and its share.
 *
 * The values of a row may be stacked in one bar, each with the colour of its column.
 *
 * Memory grows with the rows. Beyond BARS_MOST rows, the last rows become one bar.
 */
#ifndef BARS_H
#define BARS_H

#include "script.h"

enum { BARS_MOST = 40, BARS_VALUES = 4 };

/* Starts as {.values = …}, with the titles of the values. */
struct bars {
	size_t values; /* bars for each name, at most BARS_VALUES */
	struct str title[BARS_VALUES];
	const char *unit;
	bool stack;       /* the values of a row, none below 0, make one bar */
	bool shares;      /* the values are parts of a whole */
	bool classes;     /* the names are classes: each bar has the colour of its class */
	struct buf names; /* one after the other */
	size_t *ends;
	size_t ends_cap;
	struct dec *value; /* values for each name */
	size_t value_cap;
	size_t count;
};

/*
 * Whether the values of a column add up to a whole: not if they are figures of a group, or compare
 * two sides. The figures of a side end in its number, mean1.
 */
bool bars_are_parts(struct str column);

/* Adds a row with its values. */
void bars_add(struct bars *bars, struct str name, const struct dec *value);

/* Appends the script, with frame's width, height and key set here. False if a sum is too large. */
bool bars_script(const struct bars *bars, struct script_frame frame, struct buf *script);

void bars_free(struct bars *bars);

#endif
