/*
 * dec - exact decimals: signed fixed point in 128 bits, a unit of 10^-9.
 *
 * The arithmetic of kev(5), NUMBERS: no binary fraction, so that sums do not
 * depend on their order. With times in microseconds the unit is a femtosecond
 * and the largest value 1.7e29 microseconds.
 */
#ifndef DEC_H
#define DEC_H

#include "base/buf.h"

#include <stdint.h>

struct dec {
	__int128 nano;
};

enum dec_result {
	DEC_OK,
	DEC_ROUNDED,      /* fine, but digits past the ninth were rounded, half to even */
	DEC_NOT_A_NUMBER, /* not [+-] digits [. digits] [e exponent], or over 40 digits written out */
	DEC_OVERFLOW,     /* a number, but too large for struct dec */
};

/* The warning about DEC_ROUNDED, after its place and column: once a run. */
#define DEC_ROUNDED_TEXT "digits after the ninth decimal place are rounded, here and in later rows"

enum { DEC_SIGNIFICANT = 12 }; /* digits of a quotient: kev(5), NUMBERS */

struct dec dec_of(int64_t whole);

/* Reads all of text; *out is set on DEC_OK and DEC_ROUNDED only. */
enum dec_result dec_parse(struct str text, struct dec *out);

/*
 * The integer part of the text, towards zero: digits after the point never round it up.
 */
enum dec_result dec_whole(struct str text, struct dec *out);

/* Sums and differences. If the result would wrap, returns false and leaves the first alone. */
static inline bool dec_add(struct dec *sum, struct dec x)
{
	__int128 result;

	if (__builtin_add_overflow(sum->nano, x.nano, &result))
		return false;
	sum->nano = result;
	return true;
}

/* For dec_sum. */
bool dec_sum_signed(struct dec *sum, struct dec *negative, struct dec x, struct dec x_negative);

/*
 * Adds x to a sum that keeps its addends below 0 apart, in *negative. Both start at 0. If x is such
 * a sum, its own negative part goes with it; for a single addend that is 0. Returns false and adds
 * nothing if the addends above 0, or those below 0, add up to too much. So whether a sum fails does
 * not depend on the order of its addends, and if it does not fail, no part of it does.
 */
static inline bool dec_sum(struct dec *sum, struct dec *negative, struct dec x,
                           struct dec x_negative)
{
	if (x.nano >= 0 && (negative->nano | x_negative.nano) == 0) /* mostly */
		return dec_add(sum, x);
	return dec_sum_signed(sum, negative, x, x_negative);
}

bool dec_subtract(struct dec *difference, struct dec x);

static inline int dec_compare(struct dec a, struct dec b) /* < 0, 0, > 0 */
{
	return (a.nano > b.nano) - (a.nano < b.nano);
}

/*
 * Appends number unchanged, except that an exponent is written out ("12e-3" is "0.012"). If it is
 * not a number, returns false and appends nothing.
 */
bool dec_copy(struct buf *out, struct str number);

/* For dec_round_places. */
bool dec_round_text(struct str *number, struct buf *out);

/*
 * Rounds a text of dec_copy to nine decimal places, half to even: writes it to out, which may hold
 * the text, and sets *number to it. Returns false, and changes nothing, if that would not change
 * its value, or if it is too large for struct dec.
 */
static inline bool dec_round_places(struct str *number, struct buf *out)
{
	if (number->n <= 10 || number->s[number->n - 4] == '.') /* mostly three places */
		return false;
	/* A point has more than nine places after it only if it stands before the last ten bytes. */
	return memchr(number->s, '.', number->n - 10) && dec_round_text(number, out);
}

/* Appends x: no exponent, no trailing zeros, no -0. Equal values, equal text. */
void dec_print(struct buf *out, struct dec x);

/* Appends x with so many places (at most 9), half to even; with `commas` 1,234.5. */
void dec_print_fixed(struct buf *out, struct dec x, int places, bool commas);

/* x to so many significant digits, at least one, half to even; towards zero if it would not fit. */
struct dec dec_round(struct dec x, int significant);

/* Compares a / b with c / d, exactly: < 0, 0, > 0. a and c must not be below 0, b and d above it.
 */
int dec_compare_quotients(struct dec a, struct dec b, struct dec c, struct dec d);

/*
 * Appends numerator / denominator * 10^shift, rounded once, half to even, to 12
 * significant digits, normalised as dec_print does. denominator must not be 0.
 */
void dec_quotient(struct buf *out, struct dec numerator, struct dec denominator, int shift);

/* Like dec_quotient, but to so many significant digits, at least one. */
void dec_quotient_digits(struct buf *out, struct dec numerator, struct dec denominator, int shift,
                         int significant);

/* Like dec_quotient, but with exactly this many digits after the point, zeros included. */
void dec_quotient_fixed(struct buf *out, struct dec numerator, struct dec denominator, int shift,
                        int places);

#endif
