#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for memmem

#include "base/buf.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/simd.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct str str_of(const char *text)
{
	return (struct str){text, strlen(text)};
}

int str_compare(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n ? memcmp(a.s, b.s, n) : 0;

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

bool str_ends(struct str text, struct str suffix)
{
	return text.n >= suffix.n && memcmp(text.s + text.n - suffix.n, suffix.s, suffix.n) == 0;
}

bool str_has_byte(struct str text, char c)
{
	return text.n && memchr(text.s, c, text.n);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool same_any_case(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	while (i < n && lower(a[i]) == lower(b[i]))
		i++;
	return i == n;
}

/* A bit for each of the 64 bytes from text on that is c, in any case of letters if that is so. */
static inline uint64_t places_of(const char *text, char c, bool any_case)
{
	return any_case
	           ? simd_bits(text, (unsigned char)lower(c)) | simd_bits(text, (unsigned char)upper(c))
	           : simd_bits(text, (unsigned char)c);
}

/* A bit for each of the 64 places from text on that has the first and the last byte of part. */
static inline uint64_t candidates(const char *text, struct str part, bool any_case)
{
	return places_of(text, part.s[0], any_case) &
	       places_of(text + part.n - 1, part.s[part.n - 1], any_case);
}

/* str_has, or str_has_any_case, for a part of 1 to 64 bytes, which text is not shorter than. */
static inline bool has_short(struct str text, struct str part, bool any_case)
{
	size_t places = text.n - part.n + 1;

	for (size_t at = 0; at < places; at += SIMD_BLOCK) {
		size_t left = text.n - at;
		char padded[2 * SIMD_BLOCK];
		uint64_t found;

		if (left >= SIMD_BLOCK + part.n - 1) {
			found = candidates(text.s + at, part, any_case);
		} else { /* nothing may be read after the text */
			memset(padded, 0, sizeof padded);
			memcpy(padded, text.s + at, left);
			found = candidates(padded, part, any_case) & simd_low(places - at);
		}
		for (; found; found &= found - 1) {
			const char *place = text.s + at + __builtin_ctzll(found);

			if (any_case ? same_any_case(place, part.s, part.n)
			             : memcmp(place, part.s, part.n) == 0)
				return true;
		}
	}
	return false;
}

bool str_has(struct str text, struct str part)
{
	if (part.n == 0 || part.n > text.n)
		return part.n == 0;
	if (part.n <= SIMD_BLOCK)
		return has_short(text, part, false);
	return memmem(text.s, text.n, part.s, part.n) != NULL;
}

bool str_has_any_case(struct str text, struct str part)
{
	if (part.n == 0 || part.n > text.n)
		return part.n == 0;
	if (part.n <= SIMD_BLOCK)
		return has_short(text, part, true);
	for (size_t at = 0; at + part.n <= text.n; at++)
		if (same_any_case(text.s + at, part.s, part.n))
			return true;
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

struct str str_trim_blanks(struct str text)
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

void buf_replace(struct buf *buf, size_t start, char from, char to)
{
	char *at = buf->data + start;

	while (start < buf->len && (at = memchr(at, from, buf->len - start))) {
		*at++ = to;
		start = (size_t)(at - buf->data);
	}
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

void buf_free(struct buf *buf)
{
	free(buf->data);
	*buf = (struct buf){0};
}
