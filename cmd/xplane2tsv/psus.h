/*
 * psus - times of an XSpace as microseconds, exact: up to six decimals, no zeros at the end, no -0.
 *
 * Constant memory. The texts are borrowed from the caller's characters.
 */
#ifndef PSUS_H
#define PSUS_H

#include "base/buf.h"

enum { PSUS_DIGITS = 32 }; /* enough for a sign, 20 digits, a point and six decimals */

/* ns * 1000 + ps picoseconds in microseconds. */
struct str psus_time(char text[PSUS_DIGITS], int64_t ns, int64_t ps);

/* A whole number; the second is two's complement. */
struct str psus_unsigned(char text[PSUS_DIGITS], uint64_t number);
struct str psus_signed(char text[PSUS_DIGITS], int64_t number);

#endif
