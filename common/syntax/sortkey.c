#include "syntax/sortkey.h"

/* The first byte of a key. */
enum { EMPTY = 0x20, NEGATIVE = 0x30, ZERO = 0x40, POSITIVE = 0x50, TEXT = 0x60 };

/* Further bytes. 0xff - c is such a byte, too: so keys are turned round. */
enum {
	END = 0x0e,
	LOW = 0x0f,        /* a byte below FIRST of a text, + FIRST, follows */
	FIRST = 0x10,      /* bytes of a text from here */
	LAST = 0xef,       /* to here stand for themselves; 0 of a digit or a number is FIRST */
	HIGH = 0xf0,       /* a byte above LAST, - LAST, + FIRST, follows */
	EXPONENT_0 = 0x80, /* an exponent near 0 is one byte */
	EXPONENT_NEAR = 0x30,
	EXPONENT_MORE = 0xc0, /* a number follows */
	EXPONENT_LESS = 0x40,
};

enum { PLAIN_MAX = 32 }; /* bytes of a number that is encoded in one go */

#define EXPONENT_MAX ((int64_t)1 << 46) /* a larger one is no number */

struct str sortkey_column(struct str word, bool *descending)
{
	*descending = str_starts(word, STR("-"));
	if (*descending || str_starts(word, STR("\\-")))
		return (struct str){word.s + 1, word.n - 1};
	return word;
}

void sortkey_put_number(struct buf *key, uint64_t number)
{
	char *to = buf_reserve(key, SORTKEY_NUMBER);

	for (int i = SORTKEY_NUMBER - 1; i >= 0; i--, number >>= 6)
		to[i] = (char)(FIRST + (number & 63));
	key->len += SORTKEY_NUMBER;
}

uint64_t sortkey_number(const char *key)
{
	uint64_t number = 0;

	for (int i = 0; i < SORTKEY_NUMBER; i++)
		number = number << 6 | (unsigned char)(key[i] - FIRST);
	return number;
}

/* --- numbers ---------------------------------------------------------------- */

struct number {
	bool negative;
	struct str digits; /* at most one point among them */
	int64_t exponent;
};

/* An exponent, after the e. */
static bool read_exponent(struct str text, int64_t *exponent)
{
	bool negative = text.n && *text.s == '-';
	size_t i = text.n && (*text.s == '-' || *text.s == '+');

	*exponent = 0;
	if (i == text.n)
		return false;
	for (; i < text.n; i++) {
		if (!str_is_digit(text.s[i]) || *exponent > EXPONENT_MAX / 10)
			return false;
		*exponent = *exponent * 10 + (text.s[i] - '0');
	}
	if (negative)
		*exponent = -*exponent;
	return true;
}

static bool read_number(struct str text, struct number *number)
{
	size_t i = 0;
	size_t points = 0;

	*number = (struct number){0};
	if (text.n && (*text.s == '-' || *text.s == '+')) {
		number->negative = *text.s == '-';
		text = (struct str){text.s + 1, text.n - 1};
	}
	for (; i < text.n; i++) {
		if (text.s[i] == '.')
			points++;
		else if (!str_is_digit(text.s[i]))
			break;
	}
	number->digits = (struct str){text.s, i};
	if (points > 1 || i == points)
		return false;
	if (i == text.n)
		return true;
	return (text.s[i] == 'e' || text.s[i] == 'E') &&
	       read_exponent((struct str){text.s + i + 1, text.n - i - 1}, &number->exponent);
}

static void put_exponent(struct buf *key, int64_t exponent)
{
	if (exponent >= -EXPONENT_NEAR && exponent <= EXPONENT_NEAR) {
		buf_char(key, (char)(EXPONENT_0 + exponent));
		return;
	}
	buf_char(key, (char)(exponent > 0 ? EXPONENT_MORE : EXPONENT_LESS));
	sortkey_put_number(key, (uint64_t)(exponent + 2 * EXPONENT_MAX));
}

