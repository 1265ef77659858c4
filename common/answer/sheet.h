/*
 * sheet - a table in the form that was asked for: rows of a stream, aligned text for people,
 * Markdown, or an array of JSON objects.
 *
 * A table is data: each column has a title and a function that puts the cell of a row. A stream
 * and JSON get all columns and exact figures; a report leaves out wide ones and rounds.
 */
#ifndef SHEET_H
#define SHEET_H

#include "answer/jsonw.h"
#include "answer/table.h"
#include "stream/kev.h"

struct sheet;

enum sheet_kind {
	SHEET_TEXT,
	SHEET_NUMBER, /* aligned to the right; in JSON bare, and null if it is empty or inf */
	SHEET_NAME,   /* text that may be long: Markdown gets its beginning */
	SHEET_LIST,   /* for JSON alone: put writes the items of an array to sheet->json */
	SHEET_KIND = 7,
	/* Flags beside a kind. */
	SHEET_WIDE = 8,      /* left out of a report */
	SHEET_STREAM = 16,   /* written in a stream only */
	SHEET_ORIGINAL = 32, /* not written in a stream: an original program has this column */
	SHEET_SPARE = 64,    /* left out first of a report that is too wide; one of the first 64 */
};

struct sheet_column {
	const char *title;
	unsigned kind; /* an enum sheet_kind */
	/* Appends the cell of row to sheet->cell. */
	void (*put)(struct sheet *sheet, const void *row, int which);
	int which; /* for put: which cell of the row, if several columns share it */
};

/* A column with one name in a stream, and the name of an original program in the other forms. */
#define SHEET_NAMES(name, original, kind, put, which) \
	{name, (kind) | SHEET_STREAM, put, which},        \
	{                                                 \
		original, (kind) | SHEET_ORIGINAL, put, which \
	}

struct sheet {
	const char *title;
	const struct sheet_column *columns;
	size_t count;
	enum form form;
	bool people; /* a report or Markdown: figures are to be rounded */
	struct table table;
	struct table_column *shown; /* columns of table */
	struct buf cell;            /* put appends to it */
	struct kev_writer *out;
	struct jsonw *json;
	const void *context; /* the program's, for put */
};

/*
 * Begins a table; title and columns must outlive it. json is the writer of FORM_JSON, within an
 * object; the other forms ignore it.
 */
void sheet_begin(struct sheet *sheet, struct kev_writer *out, enum form form, struct jsonw *json,
                 const char *title, const struct sheet_column *columns, size_t count);

void sheet_row(struct sheet *sheet, const void *row);

/* Prints what was gathered, and frees it. */
void sheet_end(struct sheet *sheet);

/* For put: appends a count. */
void sheet_count(struct sheet *sheet, uint64_t count);

/*
 * Cells that are a field of the row: which is its offset, by offsetof, or SHEET_THROUGH, for a
 * field of the struct to which a member of the row points. Offsets are below 32768, and that member
 * is not the first.
 */
#define SHEET_THROUGH(row, pointer, type, field) \
	((int)(offsetof(row, pointer) << 16 | offsetof(type, field)))

const void *sheet_field(const void *row, int field);

void sheet_put_text(struct sheet *sheet, const void *row, int field);  /* a struct str */
void sheet_put_count(struct sheet *sheet, const void *row, int field); /* a uint64_t */
void sheet_put_dec(struct sheet *sheet, const void *row, int field);   /* a struct dec, exact */

#endif
