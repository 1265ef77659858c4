#include "json/bytokens.h"

#include "base/mem.h"
#include "json/tokens.h"

#include <stdlib.h>

struct bytokens {
	const struct json_options *options;
	const struct names *fields;
	const struct names *inner;
	struct tokens tokens;
	struct buf decoded; /* strings with escapes, decoded */
	/* Of the event at hand: */
	struct str text;
	struct json_value *value;
	uint64_t *replaced;
};

struct bytokens *bytokens_open(const struct json_options *options, const struct names *fields,
                               const struct names *inner)
{
	struct bytokens *way = mem_zero(1, sizeof *way);

	way->options = options;
	way->fields = fields;
	way->inner = inner;
	return way;
}

/* True if the text between two offsets is space and one mark, or with mark 0 only space. */
static bool gap(struct str text, int from, int to, char mark)
{
	int marks = 0;

	for (int i = from; i < to; i++) {
		char c = text.s[i];

		if (c == mark && mark)
			marks++;
		else if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
			return false;
	}
	return marks == (mark != 0);
}

/* True if a primitive is a single one: jsmn ends it only at a comma, a bracket or white space. */
static bool one_word(struct str text)
{
	return !str_has_byte(text, ':') && !str_has_byte(text, '"') && !str_has_byte(text, '{') &&
	       !str_has_byte(text, '[');
}

/* With the quotes of a string, which are not part of its token. */
static int token_start(const jsmntok_t *token)
{
	return token->start - (token->type == JSMN_STRING);
}

static int token_end(const jsmntok_t *token)
{
	return token->end + (token->type == JSMN_STRING);
}

/*
 * Takes the wanted members of the object at token `at` into value[]. False if its tokens are not
 * keys with one value each, colons between them and commas after them: jsmn accepts more, and an
 * unusual event is read value by value instead.
 */
static bool take_members(struct bytokens *way, size_t at, bool inside)
{
	const jsmntok_t *tokens = way->tokens.token;
	size_t count = way->tokens.count;
	struct str text = way->text;
	int end = tokens[at].start + 1; /* of the previous member */
	size_t i = at + 1;

	while (i < count && tokens[i].start < tokens[at].end) {
		const jsmntok_t *key = &tokens[i];
		const jsmntok_t *value = &tokens[i + 1];
		struct str name = tokens_text(text, key);
		int want;

		if (key->type != JSMN_STRING || key->size != 1 || key->parent != (int)at ||
		    i + 1 >= count || memchr(name.s, '\\', name.n) ||
		    !gap(text, end, token_start(key), i == at + 1 ? 0 : ',') ||
		    !gap(text, token_end(key), token_start(value), ':') ||
		    (value->type == JSMN_PRIMITIVE && !one_word(tokens_text(text, value))))
			return false;
		end = token_end(value);
		want = names_find(inside ? way->inner : way->fields, name.s, name.n);
		if (want == NAMES_OBJECT)
			json_forget_inner(way->options, way->value);
		if (want == NAMES_OBJECT && value->type == JSMN_OBJECT) {
			if (!take_members(way, i + 1, true))
				return false;
		} else if (want >= 0) {
			way->value[want] = tokens_value(text, value, &way->decoded, way->replaced);
		}
		for (i += 2; i < count && tokens[i].start < value->end; i++)
			;
	}
	return gap(text, end, tokens[at].end - 1, 0);
}

bool bytokens_event(struct bytokens *way, struct str text, size_t deepest, struct json_value *value,
                    uint64_t *replaced)
{
	uint64_t before = *replaced;

	if (!tokens_read(&way->tokens, text, deepest) || way->tokens.token[0].type != JSMN_OBJECT ||
	    way->tokens.token[0].end != (int)text.n)
		return false;
	way->text = text;
	way->value = value;
	way->replaced = replaced;
	json_forget(way->options, value);
	way->decoded.len = 0;
	buf_reserve(&way->decoded, text.n);
	if (take_members(way, 0, false))
		return true;
	*replaced = before;
	return false;
}

void bytokens_close(struct bytokens *way)
{
	tokens_free(&way->tokens);
	buf_free(&way->decoded);
	free(way);
}