/* Two digits in a byte, without zeros at the end. */
static void put_digits(struct buf *key, struct str digits, bool point)
{
	char *to = buf_reserve(key, digits.n / 2 + 2);
	char *end = to; /* end of the digits that are not 0 */
	size_t i = 0;

	while (i < digits.n) {
		int pair[2] = {0, 0};

		for (int j = 0; j < 2 && i < digits.n; i++) {
			if (point && digits.s[i] == '.')
				continue;
			pair[j++] = digits.s[i] - '0';
		}
		*to++ = (char)(FIRST + 10 * pair[0] + pair[1]);
		if (pair[0] || pair[1])
			end = to;
	}
	*end++ = END;
	key->len = (size_t)(end - key->data);
}

/* 0.DIGITS * 10^exponent. The bytes of a number below 0 are turned round. */
static void put_parts(struct buf *key, const struct number *number)
{
	struct str digits = number->digits;
	const char *point = memchr(digits.s, '.', digits.n);
	int64_t exponent = number->exponent + (point ? point - digits.s : (int64_t)digits.n);
	size_t start;

	while (digits.n && (*digits.s == '0' || *digits.s == '.')) {
		exponent -= *digits.s == '0';
		digits = (struct str){digits.s + 1, digits.n - 1};
	}
	if (digits.n == 0) {
		buf_char(key, ZERO);
		return;
	}
	buf_char(key, number->negative ? NEGATIVE : POSITIVE);
	start = key->len;
	put_exponent(key, exponent);
	put_digits(key, digits, point >= digits.s);
	for (size_t i = start; number->negative && i < key->len; i++)
		key->data[i] = (char)(0xff - (unsigned char)key->data[i]);
}

/*
 * A number of at least 1 without a sign or an exponent, as most are, in one go. False if it is
 * something else.
 */
static bool put_plain(struct buf *key, struct str text)
{
	char *to = buf_reserve(key, PLAIN_MAX + 3);
	char *end; /* end of the digits that are not 0 */
	size_t point = text.n;
	size_t digits = 0;

	if (text.n > PLAIN_MAX || text.s[0] < '1' || text.s[0] > '9')
		return false;
	*to++ = (char)POSITIVE;
	end = ++to;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char digit = (unsigned char)(text.s[i] - '0');

		if (text.s[i] == '.' && point == text.n) {
			point = i;
			continue;
		}
		if (digit > 9)
			return false;
		if (digits++ % 2)
			to[-1] = (char)(to[-1] + digit);
		else
			*to++ = (char)(FIRST + 10 * digit);
		if (to[-1] != FIRST)
			end = to;
	}
	*end++ = END;
	key->data[key->len + 1] = (char)(EXPONENT_0 + (int)point);
	key->len = (size_t)(end - key->data);
	return true;
}

/* False if the text is not a number. */
static bool put_number(struct buf *key, struct str text)
{
	struct number number;

	if (put_plain(key, text))
		return true;
	if (!read_number(text, &number))
		return false;
	put_parts(key, &number);
	return true;
}

/* --- values ------------------------------------------------------------------ */

enum { BLOCK = 16 };

/* Whether all bytes of a block stand for themselves. */
static bool is_plain(const char *block)
{
	bool plain = true;

	for (int i = 0; i < BLOCK; i++)
		plain &= (unsigned char)(block[i] - FIRST) <= LAST - FIRST;
	return plain;
}

static void put_text(struct buf *key, struct str text)
{
	char *to = buf_reserve(key, 2 * text.n + 2);

	*to++ = TEXT;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c;

		for (; text.n - i >= BLOCK && is_plain(text.s + i); i += BLOCK, to += BLOCK)
			memcpy(to, text.s + i, BLOCK);
		if (i == text.n)
			break;
		c = (unsigned char)text.s[i];
		if (c < FIRST) {
			*to++ = LOW;
			c = (unsigned char)(c + FIRST);
		} else if (c > LAST) {
			*to++ = (char)HIGH;
			c = (unsigned char)(c - LAST + FIRST);
		}
		*to++ = (char)c;
	}
	*to++ = END;
	key->len = (size_t)(to - key->data);
}

void sortkey_put(struct buf *key, struct str value, bool descending)
{
	size_t start = key->len;

	if (value.n == 0)
		buf_char(key, EMPTY);
	else if (!put_number(key, value))
		put_text(key, value);
	for (size_t i = start; descending && i < key->len; i++)
		key->data[i] = (char)(0xff - (unsigned char)key->data[i]);
}
