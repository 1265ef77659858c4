/*
 * views - how kview shows rows: as a table for people, or row by row for other tools.
 *
 * A view is a row of the table in views.c; kview.c lists its option.
 */
#ifndef VIEWS_H
#define VIEWS_H

#include "answer/jsonw.h"
#include "answer/table.h"

struct view {
	const char *flag; /* its option, as in messages; NULL: the view without an option */
	bool is_table;    /* all rows are read before the first is written */

	/* Tables. */
	bool fits_width;  /* --width and the terminal limit it */
	const char *item; /* begins each line above and below the table */
	/* What else stands around the text of a table; NULL: nothing. */
	const char *item_end; /* ends each line above and below the table */
	const char *open;     /* before the heading */
	const char *body;     /* between the heading and the rows */
	const char *close;    /* after the rows */
	/* Writes the heading. The title of a column has its name, and may have a unit. */
	void (*head)(const struct table_column *columns, const struct str *names, size_t count,
	             const size_t *widths, struct output *out);
	bool keeps_head; /* with -H, too */
	void (*row)(const struct table_column *columns, size_t count, const size_t *widths,
	            const struct str *cells, struct output *out);
	void (*damages)(struct output *out, const struct buf *damages);

	/* Rows for other tools: each a line of texts, or an object. */
	const char *one_header; /* the name of a form whose columns cannot change; NULL: no header */
	char between;           /* texts of a line */
	const char *blank;      /* a line without a byte; NULL: a blank line */
	void (*begin)(struct jsonw *json); /* NULL, as both below: a line */
	void (*cell)(struct jsonw *json, struct str name, struct str text);
	void (*end)(struct jsonw *json);

	/* Appends text of the input, in a line or a table. */
	void (*text)(struct buf *out, struct str text);
};

/* The view of an option, "-j"; NULL: the one without an option. */
const struct view *views_find(const char *flag);

/* Appends the options of all views: "--tsv, --csv, -j, -M and --html". */
void views_put_flags(struct buf *out);

/*
 * Appends a cell of CSV, as in RFC 4180: in quotes if it needs them. A spreadsheet executes a text
 * that begins with = + - @, a tab or a return: if such a text is not a number, ' comes before it.
 */
void views_csv(struct buf *out, struct str text);

#endif
