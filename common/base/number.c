#include "base/number.h"

#include <stdint.h>

typedef unsigned __int128 u128;

#define UNITS_MAX ((u128)-1 >> 1)

static u128 magnitude(__int128 units)
{
	return units < 0 ? -(u128)units : (u128)units;
}

/* Sets *out to the value with this magnitude, which is normalised; false if it is too large. */
static bool set(struct number *out, bool negative, u128 units, int places)
{
	while (places > NUMBER_PLACES && units % 10 == 0) {
		units /= 10;
		places--;
	}
	if (units > UNITS_MAX)
		return false;
	*out = (struct number){negative ? -(__int128)units : (__int128)units, places};
	return true;
}

/*
 * Gives x so many decimal places, at least as many as it has. False if the digits do not fit; x may
 * change, but not its sign.
 */
static bool widen(struct number *x, int places)
{
	for (; x->places < places; x->places++) {
		__int128 units;

		if (__builtin_mul_overflow(x->units, (__int128)10, &units))
			return false;
		x->units = units;
	}
	return true;
}

int number_compare(struct number a, struct number b)
{
	/* A number that does not fit is further from 0 than the other number. */
	if (!widen(&a, b.places))
		return a.units < 0 ? -1 : 1;
	if (!widen(&b, a.places))
		return b.units < 0 ? 1 : -1;
	return (a.units > b.units) - (a.units < b.units);
}

/* --- rounding -------------------------------------------------------------- */

/* 256 bits, the lowest 64 first. */
struct limbs {
	uint64_t limb[4];
};

static struct limbs limbs_of(u128 x)
{
	return (struct limbs){{(uint64_t)x, (uint64_t)(x >> 64), 0, 0}};
}

static struct limbs product(u128 a, u128 b)
{
	const struct limbs x = limbs_of(a);
	const struct limbs y = limbs_of(b);
	struct limbs out = {0};

	for (int i = 0; i < 2; i++) {
		uint64_t carry = 0;

		for (int j = 0; j < 2; j++) {
			u128 sum = (u128)x.limb[i] * y.limb[j] + out.limb[i + j] + carry;

			out.limb[i + j] = (uint64_t)sum;
			carry = (uint64_t)(sum >> 64);
		}
		out.limb[i + 2] += carry;
	}
	return out;
}

/* Divides x; returns the rest. */
static uint64_t divide_limbs(struct limbs *x, uint64_t divisor)
{
	uint64_t rest = 0;

	for (int i = 3; i >= 0; i--) {
		u128 part = (u128)rest << 64 | x->limb[i];

		if (part == 0)
			continue;
		x->limb[i] = (uint64_t)(part / divisor);
		rest = (uint64_t)(part % divisor);
	}
	return rest;
}

/*
 * x without its last digits, half to even; rest: a digit other than 0 follows. False if the result
 * does not fit.
 */
static bool round_off(u128 *out, struct limbs x, int digits, bool rest)
{
	uint64_t power = 1;
	uint64_t last;

	for (; digits > 18; digits -= 18)
		rest |= divide_limbs(&x, UINT64_C(1000000000000000000)) != 0;
	for (int i = 0; i < digits; i++)
		power *= 10;
	last = divide_limbs(&x, power);
	if (x.limb[2] || x.limb[3])
		return false;
	*out = (u128)x.limb[1] << 64 | x.limb[0];
	if (last > power / 2 || (last && last == power / 2 && (rest || (x.limb[0] & 1))))
		++*out;
	return *out != 0 || !(x.limb[0] | x.limb[1]);
}

/* --- sums ------------------------------------------------------------------ */

/* Gives x exactly so many places, rounded if it has more. */
static bool resize(struct number *x, int places)
{
	u128 units;

	if (x->places <= places)
		return widen(x, places);
	round_off(&units, limbs_of(magnitude(x->units)), x->places - places, false);
	x->units = x->units < 0 ? -(__int128)units : (__int128)units;
	x->places = places;
	return true;
}

