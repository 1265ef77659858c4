/* patterns: the rules of a name are those that glob_matches finds, in their order. */
#include "../unit.h"

#include "kroof/patterns.h"
#include "syntax/glob.h"

static void as_by_one(void **state)
{
	static const char *const globs[] = {"a",  "ab", "a*", "*",   "*b", "a*b", "ab",
	                                    "ba", "a",  "b*", "*a*", "",   "abba"};
	struct patterns patterns = {0};
	uint64_t random = 1;

	(void)state;
	/* Two patterns for each rule. */
	for (size_t i = 0; i < COUNT(globs); i++)
		patterns_put(&patterns, str_of(globs[i]), i / 2);
	for (int round = 0; round < 500; round++) {
		char text[5];
		struct str name = {text, unit_below(&random, sizeof text + 1)};
		size_t at = 0;

		for (size_t i = 0; i < name.n; i++)
			text[i] = "ab"[unit_below(&random, 2)];
		patterns_find(&patterns, name);
		for (size_t rule = 0; rule <= (COUNT(globs) - 1) / 2; rule++) {
			bool has = false;

			for (size_t i = 2 * rule; i < 2 * rule + 2 && i < COUNT(globs); i++)
				has |= glob_matches(str_of(globs[i]), name);
			if (!has)
				continue;
			assert_true(at < patterns.found_count);
			assert_int_equal(patterns.found[at++], rule);
		}
		assert_int_equal(at, patterns.found_count);
	}
	patterns_free(&patterns);
}

static void none(void **state)
{
	struct patterns patterns = {0};

	(void)state;
	patterns_find(&patterns, STR("a"));
	assert_int_equal(patterns.found_count, 0);
	patterns_free(&patterns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_by_one),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests_name("patterns", tests, NULL, NULL);
}
