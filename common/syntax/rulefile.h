/*
 * rulefile - the lines of a file of rules or of peaks, or of the text that comes with the program.
 */
#ifndef RULEFILE_H
#define RULEFILE_H

#include "base/buf.h"

/* Starts as {.rest = text}; every line of text ends in a newline. */
struct rulefile {
	struct str rest;
	uint64_t line; /* the number of the last one */
};

/*
 * Appends the text of a file; NULL: built_in. False if the file cannot be read; error is then set
 * by rulefile_error.
 */
bool rulefile_read(struct buf *text, const char *file, const char *built_in, char *error,
                   size_t size);

/* The next line that is not blank and does not begin with #. False at the end. */
bool rulefile_next(struct rulefile *in, struct str *line);

/* Sets error to "FILE:LINE: message"; line 0: of no line. */
void rulefile_error(char *error, size_t size, const char *file, uint64_t line, const char *format,
                    va_list args) __attribute__((format(printf, 5, 0)));

#endif
