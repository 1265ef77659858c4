/*
 * blockrows - the rows of kmem --blocks and --live: the fields of an allocation, and what became of
 * its block.
 *
 * Streams of several layouts make one table: the core columns, file if it is needed, and all other
 * columns but those of the allocator, which are the same for each row or in new columns. Memory:
 * the rows of allocations.
 */
#ifndef BLOCKROWS_H
#define BLOCKROWS_H

#include "answer/sheet.h"

#include "blocks.h"

/* A layout of the input: the column of the table in which each of its columns is. */
struct blockrows_layout {
	size_t count;
	int *place; /* KEV_NONE: in none */
};

/* Starts as {0}. */
struct blockrows {
	struct words columns; /* the table has these, and more at its end */
	struct blockrows_layout *layout;
	size_t layouts;
	size_t layouts_cap;
	bool has_file;      /* the stream has the column file */
	struct buf rows;    /* allocations: the number of the layout, a tab, the row */
	struct str *cell;   /* by column: the row at hand, escaped */
	struct sheet sheet; /* the table, while it is written */
	struct sheet_column *shown;
};

/* For each columns line. */
void blockrows_columns(struct blockrows *rows, const struct kev_reader *in);

/* Holds the row of an allocation. Returns its place. */
size_t blockrows_hold(struct blockrows *rows, const struct kev_reader *in);

/* A row of the table. Texts are escaped. */
struct blockrow {
	bool held; /* the fields of the row at place are written */
	size_t place;
	struct dec ts;
	struct dec dur;
	struct dec bytes;
	struct str file;
	struct str pid;
	struct str device;
	const char *end; /* one of block_ends; NULL: this is what was allocated before the trace */
};

/* several: the table has a column file in any case. title must outlive the table. */
void blockrows_begin(struct blockrows *rows, bool several, struct kev_writer *out, enum form form,
                     struct jsonw *json);
void blockrows_row(struct blockrows *rows, const struct blockrow *row);
void blockrows_end(struct blockrows *rows);

void blockrows_free(struct blockrows *rows);

#endif
