#include "json/json.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "json/names.h"
#include "json/plain.h"

#define JSMN_STATIC
#define JSMN_PARENT_LINKS /* without them an array of n objects costs n^2 */
#define JSMN_STRICT
#include <jsmn.h>

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	WHOLE_MAX = 256 << 10, /* a larger event is walked value by value */
	WINDOW_SIZE = 2 * WHOLE_MAX,
	KEY_MAX = 4096, /* no wanted name is as long: more of a key is not kept */
	DEPTH_MAX = 1 << 20,
	MEMBER_MAX = 1 << 20, /* of a wanted member of the top-level object */
	DEPTH_TOKENS = 64,    /* a deeper event is walked */
};

enum state { AT_START, IN_OBJECT, IN_EVENTS, AT_END, ENDED, BROKEN };

static const struct str trace_events = {"traceEvents", 11};

/* --- the window ---------------------------------------------------------- */

static uint64_t position(const struct json_reader *r)
{
	return r->base + r->at;
}

/* Drops what stands before `keep` and reads more behind the rest; false at the end. */
static bool refill(struct json_reader *r, size_t keep)
{
	ssize_t got;

	if (r->exhausted || r->fenced)
		return false;
	if (keep) {
		memmove(r->window, r->window + keep, r->end - keep);
		r->base += keep;
		r->at -= keep;
		r->end -= keep;
		scan_moved(&r->scan, keep);
	}
	got = input_read(&r->in, r->window + r->end, WINDOW_SIZE - r->end);
	if (got > 0) {
		r->end += (size_t)got;
		return true;
	}
	r->exhausted = true;
	memset(r->window + r->end, ' ', SCAN_BLOCK); /* so that its last block is whole */
	return false;
}

/* The byte at the cursor, -1 at the end of the input. */
static int peek(struct json_reader *r)
{
	if (r->at == r->end && !refill(r, r->at))
		return -1;
	return (unsigned char)r->window[r->at];
}

static int peek_behind_space(struct json_reader *r)
{
	int c;

	while ((c = peek(r)) == ' ' || c == '\n' || c == '\r' || c == '\t')
		r->at++;
	return c;
}

/* --- what went wrong ----------------------------------------------------- */

static bool fail_at(struct json_reader *r, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Always false, so that a caller can return it. */
static bool fail_at(struct json_reader *r, uint64_t offset, const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	plaintext_format(what, sizeof what, format, args);
	va_end(args);
	if (r->state == IN_EVENTS && r->event)
		snprintf(r->error, sizeof r->error, "byte %llu (event %llu): %s",
		         (unsigned long long)offset, (unsigned long long)r->event, what);
	else
		snprintf(r->error, sizeof r->error, "byte %llu: %s", (unsigned long long)offset, what);
	return false;
}

/* The input ended where `where` should have gone on. */
static bool fail_cut(struct json_reader *r, uint64_t offset, const char *where)
{
	if (r->in.error[0])
		return fail_at(r, offset, "%s is cut off: %s", where, r->in.error);
	return fail_at(r, offset, "%s is cut off: the text ends at byte %llu", where,
	               (unsigned long long)(r->base + r->end));
}

/* At the cursor stands another character than `expected`, or the text ends. */
static bool fail_expected(struct json_reader *r, const char *expected)
{
	char found[QUOTE_MAX];
	int c = peek(r);
	uint32_t code;
	size_t n;

	if (c < 0)
		return fail_cut(r, position(r), expected);
	/* A character of several bytes may have more of them outside of the window. */
	while (c >= 0xc2 && r->end - r->at < 4 && refill(r, r->at))
		;
	n = plaintext_character((struct str){r->window + r->at, r->end - r->at}, &code);
	return fail_at(r, position(r), "%s expected, %s found", expected,
	               quote(found, r->window + r->at, n ? n : 1));
}

static bool fail_long(struct json_reader *r)
{
	r->fatal = true;
	return fail_at(r, r->offset, "a value exceeds %zu bytes (--max-field)", r->options->max_field);
}

/* --- single values ------------------------------------------------------- */

/* Four hex digits, or -1. */
static int hex4(const char *s, const char *end)
{
	int value = 0;

	if (end - s < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int c = (unsigned char)s[i];
		int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) - 'a' + 10;

		if (digit < 0 || digit > 15 || (digit > 9 && (c | 32) < 'a'))
			return -1;
		value = value * 16 + digit;
	}
	return value;
}

/*
 * Appends the string's text, its escapes decoded; never more bytes than raw
 * has. Gives how many lone surrogates (now U+FFFD) and unknown escapes (kept as
 * they stand) there were.
 */
