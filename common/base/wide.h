/*
 * wide - whole numbers of 512 bits from 0, for sums of squares that must be exact.
 *
 * No result of these functions may be 2^512 or more: the caller must know the bounds of the
 * numbers.
 */
#ifndef WIDE_H
#define WIDE_H

#include "base/buf.h"

#include <stdint.h>

enum { WIDE_WORDS = 8 };

struct wide {
	uint64_t word[WIDE_WORDS]; /* the lowest first */
};

struct wide wide_of(unsigned __int128 number);
struct wide wide_square(__int128 number);
struct wide wide_sum(struct wide a, struct wide b);
struct wide wide_difference(struct wide a, struct wide b); /* b must not be above a */
struct wide wide_product(struct wide a, struct wide b);
int wide_compare(struct wide a, struct wide b); /* < 0, 0, > 0 */

/* Appends number * 10^-places, without zeros at the end. */
void wide_print(struct buf *out, struct wide number, int places);

/* Reads that. False if text is something else, has more places or is 2^320 or more. */
bool wide_parse(struct str text, int places, struct wide *number);

/*
 * Appends the root of a / b * 10^shift, rounded once, half to even, to 12 significant digits. a
 * must be below 2^400, b from 1 to 2^128.
 */
void wide_root(struct buf *out, struct wide a, struct wide b, int shift);

#endif
