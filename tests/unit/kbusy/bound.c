/* bound: figures that are too large. */
#include "../unit.h"

#include "kbusy/bound.h"
#include "one_device.h"

/* A span of 100, idle for 22, two rows. */
static void figures(void **state)
{
	static const struct {
		const char *text;
		bool above;
	} cases[] = {
		{"idle:22us", false}, {"idle:21.999us", true}, {"idle:0.021ms", true},
		{"idle:22%", false},  {"idle:21%", true},      {"count:2", false},
		{"count:1", true},    {"comm:0%", false},      {"span:0us", true},
	};
	const struct busy_listener listener = {.arg = NULL};
	struct busy busy = {.listener = &listener};
	struct devices devices = {.file = KEV_NONE};

	(void)state;
	unit_one_device(&devices);
	busy_add(&busy, 0, dec_of(0), dec_of(50));
	busy_add(&busy, 0, dec_of(72), dec_of(28));
	busy_finish(&busy);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bound bound =
			bound_read(&(struct opts){.flag = "--fail-over", .arg = cases[i].text});
		size_t count;
		bool above = bound_exceeded(&bound, &busy, &devices, &count) == &busy;

		assert_case(cases[i].text, above == cases[i].above && count == above);
		assert_case(cases[i].text, bound.has_unit == str_ends(str_of(cases[i].text), STR("s")));
	}
	busy_free(&busy);
	devices_free(&devices);
}

static void no_limit(void **state)
{
	struct bound bound = {.text = NULL};
	struct devices devices = {.file = KEV_NONE};
	size_t count;

	(void)state;
	assert_null(bound_exceeded(&bound, NULL, &devices, &count));
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures),
		cmocka_unit_test(no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
