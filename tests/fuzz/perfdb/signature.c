/*
 * signature: equal for rows that differ only in words, and for the row that the signature itself
 * describes. The input is an operator and its cells, a line each.
 */
#include "../fuzz.h"

#include "perfdb/signature.h"

static void put_key(struct buf *out, struct str op, const struct str cells[SIGNATURE_CELLS])
{
	out->len = 0;
	signature_key(out, op, cells);
}

/* A cell in other words: quotes, spaces, empty slots behind it; in shapes spaces for commas. */
static void reword(struct buf *out, struct str cell, bool shapes)
{
	buf_text(out, " \"\t");
	for (size_t i = 0; i < cell.n; i++) {
		buf_text(out, shapes && cell.s[i] == ',' ? " , " : "");
		if (!shapes || cell.s[i] != ',')
			buf_char(out, cell.s[i]);
		buf_text(out, cell.s[i] == ';' ? " \"" : "");
	}
	buf_text(out, "\" \n");
}

static size_t number(struct str *rest)
{
	size_t n = 0;

	while (rest->n && *rest->s >= '0' && *rest->s <= '9') {
		n = n * 10 + (size_t)(*rest->s++ - '0');
		rest->n--;
	}
	LAW(rest->n && *rest->s == ':');
	rest->s++;
	rest->n--;
	return n;
}

/* Takes the key apart into the cells that it stands for; all of it must be used up. */
static void cells_of(struct str key, bool ep_size, struct str cells[SIGNATURE_CELLS])
{
	for (int i = 0; i < EP_SIZE; i++) {
		size_t slots = number(&key);
		const char *from = key.s;

		while (slots--) {
			const char *end = memchr(key.s, ';', key.n);

			LAW(end);
			key.n -= (size_t)(end + 1 - key.s);
			key.s = end + 1;
		}
		cells[i] = (struct str){from, (size_t)(key.s - from) - (key.s > from)};
	}
	cells[EP_SIZE] = STR("");
	if (ep_size) {
		LAW(number(&key) == key.n);
		cells[EP_SIZE] = key;
		key.n = 0;
	}
	LAW(key.n == 0);
}

/*
 * Whether what the signature says is a row of that signature. Brackets in brackets, or commas
 * around a word for nothing, say something else again; of a MatMul's outputs the first one's
 * shape is kept alone; of an Index the last slot counts, which may be an empty one.
 */
static bool is_plain(struct str op, const struct str cells[SIGNATURE_CELLS])
{
	struct str in = cells[INPUT_SHAPES];
	struct str to = cells[OUTPUT_SHAPES];

	if (str_equal(op, STR("Index")) || (signature_is_matmul(op) && str_has_byte(to, ';')))
		return false;
	return !str_has_byte(in, '(') && !str_has_byte(to, '(') && !str_has_byte(in, '"') &&
	       !str_has_byte(to, '"') && !str_has_any_case(in, STR("n")) &&
	       !str_has_any_case(to, STR("n"));
}

static void try_input(const uint8_t *data, size_t size)
{
	struct str rest = {(const char *)data, size};
	struct str line[1 + SIGNATURE_CELLS] = {{NULL, 0}};
	struct str cells[SIGNATURE_CELLS];
	struct buf keys[3] = {{0}};
	struct buf words[2] = {{0}};
	struct str op;

	for (size_t i = 0; i < 1 + SIGNATURE_CELLS; i++) {
		const char *end = rest.n ? memchr(rest.s, '\n', rest.n) : NULL;

		line[i] = (struct str){rest.s ? rest.s : "", end ? (size_t)(end - rest.s) : rest.n};
		rest.s += line[i].n + (end != NULL);
		rest.n -= line[i].n + (end != NULL);
	}
	op = signature_operator(line[0]);
	LAW(str_has(line[0], op));
	put_key(&keys[0], op, line + 1);

	memcpy(cells, line + 1, sizeof cells);
	for (int i = 0; i < 2; i++) {
		int column = i ? OUTPUT_SHAPES : INPUT_SHAPES;

		reword(&words[i], cells[column], true);
		cells[column] = buf_view(&words[i]);
	}
	put_key(&keys[1], op, cells);
	LAW_SAME(&keys[0], &keys[1]);

	cells_of(buf_view(&keys[0]), signature_has_ep_size(op), cells);
	if (is_plain(op, line + 1)) {
		put_key(&keys[2], op, cells);
		LAW_SAME(&keys[0], &keys[2]);
	}
	for (int i = 0; i < 3; i++)
		buf_free(&keys[i]);
	buf_free(&words[0]);
	buf_free(&words[1]);
}
