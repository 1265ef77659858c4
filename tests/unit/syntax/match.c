/* match: whether and where patterns match. tests/check/expr.py holds them against Python's re. */
#include "../unit.h"

#include "syntax/match.h"

/* "0-3 1-2 -" of the groups; "no" if nothing matches. */
static void put_match(struct buf *out, struct match *m, struct str text)
{
	struct match_span group[PATTERN_GROUPS];

	if (!match_find(m, text, group)) {
		buf_text(out, "no");
		return;
	}
	for (int i = 0; i <= m->pattern->groups && i < PATTERN_GROUPS; i++) {
		buf_text(out, i ? " " : "");
		if (group[i].last == SIZE_MAX)
			buf_char(out, '-');
		else
			buf_format(out, "%zu-%zu", group[i].first, group[i].last);
	}
}

static void assert_match(const char *pattern, struct str text, const char *want)
{
	struct pattern p = {0};
	struct match m = {.pattern = &p};
	struct buf got = {0};

	assert_case(pattern, pattern_compile(&p, str_of(pattern)));
	assert_case(pattern, match_in(&m, text) == (strcmp(want, "no") != 0));
	for (int again = 0; again < 2; again++) {
		got.len = 0;
		put_match(&got, &m, text);
		assert_str(buf_view(&got), str_of(want));
	}
	buf_free(&got);
	match_free(&m);
	pattern_free(&p);
}

static void matches_each_form(void **state)
{
	(void)state;
	assert_match("", STR(""), "0-0");
	assert_match("", STR("abc"), "0-0");
	assert_match("b", STR("abc"), "1-2");
	assert_match("d", STR("abc"), "no");
	assert_match("a.c", STR("a\nc"), "0-3");
	assert_match("a.c", STR("a\0c"), "0-3");
	assert_match("[a-c]+", STR("xxabcd"), "2-5");
	assert_match("[^a-c]+", STR("abxyc"), "2-4");
	assert_match("[]]", STR("a]"), "1-2");
	assert_match("[a-]+", STR("x-a-"), "1-4");
	assert_match("[[:digit:]]+[[:space:]]", STR("ab12 "), "2-5");
	assert_match("\\.\\*", STR("a.*"), "1-3");
	assert_match("ab*c", STR("xacabbc"), "1-3");
	assert_match("ab+c", STR("acabbc"), "2-6");
	assert_match("ab?c", STR("abbcabc"), "4-7");
	assert_match("(ab){2}", STR("ababab"), "0-4 2-4");
	assert_match("(ab){2,}", STR("ababab"), "0-6 4-6");
	assert_match("(ab){1,2}c", STR("abababc"), "2-7 4-6");
	assert_match("a{0}b", STR("aab"), "2-3");
	assert_match("a{lambda}", STR("a{lambda}"), "0-9");
	assert_match("\xc3\xa4", STR("x\xc3\xa4"), "1-3");
	assert_match("[\x80-\xff]", STR("x\xc3\xa4"), "1-2");
}

static void matches_ends(void **state)
{
	(void)state;
	assert_match("^a", STR("ba"), "no");
	assert_match("^a", STR("ab"), "0-1");
	assert_match("a$", STR("ab"), "no");
	assert_match("a$", STR("aba"), "2-3");
	assert_match("^$", STR(""), "0-0");
	assert_match("$^", STR(""), "0-0");
	assert_match("^$", STR("a"), "no");
	assert_match("$", STR("ab"), "2-2");
	assert_match("x|$", STR("ab"), "2-2");
	assert_match("(^a|b)c", STR("acbc"), "0-2 0-1");
	assert_match("(a|^b)c", STR("bbc"), "no");
	assert_match("a$b", STR("ab"), "no");
}

/* The leftmost, there the longest; then the first alternative. */
static void prefers(void **state)
{
	(void)state;
	assert_match("a|ab|abc", STR("xabcd"), "1-4");
	assert_match("(a|ab)(c|bcd)(d*)", STR("abcd"), "0-4 0-1 1-4 4-4");
	assert_match("(a)|(b)", STR("b"), "0-1 - 0-1");
	assert_match("(a*)*", STR("aab"), "0-2 0-2");
	assert_match("(a*)+b", STR("aab"), "0-3 0-2");
	assert_match("b|aaab", STR("aaab"), "0-4"); /* begins before the match that ends first */
	assert_match("c|a.*d", STR("abc"), "2-3");
	assert_match("((((((((((a))))))))))", STR("a"), "0-1 0-1 0-1 0-1 0-1 0-1 0-1 0-1 0-1 0-1");
}

/*
 * More states than are kept, with an equal result; and in time that does not grow with their
 * square.
 */
static void forgets_states(void **state)
{
	struct pattern p = {0};
	struct match m = {.pattern = &p};
	struct buf text = {0};
	uint64_t random = 1;

	(void)state;
	assert_true(pattern_compile(&p, STR("^[ab]*a[ab]{12}c")));
	unit_random_bytes(&random, &text, 20000, STR("ab"));
	assert_false(match_in(&m, buf_view(&text)));
	assert_true(m.sets.count <= 1000);
	text.data[text.len - 1] = 'c';
	text.data[text.len - 14] = 'b';
	assert_false(match_in(&m, buf_view(&text)));
	text.data[text.len - 14] = 'a';
	assert_true(match_in(&m, buf_view(&text)));
	match_free(&m);
	pattern_free(&p);
	/* Each place could begin a match, and each must be looked at to the end. */
	m = (struct match){.pattern = &p};
	text.len = 0;
	for (int i = 0; i < 2000000; i++)
		buf_char(&text, 'a');
	assert_true(pattern_compile(&p, STR("a.*b.*c")));
	assert_false(match_in(&m, buf_view(&text)));
	match_free(&m);
	pattern_free(&p);
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_each_form),
		cmocka_unit_test(matches_ends),
		cmocka_unit_test(prefers),
		cmocka_unit_test(forgets_states),
	};

	return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
