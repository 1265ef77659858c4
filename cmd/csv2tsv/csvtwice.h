/*
 * csvtwice - the rows of a CSV a second time, on the same lines: a regular file is opened again,
 * and what comes from a pipe is copied to a temporary file (io/spool.h).
 *
 * Memory is constant.
 */
#ifndef CSVTWICE_H
#define CSVTWICE_H

#include "io/spool.h"
#include "syntax/csv.h"

/* Starts as {0}. Private to csvtwice.c. */
struct csvtwice {
	uint64_t first; /* line of the first row; 0: no row */
	bool copied;    /* in a temporary file */
	struct spool copy;
	uint64_t line; /* on which the next byte of the copy stands */
	/* The end of the first reading, for a copy, which is always whole. */
	bool broken;
	bool fatal;
	uint64_t end_line;
	char error[sizeof((struct csv_reader *)0)->error];
};

/*
 * Before the first row that is to be read twice. False, with a fatal error of the reader, if no
 * temporary file can be made.
 */
bool csvtwice_begin(struct csvtwice *twice, struct csv_reader *csv);

/* After each such row. False, with a fatal error of the reader, if it cannot be written. */
bool csvtwice_keep(struct csvtwice *twice, struct csv_reader *csv);

/* Reads the first row again, after the last csv_next gave `got`. Returns as csv_next. */
int csvtwice_again(struct csvtwice *twice, struct csv_reader *csv, int got);

/*
 * After the second reading: returns `got`, or < 0 with the error at which the first reading of a
 * pipe ended.
 */
int csvtwice_end(struct csvtwice *twice, struct csv_reader *csv, int got);

#endif
