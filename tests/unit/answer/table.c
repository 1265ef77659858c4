/* table: tables for people. */
#include "../unit.h"

#include "answer/table.h"

static const struct table_column columns[] = {{"name", false}, {"µs", true}, {"note", false}};

static struct table some(void)
{
	struct table table = {.columns = columns, .count = COUNT(columns)};

	table_cell(&table, STR("a"));
	table_cell(&table, STR("1,234.5"));
	table_cell(&table, STR("x|y"));
	table_cell(&table, STR("状态"));
	table_cell(&table, STR("2"));
	table_cell(&table, STR(""));
	table_cell(&table, STR("tab\there\xff"));
	table_cell(&table, STR(""));
	table_cell(&table, STR("z"));
	return table;
}

static void assert_printed(void (*print)(const struct table *, struct output *),
                           const struct table *table, const char *want)
{
	struct output out;

	output_init(&out, 1, "nowhere");
	print(table, &out);
	assert_str(buf_view(&out.buf), str_of(want));
	buf_free(&out.buf);
}

static void titles_are_plain(void **state)
{
	static const struct table_column hostile[] = {{"a\x1b|\xff", true}, {"状", false}};
	struct table table = {.columns = hostile, .count = 2};

	(void)state;
	table_cell(&table, STR("1"));
	table_cell(&table, STR("2"));
	assert_printed(table_print, &table, "a\\x1b|\\xff  状\n--------------\n         1  2\n");
	assert_printed(table_markdown, &table,
	               "| `a\\x1b\\|\\xff` | 状 |\n| ---: | --- |\n| 1 | 2 |\n");
	table_free(&table);
}

/* Text of GitHub-flavoured Markdown, at the start of a line. */
static void markdown_text(void **state)
{
	static const char *const itself[] = {
		"",      "Dense GEMM",    "gemm_bf16_128x64", "-1,234.5%", "(others)", "0.59x",
		"TOTAL", "shape [8, 16]", "a -> b; c",        "状态：好",  "GMAC/s",   "f(x) + 2"};
	static const char *const code[] = {
		"# a",     "- a",      "+ a",    "1. a",     "1) a",   "> a",     "=",
		"---",     "<b>",      "[a](b)", "x[a](b)",  "[a]: b", "x[a][b]", "![a](b)",
		"*a*",     "_a_",      "a__b__", "~~a~~",    "&amp;",  "a\\",     "a|b",
		"www.a.b", "http://a", "a@b.c",  "mailto:a", "#12",    "GH-12",   "@a",
		":a:",     "$a$",      "[x] a",  "    a",    "a  b",   "[^1]"};
	struct buf out = {0};
	struct buf want = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(itself); i++) {
		out.len = 0;
		table_markdown_text(&out, str_of(itself[i]));
		assert_str(buf_view(&out), str_of(itself[i]));
	}
	for (size_t i = 0; i < COUNT(code); i++) {
		out.len = want.len = 0;
		table_markdown_text(&out, str_of(code[i]));
		buf_format(&want, "`%s`", code[i]);
		assert_str(buf_view(&out), buf_view(&want));
	}
	buf_free(&want);
	buf_free(&out);
}

/* A code span has one backtick more than any in it; spaces part them from those at its ends. */
static void code_spans(void **state)
{
	struct buf out = {0};

	(void)state;
	table_markdown_text(&out, STR("a``b|`c"));
	buf_char(&out, '\n');
	table_markdown_text(&out, STR("`"));
	buf_char(&out, '\n');
	table_markdown_text(&out, STR(" a "));
	assert_buf(&out, "```a``b|`c```\n`` ` ``\n`  a  `");
	buf_free(&out);
}

static void text_is_aligned(void **state)
{
	struct table table = some();

	(void)state;
	assert_printed(table_print, &table,
	               "name                  µs  note\n"
	               "------------------------------\n"
	               "a                1,234.5  x|y\n"
	               "状态                   2\n"
	               "tab\\x09here\\xff           z\n");
	table_free(&table);
	assert_printed(table_print, &table, "name  µs  note\n--------------\n");
}

static void html_text(void **state)
{
	struct buf out = {0};

	(void)state;
	table_html_text(&out, STR("a <b> & \"c\" 'd' `|\x1b"));
	table_html_text(&out, STR(""));
	assert_text(buf_view(&out), "a &lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; `|\\x1b");
	buf_free(&out);
}

static void markdown(void **state)
{
	struct table table = some();

	(void)state;
	assert_printed(table_markdown, &table,
	               "| name | µs | note |\n"
	               "| --- | ---: | --- |\n"
	               "| a | 1,234.5 | `x\\|y` |\n"
	               "| 状态 | 2 |  |\n"
	               "| `tab\\x09here\\xff` |  | z |\n");
	table_free(&table);
}

