#define TOKENS_JSMN
#define JSMN_STATIC
#include "json/tokens.h"

#include "base/mem.h"

#include <stdlib.h>

enum { FIRST = 64, DEPTH_MAX = 64 /* a depth of n costs n^2 */ };

bool tokens_read(struct tokens *tokens, struct str text, size_t depth)
{
	jsmn_parser parser;
	int count = JSMN_ERROR_NOMEM;

	/* jsmn stops at a NUL. */
	if (depth > DEPTH_MAX || memchr(text.s, '\0', text.n))
		return false;
	jsmn_init(&parser);
	for (size_t room = FIRST; count == JSMN_ERROR_NOMEM; room = tokens->cap + 1) {
		tokens->token = mem_grow(tokens->token, &tokens->cap, room, sizeof *tokens->token);
		count = jsmn_parse(&parser, text.s, text.n, tokens->token, (unsigned)tokens->cap);
	}
	tokens->count = count > 0 ? (size_t)count : 0;
	return count > 0;
}

struct json_value tokens_value(struct str text, const jsmntok_t *token, struct buf *decoded,
                               uint64_t *replaced)
{
	struct str own = tokens_text(text, token);

	if (token->type == JSMN_STRING)
		return json_string(own, decoded, replaced);
	if (token->type == JSMN_PRIMITIVE)
		return (struct json_value){.type = json_primitive_type(own), .text = own};
	return (struct json_value){.type = JSON_NESTED, .text = own};
}

void tokens_free(struct tokens *tokens)
{
	free(tokens->token);
}
