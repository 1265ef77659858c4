#include "json/json_value.h"

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

/* The digits at p. */
static struct str digits_at(const char *p, const char *end)
{
	const char *run = p;

	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return (struct str){run, (size_t)(p - run)};
}

bool json_put_number(struct buf *out, struct str text)
{
	const char *p = text.s;
	const char *end = text.s + text.n;
	bool negative = p < end && *p == '-';
	size_t before = out->len;
	struct str whole;
	struct str fraction = {text.s, 0};

	p += negative || (p < end && *p == '+');
	whole = digits_at(p, end);
	p += whole.n;
	if (p < end && *p == '.') {
		fraction = digits_at(p + 1, end);
		p += fraction.n + 1;
	}
	if (whole.n + fraction.n == 0)
		return false;
	for (; whole.n > 1 && *whole.s == '0'; whole.n--)
		whole.s++;
	if (negative)
		buf_char(out, '-');
	buf_str(out, whole.n ? whole : STR("0"));
	if (fraction.n) {
		buf_char(out, '.');
		buf_str(out, fraction);
	}
	buf_bytes(out, p, (size_t)(end - p));
	if (json_is_number((struct str){out->data + before, out->len - before}))
		return true;
	out->len = before; /* the exponent, or what follows the number */
	return false;
}

enum json_type json_primitive_type(struct str text)
{
	if (json_is_number(text))
		return JSON_NUMBER;
	if (str_equal(text, STR("null")))
		return JSON_NULL;
	if (str_equal(text, STR("true")) || str_equal(text, STR("false")))
		return JSON_LITERAL;
	return JSON_OTHER;
}

/* --- strings --------------------------------------------------------------- */

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

uint64_t json_unescape(struct buf *out, struct str raw)
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

struct json_value json_string(struct str raw, struct buf *decoded, uint64_t *replaced)
{
	size_t start = decoded->len;

	if (!memchr(raw.s, '\\', raw.n))
		return (struct json_value){.type = JSON_STRING, .text = raw};
	*replaced += json_unescape(decoded, raw);
	return (struct json_value){.type = JSON_STRING,
	                           .text = {decoded->data + start, decoded->len - start}};
}

void json_compact(struct buf *out, struct str text)
{
	bool in_string = false;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.s[i];

		if (c == '"')
			in_string = !in_string;
		if (in_string && c == '\\' && i + 1 < text.n) {
			buf_char(out, c);
			c = text.s[++i];
		} else if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
			continue;
		}
		buf_char(out, c);
	}
}