static uint64_t unescape(struct buf *out, struct str raw)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	const char *p = raw.s;
	const char *end = raw.s + raw.n;
	uint64_t replaced = 0;

	while (p < end) {
		const char *escape = memchr(p, '\\', (size_t)(end - p));
		const char *known;
		int code;

		buf_bytes(out, p, (size_t)((escape ? escape : end) - p));
		if (!escape)
			break;
		p = escape + 1;
		known = p < end && *p ? strchr(from, *p) : NULL;
		if (known) {
			buf_char(out, to[known - from]);
			p++;
			continue;
		}
		code = p < end && *p == 'u' ? hex4(p + 1, end) : -1;
		if (code < 0) {
			buf_char(out, '\\');
			replaced++;
			continue;
		}
		p += 5;
		if (code >= 0xd800 && code < 0xdc00) {
			int low = end - p >= 2 && p[0] == '\\' && p[1] == 'u' ? hex4(p + 2, end) : -1;

			if (low >= 0xdc00 && low < 0xe000) {
				buf_utf8(out,
				         0x10000 + ((unsigned)(code - 0xd800) << 10) + (unsigned)(low - 0xdc00));
				p += 6;
				continue;
			}
		}
		if (code >= 0xd800 && code < 0xe000) {
			code = 0xfffd;
			replaced++;
		}
		buf_utf8(out, (unsigned)code);
	}
	return replaced;
}

/* A string's raw text as a value. decoded must have room for it: it must not move. */
static struct json_value string_value(struct json_reader *r, struct str raw)
{
	size_t start = r->decoded.len;

	if (!memchr(raw.s, '\\', raw.n))
		return (struct json_value){.type = JSON_STRING, .text = raw};
	r->replaced += unescape(&r->decoded, raw);
	return (struct json_value){.type = JSON_STRING,
	                           .text = {r->decoded.data + start, r->decoded.len - start}};
}

/* --- walking a value byte by byte, of any size --------------------------- */

/* Where the text of a walked value goes; where it is not wanted there is none. */
struct keep {
	struct buf *buf;
	size_t limit; /* of buf->len */
	bool cut;     /* past the limit the rest is dropped; else that is an error */
};

static bool keep_byte(struct json_reader *r, const struct keep *keep, char c)
{
	if (!keep)
		return true;
	if (keep->buf->len >= keep->limit)
		return keep->cut || fail_long(r);
	buf_char(keep->buf, c);
	return true;
}

/*
 * The checks of --strict on a string: no control byte, a known escape, UTF-8.
 * `more` is how many continuation bytes are due; -1 where the byte is wrong.
 */
static int strict_utf8(unsigned char c, int more, unsigned char lead)
{
	if (more == 0) {
		if (c < 0x80)
			return c < 0x20 ? -1 : 0;
		if (c >= 0xc2 && c <= 0xdf)
			return 1;
		if (c >= 0xe0 && c <= 0xef)
			return 2;
		return c >= 0xf0 && c <= 0xf4 ? 3 : -1;
	}
	if ((c & 0xc0) != 0x80)
		return -1;
	/* The second byte shuts out overlong forms, surrogates and what is past U+10FFFF. */
	if ((lead == 0xe0 && c < 0xa0) || (lead == 0xed && c > 0x9f) || (lead == 0xf0 && c < 0x90) ||
	    (lead == 0xf4 && c > 0x8f))
		return -1;
	return more - 1;
}

/* From the opening quote to behind the closing one; the raw text goes to keep. */
static bool walk_string(struct json_reader *r, const struct keep *keep, bool quotes)
{
	uint64_t start = position(r);
	int more = 0;
	unsigned char lead = 0;

	if (quotes && !keep_byte(r, keep, '"'))
		return false;
	r->at++;
	for (;;) {
		int c = peek(r);

		if (c < 0)
			return fail_cut(r, start, "a string");
		if (r->options->strict) {
			more = strict_utf8((unsigned char)c, more, lead);
			if (more < 0)
				return fail_at(r, position(r), "an unescaped byte 0x%02x in a string", (unsigned)c);
			lead = (unsigned char)c;
		}
		if (!keep && !r->options->strict) {
			/* Nothing of it is wanted: on to the next byte that matters. */
			while (r->at < r->end && r->window[r->at] != '"' && r->window[r->at] != '\\')
				r->at++;
			if (r->at == r->end)
				continue;
			c = (unsigned char)r->window[r->at];
		}
		r->at++;
		if (c == '"')
			break;
		if (!keep_byte(r, keep, (char)c))
			return false;
		if (c == '\\') {
			c = peek(r);
			if (c < 0)
				return fail_cut(r, start, "a string");
			if (r->options->strict) {
				if (c == 0 || !strchr("\"\\/bfnrtu", c))
					return fail_at(r, position(r) - 1, "an unknown escape in a string");
			}
			if (!keep_byte(r, keep, (char)c))
				return false;
			r->at++;
			for (int i = 0; c == 'u' && r->options->strict && i < 4; i++) {
				int digit = peek(r);

				if (digit < 0 || !strchr("0123456789abcdefABCDEF", digit) || !digit)
					return fail_at(r, position(r), "an unknown escape in a string");
				if (!keep_byte(r, keep, (char)digit))
					return false;
				r->at++;
			}
		}
	}
	return !quotes || keep_byte(r, keep, '"');
}

