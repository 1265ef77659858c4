/* glob: texts and patterns with *. */
#include "../unit.h"

#include "syntax/glob.h"

static void matches(void **state)
{
	static const struct {
		const char *glob;
		const char *text;
		bool match;
		bool any_case;
	} cases[] = {
		{"aten::mm", "aten::mm", true, true},
		{"aten::mm", "aten::mmm", false, false},
		{"aten::*", "aten::", true, true},
		{"*mm", "aten::addmm", true, true},
		{"*a*b*", "xaxxbx", true, true},
		{"*a*b*", "xbxxax", false, false},
		{"", "", true, true},
		{"", "a", false, false},
		{"***", "a", true, true},
		{"NVIDIA*", "nvidia H100", false, true},
		{"*aab", "aaaab", true, true},
		{"a*", "", false, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str glob = str_of(cases[i].glob);
		struct str text = str_of(cases[i].text);

		assert_case(cases[i].glob, glob_matches(glob, text) == cases[i].match);
		assert_case(cases[i].glob, glob_matches_any_case(glob, text) == cases[i].any_case);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches),
	};

	return cmocka_run_group_tests_name("glob", tests, NULL, NULL);
}
