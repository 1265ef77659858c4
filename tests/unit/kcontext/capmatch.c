/* capmatch: which call of a capture stands for which row of a graph launch. */
#include "../unit.h"

#include "kcontext/capmatch.h"

/* Tokens from a text: C is a copy, S a memset, K a kernel call without a name, a letter a kernel.
 */
static struct capmatch_tokens tokens_of(const char *text, uint32_t *token)
{
	size_t n = 0;

	for (; text[n]; n++)
		token[n] = text[n] == 'C'   ? CAPMATCH_COPY
		           : text[n] == 'S' ? CAPMATCH_MEMSET
		           : text[n] == 'K' ? CAPMATCH_NAMELESS
		                            : CAPMATCH_NAMED + (uint32_t)(text[n] - 'a');
	return (struct capmatch_tokens){token, n};
}

/* want: for each row the call, as a digit, or -. */
static void assert_match(const char *calls, const char *rows, bool one_stream, const char *want)
{
	uint32_t x[64];
	uint32_t y[64];
	uint32_t call_of_row[64];
	struct capmatch_tokens a = tokens_of(calls, x);
	struct capmatch_tokens b = tokens_of(rows, y);
	struct capmatch match = {0};
	struct buf got = {0};
	uint32_t matched = 0;

	assert_int_equal(capmatch_rows(&match, a, b, one_stream, call_of_row),
	                 capmatch_count(&match, a, b, one_stream));
	for (size_t i = 0; i < b.count; i++) {
		matched += call_of_row[i] != CAPMATCH_NONE;
		if (call_of_row[i] == CAPMATCH_NONE)
			buf_char(&got, '-');
		else
			buf_format(&got, "%u", call_of_row[i]);
	}
	assert_str(buf_view(&got), str_of(want));
	assert_int_equal(capmatch_count(&match, a, b, one_stream), matched);
	buf_free(&got);
	capmatch_free(&match);
}

static void small_ones(void **state)
{
	(void)state;
	assert_match("", "", true, "");
	assert_match("", "a", true, "-");
	assert_match("a", "", true, "");
	assert_match("abc", "abc", true, "012");
	assert_match("axabc", "azbc", true, "0-34");
	assert_match("axabc", "cab", true, "-03");
	/* Half is not enough. */
	assert_match("axabc", "az", true, "--");
	assert_match("axabc", "azc", true, "0-4");
	/* As often on both sides: by name, whatever the order. */
	assert_match("gghh", "ghgh", false, "0213");
	assert_match("gghh", "hhgg", true, "2301");
	assert_match("gghh", "ghg", false, "02-"); /* less often: in order */
}

static void kinds(void **state)
{
	(void)state;
	assert_match("CaSb", "CaSb", true, "0123");
	assert_match("CaSb", "SaCb", true, "2103");
	assert_match("CaSbb", "SaCb", true, "----");
	assert_match("aCb", "aSb", true, "0-2");
}

/* Without names the order decides, if it can. */
static void no_names(void **state)
{
	(void)state;
	assert_match("KCKS", "aCbS", true, "0123");
	assert_match("KCbS", "aCbS", true, "0123");
	assert_match("KCbS", "bCaS", true, "0123"); /* names do not count */
	assert_match("KCKS", "aCbS", false, "----");
	assert_match("KCKS", "aSbC", true, "----");
	assert_match("KCKS", "aCb", true, "---");
	assert_match("KCKK", "aCbS", true, "----");
}

/* --- all ways ------------------------------------------------------------------- */

struct ways {
	const struct capmatch_tokens *calls;
	const struct capmatch_tokens *rows;
	uint32_t now[8];
	uint32_t best[8];
	size_t most;
};

/* Whether a is rather wanted than b, of the same length: the earlier row, then the earlier call. */
static bool is_rather(const uint32_t *a, const uint32_t *b, size_t rows)
{
	for (size_t i = 0; i < rows; i++)
		if (a[i] != b[i])
			return a[i] < b[i]; /* no call is the largest number */
	return false;
}

static void try_all(struct ways *ways, size_t row, size_t call, size_t length)
{
	if (row == ways->rows->count) {
		if (length > ways->most ||
		    (length == ways->most && is_rather(ways->now, ways->best, row))) {
			memcpy(ways->best, ways->now, sizeof ways->best);
			ways->most = length;
		}
		return;
	}
	for (size_t i = call; i < ways->calls->count; i++) {
		if (ways->calls->token[i] != ways->rows->token[row])
			continue;
		ways->now[row] = (uint32_t)i;
		try_all(ways, row + 1, i + 1, length + 1);
	}
	ways->now[row] = CAPMATCH_NONE;
	try_all(ways, row + 1, call, length);
}

