/*
 * costs - how many operations the parts of a generated kernel take for each element, kroof(1):
 *
 *	add 1, mul 1, _to_copy 0
 *	add__to_copy_mul = 2
 *
 * A tree has a node for each byte of the names. Memory grows with the names, 24 bytes for each
 * byte, and 8 bytes for each byte of the longest text.
 */
#ifndef COSTS_H
#define COSTS_H

#include "base/buf.h"

#include <stdint.h>

enum { COSTS_MAX = 1000000, COSTS_NAME_MAX = 255 }; /* the largest cost, the longest name */

struct costs_node;

/* Starts as {0}. */
struct costs {
	struct costs_node *node;
	size_t count;
	size_t cap;
	uint64_t *sum; /* the sum of the text from each of its bytes on */
	size_t sum_cap;
};

/*
 * Sets the cost of a name of 1 to COSTS_NAME_MAX bytes, at most COSTS_MAX, unless it has one.
 * Returns the owner of the cost that it has then: the owner given now, or the owner before.
 */
size_t costs_put(struct costs *costs, struct str name, uint64_t cost, size_t owner);

/* The owner of the cost of a name; SIZE_MAX if it has none. */
size_t costs_owner(const struct costs *costs, struct str name);

/*
 * The sum of the costs of the names that `_` joins in text; at each place the longest name that
 * lets the rest be split counts. False if the text cannot be split. Time: the bytes of the text
 * times those of the longest name.
 */
bool costs_sum(struct costs *costs, struct str text, uint64_t *sum);

void costs_free(struct costs *costs);

#endif
