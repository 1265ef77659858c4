/*
 * pyliteral - the text of a Python literal: a list or tuple of pairs of a name and a
 * number, as repr() writes it and ast.literal_eval() reads it.
 *
 *	[('QuantBatchMatmulV3', 19.76), ("hcom_allReduce_", 7.5e0)]
 */
#ifndef PYLITERAL_H
#define PYLITERAL_H

#include "base/buf.h"

struct pyliteral_pair {
	struct str name;   /* decoded */
	struct str number; /* as it stands in the text; dec_parse reads it */
};

/* Starts as {0}. */
struct pyliteral {
	struct pyliteral_pair *pair; /* good until the next call, and as long as its text */
	size_t count;
	size_t cap;
	struct buf names; /* what the names point into */
};

/*
 * Reads all of text. It must be a list or tuple of at least one pair, each of them
 * a list or tuple of a string and a number. Strings have one pair of quotes, of
 * either kind, and no prefix; all escapes are known but \N{...}; an escaped
 * surrogate becomes U+FFFD. Numbers are decimal, whole or with a point, with or
 * without an exponent, and no larger than struct dec holds. A name may not be
 * empty. Gives false where text is anything else.
 */
bool pyliteral_pairs(struct pyliteral *literal, struct str text);

void pyliteral_free(struct pyliteral *literal);

#endif
