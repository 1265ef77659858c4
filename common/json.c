#include "json.h"

#include "die.h"
#include "mem.h"

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

#define INLINE static inline __attribute__((always_inline))

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

	if (r->exhausted)
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
	vsnprintf(what, sizeof what, format, args);
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

static bool fail_expected(struct json_reader *r, const char *expected)
{
	char found[QUOTE_MAX];
	int c = peek(r);

	if (c < 0)
		return fail_cut(r, position(r), expected);
	return fail_at(r, position(r), "%s expected, %s found", expected,
	               quote(found, r->window + r->at, 1));
}

static bool fail_long(struct json_reader *r)
{
	r->fatal = true;
	return fail_at(r, r->offset, "a value of over %zu bytes (--max-field)", r->options->max_field);
}

/* --- single values ------------------------------------------------------- */

bool json_is_number(struct str text)
{
	const char *p = text.s;
	const char *end = text.s + text.n;
	const char *run;

	if (p < end && *p == '-')
		p++;
	run = p;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	if (p == run || (*run == '0' && p - run > 1))
		return false;
	if (p < end && *p == '.') {
		run = ++p;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p == run)
			return false;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		run = p;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p == run)
			return false;
	}
	return p == end;
}

static enum json_type primitive_type(struct str text)
{
	if (json_is_number(text))
		return JSON_NUMBER;
	if (str_equal(text, STR("null")))
		return JSON_NULL;
	if (str_equal(text, STR("true")) || str_equal(text, STR("false")))
		return JSON_LITERAL;
	return JSON_OTHER;
}

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

static void put_utf8(struct buf *out, unsigned code)
{
	if (code < 0x80) {
		buf_char(out, (char)code);
	} else if (code < 0x800) {
		buf_char(out, (char)(0xc0 | code >> 6));
		buf_char(out, (char)(0x80 | (code & 0x3f)));
	} else if (code < 0x10000) {
		buf_char(out, (char)(0xe0 | code >> 12));
		buf_char(out, (char)(0x80 | (code >> 6 & 0x3f)));
		buf_char(out, (char)(0x80 | (code & 0x3f)));
	} else {
		buf_char(out, (char)(0xf0 | code >> 18));
		buf_char(out, (char)(0x80 | (code >> 12 & 0x3f)));
		buf_char(out, (char)(0x80 | (code >> 6 & 0x3f)));
		buf_char(out, (char)(0x80 | (code & 0x3f)));
	}
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
				put_utf8(out,
				         0x10000 + ((unsigned)(code - 0xd800) << 10) + (unsigned)(low - 0xdc00));
				p += 6;
				continue;
			}
		}
		if (code >= 0xd800 && code < 0xe000) {
			code = 0xfffd;
			replaced++;
		}
		put_utf8(out, (unsigned)code);
	}
	return replaced;
}

/* A string's raw text as a value. decoded must have room for it: it must not move. */
static struct json_value string_value(struct json_reader *r, struct str raw)
{
	size_t start = r->decoded.len;

	if (!memchr(raw.s, '\\', raw.n))
		return (struct json_value){JSON_STRING, raw};
	r->replaced += unescape(&r->decoded, raw);
	return (struct json_value){JSON_STRING, {r->decoded.data + start, r->decoded.len - start}};
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
				return fail_at(r, position(r), "a byte 0x%02x in a string", (unsigned)c);
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

