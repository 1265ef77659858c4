/* rounded: binary floats as text. */
#include "../unit.h"

#include "kcompare/rounded.h"

static void texts(void **state)
{
	static const struct {
		double x;
		int significant;
		const char *want;
	} cases[] = {
		{0, 6, "0"},
		{-0.0, 6, "0"},
		{1, 6, "1"},
		{-1.5, 6, "-1.5"},
		{100, 6, "100"},
		{1234567, 3, "1230000"},
		{0.05, 6, "0.05"},
		{2.0 / 3, 6, "0.666667"},
		{1e-7, 6, "0.0000001"},
		{0.99999999, 6, "1"},
		{-8.938861, 6, "-8.93886"},
		{1e-30, 6, "0.000000000000000000000000000001"},
	};
	struct buf text = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		text.len = 0;
		buf_text(&text, "x");
		rounded_put(&text, cases[i].x, cases[i].significant);
		assert_str(((struct str){text.data + 1, text.len - 1}), str_of(cases[i].want));
	}
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(texts)};

	return cmocka_run_group_tests_name("rounded", tests, NULL, NULL);
}
