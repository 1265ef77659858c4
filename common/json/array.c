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
		else if (depth == 0 && (c == ',' || c == ']'))
			break;
		else if (c == ']' || c == '}')
			depth--;
	}
	return i < text.n ? i : text.n;
}

bool array_next(struct str *rest, struct str *element)
{
	if (rest->n && (*rest->s == '[' || *rest->s == ','))
		skip(rest, 1);
	while (rest->n && is_space(*rest->s))
		skip(rest, 1);
	*element = (struct str){rest->s, value_length(*rest)};
	skip(rest, element->n);
	while (element->n && is_space(element->s[element->n - 1]))
		element->n--;
	return element->n > 0;
}
