/*
 * flame - a flame graph: a box for each frame of stacks, as wide as the rows in it and above it.
 *
 * A frame is a name on the frames below it; the frame of all rows is at the bottom. The frames on
 * another one stand in the order of their names, so the picture does not depend on the order of
 * rows. Memory grows with the distinct frames, some 100 bytes each, and with their distinct names.
 * A row takes the time of its stack, and of a hash for each frame that the row before does not
 * share.
 */
#ifndef FLAME_H
#define FLAME_H

#include "base/strmap.h"

#include "script.h"

enum { FLAME_DEEPEST = 256 };

/* Starts as {.title = …}. */
struct flame {
	struct str title; /* title of the widths */
	const char *unit;
	struct strmap names;
	struct strmap frames; /* struct flame_place */
	struct dec *total;    /* by number of the frame + 1; [0] is the frame of all rows */
	size_t total_cap;
	struct dec all;
	size_t count; /* rows that are wider than 0 */
	bool too_large;
	uint64_t deeper; /* rows of which frames are cut */
	struct buf path; /* frames of the row, each with a ; at its end */
	/* The row before, by which shared frames are found: */
	struct buf last; /* its path */
	size_t depth;
	size_t end[FLAME_DEEPEST];   /* where its frames end in last */
	size_t frame[FLAME_DEEPEST]; /* their places in total */
	/* Set by flame_script: */
	size_t narrow;           /* frames narrower than a pixel, which are not shown */
	struct dec narrow_total; /* their sum, each row once */
};

/*
 * Adds a row with a stack, the outermost frame first, with ; between, and the name on top of it, in
 * which ; becomes :. Both may be empty. The width is not below 0.
 */
void flame_add(struct flame *flame, struct str stack, struct str name, struct dec width);

/* The stack of a piece of idle time without a row of the host, by its kind: "(nothing)". */
struct str flame_idle(struct str kind);

/* Appends the script; there is at least one row. False if the sum of the widths is too large. */
bool flame_script(struct flame *flame, struct script_frame frame, struct buf *script);

void flame_free(struct flame *flame);

#endif
