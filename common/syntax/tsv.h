/*
 * tsv - lines and fields: text without quotes, parted by tabs (kev(5), TEXT).
 */
#ifndef TSV_H
#define TSV_H

#include "base/buf.h"
#include "io/input.h"

#include <stdint.h>

struct tsv_reader {
	struct input in;
	struct str text; /* the line, without its end (LF or CRLF); good until the next call */
	uint64_t line;   /* its number, from 1 */
	bool unended;    /* it is the last one and has no newline: it may be cut */
	struct buf window;
	size_t at;
	bool exhausted;
	char error[320]; /* what is wrong on that line (0: with all of the file) */
};

/* Gives false with the reason in error where path ("-": standard input) cannot be opened. */
bool tsv_open(struct tsv_reader *reader, const char *path);

/* > 0: a line is in text; 0: the end; < 0: the input breaks off, said in error. */
int tsv_next(struct tsv_reader *reader);

void tsv_close(struct tsv_reader *reader);

/*
 * The fields of a line, still escaped. Gives how many there are; at most max of
 * them are stored.
 */
size_t tsv_split(struct str line, struct str *fields, size_t max);

/* The field of that index, from 0; the last one where there are fewer. */
struct str tsv_field(struct str line, size_t index);

void tsv_escape(struct buf *out, struct str text); /* but for a # at the start of a row */

/* The same to where there is room for twice the text; gives the place behind it. */
char *tsv_put(char *to, struct str text);

void tsv_unescape(struct buf *out, struct str field); /* an unknown escape stays as it is */

/* The field's text: itself, or decoded into scratch where it holds an escape. */
struct str tsv_text(struct str field, struct buf *scratch);

#endif