/* A number, a literal, or what stands in the place of one: up to the next delimiter. */
static bool walk_primitive(struct json_reader *r, const struct keep *keep)
{
	char text[1024]; /* far more than a number has */
	size_t n = 0;
	uint64_t start = position(r);
	int c;

	while ((c = peek(r)) >= 0 && c > ' ' && !strchr(",:{}[]\"\\", c)) {
		if (n < sizeof text)
			text[n] = (char)c;
		n++;
		if (!keep_byte(r, keep, (char)c))
			return false;
		r->at++;
	}
	if (n == 0)
		return fail_expected(r, "a value");
	if (r->options->strict &&
	    (n > sizeof text || json_primitive_type((struct str){text, n}) == JSON_OTHER)) {
		char found[QUOTE_MAX];

		return fail_at(r, start, "%s is not a JSON value",
		               quote(found, text, n < sizeof text ? n : sizeof text));
	}
	return true;
}

/*
 * Any value, the cursor at its first byte. Brackets and strings must be right;
 * with --strict, all of it. keep gets its text, a string's without the quotes.
 */
static bool walk_value(struct json_reader *r, const struct keep *keep)
{
	enum { VALUE, VALUE_OR_CLOSE, KEY, KEY_OR_CLOSE, COLON, COMMA } due = VALUE;
	uint64_t start = position(r);
	bool strict = r->options->strict;
	int c = peek(r);

	if (c == '"')
		return walk_string(r, keep, false);
	if (c != '{' && c != '[')
		return walk_primitive(r, keep);
	r->stack.len = 0;
	do {
		c = peek(r);
		if (c < 0)
			return fail_cut(r, start, "a value");
		if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
			if (!keep_byte(r, keep, (char)c))
				return false;
			r->at++;
			continue;
		}
		if (c == '\\') /* scan takes what follows for escaped: no string may begin there */
			return fail_expected(r, "a value");
		if (strict) {
			bool close = c == '}' || c == ']';
			bool right = close      ? due == COMMA || due == VALUE_OR_CLOSE || due == KEY_OR_CLOSE
			             : c == ',' ? due == COMMA
			             : c == ':' ? due == COLON
			             : c == '"' ? due != COLON && due != COMMA
			                        : due == VALUE || due == VALUE_OR_CLOSE;

			if (!right)
				return fail_expected(r, due == COMMA   ? ", or the end of an array or object"
				                        : due == COLON ? ":"
				                        : due == KEY || due == KEY_OR_CLOSE ? "a key"
				                                                            : "a value");
		}
		if (c == '"') {
			if (!walk_string(r, keep, true))
				return false;
			due = due == KEY || due == KEY_OR_CLOSE ? COLON : COMMA;
			continue;
		}
		if (c != '{' && c != '[' && c != '}' && c != ']' && c != ',' && c != ':') {
			if (strict) {
				if (!walk_primitive(r, keep))
					return false;
			} else {
				if (!keep_byte(r, keep, (char)c))
					return false;
				r->at++;
			}
			due = COMMA;
			continue;
		}
		if (c == '{' || c == '[') {
			if (r->stack.len >= DEPTH_MAX)
				return fail_at(r, position(r), "nested deeper than %d levels", DEPTH_MAX);
			buf_char(&r->stack, c == '{' ? '}' : ']');
			due = c == '{' ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
		} else if (c == '}' || c == ']') {
			if (r->stack.data[r->stack.len - 1] != c)
				return fail_expected(r, r->stack.data[r->stack.len - 1] == '}' ? "}" : "]");
			r->stack.len--;
			due = COMMA;
		} else if (c == ',') {
			due = r->stack.data[r->stack.len - 1] == '}' ? KEY : VALUE;
		} else {
			due = VALUE;
		}
		if (!keep_byte(r, keep, (char)c))
			return false;
		r->at++;
	} while (r->stack.len);
	return true;
}

