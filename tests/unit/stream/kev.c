/* kev: the stream's reader. */
#include "../unit.h"

#include "stream/kev.h"

/* --- reading ------------------------------------------------------------- */

/*
 * What kev_next gives, as text: "C<ts|dur>" columns, "R<1|2>" a row, decoded, "M<key=value>"
 * metadata, "F<line: error>" or "." at the end.
 */
static void show_items(struct kev_reader *r, struct buf *out)
{
	struct buf scratch = {0};
	enum kev_item item;

	while ((item = kev_next(r)) > KEV_END) {
		buf_text(out, item == KEV_ROW ? "R<" : item == KEV_COLUMNS ? "C<" : "M<");
		if (item == KEV_META) {
			buf_str(out, r->key);
			buf_text(out, r->has_value ? "=" : "");
			buf_str(out, r->value);
		} else {
			for (size_t i = 0; i < r->columns_count; i++) {
				buf_text(out, i ? "|" : "");
				buf_str(out, item == KEV_COLUMNS ? r->column[i] : kev_text(r, (int)i, &scratch));
			}
		}
		buf_char(out, '>');
	}
	if (item == KEV_FAILED)
		buf_format(out, "F<%d: %s>", (int)r->error_line, r->error);
	else
		buf_char(out, '.');
	assert_int_equal(kev_next(r), item);
	buf_free(&scratch);
}

static void assert_items(struct str stream, struct str want)
{
	for (size_t step = 0; step <= stream.n; step += step < 4 ? 1 : 17) {
		struct kev_reader r;
		struct buf got = {0};

		unit_feed_in_steps(stream, step);
		kev_open(&r, unit_opts());
		show_items(&r, &got);
		assert_str(buf_view(&got), want);
		kev_close(&r);
		buf_free(&got);
	}
}

#define assert_kev(stream, want) assert_items(STR(stream), STR(want))

static void columns_and_rows(void **state)
{
	(void)state;
	assert_kev("#a\tb\n1\t2\n\t\n", "C<a|b>R<1|2>R<|>.");
	assert_kev("#a\tb\n", "C<a|b>.");
	assert_kev("#one\n1\n\n", "C<one>R<1>R<>.");
	assert_kev("#\n\n", "C<>R<>.");
	assert_kev("##kev\t1\n#External id\tInput Shapes\n7\t[[1, 2]]\n",
	           "C<External id|Input Shapes>R<7|[[1, 2]]>.");
	assert_kev("#a\tb\r\n1\t2\r\n", "C<a|b>R<1|2>.");
}

static void escapes_in_names_and_fields(void **state)
{
	(void)state;
	assert_kev("#a\\tb\tc\\\\d\n\\#x\\ny\t\\0\\r\n", "C<a\tb|c\\d>R<#x\ny|\0\r>.");
	assert_kev("#\\#a\tb\n\\## forward ##\t#\n", "C<#a|b>R<## forward ##|#>.");
	assert_kev("#\\\\#a\n\\\\#\n", "C<\\#a>R<\\#>.");
	assert_kev("#a\n\xff\x01\n", "C<a>R<\xff\x01>.");
}

/* A bare awk output has the core columns in their order. */
static void without_a_columns_line(void **state)
{
	(void)state;
	assert_kev("1\t2\tT\tn\tc\tX\t0\t1\tM\n1\t2\t\t\t\t\t\t\t\n",
	           "C<ts|dur|type|name|cat|ph|pid|tid|source>R<1|2|T|n|c|X|0|1|M>R<1|2|||||||>.");
	assert_kev(
		"1\t2\n",
		"C<ts|dur|type|name|cat|ph|pid|tid|source>"
		"F<1: 2 fields, but a stream without a columns line has the 9 core columns of kev(5)>");
	/* After rows of the core columns a columns line may still come. */
	assert_kev("##x\n1\t2\tT\tn\tc\tX\t0\t1\tM\n#a\n7\n",
	           "M<x>C<ts|dur|type|name|cat|ph|pid|tid|source>R<1|2|T|n|c|X|0|1|M>C<a>R<7>.");
	assert_kev("1\t2\tT\tn\tc\tX\t0\t1\tM\n#\n7\n",
	           "C<ts|dur|type|name|cat|ph|pid|tid|source>R<1|2|T|n|c|X|0|1|M>C<>R<7>.");
}

static void columns_again_map_again(void **state)
{
	(void)state;
	assert_kev("#a\tb\n1\t2\n#b\ta\tc\n3\t4\t5\n#b\ta\tc\n6\t7\t8\n",
	           "C<a|b>R<1|2>C<b|a|c>R<3|4|5>C<b|a|c>R<6|7|8>.");
}

