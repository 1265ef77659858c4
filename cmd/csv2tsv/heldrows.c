#include "heldrows.h"

#include "base/mem.h"

#include <stdlib.h>

/* A field, in text. */
struct heldrows_span {
	size_t at;
	size_t n;
};

void heldrows_begin(struct heldrows *rows, size_t columns)
{
	strmap_clear(&rows->keys);
	rows->text.len = 0;
	rows->columns = columns;
}

static struct heldrows_span save(struct heldrows *rows, struct str text)
{
	struct heldrows_span span = {rows->text.len, text.n};

	buf_str(&rows->text, text);
	return span;
}

size_t heldrows_add(struct heldrows *rows, struct str key, const struct str *row, bool *added)
{
	size_t number = strmap_add(&rows->keys, key, added);
	size_t from = number * rows->columns;

	rows->field = mem_grow(rows->field, &rows->cap, from + rows->columns, sizeof *rows->field);
	for (size_t i = 0; *added && i < rows->columns; i++)
		rows->field[from + i] = save(rows, row[i]);
	return number;
}

void heldrows_fill(struct heldrows *rows, size_t number, size_t column, struct str text)
{
	struct heldrows_span *field = &rows->field[number * rows->columns + column];

	if (field->n == 0)
		*field = save(rows, text);
}

void heldrows_get(const struct heldrows *rows, size_t number, struct str *row)
{
	const struct heldrows_span *field = &rows->field[number * rows->columns];

	for (size_t i = 0; i < rows->columns; i++)
		row[i] = field[i].n ? (struct str){rows->text.data + field[i].at, field[i].n} : STR("");
}

void heldrows_free(struct heldrows *rows)
{
	strmap_free(&rows->keys);
	free(rows->field);
	buf_free(&rows->text);
	*rows = (struct heldrows){0};
}
