#include "base/dec.h"

#include "base/simd.h"

#include <stdint.h>

enum {
	PLACES = 9,     /* decimal places of struct dec */
	DIGITS_MAX = 40 /* more digits are no measurement */
};

#define NANO_MAX ((unsigned __int128)-1 >> 1)

/* A number as text has it: sign, digits before and after the point, exponent. */
struct parts {
	bool negative;
	struct str whole;
	struct str fraction;
	bool has_exponent;
	long exponent;
};

static struct str digits(struct str *rest)
{
	struct str run = {rest->s, 0};

	while (run.n < rest->n && run.s[run.n] >= '0' && run.s[run.n] <= '9')
		run.n++;
	rest->s += run.n;
	rest->n -= run.n;
	return run;
}

static bool take(struct str *rest, char c)
{
	if (rest->n == 0 || rest->s[0] != c)
		return false;
	rest->s++;
	rest->n--;
	return true;
}

/* Splits text; false if it is not a number or needs more than 40 digits. */
static bool split(struct str text, struct parts *parts)
{
	size_t whole;
	size_t fraction;

	*parts = (struct parts){0};
	parts->negative = take(&text, '-');
	if (!parts->negative)
		take(&text, '+');
	parts->whole = digits(&text);
	if (take(&text, '.'))
		parts->fraction = digits(&text);
	whole = parts->whole.n;
	fraction = parts->fraction.n;
	if (whole + fraction == 0 || whole + fraction > DIGITS_MAX)
		return false;
	if (take(&text, 'e') || take(&text, 'E')) {
		bool negative = take(&text, '-');
		struct str exponent;

		if (!negative)
			take(&text, '+');
		exponent = digits(&text);
		if (exponent.n == 0)
			return false;
		for (size_t i = 0; i < exponent.n; i++) {
			parts->exponent = parts->exponent * 10 + (exponent.s[i] - '0');
			if (parts->exponent > 10L * DIGITS_MAX)
				return false;
		}
		parts->has_exponent = true;
		if (negative) {
			size_t down = (size_t)parts->exponent;

			parts->exponent = -parts->exponent;
			fraction += down;
			whole = whole > down ? whole - down : 1;
		} else {
			size_t up = (size_t)parts->exponent;

			whole += up;
			fraction = fraction > up ? fraction - up : 0;
		}
		if (whole + fraction > DIGITS_MAX)
			return false;
	}
	return text.n == 0;
}

/* The digit at 10^place (place < 0: after the point); 0 if the number has no digit there. */
static int digit_at(const struct parts *parts, long place)
{
	long at = (long)parts->whole.n - 1 - (place - parts->exponent);

	if (at < 0)
		return 0;
	if (at < (long)parts->whole.n)
		return parts->whole.s[at] - '0';
	at -= (long)parts->whole.n;
	return at < (long)parts->fraction.n ? parts->fraction.s[at] - '0' : 0;
}

struct dec dec_of(int64_t whole)
{
	return (struct dec){(__int128)whole * 1000000000};
}

/* By the number of places after the point: the 10^-9 that its last digit counts. */
static const uint32_t power[] = {1000000000, 100000000, 10000000, 1000000, 100000,
                                 10000,      1000,      100,      10,      1};

/*
 * Most durations have four to eight bytes, with a point among them. They become the last bytes of a
 * word that begins with zeros; without the point it has eight digits. This works only if the first
 * byte of a word is its lowest, as on little-endian processors.
 */
static bool parse_short(struct str text, struct dec *out)
{
	const uint64_t ones = 0x0101010101010101u;
	const uint64_t zeros = ones * '0';
	unsigned unused = 8 * (8 - (unsigned)text.n); /* bits, of a word */
	uint32_t first;
	uint32_t last;
	uint32_t number;
	uint64_t word;
	uint64_t point;
	uint64_t before;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || text.n < 4 || text.n > 8)
		return false;
	memcpy(&first, text.s, sizeof first);
	memcpy(&last, text.s + text.n - sizeof last, sizeof last);
	word = (uint64_t)first << unused | (uint64_t)last << 32 | (zeros & simd_low(unused));
	/* The high bit of the first byte that is a point, and perhaps of some after it. */
	point = word ^ ones * '.';
	point = (point - ones) & ~point & ones << 7;
	if (!point)
		return false;
	before = ((point & -point) >> 7) - 1;
	word = (word & ~(before << 8 | 0xff)) | (word & before) << 8 | '0';
	if (!str_eight_digits((const char *)&word, &number))
		return false;
	out->nano = (__int128)((uint64_t)number * power[7 - __builtin_ctzll(point) / 8]);
	return true;
}

