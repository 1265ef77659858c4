/* fault: places inside and outside of an item, ends of a text, the first character of what was
 * found. */
#include "../unit.h"

#include "json/fault.h"

static void assert_put(struct fault fault, const char *want, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void assert_put(struct fault fault, const char *want, const char *format, ...)
{
	char error[FAULT_MAX];
	va_list args;

	va_start(args, format);
	fault_put(error, fault, format, args);
	va_end(args);
	assert_string_equal(error, want);
}

static void places(void **state)
{
	(void)state;
	assert_put((struct fault){"event", 0, UINT64_MAX}, "byte 18446744073709551615: 3 commas",
	           "%d commas", 3);
	/* What comes from the text is made safe for people. */
	assert_put((struct fault){"record", 7, 9}, "byte 9 (record 7): a\\x1bb", "%s", "a\033b");
}

static void ends(void **state)
{
	char text[FAULT_END_MAX];

	(void)state;
	assert_string_equal(fault_end(text, "damaged gzip data", 5), "damaged gzip data");
	assert_string_equal(fault_end(text, "", 5), "the text ends at byte 5");
}

static void characters(void **state)
{
	char text[QUOTE_MAX];

	(void)state;
	assert_string_equal(fault_found(text, STR("xy")), "'x'");
	assert_string_equal(fault_found(text, STR("\xe2\x82\xac!")), "'\xe2\x82\xac'");
	/* A byte that begins no character. */
	assert_string_equal(fault_found(text, STR("\xff!")), "'\\xff'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		cmocka_unit_test(ends),
		cmocka_unit_test(characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