static void metadata(void **state)
{
	(void)state;
	assert_kev("##kev\t1\n##source\ta\\tb\n##x\n##y\t\n##process\t0\tname\n#a\n1\n##unit\tus\n",
	           "M<source=a\\tb>M<x>M<y=>M<process=0\tname>C<a>R<1>M<unit=us>.");
	assert_kev("##\n#a\n", "M<>C<a>.");
	assert_kev("##kev\t1\n#a\n##kev\t1\n#a\n", "C<a>C<a>.");
	assert_kev("##kev\t2\n#a\n", "F<1: version '2' of the stream: this program reads version 1>");
	assert_kev("##kev\n#a\n", "F<1: the ##kev line was changed; a filter must let ## lines pass, "
	                          "as awk '/^#/ || ...' does, "
	                          "and cut(1) must keep field 2>");
	assert_kev("##kev\t1\t\n", "F<1: the ##kev line was changed; a filter must let ## lines pass, "
	                           "as awk '/^#/ || ...' does, and cut(1) must keep field 2>");
}

/* Each ##ends of a program needs an ##end, anywhere; surplus ones mean nothing. */
static void ends_of_writers(void **state)
{
	(void)state;
	assert_kev("##ends\tp\n#a\n1\n##end\tp\n", "C<a>R<1>.");
	assert_kev("##ends\tp\n##end\tp\n#a\n1\n", "C<a>R<1>.");
	assert_kev("##end\tp\n#a\n1\n", "C<a>R<1>.");
	assert_kev("#a\n1\n##end\tp\n##end\tp\n##end\tq\n", "C<a>R<1>.");
	assert_kev("##ends\tp\n#a\n1\n##end\tp\n##ends\tp\n#a\n2\n##end\tp\n", "C<a>R<1>C<a>R<2>.");
	assert_kev("##ends\n#a\n##end\n", "C<a>.");
	assert_kev("##ends\tp\n#a\n1\n", "C<a>R<1>M<damaged=-\tthe output of 'p' has no end; "
	                                 "the program was killed or the stream was cut>.");
	assert_kev("##ends\tp\n#a\n##end\tq\n", "C<a>M<damaged=-\tthe output of 'p' has no end; "
	                                        "the program was killed or the stream was cut>.");
	assert_kev("##ends\tq\n##ends\tp\n#a\n##end\tq\n",
	           "C<a>M<damaged=-\tthe output of 'p' has no end; "
	           "the program was killed or the stream was cut>.");
	assert_kev("##ends\tp\n##ends\tp\n##ends\tq\n#a\n##end\tp\n",
	           "C<a>M<damaged=-\t2 outputs have no end, the first of 'p'; "
	           "programs were killed or the stream was cut>.");
	/* One cause, one line; what is cut off is not used, whatever it looks like. */
	assert_kev("##ends\tp\n#a\tb\n1\t2\n3\t4", "C<a|b>R<1|2>M<damaged=-\tline 4: the last line is "
	                                           "cut off and was left out>.");
	assert_kev("##ends\tp\n#a\n1\n##unit\tu", "C<a>R<1>M<damaged=-\tline 4: the last line is cut "
	                                          "off and was left out>.");
	assert_kev("##ends\tp\n#a\tb\n1\t2\n3\n", "C<a|b>R<1|2>M<damaged=-\tline 4: the last line is "
	                                          "cut off and was left out>.");
	assert_kev("##ends\tp\n#a\tb\n3\n1\t2\n",
	           "C<a|b>F<3: 1 field, but the columns line (line 2) names 2>");
	assert_kev("##ends\tp\n#a\tb\n1\t2\t3\n",
	           "C<a|b>F<3: 3 fields, but the columns line (line 2) names 2>");
	assert_kev("##ends\tp\n##end\tp\n#a\n1",
	           "C<a>R<1>M<damaged=-\tline 4: the last line has no newline; "
	           "it may be cut off>.");
}

static void a_head_alone(void **state)
{
	(void)state;
	assert_kev("##kev\t1\n##x\n",
	           "M<x>M<damaged=-\ta stream ends after its head, before a columns line>.");
	assert_kev("##kev\t1\n##end\tp\n", ".");
	assert_kev("##kev\t1\n##damaged\tf\tcut\n", "M<damaged=f\tcut>.");
	assert_kev("##x\n", "M<x>.");
	/* Before another stream, and joined to it. */
	assert_kev("##kev\t1\n##kev\t1\n##ends\tp\n#a\n1\n##end\tp\n",
	           "C<a>R<1>M<damaged=-\ta stream ends after its head, before a columns line>.");
	assert_kev("##k##kev\t1\n##ends\tp\n#a\n##end\tp\n",
	           "M<damaged=-\tline 1: a line is cut off, and the next stream joined to it>C<a>.");
}

