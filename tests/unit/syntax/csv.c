/* csv: records by RFC 4180, and what real files do to it. */
#include "../unit.h"

#include "syntax/csv.h"

/* "LINE[field|field]" a record, then what ended it: "end" or "LINE: error". */
static void show_records(struct str bytes, size_t step, size_t max_record, struct buf *out)
{
	struct csv_reader r;
	int got;

	unit_feed_in_steps(bytes, step);
	assert_true(csv_open(&r, "-", max_record));
	while ((got = csv_next(&r)) > 0) {
		buf_format(out, "%d[", (int)r.line);
		for (size_t i = 0; i < r.count; i++) {
			buf_text(out, i ? "|" : "");
			buf_str(out, csv_field(&r, i));
		}
		buf_text(out, "] ");
	}
	assert_int_equal(csv_next(&r), got);
	if (got < 0)
		buf_format(out, "%d%s: %s", (int)r.line, r.fatal ? "!" : "", r.error);
	else
		buf_text(out, "end");
	csv_close(&r);
}

/* Fails if the records differ, whatever the pieces that the bytes come in. */
static void assert_records(struct str bytes, struct str want)
{
	for (size_t step = 0; step <= bytes.n; step++) {
		struct buf got = {0};

		show_records(bytes, step, 1 << 20, &got);
		assert_str(buf_view(&got), want);
		buf_free(&got);
	}
}

#define assert_csv(bytes, want) assert_records(STR(bytes), STR(want))

static void plain_records(void **state)
{
	(void)state;
	assert_csv("", "end");
	assert_csv("a", "1[a] end");
	assert_csv("a\n", "1[a] end");
	assert_csv("a,b,c\n1,2,3\n", "1[a|b|c] 2[1|2|3] end");
	assert_csv("a,,\n,\n", "1[a||] 2[|] end");
	assert_csv(" a ,\tb\t\n", "1[ a |\tb\t] end");
	assert_csv("ragged\na,b\na,b,c\n", "1[ragged] 2[a|b] 3[a|b|c] end");
	assert_csv("a\0b,\0\n", "1[a\0b|\0] end");
	assert_csv("\xff\xfe,\x80\n", "1[\xff\xfe|\x80] end");
}

static void ends_of_lines(void **state)
{
	(void)state;
	assert_csv("a,b\r\nc,d\r\n", "1[a|b] 2[c|d] end");
	assert_csv("a\r", "1[a] end");
	assert_csv("a\rb\n", "1[a\rb] end");
	assert_csv("a\r\r\n", "1[a\r] end");
	assert_csv("\n\n\na\n\r\n\nb\n\n", "4[a] 7[b] end");
	assert_csv("\r\n", "end");
	assert_csv("\"a\"\r\n\"b\"\r", "1[a] 2[b] end");
}

static void byte_order_marks(void **state)
{
	(void)state;
	assert_csv("\xef\xbb\xbf"
	           "a,b\n",
	           "1[a|b] end");
	assert_csv("\xef\xbb\xbf"
	           "\"a\",b\n",
	           "1[a|b] end");
	assert_csv("\xef\xbb\xbf", "end");
	assert_csv("\xef\xbb", "1[\xef\xbb] end");
	assert_csv("a\n\xef\xbb\xbf"
	           "b\n",
	           "1[a] 2[\xef\xbb\xbf"
	           "b] end"); /* only the first */
}

static void quoted_fields(void **state)
{
	(void)state;
	assert_csv("\"a\",\"b\"\n", "1[a|b] end");
	assert_csv("\"\"\n", "1[] end");
	assert_csv("\"\",\"\"", "1[|] end");
	assert_csv("\"a,b\",\"c\nd\",\"e\r\nf\"\ng\n", "1[a,b|c\nd|e\r\nf] 4[g] end");
	assert_csv("\"a\"\"b\"\n", "1[a\"b] end");
	assert_csv("\"\"\"\"\n", "1[\"] end");
	assert_csv("\"\"\"\"\"\",\"\"\"a\"\"\"\n", "1[\"\"|\"a\"] end");
	assert_csv("\"a\"\"\n\"\"b\",c\nd\n", "1[a\"\n\"b|c] 3[d] end");
	assert_csv("\"a\",\"b\"\"c\",\"d\"\n", "1[a|b\"c|d] end");
}