static void markdown_that_is_padded(void **state)
{
	struct table table = some();

	(void)state;
	assert_printed(table_markdown_padded, &table,
	               "| name              | µs      | note   |\n"
	               "| ----------------- | ------- | ------ |\n"
	               "| a                 | 1,234.5 | `x\\|y` |\n"
	               "| 状态              | 2       |        |\n"
	               "| `tab\\x09here\\xff` |         | z      |\n");
	table_free(&table);
	assert_printed(table_markdown_padded, &table, "| name | µs | note |\n| ---- | -- | ---- |\n");
}

static void assert_number(const char *number, int places, int width, const char *want)
{
	struct output out;
	struct dec x;

	output_init(&out, 1, "nowhere");
	assert_int_equal(dec_parse(str_of(number), &x), DEC_OK);
	table_number(&out, x, places, width);
	assert_str(buf_view(&out.buf), str_of(want));
	buf_free(&out.buf);
}

static void numbers_are_aligned(void **state)
{
	(void)state;
	assert_number("1234567.895", 2, 0, "1,234,567.90");
	assert_number("1234567.885", 2, 14, "  1,234,567.88");
	assert_number("1234567.885", 2, 12, "1,234,567.88");
	assert_number("1234567.885", 2, 3, "1,234,567.88"); /* wider than its column */
	assert_number("-999", 0, 6, "  -999");
	assert_number("-0.4", 0, 3, "  0");
	assert_number("0", 3, 8, "   0.000");
}

/* No cell is markup, HTML or a link, nor does it end its row. */
static void markdown_rows(void **state)
{
	const struct str cells[] = {STR("a|b"),    STR("c\\d"), STR("two\nlines\r"),
	                            STR(""),       STR("x\0y"), STR("gemm<bf16, 1>"),
	                            STR("[a](b)"), STR("\xff")};
	struct buf out = {0};

	(void)state;
	table_markdown_row(&out, cells, COUNT(cells));
	table_markdown_row(&out, cells, 0);
	table_markdown_rule(&out, 3, true);
	table_markdown_rule(&out, 2, false);
	assert_buf(&out, "| `a\\|b` | `c\\d` | `two\\x0alines\\x0d` |  | `x\\x00y` "
	                 "| `gemm<bf16, 1>` | `[a](b)` | `\\xff` |\n"
	                 "|\n"
	                 "| --- | ---: | ---: |\n"
	                 "| --- | --- |\n");
	buf_free(&out);
}

/* More columns than any table of ours has. */
static void many_columns(void **state)
{
	struct table_column heads[40];
	struct table table = {.columns = heads, .count = COUNT(heads), .any_width = true};
	struct output out;

	(void)state;
	output_init(&out, 1, "nowhere");
	for (size_t i = 0; i < COUNT(heads); i++)
		heads[i] = (struct table_column){"t", false};
	for (size_t i = 0; i < COUNT(heads); i++)
		table_cell(&table, STR("x"));
	table_print(&table, &out);
	assert_int_equal(out.buf.len, 3 * (3 * COUNT(heads) - 1));
	table_free(&table);
	buf_free(&out.buf);
}

static void assert_report(const char *figure, const char *want)
{
	static const char long_name[] = "a name of forty columns, with its end 1";
	static const struct table_column wide[] = {{"name", false},      {"other name", false},
	                                           {"much_count", true}, {"interval1", true},
	                                           {"none", true},       {"interval2", true}};
	struct table table = {.columns = wide, .count = COUNT(wide), .spare = 0x28};

	table_cell(&table, str_of(long_name));
	table_cell(&table, str_of(long_name));
	table_cell(&table, STR("1"));
	table_cell(&table, str_of(figure));
	table_cell(&table, STR(""));
	table_cell(&table, str_of(figure));
	assert_printed(table_print, &table, want);
	table_free(&table);
}

/* A report has at most 100 columns of text. */
static void wide_report(void **state)
{
	(void)state;
	assert_report("123456789",
	              "                                                                         much_\n"
	              "name                                other name                           count  "
	              "interval1  interval2\n"
	              "--------------------------------------------------"
	              "--------------------------------------------------\n"
	              "a name of forty columns, with its…  a name of forty columns, with its …      1  "
	              "123456789  123456789\n");
	assert_report(
		"12345678901234567890",
		"                                                                                  much_\n"
		"name                                     other name                               count\n"
		"--------------------------------------------------------------------------------------"
		"-\n"
		"a name of forty columns, with its end 1  a name of forty columns, with its end 1      1\n"
		"\nno room for: interval1, interval2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_aligned),
		cmocka_unit_test(titles_are_plain),
		cmocka_unit_test(markdown_text),
		cmocka_unit_test(code_spans),
		cmocka_unit_test(html_text),
		cmocka_unit_test(markdown),
		cmocka_unit_test(markdown_that_is_padded),
		cmocka_unit_test(numbers_are_aligned),
		cmocka_unit_test(markdown_rows),
		cmocka_unit_test(many_columns),
		cmocka_unit_test(wide_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