static void rows_of_the_wrong_width(void **state)
{
	(void)state;
	assert_kev("##x\n#a\tb\n1\t2\n1\n",
	           "M<x>C<a|b>R<1|2>F<4: 1 field, but the columns line (line 2) names 2>");
	assert_kev("#a\tb\n1\t2\t3\n", "C<a|b>F<2: 3 fields, but the columns line (line 1) names 2>");
	assert_kev("#a\tb\n\n", "C<a|b>F<2: 1 field, but the columns line (line 1) names 2>");
	assert_kev("#a\ta\n", "F<1: two columns are named 'a'>");
	assert_kev("#a\\tb\tc\ta\\tb\n", "F<1: two columns are named 'a\\x09b'>");
}

/* A trace or a CSV in place of a stream: said what to do with it. */
static void files_of_another_kind(void **state)
{
	static const char *const kinds[][2] = {
		{"{\"traceEvents\":[]}\n", "F<1: this is JSON, not a kev stream; "},
		{"[\n", "F<1: this is JSON, not a kev stream; "},
		{"\n{\n", "F<1: this is not a kev stream; "},
		{"Name,Type\n", "F<1: this is CSV, not a kev stream; "},
		{"Name\n", "F<1: this is not a kev stream; "},
		{"a\tb\n",
	     "F<1: 2 fields, but a stream without a columns line has the 9 core columns of kev(5)>"},
		{"##x\n{\n", "F<2: 1 field, but "},
		{"a,b\tc\n", "F<1: 2 fields, but "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct kev_reader r;
		struct buf got = {0};

		unit_feed(str_of(kinds[i][0]));
		kev_open(&r, unit_opts());
		show_items(&r, &got);
		assert_case(kinds[i][0], str_has(buf_view(&got), str_of(kinds[i][1])));
		kev_close(&r);
		buf_free(&got);
	}
	assert_kev("#{\n{\n", "C<{>R<{>."); /* a stream that has named its columns may have such rows */
}

static void cut_streams_are_damaged(void **state)
{
	(void)state;
	assert_kev("", "M<damaged=-\tthe stream is empty; it should at least have a head>.");
	assert_kev(
		"#a\tb\n1\t2",
		"C<a|b>R<1|2>M<damaged=-\tline 2: the last line has no newline; it may be cut off>.");
	assert_kev("#a\tb\n1\t2\n1",
	           "C<a|b>R<1|2>M<damaged=-\tline 3: the last line is cut off and was left out>.");
	assert_kev("1\t2", "C<ts|dur|type|name|cat|ph|pid|tid|source>"
	                   "M<damaged=-\tline 1: the last line is cut off and was left out>.");
	assert_kev("#a\n##x\ty",
	           "C<a>M<x=y>M<damaged=-\tline 2: the last line has no newline; it may be cut off>.");
	assert_kev("#a\tb",
	           "C<a|b>M<damaged=-\tline 1: the last line has no newline; it may be cut off>.");
}

static void broken_gzip_is_damage(void **state)
{
	struct buf packed = {0};
	struct buf got = {0};
	struct kev_reader r;

	(void)state;
	unit_gzip(&packed, STR("#a\tb\n1\t2\n3\t"), 0);
	packed.len -= 8; /* the trailer */
	unit_feed(buf_view(&packed));
	kev_open(&r, unit_opts());
	show_items(&r, &got);
	assert_true(str_starts(buf_view(&got),
	                       STR("C<a|b>R<1|2>M<damaged=-\tline 3: the gzip data are cut off")));
	/* The layout is still what it was. */
	assert_int_equal(kev_column(&r, STR("b")), 1);
	assert_int_equal(kev_column(&r, STR("c")), KEV_NONE);
	kev_close(&r);
	buf_free(&packed);
	buf_free(&got);
}

static void damage_is_noted(void **state)
{
	struct kev_reader r;

	(void)state;
	unit_feed(STR("#a\n##damaged\tx\\ty\tbyte 3: cut\n##damaged\tx\n"));
	kev_open(&r, unit_opts());
	assert_int_equal(kev_next(&r), KEV_COLUMNS);
	assert_int_equal(kev_next(&r), KEV_META);
	assert_buf(&r.damage_file, "x\\ty");
	assert_buf(&r.damage_what, "byte 3: cut");
	assert_int_equal(kev_next(&r), KEV_META);
	assert_buf(&r.damage_file, "x");
	assert_buf(&r.damage_what, "damaged");
	assert_int_equal(kev_next(&r), KEV_END);
	kev_close(&r);
}

static void files_one_behind_the_other(void **state)
{
	char paths[3][64];
	char missing[] = "/nonexistent";
	char *list[] = {paths[0], paths[1], missing, paths[2], missing};
	const struct opts all = {.operands = list, .operands_count = 5};
	const struct opts strict = {.operands = list + 1, .operands_count = 2, .strict = true};
	const struct opts none = {.operands = list + 4, .operands_count = 1};
	struct kev_reader r;
	struct buf got = {0};
	struct buf want = {0};

	(void)state;
	unit_file(paths[0], STR("#a\n1\n2"));
	unit_file(paths[1], STR("1\t2\tT\tn\tc\tX\t0\t1\tM\n")); /* it does not go on with #a */
	unit_file(paths[2], STR("#b\n3\n"));
	kev_open(&r, &all);
	show_items(&r, &got);
	buf_format(&want,
	           "C<a>R<1>R<2>M<damaged=%s\tline 3: the last line has no newline; it may be cut off>"
	           "C<ts|dur|type|name|cat|ph|pid|tid|source>R<1|2|T|n|c|X|0|1|M>"
	           "M<damaged=/nonexistent\tcannot be opened: No such file or directory>C<b>R<3>"
	           "M<damaged=/nonexistent\tcannot be opened: No such file or directory>.",
	           paths[0]);
	assert_str(buf_view(&got), buf_view(&want));
	kev_close(&r);
	got.len = 0;
	kev_open(&r, &strict);
	show_items(&r, &got);
	assert_buf(&got, "C<ts|dur|type|name|cat|ph|pid|tid|source>R<1|2|T|n|c|X|0|1|M>"
	                 "F<0: cannot be opened: No such file or directory>");
	assert_string_equal(r.file, "/nonexistent");
	kev_close(&r);
	got.len = 0;
	kev_open(&r, &none);
	show_items(&r, &got);
	assert_buf(&got, "F<0: cannot be opened: No such file or directory>");
	kev_close(&r);
	/* Unless others can be opened. */
	got.len = 0;
	kev_open(&r, &none);
	r.others = true;
	show_items(&r, &got);
	assert_buf(&got, "M<damaged=/nonexistent\tcannot be opened: No such file or directory>.");
	kev_close(&r);
	/* Left alone with a file open. */
	kev_open(&r, &all);
	assert_int_equal(kev_next(&r), KEV_COLUMNS);
	kev_close(&r);
	for (size_t i = 0; i < COUNT(paths); i++)
		unlink(paths[i]);
	buf_free(&got);
	buf_free(&want);
}

static void two_units_are_told_apart(void **state)
{
	static const struct str stream = BYTES("##unit\tus\n#a\n##unit\tus\n1\n##unit\tcycles\n2\n");

	(void)state;
	for (int one = 0; one < 2; one++) {
		struct kev_reader r;
		struct buf got = {0};

		unit_feed(stream);
		kev_open(&r, unit_opts());
		assert_string_equal(kev_unit(&r), "us");
		assert_false(r.units_differ);
		r.one_unit = one;
		show_items(&r, &got);
		if (one) {
			assert_true(str_starts(
				buf_view(&got),
				STR("M<unit=us>C<a>M<unit=us>R<1>F<5: unit: 'cycles' here, 'us' before")));
		} else {
			assert_buf(&got, "M<unit=us>C<a>M<unit=us>R<1>M<unit=cycles>R<2>.");
			assert_string_equal(kev_unit(&r), "cycles");
			assert_true(r.units_differ);
		}
		kev_close(&r);
		buf_free(&got);
	}
}

/* Without a ##unit line the rows of a file are in us, whatever follows them. */
static void a_unit_is_implied_by_rows(void **state)
{
	static const struct {
		const char *row;
		const char *unit;
	} cases[] = {{"1\n", "us"}, {"", ""}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct kev_reader r;
		struct buf stream = {0};
		struct buf got = {0};

		buf_format(&stream, "#a\n%s##x\t%0100d\n", cases[i].row, 0);
		unit_feed(buf_view(&stream));
		kev_open(&r, unit_opts());
		show_items(&r, &got);
		assert_str(buf_view(&r.unit), str_of(cases[i].unit));
		kev_close(&r);
		buf_free(&stream);
		buf_free(&got);
	}
}

/* --- a second look ---------------------------------------------------------- */

/* Reads to the end, keeping what is no row, and rows whose first field begins with k. */
static void keep_some(struct kev_reader *r)
{
	enum kev_item item;

	while ((item = kev_next(r)) > KEV_END)
		if (item != KEV_ROW || (r->field[0].n && *r->field[0].s == 'k'))
			kev_keep(r, item);
	assert_int_equal(item, KEV_END);
}

/* What three looks give, the last two of them alike: what was kept. */
static void assert_looks(struct kev_reader *r, const char *want)
{
	keep_some(r);
	for (int look = 0; look < 2; look++) {
		struct buf got = {0};

		kev_again(r);
		show_items(r, &got);
		assert_str(buf_view(&got), str_of(want));
		buf_free(&got);
	}
	kev_close(r);
}

static void of_a_pipe_what_was_kept_is_seen_again(void **state)
{
	static const struct str text = BYTES("##source\tf\n##x\n#\\#a\tb\\n\nk1\t\\#\r\n-\t-\nk2\t\n"
	                                     "#b\nk3\n-\n");
	struct buf packed = {0};
	struct kev_reader r;

	(void)state;
	unit_feed_pipe(text);
	kev_open(&r, unit_opts());
	assert_looks(&r, "M<source=f>M<x>C<#a|b\n>R<k1|#>R<k2|>C<b>R<k3>.");
	unit_gzip(&packed, text, 6);
	unit_feed_pipe(buf_view(&packed));
	kev_open(&r, unit_opts());
	assert_looks(&r, "M<source=f>M<x>C<#a|b\n>R<k1|#>R<k2|>C<b>R<k3>.");
	buf_free(&packed);
	/* Columns that are not written; an empty stream and a cut one are damage in every look. */
	unit_feed_pipe(STR("k\t2\t3\t4\t5\t6\t7\t8\t9\n1\t2\t3\t4\t5\t6\t7\t8\t9\n"));
	kev_open(&r, unit_opts());
	assert_looks(&r, "C<ts|dur|type|name|cat|ph|pid|tid|source>R<k|2|3|4|5|6|7|8|9>.");
	unit_feed_pipe(STR(""));
	kev_open(&r, unit_opts());
	assert_looks(&r, "M<damaged=-\tthe stream is empty; it should at least have a head>.");
	unit_feed_pipe(STR("#a\tb\nk\t1\nk"));
	kev_open(&r, unit_opts());
	assert_looks(&r,
	             "C<a|b>R<k|1>M<damaged=-\tline 3: the last line is cut off and was left out>.");
}

/* Looks at a file of this text, plain and gzipped; want has its name as %s. */
static void assert_looks_at_files(struct str text, bool reread, const char *want)
{
	struct buf packed = {0};
	struct buf all = {0};
	char path[64];
	char *name = path;
	struct kev_reader r;

	for (int zipped = 0; zipped < 2; zipped++) {
		const char *at = strstr(want, "%s");

		packed.len = all.len = 0;
		if (zipped)
			unit_gzip(&packed, text, 6);
		else
			buf_str(&packed, text);
		unit_file(path, buf_view(&packed));
		kev_open(&r, &(struct opts){.operands = &name, .operands_count = 1});
		r.reread = reread;
		buf_bytes(&all, want, (size_t)(at - want));
		buf_text(&all, path);
		buf_text(&all, at + 2);
		buf_char(&all, '\0');
		assert_looks(&r, all.data);
		unlink(path);
	}
	buf_free(&packed);
	buf_free(&all);
}

/* Only those that are few, or their file would be read again. */
static void of_a_file_what_was_kept_is_seen_again(void **state)
{
	(void)state;
	assert_looks_at_files(
		STR("#a\nk1\n-\n##x\ty\nk2\n-"), false,
		"C<a>R<k1>M<x=y>R<k2>"
		"M<damaged=%s\tline 6: the last line has no newline; it may be cut off>.");
}

/* A file of this many rows, each `every`th of them kept: whether it is read again. */
static bool is_reread(int rows, int every)
{
	struct buf text = {0};
	char path[64];
	char *name = path;
	struct kev_reader r;
	bool reread;
	int seen = 0;

	buf_text(&text, "#a\n");
	for (int i = 0; i < rows; i++)
		buf_text(&text, i % every ? "-\n" : "k\n");
	unit_file(path, buf_view(&text));
	kev_open(&r, &(struct opts){.operands = &name, .operands_count = 1});
	keep_some(&r);
	reread = r.reread;
	for (int look = 0; look < 2; look++) {
		kev_again(&r);
		assert_int_equal(kev_next(&r), KEV_COLUMNS);
		while (kev_next(&r) == KEV_ROW)
			seen += *r.field[0].s == 'k';
	}
	assert_int_equal(r.error[0], '\0');
	assert_int_equal(seen, 2 * ((rows + every - 1) / every));
	kev_close(&r);
	unlink(path);
	buf_free(&text);
	return reread;
}

static void of_a_file_only_few_rows_are_written(void **state)
{
	(void)state;
	assert_false(is_reread(1000, 1));
	assert_true(is_reread(1001, 1));
	assert_true(is_reread(8000, 3));
	assert_false(is_reread(8000, 5));
	assert_false(is_reread(100000, 50));
}

/* Only what was kept comes again, and all damage, also of a last line that is a row or was one. */
static void a_file_is_read_again(void **state)
{
	struct kev_reader r;

	(void)state;
	/* From where reading began: a shell may have read the beginning. */
	unit_feed(STR("left out\n#a\nk1\n-\n##x\ty\nk2\n-"));
	assert_int_equal(lseek(0, 9, SEEK_SET), 9);
	kev_open(&r, unit_opts());
	r.reread = true;
	assert_looks(&r, "C<a>R<k1>M<x=y>R<k2>"
	                 "M<damaged=-\tline 6: the last line has no newline; it may be cut off>.");
	assert_looks_at_files(
		STR("#a\nk1\n-\n##x\ty\nk2\n-"), true,
		"C<a>R<k1>M<x=y>R<k2>"
		"M<damaged=%s\tline 6: the last line has no newline; it may be cut off>.");
	assert_looks_at_files(
		STR("#a\nk1\n-\nk2"), true,
		"C<a>R<k1>R<k2>M<damaged=%s\tline 4: the last line has no newline; it may be cut off>.");
	assert_looks_at_files(
		STR("#a\tb\nk1\t\n-"), true,
		"C<a|b>R<k1|>M<damaged=%s\tline 3: the last line is cut off and was left out>.");
	/* A filter gave the cut line its newline. */
	assert_looks_at_files(
		STR("##ends\tp\n#a\tb\nk1\t\nk\n"), true,
		"C<a|b>R<k1|>M<damaged=%s\tline 4: the last line is cut off and was left out>.");
	/* Without a columns line, the first row is the last. */
	assert_looks_at_files(
		STR("-\t2\t3\t4\t5\t6\t7\t8\t9"), true,
		"C<ts|dur|type|name|cat|ph|pid|tid|source>"
		"M<damaged=%s\tline 1: the last line has no newline; it may be cut off>.");
}

#define CHANGED "F<0: changed while it was read; run again when nothing writes to it>"

static void append(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND);

	unit_write(fd, text, strlen(text));
	close(fd);
}

