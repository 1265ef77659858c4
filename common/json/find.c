#include "json/find.h"

#include "json/tokens.h"

#include <stdlib.h>

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
		if (object ? str_equal(tokens_text(text, &tokens[i]), str_of(step)) : skip-- == 0)
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
	uint64_t replaced = 0;
	bool found = tokens_read(&tokens, text, depth_of(text));
	size_t at = 0;

	for (size_t i = 0; i < steps && found; i++) {
		at = step_into(&tokens, text, at, path[i]);
		found = at > 0;
	}
	if (found) {
		buf_reserve(&decoded, text.n);
		value = tokens_value(text, &tokens.token[at], &decoded, &replaced);
		scratch->len = 0;
		buf_str(scratch, value.text);
		value.text = buf_view(scratch);
	}
	tokens_free(&tokens);
	buf_free(&decoded);
	return value;
}
