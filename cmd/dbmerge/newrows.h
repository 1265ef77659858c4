/*
 * newrows - measured rows on their way into a database: kept in a temporary file, and read
 * back one operator at a time.
 *
 * Memory: 24 bytes per row, and the names of the operators.
 */
#ifndef NEWROWS_H
#define NEWROWS_H

#include "base/strmap.h"
#include "io/spool.h"
#include "perfdb/schema.h"
#include "stream/kev.h"

/* The columns of rows. */
struct newrows_layout {
	struct buf text; /* name[] points into it */
	struct str *name;
	size_t count;
	int op;                     /* OP Type */
	int column[SCHEMA_COLUMNS]; /* KEV_NONE if it is missing */
};

/* How far a row got in any file; a later fate outranks earlier fates. */
enum newrows_fate {
	NEWROWS_NOWHERE, /* it belongs to no file, or to one that was skipped */
	NEWROWS_MISSING, /* a file lacks its case, and nothing is added */
	NEWROWS_PRUNED,  /* its row in the file was deleted: it has no duration */
	NEWROWS_IN_FILE,
};

/* Rows are numbered from 0, in the order of the input. */
struct newrows {
	struct strmap operators;
	struct newrows_operator *of; /* by number in operators */
	size_t of_cap;
	struct newrows_layout *layouts;
	size_t layouts_count;
	size_t layouts_cap;
	struct newrow *row;
	size_t count;
	size_t cap;
	struct spool lines;
	uint64_t size;
	struct buf scratch;
};

struct newrows_operator {
	uint32_t first; /* number + 1 of its first row */
	uint32_t last;  /* number + 1 of its last row */
	uint32_t count;
};

/* A row read back, good until the next row is read into this struct. Starts as {0}. */
struct newrows_line {
	const struct newrows_layout *layout;
	struct str *field; /* still escaped */
	size_t cap;
	struct buf text;
};

/* False, with the reason in rows->lines.error, if no temporary file can be made. */
bool newrows_open(struct newrows *rows);

/* The columns of the reader, and its row. An error is the reader's: its next item is KEV_FAILED. */
void newrows_columns(struct newrows *rows, const struct schema *schema, struct kev_reader *in);
void newrows_add(struct newrows *rows, struct kev_reader *in);

/*
 * Whether an operator can be the name of a file. It comes from the input, and must not lead out of
 * the database.
 */
bool newrows_names_file(struct str op);

/*
 * The rows of an operator: for (i = newrows_first(…); i; i = newrows_next(…, i)) gives their
 * numbers + 1.
 */
uint32_t newrows_first(const struct newrows *rows, struct str op);
uint32_t newrows_next(const struct newrows *rows, uint32_t i);

/*
 * Reads a row back. If that fails, rows->lines.error says why, and stays: the fields are empty
 * then, so that a caller may look for the error once, after many rows.
 */
void newrows_fetch(struct newrows *rows, uint32_t number, struct newrows_line *line);

/* The text in a column, trimmed: the field itself, or decoded into scratch. */
struct str newrows_text(const struct newrows_line *line, int column, struct buf *scratch);

/* The cells of its signature, each as newrows_text gives it. */
void newrows_cells(const struct newrows_line *line, struct str cells[SIGNATURE_CELLS],
                   struct buf scratch[SIGNATURE_CELLS]);

/* Notes how far a row got, unless it got farther before. */
void newrows_settle(struct newrows *rows, uint32_t number, enum newrows_fate fate);
enum newrows_fate newrows_fate(const struct newrows *rows, uint32_t number);

void newrows_line_free(struct newrows_line *line);
void newrows_close(struct newrows *rows);

#endif