/* Between two looks at a file of this text, or within the second, other text is added to it. */
static void assert_changed(struct str text, const char *more, bool within, const char *want)
{
	struct buf got = {0};
	char path[64];
	char *name = path;
	struct kev_reader r;

	unit_file(path, text);
	kev_open(&r, &(struct opts){.operands = &name, .operands_count = 1});
	r.reread = true;
	keep_some(&r);
	if (!within)
		append(path, more);
	kev_again(&r);
	if (within) {
		assert_int_equal(kev_next(&r), KEV_COLUMNS);
		append(path, more);
	}
	show_items(&r, &got);
	assert_str(buf_view(&got), str_of(want));
	kev_close(&r);
	unlink(path);
	buf_free(&got);
}

static void a_file_that_changes_is_an_error(void **state)
{
	(void)state;
	assert_changed(STR("#a\nk1\n"), "k2\n", false, CHANGED);
	assert_changed(STR("#a\nk1"), "k2\n", false, CHANGED);
	assert_changed(STR("#a\nk1\n"), "k2\n", true, "R<k1>" CHANGED);
}

/* With the size and times of before, the rows decide. */
static void other_rows_are_an_error(void **state)
{
	struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	struct buf got = {0};
	char path[64];
	char *name = path;
	struct kev_reader r;
	int fd;

	(void)state;
	unit_file(path, STR("#a\nk\n2\n"));
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	kev_open(&r, &(struct opts){.operands = &name, .operands_count = 1});
	r.reread = true;
	keep_some(&r);
	fd = open(path, O_WRONLY);
	unit_write(fd, "#a\n123\n", 7);
	close(fd);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	kev_again(&r);
	show_items(&r, &got);
	assert_buf(&got, "C<a>R<123>" CHANGED);
	kev_close(&r);
	unlink(path);
	buf_free(&got);
}

