/* find: values by their path. */
#include "../unit.h"

#include "json/find.h"

static void assert_finds(struct str text, const char *path, enum json_type type, const char *want)
{
	char copy[64];
	const char *steps[8];
	size_t count = 0;
	struct buf scratch = {0};
	struct json_value value;

	buf_text(&scratch, "what was there before");
	snprintf(copy, sizeof copy, "%s", path);
	for (char *step = strtok(copy, "/"); step; step = strtok(NULL, "/"))
		steps[count++] = step;
	value = json_find(text, steps, count, &scratch);
	assert_int_equal(value.type, type);
	if (type != JSON_NONE)
		assert_str(value.text, str_of(want));
	buf_free(&scratch);
}

static void values_are_found_by_path(void **state)
{
	static const struct str text = BYTES("[ {\"name\":\"A\\u00e9\\\"\", \"n\": 64, \"no\":null, "
	                                     "\"x\":{\"rank\":[3,4],\"name\":\"B\"}},"
	                                     " {\"name\":\"C\",\"late\":1}]");
	struct buf deep = {0};

	(void)state;
	assert_finds(text, "0/name", JSON_STRING, "A\xc3\xa9\"");
	assert_finds(text, "0/n", JSON_NUMBER, "64");
	assert_finds(text, "0/no", JSON_NULL, "null");
	assert_finds(text, "0/x", JSON_NESTED, "{\"rank\":[3,4],\"name\":\"B\"}");
	assert_finds(text, "0/x/rank/0", JSON_NUMBER, "3");
	assert_finds(text, "0/x/name", JSON_STRING, "B");
	assert_finds(text, "0/late", JSON_NONE, NULL);
	assert_finds(text, "1/late", JSON_NUMBER, "1");
	assert_finds(text, "2", JSON_NONE, NULL);
	assert_finds(text, "0/x/rank/1", JSON_NUMBER, "4");
	assert_finds(text, "0/x/rank/2", JSON_NONE, NULL);
	assert_finds(text, "0/x/rank/-1", JSON_NONE, NULL);
	assert_finds(text, "0/x/rank/1x", JSON_NONE, NULL);
	assert_finds(text, "name", JSON_NONE, NULL);
	assert_finds(text, "0/n/x", JSON_NONE, NULL);
	assert_finds(text, "0/name/0", JSON_NONE, NULL);
	assert_finds(STR("{\"0\":5}"), "0", JSON_NUMBER, "5");
	assert_finds(STR("[]"), "0", JSON_NONE, NULL);
	assert_finds(STR("{}"), "a", JSON_NONE, NULL);
	assert_finds(STR("{\"a\":1"), "a", JSON_NONE, NULL);
	assert_finds(STR("{\"a\":1]"), "a", JSON_NONE, NULL);
	assert_finds(STR(""), "a", JSON_NONE, NULL);
	assert_finds(STR("{\"a\":\"\0\"}"), "a", JSON_NONE, NULL);
	assert_finds(STR(" {\"a\" : [ ] } "), "a", JSON_NESTED, "[ ]");

	/* Brackets in strings are not nesting. */
	buf_text(&deep, "[\"\\\"");
	for (int i = 0; i < 200; i++)
		buf_text(&deep, "[31m");
	buf_text(&deep, "\",7]");
	assert_finds(buf_view(&deep), "1", JSON_NUMBER, "7");
	deep.len = 0;

	for (int i = 0; i < 1000000; i++)
		buf_char(&deep, i < 500000 ? '[' : ']');
	assert_finds(buf_view(&deep), "0", JSON_NONE, NULL);
	buf_free(&deep);
}

/* A NUL, an escape that JSON does not know, and brackets that do not match. */
static void texts_that_are_refused(void **state)
{
	static const struct str refused[] = {
		BYTES("[1}"), BYTES("[1"), BYTES("[1,\"a\0b\"]"), BYTES("[1]\0"), BYTES("[1,\"\\q\"]"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++)
		assert_finds(refused[i], "0", JSON_NONE, NULL);
}

/* Depth 64 is the last that is read. */
static void nested_values(void **state)
{
	(void)state;
	for (size_t depth = 62; depth <= 64; depth++) {
		struct buf text = {0};

		buf_text(&text, "[7,");
		for (size_t i = 0; i < 2 * depth; i++)
			buf_char(&text, i < depth ? '[' : ']');
		buf_char(&text, ']');
		assert_finds(buf_view(&text), "0", depth < 64 ? JSON_NUMBER : JSON_NONE, "7");
		buf_free(&text);
	}
}

/* More values than there is room for at first. */
static void many_values(void **state)
{
	struct buf text = {0};

	(void)state;
	buf_char(&text, '[');
	for (int i = 0; i < 5000; i++)
		buf_text(&text, "7,");
	buf_text(&text, "8]");
	assert_finds(buf_view(&text), "4999", JSON_NUMBER, "7");
	assert_finds(buf_view(&text), "5000", JSON_NUMBER, "8");
	assert_finds(buf_view(&text), "5001", JSON_NONE, NULL);
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_found_by_path),
		cmocka_unit_test(texts_that_are_refused),
		cmocka_unit_test(nested_values),
		cmocka_unit_test(many_values),
	};

	return cmocka_run_group_tests_name("find", tests, NULL, NULL);
}
