/* jsontext: a window on a text, and messages on what is malformed in it. */
#include "../unit.h"

#include "json/jsontext.h"

#include <stdlib.h>

static void begin(struct jsontext *text, struct str input)
{
	unit_feed_in_steps(input, 7);
	*text = (struct jsontext){0};
	assert_true(jsontext_open(text, "-"));
	jsontext_begin(text, STR(""), "event", ' ');
}

#define assert_error(text, want) assert_string_equal((text)->error, want)

static void places(void **state)
{
	struct jsontext text;

	(void)state;
	begin(&text, STR("[]"));
	assert_false(jsontext_fail(&text, UINT64_MAX, "%d commas", 3));
	assert_error(&text, "byte 18446744073709551615: 3 commas");
	/* What comes from the text is made safe for people. */
	text.number = 7;
	jsontext_fail(&text, 9, "%s", "a\033b");
	assert_error(&text, "byte 9 (event 7): a\\x1bb");
	jsontext_lost(&text);
	assert_error(&text,
	             "byte 9 (event 7): a\\x1bb; reading ends here, as no further event is found");
	jsontext_close(&text);
}

static void ends(void **state)
{
	struct jsontext text;

	(void)state;
	begin(&text, STR("  [7"));
	assert_int_equal(jsontext_peek_after_space(&text), '[');
	while (jsontext_peek(&text) >= 0)
		text.at++;
	assert_int_equal(jsontext_offset(&text), 4);
	assert_false(text.cut);
	jsontext_cut(&text, 2, "this event");
	assert_true(text.cut);
	assert_error(&text, "byte 2: this event is cut off: the text ends at byte 4");
	jsontext_expected(&text, "a value");
	assert_error(&text, "byte 4: a value is cut off: the text ends at byte 4");
	snprintf(text.in.error, sizeof text.in.error, "damaged gzip data");
	jsontext_cut(&text, 2, "this event");
	assert_error(&text, "byte 2: this event is cut off: damaged gzip data");
	jsontext_close(&text);
}

/* The first character of what was found, also one of several bytes that come late. */
static void characters(void **state)
{
	static const struct {
		struct str input;
		const char *error;
	} cases[] = {
		{BYTES("      xy"), "byte 6: { expected, 'x' found"},
		{BYTES("      \xe2\x82\xac!"), "byte 6: { expected, '\xe2\x82\xac' found"},
		/* A byte that begins no character. */
		{BYTES("      \xff!"), "byte 6: { expected, '\\xff' found"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct jsontext text;

		begin(&text, cases[i].input);
		jsontext_peek_after_space(&text);
		jsontext_expected(&text, "{");
		assert_error(&text, cases[i].error);
		jsontext_close(&text);
	}
}

/* However far the cursor goes, the window has what is kept, and its pad. */
static void a_long_text(void **state)
{
	enum { SIZE = 3 << 20, KEEP = 1000 };
	struct buf input = {0};
	struct jsontext text;

	(void)state;
	for (int i = 0; i < SIZE; i++)
		buf_char(&input, (char)('a' + i % 23));
	unit_feed(buf_view(&input));
	text = (struct jsontext){0};
	assert_true(jsontext_open(&text, "-"));
	jsontext_begin(&text, STR(""), "event", '"');
	for (;;) {
		size_t kept = text.at < KEEP ? text.at : KEEP;

		if (text.at == text.end && !jsontext_refill(&text, text.at - kept))
			break;
		assert_memory_equal(text.window + text.at - kept,
		                    input.data + jsontext_offset(&text) - kept, kept + 1);
		assert_int_equal(text.window[text.end], '"');
		text.at = text.end - text.at > 4096 ? text.at + 4096 : text.end;
	}
	assert_int_equal(jsontext_offset(&text), SIZE);
	assert_true(text.cap < 2 << 20);
	assert_int_equal(jsontext_peek(&text), -1);
	jsontext_close(&text);
	buf_free(&input);
}

/* After a head that was read already; a byte order mark is skipped, the fence is not passed. */
static void beginnings(void **state)
{
	struct jsontext text;

	(void)state;
	unit_feed(STR("\xbf[1]"));
	text = (struct jsontext){0};
	assert_true(jsontext_open(&text, "-"));
	jsontext_begin(&text, STR("\xef\xbb"), "record", '"');
	jsontext_skip_mark(&text);
	assert_int_equal(jsontext_offset(&text), 3);
	assert_int_equal(jsontext_peek(&text), '[');
	text.at = text.end;
	text.fenced = true;
	assert_false(text.exhausted);
	assert_int_equal(jsontext_peek(&text), -1);
	assert_false(text.exhausted);
	jsontext_close(&text);
	assert_false(jsontext_open(&text, "/nonexistent/file"));
	assert_error(&text, "cannot be opened: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),      cmocka_unit_test(ends),       cmocka_unit_test(characters),
		cmocka_unit_test(a_long_text), cmocka_unit_test(beginnings),
	};

	return cmocka_run_group_tests_name("jsontext", tests, NULL, NULL);
}
