/*
 * collminima - the rows of a source beside the collectives of all ranks: how long each row waited,
 * or how far the clock of each rank is ahead.
 *
 * Memory: the rows of one source as text, and 24 bytes for each, or 32 if clocks are asked for.
 */
#ifndef COLLMINIMA_H
#define COLLMINIMA_H

#include "collrows.h"

/*
 * --- clocks: how far the clock of a rank is ahead of another one, and how fast that changes, by
 * the ends of collectives, which all ranks reach at the same time. 32 bytes for each collective.
 */

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

/* --- the rows of a source -------------------------------------------------------- */

/* Starts with table and waits set, all else 0; the table is merged and matched. */
struct collminima {
	struct colltable *table;
	const bool *waits; /* by enum collkind */
	uint64_t found; /* rows that wait and are matched; `lost` counts those that are not matched */
	uint64_t lost;
	bool referenced;
	uint64_t reference; /* the lowest rank of all that wait: clocks are compared with its clock */
	struct strmap layouts;
	size_t layout; /* layout of the row at hand */
	struct collminima_row *row;
	size_t count;
	size_t cap;
	struct buf texts; /* texts of the held rows */
	struct buf text;
};

/* For each columns line: the output has two columns more. An error is recorded in the reader. */
void collminima_columns(struct collminima *minima, struct kev_reader *in);

/* Holds the row at hand, which collrows holds, too. */
void collminima_hold(struct collminima *minima, const struct kev_reader *in);

/* Writes the held rows as they came, with kind and wait. The rows are settled. */
void collminima_write(struct collminima *minima, const struct collrows *rows,
                      struct kev_writer *out);

/*
 * Writes a row for each rank of the settled rows: how far its clock is ahead of the clock of the
 * lowest rank of all. False if a difference is too large.
 */
bool collminima_clocks(struct collminima *minima, const struct collrows *rows,
                       struct kev_writer *out);

void collminima_free(struct collminima *minima);

#endif