/* What RFC 4180 does not allow, read as spreadsheets read it. */
static void quotes_where_they_do_not_belong(void **state)
{
	(void)state;
	assert_csv("a\"b,c\"\"d\n", "1[a\"b|c\"\"d] end");
	assert_csv(" \"a\"\n", "1[ \"a\"] end");
	assert_csv("\"a\"b,c\n", "1[ab|c] end");
	assert_csv("\"a\" ,c\n", "1[a |c] end");
	assert_csv("\"a\"b\"c,d\n", "1[ab\"c|d] end");
	assert_csv("\"a\"b\"\"c,d\ne\n", "1[ab\"\"c|d] 2[e] end");
	assert_csv("\"a\" \"b\",c\n", "1[a \"b\"|c] end");
}

static void a_quote_that_is_never_closed(void **state)
{
	(void)state;
	assert_csv("a,b\n\"c,d\n1,2\n", "1[a|b] 2: the file ends inside quotes");
	assert_csv("\"", "1: the file ends inside quotes");
	assert_csv("\"\"\"", "1: the file ends inside quotes");
}

/* Each cut of a file: the records before it as they were, and never a quote forgotten. */
static void cut_at_every_byte(void **state)
{
	static const struct str text = BYTES("a,\"b\"\"\n\",c\r\n\"d\",e,f\n");
	static const char in_quotes[] = "00011011000001100000"; /* where the cut is */
	struct buf got = {0};

	(void)state;
	assert_int_equal(strlen(in_quotes), text.n);
	show_records(text, 0, 1 << 20, &got);
	assert_buf(&got, "1[a|b\"\n|c] 3[d|e|f] end");
	for (size_t cut = 0; cut < text.n; cut++) {
		got.len = 0;
		show_records((struct str){text.s, cut}, 0, 1 << 20, &got);
		assert_int_equal(str_starts(buf_view(&got), STR("1[a|b\"\n|c] ")), cut >= 10);
		assert_int_equal(str_ends(buf_view(&got), STR("the file ends inside quotes")),
		                 in_quotes[cut] == '1');
		assert_int_equal(str_ends(buf_view(&got), STR("] end")) || cut == 0, in_quotes[cut] == '0');
	}
	buf_free(&got);
}

/* A last record without its newline may be cut: nobody knows. */
static void the_last_line_may_be_cut(void **state)
{
	static const struct {
		struct str text;
		bool unended;
	} cases[] = {{BYTES("a\nb\n"), false}, {BYTES("a\nb"), true},      {BYTES("a\n\"b\""), true},
	             {BYTES("a\nb\r"), true},  {BYTES("a\nb\r\n"), false}, {BYTES("a\nb,\n\n"), false}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		for (size_t step = 0; step < cases[i].text.n; step++) {
			struct csv_reader r;

			unit_feed_in_steps(cases[i].text, step);
			assert_true(csv_open(&r, "-", 1000));
			assert_int_equal(csv_next(&r), 1);
			assert_false(r.unended);
			assert_int_equal(csv_next(&r), 1);
			assert_int_equal(r.unended, cases[i].unended);
			csv_close(&r);
		}
	}
}