	while ((c = peek(r)) >= 0 && c > ' ' && !strchr(",:{}[]\"", c)) {
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
	    (n > sizeof text || primitive_type((struct str){text, n}) == JSON_OTHER)) {
		char found[QUOTE_MAX];

		return fail_at(r, start, "%s is no JSON value",
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

enum { NAME_MAX_BYTES = 63, NONE = -1 };

/* Wanted names, those of one length one behind the other. */
struct json_names {
	unsigned char start[NAME_MAX_BYTES + 2]; /* by length: the first in name */
	struct json_name {
		uint64_t head; /* its first eight bytes, zeros where it is shorter */
		const char *text;
		int index; /* in value[] */
	} name[];
};

/* The first eight bytes of a name, zeros where it is shorter; eight can be read. */
INLINE uint64_t head_of(const char *name, size_t n)
{
	static const unsigned char mask[16] = {255, 255, 255, 255, 255, 255, 255, 255};
	uint64_t head;
	uint64_t keep;

	memcpy(&head, name, sizeof head);
	memcpy(&keep, mask + (n < 8 ? 8 - n : 0), sizeof keep);
	return head & keep;
}

static struct json_names *names_make(const char *const *names, size_t count, size_t first)
{
	struct json_names *made = mem_zero(1, sizeof *made + count * sizeof made->name[0]);
	char padded[8] = {0};
	unsigned char n = 0;

	if (count > UCHAR_MAX)
		die("more than %d members of an event are wanted", UCHAR_MAX);
	for (size_t length = 0; length <= NAME_MAX_BYTES; length++) {
		made->start[length] = n;
		for (size_t i = 0; i < count; i++) {
			if (strlen(names[i]) != length)
				continue;
			memcpy(padded, names[i], length < 8 ? length : 8);
			made->name[n++] = (struct json_name){
				.head = head_of(padded, length), .text = names[i], .index = (int)(first + i)};
		}
	}
	made->start[NAME_MAX_BYTES + 1] = n;
	for (size_t i = 0; i < count; i++)
		if (strlen(names[i]) > NAME_MAX_BYTES)
			die("'%s': names of wanted members have at most %d bytes", names[i], NAME_MAX_BYTES);
	return made;
}

/*
 * The index in value[] of the member of that name, NONE where it is not wanted.
 * Eight bytes can be read at key, however short it is.
 */
INLINE int names_find(const struct json_names *names, const char *key, size_t n)
{
	uint64_t head;

	if (n > NAME_MAX_BYTES || names->start[n] == names->start[n + 1])
		return NONE;
	head = head_of(key, n);
	for (int i = names->start[n]; i < names->start[n + 1]; i++)
		if (names->name[i].head == head &&
		    (n <= 8 || memcmp(names->name[i].text + 8, key + 8, n - 8) == 0))
			return names->name[i].index;
	return NONE;
}

/* Whether key is the member whose own members are wanted. */
INLINE bool is_object(const struct json_reader *r, const char *key, size_t n)
{
	return n == r->object_length && memcmp(key, r->options->object, n) == 0;
}

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
		bool object;
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
		object = !inside && is_object(r, key.s, key.n);
		if (object)
			forget_inner(r);
		if (object && c == '{' ? !walk_members(r, true)
		    : want != NONE     ? !walk_wanted(r, want)
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
			value->type = primitive_type(value->text);
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
		return (struct json_value){primitive_type(own), own};
	return (struct json_value){JSON_NESTED, own};
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
		bool object;
		int want;

		if (key->type != JSMN_STRING || key->size != 1 || key->parent != (int)at ||
		    i + 1 >= count || memchr(name.s, '\\', name.n) ||
		    !gap(text, end, token_start(key), i == at + 1 ? 0 : ',') ||
		    !gap(text, token_end(key), token_start(value), ':') ||
		    (value->type == JSMN_PRIMITIVE && !one_word(token_text(text, value))))
			return false;
		end = token_end(value);
		want = names_find(inside ? r->inner : r->fields, name.s, name.n);
		object = !inside && is_object(r, name.s, name.n);
		if (object)
			forget_inner(r);
		if (object && value->type == JSMN_OBJECT) {
			if (!take_members(r, text, count, i + 1, true))
				return false;
		} else if (want != NONE) {
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

/* --- plain events, by their fields --------------------------------------- */

enum verdict {
	UNSURE, /* something unusual: jsmn decides */
	WANTED,
	UNWANTED,
};

/*
 * The text below is an event without a backslash whose brackets and quotes
 * are balanced, and SCAN_BLOCK readable bytes follow it: so a search for a quote
 * or a delimiter inside of it ends inside of it.
 */
INLINE const char *skip_space(const char *p)
{
	while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
		p++;
	return p;
}

/* Behind the array or object at p; NULL where a bracket closes one of another kind. */
static const char *skip_nested(const char *p)
{
	static const bool matters[256] = {
		['"'] = true, ['{'] = true, ['['] = true, ['}'] = true, [']'] = true};
	uint64_t kinds = 0; /* of the open ones, 1 for { */
	unsigned depth = 0;

	for (;; p++) {
		while (!matters[(unsigned char)*p])
			p++;
		if (*p == '"') {
			p = scan_quote(p + 1);
		} else if (*p == '{' || *p == '[') {
			if (++depth > 64)
				return NULL;
			kinds = kinds << 1 | (*p == '{');
		} else {
			if ((kinds & 1) != (*p == '}'))
				return NULL;
			kinds >>= 1;
			if (--depth == 0)
				return p + 1;
		}
	}
}

/* Behind what stands where a number or literal may, whatever it is; NULL where nothing does. */
static const char *skip_unwanted(const char *p)
{
	static const bool goes_on[256] = {
		['0'] = true, ['1'] = true, ['2'] = true, ['3'] = true, ['4'] = true, ['5'] = true,
		['6'] = true, ['7'] = true, ['8'] = true, ['9'] = true, ['.'] = true, ['-'] = true,
		['a'] = true, ['e'] = true, ['f'] = true, ['l'] = true, ['n'] = true, ['r'] = true,
		['s'] = true, ['t'] = true, ['u'] = true, ['+'] = true, ['E'] = true};
	const char *start = p;

	while (goes_on[(unsigned char)*p])
		p++;
	return p > start ? p : NULL;
}

/* Behind the number or literal at p; NULL where it is neither, or not as most are. */
static const char *skip_primitive(const char *p, struct json_value *value)
{
	const char *start = p;
	bool zero;

	p += *p == '-';
	zero = *p == '0';
	if (*p >= '0' && *p <= '9') {
		do
			p++;
		while (*p >= '0' && *p <= '9');
		if (zero && p - start > 1 + (*start == '-'))
			return NULL;
		if (*p == '.' && p[1] >= '0' && p[1] <= '9') {
			p++;
			while (*p >= '0' && *p <= '9')
				p++;
		}
		if (*p == ',' || *p == '}') {
			*value = (struct json_value){JSON_NUMBER, {start, (size_t)(p - start)}};
			return p;
		}
	}
	while ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || *p == '.' || *p == '-' ||
	       *p == '+' || *p == 'E')
		p++;
	value->text = (struct str){start, (size_t)(p - start)};
	value->type = primitive_type(value->text);
	return value->type == JSON_OTHER ? NULL : p;
}

static bool category_wanted(const struct json_filter *filter, struct str cat)
{
	bool found = filter->categories_count == 0;

	for (size_t i = 0; i < filter->categories_count && !found; i++)
		found = str_equal(filter->categories[i], cat);
	return found;
}

/* Whether value[] is of an event that the filter lets pass. */
static bool wanted(const struct json_reader *r)
{
	const struct json_filter *filter = r->options->filter;
	const struct json_value *ph = &r->value[filter->ph];
	const struct json_value *cat = &r->value[filter->cat];

	if (ph->type == JSON_STRING && ph->text.n == 1) {
		if (str_has_byte(filter->always, *ph->text.s))
			return true;
		if (!str_has_byte(filter->phases, *ph->text.s))
			return false;
	}
	return category_wanted(filter, cat->type == JSON_STRING ? cat->text : STR(""));
}

/* Whether one of two names stands between quotes in the text from p to end. */
static bool has_string(const char *p, const char *end, const char *a, const char *b)
{
	size_t a_length = strlen(a);
	size_t b_length = strlen(b);

	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		p++;
		/* end is behind a }, so that what is compared past it cannot match. */
		if ((memcmp(p, a, a_length) == 0 && p[a_length] == '"') ||
		    (memcmp(p, b, b_length) == 0 && p[b_length] == '"'))
			return true;
	}
	return false;
}

/* Nothing before p contradicts it, and no member behind p can: the event is not wanted. */
static bool surely_unwanted(const struct json_reader *r, const char *p, const char *end)
{
	const struct json_filter *filter = r->options->filter;
	const char *const *fields = r->options->fields;

	return r->value[filter->ph].type && r->value[filter->cat].type && !wanted(r) &&
	       !has_string(p, end, fields[filter->ph], fields[filter->cat]);
}

/* The members of the object at *p, which then stands behind it. */
static enum verdict plain_members(struct json_reader *r, const char **from, const char *end,
                                  bool inside)
{
	const struct json_names *names = inside ? r->inner : r->fields;
	const struct json_filter *filter = inside ? NULL : r->options->filter;
	const char *p = skip_space(*from + 1);

	if (*p == '}') {
		*from = p + 1;
		return WANTED;
	}
	for (;;) {
		const char *key = p + 1;
		struct json_value value = {0};
		size_t length;
		bool object;
		int want;

		if (*p != '"')
			return UNSURE;
		p = scan_quote(key);
		length = (size_t)(p - key);
		p = skip_space(p + 1);
		if (*p != ':')
			return UNSURE;
		p = skip_space(p + 1);
		want = names_find(names, key, length);
		object = !inside && is_object(r, key, length);
		if (object)
			forget_inner(r);
		if (object && *p == '{') {
			enum verdict verdict;

			want = NONE; /* its members are */
			verdict = plain_members(r, &p, end, true);
			if (verdict != WANTED)
				return verdict;
		} else if (*p == '"') {
			const char *close = scan_quote(p + 1);

			value = (struct json_value){JSON_STRING, {p + 1, (size_t)(close - p - 1)}};
			p = close + 1;
		} else if (*p == '{' || *p == '[') {
			const char *nested = skip_nested(p);

			if (!nested)
				return UNSURE;
			value = (struct json_value){JSON_NESTED, {p, (size_t)(nested - p)}};
			p = nested;
		} else {
			p = want == NONE ? skip_unwanted(p) : skip_primitive(p, &value);
			if (!p)
				return UNSURE;
		}
		if (want != NONE) {
			r->value[want] = value;
			if (filter && ((size_t)want == filter->ph || (size_t)want == filter->cat) &&
			    surely_unwanted(r, p, end))
				return UNWANTED;
		}
		p = skip_space(p);
		if (*p == '}') {
			*from = p + 1;
			return WANTED;
		}
		if (*p != ',')
			return UNSURE;
		p = skip_space(p + 1);
	}
}

/* The event of text, which has no backslash, into value[]. */
static enum verdict plain_event(struct json_reader *r, struct str text)
{
	const char *p = text.s;
	enum verdict verdict;

	forget_all(r);
	verdict = plain_members(r, &p, text.s + text.n, false);
	if (verdict == WANTED && p != text.s + text.n)
		return UNSURE;
	if (verdict == WANTED && r->options->filter && !wanted(r))
		return UNWANTED;
	return verdict;
}

/* The quick way: what can be said of the event at start without its tokens. */
static enum verdict quick_verdict(struct json_reader *r, size_t start, size_t end)
{
	if (r->options->strict || r->scan.has_backslash)
		return UNSURE;
	if (r->options->filter && !r->scan.has_letter)
		return UNWANTED;
	return plain_event(r, (struct str){r->window + start, end - start});
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
		         "; in an event as large as this one reading ends there");
	return JSON_BROKEN;
}

/* The element of traceEvents at the cursor, which begins with {. JSON_END: it is dropped. */
static enum json_item next_event(struct json_reader *r)
{
	enum verdict verdict = UNSURE;
	size_t start;
	size_t end;

	for (;;) {
		start = r->at;
		end = scan_object(&r->scan, r->window, start, r->end + (r->exhausted ? SCAN_BLOCK : 0));
		if (end && end - start <= WHOLE_MAX)
			break;
		if (end)
			return next_large(r);
		if (r->end - start > WHOLE_MAX) {
			scan_reset(&r->scan);
			return next_large(r);
		}
		if (r->exhausted) {
			fail_cut(r, r->offset, "this event");
			return JSON_BROKEN;
		}
		refill(r, start);
	}
	if (!r->by_tokens)
		verdict = quick_verdict(r, start, end);
	if (verdict == UNWANTED && r->options->all)
		verdict = UNSURE;
	if (verdict == WANTED || verdict == UNWANTED ||
	    (!r->options->strict && take_event(r, (struct str){r->window + start, end - start}))) {
		r->at = end;
		return verdict == UNWANTED ? JSON_END : JSON_EVENT;
	}
	r->at = start;
	if (walk_event(r))
		return JSON_EVENT;
	r->at = end;
	if (r->fatal)
		return JSON_BROKEN;
	/* Damage of an event that the quick way drops unseen is not seen on this one either. */
	return quick_verdict(r, start, end) == UNWANTED ? JSON_END : JSON_DAMAGED;
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
			fail_at(r, position(r) - 1, "a comma too many");
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
			fail_at(r, position(r), "a comma too many");
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
		fail_at(r, position(r), "no comma behind this event");
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
				c == '{' || c == '[' ? JSON_NESTED : primitive_type(r->value[0].text);
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
		return fail_at(r, 0, "a Git LFS pointer, not the trace itself: get it with git lfs pull");
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
	r->fields = names_make(options->fields, options->fields_count, 0);
	r->inner = names_make(options->inner, options->inner_count, options->fields_count);
	r->object_length = options->object ? strlen(options->object) : SIZE_MAX;
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
				fail_at(r, position(r), "the trace ends here, and more text follows it");
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