/* The wanted one of all common subsequences. */
static void of_all_ways(void **state)
{
	struct capmatch match = {0};
	uint32_t seed = 1;
	size_t compared = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		uint32_t x[8];
		uint32_t y[8];
		struct capmatch_tokens calls = {x, 1 + seed % 7};
		struct capmatch_tokens rows = {y, 1 + seed / 7 % 7};
		struct ways ways = {.calls = &calls, .rows = &rows};
		uint32_t got[8];
		size_t often[2][4] = {{0}};

		for (size_t i = 0; i < 14; i++) {
			seed = seed * 1664525 + 1013904223;
			(i < 7 ? x : y)[i % 7] = CAPMATCH_NAMED + (seed >> 30);
		}
		for (size_t i = 0; i < calls.count; i++)
			often[0][x[i] - CAPMATCH_NAMED]++;
		for (size_t i = 0; i < rows.count; i++)
			often[1][y[i] - CAPMATCH_NAMED]++;
		if (memcmp(often[0], often[1], sizeof often[0]) == 0)
			continue;
		memset(ways.best, 0xff, sizeof ways.best);
		try_all(&ways, 0, 0, 0);
		if (2 * ways.most <= rows.count) {
			ways.most = 0;
			memset(ways.best, 0xff, sizeof ways.best);
		}
		assert_int_equal(capmatch_count(&match, calls, rows, true), ways.most);
		assert_int_equal(capmatch_rows(&match, calls, rows, true, got), ways.most);
		assert_memory_equal(got, ways.best, rows.count * sizeof *got);
		compared += ways.most > 0;
	}
	assert_in_range(compared, 5000, 20000);
	capmatch_free(&match);
}

/* --- long ones ---------------------------------------------------------------------- */

/* A call that has no row, and a row that has no call, more than a word of bits apart. */
static void more_than_a_word(void **state)
{
	enum { N = 1000 };
	uint32_t calls[N];
	uint32_t rows[N];
	uint32_t got[N];
	struct capmatch match = {0};

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		calls[i] = rows[i] = CAPMATCH_NAMED + i * i % 97;
	calls[100] = CAPMATCH_NAMED + 200;
	rows[700] = CAPMATCH_NAMED + 300;
	assert_int_equal(capmatch_rows(&match, (struct capmatch_tokens){calls, N},
	                               (struct capmatch_tokens){rows, N}, true, got),
	                 N - 2);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(got[i], i == 100 || i == 700 ? CAPMATCH_NONE : i);
	capmatch_free(&match);
}

/* A table of more than 2^31 bits is not made; what only one side has does not count. */
static void too_long(void **state)
{
	enum { N = 50000 };
	uint32_t *calls = malloc(2 * (size_t)N * sizeof *calls);
	uint32_t *rows = calls + N;
	uint32_t *got = malloc(N * sizeof *got);
	struct capmatch match = {0};

	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		calls[i] = CAPMATCH_NAMED + i % 2;
		rows[i] = CAPMATCH_NAMED + (i / 2 + 1) % 2;
	}
	rows[N - 1] = CAPMATCH_NAMED + 2;
	assert_int_equal(capmatch_rows(&match, (struct capmatch_tokens){calls, N},
	                               (struct capmatch_tokens){rows, N}, true, got),
	                 CAPMATCH_LONG);
	assert_int_equal(got[0], CAPMATCH_NONE);
	for (uint32_t i = 0; i < N; i++)
		calls[i] = CAPMATCH_NAMED + i;
	for (uint32_t i = 0; i < 9; i++)
		rows[i] = CAPMATCH_NAMED + (i + 1) % 9;
	assert_int_equal(capmatch_count(&match, (struct capmatch_tokens){calls, N},
	                                (struct capmatch_tokens){rows, 9}, true),
	                 8);
	free(calls);
	free(got);
	capmatch_free(&match);
}

/* --- places -------------------------------------------------------------------------- */

static void assert_places(const char *calls, const char *rows, const char *want)
{
	uint32_t x[64];
	uint32_t y[64];
	struct capmatch_search search;
	struct buf got = {0};

	capmatch_search(&search, tokens_of(calls, x), tokens_of(rows, y));
	for (uint32_t at = 0; (at = capmatch_place(&search)) != CAPMATCH_NONE;)
		buf_format(&got, "%u ", at);
	capmatch_search_end(&search);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void places(void **state)
{
	(void)state;
	assert_places("", "a", "");
	assert_places("a", "ab", "");
	assert_places("abcabc", "abc", "0 3 ");
	assert_places("aaaa", "aa", "0 1 2 ");
	assert_places("ababababc", "ababc", "4 ");
	assert_places("aabaabaaab", "aabaaa", "3 ");
	assert_places("CaCa", "Ca", "0 2 ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_ones),       cmocka_unit_test(kinds),
		cmocka_unit_test(no_names),         cmocka_unit_test(of_all_ways),
		cmocka_unit_test(more_than_a_word), cmocka_unit_test(too_long),
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests_name("capmatch", tests, NULL, NULL);
}