static void long_records(void **state)
{
	static const size_t sizes[] = {262143, 262144, 262145, 1, 1000000, 524288};
	struct buf text = {0};
	struct buf fields = {0};
	struct csv_reader r;
	size_t at = 0;
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		size_t start = fields.len;

		unit_random_bytes(&seed, &fields, sizes[i], STR("abc\",\n"));
		buf_char(&text, '"');
		for (size_t j = start; j < fields.len; j++) {
			buf_char(&text, fields.data[j]);
			if (fields.data[j] == '"')
				buf_char(&text, '"');
		}
		buf_text(&text, "\",tail\n");
	}
	unit_feed(buf_view(&text));
	assert_true(csv_open(&r, "-", 4 << 20));
	for (size_t i = 0; i < COUNT(sizes); i++) {
		assert_int_equal(csv_next(&r), 1);
		assert_int_equal(r.count, 2);
		assert_int_equal(csv_field(&r, 0).n, sizes[i]);
		assert_memory_equal(csv_field(&r, 0).s, fields.data + at, sizes[i]);
		assert_text(csv_field(&r, 1), "tail");
		at += sizes[i];
	}
	assert_int_equal(csv_next(&r), 0);
	csv_close(&r);
	buf_free(&text);
	buf_free(&fields);
}

static void a_record_that_is_too_long(void **state)
{
	static const char said[] = "1[a] 2!: a record exceeds ";

	(void)state;
	for (size_t step = 0; step < 60; step += 7) {
		struct buf got = {0};

		show_records(STR("a\n\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"), step, 20, &got);
		assert_true(str_starts(buf_view(&got), STR(said)));
		got.len = 0;
		show_records(STR("a\nbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\nc\n"), step, 20, &got);
		assert_true(str_starts(buf_view(&got), STR(said)));
		got.len = 0;
		show_records(STR("a\n12345678901234567890\nc\n"), step, 20, &got);
		assert_buf(&got, "1[a] 2[12345678901234567890] 3[c] end");
		buf_free(&got);
	}
}

/* Fields quoted in every way that RFC 4180 has are equal when read again. */
static void quoted_and_read_is_the_same(void **state)
{
	static const struct str alphabets[] = {BYTES("\",\n\ra"), BYTES("\""), BYTES("")};
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < 600; i++) {
		struct buf text = {0};
		struct buf fields[60] = {{0}};
		size_t columns = 1 + unit_below(&seed, 6);
		struct csv_reader r;

		for (size_t j = 0; j < COUNT(fields) / 6 * columns; j++) {
			unit_random_bytes(&seed, &fields[j], unit_below(&seed, 6), alphabets[i % 3]);
			buf_char(&text, '"');
			for (size_t k = 0; k < fields[j].len; k++) {
				if (fields[j].data[k] == '"')
					buf_char(&text, '"');
				buf_char(&text, fields[j].data[k]);
			}
			buf_char(&text, '"');
			buf_text(&text, (j + 1) % columns ? "," : i % 2 ? "\r\n" : "\n");
		}
		unit_feed_in_steps(buf_view(&text), i % 5);
		assert_true(csv_open(&r, "-", 1 << 20));
		for (size_t j = 0; j < COUNT(fields) / 6 * columns; j++) {
			if (j % columns == 0) {
				assert_int_equal(csv_next(&r), 1);
				assert_int_equal(r.count, columns);
			}
			assert_str(csv_field(&r, j % columns), buf_view(&fields[j]));
		}
		assert_int_equal(csv_next(&r), 0);
		csv_close(&r);
		buf_free(&text);
		for (size_t j = 0; j < COUNT(fields); j++)
			buf_free(&fields[j]);
	}
}

static void the_rest_as_one_field(void **state)
{
	struct buf scratch = {0};
	struct csv_reader r;

	(void)state;
	unit_feed(STR("1,2,void f<int, char>(x, y)\n"));
	assert_true(csv_open(&r, "-", 1000));
	assert_int_equal(csv_next(&r), 1);
	assert_int_equal(r.count, 5);
	assert_text(csv_rest(&r, 2, &scratch), "void f<int, char>(x, y)");
	assert_text(csv_rest(&r, 4, &scratch), " y)");
	assert_text(csv_rest(&r, 5, &scratch), "");
	csv_close(&r);
	buf_free(&scratch);
}

