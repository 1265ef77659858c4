/*
 * csvfile - a CSV file in memory, byte for byte: unchanged parts are written back as they were,
 * with their byte order mark, quotes, blank lines and ends of lines.
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
	size_t end_n; /* bytes of the end of the line, after the text */
};

/* {0} is a file that does not exist yet. */
struct csvfile {
	struct buf text;
	struct csvfile_record header;
	struct csvfile_record *row;
	size_t count;
	size_t cap;
	struct str *column; /* names, decoded, without the spaces around them */
	size_t columns_count;
	const struct csvfile_record *split; /* the record of the last csvfile_split */
	struct str *cell;                   /* cells of `split`, still quoted */
	size_t cells;
	size_t cells_cap;
	uint64_t long_rows;  /* rows with more cells than columns */
	uint64_t short_rows; /* rows with fewer cells than columns */
	bool unended;        /* the row that was put last has no end of line */
	bool may_be_cut;     /* the last row that was read has no end of line */
	uint64_t line;       /* line of the error; 0: the whole file */
	char error[320];
	struct buf names; /* column[] points into it */
};

/*
 * Reads the open file fd, and closes it. Returns false, with the reason in error, if it is not CSV
 * that can be written back: empty, compressed, a Git LFS pointer, cut off, two columns of one name.
 */
bool csvfile_read(struct csvfile *file, int fd, const char *name);

/* Splits a row into cells. A short row has fewer cells than the file has columns. */
void csvfile_split(struct csvfile *file, size_t row);

/* A cell of the split row, unquoted (into scratch if it must be); empty if it is missing. */
struct str csvfile_cell(const struct csvfile *file, int column, struct buf *scratch);

void csvfile_free(struct csvfile *file);

/* --- the columns to write ------------------------------------------------ */

struct csvfile_column {
	struct buf name;
	int from; /* the file's column, -1: a new one */
	bool set; /* by csvfile_layout_set */
	struct buf value;
};

/* Starts as {0}. */
struct csvfile_layout {
	struct csvfile_column *column;
	size_t count;
	size_t cap;
	bool changed; /* not the layout of the file: all rows are rewritten */
	size_t *set;  /* the columns that are set */
	size_t set_count;
	size_t set_cap;
};

void csvfile_layout_of(struct csvfile_layout *layout, const struct csvfile *file);
int csvfile_layout_find(const struct csvfile_layout *layout, struct str name); /* -1: none */
void csvfile_layout_insert(struct csvfile_layout *layout, size_t at, struct str name);
void csvfile_layout_move(struct csvfile_layout *layout, size_t from, size_t to);
void csvfile_layout_remove(struct csvfile_layout *layout, size_t at);
void csvfile_layout_rename(struct csvfile_layout *layout, size_t at, struct str name);
void csvfile_layout_free(struct csvfile_layout *layout);

/* Sets a cell of the next row that is put, unless it is set already. The layout is final then. */
void csvfile_layout_set(struct csvfile_layout *layout, size_t at, struct str value);

/*
 * Drops each cell whose value equals that of a row of the file, without the spaces around it.
 * Returns whether a cell is left.
 */
bool csvfile_layout_differs(struct csvfile_layout *layout, struct csvfile *file, size_t row);

void csvfile_layout_unset(struct csvfile_layout *layout); /* for all cells */

/* --- writing ------------------------------------------------------------- */

/*
 * Append, in this order: the header; each row of the file, put or dropped; new rows; the rest. The
 * lines between the records of the file, if any, are kept.
 *
 * A cell that is `set` gets its value, in quotes if the old cell has quotes or the value needs
 * them; other cells stay. A row without such a cell, in the layout of the file, stays as it is.
 */
void csvfile_put_header(struct buf *out, struct csvfile *file, const struct csvfile_layout *layout);
void csvfile_put_row(struct buf *out, struct csvfile *file, struct csvfile_layout *layout,
                     size_t row);
void csvfile_drop_row(struct buf *out, struct csvfile *file, struct csvfile_layout *layout,
                      size_t row);
void csvfile_put_new_row(struct buf *out, struct csvfile *file, struct csvfile_layout *layout);
void csvfile_put_rest(struct buf *out, const struct csvfile *file);

#endif