/* TMPDIR and the limit on file sizes are the process's. */
static int keep_without_a_disk(void *arg)
{
	struct kev_reader r;

	/* A file can be read again. */
	unit_feed(STR("#a\nk1\n-\n"));
	setenv("TMPDIR", arg, 1);
	kev_open(&r, unit_opts());
	keep_some(&r);
	kev_again(&r);
	while (kev_next(&r) > KEV_END)
		fprintf(stderr, "%.*s\n", (int)r.tsv.text.n, r.tsv.text.s);
	kev_close(&r);
	unit_feed_pipe(STR("#a\nk1\nk2\n"));
	kev_open(&r, unit_opts());
	while (kev_next(&r) > KEV_END)
		kev_keep(&r, KEV_ROW);
	fprintf(stderr, "%s\n", r.error);
	return 0;
}

static void a_disk_that_fails_is_an_error(void **state)
{
	char folder[] = "/nonexistent";
	struct unit_end end = unit_run(keep_without_a_disk, folder);

	(void)state;
	assert_buf(&end.err,
	           "#a\nk1\n"
	           "no temporary file can be made in /nonexistent: No such file or directory\n");
	unit_end_free(&end);
}

/* --- fields ----------------------------------------------------------------- */

static void columns_are_found_by_name(void **state)
{
	struct kev_reader r;
	struct buf scratch = {0};
	int column = 42;

	(void)state;
	unit_feed(STR("##x\n#name\ta\\tb\nn\\tm\tv\n"));
	kev_open(&r, unit_opts());
	assert_int_equal(kev_next(&r), KEV_META);
	assert_int_equal(kev_next(&r), KEV_COLUMNS);
	assert_int_equal(kev_column(&r, STR("name")), 0);
	assert_int_equal(kev_column(&r, STR("a\tb")), 1);
	assert_int_equal(kev_column(&r, STR("nam")), KEV_NONE);
	assert_int_equal(kev_column(&r, STR("")), KEV_NONE);
	assert_true(kev_need(&r, STR("name"), &column));
	assert_int_equal(column, 0);
	assert_int_equal(kev_next(&r), KEV_ROW);
	assert_text(kev_text(&r, 0, &scratch), "n\tm");
	assert_text(kev_text(&r, 1, &scratch), "v");
	assert_text(kev_text(&r, KEV_NONE, &scratch), "");
	assert_false(kev_need(&r, STR("dur"), &column));
	assert_int_equal(column, KEV_NONE);
	assert_string_equal(r.error, "column 'dur' is missing");
	assert_int_equal(kev_next(&r), KEV_FAILED);
	kev_close(&r);
	buf_free(&scratch);

	unit_feed(STR("1\t2\tT\tn\tc\tX\t0\t1\tM\n"));
	kev_open(&r, unit_opts());
	assert_int_equal(kev_next(&r), KEV_COLUMNS);
	assert_int_equal(kev_column(&r, STR("source")), KEV_SOURCE);
	assert_false(kev_need(&r, STR("layer"), &column));
	assert_string_equal(r.error, "column 'layer' is missing: a stream without a columns line has "
	                             "only the core columns of kev(5)");
	/* The first error counts. */
	assert_false(kev_need(&r, STR("op"), &column));
	assert_true(str_starts(str_of(r.error), STR("column 'layer' is missing")));
	kev_close(&r);
}