bool number_add(struct number *out, struct number a, struct number b)
{
	__int128 units;

	for (int places = a.places > b.places ? a.places : b.places; places >= NUMBER_PLACES;
	     places--) {
		struct number x = a;
		struct number y = b;

		if (resize(&x, places) && resize(&y, places) &&
		    !__builtin_add_overflow(x.units, y.units, &units))
			return set(out, units < 0, magnitude(units), places);
	}
	return false;
}

bool number_negate(struct number *out, struct number a)
{
	return set(out, a.units > 0, magnitude(a.units), a.places);
}

bool number_subtract(struct number *out, struct number a, struct number b)
{
	struct number minus;

	return number_negate(&minus, b) && number_add(out, a, minus);
}

bool number_floor(struct number *out, struct number a)
{
	struct number fraction = number_remainder(a, (struct number){1000000000, NUMBER_PLACES});

	if (!number_subtract(&a, a, fraction))
		return false;
	if (fraction.units < 0)
		return number_subtract(out, a, (struct number){1000000000, NUMBER_PLACES});
	*out = a;
	return true;
}

/* --- products and quotients -------------------------------------------------- */

bool number_multiply(struct number *out, struct number a, struct number b)
{
	u128 units;

	return round_off(&units, product(magnitude(a.units), magnitude(b.units)),
	                 a.places + b.places - NUMBER_PLACES, false) &&
	       set(out, (a.units < 0) != (b.units < 0), units, NUMBER_PLACES);
}

/* rest * 10 modulo divisor, rest < divisor <= 2^127, and the digit that it is divided by. */
static unsigned next_digit(u128 *rest, u128 divisor)
{
	u128 sum = 0;
	unsigned digit = 0;

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

static int digits_of(u128 x)
{
	int n = 0;

	for (; x; x /= 10)
		n++;
	return n;
}

bool number_divide(struct number *out, struct number a, struct number b)
{
	u128 divisor = magnitude(b.units);
	u128 units = magnitude(a.units) / divisor;
	u128 rest = magnitude(a.units) % divisor;
	int places = a.places - b.places;
	int digits = digits_of(units);
	int surplus;

	while (places < NUMBER_PLACES ||
	       (rest && digits < NUMBER_SIGNIFICANT && places < NUMBER_PLACES_MAX)) {
		unsigned digit = next_digit(&rest, divisor);

		if (units > (UNITS_MAX - digit) / 10)
			return false;
		units = units * 10 + digit;
		digits += digits || digit;
		places++;
	}
	surplus = places - NUMBER_PLACES;
	if (surplus > digits - NUMBER_SIGNIFICANT)
		surplus = digits - NUMBER_SIGNIFICANT;
	if (surplus > 0) {
		round_off(&units, limbs_of(units), surplus, rest != 0);
		places -= surplus;
	} else if (rest > divisor - rest || (rest == divisor - rest && (units & 1))) {
		units++;
	}
	return set(out, (a.units < 0) != (b.units < 0), units, places);
}

struct number number_remainder(struct number a, struct number b)
{
	struct number out = a;
	u128 divisor;
	u128 rest;

	if (!widen(&b, a.places))
		return a; /* it is the smaller one */
	divisor = magnitude(b.units);
	rest = magnitude(a.units) % divisor;
	for (; a.places < b.places; a.places++)
		next_digit(&rest, divisor);
	set(&out, a.units < 0, rest, b.places);
	return out;
}

/* --- text -------------------------------------------------------------------- */

void number_print(struct buf *out, struct number a)
{
	u128 units = magnitude(a.units);
	char text[NUMBER_PLACES_MAX + 8]; /* more than 39 digits, or a point and all places */
	char *at = text + sizeof text;
	int places = a.places;

	if (places == NUMBER_PLACES) {
		dec_print(out, (struct dec){a.units});
		return;
	}
	for (; units || places >= 0; places--) {
		*--at = (char)('0' + (unsigned)(units % 10));
		units /= 10;
		if (places == 1)
			*--at = '.';
	}
	if (a.units < 0)
		*--at = '-';
	buf_str(out, (struct str){at, (size_t)(text + sizeof text - at)});
}