static void a_broken_input_gives_its_whole_records(void **state)
{
	struct buf packed = {0};
	struct buf got = {0};

	(void)state;
	unit_gzip(&packed, STR("a,b\nc,d\ncut"), 0);
	packed.len -= 8; /* the trailer */
	show_records(buf_view(&packed), 0, 1000, &got);
	assert_true(str_starts(buf_view(&got), STR("1[a|b] 2[c|d] 3: the gzip data are cut off")));
	buf_free(&got);
	buf_free(&packed);
}

static void what_is_no_csv(void **state)
{
	struct csv_reader r;

	(void)state;
	unit_feed(STR("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"));
	assert_true(csv_open(&r, "-", 1000));
	assert_int_equal(csv_next(&r), -1);
	assert_true(r.fatal);
	assert_true(str_has(str_of(r.error), STR("Git LFS pointer")));
	csv_close(&r);
	assert_false(csv_open(&r, "/nonexistent", 1000));
	assert_string_equal(r.error, "cannot be opened: No such file or directory");
	assert_false(csv_open(&r, "/", 1000));
	assert_string_equal(r.error, "cannot be read: it is a directory");
}

/* Records as they stand, cut into fields that say what the reader said. */
static void fields_as_they_stand(void **state)
{
	static const struct str text = BYTES("\xef\xbb\xbf"
	                                     "\"a\",b\r\n  \n\"c\"\"\"d,\n\n\"e,\n\",,\"\"x");
	static const char *const want[] = {"\"a\"|b", "", "\"c\"\"\"d|", "", "\"e,\n\"||\"\"x"};
	static const char *const says[] = {"a|b", "", "c\"d|", "", "e,\n||x"};
	static const size_t ends[] = {2, 1, 1, 1, 0};

	(void)state;
	for (size_t step = 0; step <= text.n; step++) {
		struct csv_reader r;
		struct buf whole = {0};
		size_t records = 0;

		unit_feed_in_steps(text, step);
		assert_true(csv_open(&r, "-", 1 << 20));
		r.blanks = true;
		for (; csv_next(&r) > 0; records++) {
			struct str fields[8];
			size_t count = csv_split(r.record, fields, COUNT(fields));
			struct buf raw = {0};
			struct buf said = {0};

			for (size_t i = 0; i < count; i++) {
				struct buf scratch = {0};

				buf_text(&raw, i ? "|" : "");
				buf_text(&said, i ? "|" : "");
				buf_str(&raw, str_trim(fields[i]));
				buf_str(&said, str_trim(csv_unquote(fields[i], &scratch)));
				buf_free(&scratch);
			}
			assert_int_equal(r.count, *want[records] ? count : 0);
			assert_str(buf_view(&raw), str_of(want[records]));
			assert_str(buf_view(&said), str_of(says[records]));
			assert_int_equal(r.end_n, ends[records]);
			buf_bytes(&whole, r.record.s, r.record.n + r.end_n);
			buf_free(&raw);
			buf_free(&said);
		}
		assert_true(r.bom);
		assert_int_equal(records, COUNT(want));
		assert_str(buf_view(&whole), ((struct str){text.s + 3, text.n - 3}));
		buf_free(&whole);
		csv_close(&r);
	}
}

/* Whether the fields of the record are those of csv_split, also if they are asked for again. */
static void assert_split(struct csv_reader *r)
{
	enum { MOST = 512 };

	struct str fields[MOST];
	size_t count = csv_split(r->record, fields, MOST);

	assert_int_equal(r->count, count);
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < count; i++) {
			struct buf scratch = {0};

			assert_str(csv_field(r, i), csv_unquote(fields[i], &scratch));
			buf_free(&scratch);
		}
	}
}

