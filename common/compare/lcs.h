/*
 * lcs - which items of two sequences face each other: a longest common
 * subsequence of their classes, and of those one with the most equal names.
 */
#ifndef LCS_H
#define LCS_H

#include <stddef.h>
#include <stdint.h>

struct lcs_item {
	size_t class;
	size_t name;
};

#define LCS_NONE SIZE_MAX

/*
 * Sets match[i] to the number of the item in b that a[i] faces, or to LCS_NONE; the numbers rise
 * with i. Sequences must have fewer than 2^31 items. Time grows with n times m if the two differ,
 * and with n if they are equal; memory grows with m.
 */
void lcs_match(const struct lcs_item *a, size_t n, const struct lcs_item *b, size_t m,
               size_t *match);

#endif
