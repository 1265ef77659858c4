/* json_value: numbers and other primitives. */
#include "../unit.h"

#include "json/json_value.h"

static void numbers_by_the_grammar(void **state)
{
	static const char *const good[] = {"0",
	                                   "-0",
	                                   "1",
	                                   "10.5",
	                                   "-0.0",
	                                   "1e5",
	                                   "1E+5",
	                                   "1e-5",
	                                   "0e0",
	                                   "1.50e10",
	                                   "123456789012345678901234567890",
	                                   "9",
	                                   "1.9",
	                                   "-9.9e9",
	                                   "1e99",
	                                   "9E-9",
	                                   "9",
	                                   "1.9",
	                                   "-9.9e9",
	                                   "1e99",
	                                   "9E-9"};
	static const char *const bad[] = {"",    "-",    "+1",    "01",    "-01",   "1.",  ".5", "1e",
	                                  "1e+", "1.e5", "0x1",   "NaN",   "inf",   " 1",  "1 ", "1\n",
	                                  "--1", "1,0",  "1.2.3", "1e5.5", "1e5e5", "-.5", "00"};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		assert_case(good[i], json_is_number(str_of(good[i])));
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_case(bad[i], !json_is_number(str_of(bad[i])));
	assert_false(json_is_number(STR("1\0")));
	assert_true(json_is_number((struct str){"12x", 2}));
	assert_false(json_is_number((struct str){"-1", 1}));
}

static void numbers_in_the_form_of_json(void **state)
{
	static const char *const numbers[][2] = {
		{"0", "0"},        {"1.50", "1.50"}, {"-1E5", "-1E5"},    {".5", "0.5"},
		{"-.50", "-0.50"}, {"+5", "5"},      {"1.", "1"},         {"-1.e5", "-1e5"},
		{"007", "7"},      {"00", "0"},      {"-00.10", "-0.10"}, {"+.5e-3", "0.5e-3"},
		{"100", "100"}};
	static const char *const others[] = {"",    ".",  "+",    "-",    "+.",  "e5",
	                                     ".e5", "5e", "1.5.", "1x",   "+-5", "--5",
	                                     "1 ",  " 1", "NaN",  "1e5.", "1e+"};

	(void)state;
	for (size_t i = 0; i < COUNT(numbers); i++) {
		struct buf out = {0};

		buf_char(&out, ':');
		assert_case(numbers[i][0], json_put_number(&out, str_of(numbers[i][0])));
		assert_str(((struct str){out.data + 1, out.len - 1}), str_of(numbers[i][1]));
		buf_free(&out);
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		struct buf out = {0};

		buf_char(&out, ':');
		assert_case(others[i], !json_put_number(&out, str_of(others[i])) && out.len == 1);
		buf_free(&out);
	}
}

static void primitives_are_told_apart(void **state)
{
	(void)state;
	assert_int_equal(json_primitive_type(STR("-1.5e3")), JSON_NUMBER);
	assert_int_equal(json_primitive_type(STR("null")), JSON_NULL);
	assert_int_equal(json_primitive_type(STR("true")), JSON_LITERAL);
	assert_int_equal(json_primitive_type(STR("false")), JSON_LITERAL);
	assert_int_equal(json_primitive_type(STR("NaN")), JSON_OTHER);
	assert_int_equal(json_primitive_type(STR("True")), JSON_OTHER);
	assert_int_equal(json_primitive_type(STR("nul")), JSON_OTHER);
	assert_int_equal(json_primitive_type(STR("")), JSON_OTHER);
}

static void strings_are_decoded(void **state)
{
	struct buf decoded = {0};
	struct json_value plain;
	struct json_value escaped;
	uint64_t replaced = 0;

	(void)state;
	buf_reserve(&decoded, 100);
	plain = json_string(STR("a\xff"), &decoded, &replaced);
	escaped = json_string(STR("\\u00e9\\ud83d\\ude00\\n\\q\\ud800"), &decoded, &replaced);
	assert_int_equal(plain.type, JSON_STRING);
	assert_text(plain.text, "a\xff");
	assert_int_equal(escaped.type, JSON_STRING);
	assert_text(escaped.text, "\xc3\xa9\xf0\x9f\x98\x80\n\\q\xef\xbf\xbd");
	assert_int_equal(replaced, 2);
	buf_free(&decoded);
}

static void white_space_goes(void **state)
{
	static const struct {
		struct str text;
		struct str want;
	} cases[] = {
		{BYTES("[1, 2]"), BYTES("[1,2]")},
		{BYTES("{ \"a b\" :\t[\r\n] }"), BYTES("{\"a b\":[]}")},
		{BYTES("[\" \\\" \", \"\\\\\" , 1]"), BYTES("[\" \\\" \",\"\\\\\",1]")},
		{BYTES("[\" \\"), BYTES("[\" \\")},
		{BYTES(""), BYTES("")},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf out = {0};

		json_compact(&out, cases[i].text);
		assert_str(buf_view(&out), cases[i].want);
		buf_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(white_space_goes),
		cmocka_unit_test(numbers_by_the_grammar),
		cmocka_unit_test(numbers_in_the_form_of_json),
		cmocka_unit_test(primitives_are_told_apart),
		cmocka_unit_test(strings_are_decoded),
	};

	return cmocka_run_group_tests_name("json_value", tests, NULL, NULL);
}
