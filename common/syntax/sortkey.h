/*
 * sortkey - the order of values: empty ones, then numbers by value, then texts by their bytes.
 *
 * A value becomes a key. The bytes of keys, as memcmp(3) compares them, have the order of the
 * values. No key begins another key, so keys may follow each other. They have no byte below 0x0e:
 * no NUL, tab or newline. A number has the form of kev(5), NUMBERS, but as many digits as it likes.
 *
 * Memory: the caller's; a key has at most twice the bytes of its value, and 12 more.
 */
#ifndef SORTKEY_H
#define SORTKEY_H

#include "base/buf.h"

#include <stdint.h>

/* "-COL" is descending; "\-COL" is a column whose name begins with -. Returns the name. */
struct str sortkey_column(struct str word, bool *descending);

/* Appends the key of a decoded value. */
void sortkey_put(struct buf *key, struct str value, bool descending);

/* A number below 2^48 as a key of SORTKEY_NUMBER bytes. It orders rows of equal values. */
enum { SORTKEY_NUMBER = 8 };
void sortkey_put_number(struct buf *key, uint64_t number);
uint64_t sortkey_number(const char *key);

#endif
