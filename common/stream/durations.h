/*
 * durations - the distinct durations of a group with their counts, in ascending order.
 *
 * New durations wait at the end, until there is no more room or the order is wanted. Then they are
 * sorted by their digits and joined to the durations before them: the time is linear in the new
 * durations, whatever their values. Memory: at most four items for each distinct duration, and a
 * copy of the new durations while they are sorted.
 */
#ifndef DURATIONS_H
#define DURATIONS_H

#include "base/dec.h"

#include <stdint.h>

/* Packed to 24 bytes: with the alignment of struct dec it would have 32. */
struct duration {
	struct dec dur;
	uint64_t count;
} __attribute__((packed, aligned(8)));

/* Starts as {0}. */
struct durations {
	struct duration *item; /* distinct and in order only after durations_sort */
	size_t count;
	size_t cap;
	size_t sorted; /* so many are sorted; the others wait */
};

void durations_grow(struct durations *durations); /* for durations_add, if there is no room */

/* Adds dur, count times. The caller sees to it that the sum of all counts fits 64 bits. */
static inline void durations_add(struct durations *durations, struct dec dur, uint64_t count)
{
	if (durations->count == durations->cap)
		durations_grow(durations);
	durations->item[durations->count++] = (struct duration){dur, count};
	/* With many groups, the place of the next duration is seldom in a cache. */
	__builtin_prefetch(durations->item + durations->count + 3, 1);
}

void durations_sort(struct durations *durations);
void durations_free(struct durations *durations);

#endif
