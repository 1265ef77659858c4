/* tsv: lines, fields, escapes. */
#include "../unit.h"

#include "syntax/tsv.h"

/* --- escapes ------------------------------------------------------------- */

static void known_escapes(void **state)
{
	static const struct {
		struct str text, escaped;
	} cases[] = {
		{BYTES(""), BYTES("")},
		{BYTES("plain text"), BYTES("plain text")},
		{BYTES("a\tb\nc\rd\\e\0f"), BYTES("a\\tb\\nc\\rd\\\\e\\0f")},
		{BYTES("# forward #"), BYTES("# forward #")}, /* at the start of a row kev escapes it */
		{BYTES("\\t"), BYTES("\\\\t")},
		{BYTES("\x01\x1f\x7f\xff\xc3\xa4"), BYTES("\x01\x1f\x7f\xff\xc3\xa4")},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf out = {0};

		buf_char(&out, '|');
		tsv_escape(&out, cases[i].text);
		assert_str(((struct str){out.data + 1, out.len - 1}), cases[i].escaped);
		out.len = 1;
		tsv_unescape(&out, cases[i].escaped);
		assert_str(((struct str){out.data + 1, out.len - 1}), cases[i].text);
		buf_free(&out);
	}
}

static void unknown_escapes_stay(void **state)
{
	struct buf out = {0};

	(void)state;
	tsv_unescape(&out, STR("\\x41 \\ \\"));
	assert_buf(&out, "\\x41 \\ \\");
	out.len = 0;
	tsv_unescape(&out, STR("\\#a\\"));
	assert_buf(&out, "#a\\");
	out.len = 0;
	tsv_unescape(&out, STR("\\\0\\\\t")); /* a NUL is no 0 */
	assert_buf(&out, "\\\0\\t");
	buf_free(&out);
}

/* One byte that matters among others that do not, at every place of texts of many lengths. */
static void one_byte_to_escape(void **state)
{
	static const char bytes[] = "\\\t\n\r";

	(void)state;
	for (size_t n = 1; n < 50; n++) {
		for (size_t at = 0; at < n; at++) {
			for (size_t i = 0; i < sizeof bytes; i++) { /* the NUL among them */
				struct buf text = {0};
				struct buf escaped = {0};
				struct buf back = {0};

				for (size_t j = 0; j < n; j++)
					buf_char(&text, j == at ? bytes[i] : "a #~\xff"[j % 5]);
				tsv_escape(&escaped, buf_view(&text));
				assert_int_equal(escaped.len, n + 1);
				assert_int_equal(escaped.data[at], '\\');
				assert_int_equal(escaped.data[at + 1], "\\tnr0"[i]);
				tsv_unescape(&back, buf_view(&escaped));
				assert_str(buf_view(&back), buf_view(&text));
				buf_free(&text);
				buf_free(&escaped);
				buf_free(&back);
			}
		}
	}
}

static void unescaped_is_what_was_escaped(void **state)
{
	static const struct str alphabets[] = {BYTES(""), BYTES("\\tnr0#\t\n\r\0a"), BYTES("\\t")};
	struct buf text = {0};
	struct buf escaped = {0};
	struct buf back = {0};
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 30000; i++) {
		text.len = escaped.len = back.len = 0;
		unit_random_bytes(&seed, &text, unit_below(&seed, 40), alphabets[i % 3]);
		tsv_escape(&escaped, buf_view(&text));
		for (size_t j = 0; j < escaped.len; j++)
			assert_null(memchr("\t\n\r", escaped.data[j], 4));
		tsv_unescape(&back, buf_view(&escaped));
		assert_str(buf_view(&back), buf_view(&text));
		assert_str(tsv_text(buf_view(&escaped), &back), buf_view(&text));
	}
	buf_free(&text);
	buf_free(&escaped);
	buf_free(&back);
}

