/* lcs: which items of two sequences face each other. */
#include "../unit.h"

#include "kmatch/lcs.h"

/* Items from a text: a letter is a class, in either case, and a name. */
static size_t items_of(const char *text, struct lcs_item *items)
{
	size_t n = 0;

	for (; text[n]; n++)
		items[n] = (struct lcs_item){(size_t)(text[n] | 0x20), (size_t)text[n]};
	return n;
}

/* want: for each of a the number of the one in b, or -. */
static void assert_match(const char *a, const char *b, const char *want)
{
	struct lcs_item x[64] = {{0}};
	struct lcs_item y[64] = {{0}};
	size_t match[64];
	size_t n = items_of(a, x);
	struct buf got = {0};

	lcs_match(x, n, y, items_of(b, y), match);
	for (size_t i = 0; i < n; i++) {
		if (match[i] == LCS_NONE)
			buf_char(&got, '-');
		else
			buf_format(&got, "%zu", match[i]);
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void small_ones(void **state)
{
	(void)state;
	assert_match("", "", "");
	assert_match("", "abc", "");
	assert_match("abc", "", "---");
	assert_match("abc", "abc", "012");
	assert_match("abc", "xyz", "---");
	assert_match("a", "xxaxx", "2");
	assert_match("xxaxx", "a", "--0--");
	/* One more, on either side, shifts nothing. */
	assert_match("abcdef", "abxcdef", "013456");
	assert_match("abxcdef", "abcdef", "01-2345");
}

/* By classes alone the first would do as well: the name decides, but not against one pair more. */
static void names_decide(void **state)
{
	(void)state;
	assert_match("A", "aAa", "1");
	assert_match("bA", "baaA", "03");
	assert_match("AB", "baB", "12");
	assert_match("Ab", "abA", "01");
	assert_match("ccA", "ccaAa", "013");
}

static size_t max(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t worth(struct lcs_item a, struct lcs_item b)
{
	return a.class == b.class ? 1000 + (a.name == b.name) : 0;
}

/* By the table of all beginnings. */
static size_t best(const struct lcs_item *a, size_t n, const struct lcs_item *b, size_t m)
{
	size_t table[21][21] = {{0}};

	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			size_t both = worth(a[i - 1], b[j - 1]);

			table[i][j] = max(table[i - 1][j], table[i][j - 1]);
			if (both)
				table[i][j] = max(table[i][j], table[i - 1][j - 1] + both);
		}
	return table[n][m];
}

static void as_good_as_the_best(void **state)
{
	struct lcs_item a[20];
	struct lcs_item b[20];
	size_t match[20];
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		size_t n = (size_t)round % 21;
		size_t m = (size_t)round / 21 % 21;
		size_t value = 0;
		size_t next = 0;

		for (size_t i = 0; i < 40; i++) {
			seed = seed * 1664525 + 1013904223;
			(i < 20 ? a : b)[i % 20] = (struct lcs_item){seed >> 30, seed >> 28 & 3};
		}
		lcs_match(a, n, b, m, match);
		for (size_t i = 0; i < n; i++) {
			if (match[i] == LCS_NONE)
				continue;
			assert_true(match[i] >= next && match[i] < m);
			next = match[i] + 1;
			assert_int_equal(a[i].class, b[match[i]].class);
			value += worth(a[i], b[match[i]]);
		}
		assert_int_equal(value, best(a, n, b, m));
	}
}

/* The second is the first without `without` items after place `at` and without each 50th one. */
static size_t leave_out(const struct lcs_item *a, size_t n, size_t at, size_t without,
                        struct lcs_item *b)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (i % 50 && (i < at || i >= at + without))
			b[m++] = a[i];
	return m;
}

/* In sequences longer than a window, items that are missing on one side shift nothing. */
static void window_by_window(void **state)
{
	enum { N = 3 * LCS_WINDOW };
	struct lcs_item *a = malloc(N * sizeof *a);
	struct lcs_item *b = malloc(N * sizeof *b);
	size_t *match = malloc(N * sizeof *match);
	uint32_t seed = 1;
	size_t m;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		seed = seed * 1664525 + 1013904223;
		a[i] = (struct lcs_item){seed >> 22, i};
	}
	m = leave_out(a, N, LCS_WINDOW + 100, 1000, b);
	for (int way = 0; way < 2; way++) {
		size_t pairs = 0;
		size_t next = 0;

		if (way == 0)
			lcs_match(a, N, b, m, match);
		else
			lcs_match(b, m, a, N, match);
		for (size_t i = 0; i < (way ? m : N); i++) {
			if (match[i] == LCS_NONE)
				continue;
			assert_true(match[i] >= next && match[i] < (way ? N : m));
			next = match[i] + 1;
			assert_int_equal((way ? b : a)[i].class, (way ? a : b)[match[i]].class);
			pairs++;
		}
		assert_int_equal(pairs, m);
	}
	free(a);
	free(b);
	free(match);
}

/* Nothing in common, in a window and after it. */
static void nothing_in_common(void **state)
{
	enum { N = LCS_WINDOW + 1 };
	struct lcs_item *items = calloc(2 * N, sizeof *items);
	size_t *match = malloc(N * sizeof *match);

	(void)state;
	for (size_t i = 0; i < N; i++)
		items[N + i].class = 1;
	lcs_match(items, N, items + N, N, match);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(match[i], LCS_NONE);
	free(items);
	free(match);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_ones),          cmocka_unit_test(names_decide),
		cmocka_unit_test(as_good_as_the_best), cmocka_unit_test(window_by_window),
		cmocka_unit_test(nothing_in_common),
	};

	return cmocka_run_group_tests_name("lcs", tests, NULL, NULL);
}
