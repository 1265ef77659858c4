/*
 * couple - how often two numbers come together, such as a group and a class or two classes, and the
 * time of these kernels.
 */
#ifndef COUPLE_H
#define COUPLE_H

#include "base/dec.h"

#include <stddef.h>

struct couple {
	size_t a;
	size_t b;
	int64_t count;
	struct dec time;
	struct dec negative; /* sum of the times below 0, as by dec_sum */
};

/* A couple of one time. */
struct couple couple_of(size_t a, size_t b, struct dec time);

/* Adds a time. False if the sum is too large. */
bool couple_add(struct couple *couple, struct dec time);

/*
 * Sorts *n couples by a and b and joins couples with equal numbers. Sets *n to how many are left.
 * Returns false if a sum of times is too large.
 */
bool couple_join(struct couple *couple, size_t *n);

/* The joined couple of these two numbers; NULL if it is missing. */
struct couple *couple_find(const struct couple *couple, size_t n, size_t a, size_t b);

/* Couples in the order of b: couples of b are item[at[b]] to item[at[b + 1] - 1]. */
struct couple_index {
	size_t *at;
	struct couple *item;
};

/* b is below `numbers`. Couples of one b stay in their order. Ends with couple_index_free. */
struct couple_index couple_index_of(const struct couple *couple, size_t n, size_t numbers);

void couple_index_free(struct couple_index *index);

#endif
