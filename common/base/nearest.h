/*
 * nearest - the known word that is nearest to a mistyped word.
 *
 *	struct nearest nearest = nearest_to(word);
 *
 *	nearest_try(&nearest, STR("dur")); ... each known word
 *	if (nearest.found.s)
 *		... "did you mean 'dur'?"
 *
 * The distance is the number of bytes that are inserted, left out, replaced or swapped with their
 * neighbour; letters of the other case are equal. One byte may differ, two if the word has five or
 * more, but never all of them. Words longer than 64 bytes are never near. Memory: constant; time:
 * linear in the known words.
 */
#ifndef NEAREST_H
#define NEAREST_H

#include "base/buf.h"

struct nearest {
	struct str word;
	struct str found; /* .s is NULL: none is near; of several equally near, the first */
	size_t distance;
};

/* word must outlive it, and so must the known words. */
struct nearest nearest_to(struct str word);

void nearest_try(struct nearest *nearest, struct str known);

#endif
