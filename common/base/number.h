/*
 * number - the exact arithmetic of expressions: decimals with nine places, quotients with more.
 *
 * The value is units / 10^places. Numbers that were read have nine places, as struct dec. A
 * quotient has more if nine would leave it fewer than 12 significant digits. More than nine places
 * never end in 0, so equal values are equal structs.
 *
 * Functions that return false leave *out alone: the result is too large.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include "base/dec.h"

enum { NUMBER_PLACES = 9, NUMBER_PLACES_MAX = 60, NUMBER_SIGNIFICANT = 12 };

struct number {
	__int128 units;
	int places; /* 9 to 60 */
};

static inline struct number number_of(struct dec x)
{
	return (struct number){x.nano, NUMBER_PLACES};
}

/* < 0, 0, > 0; exact. */
int number_compare(struct number a, struct number b);

/* Exact; places past the ninth that do not fit 128 bits are rounded, half to even. */
bool number_add(struct number *out, struct number a, struct number b);
bool number_subtract(struct number *out, struct number a, struct number b);
bool number_negate(struct number *out, struct number a);

/* Rounded once at the ninth place, half to even. */
bool number_multiply(struct number *out, struct number a, struct number b);

/*
 * Rounded once, half to even: to nine places or 12 significant digits, whichever is more, but to at
 * most 60 places. b must not be 0.
 */
bool number_divide(struct number *out, struct number a, struct number b);

/* a - b * (a / b towards zero), exact: it has the sign of a. b must not be 0. */
struct number number_remainder(struct number a, struct number b);

/* The largest whole number that is not above a. */
bool number_floor(struct number *out, struct number a);

/* Appends a: no exponent, no trailing zeros, no -0. */
void number_print(struct buf *out, struct number a);

#endif
