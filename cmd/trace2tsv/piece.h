/*
 * piece - values of JSON in a text that is in memory and may end within one of them.
 *
 * It accepts strings with raw control bytes or bytes that are not UTF-8, unknown escapes, and NaN
 * and the like as values. With `strict` each of them is bad.
 */
#ifndef PIECE_H
#define PIECE_H

#include "json/json_value.h"
#include "json/jsontext.h"

enum { PIECE_DEPTH = 256 }; /* brackets of a value; more are bad */

enum piece_verdict { PIECE_GOOD, PIECE_MORE, PIECE_BAD }; /* MORE: the text ends within the value */

/* The text from p on, with SCAN_BLOCK quotes after its end. Of a bad value, p is where it is. */
struct piece {
	const char *p;
	const char *end;
	const char *expected; /* what should be at p, or NULL if `what` says what is bad */
	const char *what;
	bool strict;
};

/* Notes what should be at p. Returns PIECE_BAD, or PIECE_MORE at the end of the text. */
enum piece_verdict piece_expected(struct piece *piece, const char *what);

/* The byte after white space; 0 at the end of the text, as outside of strings no value has one. */
static inline char piece_next_byte(struct piece *piece)
{
	while (piece->p < piece->end && jsontext_is_space(*piece->p))
		piece->p++;
	return piece->p < piece->end ? *piece->p : '\0';
}

/* These read the value at p and go behind it. */

/* From the quote on. Sets the text between the quotes, and whether it has escapes. */
enum piece_verdict piece_string(struct piece *piece, struct str *inside, bool *escapes);

/* A number, a literal, or what stands in its place. */
enum piece_verdict piece_primitive(struct piece *piece, struct json_value *value);

/* An object or array, by its brackets, strings, colons and commas. */
enum piece_verdict piece_nested(struct piece *piece);

#endif
