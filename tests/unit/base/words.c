/* words: lists of words. */
#include "../unit.h"

#include "base/words.h"

/* Adds text; the words are then want, joined by |. */
static void assert_words(const char *text, const char *want)
{
	struct words words = {0};
	struct buf got = {0};

	assert_case(text, words_add(&words, text));
	for (size_t i = 0; i < words.count; i++) {
		buf_text(&got, i ? "|" : "");
		buf_str(&got, words.item[i]);
		assert_case(text, words.item[i].s[words.item[i].n] == '\0');
		assert_case(text, words_have(&words, words.item[i]));
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	words_free(&words);
}

static void words_are_split_at_commas(void **state)
{
	(void)state;
	assert_words("a,b,c", "a|b|c");
	assert_words("one", "one");
	assert_words("b,a,b", "b|a|b");
	assert_words("a\\,b,c", "a,b|c");
	assert_words("a\\\\,b", "a\\|b");
	assert_words("a\\\\\\,b", "a\\,b");
	assert_words("a\\nb", "a\\nb");
	assert_words("a\\", "a\\");
	assert_words("\\,", ",");
	assert_words("External id,Python id", "External id|Python id");
}

static void blanks_around_words_are_left_out(void **state)
{
	(void)state;
	assert_words(" a , b ", "a|b");
	assert_words("a,\n\t b c \n", "a|b c");
	assert_words("a\\  ,\\ b", "a | b");
	assert_words("\\ ", " ");
	assert_words("a \\, ,b", "a ,|b");
}

static void a_word_is_not_empty(void **state)
{
	static const char *const cases[] = {"", ",", "a,", ",a", "a,,b", " ", "a, ,b", "a,b,\t"};
	struct words words = {0};

	(void)state;
	words_add(&words, "kept");
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_case(cases[i], !words_add(&words, cases[i]));
		assert_case(cases[i], words.count == 1);
		assert_case(cases[i], !words_have(&words, STR("a")));
	}
	assert_str(words.item[0], STR("kept"));
	words_free(&words);
}

static void words_add_up(void **state)
{
	struct words words = {0};
	struct buf arg = {0};

	(void)state;
	assert_false(words_have(&words, STR("")));
	words_add(&words, "a,b");
	words_add(&words, "c");
	for (int i = 0; i < 200; i++)
		buf_format(&arg, "%s%d", i ? "," : "", i);
	buf_char(&arg, '\0');
	words_add(&words, arg.data);
	assert_int_equal(words.count, 203);
	assert_true(words_have(&words, STR("a")));
	assert_true(words_have(&words, STR("c")));
	assert_true(words_have(&words, STR("199")));
	assert_false(words_have(&words, STR("200")));
	assert_false(words_have(&words, STR("ab")));
	assert_false(words_have(&words, STR("a\0")));
	assert_false(words_have(&words, STR("")));
	buf_free(&arg);
	words_free(&words);
}

static void once_and_sorted(void **state)
{
	struct words words = {0};

	(void)state;
	words_sort(&words);
	words_add(&words, "b,a");
	words_put_once(&words, STR("b"));
	words_put_once(&words, STR(" b"));
	words_put(&words, STR("a"));
	assert_int_equal(words.count, 4);
	words_sort(&words);
	assert_str(words.item[0], STR(" b"));
	assert_str(words.item[1], STR("a"));
	assert_str(words.item[2], STR("a"));
	assert_str(words.item[3], STR("b"));
	words_free(&words);
}

static void pairs(void **state)
{
	static const struct {
		const char *word;
		const char *left; /* NULL: no pair */
		const char *right;
	} cases[] = {
		{"a=b", "a", "b"}, {"a b = c d", "a b", "c d"}, {"a=b=c", "a", "b=c"}, {"=b", "", "b"},
		{"a= ", "a", ""},  {"ab", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str left;
		struct str right;
		bool good = words_pair(str_of(cases[i].word), &left, &right);

		assert_case(cases[i].word, good == (cases[i].left != NULL));
		if (good) {
			assert_str(left, str_of(cases[i].left));
			assert_str(right, str_of(cases[i].right));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_split_at_commas),
		cmocka_unit_test(blanks_around_words_are_left_out),
		cmocka_unit_test(a_word_is_not_empty),
		cmocka_unit_test(words_add_up),
		cmocka_unit_test(once_and_sorted),
		cmocka_unit_test(pairs),
	};

	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
