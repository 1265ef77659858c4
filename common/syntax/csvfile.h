/*
 * csvfile - a CSV file in memory, byte for byte: what is not changed of it is written
 * back as it stood, byte order mark, quotes, blank lines and ends of lines included.
 *
 * Memory: the file, and 24 bytes a row.
 */
#ifndef CSVFILE_H
#define CSVFILE_H

#include "base/buf.h"

#include <stdint.h>

struct csvfile_record {
	size_t at; /* in text */
	size_t n;
	size_t end_n; /* of its line's end, behind it */
};

/* A file that is not there yet starts as {0}. */
struct csvfile {
	struct buf text;
	struct csvfile_record header;
	struct csvfile_record *row;
	size_t count;
	size_t cap;
	struct str *column; /* names, decoded, without the spaces around them */
	size_t columns_count;
	const struct csvfile_record *split; /* the one that csvfile_split took last, */
	struct str *cell;                   /* and its cells, as they stand */
	size_t cells;
	size_t cells_cap;
	uint64_t long_rows;  /* rows with more cells than columns, */
	uint64_t short_rows; /* and with fewer */
	bool unended;        /* what was put last has no line's end */
	uint64_t line;       /* of what error says; 0: all of the file */
	char error[320];
	struct buf names; /* what column[] points into */
};

/*
 * Reads the open file fd, which is closed. False, with the reason in error, where it is
 * no CSV that could be written back: empty, compressed, a Git LFS pointer, cut off, with
 * two columns of one name.
 */
bool csvfile_read(struct csvfile *file, int fd, const char *name);

int csvfile_column(const struct csvfile *file, struct str name); /* -1: there is none */

/* Takes a row apart. What a short row lacks at its end is not among its cells. */
void csvfile_split(struct csvfile *file, size_t row);

/* What a cell of that row says: itself, or appended to scratch; empty where there is none. */
struct str csvfile_cell(const struct csvfile *file, int column, struct buf *scratch);

void csvfile_free(struct csvfile *file);

/* --- the columns to write ------------------------------------------------ */

struct csvfile_column {
	struct buf name;
	int from; /* the file's column, -1: a new one */
	bool set; /* in the row that is put next the cell says value */
	struct buf value;
};

/* Starts as {0}. */
struct csvfile_layout {
	struct csvfile_column *column;
	size_t count;
	size_t cap;
	bool changed; /* it is not the file's own: all rows are written anew */
};

void csvfile_layout_of(struct csvfile_layout *layout, const struct csvfile *file);
int csvfile_layout_find(const struct csvfile_layout *layout, struct str name); /* -1: none */
void csvfile_layout_insert(struct csvfile_layout *layout, size_t at, struct str name);
void csvfile_layout_move(struct csvfile_layout *layout, size_t from, size_t to);
void csvfile_layout_remove(struct csvfile_layout *layout, size_t at);
void csvfile_layout_rename(struct csvfile_layout *layout, size_t at, struct str name);
void csvfile_layout_free(struct csvfile_layout *layout);

/* --- writing ------------------------------------------------------------- */

/*
 * Append, in this order: the header with what is in front of it; each row of the file, put
 * or dropped, with what stands before it; rows that it has not; what stands behind its last.
 *
 * A cell that is `set` gets its value, in quotes where the old one has some or it needs
 * them; the others stay. A row without any, in the file's own layout, stays as it stands.
 */
void csvfile_put_header(struct buf *out, struct csvfile *file, const struct csvfile_layout *layout);
void csvfile_put_row(struct buf *out, struct csvfile *file, struct csvfile_layout *layout,
                     size_t row);
void csvfile_drop_row(struct buf *out, struct csvfile *file, struct csvfile_layout *layout,
                      size_t row);
void csvfile_put_new_row(struct buf *out, struct csvfile *file, struct csvfile_layout *layout);
void csvfile_put_rest(struct buf *out, const struct csvfile *file);

#endif
