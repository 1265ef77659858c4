/*
 * pattern - POSIX extended regular expressions over bytes, compiled to instructions for match.h.
 *
 *	. [a-z] [^a-z] [[:digit:]] a* a+ a? a{2,5} a{,5} a|b (ab) ^ $ \.
 *
 * A byte is a character, also NUL, a newline and each byte of UTF-8. A backslash makes the next
 * byte literal. It is an error before a letter, a digit and each of < > ` ', because tools disagree
 * on its meaning; so are repeats of nothing, of ^ and of $. A { that begins no interval is literal.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include "base/buf.h"

#include <stdint.h>

enum { PATTERN_GROUPS = 10 }; /* the match and nine parentheses */

enum pattern_op {
	PATTERN_BYTES, /* one byte of the set `to` */
	PATTERN_SPLIT, /* on to the next instruction, or else `to` */
	PATTERN_LOOP,  /* back by `to`, or else the next instruction */
	PATTERN_JUMP,  /* `to` */
	PATTERN_SAVE,  /* an end of a group is here: 2 * group, 2 * group + 1 */
	PATTERN_BEGIN, /* only at the beginning of the text */
	PATTERN_END,   /* only at its end */
	PATTERN_MATCH
};

struct pattern_code {
	enum pattern_op op;
	int to; /* relative, so that code can be moved and copied */
};

/* A set of bytes, a bit each. */
struct pattern_bytes {
	uint64_t word[4];
};

/* Starts as {0}. */
struct pattern {
	struct pattern_code *code; /* at most 10,000 instructions */
	size_t count;
	size_t cap;
	struct pattern_bytes *bytes; /* that the code refers to */
	size_t bytes_count;
	size_t bytes_cap;
	int groups; /* parentheses */
	char error[120];
};

/* False, with the reason in error, if text is not a pattern. */
bool pattern_compile(struct pattern *pattern, struct str text);

/* True if text is a pattern of nothing but literal bytes: then searching for it is enough. */
bool pattern_is_literal(struct str text);

static inline bool pattern_has_byte(const struct pattern_bytes *bytes, unsigned char c)
{
	return bytes->word[c / 64] >> c % 64 & 1;
}

void pattern_free(struct pattern *pattern);

#endif
