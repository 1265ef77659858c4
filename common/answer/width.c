#include "answer/width.h"

#include "base/plaintext.h"

struct block {
	uint32_t first;
	uint32_t last;
};

/* Unicode's East Asian Width, W and F, in its large blocks. */
static const struct block wide[] = {
	{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
	{0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
	{0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

/* Combining marks in blocks of their own, joiners, variation selectors. */
static const struct block none[] = {
	{0x300, 0x36f},   {0x1160, 0x11ff}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},   {0x200b, 0x200d},
	{0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};

static bool is_in(const struct block *blocks, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count; i++)
		if (c >= blocks[i].first && c <= blocks[i].last)
			return true;
	return false;
}

/* The columns of the character that text begins with; sets its bytes. */
static size_t step(struct str text, size_t *bytes)
{
	uint32_t code;
	size_t n = plaintext_character(text, &code);

	*bytes = n ? n : 1;
	if (n == 0 || plaintext_is_unsafe(code))
		return 4 * *bytes;
	if (code < none[0].first)
		return 1;
	if (is_in(none, sizeof none / sizeof *none, code))
		return 0;
	return is_in(wide, sizeof wide / sizeof *wide, code) ? 2 : 1;
}

size_t width_of(struct str text)
{
	size_t width = 0;
	size_t n;

	for (; text.n; text.s += n, text.n -= n)
		width += step(text, &n);
	return width;
}

size_t width_cut(struct str text, size_t columns)
{
	size_t at = 0;
	size_t width = 0;

	while (at < text.n) {
		size_t n;

		width += step((struct str){text.s + at, text.n - at}, &n);
		if (width > columns)
			break;
		at += n;
	}
	return at;
}
