#include "base/plaintext.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEP = 16 }; /* the most that a character becomes: four bytes as \xHH */

size_t plaintext_character(struct str text, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char c = (unsigned char)*text.s;
	size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;

	*code = n < 2 ? c : c & (0x7fU >> n);
	if (n > text.n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((text.s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (text.s[i] & 0x3f);
	}
	if (n && (*code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)))
		return 0;
	return n;
}

bool plaintext_is_unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfffe ||
	       c == 0xffff;
}

/* The character at *at, made plain; moves *at after it. Returns its bytes. */
static size_t step(struct str text, size_t *at, char out[STEP])
{
	static const char hex[] = "0123456789abcdef";
	struct str rest = {text.s + *at, text.n - *at};
	uint32_t code;
	size_t n = plaintext_character(rest, &code);
	size_t length = 0;

	if (n && !plaintext_is_unsafe(code)) {
		memcpy(out, rest.s, n);
		*at += n;
		return n;
	}
	n = n ? n : 1;
	for (size_t i = 0; i < n; i++) {
		out[length++] = '\\';
		out[length++] = 'x';
		out[length++] = hex[(unsigned char)rest.s[i] >> 4];
		out[length++] = hex[(unsigned char)rest.s[i] & 15];
	}
	*at += n;
	return length;
}

void plaintext_put(struct buf *out, struct str text)
{
	for (size_t at = 0; at < text.n;) {
		char *to = buf_reserve(out, STEP);

		out->len += step(text, &at, to);
	}
}

size_t plaintext_fit(char *out, size_t size, struct str text)
{
	size_t length = 0;
	size_t fits = 0; /* the most that leaves room for "..." */

	for (size_t at = 0; at < text.n;) {
		char plain[STEP];
		size_t n = step(text, &at, plain);

		if (length + n + 1 > size) {
			memcpy(out + fits, "...", 3);
			length = fits + 3;
			break;
		}
		memcpy(out + length, plain, n);
		length += n;
		if (length + 4 <= size)
			fits = length;
	}
	out[length] = '\0';
	return length;
}

size_t plaintext_format(char *out, size_t size, const char *format, va_list args)
{
	char text[1024];
	char *all = NULL;
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(text, sizeof text, format, args);
	if (n >= (int)sizeof text && (all = malloc((size_t)n + 1)) != NULL)
		vsnprintf(all, (size_t)n + 1, format, again);
	va_end(again);
	/* Without memory the message is cut; a message about that must not need any. */
	n = (int)plaintext_fit(out, size, str_of(n < 0 ? format : all ? all : text));
	free(all);
	return (size_t)n;
}