/* Records of all lengths about that of some blocks, with AVX2 and without it. */
static void random_records(void **state)
{
	static const char *const alphabets[] = {"ab,\n", "abcdefgh,", "a\",\n", "abcdef\"\",,\r\n",
	                                        ",\"\n"};
	uint64_t seed = 3;

	(void)state;
	for (size_t round = 0; round < 3000; round++) {
		struct csv_reader r;
		struct buf text = {0};
		struct buf whole = {0};

		unit_random_bytes(&seed, &text, unit_below(&seed, 300),
		                  str_of(alphabets[round % COUNT(alphabets)]));
		unit_feed_in_steps(buf_view(&text), round % 7 ? 0 : 1 + unit_below(&seed, 80));
		assert_true(csv_open(&r, "-", 1 << 20));
		r.avx2 &= round % 2;
		r.blanks = true;
		while (csv_next(&r) > 0) {
			if (r.count)
				assert_split(&r);
			buf_bytes(&whole, r.record.s, r.record.n + r.end_n);
		}
		if (!r.error[0])
			assert_str(buf_view(&whole), buf_view(&text));
		csv_close(&r);
		buf_free(&whole);
		buf_free(&text);
	}
}

/* More fields than there is room for are counted. */
static void splitting_by_hand(void **state)
{
	struct str fields[2];
	struct buf scratch = {0};

	(void)state;
	assert_int_equal(csv_split(STR("a,b,c"), fields, 2), 3);
	assert_text(fields[1], "b");
	assert_int_equal(csv_split(STR(""), fields, 2), 1);
	assert_text(fields[0], "");
	assert_text(csv_unquote(STR("\"\"\""), &scratch), "\"");
	buf_free(&scratch);
}

static void quoting(void **state)
{
	static const char *const texts[][3] = {
		{"a b", "a b", "\"a b\""},     {"", "", "\"\""},
		{"a,b", "\"a,b\"", "\"a,b\""}, {"\"", "\"\"\"\"", "\"\"\"\""},
		{"a\n", "\"a\n\"", "\"a\n\""}, {"\r", "\"\r\"", "\"\r\""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		for (int always = 0; always < 2; always++) {
			struct buf got = {0};
			struct buf scratch = {0};

			csv_quote(&got, str_of(texts[i][0]), always);
			assert_str(buf_view(&got), str_of(texts[i][1 + always]));
			assert_str(csv_unquote(buf_view(&got), &scratch), str_of(texts[i][0]));
			buf_free(&got);
			buf_free(&scratch);
		}
	}
}

static void an_open_file_is_read_and_closed(void **state)
{
	char path[64];
	struct csv_reader r;
	int fd;

	(void)state;
	unit_file(path, STR("a,b\n"));
	fd = open(path, O_RDONLY);
	unlink(path);
	assert_true(csv_open_fd(&r, fd, "name", 1 << 20));
	assert_string_equal(r.in.name, "name");
	assert_int_equal(csv_next(&r), 1);
	csv_close(&r);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	fd = open("/", O_RDONLY);
	assert_false(csv_open_fd(&r, fd, "name", 1 << 20));
	assert_string_equal(r.error, "cannot be read: it is a directory");
	csv_close(&r);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_records),
		cmocka_unit_test(ends_of_lines),
		cmocka_unit_test(byte_order_marks),
		cmocka_unit_test(quoted_fields),
		cmocka_unit_test(quotes_where_they_do_not_belong),
		cmocka_unit_test(a_quote_that_is_never_closed),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(the_last_line_may_be_cut),
		cmocka_unit_test(long_records),
		cmocka_unit_test(a_record_that_is_too_long),
		cmocka_unit_test(quoted_and_read_is_the_same),
		cmocka_unit_test(the_rest_as_one_field),
		cmocka_unit_test(a_broken_input_gives_its_whole_records),
		cmocka_unit_test(what_is_no_csv),
		cmocka_unit_test(fields_as_they_stand),
		cmocka_unit_test(random_records),
		cmocka_unit_test(splitting_by_hand),
		cmocka_unit_test(quoting),
		cmocka_unit_test(an_open_file_is_read_and_closed),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
