/*
 * tsv - lines and fields: text without quotes, separated by tabs (kev(5), TEXT).
 */
#ifndef TSV_H
#define TSV_H

#include "base/buf.h"
#include "io/input.h"

#include <stdint.h>

struct tsv_reader {
	struct input in;
	struct str text; /* the line, without its end (LF or CRLF); valid until the next call */
	uint64_t line;   /* its number, from 1 */
	bool unended;    /* the last line has no newline: it may be cut off */
	struct buf window;
	size_t at;
	bool exhausted;
	bool avx2;       /* the processor has it; a test may clear it */
	char error[320]; /* the error, on that line (0: of the whole file) */
};

/* False, with the reason in error, if path ("-": standard input) cannot be opened. */
bool tsv_open(struct tsv_reader *reader, const char *path);

/* Opens a closed reader again, to read its lines once more; see input_again. */
bool tsv_again(struct tsv_reader *reader);

/* > 0: a line is in text; 0: the end; < 0: the input breaks off, see error. */
int tsv_next(struct tsv_reader *reader);

/* Like tsv_next and then tsv_split, but finds tabs and the end of the line in one look. */
int tsv_next_split(struct tsv_reader *reader, struct str *fields, size_t max, size_t *count);

void tsv_close(struct tsv_reader *reader);

/* Stores the fields of a line, escaped, but at most max fields. Returns their number. */
size_t tsv_split(struct str line, struct str *fields, size_t max);

/* The field at index, from 0; the last one if there are fewer. */
struct str tsv_field(struct str line, size_t index);

/* Appends text, escaped, except for a # at the start of a row. */
void tsv_escape(struct buf *out, struct str text);

/* Writes the escaped text to a place with room for twice its bytes; returns the end. */
char *tsv_put(char *to, struct str text);

/* Appends the text of a field. An unknown escape stays as it is. */
void tsv_unescape(struct buf *out, struct str field);

/* The text of a field: itself, or decoded into scratch if it has escapes. */
struct str tsv_text(struct str field, struct buf *scratch);

#endif