/* Prints the numbers of a stream; in a process of its own for what it warns of. */
static int read_numbers(void *arg)
{
	struct kev_reader r;
	struct dec number;
	enum kev_item item;

	die_init("prog");
	(void)arg;
	kev_open(&r, unit_opts());
	while ((item = kev_next(&r)) > KEV_END) {
		struct buf text = {0};

		if (item != KEV_ROW)
			continue;
		if (kev_number(&r, 0, &number)) {
			dec_print(&text, number);
			printf("%.*s ", (int)text.len, text.data);
		} else {
			printf("%s ", r.error[0] ? r.error : "none");
		}
		buf_free(&text);
	}
	printf(kev_number(&r, KEV_NONE, &number) ? "!" : ".");
	kev_close(&r);
	return 0;
}

/* Texts that differ only in their escapes have one key. */
static void keys_of_rows(void **state)
{
	static const char *const want[] = {"#x", "#x", "\\\\q", "", "x\\ty"};
	struct kev_reader r;
	struct buf key = {0};
	struct buf scratch = {0};
	const int one[] = {0};
	const int two[] = {1, 0};

	(void)state;
	unit_feed(STR("#a\tb\n\\#x\t1\n\\#x\t\\#1\n\\q\t\n\t\\q\nx\\ty\t\n"));
	kev_open(&r, unit_opts());
	assert_int_equal(kev_next(&r), KEV_COLUMNS);
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(kev_next(&r), KEV_ROW);
		assert_str(kev_key(&r, one, 1, &key, &scratch), str_of(want[i]));
		if (i == 1)
			assert_text(kev_key(&r, two, 2, &key, &scratch), "#1\t#x");
		if (i == 3)
			assert_text(kev_key(&r, two, 2, &key, &scratch), "\\\\q\t");
	}
	kev_close(&r);
	buf_free(&key);
	buf_free(&scratch);
}

