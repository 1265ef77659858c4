/*
 * csv - records of RFC 4180 text: quotes, doubled quotes, newlines in quotes. It accepts a byte
 * order mark, LF and CRLF, and skips blank lines.
 */
#ifndef CSV_H
#define CSV_H

#include "base/buf.h"
#include "io/input.h"

#include <stdint.h>

struct csv_reader {
	struct input in;
	bool only_csv;     /* set by the caller: a file of another kind (io/magic.h) is an error */
	bool blanks;       /* set by the caller: give blank lines too, as records without a field */
	size_t count;      /* fields of the record, see csv_field */
	struct str record; /* as it stands, without the end of its line; valid until the next call */
	size_t end_n;      /* bytes of the end of its line, which follow record: 2, 1, or 0 */
	bool bom;          /* the file begins with a byte order mark */
	uint64_t line;     /* on which the record begins, from 1 */
	bool unended;      /* the last record has no newline; if it is short, it may be cut off */
	size_t max_record; /* bytes; more is an error */
	bool fatal;        /* < 0 is an error (status 2), not damage */
	bool foreign;      /* that error: the file is of another kind */
	char error[320];   /* the error, on that line (0: of the whole file) */
	/* Private to csv.c. */
	bool avx2;
	size_t *end; /* ends of the fields, from the start of the record */
	size_t end_cap;
	struct csv_plain *plain; /* fields that had quotes */
	size_t plain_cap;
	uint64_t records;
	struct buf window;
	size_t at;
	bool exhausted;
	bool begun;
	uint64_t next_line;
	struct buf unquoted;
};

/* False, with the reason in error, if path ("-": standard input) cannot be opened. */
bool csv_open(struct csv_reader *reader, const char *path, size_t max_record);

/* Opens a CSV by its descriptor, which csv_close closes; name is for messages. */
bool csv_open_fd(struct csv_reader *reader, int fd, const char *name, size_t max_record);

/*
 * > 0: a record; 0: the end; < 0: the input breaks off, a quote is never closed, or the record is
 * too large, see error.
 */
int csv_next(struct csv_reader *reader);

struct str csv_unquoted(struct csv_reader *reader, size_t i, struct str field); /* for csv_field */

/* A field of the record, below count, without its quotes; valid until the next record. */
static inline struct str csv_field(struct csv_reader *reader, size_t i)
{
	size_t from = i ? reader->end[i - 1] + 1 : 0;
	struct str field = {reader->record.s + from, reader->end[i] - from};

	return field.n && *field.s == '"' ? csv_unquoted(reader, i, field) : field;
}

/* The fields from `first` on as one text with commas, for a value that lacks its quotes. */
struct str csv_rest(struct csv_reader *reader, size_t first, struct buf *scratch);

void csv_close(struct csv_reader *reader);

/*
 * Opens it once more, from the place at which reading began. False, with the reason in error, if it
 * is not a regular file or cannot be opened.
 */
bool csv_again(struct csv_reader *reader);

/* Stores the fields of a record with their quotes, but at most max. Returns their number. */
size_t csv_split(struct str record, struct str *fields, size_t max);

/* The text of such a field: the field, a part of it, or text appended to scratch. */
struct str csv_unquote(struct str field, struct buf *scratch);

/* Appends text as a field, with quotes if it needs them, or `always`. */
void csv_quote(struct buf *out, struct str text, bool always);

#endif