static void text_is_the_field_where_there_is_no_escape(void **state)
{
	struct buf scratch = {0};
	struct str field = STR("plain");
	struct str text;

	(void)state;
	assert_ptr_equal(tsv_text(field, &scratch).s, field.s);
	assert_int_equal(scratch.len, 0);
	assert_text(tsv_text((struct str){NULL, 0}, &scratch), "");
	buf_text(&scratch, "what was there before");
	text = tsv_text(STR("a\\tb"), &scratch);
	assert_text(text, "a\tb");
	assert_ptr_equal(text.s, scratch.data);
	buf_free(&scratch);
}

/* --- fields -------------------------------------------------------------- */

static void lines_are_split_at_tabs(void **state)
{
	struct str fields[3];

	(void)state;
	assert_int_equal(tsv_split(STR("a\tbc\t"), fields, 3), 3);
	assert_text(fields[0], "a");
	assert_text(fields[1], "bc");
	assert_text(fields[2], "");
	assert_int_equal(tsv_split(STR(""), fields, 3), 1);
	assert_text(fields[0], "");
	assert_int_equal(tsv_split(STR("\t"), fields, 3), 2);
	assert_text(fields[1], "");
	assert_int_equal(tsv_split(STR("a\\tb"), fields, 3), 1);
	assert_text(fields[0], "a\\tb");
	fields[1] = STR("kept");
	assert_int_equal(tsv_split(STR("x\ty\tz\t\t"), fields, 1), 5); /* counted, not stored */
	assert_text(fields[0], "x");
	assert_text(fields[1], "kept");
	assert_int_equal(tsv_split(STR("x\ty"), NULL, 0), 2);

	assert_text(tsv_field(STR("a\tbc\t"), 0), "a");
	assert_text(tsv_field(STR("a\tbc\t"), 1), "bc");
	assert_text(tsv_field(STR("a\tbc\t"), 2), "");
	assert_text(tsv_field(STR("a\tbc"), 5), "bc");
	assert_text(tsv_field(STR(""), 0), "");
}

/* --- lines --------------------------------------------------------------- */

/* "<text>" a line, with ! behind one that has no newline, then what ended it. */
static void show_lines(struct str bytes, size_t step, struct buf *out)
{
	struct tsv_reader r;
	int got;

	unit_feed_in_steps(bytes, step);
	assert_true(tsv_open(&r, "-"));
	while ((got = tsv_next(&r)) > 0) {
		buf_format(out, "%d<", (int)r.line);
		buf_str(out, r.text);
		buf_text(out, r.unended ? ">!" : ">");
	}
	assert_int_equal(tsv_next(&r), got);
	buf_format(out, got < 0 ? "%d: %s" : "end", (int)r.line, r.error);
	tsv_close(&r);
}

static void lines_are_read(void **state)
{
	static const struct {
		struct str bytes, lines;
	} cases[] = {
		{BYTES(""), BYTES("end")},
		{BYTES("a\n"), BYTES("1<a>end")},
		{BYTES("a"), BYTES("1<a>!end")},
		{BYTES("\n"), BYTES("1<>end")},
		{BYTES("\n\na\n"), BYTES("1<>2<>3<a>end")},
		{BYTES("a\r\nb\r\n"), BYTES("1<a>2<b>end")},
		{BYTES("a\r"), BYTES("1<a>!end")},
		{BYTES("a\r\r\nb\rc\n"), BYTES("1<a\r>2<b\rc>end")},
		{BYTES("\r\n"), BYTES("1<>end")},
		{BYTES("a\0b\n\0"), BYTES("1<a\0b>2<\0>!end")},
		{BYTES("\xef\xbb\xbf#ts\n"), BYTES("1<\xef\xbb\xbf#ts>end")},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		for (size_t step = 0; step <= cases[i].bytes.n; step++) {
			struct buf got = {0};

			show_lines(cases[i].bytes, step, &got);
			assert_str(buf_view(&got), cases[i].lines);
			buf_free(&got);
		}
	}
}