static void assert_numbers(struct str stream, const char *out, const char *err)
{
	struct unit_end end;

	unit_feed(stream);
	end = unit_run(read_numbers, NULL);
	assert_int_equal(end.status, 0);
	assert_str(buf_view(&end.out), str_of(out));
	assert_str(buf_view(&end.err), str_of(err));
	unit_end_free(&end);
}

/* A long name is cut between two characters, and the rest of the message stays. */
static void numbers_under_a_long_name(void **state)
{
	struct buf stream = {0};
	struct buf want = {0};

	(void)state;
	buf_char(&stream, '#');
	for (int i = 0; i < 300; i++)
		buf_text(&stream, "\xc3\xa9");
	buf_text(&stream, "\nx\n");
	for (int i = 0; i < 38; i++) /* 76 bytes: the next character would leave no room for "..." */
		buf_text(&want, "\xc3\xa9");
	buf_text(&want, "...: 'x' is not a number .");
	buf_char(&want, '\0');
	assert_numbers(buf_view(&stream), want.data, "");
	buf_free(&stream);
	buf_free(&want);
}

static void phases_of_rows(void **state)
{
	struct str field[] = {{"M", 1}, {"", 0}};
	const struct kev_reader r = {.field = field};

	(void)state;
	assert_text(kev_phase(&r, 0), "M");
	assert_text(kev_phase(&r, 1), "X");
	assert_text(kev_phase(&r, KEV_NONE), "X");
}

