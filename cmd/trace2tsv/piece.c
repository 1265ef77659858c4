#include "piece.h"

#include "base/plaintext.h"
#include "json/scan.h"

enum piece_verdict piece_expected(struct piece *piece, const char *what)
{
	if (piece->p >= piece->end)
		return PIECE_MORE;
	piece->expected = what;
	return PIECE_BAD;
}

static enum piece_verdict bad(struct piece *piece, const char *what)
{
	piece->what = what;
	piece->expected = NULL;
	return PIECE_BAD;
}

/* With --strict: whether the inside of a string has what JSON does not allow. */
static enum piece_verdict check_string(struct piece *piece, struct str inside)
{
	size_t n = 1;

	for (size_t i = 0; i < inside.n; i += n) {
		unsigned char c = (unsigned char)inside.s[i];
		uint32_t code;

		n = c < 0x80 ? 1 : plaintext_character((struct str){inside.s + i, inside.n - i}, &code);
		if (c < 0x20 || n == 0) {
			piece->p = inside.s + i;
			return bad(piece, "a control byte, or one that is not UTF-8, in a string");
		}
		if (c != '\\')
			continue;
		n = 2;
		for (size_t digit = 2; inside.s[i + 1] == 'u' && digit < 6; digit++)
			n = i + digit < inside.n && inside.s[i + digit] &&
			            strchr("0123456789abcdefABCDEF", inside.s[i + digit])
			        ? n + 1
			        : 0;
		if (n != 2 + 4 * (size_t)(inside.s[i + 1] == 'u') || !inside.s[i + 1] ||
		    !strchr("\"\\/bfnrtu", inside.s[i + 1])) {
			piece->p = inside.s + i;
			return bad(piece, "an unknown escape in a string");
		}
	}
	return PIECE_GOOD;
}

enum piece_verdict piece_string(struct piece *piece, struct str *inside, bool *escapes)
{
	const char *start = piece->p + 1;
	const char *close = scan_quote(start);

	if (close >= piece->end)
		return PIECE_MORE;
	*escapes = memchr(start, '\\', (size_t)(close - start)) != NULL;
	if (*escapes) {
		for (close = start; close < piece->end && *close != '"'; close++)
			close += *close == '\\';
		if (close >= piece->end)
			return PIECE_MORE;
	}
	*inside = (struct str){start, (size_t)(close - start)};
	if (piece->strict && check_string(piece, *inside) == PIECE_BAD)
		return PIECE_BAD;
	piece->p = close + 1;
	return PIECE_GOOD;
}

enum piece_verdict piece_primitive(struct piece *piece, struct json_value *value)
{
	const char *start = piece->p;
	const char *p = start;
	bool digits;

	while (p < piece->end && *p >= '0' && *p <= '9')
		p++;
	digits = p > start && p - start < 20 && (*start != '0' || p == start + 1);
	if (p < piece->end && !jsontext_ends_primitive((unsigned char)*p)) {
		digits = false;
		while (p < piece->end && !jsontext_ends_primitive((unsigned char)*p))
			p++;
	}
	if (p >= piece->end)
		return PIECE_MORE;
	if (p == start)
		return piece_expected(piece, "a value");
	value->text = (struct str){start, (size_t)(p - start)};
	value->decimal = digits;
	value->type = digits ? JSON_NUMBER : json_primitive_type(value->text);
	if (piece->strict && value->type == JSON_OTHER)
		return bad(piece, "not a JSON value");
	piece->p = p;
	return PIECE_GOOD;
}

enum piece_verdict piece_nested(struct piece *piece)
{
	enum { VALUE, VALUE_OR_CLOSE, KEY, KEY_OR_CLOSE, COLON, COMMA } due = VALUE;
	char close[PIECE_DEPTH];
	size_t depth = 0;
	enum piece_verdict verdict = PIECE_GOOD;
	struct json_value value;
	struct str inside;
	bool escapes;

	do {
		char c = piece_next_byte(piece);
		bool is_key = due == KEY || due == KEY_OR_CLOSE;

		if (piece->p >= piece->end)
			return PIECE_MORE;
		if (c == '"' && due != COLON && due != COMMA) {
			verdict = piece_string(piece, &inside, &escapes);
			due = is_key ? COLON : COMMA;
		} else if ((c == '{' || c == '[') && (due == VALUE || due == VALUE_OR_CLOSE)) {
			if (depth == PIECE_DEPTH)
				return bad(piece, "it is nested too deeply");
			close[depth++] = c == '{' ? '}' : ']';
			due = c == '{' ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
			piece->p++;
		} else if ((c == '}' || c == ']') && depth && c == close[depth - 1] &&
		           (due == COMMA || due == VALUE_OR_CLOSE || due == KEY_OR_CLOSE)) {
			depth--;
			due = COMMA;
			piece->p++;
		} else if (c == ',' && due == COMMA) {
			due = close[depth - 1] == '}' ? KEY : VALUE;
			piece->p++;
		} else if (c == ':' && due == COLON) {
			due = VALUE;
			piece->p++;
		} else if (due == VALUE || due == VALUE_OR_CLOSE) {
			verdict = piece_primitive(piece, &value);
			due = COMMA;
		} else {
			return piece_expected(piece, due == COMMA   ? ", or the end of an array or object"
			                             : due == COLON ? ":"
			                                            : "a key");
		}
		if (verdict != PIECE_GOOD)
			return verdict;
	} while (depth);
	return PIECE_GOOD;
}
