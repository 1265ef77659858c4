#include "json/quote.h"

#include "base/plaintext.h"
#include "base/simd.h"

enum {
	PIECE = 1 << 12,
	ESCAPED = 6, /* the most bytes that one becomes */
};

static inline bool is_special(char c)
{
	return (unsigned char)c - 0x20u >= 0x5f || c == '"' || c == '\\';
}

/* --- text that needs no work ------------------------------------------------- */

bool json_copy_plain_long(char *to, struct str text)
{
	size_t last = text.n - SIMD_SHORT;
	uint32_t found = 0;

	for (size_t i = 0; i < last; i += SIMD_SHORT)
		found |= json_copy_bits(to + i, text.s + i);
	return (found | json_copy_bits(to + last, text.s + last)) == 0; /* may overlap the one before */
}

/* --- escapes --------------------------------------------------------------- */

static char *put_code(char *to, uint32_t code)
{
	static const char hex[] = "0123456789abcdef";

	*to++ = '\\';
	*to++ = 'u';
	for (unsigned shift = 16; shift; shift -= 4)
		*to++ = hex[code >> (shift - 4) & 15];
	return to;
}

/* Puts the character at *at, which begins with a special byte; moves *at after it. */
static char *put_special(char *to, struct str text, size_t *at)
{
	static const char letters[] = {
		['"'] = '"', ['\\'] = '\\', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
	struct str rest = {text.s + *at, text.n - *at};
	unsigned char c = (unsigned char)*rest.s;
	uint32_t code;
	size_t n;

	if (c < sizeof letters && letters[c]) {
		*to++ = '\\';
		*to++ = letters[c];
		*at += 1;
		return to;
	}
	n = plaintext_character(rest, &code);
	if (n == 0) {
		rest = STR("\xef\xbf\xbd");
		*at += 1;
	} else if (plaintext_is_unsafe(code)) {
		*at += n;
		return put_code(to, code);
	} else {
		rest.n = n;
		*at += n;
	}
	memcpy(to, rest.s, rest.n);
	return to + rest.n;
}

/* Puts the text up to the end, or to the end of the character there; moves *at after it. */
static char *put_piece(char *to, struct str text, size_t *at, size_t end)
{
	while (*at < end) {
		size_t n = 1;

		if (is_special(text.s[*at])) {
			to = put_special(to, text, at);
			continue;
		}
		if (end - *at >= SIMD_SHORT) {
			uint32_t found = json_copy_bits(to, text.s + *at);

			n = found ? (unsigned)__builtin_ctz(found) : SIMD_SHORT;
		} else {
			*to = text.s[*at];
		}
		to += n;
		*at += n;
	}
	return to;
}

/* In pieces, as there must be room for the most that they may become. */
void json_quote(struct buf *out, struct str text)
{
	buf_char(out, '"');
	for (size_t at = 0; at < text.n;) {
		size_t end = text.n - at < PIECE ? text.n : at + PIECE;
		char *to = buf_reserve(out, ESCAPED * (end - at));

		out->len = (size_t)(put_piece(to, text, &at, end) - out->data);
	}
	buf_char(out, '"');
}
