/*
 * table - a table for people, as aligned text or Markdown, and pieces of a report.
 *
 * A table is gathered first, because a column is as wide as its widest cell: its memory grows with
 * its cells. All text, also of titles, is made plain (plaintext.h); in Markdown it stands in code
 * spans, so that it cannot be markup, HTML or a link, not even by an address. In HTML it is
 * escaped.
 */
#ifndef TABLE_H
#define TABLE_H

#include "base/dec.h"
#include "io/output.h"

struct table_column {
	const char *title;
	bool right; /* numbers: aligned to the right */
};

/* Starts as {.columns = …, .count = …}; columns must outlive it. */
struct table {
	const struct table_column *columns;
	size_t count;
	bool any_width;  /* nothing is shortened or left out, however wide */
	uint64_t spare;  /* bits of columns that are left out first if the table is too wide */
	struct buf text; /* plain text of all cells, one after the other */
	size_t *ends;    /* end of each cell in text */
	size_t cells;
	size_t cells_cap;
};

/* The next cell. A row is `count` cells. */
void table_cell(struct table *table, struct str text);

/*
 * Prints the titles, a rule and the rows, padded, two spaces between columns and none at the end
 * of a line. A wide character counts as two, see width.h. If the table is wider than 100 columns of
 * text, titles have two lines, empty columns are left out, then spare ones until texts have 32
 * columns, then texts are shortened, and then others are left out from the right. A line below the
 * table lists these.
 */
void table_print(const struct table *table, struct output *out);

/* Whether two titles are of the two sides of a comparison, such as total1 and total2. */
bool table_are_sides(const char *a, const char *b);

/* Prints it in Markdown; padded: each cell as wide as its column. */
void table_markdown(const struct table *table, struct output *out);
void table_markdown_padded(const struct table *table, struct output *out);

void table_free(struct table *table);

/*
 * Prints the titles with their rule, and a row, for a program that knows the widths and does not
 * gather its rows. A cell that is too wide moves the cells after it to the right.
 */
void table_print_head(const struct table_column *columns, size_t count, const size_t *widths,
                      struct output *out);
void table_print_row(const struct table_column *columns, size_t count, const size_t *widths,
                     const struct str *row, struct output *out);

/* --- pieces of a report ----------------------------------------------------- */

/* x with this many places and commas between thousands, right-aligned in width columns. */
void table_number(struct output *out, struct dec x, int places, int width);

/*
 * Appends text that Markdown shows as it is, made plain: words and figures as they stand, all other
 * text as a code span.
 */
void table_markdown_text(struct buf *out, struct str text);

/*
 * Appends text that HTML shows as it is, made plain: & < > " and ' are written as references, so it
 * may stand in an element or in a quoted value of an attribute.
 */
void table_html_text(struct buf *out, struct str text);

/* The titles of a Markdown table, and the row below them. */
void table_markdown_head(const struct table_column *columns, size_t count, struct output *out);

/* A row of a Markdown table: | a | b |. */
void table_markdown_row(struct buf *out, const struct str *cells, size_t count);

/* The row below a Markdown table's head; with `right`, columns after the first are numbers. */
void table_markdown_rule(struct buf *out, size_t count, bool right);

#endif
