#include "syntax/lexer.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool begins_name(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool continues_name(char c)
{
	return begins_name(c) || str_is_digit(c) || c == '.';
}

/* The byte at `at`, 0 after the end. */
static char byte_at(struct str text, size_t at)
{
	return at < text.n ? text.s[at] : '\0';
}

static void fail(struct lexer *l, const char *error)
{
	l->token = TOKEN_ERROR;
	l->error = error;
}

/*
 * Appends what stands between `at`, after the opening byte, and `close`; returns the place after
 * that, 0 if it is missing. A backslash keeps close and itself; \t and \n are known, too.
 */
static size_t decode(struct buf *out, struct str text, size_t at, char close)
{
	for (; at < text.n; at++) {
		char c = text.s[at];
		char next = byte_at(text, at + 1);

		if (c == close)
			return at + 1;
		if (c == '\\' && (next == close || next == '\\' || next == '"')) {
			c = next;
			at++;
		} else if (c == '\\' && (next == 't' || next == 'n')) {
			c = next == 't' ? '\t' : '\n';
			at++;
		}
		buf_char(out, c);
	}
	return 0;
}

static void quoted(struct lexer *l, char close)
{
	size_t end;

	l->decoded.len = 0;
	end = decode(&l->decoded, l->text, l->at + 1, close);
	if (end == 0) {
		fail(l, close == '}' ? "{ has no }" : "this quote is not closed");
		return;
	}
	l->next = end;
	l->token = close == '}' ? TOKEN_NAME : TOKEN_TEXT;
	l->braced = close == '}';
}

static void name(struct lexer *l)
{
	while (continues_name(byte_at(l->text, l->next)))
		l->next++;
	l->decoded.len = 0;
	buf_bytes(&l->decoded, l->text.s + l->at, l->next - l->at);
	l->token = TOKEN_NAME;
	l->braced = false;
}

static void digits(struct lexer *l)
{
	while (str_is_digit(byte_at(l->text, l->next)))
		l->next++;
}

/* Multiplies the number by the microseconds in the unit. */
static bool convert(struct lexer *l, struct str unit)
{
	static const struct {
		const char *name;
		int32_t nano; /* units in a microsecond; below 0: microseconds in a unit */
	} units[] = {{"ns", 1000}, {"us", 1}, {"ms", -1000}, {"s", -1000000}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		__int128 *nano = &l->number.nano;

		if (!str_equal(unit, str_of(units[i].name)))
			continue;
		l->has_unit = true;
		if (units[i].nano > 0) {
			if (*nano % units[i].nano)
				fail(l, "a number has at most nine decimals (of a microsecond)");
			*nano /= units[i].nano;
		} else if (__builtin_mul_overflow(*nano, (__int128)-units[i].nano, nano)) {
			fail(l, "this number is too large");
		}
		return true;
	}
	return false;
}

static void number(struct lexer *l)
{
	size_t begin = l->at;
	size_t end;
	enum dec_result result;

	digits(l);
	if (byte_at(l->text, l->next) == '.') {
		l->next++;
		digits(l);
	}
	if (byte_at(l->text, l->next) == 'e' || byte_at(l->text, l->next) == 'E') {
		char sign = byte_at(l->text, l->next + 1);
		size_t skip = sign == '-' || sign == '+' ? 2 : 1;

		if (str_is_digit(byte_at(l->text, l->next + skip))) {
			l->next += skip;
			digits(l);
		}
	}
	end = l->next;
	while (continues_name(byte_at(l->text, l->next)))
		l->next++;
	l->token = TOKEN_NUMBER;
	l->has_unit = false;
	result = dec_parse((struct str){l->text.s + begin, end - begin}, &l->number);
	if (result == DEC_ROUNDED)
		fail(l, "a number has at most nine decimals");
	else if (result != DEC_OK)
		fail(l, "this number is too large");
	else if (l->next > end && !convert(l, (struct str){l->text.s + end, l->next - end}))
		fail(l, "a number ends in ns, us, ms, s or nothing; a name that begins with a digit needs "
		        "braces");
}

