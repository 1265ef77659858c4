/* array: the elements of a JSON array. */
#include "../unit.h"

#include "json/array.h"
#include "json/find.h"

static void assert_elements(const char *text, const char *want)
{
	struct str rest = str_of(text);
	struct str element;
	struct buf got = {0};

	while (array_next(&rest, &element)) {
		buf_str(&got, element);
		buf_char(&got, '|');
	}
	assert_false(array_next(&rest, &element));
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void elements(void **state)
{
	(void)state;
	assert_elements("[]", "");
	assert_elements("[ \r\n\t]", "");
	assert_elements("[1]", "1|");
	assert_elements("[ 1 , \"a\" ,null]", "1|\"a\"|null|");
	assert_elements("[[1,2],[],[[3]]]", "[1,2]|[]|[[3]]|");
	assert_elements("[{\"a\":[1,2]} , {}]", "{\"a\":[1,2]}|{}|");
	assert_elements("[\"]\", \"\\\"],\", \"\\\\\", {\"}\":\"]\"}]",
	                "\"]\"|\"\\\"],\"|\"\\\\\"|{\"}\":\"]\"}|");
}

/* Text that is not an array ends the reading, wherever it breaks off. */
static void no_arrays(void **state)
{
	const char *text = "[{\"a\": [1, \"\\\"\"]}, [2, 3], \"x\"]";

	(void)state;
	for (size_t n = 0; n <= strlen(text); n++) {
		struct buf cut = {0};
		struct str rest;
		struct str element;
		size_t count = 0;

		buf_bytes(&cut, text, n);
		rest = buf_view(&cut);
		while (array_next(&rest, &element))
			count++;
		assert_true(count <= 3);
		buf_free(&cut);
	}
}

static void assert_members(const char *text, const char *want)
{
	struct str rest = str_of(text);
	struct str key;
	struct str value;
	struct buf got = {0};

	while (array_next_member(&rest, &key, &value)) {
		buf_str(&got, key);
		buf_char(&got, '=');
		buf_str(&got, value);
		buf_char(&got, '|');
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void members(void **state)
{
	(void)state;
	assert_members("{}", "");
	assert_members("{ \n}", "");
	assert_members("{\"a\":1}", "a=1|");
	assert_members(" { \"a\" : 1 , \"b\\\"}\":\"x,}\" ,\"c\":{\"d\":[1,2]} } ",
	               "a=1|b\\\"}=\"x,}\"|c={\"d\":[1,2]}|");
	assert_members("{\"a\":1,b:2,\"c\":3}", "a=1|");
	assert_members("{\"a\":1,\"b\"}", "a=1|");
	assert_members("{\"a\":1,\"b\":}", "a=1|");
	assert_members("{\"a\":1,\"b", "a=1|");
	assert_members("{\"a\\", "");
	assert_members("{\"a\":1,}", "a=1|");
	assert_members("[1]", "");
	assert_members("", "");
}

static void put_value(uint64_t *seed, struct buf *out, int depth)
{
	static const char *const plain[] = {"1",       "-2.5e3",        "null", "\"\"",
	                                    "\"],[\"", "\"\\\"{\\\\\"", "[]",   "{}"};
	size_t kind = unit_below(seed, depth ? COUNT(plain) + 2 : COUNT(plain));
	bool object = kind == COUNT(plain);

	if (kind < COUNT(plain)) {
		buf_text(out, plain[kind]);
		return;
	}
	buf_char(out, object ? '{' : '[');
	for (size_t n = unit_below(seed, 5), i = 0; i < n; i++) {
		buf_text(out, i ? "," : " ");
		if (object)
			buf_format(out, "\"%zu]\":", i);
		put_value(seed, out, depth - 1);
		buf_text(out, unit_below(seed, 2) ? " " : "");
	}
	buf_char(out, object ? '}' : ']');
}

/* Random arrays, against json_find with each number. */
static void random_arrays(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct buf text = {0};
		struct buf scratch[2] = {{0}};
		struct str rest;
		struct str element;
		size_t number = 0;

		buf_char(&text, '[');
		for (size_t n = unit_below(&seed, 6), j = 0; j < n; j++) {
			buf_text(&text, j ? ", " : "");
			put_value(&seed, &text, 3);
		}
		buf_char(&text, ']');
		rest = buf_view(&text);
		while (array_next(&rest, &element)) {
			char digits[32];
			const char *path = digits;
			struct json_value want;
			struct json_value got;

			snprintf(digits, sizeof digits, "%zu", number++);
			want = json_find(buf_view(&text), &path, 1, &scratch[0]);
			/* A number alone is no text that json_find reads. */
			if (want.type == JSON_NUMBER || want.type == JSON_NULL)
				got = (struct json_value){.type = want.type, .text = element};
			else
				got = json_find(element, NULL, 0, &scratch[1]);
			assert_int_equal(got.type, want.type);
			assert_str(got.text, want.text);
		}
		for (int j = 0; j < 2; j++) {
			char digits[32];
			const char *path = digits;

			snprintf(digits, sizeof digits, "%zu", number + (size_t)j);
			assert_int_equal(json_find(buf_view(&text), &path, 1, &scratch[j]).type, JSON_NONE);
			buf_free(&scratch[j]);
		}
		buf_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements),
		cmocka_unit_test(members),
		cmocka_unit_test(no_arrays),
		cmocka_unit_test(random_arrays),
	};

	return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
