/*
 * buf - a run of bytes: struct str, borrowed; struct buf, owned and growing.
 */
#ifndef BUF_H
#define BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes that belong to someone else. They may hold NUL; none ends them. */
struct str {
	const char *s;
	size_t n;
};

/* Starts as {0}. */
struct buf {
	char *data;
	size_t len;
	size_t cap;
};

#define STR(literal) ((struct str){literal, sizeof(literal) - 1})

struct str str_of(const char *text);

/*
 * Inline, as one text is mostly a literal: comparing it needs no call then. The analyzer cannot
 * know that a text with bytes has a pointer, so it would find NULL here and in str_starts.
 */
static inline bool str_equal(struct str a, struct str b)
{
	// NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker,clang-analyzer-unix.cstring.NullArg)
	return a.n == b.n && (b.n == 0 || memcmp(a.s, b.s, b.n) == 0);
}

/* Inline, as the prefix is mostly a literal. */
static inline bool str_starts(struct str text, struct str prefix)
{
	// NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker,clang-analyzer-unix.cstring.NullArg)
	return text.n >= prefix.n && (prefix.n == 0 || memcmp(text.s, prefix.s, prefix.n) == 0);
}

int str_compare(struct str a, struct str b); /* as memcmp; the shorter first */
bool str_ends(struct str text, struct str suffix);
bool str_has_byte(struct str text, char c);
bool str_has(struct str text, struct str part);
bool str_has_any_case(struct str text, struct str part); /* ASCII letters alike */
/* The eight bytes at text, for comparing and hashing them at once. */
static inline uint64_t str_word(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof word);
	return word;
}

static inline bool str_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether the eight bytes of a str_word are digits; sets value to their number. */
static inline bool str_word_digits(uint64_t word, uint32_t *value)
{
	const uint64_t ones = 0x0101010101010101u;

	word ^= ones * '0';

	if ((word | (word + ones * (0x7f - 9))) & ones << 7)
		return false;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	/* Pairs of digits, then fours, then all eight; the first digit is in the lowest byte. */
	word = word * 10 + (word >> 8);
	word = (word & 0x00ff00ff00ff00ffu) * 100 + (word >> 16 & 0x00ff00ff00ff00ffu);
	word = (word & 0x0000ffff0000ffffu) * 10000 + (word >> 32 & 0x0000ffffu);
	*value = (uint32_t)word;
	return true;
}

/* Whether the eight bytes at text are digits; sets value to their number. */
static inline bool str_eight_digits(const char *text, uint32_t *value)
{
	return str_word_digits(str_word(text), value);
}

/* Whether the n bytes at text, four to eight, are digits; sets value to their number. */
static inline bool str_some_digits(const char *text, size_t n, uint32_t *value)
{
	uint32_t first;
	uint32_t last;

	memcpy(&first, text, sizeof first);
	memcpy(&last, text + n - sizeof last, sizeof last);
	/* The n - 4 bytes that last lacks come before it, and zeros before them. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	first = (uint32_t)((uint64_t)first << (8 - n) * 8 | (uint64_t)0x30303030 >> (n - 4) * 8);
	return str_word_digits((uint64_t)last << 32 | first, value);
#else
	first = (uint32_t)((uint64_t)first >> (8 - n) * 8 | (uint64_t)0x30303030 << (n - 4) * 8);
	return str_word_digits((uint64_t)first << 32 | last, value);
#endif
}

bool str_whole(struct str text, uint64_t *number); /* digits alone; false if too large */
struct str str_trim_blanks(struct str text);       /* str_trim, of a text that may have some */

/* Without the spaces and tabs at both ends. */
static inline struct str str_trim(struct str text)
{
	/* Nearly all texts begin and end with a greater byte. */
	bool trimmed = text.n && text.s[0] > ' ' && text.s[text.n - 1] > ' ';

	return trimmed ? text : str_trim_blanks(text);
}

void buf_grow(struct buf *buf, size_t n); /* for buf_reserve, if there is no room */

/* Makes room for n bytes after len and returns the place, never NULL; len stays. */
__attribute__((returns_nonnull)) static inline char *buf_reserve(struct buf *buf, size_t n)
{
	if (n > buf->cap - buf->len || !buf->data)
		buf_grow(buf, n);
	return buf->data + buf->len;
}

static inline void buf_bytes(struct buf *buf, const char *data, size_t n)
{
	if (n) {
		memcpy(buf_reserve(buf, n), data, n);
		buf->len += n;
	}
}

static inline void buf_str(struct buf *buf, struct str text)
{
	buf_bytes(buf, text.s, text.n);
}

static inline void buf_char(struct buf *buf, char c)
{
	*buf_reserve(buf, 1) = c;
	buf->len++;
}

void buf_text(struct buf *buf, const char *text);

/* Replaces a byte by another one, wherever it is in the text from start on. */
void buf_replace(struct buf *buf, size_t start, char from, char to);

void buf_utf8(struct buf *buf, unsigned code); /* the character of Unicode */
void buf_format(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vformat(struct buf *buf, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Good until the next change. */
static inline struct str buf_view(const struct buf *buf)
{
	return (struct str){buf->data ? buf->data : "", buf->len};
}

void buf_free(struct buf *buf);

#endif
