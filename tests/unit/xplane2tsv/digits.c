/* digits: picoseconds as exact microseconds. */
#include "../unit.h"

#include "xplane2tsv/digits.h"

static void times(void **state)
{
	static const struct {
		int64_t ns, ps;
		const char *text;
	} cases[] = {
		{0, 0, "0"},
		{0, 1, "0.000001"},
		{0, -1, "-0.000001"},
		{0, 1500000, "1.5"},
		{1, 0, "0.001"},
		{1, -1, "0.000999"},
		{-1, 1000, "0"},
		{-1, 1001, "0.000001"},
		{1000, -1, "0.999999"},
		{-1000, 1, "-0.999999"},
		{-1001, 1, "-1.000999"},
		{999, 1000, "1"},
		{1700000000123456789, 5, "1700000000123456.789005"},
		{INT64_MAX, INT64_MAX, "9232595408891630.582807"},
		{INT64_MIN, INT64_MIN, "-9232595408891630.583808"},
		{INT64_MAX, INT64_MIN, "9214148664817921.031192"},
		{INT64_MIN, INT64_MAX, "-9214148664817921.032193"},
	};
	char text[DIGITS_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_str(digits_time(text, cases[i].ns, cases[i].ps), str_of(cases[i].text));
}

static void numbers(void **state)
{
	char text[DIGITS_MAX];

	(void)state;
	assert_str(digits_signed(text, 0), STR("0"));
	assert_str(digits_signed(text, -7), STR("-7"));
	assert_str(digits_signed(text, INT64_MIN), STR("-9223372036854775808"));
	assert_str(digits_unsigned(text, UINT64_MAX), STR("18446744073709551615"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
