#include "json/array.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip(struct str *text, size_t n)
{
	text->s += n;
	text->n -= n;
}

/* Bytes of the value that text begins with, up to the comma or bracket after it. */
static size_t value_length(struct str text)
{
	bool in_string = false;
	size_t depth = 0;
	size_t i;

	for (i = 0; i < text.n; i++) {
		char c = text.s[i];

		if (c == '"')
			in_string = !in_string;
		else if (in_string)
			i += c == '\\';
		else if (c == '[' || c == '{')
			depth++;
		else if (depth == 0 && (c == ',' || c == ']' || c == '}'))
			break;
		else if (c == ']' || c == '}')
			depth--;
	}
	return i < text.n ? i : text.n;
}

static void skip_space(struct str *text)
{
	while (text->n && is_space(*text->s))
		skip(text, 1);
}

/* Takes the value that *rest begins with. */
static struct str take_value(struct str *rest)
{
	struct str value;

	skip_space(rest);
	value = (struct str){rest->s, value_length(*rest)};
	skip(rest, value.n);
	while (value.n && is_space(value.s[value.n - 1]))
		value.n--;
	return value;
}

bool array_next(struct str *rest, struct str *element)
{
	if (rest->n && (*rest->s == '[' || *rest->s == ','))
		skip(rest, 1);
	*element = take_value(rest);
	return element->n > 0;
}

bool array_next_member(struct str *rest, struct str *key, struct str *value)
{
	size_t n = 1;

	skip_space(rest);
	if (rest->n && (*rest->s == '{' || *rest->s == ','))
		skip(rest, 1);
	skip_space(rest);
	if (!rest->n || *rest->s != '"')
		return false;
	while (n < rest->n && rest->s[n] != '"')
		n += rest->s[n] == '\\' ? 2 : 1;
	if (n >= rest->n)
		return false;
	*key = (struct str){rest->s + 1, n - 1};
	skip(rest, n + 1);
	skip_space(rest);
	if (!rest->n || *rest->s != ':')
		return false;
	skip(rest, 1);
	*value = take_value(rest);
	return value->n > 0;
}