static void numbers_in_fields(void **state)
{
	(void)state;
	assert_numbers(STR("#dur\n1.50\n\n-0\n1e2\n"), "1.5 none 0 100 .", "");
	assert_numbers(STR("#dur\n1\nN/A\n2\n"), "1 dur: 'N/A' is not a number .", "");
	assert_numbers(STR("#dur\n1e39\n"), "dur: '1e39' is too large .", "");
	/* One warning a run. */
	assert_numbers(STR("##x\n#dur\n1\n0.0000000005\n0.0000000015\n"), "1 0 0.000000002 .",
	               "prog: -:4: dur: digits after the ninth decimal place are rounded, here and in "
	               "later rows\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_and_rows),
		cmocka_unit_test(escapes_in_names_and_fields),
		cmocka_unit_test(without_a_columns_line),
		cmocka_unit_test(columns_again_map_again),
		cmocka_unit_test(metadata),
		cmocka_unit_test(ends_of_writers),
		cmocka_unit_test(a_head_alone),
		cmocka_unit_test(rows_of_the_wrong_width),
		cmocka_unit_test(files_of_another_kind),
		cmocka_unit_test(cut_streams_are_damaged),
		cmocka_unit_test(broken_gzip_is_damage),
		cmocka_unit_test(damage_is_noted),
		cmocka_unit_test(files_one_behind_the_other),
		cmocka_unit_test(two_units_are_told_apart),
		cmocka_unit_test(a_unit_is_implied_by_rows),
		cmocka_unit_test(of_a_pipe_what_was_kept_is_seen_again),
		cmocka_unit_test(of_a_file_what_was_kept_is_seen_again),
		cmocka_unit_test(of_a_file_only_few_rows_are_written),
		cmocka_unit_test(a_file_is_read_again),
		cmocka_unit_test(a_file_that_changes_is_an_error),
		cmocka_unit_test(other_rows_are_an_error),
		cmocka_unit_test(a_disk_that_fails_is_an_error),
		cmocka_unit_test(columns_are_found_by_name),
		cmocka_unit_test(keys_of_rows),
		cmocka_unit_test(phases_of_rows),
		cmocka_unit_test(numbers_in_fields),
		cmocka_unit_test(numbers_under_a_long_name),
	};

	return cmocka_run_group_tests_name("kev", tests, NULL, NULL);
}
