/*
 * csv - records of RFC 4180 text: quotes, doubled quotes, newlines in quotes;
 * a byte order mark, LF or CRLF, blank lines passed over.
 */
#ifndef CSV_H
#define CSV_H

#include "base/buf.h"
#include "io/input.h"

#include <stdint.h>

struct csv_reader {
	struct input in;
	bool blanks;       /* to be set: blank lines are given too, as records without a field */
	size_t count;      /* of the record's fields, see csv_field */
	struct str record; /* as it stands, without its line's end, good until the next call; */
	size_t end_n;      /* whose bytes follow it: 2, 1, or 0 */
	bool bom;          /* the file begins with a byte order mark */
	uint64_t line;     /* on which the record begins, from 1 */
	bool unended;      /* no newline ends it: the last one, and where it is short perhaps cut */
	size_t max_record; /* bytes; more is an error */
	bool fatal;        /* < 0 is an error (status 2), not damage */
	char error[320];   /* what is wrong on that line (0: with all of the file) */
	/* Below, csv.c's own. */
	struct csv_span *field;
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

/* The same of an open file, which csv_close closes; name is for messages. */
bool csv_open_fd(struct csv_reader *reader, int fd, const char *name, size_t max_record);

/*
 * > 0: a record is there; 0: the end; < 0: the input breaks off, or a quote is never
 * closed, said in error.
 */
int csv_next(struct csv_reader *reader);

/* A field of the record, below count, without its quotes; good until the next record. */
struct str csv_field(struct csv_reader *reader, size_t i);

/* The fields from `first` on as one text, commas between them, as an unquoted value may stand. */
struct str csv_rest(struct csv_reader *reader, size_t first, struct buf *scratch);

void csv_close(struct csv_reader *reader);

/* The fields of a record as they stand, quotes and all. Gives how many; at most max are stored. */
size_t csv_split(struct str record, struct str *fields, size_t max);

/* What such a field says: itself or a part of it, else appended to scratch. */
struct str csv_unquote(struct str field, struct buf *scratch);

/* Appends text as a field: with quotes where it needs them, or `always`. */
void csv_quote(struct buf *out, struct str text, bool always);

#endif
