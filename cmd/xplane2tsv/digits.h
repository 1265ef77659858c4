/*
 * digits - numbers of an XSpace as text: whole numbers, and times in microseconds, exact: up to six
 * decimals, no zeros at the end, no -0.
 *
 * Constant memory. The texts are borrowed from the caller's characters.
 */
#ifndef DIGITS_H
#define DIGITS_H

#include "base/buf.h"

enum { DIGITS_MAX = 32 }; /* enough for a sign, 20 digits, a point and six decimals */

/* ns * 1000 + ps picoseconds in microseconds. */
struct str digits_time(char text[DIGITS_MAX], int64_t ns, int64_t ps);

/* A whole number; the second is two's complement. */
struct str digits_unsigned(char text[DIGITS_MAX], uint64_t number);
struct str digits_signed(char text[DIGITS_MAX], int64_t number);

#endif
