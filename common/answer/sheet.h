/*
 * sheet - a table in the form that was asked for: rows of a stream, aligned text
 * for people, Markdown, or an array of JSON objects.
 *
 * Cells are put one by one, in the order of the columns, and are text as it
 * stands. A stream and JSON get all columns and exact figures, people may get fewer.
 */
#ifndef SHEET_H
#define SHEET_H

#include "answer/jsonw.h"
#include "answer/table.h"
#include "stream/kev.h"

enum { SHEET_COLUMNS = 16 };

struct sheet {
	const char *title;
	const struct table_column *columns;
	size_t count;
	enum form form;
	bool people;       /* figures are to be rounded */
	unsigned left_out; /* columns, by bit: a report is only so wide */
	struct table table;
	struct table_column shown[SHEET_COLUMNS]; /* of table */
	size_t at;                                /* the column of the next cell */
	struct buf cell;                          /* where sheet_cell's text is put together */
	struct kev_writer *out;
	struct jsonw *json;
};

/*
 * Begins a table, of at most SHEET_COLUMNS columns, which must outlive it. left_out holds
 * for a report alone. json is the writer of FORM_JSON, within an object; in the
 * other forms it is not looked at.
 */
void sheet_begin(struct sheet *sheet, struct kev_writer *out, enum form form, struct jsonw *json,
                 const char *title, const struct table_column *columns, size_t count,
                 unsigned left_out);

/*
 * The next cell: text, what stands in sheet->cell, a count. In JSON a column of
 * numbers is written bare, and null where it is inf or empty.
 */
void sheet_text(struct sheet *sheet, struct str text);
void sheet_name(struct sheet *sheet, struct str name); /* for people, the beginning of a long one */
void sheet_cell(struct sheet *sheet);
void sheet_count(struct sheet *sheet, uint64_t count);

void sheet_row_end(struct sheet *sheet);
void sheet_end(struct sheet *sheet); /* writes what was gathered, and frees it */

#endif
