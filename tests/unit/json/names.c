/* names: the few names that are wanted of many. */
#include "../unit.h"

#include "json/names.h"

/* Behind the name stands what must not matter, as in a text. */
static int find(const struct names *names, const char *name)
{
	char text[128];

	snprintf(text, sizeof text, "%s\":xxxxxxxx", name);
	return names_find(names, text, strlen(name));
}

static void names_are_found(void **state)
{
	static const char *const wanted[] = {
		"ts",
		"External id",
		"External ix",
		"12345678",
		"123456789",
		"",
		"a name of sixty-three bytes, which is as long as one is allowed",
	};
	struct names *names = names_make(wanted, COUNT(wanted), 10, "args");

	(void)state;
	for (size_t i = 0; i < COUNT(wanted); i++)
		assert_int_equal(find(names, wanted[i]), 10 + (int)i);
	assert_int_equal(find(names, "args"), NAMES_OBJECT);
	assert_int_equal(find(names, "arg"), NAMES_NONE);
	assert_int_equal(find(names, "arga"), NAMES_NONE);
	assert_int_equal(find(names, "t"), NAMES_NONE);
	assert_int_equal(find(names, "td"), NAMES_NONE);
	assert_int_equal(find(names, "External iz"), NAMES_NONE);
	assert_int_equal(find(names, "12345679"), NAMES_NONE);
	assert_int_equal(find(names, "123456780"), NAMES_NONE);
	free(names);
}

static void of_equal_names_the_first(void **state)
{
	static const char *const wanted[] = {"a", "a"};
	struct names *names = names_make(wanted, COUNT(wanted), 0, NULL);

	(void)state;
	assert_int_equal(find(names, "a"), 0);
	assert_int_equal(find(names, "args"), NAMES_NONE);
	free(names);
}

static int too_long_a_name(void *unused)
{
	static const char *const wanted[] = {
		"a name of sixty-four bytes, which is one more than one is allow."};

	(void)unused;
	free(names_make(wanted, COUNT(wanted), 0, NULL));
	return 0;
}

static void too_long(void **state)
{
	struct unit_end end = unit_run(too_long_a_name, NULL);

	(void)state;
	assert_int_equal(end.status, 2);
	unit_end_free(&end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found),
		cmocka_unit_test(of_equal_names_the_first),
		cmocka_unit_test(too_long),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
