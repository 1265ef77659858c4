/*
 * table - a table for people: gathered first, since a column is as wide as its
 * widest cell.
 */
#ifndef TABLE_H
#define TABLE_H

#include "io/output.h"

struct table_column {
	const char *title;
	bool right; /* numbers: aligned to the right */
};

/* Starts as {.columns = …, .count = …}; columns must outlive it. */
struct table {
	const struct table_column *columns;
	size_t count;
	struct buf text; /* of all cells, one behind the other */
	size_t *ends;    /* where in it each ends */
	size_t cells;
	size_t cells_cap;
};

/* The next cell. Rows follow each other: `count` cells are one. */
void table_cell(struct table *table, struct str text);

/*
 * The titles, a rule and the rows, padded, two spaces between columns and none at
 * the end of a line. Control bytes are written as spaces; a wide (East Asian)
 * character counts as two.
 */
void table_print(const struct table *table, struct output *out);

/* The same in Markdown, by report.h's rows. */
void table_markdown(const struct table *table, struct output *out);

/* The same, its cells padded, to be read as it stands too; columns are as wide as in table_print.
 */
void table_markdown_padded(const struct table *table, struct output *out);

void table_free(struct table *table);

#endif