/* A key and the colon behind it; its text goes to r->key, decoded, as far as KEY_MAX. */
static bool walk_key(struct json_reader *r)
{
	struct buf *raw = &r->stack; /* free while no value is walked */
	struct keep keep = {raw, KEY_MAX, true};

	if (peek(r) != '"')
		return fail_expected(r, "a key");
	raw->len = 0;
	if (!walk_string(r, &keep, false))
		return false;
	r->key.len = 0;
	unescape(&r->key, buf_view(raw));
	buf_reserve(&r->key, 8); /* for names_find */
	if (peek_behind_space(r) != ':')
		return fail_expected(r, ":");
	r->at++;
	return true;
}

/* --- events -------------------------------------------------------------- */

/* Of two members of that name the last counts: what the first gave is forgotten. */
static void forget_inner(struct json_reader *r)
{
	memset(r->value + r->options->fields_count, 0, r->options->inner_count * sizeof *r->value);
}

static void forget_all(struct json_reader *r)
{
	memset(r->value, 0, (r->options->fields_count + r->options->inner_count) * sizeof *r->value);
}

/* A wanted value of a walked event: its text is kept, its place noted in value[]. */
static bool walk_wanted(struct json_reader *r, int want)
{
	struct json_value *value = &r->value[want];
	size_t start = r->kept.len;
	struct keep keep = {&r->kept, start + r->options->max_field, false};
	int c = peek(r);

	if (!walk_value(r, &keep))
		return false;
	value->text.n = r->kept.len - start;
	r->kept_at[want] = start;
	value->type = c == '"'               ? JSON_STRING
	              : c == '{' || c == '[' ? JSON_NESTED
	                                     : JSON_OTHER; /* a primitive: settled at the end */
	return true;
}

/* The members of an event, or of its object that is looked into, the cursor at the {. */
static bool walk_members(struct json_reader *r, bool inside)
{
	bool comma = false;

	r->at++;
	/* A comma too many is passed over; with --strict it stands where a key is due. */
	while (peek_behind_space(r) != '}' || (comma && r->options->strict)) {
		struct str key;
		int want;
		int c;

		if (peek(r) == ',' && !r->options->strict) {
			r->at++;
			continue;
		}
		if (!walk_key(r))
			return false;
		c = peek_behind_space(r);
		key = buf_view(&r->key);
		want = names_find(inside ? r->inner : r->fields, key.s, key.n);
		if (want == NAMES_OBJECT)
			forget_inner(r);
		if (want == NAMES_OBJECT && c == '{' ? !walk_members(r, true)
		    : want >= 0                      ? !walk_wanted(r, want)
		                                     : !walk_value(r, NULL))
			return false;
		c = peek_behind_space(r);
		comma = c == ',';
		if (comma)
			r->at++;
		else if (c != '}')
			return fail_expected(r, ", or }");
	}
	r->at++;
	return true;
}

/* The event at the cursor, value by value. */
static bool walk_event(struct json_reader *r)
{
	forget_all(r);
	r->kept.len = 0;
	if (!walk_members(r, false))
		return false;
	r->decoded.len = 0;
	buf_reserve(&r->decoded, r->kept.len);
	for (size_t i = 0; i < r->options->fields_count + r->options->inner_count; i++) {
		struct json_value *value = &r->value[i];

		if (value->type == JSON_NONE)
			continue;
		value->text.s = buf_view(&r->kept).s + r->kept_at[i];
		if (value->type == JSON_STRING)
			*value = string_value(r, value->text);
		else if (value->type == JSON_OTHER)
			value->type = json_primitive_type(value->text);
	}
	return true;
}

/* Tokens of text, which has no NUL; 0 where jsmn will not have it. */
static size_t tokenize(struct json_reader *r, struct str text)
{
	jsmn_parser parser;
	int count;

	jsmn_init(&parser);
	/* Given no tokens at all, jsmn would only count. */
	r->tokens = mem_grow(r->tokens, &r->tokens_cap, 64, sizeof(jsmntok_t));
	for (;;) {
		count = jsmn_parse(&parser, text.s, text.n, r->tokens, (unsigned)r->tokens_cap);
		if (count != JSMN_ERROR_NOMEM)
			return count > 0 ? (size_t)count : 0;
		r->tokens = mem_grow(r->tokens, &r->tokens_cap, r->tokens_cap + 1, sizeof(jsmntok_t));
	}
}

static struct str token_text(struct str text, const jsmntok_t *token)
{
	return (struct str){text.s + token->start, (size_t)(token->end - token->start)};
}

static struct json_value token_value(struct json_reader *r, struct str text, const jsmntok_t *token)
{
	struct str own = token_text(text, token);

