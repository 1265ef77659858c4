/* tokens: what jsmn reads, and the texts that it is not given. */
#include "../unit.h"

#include "json/tokens.h"

static void tokens_of_a_text(void **state)
{
	static const struct str text = BYTES("{\"a\":[1,\"x\\\"y\"],\"b\":{}}");
	static const struct {
		jsmntype_t type;
		const char *text;
		int parent;
		enum json_type value;
	} want[] = {
		{JSMN_OBJECT, "{\"a\":[1,\"x\\\"y\"],\"b\":{}}", -1, JSON_NESTED},
		{JSMN_STRING, "a", 0, JSON_STRING},
		{JSMN_ARRAY, "[1,\"x\\\"y\"]", 1, JSON_NESTED},
		{JSMN_PRIMITIVE, "1", 2, JSON_NUMBER},
		{JSMN_STRING, "x\\\"y", 2, JSON_STRING},
		{JSMN_STRING, "b", 0, JSON_STRING},
		{JSMN_OBJECT, "{}", 5, JSON_NESTED},
	};
	struct tokens tokens = {0};
	struct buf decoded = {0};
	uint64_t replaced = 0;

	(void)state;
	assert_true(tokens_read(&tokens, text, 2));
	assert_int_equal(tokens.count, COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++) {
		struct json_value value = tokens_value(text, &tokens.token[i], &decoded, &replaced);

		assert_int_equal(tokens.token[i].type, want[i].type);
		assert_int_equal(tokens.token[i].parent, want[i].parent);
		assert_str(tokens_text(text, &tokens.token[i]), str_of(want[i].text));
		assert_int_equal(value.type, want[i].value);
		assert_str(value.text, i == 4 ? STR("x\"y") : str_of(want[i].text));
	}
	assert_int_equal(replaced, 0);
	tokens_free(&tokens);
	buf_free(&decoded);
}

static void many_tokens(void **state)
{
	struct tokens tokens = {0};
	struct buf text = {0};

	(void)state;
	buf_char(&text, '[');
	for (int i = 0; i < 5000; i++)
		buf_text(&text, "7,");
	buf_text(&text, "8]");
	assert_true(tokens_read(&tokens, buf_view(&text), 1));
	assert_int_equal(tokens.count, 5002);
	assert_str(tokens_text(buf_view(&text), &tokens.token[5001]), STR("8"));
	/* Read again, into the same room. */
	assert_true(tokens_read(&tokens, STR("[]"), 1));
	assert_int_equal(tokens.count, 1);
	tokens_free(&tokens);
	buf_free(&text);
}

static void texts_that_are_refused(void **state)
{
	static const struct {
		struct str text;
		size_t depth;
	} refused[] = {
		{BYTES(""), 0},      {BYTES("{"), 1},     {BYTES("[1}"), 1},       {BYTES("[\"a\0b\"]"), 1},
		{BYTES("[1]\0"), 1}, {BYTES("[[]]"), 65}, {BYTES("[\"\\q\"]"), 1},
	};
	struct tokens tokens = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++)
		assert_false(tokens_read(&tokens, refused[i].text, refused[i].depth));
	assert_true(tokens_read(&tokens, STR("[[]]"), 64));
	tokens_free(&tokens);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_of_a_text),
		cmocka_unit_test(many_tokens),
		cmocka_unit_test(texts_that_are_refused),
	};

	return cmocka_run_group_tests_name("tokens", tests, NULL, NULL);
}
