/*
 * rewrite - the file of a finished merge, written anew beside the old one and renamed over it
 * (io/replace.h), if its rows changed.
 *
 * Memory: the new file.
 */
#ifndef REWRITE_H
#define REWRITE_H

#include "merge.h"

struct rewrite {
	struct merge *merge;
	bool changed; /* rows or cells: the file is to be written */
	bool linked;  /* the file that was replaced has other names, which keep the old rows */
	char error[256];
	/* Below, rewrite.c's own. */
	int to[SCHEMA_COLUMNS]; /* known columns in the new layout */
	struct strmap names;    /* names of the columns of the new layout */
	int *column;            /* places of these columns, by number in names */
	size_t column_cap;
	struct newrows_line line;
	struct buf text; /* text of the new file */
	struct buf decoded;
};

/*
 * Completes the columns and sets `changed`. merge must outlive it. False, with error, if the new
 * rows cannot be read back.
 */
bool rewrite_begin(struct rewrite *rw, struct merge *merge);

/* Replaces the file of that name in the folder. False, with error: the old one stands. */
bool rewrite_file(struct rewrite *rw, int folder, const char *name);

void rewrite_free(struct rewrite *rw);

#endif
