/*
 * overlap - the rows of each stream in their order, and which of them last beyond a later start.
 *
 * A stream runs one row at a time, so such a duration cannot be. Two things are exempt: kernels of
 * PDL, which begin shortly before the one before them ends, and rows of one launch, which may be
 * branches of a graph. If nearly no row of a name overlaps its own launch, the few that do are no
 * branches. On an H100 each branch has a stream of its own in the trace; of 1679 rows of other
 * graphs one overlaps, by 0.112 us. Memory: some 60 bytes for each name in launches of several
 * rows.
 */
#ifndef OVERLAP_H
#define OVERLAP_H

#include "evidence.h"

/* A row to be sorted. */
struct overlap_row {
	const struct evidence *evidence;
	const struct evidence_row *row;
};

/* All rows in the order of overlap_compare, to be freed. */
struct overlap_row *overlap_sort(const struct evidence *evidence);

/* By stream, then by ts. Rows that are equal in it are equal in all that is printed. */
int overlap_compare(const void *a, const void *b);

struct overlap {
	const struct evidence_row *row;
	struct dec time; /* from the very next start on its stream to its end; 0 if it ends before */
	bool error;      /* no branch of a graph and no PDL */
	bool is_cut;     /* the row lasts too long beyond a later start */
	struct dec end;  /* if is_cut, the latest time at which the row can have ended */
};

struct overlap_name;

/* Which rows are yet to be looked at, and what comes after the last one that was. */
struct overlaps {
	const struct evidence *evidence;
	const struct overlap_row *sorted;
	size_t left;
	const struct evidence_row *next;  /* the very next start */
	const struct evidence_row *other; /* the very next start of another launch */
	const struct evidence_row *later; /* the next later start */
	const struct evidence_row
		*later_other;    /* the next start after `later` of another launch than `later` */
	struct strmap names; /* source and name */
	struct overlap_name *name;
	size_t name_cap;
};

/* Sorted is what overlap_sort returned. */
void overlaps_begin(struct overlaps *overlaps, const struct overlap_row *sorted,
                    const struct evidence *evidence);

/* The next row, whether it overlaps or not; the last one first. False: there are no more. */
bool overlaps_next(struct overlaps *overlaps, struct overlap *overlap);

void overlaps_end(struct overlaps *overlaps);

#endif
