/* buf: borrowed and growing runs of bytes, NUL among them. */
#include "../unit.h"

#include <stdio.h>

static const struct str none = {NULL, 0};

static void equal_and_ordered(void **state)
{
	static const struct {
		struct str text;
	} sorted[] = {
		{BYTES("")},    {BYTES("\0")},   {BYTES("\0a")},  {BYTES("a")},
		{BYTES("a\0")}, {BYTES("a\0b")}, {BYTES("a\0c")}, {BYTES("ab")},
		{BYTES("b")},   {BYTES("\x80")}, {BYTES("\xff")},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(sorted); i++) {
		for (size_t j = 0; j < COUNT(sorted); j++) {
			int order = str_compare(sorted[i].text, sorted[j].text);

			assert_int_equal(order < 0, i < j);
			assert_int_equal(order > 0, i > j);
			assert_int_equal(str_equal(sorted[i].text, sorted[j].text), i == j);
		}
	}
	assert_true(str_equal(none, STR("")));
	assert_int_equal(str_compare(none, STR("")), 0);
	assert_true(str_compare(none, STR("a")) < 0);
	assert_int_equal(str_of("abc").n, 3);
}

static void parts_are_found(void **state)
{
	static const struct {
		struct str text;
		struct str part;
		bool starts, ends, has, any_case;
	} cases[] = {
		{BYTES("hcom_allReduce_"), BYTES("hcom_"), true, false, true, true},
		{BYTES("hcom_allReduce_"), BYTES("Reduce_"), false, true, true, true},
		{BYTES("hcom_allReduce_"), BYTES("ALLREDUCE"), false, false, false, true},
		{BYTES("hcom_allReduce_"), BYTES("hcom_allReduce_"), true, true, true, true},
		{BYTES("hcom"), BYTES("hcom_"), false, false, false, false},
		{BYTES("abc"), BYTES(""), true, true, true, true},
		{BYTES(""), BYTES(""), true, true, true, true},
		{BYTES(""), BYTES("a"), false, false, false, false},
		{BYTES("aab"), BYTES("ab"), false, true, true, true},
		{BYTES("a\0b"), BYTES("\0b"), false, true, true, true},
		{BYTES("a\0b"), BYTES("a\0c"), false, false, false, false}, /* a NUL ends nothing */
		{BYTES("x\0B"), BYTES("\0b"), false, false, false, true},
		{BYTES("["), BYTES("{"), false, false, false, false}, /* no letters, though 0x20 apart */
		{BYTES("\xc3\x84"), BYTES("\xc3\xa4"), false, false, false, false}, /* ASCII alone */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_case(cases[i].part.s, str_starts(cases[i].text, cases[i].part) == cases[i].starts);
		assert_case(cases[i].part.s, str_ends(cases[i].text, cases[i].part) == cases[i].ends);
		assert_case(cases[i].part.s, str_has(cases[i].text, cases[i].part) == cases[i].has);
		assert_case(cases[i].part.s,
		            str_has_any_case(cases[i].text, cases[i].part) == cases[i].any_case);
	}
}

static char fold(char c)
{
	return c == 'A' || c == 'B' ? (char)(c | 0x20) : c;
}

/* Long texts, and parts that nearly are in them, against a comparison at each place. */
static void parts_are_found_anywhere(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct buf bytes = {0};
		struct str text;
		struct str part;
		bool found = false;
		bool any_case = false;

		unit_random_bytes(&seed, &bytes, 300, STR("aAbB[\0"));
		text = (struct str){bytes.data, unit_below(&seed, 200)};
		part.n = unit_below(&seed, round % 2 ? 5 : 100);
		part.s = round % 3 ? bytes.data + unit_below(&seed, 200) : bytes.data + 200;
		for (size_t i = 0; i + part.n <= text.n; i++) {
			size_t same = 0;

			while (same < part.n && fold(text.s[i + same]) == fold(part.s[same]))
				same++;
			any_case |= same == part.n;
			found |= memcmp(text.s + i, part.s, part.n) == 0;
		}
		assert_int_equal(str_has(text, part), found);
		assert_int_equal(str_has_any_case(text, part), any_case);
		buf_free(&bytes);
	}
}

static void whole_numbers(void **state)
{
	static const struct str bad[] = {
		BYTES(""),    BYTES("-1"),  BYTES("+1"),  BYTES("1 "),
		BYTES("1.0"), BYTES("0x1"), BYTES("1\0"), BYTES("18446744073709551616")};
	uint64_t number;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_case(bad[i].s, !str_whole(bad[i], &number));
	assert_true(str_whole(STR("18446744073709551615"), &number) && number == UINT64_MAX);
	assert_true(str_whole(STR("007"), &number) && number == 7);
}

static void blanks_are_trimmed(void **state)
{
	(void)state;
	assert_text(str_trim(STR("  a b\t \r")), "a b\t \r");
	assert_text(str_trim(STR("  a b\t ")), "a b");
	assert_text(str_trim(STR("Start Time(us)\t")), "Start Time(us)");
	assert_text(str_trim(STR(" \t ")), "");
	assert_text(str_trim(STR("")), "");
	assert_text(str_trim(STR("\v\0 ")), "\v\0");
	assert_text(str_trim(none), "");
}

