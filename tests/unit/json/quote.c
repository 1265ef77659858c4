/* quote: texts as values of JSON. */
#include "../unit.h"

#include "json/json_value.h"
#include "json/quote.h"

#include "base/plaintext.h"

static void assert_quoted(struct str text, struct str want)
{
	struct buf out = {0};

	json_quote(&out, text);
	assert_str(buf_view(&out), want);
	buf_free(&out);
}

static void strings_are_quoted(void **state)
{
	(void)state;
	assert_quoted(STR(""), STR("\"\""));
	assert_quoted(STR("a\"\\/\b\f\n\r\t\0\x1f\x7f\xc3\xa9"),
	              STR("\"a\\\"\\\\/\\u0008\\u000c\\n\\r\\t\\u0000\\u001f\\u007f\xc3\xa9\""));
	assert_quoted(STR("\xc2\x9b\xe2\x80\xae\xe2\x80\xa8"), STR("\"\\u009b\\u202e\\u2028\""));
	assert_quoted(STR("\xe6\x97\xa5\xf0\x9f\x98\x80"), STR("\"\xe6\x97\xa5\xf0\x9f\x98\x80\""));
}

/* JSON is UTF-8: each other byte becomes U+FFFD. */
static void quoted_strings_are_utf_8(void **state)
{
	static const char *const bad[] = {"\xff",     "\x80",         "\xc3",        "\xe6\x97",
	                                  "\xc0\xaf", "\xed\xa0\x80", "\xf0\x9f\x98"};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct buf text = {0};
		struct buf want = {0};

		buf_format(&text, "a%s.%s", bad[i], bad[i]);
		buf_text(&want, "\"a");
		for (size_t j = 0; j < strlen(bad[i]); j++)
			buf_text(&want, "\xef\xbf\xbd");
		buf_char(&want, '.');
		for (size_t j = 0; j < strlen(bad[i]); j++)
			buf_text(&want, "\xef\xbf\xbd");
		buf_char(&want, '"');
		assert_quoted(buf_view(&text), buf_view(&want));
		buf_free(&text);
		buf_free(&want);
	}
}

/* --- any text ---------------------------------------------------------------- */

/* Quotes character by character. */
static void quote_slowly(struct buf *out, struct str text)
{
	static const char from[] = "\"\\\n\r\t";
	static const char letters[] = "\"\\nrt";

	buf_char(out, '"');
	while (text.n) {
		const char *known = *text.s ? strchr(from, *text.s) : NULL;
		uint32_t code;
		size_t n = plaintext_character(text, &code);

		if (n == 0)
			buf_text(out, "\xef\xbf\xbd");
		else if (known)
			buf_format(out, "\\%c", letters[known - from]);
		else if (plaintext_is_unsafe(code))
			buf_format(out, "\\u%04x", (unsigned)code);
		else
			buf_bytes(out, text.s, n);
		text.s += n ? n : 1;
		text.n -= n ? n : 1;
	}
	buf_char(out, '"');
}

static bool is_plain(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.s[i] < ' ' || text.s[i] > '~' || text.s[i] == '"' || text.s[i] == '\\')
			return false;
	return true;
}

/* Checks all functions with a copy of text at the end of its memory. */
static void check(struct str text)
{
	size_t room = text.n < 16 ? 16 : text.n; /* see json_copy_plain */
	char *copy = malloc(room);
	char *to = malloc(text.n + 16);
	struct str exact = {copy + room - text.n, text.n};
	struct str wide = {copy, text.n};
	struct buf want = {0};
	bool plain;
	bool number;

	memset(copy, '"', room);
	if (text.n)
		memcpy(copy + room - text.n, text.s, text.n);
	quote_slowly(&want, text);
	assert_quoted(exact, buf_view(&want));

	memset(copy, '"', room);
	if (text.n)
		memcpy(copy, text.s, text.n);
	plain = json_copy_plain(to, wide);
	assert_int_equal(plain, is_plain(text));
	if (plain)
		assert_str(((struct str){to, text.n}), text);
	number = json_copy_decimal(to, wide);
	if (number)
		assert_str(((struct str){to, text.n}), text);
	assert_int_equal(number, text.n <= 32 && json_is_number(text) && !str_has_byte(text, '-') &&
	                             !str_has_byte(text, 'e') && !str_has_byte(text, 'E'));
	buf_free(&want);
	free(copy);
	free(to);
}

/* Every byte at every place of texts around the ends of one and of two blocks. */
static void each_byte_at_each_place(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 50; n++) {
		for (size_t at = 0; at < n; at++) {
			for (int c = 0; c < 256; c++) {
				char text[50];

				memset(text, 'x', n);
				text[at] = (char)c;
				check((struct str){text, n});
				memset(text, '7', n);
				text[at] = (char)c;
				check((struct str){text, n});
			}
		}
	}
	check(STR(""));
}

/* Characters, whole and cut off, that begin before the end of a block, and beside each other. */
static void characters_across_blocks(void **state)
{
	static const struct str parts[] = {
		BYTES("\xc3\xa9"), BYTES("\xc2\x9b"),         BYTES("\xe2\x80\xae"),
		BYTES("\xf0\x9f"), BYTES("\xf0\x9f\x98\x80"), BYTES("\xed\xa0\x80\xed\xb0\x80"),
		BYTES("\xff\"\\"), BYTES("\\\"\n"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(parts); i++) {
		for (size_t before = 0; before < 40; before++) {
			for (size_t after = 0; after < 20; after++) {
				struct buf text = {0};

				memset(buf_reserve(&text, before), 'x', before);
				text.len = before;
				buf_str(&text, parts[i]);
				memset(buf_reserve(&text, after), 'y', after);
				text.len += after;
				check(buf_view(&text));
				buf_free(&text);
			}
		}
	}
}

static void random_texts(void **state)
{
	static const struct str alphabets[] = {BYTES(""), BYTES("abc\"\\\n\xe2\x80\xae"),
	                                       BYTES("0123456789."), BYTES("01.-e")};
	uint64_t seed = 9;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct buf text = {0};

		unit_random_bytes(&seed, &text, unit_below(&seed, 40), alphabets[round % 4]);
		check(buf_view(&text));
		buf_free(&text);
	}
}

/* Longer than the pieces, with escapes and characters at their ends. */
static void long_texts(void **state)
{
	static const struct str alphabets[] = {BYTES("\x01"), BYTES("\xe6\x97\xa5"), BYTES("a"),
	                                       BYTES("")};
	uint64_t seed = 10;

	(void)state;
	for (size_t i = 0; i < COUNT(alphabets); i++) {
		for (size_t shift = 0; shift < 4; shift++) {
			struct buf text = {0};

			memset(buf_reserve(&text, shift), 'x', shift);
			text.len = shift;
			while (text.len < 20000) {
				if (alphabets[i].n)
					buf_str(&text, alphabets[i]);
				else
					unit_random_bytes(&seed, &text, 1000, STR(""));
			}
			check(buf_view(&text));
			buf_free(&text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_quoted),
		cmocka_unit_test(quoted_strings_are_utf_8),
		cmocka_unit_test(each_byte_at_each_place),
		cmocka_unit_test(characters_across_blocks),
		cmocka_unit_test(random_texts),
		cmocka_unit_test(long_texts),
	};

	return cmocka_run_group_tests_name("quote", tests, NULL, NULL);
}