	if (token->type == JSMN_STRING)
		return string_value(r, own);
	if (token->type == JSMN_PRIMITIVE)
		return (struct json_value){.type = json_primitive_type(own), .text = own};
	return (struct json_value){.type = JSON_NESTED, .text = own};
}

/* Whether the text from one place to another is one mark (0: none) and space around it. */
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

/* Whether a primitive, which jsmn ends at a comma or space, holds nothing that parts values. */
static bool one_word(struct str text)
{
	return !str_has_byte(text, ':') && !str_has_byte(text, '"') && !str_has_byte(text, '{') &&
	       !str_has_byte(text, '[');
}

/* A string's quotes are not part of its token. */
static int token_start(const jsmntok_t *token)
{
	return token->start - (token->type == JSMN_STRING);
}

static int token_end(const jsmntok_t *token)
{
	return token->end + (token->type == JSMN_STRING);
}

/*
 * Takes the wanted members of the object at tokens[at] into value[]. False
 * where its tokens are not keys with one value each, a colon between them and a
 * comma behind: jsmn lets more pass, and what is unusual is walked instead.
 */
static bool take_members(struct json_reader *r, struct str text, size_t count, size_t at,
                         bool inside)
{
	const jsmntok_t *tokens = r->tokens;
	int end = tokens[at].start + 1; /* of the member before */
	size_t i = at + 1;

	while (i < count && tokens[i].start < tokens[at].end) {
		const jsmntok_t *key = &tokens[i];
		const jsmntok_t *value = &tokens[i + 1];
		struct str name = token_text(text, key);
		int want;

		if (key->type != JSMN_STRING || key->size != 1 || key->parent != (int)at ||
		    i + 1 >= count || memchr(name.s, '\\', name.n) ||
		    !gap(text, end, token_start(key), i == at + 1 ? 0 : ',') ||
		    !gap(text, token_end(key), token_start(value), ':') ||
		    (value->type == JSMN_PRIMITIVE && !one_word(token_text(text, value))))
			return false;
		end = token_end(value);
		want = names_find(inside ? r->inner : r->fields, name.s, name.n);
		if (want == NAMES_OBJECT)
			forget_inner(r);
		if (want == NAMES_OBJECT && value->type == JSMN_OBJECT) {
			if (!take_members(r, text, count, i + 1, true))
				return false;
		} else if (want >= 0) {
			r->value[want] = token_value(r, text, value);
		}
		for (i += 2; i < count && tokens[i].start < value->end; i++)
			;
	}
	return gap(text, end, tokens[at].end - 1, 0);
}

/* The event in text, by its tokens; false where that is not certain. */
static bool take_event(struct json_reader *r, struct str text)
{
	const jsmntok_t *tokens;
	uint64_t replaced = r->replaced;
	size_t count;

	/* jsmn stops at a NUL, and a depth of n costs it n^2. */
	if (memchr(text.s, '\0', text.n) || r->scan.deepest > DEPTH_TOKENS)
		return false;
	count = tokenize(r, text);
	tokens = r->tokens;
	if (count == 0 || tokens[0].type != JSMN_OBJECT || tokens[0].end != (int)text.n)
		return false;
	forget_all(r);
	r->decoded.len = 0;
	buf_reserve(&r->decoded, text.n);
	if (take_members(r, text, count, 0, false))
		return true;
	r->replaced = replaced;
	return false;
}

/* --- the events of the array --------------------------------------------- */

/* The quick way: what can be said of the event at start without its tokens. */
static enum plain_verdict quick_verdict(struct json_reader *r, size_t start, size_t end)
{
	if (r->options->strict || r->scan.has_backslash)
		return PLAIN_UNSURE;
	if (r->options->filter && !r->scan.has_letter)
		return PLAIN_UNWANTED;
	return plain_event(r->plain, (struct str){r->window + start, end - start}, r->value);
}

/* An event of over WHOLE_MAX: the place where it goes wrong is the end of what can be read. */
static enum json_item next_large(struct json_reader *r)
{
	size_t n;

	if (walk_event(r))
		return JSON_EVENT;
	n = strlen(r->error);
	if (!r->fatal && peek(r) >= 0)
		snprintf(r->error + n, sizeof r->error - n,
		         "; the event is too large to skip, so reading ends here");
	return JSON_BROKEN;
}

/*
 * Whether text, a whole event or the beginning of one, has a backslash outside of
 * strings. No JSON has; where it is followed by a quote, scan and the walk would not agree
 * on where the event ends.
 */
static bool has_bare_backslash(struct str text)
{
	bool quoted = false;

	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] == '\\') {
			if (!quoted)
				return true;
			i++;
		} else {
			quoted ^= text.s[i] == '"';
		}
	}
	return false;
}

