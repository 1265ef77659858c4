/*
 * newrows - measured rows on their way into a database: kept in a temporary file, and read
 * back an operator at a time.
 *
 * Memory: 24 bytes a row, and the operators' names.
 */
#ifndef NEWROWS_H
#define NEWROWS_H

#include "base/strmap.h"
#include "io/spool.h"
#include "perfdb/schema.h"
#include "stream/kev.h"

/* The columns that rows came under. */
struct newrows_layout {
	struct buf text; /* what name[] points into */
	struct str *name;
	size_t count;
	int op;                     /* OP Type */
	int column[SCHEMA_COLUMNS]; /* KEV_NONE: it has none */
};

/* Rows are numbered from 0 on, in the order they came. */
struct newrows {
	struct strmap operators;
	struct newrows_operator *of; /* by number in operators */
	size_t of_cap;
	struct newrows_layout *layouts;
	size_t layouts_count;
	struct newrow *row;
	size_t count;
	size_t cap;
	struct spool lines;
	uint64_t size;
	struct buf scratch;
};

struct newrows_operator {
	uint32_t first; /* its first row's number + 1, */
	uint32_t last;  /* and its last one's */
	uint32_t count;
};

/* Such a row, read back; good until the next one into the same struct. Starts as {0}. */
struct newrows_line {
	const struct newrows_layout *layout;
	struct str *field; /* still escaped */
	size_t cap;
	struct buf text;
};

/* False, with the reason in rows->lines.error, where there can be no temporary file. */
bool newrows_open(struct newrows *rows);

/* The reader's columns, and the row that it is at. False on an error, said in its error. */
bool newrows_columns(struct newrows *rows, const struct schema *schema, struct kev_reader *in);
bool newrows_add(struct newrows *rows, struct kev_reader *in);

/*
 * The rows of an operator: for (i = newrows_first(…); i; i = newrows_next(…, i)) are their
 * numbers + 1.
 */
uint32_t newrows_first(const struct newrows *rows, struct str op);
uint32_t newrows_next(const struct newrows *rows, uint32_t i);

/* False, with the reason in rows->lines.error, where it cannot be read back. */
bool newrows_fetch(struct newrows *rows, uint32_t number, struct newrows_line *line);

/* What a column says, without spaces around it: itself, or decoded into scratch. */
struct str newrows_text(const struct newrows_line *line, int column, struct buf *scratch);

void newrows_line_free(struct newrows_line *line);
void newrows_close(struct newrows *rows);

#endif
