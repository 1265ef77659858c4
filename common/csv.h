/*
 * csv - records of RFC 4180 text: quotes, doubled quotes, newlines in quotes;
 * a byte order mark, LF or CRLF, blank lines passed over.
 */
#ifndef CSV_H
#define CSV_H

#include "buf.h"
#include "input.h"

#include <stdint.h>

struct csv_reader {
	struct input in;
	struct str *field; /* of the record, unquoted; good until the next call */
	size_t count;
	uint64_t line;     /* on which the record begins, from 1 */
	bool unended;      /* no newline ends it: the last one, and where it is short perhaps cut */
	size_t max_record; /* bytes; more is an error */
	bool fatal;        /* < 0 is an error (status 2), not damage */
	char error[320];   /* what is wrong on that line (0: with all of the file) */
	/* Below, csv.c's own. */
	size_t field_cap;
	struct buf window;
	size_t at;
	bool exhausted;
	bool begun;
	uint64_t next_line;
	struct buf unquoted;
};

/* Gives false with the reason in error where path ("-": standard input) cannot be opened. */
bool csv_open(struct csv_reader *reader, const char *path, size_t max_record);

/*
 * > 0: a record is in field; 0: the end; < 0: the input breaks off, or a quote
 * is never closed, said in error.
 */
int csv_next(struct csv_reader *reader);

/* The fields from `first` on as one text, commas between them, as an unquoted value may stand. */
struct str csv_rest(struct csv_reader *reader, size_t first, struct buf *scratch);

void csv_close(struct csv_reader *reader);

#endif