/* The event of the window from start to end, value by value; the cursor stays in it. */
static bool walk_within(struct json_reader *r, size_t start, size_t end)
{
	size_t window_end = r->end;
	bool good;

	r->at = start;
	r->end = end;
	r->fenced = true;
	good = walk_event(r);
	r->fenced = false;
	r->end = window_end;
	if (good && r->at != end)
		return fail_at(r, r->offset, "its brackets and quotes do not match");
	return good;
}

/* The element of traceEvents at the cursor, which begins with {. JSON_END: it is dropped. */
static enum json_item next_event(struct json_reader *r)
{
	enum plain_verdict verdict = PLAIN_UNSURE;
	struct str text;
	size_t start;
	size_t end;
	bool bare;

	for (;;) {
		start = r->at;
		end = scan_object(&r->scan, r->window, start, r->end + (r->exhausted ? SCAN_BLOCK : 0));
		if (end && end - start <= WHOLE_MAX)
			break;
		if (end)
			return next_large(r);
		/* scan looks at whole blocks: it may know the end only with the one behind. */
		if (r->end - start > WHOLE_MAX + SCAN_BLOCK) {
			scan_reset(&r->scan);
			return next_large(r);
		}
		if (r->exhausted) {
			/* Where the backslash is, not the end of the text, is the damage. */
			if (!has_bare_backslash((struct str){r->window + start, r->end - start}) ||
			    walk_event(r))
				fail_cut(r, r->offset, "this event");
			return JSON_BROKEN;
		}
		refill(r, start);
	}
	text = (struct str){r->window + start, end - start};
	bare = r->scan.has_backslash && has_bare_backslash(text);
	if (!r->by_tokens)
		verdict = quick_verdict(r, start, end);
	if (verdict == PLAIN_UNWANTED && r->options->all)
		verdict = PLAIN_UNSURE;
	if (verdict == PLAIN_WANTED || verdict == PLAIN_UNWANTED ||
	    (!r->options->strict && !bare && take_event(r, text))) {
		r->at = end;
		return verdict == PLAIN_UNWANTED ? JSON_END : JSON_EVENT;
	}
	if (walk_within(r, start, end))
		return JSON_EVENT;
	r->at = end;
	if (r->fatal)
		return JSON_BROKEN;
	/* Damage of an event that the quick way drops unseen is not seen on this one either. */
	return quick_verdict(r, start, end) == PLAIN_UNWANTED ? JSON_END : JSON_DAMAGED;
}

/* --- the text around the events ------------------------------------------ */

/* The next element of traceEvents, or the end of it. */
static enum json_item next_element(struct json_reader *r)
{
	enum json_item item;
	int c;

	while ((c = peek_behind_space(r)) == ',') {
		r->at++;
		if (r->options->strict && (r->comma || r->first)) {
			fail_at(r, position(r) - 1, "an extra comma");
			return JSON_BROKEN;
		}
		r->comma = true;
	}
	if (c < 0) {
		/* The format lets the array form end without its ]. */
		if (r->bare && !r->in.error[0])
			return JSON_END;
		fail_cut(r, position(r), r->bare ? "the array of events" : "traceEvents");
		return JSON_BROKEN;
	}
	if (c == ']') {
		if (r->options->strict && r->comma) {
			fail_at(r, position(r), "an extra comma");
			return JSON_BROKEN;
		}
		r->at++;
		r->state = r->bare ? AT_END : IN_OBJECT;
		r->comma = false;
		r->first = false;
		return JSON_END;
	}
	if (c == '}' || c == ':') { /* which begin no value: where events go on cannot be told */
		r->event++;
		fail_expected(r, "an event or the end of the array");
		return JSON_BROKEN;
	}
	if (!r->first && !r->comma) {
		r->comma = true;
		fail_at(r, position(r), "no comma after this event");
		return JSON_DAMAGED;
	}
	r->first = false;
	r->comma = false;
	r->event++;
	r->offset = position(r);
	if (c == '{') {
		item = next_event(r);
		r->dropped = item == JSON_END;
		return item;
	}
	if (!walk_value(r, NULL))
		return JSON_BROKEN;
	fail_at(r, r->offset, "not an event: { expected");
	return JSON_DAMAGED;
}

/* A member of the top-level object: into traceEvents, kept, or passed over. */
static enum json_item next_member(struct json_reader *r)
{
	int c = peek_behind_space(r);
	struct keep keep = {&r->kept, MEMBER_MAX, true};