static void bytes_are_appended(void **state)
{
	struct buf buf = {0};
	struct buf long_one = {0};

	(void)state;
	assert_text(buf_view(&buf), "");
	assert_non_null(buf_view(&buf).s);
	buf_bytes(&buf, NULL, 0);
	buf_str(&buf, none);
	assert_int_equal(buf.len, 0);
	buf_bytes(&buf, "a\0b", 3);
	buf_str(&buf, STR("\0"));
	buf_text(&buf, "text");
	buf_text(&buf, "");
	buf_char(&buf, '\0');
	buf_format(&buf, "%d %s|", -5, "x");
	buf_format(&buf, "%s", "");
	assert_buf(&buf, "a\0b\0text\0-5 x|");
	buf_free(&buf);
	assert_null(buf.data);
	assert_int_equal(buf.len, 0);
	assert_int_equal(buf.cap, 0);
	buf_free(&buf);

	for (int i = 0; i < 100; i++)
		buf_format(&long_one, "%01000d", i);
	assert_int_equal(long_one.len, 100000);
	assert_memory_equal(long_one.data + 99998, "99", 2);
	buf_free(&long_one);
}

static void characters_in_utf_8(void **state)
{
	struct buf buf = {0};

	(void)state;
	buf_utf8(&buf, 0);
	buf_utf8(&buf, 0x7f);
	buf_utf8(&buf, 0x80);
	buf_utf8(&buf, 0x7ff);
	buf_utf8(&buf, 0x800);
	buf_utf8(&buf, 0xffff);
	buf_utf8(&buf, 0x10000);
	buf_utf8(&buf, 0x10ffff);
	assert_buf(&buf,
	           "\0\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
	buf_free(&buf);
}

static void room_is_made_and_length_stays(void **state)
{
	struct buf buf = {0};
	char *place;

	(void)state;
	buf_text(&buf, "abc");
	place = buf_reserve(&buf, 100000);
	assert_ptr_equal(place, buf.data + 3);
	assert_int_equal(buf.len, 3);
	assert_true(buf.cap >= 100003);
	memset(place, 'x', 100000);
	assert_ptr_equal(buf_reserve(&buf, 100000), place); /* it does not move again */
	assert_memory_equal(buf.data, "abcx", 4);
	buf_free(&buf);
}

static void a_byte_at_a_time(void **state)
{
	struct buf buf = {0};

	(void)state;
	for (size_t i = 0; i < 70000; i++)
		buf_char(&buf, (char)(i * 7));
	assert_int_equal(buf.len, 70000);
	for (size_t i = 0; i < 70000; i++)
		assert_int_equal(buf.data[i], (char)(i * 7));
	buf_free(&buf);
}

/* Four to eight bytes, whatever stands around them. */
static void some_digits(void **state)
{
	static const char digits[] = "98760543";
	char text[16];
	uint32_t value;

	(void)state;
	for (size_t n = 4; n <= 8; n++) {
		memset(text, 'x', sizeof text);
		memcpy(text + 4, digits, n);
		assert_true(str_some_digits(text + 4, n, &value));
		assert_int_equal(value, strtoul(text + 4, NULL, 10));
		for (size_t i = 0; i < n; i++) {
			for (int c = 0; c < 256; c++) {
				memcpy(text + 4, digits, n);
				text[4 + i] = (char)c;
				assert_int_equal(str_some_digits(text + 4, n, &value), c >= '0' && c <= '9');
			}
		}
	}
}

static void eight_digits(void **state)
{
	char text[] = "00000000";
	uint32_t value;

	(void)state;
	for (uint32_t i = 0; i < 100000000; i += 100003) {
		snprintf(text, sizeof text, "%08u", i);
		assert_true(str_eight_digits(text, &value));
		assert_int_equal(value, i);
	}
	for (int at = 0; at < 8; at++) {
		for (int c = 0; c < 256; c++) {
			memcpy(text, "90182739", 8);
			text[at] = (char)c;
			assert_int_equal(str_eight_digits(text, &value), c >= '0' && c <= '9');
		}
	}
}

static void bytes_are_replaced(void **state)
{
	struct buf buf = {0};

	(void)state;
	buf_replace(&buf, 0, 'a', 'b');
	buf_text(&buf, "a;b;;c;");
	buf_replace(&buf, 2, ';', ':');
	assert_buf(&buf, "a;b::c:");
	buf_replace(&buf, buf.len, ':', ';');
	assert_buf(&buf, "a;b::c:");
	buf_free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_and_ordered),
		cmocka_unit_test(parts_are_found),
		cmocka_unit_test(parts_are_found_anywhere),
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(eight_digits),
		cmocka_unit_test(some_digits),
		cmocka_unit_test(blanks_are_trimmed),
		cmocka_unit_test(bytes_are_appended),
		cmocka_unit_test(bytes_are_replaced),
		cmocka_unit_test(characters_in_utf_8),
		cmocka_unit_test(room_is_made_and_length_stays),
		cmocka_unit_test(a_byte_at_a_time),
	};

	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