/* Reading and splitting at once equals one after the other, with AVX2 and without. */
static void lines_are_read_and_split(void **state)
{
	/* Bytes beside the tab and the newline are not taken for them. */
	static const struct str alphabets[] = {BYTES("\t\n\b\v\r\f\xba"), BYTES("abcdefghijklm\t\n\r"),
	                                       BYTES("\ta")};
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct buf bytes = {0};
		struct buf lines = {0};
		struct buf got = {0};
		struct tsv_reader r;
		struct str fields[5];
		struct str want[5];
		size_t max = unit_below(&seed, COUNT(fields) + 1);
		size_t count;

		for (size_t i = 0; i < 8; i++) {
			unit_random_bytes(&seed, &bytes, unit_below(&seed, 150), alphabets[round % 3]);
			buf_text(&bytes, unit_below(&seed, 3) ? "\n" : "\r\n");
		}
		bytes.len -= unit_below(&seed, 3);
		show_lines(buf_view(&bytes), 0, &lines);
		unit_feed_in_steps(buf_view(&bytes), unit_below(&seed, 2) * 100);
		assert_true(tsv_open(&r, "-"));
		r.avx2 &= unit_below(&seed, 2);
		while (tsv_next_split(&r, fields, max, &count) > 0) {
			buf_format(&got, "%d<", (int)r.line);
			buf_str(&got, r.text);
			buf_text(&got, r.unended ? ">!" : ">");
			assert_int_equal(count, tsv_split(r.text, want, max));
			for (size_t i = 0; i < count && i < max; i++)
				assert_str(fields[i], want[i]);
		}
		assert_int_equal(tsv_next_split(&r, fields, max, &count), 0);
		buf_text(&got, "end");
		assert_str(buf_view(&got), buf_view(&lines));
		tsv_close(&r);
		buf_free(&bytes);
		buf_free(&lines);
		buf_free(&got);
	}
}

/* Lines around the size of what is read at once, and one far above it. */
static void long_lines(void **state)
{
	static const size_t sizes[] = {262143, 262144, 262145, 3, 0, 5000000, 524288, 1};
	struct buf text = {0};
	struct tsv_reader r;
	size_t at = 0;
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		unit_random_bytes(&seed, &text, sizes[i], STR("abc\t\\"));
		buf_char(&text, '\n');
	}
	unit_feed(buf_view(&text));
	assert_true(tsv_open(&r, "-"));
	for (size_t i = 0; i < COUNT(sizes); i++) {
		assert_int_equal(tsv_next(&r), 1);
		assert_int_equal(r.line, i + 1);
		assert_int_equal(r.text.n, sizes[i]);
		assert_memory_equal(r.text.s, text.data + at, sizes[i]);
		at += sizes[i] + 1;
	}
	assert_int_equal(tsv_next(&r), 0);
	tsv_close(&r);
	buf_free(&text);
}

static void a_broken_input_gives_its_whole_lines(void **state)
{
	struct buf packed = {0};
	struct buf got = {0};

	(void)state;
	unit_gzip(&packed, STR("a\nb\ncut"), 0);
	packed.len -= 8; /* the trailer */
	show_lines(buf_view(&packed), 0, &got);
	assert_true(str_starts(buf_view(&got), STR("1<a>2<b>3: the gzip data are cut off at byte ")));
	buf_free(&got);
	buf_free(&packed);
}

static void what_cannot_be_opened(void **state)
{
	struct tsv_reader r;

	(void)state;
	assert_false(tsv_open(&r, "/nonexistent"));
	assert_string_equal(r.error, "cannot be opened: No such file or directory");
	assert_int_equal(r.line, 0);
	assert_false(tsv_open(&r, "/"));
	assert_string_equal(r.error, "cannot be read: it is a directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_escapes),
		cmocka_unit_test(unknown_escapes_stay),
		cmocka_unit_test(one_byte_to_escape),
		cmocka_unit_test(unescaped_is_what_was_escaped),
		cmocka_unit_test(text_is_the_field_where_there_is_no_escape),
		cmocka_unit_test(lines_are_split_at_tabs),
		cmocka_unit_test(lines_are_read),
		cmocka_unit_test(lines_are_read_and_split),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(a_broken_input_gives_its_whole_lines),
		cmocka_unit_test(what_cannot_be_opened),
	};

	return cmocka_run_group_tests_name("tsv", tests, NULL, NULL);
}
