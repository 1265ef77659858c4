/*
 * tokens - the values of a JSON text as tokens of jsmn, which nothing else includes.
 *
 * jsmn accepts more than JSON, such as tru, 01, 1.2.3 and {"a":1,}; its offsets are int.
 */
#ifndef TOKENS_H
#define TOKENS_H

#include "json/json_value.h"

#ifndef TOKENS_JSMN
#define JSMN_HEADER /* its functions are in tokens.c */
#endif
#define JSMN_PARENT_LINKS /* without them an array of n objects costs n^2 */
#define JSMN_STRICT
#include <jsmn.h>

/* Starts as {0}. */
struct tokens {
	jsmntok_t *token;
	size_t count;
	size_t cap;
};

/*
 * Reads the tokens of text, nested up to depth. False if jsmn rejects it, and for two kinds of
 * text that jsmn cannot read well: with a NUL, or nested deeper than 64.
 */
bool tokens_read(struct tokens *tokens, struct str text, size_t depth);

static inline struct str tokens_text(struct str text, const jsmntok_t *token)
{
	return (struct str){text.s + token->start, (size_t)(token->end - token->start)};
}

/* The value of a token; decoded and replaced as of json_string. */
struct json_value tokens_value(struct str text, const jsmntok_t *token, struct buf *decoded,
                               uint64_t *replaced);

void tokens_free(struct tokens *tokens);

#endif