	if (c == ',' && !(r->options->strict && (r->comma || r->first))) {
		r->at++;
		r->comma = true;
		return JSON_END;
	}
	if (c == '}' && !(r->comma && r->options->strict)) {
		r->at++;
		r->state = AT_END;
		if (r->events)
			return JSON_END;
		fail_at(r, position(r) - 1, "the top-level object has no traceEvents");
		return JSON_BROKEN;
	}
	if (c < 0) {
		fail_cut(r, position(r), "the top-level object");
		return JSON_BROKEN;
	}
	if (!r->comma && !r->first) {
		fail_expected(r, ", or }");
		return JSON_BROKEN;
	}
	if (!walk_key(r))
		return JSON_BROKEN;
	r->comma = false;
	r->first = false;
	c = peek_behind_space(r);
	if (str_equal(buf_view(&r->key), trace_events)) {
		if (c != '[') {
			fail_expected(r, "[ of traceEvents");
			return JSON_BROKEN;
		}
		r->at++;
		r->events = true;
		r->first = true;
		r->state = IN_EVENTS;
		return JSON_END;
	}
	for (size_t i = 0; i < r->options->members_count; i++) {
		if (!str_equal(buf_view(&r->key), str_of(r->options->members[i])))
			continue;
		r->kept.len = 0;
		if (!walk_value(r, &keep))
			return JSON_BROKEN;
		if (r->kept.len == MEMBER_MAX)
			return JSON_END; /* larger than any real one: passed over */
		r->member = i;
		r->value[0].text = buf_view(&r->kept);
		r->decoded.len = 0;
		buf_reserve(&r->decoded, r->kept.len);
		if (c == '"')
			r->value[0] = string_value(r, r->value[0].text);
		else
			r->value[0].type =
				c == '{' || c == '[' ? JSON_NESTED : json_primitive_type(r->value[0].text);
		return JSON_MEMBER;
	}
	return walk_value(r, NULL) ? JSON_END : JSON_BROKEN;
}

/* The first byte that counts: { or [, perhaps behind a byte order mark. */
static bool start(struct json_reader *r)
{
	int c;

	peek(r);
	while (r->end < 256 && refill(r, 0))
		;
	if (input_lfs_pointer((struct str){r->window, r->end})) {
		r->fatal = true;
		return fail_at(r, 0, "this is a Git LFS pointer, not the trace; get it with git lfs pull");
	}
	if (r->end >= 3 && memcmp(r->window, "\xef\xbb\xbf", 3) == 0)
		r->at = 3;
	c = peek_behind_space(r);
	if (c < 0 && position(r) == 0 && !r->in.error[0])
		return fail_at(r, 0, "the file is empty");
	if (c != '{' && c != '[')
		return fail_expected(r, "{ or [ of a trace");
	r->at++;
	r->first = true;
	r->bare = c == '[';
	r->state = r->bare ? IN_EVENTS : IN_OBJECT;
	return true;
}

/* A wanted event has a string that begins like a wanted category, or is a phase that always is. */
static void init_scan(struct json_reader *r)
{
	const struct json_filter *filter = r->options->filter;
	char letters[SCAN_LETTERS];
	size_t count = 0;

	if (!filter || filter->categories_count == 0) {
		scan_init(&r->scan, NULL, 0);
		return;
	}
	for (size_t i = 0; i < filter->always.n + filter->categories_count; i++) {
		struct str category = i < filter->always.n ? (struct str){filter->always.s + i, 1}
		                                           : filter->categories[i - filter->always.n];

		if (category.n && memchr(letters, *category.s, count))
			continue;
		if (category.n == 0 || count == SCAN_LETTERS) {
			scan_init(&r->scan, NULL, 0);
			return;
		}
		letters[count++] = *category.s;
	}
	scan_init(&r->scan, letters, count);
}

bool json_open(struct json_reader *r, const char *path, const struct json_options *options)
{
	const char *way;
	size_t count;

	*r = (struct json_reader){.options = options, .state = AT_START};
	if (!input_open(&r->in, path)) {
		snprintf(r->error, sizeof r->error, "%s", r->in.error);
		r->state = ENDED;
		return false;
	}
	r->window = mem_alloc(WINDOW_SIZE + SCAN_BLOCK, 1);

	count = options->fields_count + options->inner_count;
	r->value = mem_zero(count + 1, sizeof *r->value);
	r->kept_at = mem_zero(count + 1, sizeof *r->kept_at);
	r->fields = names_make(options->fields, options->fields_count, 0, options->object);
	r->inner = names_make(options->inner, options->inner_count, options->fields_count, NULL);
	r->plain = plain_open(options);
	way = getenv("KEV_JSON");
	r->by_tokens = way && strcmp(way, "jsmn") == 0;
	if (way && *way && !r->by_tokens)
		die("KEV_JSON: '%s' is not jsmn", way);
	init_scan(r);
	return true;
}