/* The common case at once: up to 19 digits, which 64 bits hold, with a point among them. */
static bool parse_plain(struct str text, struct dec *out)
{
	uint64_t value = 0;
	uint32_t eight;
	unsigned digit;
	size_t whole;  /* digits before the point */
	size_t places; /* digits after the point */
	size_t i = 0;

	if (text.n == 0 || text.n > 20)
		return false;
	for (; i + 8 <= text.n && str_eight_digits(text.s + i, &eight); i += 8)
		value = value * 100000000 + eight;
	for (; i < text.n && (digit = (unsigned)(unsigned char)text.s[i] - '0') <= 9; i++)
		value = value * 10 + digit;
	whole = i;
	if (i < text.n && text.s[i] == '.')
		i++;
	for (; i < text.n && (digit = (unsigned)(unsigned char)text.s[i] - '0') <= 9; i++)
		value = value * 10 + digit;
	places = i > whole ? i - whole - 1 : 0;
	if (i < text.n || places > PLACES || whole + places == 0 || whole + places > 19)
		return false;
	out->nano = (__int128)value * power[places];
	return true;
}

enum dec_result dec_parse(struct str text, struct dec *out)
{
	struct parts parts;
	unsigned __int128 value = 0;
	long highest;
	long lowest;
	bool rounded = false;

	if (parse_short(text, out) || parse_plain(text, out))
		return DEC_OK;
	if (!split(text, &parts))
		return DEC_NOT_A_NUMBER;
	highest = (long)parts.whole.n - 1 + parts.exponent;
	lowest = -(long)parts.fraction.n + parts.exponent;
	for (long place = highest; place >= -PLACES; place--) {
		unsigned digit = (unsigned)digit_at(&parts, place);

		if (value > (NANO_MAX - digit) / 10)
			return DEC_OVERFLOW;
		value = value * 10 + digit;
	}
	if (lowest < -PLACES) {
		int next = digit_at(&parts, -PLACES - 1);
		bool rest = false;

		for (long place = lowest; place < -PLACES - 1; place++)
			rest |= digit_at(&parts, place) != 0;
		rounded = next != 0 || rest;
		if (next > 5 || (next == 5 && (rest || (value & 1)))) {
			if (value == NANO_MAX)
				return DEC_OVERFLOW;
			value++;
		}
	}
	out->nano = parts.negative ? -(__int128)value : (__int128)value;
	return rounded ? DEC_ROUNDED : DEC_OK;
}

enum dec_result dec_whole(struct str text, struct dec *out)
{
	struct parts parts;
	unsigned __int128 value = 0;

	/* The common case at once: what fits can be cut. */
	if (dec_parse(text, out) == DEC_OK) {
		out->nano -= out->nano % dec_of(1).nano;
		return DEC_OK;
	}
	if (!split(text, &parts))
		return DEC_NOT_A_NUMBER;
	for (long place = (long)parts.whole.n - 1 + parts.exponent; place >= 0; place--) {
		unsigned digit = (unsigned)digit_at(&parts, place);

		if (value > (NANO_MAX / 1000000000 - digit) / 10)
			return DEC_OVERFLOW;
		value = value * 10 + digit;
	}
	value *= 1000000000;
	out->nano = parts.negative ? -(__int128)value : (__int128)value;
	return DEC_OK;
}

bool dec_sum_signed(struct dec *sum, struct dec *negative, struct dec x, struct dec x_negative)
{
	__int128 below = x.nano < x_negative.nano ? x.nano : x_negative.nano;
	__int128 above;

	if (__builtin_add_overflow(sum->nano - negative->nano, x.nano - below, &above) ||
	    __builtin_add_overflow(negative->nano, below, &below))
		return false;
	sum->nano = above + below;
	negative->nano = below;
	return true;
}

bool dec_subtract(struct dec *difference, struct dec x)
{
	__int128 result;

	if (__builtin_sub_overflow(difference->nano, x.nano, &result))
		return false;
	difference->nano = result;
	return true;
}

int dec_compare_quotients(struct dec a, struct dec b, struct dec c, struct dec d)
{
	/* By continued fractions: a product might not fit 128 bits. */
	for (;;) {
		__int128 rest[2] = {a.nano % b.nano, c.nano % d.nano};
		int order = dec_compare((struct dec){a.nano / b.nano}, (struct dec){c.nano / d.nano});

		if (order || rest[0] == 0 || rest[1] == 0)
			return order ? order : (rest[0] != 0) - (rest[1] != 0);
		/* x / b < y / d as d / y < b / x. */
		a = d;
		c = b;
		d.nano = rest[0];
		b.nano = rest[1];
	}
}

/* The place of the first byte from i on that is not a digit, or n. */
static size_t digits_end(struct str text, size_t i)
{
	uint32_t value;

	while (text.n - i >= 8 && str_eight_digits(text.s + i, &value))
		i += 8;
	while (i < text.n && str_is_digit(text.s[i]))
		i++;
	return i;
}

