/*
 * merge - the effect of new rows on the rows of one file: updates, added rows, deleted rows.
 *
 * Nothing is written here: rewrite.h writes the file, the ledger keeps the lines of the table.
 * Memory: the file, an index of its rows, and 12 bytes per new row of its operator.
 */
#ifndef MERGE_H
#define MERGE_H

#include "base/strmap.h"
#include "perfdb/ledger.h"
#include "perfdb/schema.h"
#include "syntax/csvfile.h"

#include "newrows.h"

/* A new row that sets cells of a row. */
struct merge_update {
	uint32_t new_row;
	uint32_t before; /* the earlier update of this row: its number + 1, or 0 */
	uint32_t timed;  /* the last update up to this one that has a duration: its number + 1, or 0 */
};

/* Rows of one signature. */
struct merge_case {
	uint32_t first; /* the only one that is merged */
	uint32_t times;
};

/* Starts with the first members set by the caller, the others 0. */
struct merge {
	const struct schema *schema;
	struct newrows *rows;
	struct ledger *ledger; /* begun for this file */
	struct str op;         /* operator of the file */
	const char *path;      /* path of the file, for messages */
	bool missing_only;     /* a row with a duration stays as it is, and no row is added */
	bool add_matmul;       /* to a file of MatMul, too, rows are added */
	bool prune;            /* a row without a positive duration is deleted */
	bool migrate;          /* the columns of an older file are renamed */

	struct csvfile csv;
	struct csvfile_layout layout; /* columns of the file when it is written */
	bool exists;                  /* the file exists; false: it is to be made */
	bool migrated;
	struct buf lacks; /* the base columns that the file lacks */
	struct buf
		ep_size; /* EP Size of all rows, if the file lacks the column and the new rows agree */

	/* Rows are numbered: first the rows of the file, then the added rows. */
	uint32_t *added; /* new rows */
	size_t added_count;
	size_t added_cap;
	struct merge_update *update;
	size_t update_count;
	size_t update_cap;
	uint32_t *last_update; /* by row: its number + 1, or 0 */
	size_t last_update_cap;
	bool *deleted;     /* by row */
	size_t rows_left;  /* after the merge */
	uint64_t disputed; /* new rows with a case that was measured under another kind of MatMul */

	char error[480];
	uint64_t error_line; /* line in the file; 0: the whole file */

	/* Below, merge.c's own. */
	int column[SCHEMA_COLUMNS]; /* in the file */
	struct strmap keys;         /* signatures */
	struct merge_case *cases;   /* by number in keys */
	size_t cases_cap;
	bool aliases;              /* the rows at hand are of other kinds of MatMul */
	size_t own_updates;        /* updates by rows of its own kind, which come first */
	struct newrows_line fresh; /* the new row at hand */
	struct newrows_line other;
	struct buf cell[SIGNATURE_CELLS];
	struct buf key;
	struct buf text;
	struct buf old;
	struct buf decoded;
};

/*
 * Reads the open file fd, which is closed, and decides on its columns; -1: the file is to be made.
 * False if the file cannot be merged, with the reason in error.
 */
bool merge_read(struct merge *merge, int fd);

/* Merges the new rows. False, with error, if they cannot be read back. */
bool merge_rows(struct merge *merge);

void merge_free(struct merge *merge);

#endif
