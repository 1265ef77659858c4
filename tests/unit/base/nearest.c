/* nearest: which known word is meant, and when none is. */
#include "../unit.h"

#include "base/nearest.h"

static const char *const columns[] = {"ts",  "dur", "type", "name",  "cat",         "ph",
                                      "pid", "tid", "step", "phase", "External id", "python_stack"};

static void assert_nearest(const char *word, const char *want)
{
	struct nearest nearest = nearest_to(str_of(word));

	for (size_t i = 0; i < COUNT(columns); i++)
		nearest_try(&nearest, str_of(columns[i]));
	if (!want)
		assert_case(word, nearest.found.s == NULL);
	else
		assert_str(nearest.found, str_of(want));
}

static void finds_what_was_meant(void **state)
{
	(void)state;
	assert_nearest("durr", "dur");
	assert_nearest("du", "dur");
	assert_nearest("dru", "dur");
	assert_nearest("NAME", "name");
	assert_nearest("nmae", "name");
	assert_nearest("phse", "phase");
	assert_nearest("External_id", "External id");
	assert_nearest("externalid", "External id");
	assert_nearest("pythonstack", "python_stack");
	assert_nearest("t", NULL); /* all of it would be replaced, or half of what is known added */
}

static void finds_nothing_far(void **state)
{
	char longer[70];

	(void)state;
	assert_nearest("", NULL);
	assert_nearest("xyz", NULL);
	assert_nearest("duration", NULL);
	assert_nearest("tpe", "type");
	assert_nearest("dt", NULL);
	assert_nearest("kernel", NULL);
	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	assert_nearest(longer, NULL);
}

/* The first of several that are equally near, and never a longer word than 64 bytes. */
static void takes_the_first(void **state)
{
	struct nearest nearest = nearest_to(STR("xid"));
	char longer[65];

	(void)state;
	memset(longer, 'x', sizeof longer);
	nearest_try(&nearest, (struct str){longer, sizeof longer});
	nearest_try(&nearest, STR(""));
	assert_null(nearest.found.s);
	nearest_try(&nearest, STR("tid"));
	nearest_try(&nearest, STR("pid"));
	assert_text(nearest.found, "tid");
	nearest_try(&nearest, STR("XID"));
	assert_text(nearest.found, "XID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_was_meant),
		cmocka_unit_test(finds_nothing_far),
		cmocka_unit_test(takes_the_first),
	};

	return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