/* A plain number, as nearly all are: few digits, with at most one point. */
static bool plain_number(struct str text)
{
	size_t whole;

	if (text.n == 0 || text.n > DIGITS_MAX || text.s[0] == '.')
		return false;
	whole = digits_end(text, 0);
	return whole == text.n || (text.s[whole] == '.' && digits_end(text, whole + 1) == text.n);
}

struct dec dec_round(struct dec x, int significant)
{
	unsigned __int128 rest = x.nano < 0 ? -(unsigned __int128)x.nano : (unsigned __int128)x.nano;
	unsigned __int128 limit = ~(unsigned __int128)0 >> 1;
	unsigned __int128 unit = 1;
	unsigned __int128 most = 1;
	unsigned __int128 kept;

	for (int i = 0; i < significant && most <= limit / 10; i++)
		most *= 10;
	for (kept = rest; kept >= most; kept /= 10)
		unit *= 10;
	rest -= kept * unit;
	if ((rest > unit / 2 || (rest == unit / 2 && unit > 1 && kept % 2)) && kept + 1 <= limit / unit)
		kept++;
	kept *= unit;
	return (struct dec){x.nano < 0 ? -(__int128)kept : (__int128)kept};
}

bool dec_copy(struct buf *out, struct str number)
{
	struct parts parts;
	long highest;
	long lowest;

	if (plain_number(number)) {
		buf_str(out, number);
		return true;
	}
	if (!split(number, &parts))
		return false;
	if (!parts.has_exponent) {
		buf_str(out, number);
		return true;
	}
	highest = (long)parts.whole.n - 1 + parts.exponent;
	lowest = -(long)parts.fraction.n + parts.exponent;
	while (highest > 0 && digit_at(&parts, highest) == 0)
		highest--;
	if (highest < 0)
		highest = 0;
	if (parts.negative)
		buf_char(out, '-');
	for (long place = highest; place >= 0 || place >= lowest; place--) {
		if (place == -1)
			buf_char(out, '.');
		buf_char(out, (char)('0' + digit_at(&parts, place)));
	}
	return true;
}

bool dec_round_text(struct str *number, struct buf *out)
{
	struct dec value;

	if (dec_parse(*number, &value) != DEC_ROUNDED)
		return false;
	out->len = 0;
	dec_print(out, value);
	*number = buf_view(out);
	return true;
}

static unsigned __int128 magnitude(struct dec x)
{
	return x.nano < 0 ? -(unsigned __int128)x.nano : (unsigned __int128)x.nano;
}

/*
 * Digits of a value, the first standing for 10^highest, to be rounded and
 * printed. Room: 39 digits of a 128-bit quotient or 38 zeros before a small
 * one's first digit, and as many places as are asked for.
 */
struct decimal {
	long highest;
	int count;
	unsigned char digit[128];
	bool rest; /* a digit other than 0 follows the last one */
};

/* Keeps count digits, half to even. */
static void round_to(struct decimal *d, int count)
{
	bool up;

	if (count >= d->count)
		return;
	if (count < 0) {
		d->count = 0;
		return;
	}
	up = d->digit[count] > 5;
	if (d->digit[count] == 5) {
		bool rest = d->rest;

		for (int i = count + 1; i < d->count; i++)
			rest |= d->digit[i] != 0;
		up = rest || (count > 0 && (d->digit[count - 1] & 1));
	}
	d->count = count;
	while (up && count-- > 0) {
		up = d->digit[count] == 9;
		d->digit[count] = up ? 0 : (unsigned char)(d->digit[count] + 1);
	}
	if (up) { /* 99.9 became 100.0, or 0.6 became 1 */
		memmove(d->digit + 1, d->digit, (size_t)d->count);
		d->digit[0] = 1;
		d->count++;
		d->highest++;
	}
}

static void print(struct buf *out, const struct decimal *d, bool negative, int places, bool cut,
                  bool commas)
{
	long lowest = -places;
	long highest = d->highest > 0 ? d->highest : 0;
	bool zero = true;

	for (int i = 0; i < d->count; i++)
		zero &= d->digit[i] == 0;
	if (cut) {
		lowest = d->highest - d->count + 1;
		while (lowest < 0 && (lowest > d->highest || d->digit[d->highest - lowest] == 0))
			lowest++;
		if (lowest > 0)
			lowest = 0;
	}
	if (negative && !zero)
		buf_char(out, '-');
	while (highest > 0 && (d->count == 0 || d->digit[d->highest - highest] == 0))
		highest--;
	for (long place = highest; place >= lowest; place--) {
		long at = d->highest - place;

		if (place == -1)
			buf_char(out, '.');
		buf_char(out, at >= 0 && at < d->count ? (char)('0' + d->digit[at]) : '0');
		if (commas && place > 0 && place % 3 == 0)
			buf_char(out, ',');
	}
}

