#include "base/wide.h"

enum {
	SIGNIFICANT = 12, /* digits of a root: kev(5), NUMBERS */
	PARSE_BITS = 320,
	DIGITS = 160, /* digits of 512 bits */
};

#define ROOT_MAX 1000000000000 /* 10^SIGNIFICANT */

struct wide wide_of(unsigned __int128 number)
{
	return (struct wide){{(uint64_t)number, (uint64_t)(number >> 64)}};
}

struct wide wide_square(__int128 number)
{
	struct wide x = wide_of(number < 0 ? -(unsigned __int128)number : (unsigned __int128)number);

	return wide_product(x, x);
}

struct wide wide_sum(struct wide a, struct wide b)
{
	unsigned __int128 carry = 0;

	for (int i = 0; i < WIDE_WORDS; i++) {
		carry += (unsigned __int128)a.word[i] + b.word[i];
		a.word[i] = (uint64_t)carry;
		carry >>= 64;
	}
	return a;
}

struct wide wide_difference(struct wide a, struct wide b)
{
	unsigned borrow = 0;

	for (int i = 0; i < WIDE_WORDS; i++) {
		unsigned __int128 rest = (unsigned __int128)a.word[i] - b.word[i] - borrow;

		a.word[i] = (uint64_t)rest;
		borrow = (rest >> 64) != 0;
	}
	return a;
}

struct wide wide_product(struct wide a, struct wide b)
{
	struct wide product = {{0}};

	for (int i = 0; i < WIDE_WORDS; i++) {
		unsigned __int128 carry = 0;

		for (int j = 0; a.word[i] && i + j < WIDE_WORDS; j++) {
			carry += (unsigned __int128)a.word[i] * b.word[j] + product.word[i + j];
			product.word[i + j] = (uint64_t)carry;
			carry >>= 64;
		}
	}
	return product;
}

int wide_compare(struct wide a, struct wide b)
{
	for (int i = WIDE_WORDS - 1; i >= 0; i--)
		if (a.word[i] != b.word[i])
			return a.word[i] < b.word[i] ? -1 : 1;
	return 0;
}

/* --- text --------------------------------------------------------------------- */

/* Divides by ten; returns the rest. */
static unsigned divide_by_ten(struct wide *number)
{
	unsigned __int128 rest = 0;

	for (int i = WIDE_WORDS - 1; i >= 0; i--) {
		rest = rest << 64 | number->word[i];
		number->word[i] = (uint64_t)(rest / 10);
		rest %= 10;
	}
	return (unsigned)rest;
}

void wide_print(struct buf *out, struct wide number, int places)
{
	static const struct wide zero;
	char text[2 * DIGITS]; /* places are fewer than DIGITS */
	char *at = text + sizeof text;
	bool begun = false; /* zeros at the end were left out */

	for (int place = -places; place <= 0 || wide_compare(number, zero) != 0; place++) {
		unsigned digit = divide_by_ten(&number);

		if (place == 0 && begun)
			*--at = '.';
		begun |= digit != 0 || place >= 0;
		if (begun)
			*--at = (char)('0' + digit);
	}
	buf_bytes(out, at, (size_t)(text + sizeof text - at));
}

bool wide_parse(struct str text, int places, struct wide *number)
{
	struct wide ten = wide_of(10);
	bool point = false;
	size_t digits = 0;

	*number = (struct wide){{0}};
	for (size_t i = 0; i < text.n || places > 0; i++) {
		char c = i < text.n ? text.s[i] : '0';

		if (c == '.' && !point && i < text.n) {
			point = true;
			continue;
		}
		point |= i >= text.n;
		if (c < '0' || c > '9' || (point && places-- == 0) ||
		    number->word[PARSE_BITS / 64 - 1] >> 60)
			return false;
		digits += i < text.n;
		*number = wide_sum(wide_product(*number, ten), wide_of((unsigned)(c - '0')));
	}
	return digits > 0;
}

/* --- roots --------------------------------------------------------------------- */

static struct wide power_of_ten(int exponent)
{
	struct wide power = wide_of(1);

	while (exponent-- > 0)
		power = wide_product(power, wide_of(10));
	return power;
}

/* How the root of a / b compares with number / 2, both a and b being scaled already. */
static int compare_half(struct wide a, struct wide b, uint64_t number)
{
	return wide_compare(wide_product(a, wide_of(4)),
	                    wide_product(b, wide_square((__int128)number)));
}

void wide_root(struct buf *out, struct wide a, struct wide b, int shift)
{
	static const struct wide zero;
	uint64_t low = 0;
	uint64_t high = ROOT_MAX;
	int places = 0; /* decimal places computed so far */
	int order;

	if (wide_compare(a, zero) == 0) {
		buf_char(out, '0');
		return;
	}
	/* The root of the scaled a / b has 12 digits before its point. */
	for (; compare_half(a, b, 2 * (uint64_t)ROOT_MAX) >= 0; places--)
		b = wide_product(b, wide_of(100));
	for (; compare_half(a, b, 2 * (uint64_t)ROOT_MAX / 10) < 0; places++)
		a = wide_product(a, wide_of(100));
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (compare_half(a, b, 2 * middle) >= 0)
			low = middle;
		else
			high = middle;
	}
	order = compare_half(a, b, 2 * low + 1);
	low += order > 0 || (order == 0 && low & 1);
	places -= shift;
	if (places < 0)
		wide_print(out, wide_product(wide_of(low), power_of_ten(-places)), 0);
	else
		wide_print(out, wide_of(low), places);
}
