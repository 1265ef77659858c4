/*
 * heldrows - rows that wait for some of their fields, by key.
 *
 * Memory grows with the texts that are held.
 */
#ifndef HELDROWS_H
#define HELDROWS_H

#include "base/strmap.h"

/* Starts as {0}. */
struct heldrows {
	struct strmap keys; /* as many keys as rows */
	size_t columns;
	/* The rest is of heldrows.c. */
	struct heldrows_span *field; /* by number in keys and by column */
	size_t cap;
	struct buf text;
};

/* Empty, for rows of this many columns. */
void heldrows_begin(struct heldrows *rows, size_t columns);

/* The number of the row with this key; if the key is new, a copy of `row` becomes that row. */
size_t heldrows_add(struct heldrows *rows, struct str key, const struct str *row, bool *added);

/* Sets a field that is empty; one that is not stays. */
void heldrows_fill(struct heldrows *rows, size_t number, size_t column, struct str text);

/* Stores the fields of a row, which are good until the next change. */
void heldrows_get(const struct heldrows *rows, size_t number, struct str *row);

void heldrows_free(struct heldrows *rows);

#endif
