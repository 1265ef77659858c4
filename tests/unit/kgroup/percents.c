/* percents: what -q takes. Its errors are in tests/cli/kgroup/bad-options.case. */
#include "../unit.h"

#include "kgroup/percents.h"

static void numbers_from_0_to_100(void **state)
{
	static const char *const valid[] = {"0", "100", "99.9", "5e1", ".5"};
	static const char *const wrong[] = {"", "-1", "100.1", "x", "0.0000000001"};

	(void)state;
	for (size_t i = 0; i < COUNT(valid); i++)
		assert_case(valid[i], percents_valid(str_of(valid[i])));
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_case(wrong[i], !percents_valid(str_of(wrong[i])));
}

static void they_have_one_spelling(void **state)
{
	struct words given = {0};
	struct words percents = {0};

	(void)state;
	words_add(&given, "50.0,9e1,99.90");
	percents_add(&percents, &given);
	assert_int_equal(percents.count, 3);
	assert_text(percents.item[0], "50");
	assert_text(percents.item[1], "90");
	assert_true(percents_have_column(&percents, STR("p99.9")));
	assert_false(percents_have_column(&percents, STR("p99.90")));
	assert_false(percents_have_column(&percents, STR("q50")));
	assert_false(percents_have_column(&percents, STR("")));
	words_free(&given);
	words_free(&percents);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_from_0_to_100),
		cmocka_unit_test(they_have_one_spelling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