/* The digits of value * 10^-places. */
static void whole_digits(struct decimal *d, unsigned __int128 value, int places)
{
	unsigned char reversed[40];
	int n = 0;

	do {
		reversed[n++] = (unsigned char)(value % 10);
		value /= 10;
	} while (value);
	*d = (struct decimal){.highest = n - 1 - places, .count = n};
	for (int i = 0; i < n; i++)
		d->digit[i] = reversed[n - 1 - i];
}

/* The common case at once: 64 bits hold the whole part. */
static bool print_plain(struct buf *out, unsigned __int128 value, bool negative)
{
	char text[32]; /* a sign, 20 digits, a point and 9 places */
	char *at = text + sizeof text;
	/* Division of 64 bits is far quicker. */
	uint64_t whole = value >> 64 ? (uint64_t)(value / 1000000000) : (uint64_t)value / 1000000000;
	uint32_t fraction = (uint32_t)(value - (unsigned __int128)whole * 1000000000);
	int places = PLACES;

	if (value >= (unsigned __int128)1000000000 << 64)
		return false;
	for (; places && fraction % 10 == 0; places--)
		fraction /= 10;
	for (int i = 0; i < places; i++, fraction /= 10)
		*--at = (char)('0' + fraction % 10);
	if (places)
		*--at = '.';
	do {
		*--at = (char)('0' + whole % 10);
		whole /= 10;
	} while (whole);
	if (negative)
		*--at = '-';
	buf_str(out, (struct str){at, (size_t)(text + sizeof text - at)});
	return true;
}

void dec_print(struct buf *out, struct dec x)
{
	struct decimal d;

	if (print_plain(out, magnitude(x), x.nano < 0))
		return;
	whole_digits(&d, magnitude(x), PLACES);
	print(out, &d, x.nano < 0, 0, true, false);
}

void dec_print_fixed(struct buf *out, struct dec x, int places, bool commas)
{
	struct decimal d;

	whole_digits(&d, magnitude(x), PLACES);
	round_to(&d, (int)d.highest + 1 + places);
	print(out, &d, x.nano < 0, places, false, commas);
}

/*
 * The next decimal digit of rest / divisor, rest < divisor <= 2^127: ten
 * additions instead of a multiplication that could wrap.
 */
static unsigned char next_digit(unsigned __int128 *rest, unsigned __int128 divisor)
{
	unsigned __int128 sum = 0;
	unsigned char digit = 0;

	for (int i = 0; i < 10; i++) {
		sum += *rest;
		if (sum >= divisor) {
			sum -= divisor;
			digit++;
		}
	}
	*rest = sum;
	return digit;
}

/*
 * Digits of numerator / denominator * 10^shift and one more: `significant` digits, or if that is 0,
 * the digits down to 10^-places.
 */
static void divide(struct decimal *d, struct dec numerator, struct dec denominator, int shift,
                   int significant, int places)
{
	unsigned __int128 divisor = magnitude(denominator);
	unsigned __int128 rest = magnitude(numerator) % divisor;
	int first = 0;

	whole_digits(d, magnitude(numerator) / divisor, 0);
	while (first < d->count && d->digit[first] == 0)
		first++;
	while (rest && d->count < (int)sizeof d->digit - 1) {
		if (significant ? d->count - first > significant
		                : d->count - 1 - d->highest > places + shift)
			break;
		d->digit[d->count] = next_digit(&rest, divisor);
		if (first == d->count && d->digit[d->count] == 0)
			first++;
		d->count++;
	}
	d->rest = rest != 0;
	d->highest += shift;
	if (significant)
		round_to(d, first + significant);
	else
		round_to(d, (int)d->highest + 1 + places);
}

void dec_quotient_digits(struct buf *out, struct dec numerator, struct dec denominator, int shift,
                         int significant)
{
	struct decimal d;

	divide(&d, numerator, denominator, shift, significant, 0);
	print(out, &d, (numerator.nano < 0) != (denominator.nano < 0), 0, true, false);
}

void dec_quotient(struct buf *out, struct dec numerator, struct dec denominator, int shift)
{
	dec_quotient_digits(out, numerator, denominator, shift, DEC_SIGNIFICANT);
}

void dec_quotient_fixed(struct buf *out, struct dec numerator, struct dec denominator, int shift,
                        int places)
{
	struct decimal d;

	divide(&d, numerator, denominator, shift, 0, places);
	print(out, &d, (numerator.nano < 0) != (denominator.nano < 0), places, false, false);
}
