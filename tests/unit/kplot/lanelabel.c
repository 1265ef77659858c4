/* lanelabel: what the label of a lane need not say twice. */
#include "../unit.h"

#include "kplot/lanelabel.h"

static void numbers(void **state)
{
	(void)state;
	assert_true(lanelabel_has_number(STR("stream 7"), STR("7")));
	assert_true(lanelabel_has_number(STR("77 7"), STR("7")));
	assert_false(lanelabel_has_number(STR("stream 17"), STR("7")));
	assert_false(lanelabel_has_number(STR("stream 71"), STR("7")));
	assert_false(lanelabel_has_number(STR("stream"), STR("")));
	assert_false(lanelabel_has_number(STR(""), STR("7")));
}

static size_t folders(const char *first, const char *second)
{
	struct strmap lanes = {0};
	size_t shared;

	strmap_add(&lanes, str_of(first), NULL);
	strmap_add(&lanes, str_of(second), NULL);
	shared = lanelabel_folders(&lanes);
	strmap_free(&lanes);
	return shared;
}

static void shared_folders(void **state)
{
	(void)state;
	assert_int_equal(folders("/a/b/T\t1", "/a/c/T\t1"), 3);
	assert_int_equal(folders("/a/b/T\t1", "/a/b/T\t2/x"), 5);
	assert_int_equal(folders("/a/b", "c"), 0);
	assert_int_equal(folders("a\tx/y", "a\tx/z"), 0);
	assert_int_equal(folders("dir/a", "dirs/a"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(shared_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
