/* width: columns of a terminal. */
#include "../unit.h"

#include "answer/width.h"

static void characters(void **state)
{
	static const struct {
		const char *text;
		size_t width;
	} texts[] = {
		{"", 0},
		{"abc", 3},
		{"µs", 2},
		{"状态", 4},
		{"e\xcc\x81", 1},
		{"☃\xef\xb8\x8f", 1},
		{"🚀", 2},
		{"\x1b", 4},
		{"\xc2\x9b", 8},
		{"\xff", 4},
		{"\xe2\x80\xae", 12},
		{"⌚✅⭐🟠", 8},
		{"🌡🕿", 2},
		{"ไทย", 3},
		{"น้ำ", 2},
		{"שָׁלוֹם", 4},
		{"مُحَمَّد", 4},
		{"नमस्ते", 4},
		{"हिन्दी", 5},
		{"한국", 4},
		{"\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 2},
		{"\xf0\xaf\xbf\xbd", 2},
		{"\xc2\xad", 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_int_equal(width_of(str_of(texts[i].text)), texts[i].width);
}

/* A character is never cut, and marks stay with theirs. */
static void cuts(void **state)
{
	(void)state;
	assert_int_equal(width_cut(STR("abc"), 2), 2);
	assert_int_equal(width_cut(STR("abc"), 3), 3);
	assert_int_equal(width_cut(STR("abc"), 0), 0);
	assert_int_equal(width_cut(STR("状态"), 3), 3);
	assert_int_equal(width_cut(STR("e\xcc\x81x"), 1), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters),
		cmocka_unit_test(cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
