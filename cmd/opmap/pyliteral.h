/*
 * pyliteral - a Python literal: a list or tuple of pairs of a name and a number, as repr() writes
 * it and ast.literal_eval() reads it.
 *
 *	[('QuantBatchMatmulV3', 19.76), ("hcom_allReduce_", 7.5e0)]
 */
#ifndef PYLITERAL_H
#define PYLITERAL_H

#include "base/buf.h"

struct pyliteral_pair {
	struct str name;   /* decoded */
	struct str number; /* as in the text; dec_parse reads it */
};

/* Starts as {0}. */
struct pyliteral {
	struct pyliteral_pair *pair; /* good until the next call, and while the text is */
	size_t count;
	size_t cap;
	struct buf names; /* the names point into it */
};

/*
 * Reads all of text: a list or tuple of at least one pair, each a list or tuple of a string and a
 * number. Returns false if it is anything else.
 *
 * A string has one pair of quotes, of either kind, no prefix, any escape except \N{...}, and is not
 * empty. An escaped surrogate becomes U+FFFD. A number is decimal and fits into struct dec.
 */
bool pyliteral_pairs(struct pyliteral *literal, struct str text);

void pyliteral_free(struct pyliteral *literal);

#endif