enum json_item json_next(struct json_reader *r)
{
	for (;;) {
		enum json_item item = JSON_END;

		switch ((enum state)r->state) {
		case AT_START:
			item = start(r) ? JSON_END : JSON_BROKEN;
			break;
		case IN_EVENTS:
			item = next_element(r);
			if (item == JSON_END && r->state == IN_EVENTS && !r->dropped)
				r->state = ENDED;
			r->dropped = false;
			break;
		case IN_OBJECT:
			item = next_member(r);
			break;
		case AT_END:
			if (peek_behind_space(r) >= 0) {
				fail_at(r, position(r), "text follows the end of the trace");
				item = JSON_BROKEN;
			} else if (r->in.error[0]) {
				fail_at(r, position(r), "%s", r->in.error);
				item = JSON_BROKEN;
			} else {
				r->state = ENDED;
			}
			break;
		case ENDED:
			return JSON_END;
		case BROKEN:
			return JSON_BROKEN;
		}
		if (item == JSON_BROKEN)
			r->state = BROKEN;
		if (item != JSON_END)
			return item;
	}
}

void json_close(struct json_reader *r)
{
	if (r->window)
		input_close(&r->in);
	free(r->window);
	free(r->value);
	free(r->kept_at);
	free(r->fields);
	free(r->inner);
	plain_close(r->plain);
	free(r->tokens);
	buf_free(&r->stack);
	buf_free(&r->key);
	buf_free(&r->kept);
	buf_free(&r->decoded);
	r->window = NULL;
}

/* --- texts beside the stream --------------------------------------------- */

/* How deep the brackets of the text go, those in strings among them. */
static size_t depth_of(struct str text)
{
	size_t depth = 0;
	size_t deepest = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] == '{' || text.s[i] == '[')
			deepest = ++depth > deepest ? depth : deepest;
		else if (depth && (text.s[i] == '}' || text.s[i] == ']'))
			depth--;
	}
	return deepest;
}

/* The token of the value at `step` inside tokens[at], 0 where there is none. */
static size_t step_into(const struct json_reader *r, struct str text, size_t count, size_t at,
                        const char *step)
{
	const jsmntok_t *tokens = r->tokens;
	bool object = tokens[at].type == JSMN_OBJECT;
	char *end;
	unsigned long skip = strtoul(step, &end, 10); /* elements of an array */

	if (!object && (tokens[at].type != JSMN_ARRAY || *step < '0' || *step > '9' || *end))
		return 0;
	for (size_t i = at + 1; i < count && tokens[i].start < tokens[at].end;) {
		size_t value = object ? i + 1 : i;

		if (value >= count)
			return 0;
		if (object ? str_equal(token_text(text, &tokens[i]), str_of(step)) : skip-- == 0)
			return value;
		for (i = value + 1; i < count && tokens[i].start < tokens[value].end; i++)
			;
	}
	return 0;
}

struct json_value json_find(struct str text, const char *const *path, size_t steps,
                            struct buf *scratch)
{
	static const struct json_options none = {0};
	struct json_reader r = {.options = &none};
	struct json_value value = {0};
	size_t count =
		memchr(text.s, '\0', text.n) || depth_of(text) > DEPTH_TOKENS ? 0 : tokenize(&r, text);
	size_t at = 0;

	for (size_t i = 0; i < steps && count; i++) {
		at = step_into(&r, text, count, at, path[i]);
		if (at == 0)
			count = 0;
	}
	if (count) {
		buf_reserve(&r.decoded, text.n);
		value = token_value(&r, text, (jsmntok_t *)r.tokens + at);
		scratch->len = 0;
		buf_str(scratch, value.text);
		value.text = buf_view(scratch);
	}
	free(r.tokens);
	buf_free(&r.decoded);
	return value;
}

void json_quote(struct buf *out, struct str text)
{
	static const char hex[] = "0123456789abcdef";

	buf_char(out, '"');
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.s[i];

		switch (c) {
		case '"':
			buf_text(out, "\\\"");
			break;
		case '\\':
			buf_text(out, "\\\\");
			break;
		case '\n':
			buf_text(out, "\\n");
			break;
		case '\r':
			buf_text(out, "\\r");
			break;
		case '\t':
			buf_text(out, "\\t");
			break;
		default:
			if (c < 0x20) {
				buf_text(out, "\\u00");
				buf_char(out, hex[c >> 4]);
				buf_char(out, hex[c & 15]);
			} else {
				buf_char(out, (char)c);
			}
		}
	}
	buf_char(out, '"');
}
