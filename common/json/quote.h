/*
 * quote - texts as values of JSON: strings, and numbers as they stand.
 *
 * A byte that is not UTF-8 becomes U+FFFD. Characters that plaintext_is_unsafe names are escaped,
 * so that a terminal can show the string.
 */
#ifndef QUOTE_H
#define QUOTE_H

#include "base/buf.h"
#include "base/simd.h"

/* Appends text as a string with its quotes. */
void json_quote(struct buf *out, struct str text);

/*
 * For most texts, and quick: json_copy_plain copies a string that has no escapes, without quotes,
 * json_copy_decimal a number of digits, perhaps with a point. If text is something else, both
 * return false. The place must have room for 16 bytes more, which change. A shorter text must have
 * 16 bytes that can be read.
 */
static inline bool json_copy_plain(char *to, struct str text);
static inline bool json_copy_decimal(char *to, struct str text);

/* --- inlined ----------------------------------------------------------------- */

bool json_copy_plain_long(char *to, struct str text);

/* Copies 16 bytes. Returns which of them change within quotes: these need an escape. */
static inline uint32_t json_copy_bits(char *to, const char *from)
{
	uint32_t bits = simd_unprintable_or(from, '"', '\\');

	memcpy(to, from, SIMD_SHORT);
	return bits;
}

static inline bool json_copy_plain(char *to, struct str text)
{
	if (text.n < SIMD_SHORT)
		return (json_copy_bits(to, text.s) & simd_low(text.n)) == 0;
	return json_copy_plain_long(to, text);
}

static inline bool json_copy_decimal(char *to, struct str text)
{
	size_t n = text.n;
	size_t last = n - SIMD_SHORT; /* the last 16 bytes of a longer text */
	uint64_t others = simd_nondigits(text.s) & simd_low(n);
	size_t whole; /* digits before the point */

	if (n > (size_t)2 * SIMD_SHORT)
		return false;
	memcpy(to, text.s, SIMD_SHORT);
	if (n > SIMD_SHORT) {
		memcpy(to + last, text.s + last, SIMD_SHORT);
		others |= (uint64_t)simd_nondigits(text.s + last) << last;
	}
	whole = others ? (unsigned)__builtin_ctzll(others) : n;
	if (whole == 0 || (whole > 1 && text.s[0] == '0'))
		return false;
	return others == 0 || ((others & (others - 1)) == 0 && text.s[whole] == '.' && whole < n - 1);
}

#endif
