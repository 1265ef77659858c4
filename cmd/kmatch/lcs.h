/*
 * lcs - which items of two sequences face each other: a longest common subsequence of their
 * classes, with the most equal names.
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

/* Sequences with more items are matched window by window: items farther apart face none. */
enum { LCS_WINDOW = 8192 };

/*
 * Sets match[i] to the number of the item in b that a[i] faces, or to LCS_NONE; the numbers rise
 * with i. If either has at most LCS_WINDOW items, it is the longest. Time grows with LCS_WINDOW
 * times n + m, and with n if the two are equal; memory grows with m.
 */
void lcs_match(const struct lcs_item *a, size_t n, const struct lcs_item *b, size_t m,
               size_t *match);

#endif
