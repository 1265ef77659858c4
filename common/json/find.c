#include "json/find.h"

#include "base/mem.h"

#include <stdlib.h>

#define JSMN_STATIC
#define JSMN_PARENT_LINKS /* without them an array of n objects costs n^2 */
#define JSMN_STRICT
#include <jsmn.h>

enum { TOKENS_FIRST = 64, DEPTH_MAX = 64 /* a depth of n costs n^2 */ };

/* What jsmn says of a text. It accepts more than JSON, such as tru, 01, 1.2.3 and {"a":1,}. */
struct tokens {
	jsmntok_t *token;
	size_t count;
	size_t cap;
};

/* The depth of the brackets in text, outside its strings. */
static size_t depth_of(struct str text)
{
	size_t depth = 0;
	size_t deepest = 0;
	bool quoted = false;

	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] == '"') {
			quoted = !quoted;
		} else if (quoted) {
			i += text.s[i] == '\\';
		} else if (text.s[i] == '{' || text.s[i] == '[') {
			deepest = ++depth > deepest ? depth : deepest;
		} else if (depth && (text.s[i] == '}' || text.s[i] == ']')) {
			depth--;
		}
	}
	return deepest;
}

/* False if jsmn rejects text, or cannot read it well: with a NUL, or nested deeply. */
static bool read_tokens(struct tokens *tokens, struct str text)
{
	jsmn_parser parser;
	int count = JSMN_ERROR_NOMEM;

	if (depth_of(text) > DEPTH_MAX || memchr(text.s, '\0', text.n))
		return false;
	jsmn_init(&parser);
	for (size_t room = TOKENS_FIRST; count == JSMN_ERROR_NOMEM; room = tokens->cap + 1) {
		tokens->token = mem_grow(tokens->token, &tokens->cap, room, sizeof *tokens->token);
		count = jsmn_parse(&parser, text.s, text.n, tokens->token, (unsigned)tokens->cap);
	}
	tokens->count = count > 0 ? (size_t)count : 0;
	return count > 0;
}

static struct str text_of(struct str text, const jsmntok_t *token)
{
	return (struct str){text.s + token->start, (size_t)(token->end - token->start)};
}

/* The value of a token; decoded as of json_string. */
static struct json_value value_of(struct str text, const jsmntok_t *token, struct buf *decoded)
{
	struct str own = text_of(text, token);
	uint64_t replaced = 0;

	if (token->type == JSMN_STRING)
		return json_string(own, decoded, &replaced);
	if (token->type == JSMN_PRIMITIVE)
		return (struct json_value){.type = json_primitive_type(own), .text = own};
	return (struct json_value){.type = JSON_NESTED, .text = own};
}

/* The token of the value at `step` inside token `at`, 0 if it is missing. */
static size_t step_into(const struct tokens *all, struct str text, size_t at, const char *step)
{
	const jsmntok_t *tokens = all->token;
	bool object = tokens[at].type == JSMN_OBJECT;
	char *end;
	unsigned long skip = strtoul(step, &end, 10); /* elements of an array */

	if (!object && (tokens[at].type != JSMN_ARRAY || *step < '0' || *step > '9' || *end))
		return 0;
	for (size_t i = at + 1; i < all->count && tokens[i].start < tokens[at].end;) {
		size_t value = object ? i + 1 : i;

		if (value >= all->count)
			return 0;
		if (object ? str_equal(text_of(text, &tokens[i]), str_of(step)) : skip-- == 0)
			return value;
		for (i = value + 1; i < all->count && tokens[i].start < tokens[value].end; i++)
			;
	}
	return 0;
}

struct json_value json_find(struct str text, const char *const *path, size_t steps,
                            struct buf *scratch)
{
	struct tokens tokens = {0};
	struct buf decoded = {0};
	struct json_value value = {0};
	bool found = read_tokens(&tokens, text);
	size_t at = 0;

	for (size_t i = 0; i < steps && found; i++) {
		at = step_into(&tokens, text, at, path[i]);
		found = at > 0;
	}
	if (found) {
		buf_reserve(&decoded, text.n);
		value = value_of(text, &tokens.token[at], &decoded);
		scratch->len = 0;
		buf_str(scratch, value.text);
		value.text = buf_view(scratch);
	}
	free(tokens.token);
	buf_free(&decoded);
	return value;
}
