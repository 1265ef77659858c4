/*
 * csvcolumns - the columns of the stream of a profiler's CSV: columns of the format, columns that
 * the user adds, the rank and the file.
 *
 * Memory grows with the columns of the CSV.
 */
#ifndef CSVCOLUMNS_H
#define CSVCOLUMNS_H

#include "csvformat.h"

/* A column that the user adds: its header in the CSV, or a counter, and its name in the stream. */
struct csvcolumns_extra {
	struct str header;
	struct str name;
};

/* Starts as {0}. */
struct csvcolumns {
	/* Set by the caller. */
	bool all;        /* add all other columns of the CSV */
	struct str rank; /* empty: no column */
	bool file;       /* add a column with the name of the file */
	/* Set by csvcolumns_add. */
	struct csvcolumns_extra *extras;
	size_t extras_count;
	/* Set by csvcolumns_choose. */
	struct str *name; /* good until the headers are read again */
	size_t count;
	size_t key_count; /* columns of the key of a partial table, which come first; else 0 */
	int *others;      /* columns of the CSV for extras, or -1 for its counters, and then for all */
	size_t others_count;
	struct buf error;
};

/* Adds HEADER or HEADER=COL, a text that must outlive the struct. False if it is neither. */
bool csvcolumns_add(struct csvcolumns *columns, struct str word);

/*
 * Chooses the columns: the core columns, or the key and the figures of a partial table for an
 * aggregate. False, with the text in error, if the header of an extra is missing and cannot be a
 * counter, or if two columns have one name; key_count is then good.
 */
bool csvcolumns_choose(struct csvcolumns *columns, const struct csv_layout *layout,
                       const struct csv_headers *headers);

void csvcolumns_free(struct csvcolumns *columns);

#endif
