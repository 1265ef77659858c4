#include "lcs.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The value of a pair: one pair more outweighs any number of equal names. */
static uint64_t worth(const struct lcs_item *a, const struct lcs_item *b)
{
	if (a->class != b->class)
		return 0;
	return ((uint64_t)1 << 32) + (a->name == b->name);
}

static bool same(const struct lcs_item *a, const struct lcs_item *b)
{
	return a->class == b->class && a->name == b->name;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Sets row[j] to the most that a and the first (with `back` the last) j of b are worth. */
static void fill_row(const struct lcs_item *a, size_t n, const struct lcs_item *b, size_t m,
                     bool back, uint64_t *row)
{
	memset(row, 0, (m + 1) * sizeof *row);
	for (size_t i = 0; i < n; i++) {
		const struct lcs_item *x = &a[back ? n - 1 - i : i];
		uint64_t diagonal = 0;

		for (size_t j = 1; j <= m; j++) {
			uint64_t value = worth(x, &b[back ? m - j : j - 1]);
			uint64_t above = row[j];

			row[j] = larger(above, row[j - 1]);
			if (value)
				row[j] = larger(row[j], diagonal + value);
			diagonal = above;
		}
	}
}

/* The only item of a faces its name in b or, if that is missing, the first item of its class. */
static void match_one(const struct lcs_item *a, const struct lcs_item *b, size_t m, size_t *match,
                      size_t base)
{
	for (size_t j = 0; j < m; j++) {
		if (same(a, &b[j])) {
			*match = base + j;
			return;
		}
		if (*match == LCS_NONE && worth(a, &b[j]))
			*match = base + j;
	}
}

/*
 * Whether an item of a may have the class of an item of b: false only if none has. Filling rows
 * takes n times m steps, this n and m.
 */
static bool may_match(const struct lcs_item *a, size_t n, const struct lcs_item *b, size_t m)
{
	enum { BITS = 4096 };
	uint64_t seen[BITS / 64] = {0};

	for (size_t i = 0; i < n; i++)
		seen[a[i].class % BITS / 64] |= (uint64_t)1 << a[i].class % 64;
	for (size_t j = 0; j < m; j++)
		if (seen[b[j].class % BITS / 64] >> b[j].class % 64 & 1)
			return true;
	return false;
}

/*
 * Hirschberg's algorithm: two rows, one from each end, show the place at which the best way crosses
 * the middle of a; then both halves are matched alone. rows has room for both.
 */
static void match_part(const struct lcs_item *a, size_t n, const struct lcs_item *b, size_t m,
                       size_t *match, size_t base, uint64_t *rows)
{
	uint64_t *before = rows;
	uint64_t *after = rows + m + 1;
	size_t half;
	size_t cut = 0;

	/* In one of the best ways, equal ends face each other. */
	for (; n && m && same(a, b); a++, b++, match++, base++, n--, m--)
		*match = base;
	for (; n && m && same(&a[n - 1], &b[m - 1]); n--, m--)
		match[n - 1] = base + m - 1;
	if (n == 0 || m == 0)
		return;
	if (n == 1) {
		match_one(a, b, m, match, base);
		return;
	}
	if (!may_match(a, n, b, m))
		return;
	half = n / 2;
	fill_row(a, half, b, m, false, before);
	fill_row(a + half, n - half, b, m, true, after);
	for (size_t j = 1; j <= m; j++)
		if (before[j] + after[m - j] > before[cut] + after[m - cut])
			cut = j;
	match_part(a, half, b, cut, match, base, rows);
	match_part(a + half, n - half, b + cut, m - cut, match + half, base + cut, rows);
}

/*
 * The place at which the matched way through an x by y window is half through: the place of the
 * first pair there. Without such a pair, it is the middle, after the last pair.
 */
static void find_cut(const size_t *match, size_t x, size_t y, size_t base, size_t *cut)
{
	size_t last[2] = {0, 0}; /* after the last pair */

	for (size_t i = 0; i < x; i++) {
		if (match[i] == LCS_NONE)
			continue;
		cut[0] = i;
		cut[1] = match[i] - base;
		if (cut[0] + cut[1] >= (x + y) / 2)
			return;
		last[0] = cut[0] + 1;
		last[1] = cut[1] + 1;
	}
	cut[0] = last[0] > x / 2 ? last[0] : x / 2;
	cut[1] = last[1] > y / 2 ? last[1] : y / 2;
}

/*
 * In long sequences, windows are matched one after the other. The pairs in the first half of each
 * window stay; the next window begins with the others.
 */
void lcs_match(const struct lcs_item *a, size_t n, const struct lcs_item *b, size_t m,
               size_t *match)
{
	uint64_t *rows = mem_alloc(2 * (m + 1), sizeof *rows);
	size_t base = 0;
	size_t cut[2];

	for (size_t i = 0; i < n; i++)
		match[i] = LCS_NONE;
	while (n > LCS_WINDOW && m > LCS_WINDOW) {
		match_part(a, LCS_WINDOW, b, LCS_WINDOW, match, base, rows);
		find_cut(match, LCS_WINDOW, LCS_WINDOW, base, cut);
		for (size_t i = cut[0]; i < LCS_WINDOW; i++)
			match[i] = LCS_NONE;
		a += cut[0];
		n -= cut[0];
		match += cut[0];
		b += cut[1];
		m -= cut[1];
		base += cut[1];
	}
	match_part(a, n, b, m, match, base, rows);
	free(rows);
}
