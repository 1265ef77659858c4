/*
 * match: whether and where patterns match, also beside the regular expressions of the C library.
 * tests/check/expr.py holds them against Python's re.
 */
#include "../unit.h"

#include "syntax/match.h"

#include <regex.h>

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
	assert_match("(a){,2}b", STR("aaab"), "1-4 2-3");
	assert_match("^a{,2}b", STR("aaab"), "no");
	assert_match("xa{,}b", STR("xxaaab"), "1-6");
	assert_match("xa{,}b", STR("xb"), "0-2");
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

/* Compares a pattern and its match in a text with those of the C library. */
static bool compare(const char *pattern, const char *text)
{
	struct pattern p = {0};
	struct match m = {.pattern = &p};
	struct match_span group[PATTERN_GROUPS];
	bool good = pattern_compile(&p, str_of(pattern));

	if (good) {
		regmatch_t span = {0};
		regex_t regex;
		bool found;

		assert_case(pattern, regcomp(&regex, pattern, REG_EXTENDED) == 0);
		found = regexec(&regex, text, 1, &span, 0) == 0;
		assert_case(pattern, match_find(&m, str_of(text), group) == found);
		if (found)
			assert_case(pattern, group[0].first == (size_t)span.rm_so &&
			                         group[0].last == (size_t)span.rm_eo);
		regfree(&regex);
	}
	match_free(&m);
	pattern_free(&p);
	return good;
}

/* What is accepted means the same as elsewhere: what tools read in several ways is refused. */
static void agrees_with_the_library(void **state)
{
	static const char *const parts[] = {
		"a",   "b",   "a",   "b",    "-",    "(",         ")",        "(",   ")",
		"|",   "*",   "+",   "?",    "[",    "]",         "[^",       "^",   "$",
		".",   ":",   "{2}", "{,2}", "{1,}", "{,}",       "{0,1}",    "a-b", "[ab",
		"\\(", "\\{", "<",   "\\<",  "\\\\", "[:alpha:]", "[:punct:]"};
	uint64_t random = 1;
	size_t accepted = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct buf pattern = {0};
		struct buf text = {0};

		for (size_t n = unit_below(&random, 12); n; n--)
			buf_text(&pattern, parts[unit_below(&random, COUNT(parts))]);
		unit_random_bytes(&random, &text, unit_below(&random, 12), STR("aabb-:<({\\^$"));
		buf_char(&pattern, '\0');
		buf_char(&text, '\0');
		accepted += compare(pattern.data, text.data);
		buf_free(&pattern);
		buf_free(&text);
	}
	assert_true(accepted > 3000);
}

/* Searches the text, and returns how many states are kept after it. */
static size_t states_after(struct match *m, struct str text)
{
	assert_false(match_in(m, text));
	assert_true(m->sets.count <= 1000 && m->next_cap <= 1024 * 256 && m->at_end_cap <= 1024);
	return m->sets.count;
}

/* At most 1,000 states, whatever their number is when a text ends and the next text begins. */
static void bounds_its_states(void **state)
{
	struct pattern p = {0};
	struct buf text = {0};
	uint64_t random = 1;

	(void)state;
	assert_true(pattern_compile(&p, STR("a.{40}c")));
	unit_random_bytes(&random, &text, 2020, STR("ab"));
	for (size_t round = 0; round < 2; round++) {
		bool ended[1001] = {false};

		for (size_t n = 990 + round * 990; n < 1020 + round * 990; n++) {
			struct match m = {.pattern = &p};

			ended[states_after(&m, (struct str){text.data, n})] = true;
			states_after(&m, (struct str){text.data, 1});
			states_after(&m, (struct str){text.data + 1020, 990});
			match_free(&m);
		}
		for (size_t count = 992; count <= 1000; count++)
			assert_true(ended[count]);
	}
	pattern_free(&p);
	buf_free(&text);
}

/* The memory of the states. */
static size_t bytes_of(const struct match *m)
{
	size_t sets = strmap_bytes(&m->sets) - m->sets.records.len + m->sets.records.cap;

	return sets + m->set.cap + m->next_cap * sizeof *m->next + m->at_end_cap;
}

/* States that reach thousands of instructions are forgotten earlier. */
static void bounds_its_bytes(void **state)
{
	struct pattern p = {0};
	struct match m = {.pattern = &p};
	struct buf text = {0};
	uint64_t random = 1;

	(void)state;
	assert_true(pattern_compile(&p, STR("a.{255}{38}")));
	unit_random_bytes(&random, &text, 3000, STR("ab"));
	assert_false(match_in(&m, buf_view(&text)));
	assert_true(m.sets.records.cap > 1 << 20 && bytes_of(&m) < 6 << 20);
	match_free(&m);
	pattern_free(&p);
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_each_form), cmocka_unit_test(matches_ends),
		cmocka_unit_test(prefers),           cmocka_unit_test(agrees_with_the_library),
		cmocka_unit_test(forgets_states),    cmocka_unit_test(bounds_its_states),
		cmocka_unit_test(bounds_its_bytes),
	};

	return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
