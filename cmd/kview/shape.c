#include "shape.h"

#include "base/dec.h"

enum { PLACES = 3, SIGNIFICANT = 4 };

/* The digits of a number without an exponent. */
struct digits {
	bool negative;
	struct str whole; /* without zeros before it; may be empty */
	struct str fraction;
};

/* False if text is not a number. number keeps its digits. */
static bool split(struct buf *number, struct str text, struct digits *digits)
{
	struct str rest;
	size_t point = 0;

	number->len = 0;
	if (!dec_copy(number, text))
		return false;
	rest = buf_view(number);
	*digits = (struct digits){.negative = rest.s[0] == '-'};
	if (rest.s[0] == '-' || rest.s[0] == '+')
		rest = (struct str){rest.s + 1, rest.n - 1};
	while (rest.n && rest.s[0] == '0')
		rest = (struct str){rest.s + 1, rest.n - 1};
	while (point < rest.n && rest.s[point] != '.')
		point++;
	digits->whole = (struct str){rest.s, point};
	if (point < rest.n)
		digits->fraction = (struct str){rest.s + point + 1, rest.n - point - 1};
	return true;
}

static void see_number(struct shape *shape, const struct digits *digits)
{
	size_t zeros = 0;

	if (digits->fraction.n > shape->places)
		shape->places = digits->fraction.n;
	if (digits->whole.n)
		shape->large = true;
	while (zeros < digits->fraction.n && digits->fraction.s[zeros] == '0')
		zeros++;
	if (digits->whole.n || zeros == digits->fraction.n)
		return;
	if (!shape->any_below || zeros < shape->zeros)
		shape->zeros = zeros;
	shape->any_below = true;
}

void shape_see(struct shape *shape, struct str value)
{
	struct digits digits;

	if (shape->values++ == 0)
		buf_str(&shape->first, value);
	else if (!shape->several)
		shape->several = !str_equal(value, buf_view(&shape->first));
	if (value.n == 0)
		return;
	shape->filled = true;
	if (shape->words)
		return;
	if (split(&shape->number, value, &digits))
		see_number(shape, &digits);
	else
		shape->words = true;
}

bool shape_is_number(const struct shape *shape)
{
	return shape->filled && !shape->words;
}

/* The places after the point that all values need. */
static size_t places_of(const struct shape *shape)
{
	size_t most = PLACES;

	if (!shape->large && shape->any_below)
		most = shape->zeros + SIGNIFICANT;
	return shape->places < most ? shape->places : most;
}

/* Whether the digits after the first `places` of the fraction round these up, half to even. */
static bool rounds_up(const struct digits *digits, size_t places)
{
	struct str rest = digits->fraction;
	char last = '0';

	if (rest.n <= places || rest.s[places] < '5')
		return false;
	for (size_t i = places + 1; i < rest.n; i++)
		if (rest.s[i] != '0')
			return true;
	if (places)
		last = rest.s[places - 1];
	else if (digits->whole.n)
		last = digits->whole.s[digits->whole.n - 1];
	return rest.s[places] > '5' || (last - '0') % 2 == 1;
}

/* Adds 1 to the last digit of the number that begins at `start`. */
static void add_one(struct buf *out, size_t start)
{
	size_t at = out->len;

	while (at > start) {
		char *c = &out->data[--at];

		if (*c == '.')
			continue;
		if (*c != '9') {
			(*c)++;
			return;
		}
		*c = '0';
	}
	buf_char(out, '0');
	memmove(out->data + start + 1, out->data + start, out->len - start - 1);
	out->data[start] = '1';
}

/* Whether a digit other than 0 follows. */
static bool is_not_zero(struct str number)
{
	for (size_t i = 0; i < number.n; i++)
		if (number.s[i] >= '1' && number.s[i] <= '9')
			return true;
	return false;
}

static void put_number(struct buf *out, const struct digits *digits, size_t places)
{
	size_t start = out->len;

	if (digits->whole.n)
		buf_str(out, digits->whole);
	else
		buf_char(out, '0');
	if (places)
		buf_char(out, '.');
	for (size_t i = 0; i < places; i++)
		buf_char(out, i < digits->fraction.n ? digits->fraction.s[i] : '0');
	if (rounds_up(digits, places))
		add_one(out, start);
	if (digits->negative && is_not_zero((struct str){out->data + start, out->len - start})) {
		buf_char(out, '-');
		memmove(out->data + start + 1, out->data + start, out->len - start - 1);
		out->data[start] = '-';
	}
}

bool shape_round(struct shape *shape, struct buf *out, struct str value, size_t places)
{
	struct digits digits;

	if (!split(&shape->number, value, &digits))
		return false;
	put_number(out, &digits, places);
	return true;
}

void shape_put(struct shape *shape, struct buf *out, struct str value)
{
	if (!shape_is_number(shape) || shape->places == 0 ||
	    !shape_round(shape, out, value, places_of(shape)))
		buf_str(out, value);
}

void shape_free(struct shape *shape)
{
	buf_free(&shape->first);
	buf_free(&shape->number);
}