static void operator(struct lexer *l)
{
	static const char *const all[] = {"==", "!=", "<=", ">=", "!~", "&&", "||", "<", ">", "~",
	                                  "!",  "+",  "-",  "*",  "/",  "%",  "(",  ")", ","};
	struct str rest = {l->text.s + l->at, l->text.n - l->at};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (str_starts(rest, str_of(all[i]))) {
			l->token = TOKEN_OPERATOR;
			l->next = l->at + strlen(all[i]);
			return;
		}
	}
	if (str_starts(rest, STR("=~")))
		fail(l, "write ~ for a pattern");
	else if (*rest.s == '=')
		fail(l, "write == to compare");
	else if (*rest.s == '&' || *rest.s == '|')
		fail(l, "write && for and, || for or");
	else
		fail(l, "this byte has no meaning here; write a name with such bytes in braces");
}

void lexer_next(struct lexer *l)
{
	char c;

	if (l->token == TOKEN_ERROR)
		return;
	while (is_space(byte_at(l->text, l->next)))
		l->next++;
	l->at = l->next;
	c = byte_at(l->text, l->at);
	if (l->at == l->text.n)
		l->token = TOKEN_END;
	else if (c == '"' || c == '\'')
		quoted(l, c);
	else if (c == '{')
		quoted(l, '}');
	else if (begins_name(c))
		name(l);
	else if (str_is_digit(c) || (c == '.' && str_is_digit(byte_at(l->text, l->at + 1))))
		number(l);
	else
		operator(l);
	l->spelling = (struct str){l->text.s + l->at, l->next - l->at};
}

bool lexer_is(const struct lexer *l, const char *op)
{
	return l->token == TOKEN_OPERATOR && str_equal(l->spelling, str_of(op));
}

bool lexer_is_function(const struct lexer *l)
{
	size_t at = l->next;

	while (byte_at(l->text, at) == ' ')
		at++;
	return l->token == TOKEN_NAME && !l->braced && byte_at(l->text, at) == '(';
}

void lexer_free(struct lexer *l)
{
	buf_free(&l->decoded);
}

/* --- lists --------------------------------------------------------------------- */

/* The place after the quoted text or the braces that begin at `at`; the end if they are not closed.
 */
static size_t skip_quoted(struct str text, size_t at)
{
	char close = text.s[at] == '{' ? '}' : text.s[at];

	for (at++; at < text.n; at++) {
		if (text.s[at] == '\\')
			at++;
		else if (text.s[at] == close)
			return at + 1;
	}
	return text.n;
}

bool lexer_item(struct str *list, struct str *item)
{
	size_t depth = 0;
	size_t at = 0;

	if (!list->s)
		return false;
	while (at < list->n && (list->s[at] != ',' || depth)) {
		char c = list->s[at];

		if (c == '"' || c == '\'' || c == '{') {
			at = skip_quoted(*list, at);
			continue;
		}
		if (c == '(')
			depth++;
		else if (c == ')' && depth)
			depth--;
		at += c == '\\' && at + 1 < list->n ? 2 : 1;
	}
	*item = (struct str){list->s, at};
	*list = at < list->n ? (struct str){list->s + at + 1, list->n - at - 1} : (struct str){0};
	return true;
}

static size_t skip_spaces(struct str text, size_t at)
{
	while (is_space(byte_at(text, at)))
		at++;
	return at;
}

bool lexer_assignment(struct str item, struct buf *name_text, struct str *expr)
{
	size_t at = skip_spaces(item, 0);
	size_t end = 0; /* the length without the spaces at the end */

	name_text->len = 0;
	*expr = (struct str){0};
	if (byte_at(item, at) == '{') {
		at = decode(name_text, item, at + 1, '}');
		if (at == 0)
			return false;
		at = skip_spaces(item, at);
		if (at < item.n && item.s[at] != '=')
			return false;
		end = name_text->len;
	}
	for (; at < item.n && item.s[at] != '='; at++) {
		char next = byte_at(item, at + 1);

		if (item.s[at] == '\\' && (next == ',' || next == '\\'))
			at++;
		buf_char(name_text, item.s[at]);
		if (!is_space(item.s[at]))
			end = name_text->len;
	}
	name_text->len = end;
	if (at < item.n)
		*expr = (struct str){item.s + at + 1, item.n - at - 1};
	return true;
}
