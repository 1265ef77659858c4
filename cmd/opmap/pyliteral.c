#include "pyliteral.h"

#include <stdlib.h>

#include "base/dec.h"
#include "base/mem.h"

/* The rest of the text. */
struct cursor {
	const char *at;
	const char *end;
};

static void skip_space(struct cursor *c)
{
	static const char spaces[] = {' ', '\t', '\n', '\r', '\f'};

	while (c->at < c->end && memchr(spaces, *c->at, sizeof spaces))
		c->at++;
}

static bool take(struct cursor *c, char byte)
{
	if (c->at == c->end || *c->at != byte)
		return false;
	c->at++;
	return true;
}

static bool take_after_space(struct cursor *c, char byte)
{
	skip_space(c);
	return take(c, byte);
}

/* Takes [ or ( and returns the closing bracket; 0 if there is neither. */
static char take_open(struct cursor *c)
{
	if (take_after_space(c, '['))
		return ']';
	return take(c, '(') ? ')' : 0;
}

/* --- strings ------------------------------------------------------------- */

static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (unsigned)((c | 32) - 'a' + 10);
	return 16;
}

/* Takes a character of `least` to `most` digits. */
static bool take_code(struct cursor *c, struct buf *out, unsigned base, int least, int most)
{
	unsigned code = 0;
	int n = 0;

	for (; n < most && c->at < c->end && digit_of(*c->at) < base; n++)
		code = code * base + digit_of(*c->at++);
	if (n < least || code > 0x10ffff)
		return false;
	buf_utf8(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
	return true;
}

/* Takes an escape after its backslash. */
static bool take_escape(struct cursor *c, struct buf *out)
{
	static const char from[] = "\\'\"abfnrtv";
	static const char to[] = "\\'\"\a\b\f\n\r\t\v";
	const char *known;

	if (c->at == c->end)
		return false;
	if (digit_of(*c->at) < 8)
		return take_code(c, out, 8, 1, 3);
	known = memchr(from, *c->at, sizeof from - 1);
	if (known) {
		buf_char(out, to[known - from]);
		c->at++;
		return true;
	}
	switch (*c->at) {
	case 'x':
		c->at++;
		return take_code(c, out, 16, 2, 2);
	case 'u':
		c->at++;
		return take_code(c, out, 16, 4, 4);
	case 'U':
		c->at++;
		return take_code(c, out, 16, 8, 8);
	case 'N': /* by its name in Unicode */
		return false;
	case '\r': /* continues the line */
		c->at++;
		take(c, '\n');
		return true;
	case '\n':
		c->at++;
		return true;
	default: /* not an escape: both bytes are kept */
		buf_char(out, '\\');
		return true;
	}
}

/* Takes a string that is not empty, and appends it, decoded, to out, which must not move. */
static bool take_string(struct cursor *c, struct buf *out, struct str *text)
{
	size_t start = out->len;
	char quote = take_after_space(c, '"') ? '"' : '\'';

	if (quote == '\'' && !take(c, '\''))
		return false;
	while (!take(c, quote)) {
		if (c->at == c->end || *c->at == '\n' || *c->at == '\r' || *c->at == '\0')
			return false;
		if (!take(c, '\\'))
			buf_char(out, *c->at++);
		else if (!take_escape(c, out))
			return false;
	}
	*text = (struct str){out->data + start, out->len - start};
	return text->n > 0;
}

/* --- numbers and pairs --------------------------------------------------- */

static size_t skip_digits(struct cursor *c)
{
	const char *start = c->at;

	while (c->at < c->end && digit_of(*c->at) < 10)
		c->at++;
	return (size_t)(c->at - start);
}

/* To Python 007 is an error, but 00 and 007.5 are numbers. */
static bool is_octal_of_old(struct str digits)
{
	bool zeros = true;

	for (size_t i = 0; i < digits.n; i++)
		zeros &= digits.s[i] == '0';
	return digits.n > 1 && digits.s[0] == '0' && !zeros;
}

static bool take_number(struct cursor *c, struct str *number)
{
	const char *start;
	struct str whole;
	size_t digits;
	bool integer;
	struct dec value;

	skip_space(c);
	start = c->at;
	if (!take(c, '-'))
		take(c, '+');
	whole = (struct str){c->at, 0};
	digits = whole.n = skip_digits(c);
	integer = !take(c, '.');
	if (!integer)
		digits += skip_digits(c);
	if (digits == 0)
		return false;
	if (take(c, 'e') || take(c, 'E')) {
		integer = false;
		if (!take(c, '-'))
			take(c, '+');
		if (skip_digits(c) == 0)
			return false;
	}
	*number = (struct str){start, (size_t)(c->at - start)};
	return !(integer && is_octal_of_old(whole)) && dec_parse(*number, &value) <= DEC_ROUNDED;
}

static bool take_pair(struct cursor *c, struct pyliteral *literal)
{
	struct pyliteral_pair pair;
	char close = take_open(c);

	if (!close || !take_string(c, &literal->names, &pair.name) || !take_after_space(c, ',') ||
	    !take_number(c, &pair.number))
		return false;
	take_after_space(c, ',');
	if (!take_after_space(c, close))
		return false;
	literal->pair =
		mem_grow(literal->pair, &literal->cap, literal->count + 1, sizeof *literal->pair);
	literal->pair[literal->count++] = pair;
	return true;
}

bool pyliteral_pairs(struct pyliteral *literal, struct str text)
{
	struct cursor c = {text.s, text.s + text.n};
	char close = take_open(&c);
	bool comma = false;

	literal->count = 0;
	literal->names.len = 0;
	buf_reserve(&literal->names, text.n); /* decoded text is never longer, so it will not move */
	if (!close)
		return false;
	do {
		if (!take_pair(&c, literal))
			return false;
		comma = take_after_space(&c, ',');
		skip_space(&c);
	} while (comma && c.at < c.end && *c.at != close);
	if (!take(&c, close))
		return false;
	skip_space(&c);
	/* Without a comma, parentheses around one pair are that pair. */
	return c.at == c.end && (close == ']' || comma || literal->count > 1);
}

void pyliteral_free(struct pyliteral *literal)
{
	free(literal->pair);
	buf_free(&literal->names);
	*literal = (struct pyliteral){0};
}
