/* piece: values that are whole, cut off by the end of the text, or bad. */
#include "../unit.h"

#include "trace2tsv/piece.h"
#include "json/scan.h"

/* Reads the value that text begins with: "good TEXT", "more", or "bad AT WHAT". */
static void assert_value(const char *text, bool strict, const char *want)
{
	struct buf padded = {0};
	struct buf got = {0};
	struct json_value value = {0};
	struct piece piece = {.strict = strict};
	enum piece_verdict verdict;
	bool escapes = false;

	buf_text(&padded, text);
	for (int i = 0; i < SCAN_BLOCK; i++)
		buf_char(&padded, '"');
	piece.p = padded.data;
	piece.end = padded.data + strlen(text);
	piece_next_byte(&piece);
	if (*piece.p == '"')
		verdict = piece_string(&piece, &value.text, &escapes);
	else if (*piece.p == '{' || *piece.p == '[')
		verdict = piece_nested(&piece);
	else
		verdict = piece_primitive(&piece, &value);
	if (verdict == PIECE_GOOD)
		buf_format(&got, "good %d %.*s%s", (int)(piece.p - padded.data), (int)value.text.n,
		           value.text.n ? value.text.s : "", escapes ? " escapes" : "");
	else if (verdict == PIECE_MORE)
		buf_text(&got, "more");
	else
		buf_format(&got, "bad %d %s", (int)(piece.p - padded.data),
		           piece.expected ? piece.expected : piece.what);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&padded);
	buf_free(&got);
}

static void whole_values(void **state)
{
	(void)state;
	assert_value(" 12,", false, "good 3 12");
	assert_value("-1.5e3]", true, "good 6 -1.5e3");
	assert_value("NaN}", false, "good 3 NaN");
	assert_value("\"a\\\"b\",", true, "good 6 a\\\"b escapes");
	assert_value("{\"a\" : [1, {}, \"]\"], \"b\":null}", true, "good 30 ");
	assert_value("[]", false, "good 2 ");
}

static void cut_values(void **state)
{
	static const char *const texts[] = {"12",  "\"a",    "\"a\\",   "[1",
	                                    "[1,", "{\"a\"", "{\"a\":", "{"};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_value(texts[i], false, "more");
}

static void bad_values(void **state)
{
	(void)state;
	assert_value(",", false, "bad 0 a value");
	assert_value("[1 2]", false, "bad 3 , or the end of an array or object");
	assert_value("{\"a\" 1}", false, "bad 5 :");
	assert_value("{1:2}", false, "bad 1 a key");
	assert_value("[1,]", false, "bad 3 a value");
	assert_value("{\"a\":1]", false, "bad 6 , or the end of an array or object");
	assert_value("NaN,", true, "bad 0 not a JSON value");
	assert_value("\"a\\q\"", true, "bad 2 an unknown escape in a string");
	assert_value("\"a\\u12\"", true, "bad 2 an unknown escape in a string");
	assert_value("\"a\n\"", true, "bad 2 a control byte, or one that is not UTF-8, in a string");
	assert_value("\"\xff\"", true, "bad 1 a control byte, or one that is not UTF-8, in a string");
	assert_value("\"a\\q\xff\"", false, "good 6 a\\q\xff escapes");
}

/* As deep as is allowed, and deeper. */
static void nested_values(void **state)
{
	(void)state;
	for (int depth = PIECE_DEPTH; depth <= PIECE_DEPTH + 1; depth++) {
		char text[2 * (PIECE_DEPTH + 1) + 1] = "";
		char good[16];

		memset(text, '[', (size_t)depth);
		memset(text + depth, ']', (size_t)depth);
		snprintf(good, sizeof good, "good %d ", 2 * depth);
		assert_value(text, false, depth == PIECE_DEPTH ? good : "bad 256 it is nested too deeply");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_values),
		cmocka_unit_test(cut_values),
		cmocka_unit_test(bad_values),
		cmocka_unit_test(nested_values),
	};

	return cmocka_run_group_tests_name("piece", tests, NULL, NULL);
}
