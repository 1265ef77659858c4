/* dec: two numbers, a space between them, and the laws of arithmetic. */
#include "../fuzz.h"

#include "base/dec.h"

/* A number that is printed is read as an equal number, and printed again gives equal text. */
static void print_and_parse(struct dec x)
{
	struct buf text = {0};
	struct buf again = {0};
	struct dec y;

	dec_print(&text, x);
	if (x.nano != -x.nano || x.nano == 0) { /* the least of all is not read */
		LAW(dec_parse(buf_view(&text), &y) == DEC_OK && y.nano == x.nano);
		dec_print(&again, y);
		LAW_SAME(&again, &text);
		again.len = 0;
		dec_print_fixed(&again, x, 9, false);
		LAW(dec_parse(buf_view(&again), &y) == DEC_OK && y.nano == x.nano);
	}
	buf_free(&text);
	buf_free(&again);
}

/* A copied text is an equal number, and copied again gives equal text. */
static void copy_and_parse(struct str number, enum dec_result result, struct dec x)
{
	struct buf copy = {0};
	struct buf again = {0};
	struct dec y = {0};
	struct dec whole;

	LAW(dec_copy(&copy, number) == (result != DEC_NOT_A_NUMBER));
	LAW((dec_whole(number, &whole) == DEC_NOT_A_NUMBER) == (result == DEC_NOT_A_NUMBER));
	if (result == DEC_NOT_A_NUMBER) {
		LAW(copy.len == 0);
		return;
	}
	LAW(dec_parse(buf_view(&copy), &y) == result);
	LAW(result == DEC_OVERFLOW || y.nano == x.nano);
	LAW(!memchr(copy.data, 'e', copy.len) && !memchr(copy.data, 'E', copy.len));
	LAW(dec_copy(&again, buf_view(&copy)));
	LAW_SAME(&again, &copy);
	if (result == DEC_OK) {
		LAW(dec_whole(number, &whole) == DEC_OK);
		LAW(whole.nano == x.nano - x.nano % 1000000000);
	}
	buf_free(&copy);
	buf_free(&again);
}

/* A text that is rounded to nine places is the number that is computed with. */
static void copy_and_round(struct str number, enum dec_result result, struct dec x)
{
	struct buf copy = {0};
	struct str text;
	struct dec y = {0};
	bool rounded;

	dec_copy(&copy, number);
	text = buf_view(&copy);
	rounded = dec_round_places(&text, &copy);
	LAW(rounded == (result == DEC_ROUNDED));
	if (rounded)
		LAW(dec_parse(text, &y) == DEC_OK && y.nano == x.nano);
	buf_free(&copy);
}

static void add_and_subtract(struct dec a, struct dec b)
{
	struct dec sum = a;
	struct dec difference = a;
	struct dec other = b;

	LAW(dec_add(&other, a) == dec_add(&sum, b));
	if (sum.nano != a.nano || b.nano == 0) {
		LAW(sum.nano == other.nano);
		LAW(dec_subtract(&sum, b) && sum.nano == a.nano);
	}
	if (dec_subtract(&difference, b)) {
		LAW(dec_compare(a, b) == (difference.nano > 0) - (difference.nano < 0));
		LAW(dec_add(&difference, b) && difference.nano == a.nano);
	}
	LAW(dec_compare(a, b) == -dec_compare(b, a));
}

/* n / d, half to even; both positive. */
static __int128 nearest(__int128 n, __int128 d)
{
	__int128 whole = n / d;
	__int128 rest = n % d;

	return whole + (rest > d - rest || (rest == d - rest && whole % 2));
}

static __int128 magnitude(struct dec x)
{
	return x.nano < 0 ? -x.nano : x.nano;
}

/* Rounded numbers and quotients against whole arithmetic, where that fits. */
static void round_and_divide(struct dec a, struct dec b)
{
	struct buf text = {0};
	struct buf opposite = {0};
	__int128 power = 1000000000;

	for (int places = 0; places <= 9; places++, power /= 10) {
		struct dec got;
		__int128 want = nearest(magnitude(a), power);

		text.len = 0;
		dec_print_fixed(&text, a, places, false);
		if (dec_parse(buf_view(&text), &got) == DEC_OK)
			LAW(magnitude(got) == want * power);
		if (b.nano == 0 || magnitude(a) > INT64_MAX || magnitude(b) > INT64_MAX)
			continue;
		text.len = 0;
		dec_quotient_fixed(&text, a, b, 0, places);
		LAW(dec_parse(buf_view(&text), &got) == DEC_OK);
		LAW(magnitude(got) == nearest(magnitude(a) * (1000000000 / power), magnitude(b)) * power);
	}
	if (b.nano) {
		bool minus;
		bool other_minus;

		text.len = 0;
		dec_quotient(&text, a, b, 2);
		dec_quotient(&opposite, (struct dec){-a.nano}, b, 2);
		minus = text.data[0] == '-';
		other_minus = opposite.data[0] == '-';
		law_same((struct str){text.data + minus, text.len - minus},
		         (struct str){opposite.data + other_minus, opposite.len - other_minus}, __FILE__,
		         __LINE__);
		LAW(minus != other_minus || (!minus && str_equal(buf_view(&text), STR("0"))));
	}
	buf_free(&text);
	buf_free(&opposite);
}

static void try_input(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};
	const char *space = size ? memchr(text.s, ' ', size) : NULL;
	struct str first = {text.s, space ? (size_t)(space - text.s) : size};
	struct str second = {first.s + first.n + (space != NULL), size - first.n - (space != NULL)};
	struct dec a = {0};
	struct dec b = {0};
	enum dec_result of_a = dec_parse(first, &a);
	enum dec_result of_b = dec_parse(second, &b);

	copy_and_parse(first, of_a, a);
	copy_and_round(first, of_a, a);
	print_and_parse(a);
	add_and_subtract(a, b);
	if (of_a <= DEC_ROUNDED && of_b <= DEC_ROUNDED)
		round_and_divide(a, b);
}
