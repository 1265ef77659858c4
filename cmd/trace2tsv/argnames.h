/*
 * argnames - the first look of trace2tsv -A: the names of the members of args in the events that
 * can become rows. They become columns, before the first row.
 */
#ifndef ARGNAMES_H
#define ARGNAMES_H

#include "json/json.h"

#include "wanted.h"

/* Starts as {0}. */
struct argnames {
	bool unseen;   /* the last file could not be opened: the second look reports that */
	bool left_out; /* names beyond NAMES_MAX and NAMES_MAX_BYTES */
	char error[JSONTEXT_ERROR];
	/* Private to argnames.c. */
	struct json_reader json;
	struct strmap names;
	struct buf scratch;
};

/*
 * Adds the names in one file ("-": standard input, of which a pipe is copied to a temporary file)
 * to wanted, of which the filter is set. False, with the reason in error, if the file cannot be
 * read twice, or if reading fails; damage is left to the second look.
 */
bool argnames_look(struct argnames *look, struct wanted *wanted, const char *path);

void argnames_free(struct argnames *look);

#endif
