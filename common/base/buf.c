#include "base/buf.h"

#include "base/die.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct str str_of(const char *text)
{
	return (struct str){text, strlen(text)};
}

bool str_equal(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}

int str_compare(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n ? memcmp(a.s, b.s, n) : 0;

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

bool str_starts(struct str text, struct str prefix)
{
	return text.n >= prefix.n && memcmp(text.s, prefix.s, prefix.n) == 0;
}

bool str_ends(struct str text, struct str suffix)
{
	return text.n >= suffix.n && memcmp(text.s + text.n - suffix.n, suffix.s, suffix.n) == 0;
}

bool str_has_byte(struct str text, char c)
{
	return text.n && memchr(text.s, c, text.n);
}

bool str_has(struct str text, struct str part)
{
	while (part.n && part.n <= text.n) {
		const char *at = memchr(text.s, part.s[0], text.n - part.n + 1);

		if (!at)
			return false;
		if (memcmp(at, part.s, part.n) == 0)
			return true;
		text.n -= (size_t)(at + 1 - text.s);
		text.s = at + 1;
	}
	return part.n == 0;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool str_has_any_case(struct str text, struct str part)
{
	for (size_t at = 0; at + part.n <= text.n; at++) {
		size_t i = 0;

		while (i < part.n && lower(text.s[at + i]) == lower(part.s[i]))
			i++;
		if (i == part.n)
			return true;
	}
	return false;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

bool str_whole(struct str text, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] < '0' || text.s[i] > '9' ||
		    __builtin_mul_overflow(*number, (uint64_t)10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(text.s[i] - '0'), number))
			return false;
	}
	return text.n > 0;
}

struct str str_trim(struct str text)
{
	while (text.n && blank(text.s[0])) {
		text.s++;
		text.n--;
	}
	while (text.n && blank(text.s[text.n - 1]))
		text.n--;
	return text;
}

void buf_grow(struct buf *buf, size_t n)
{
	buf->data = mem_grow(buf->data, &buf->cap, buf->len + (n ? n : 1), 1);
}

void buf_text(struct buf *buf, const char *text)
{
	buf_bytes(buf, text, strlen(text));
}

void buf_utf8(struct buf *buf, unsigned code)
{
	if (code < 0x80) {
		buf_char(buf, (char)code);
	} else if (code < 0x800) {
		buf_char(buf, (char)(0xc0 | code >> 6));
		buf_char(buf, (char)(0x80 | (code & 0x3f)));
	} else if (code < 0x10000) {
		buf_char(buf, (char)(0xe0 | code >> 12));
		buf_char(buf, (char)(0x80 | (code >> 6 & 0x3f)));
		buf_char(buf, (char)(0x80 | (code & 0x3f)));
	} else {
		buf_char(buf, (char)(0xf0 | code >> 18));
		buf_char(buf, (char)(0x80 | (code >> 12 & 0x3f)));
		buf_char(buf, (char)(0x80 | (code >> 6 & 0x3f)));
		buf_char(buf, (char)(0x80 | (code & 0x3f)));
	}
}

void buf_vformat(struct buf *buf, const char *format, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (n < 0)
		die("a message cannot be formatted");
	buf_reserve(buf, (size_t)n + 1);
	vsnprintf(buf->data + buf->len, (size_t)n + 1, format, args);
	buf->len += (size_t)n;
}

void buf_format(struct buf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_vformat(buf, format, args);
	va_end(args);
}

struct str buf_view(const struct buf *buf)
{
	return (struct str){buf->data ? buf->data : "", buf->len};
}

void buf_free(struct buf *buf)
{
	free(buf->data);
	*buf = (struct buf){0};
}
