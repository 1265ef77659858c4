/* table: tables for people. */
#include "unit.h"

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

static void markdown(void **state)
{
	struct table table = some();

	(void)state;
	assert_printed(table_markdown, &table,
	               "| name | µs | note |\n"
	               "| --- | ---: | --- |\n"
	               "| a | 1,234.5 | x\\|y |\n"
	               "| 状态 | 2 |  |\n"
	               "| tab\\\\x09here\\\\xff |  | z |\n");
	table_free(&table);
}

static void markdown_that_is_padded(void **state)
{
	struct table table = some();

	(void)state;
	assert_printed(table_markdown_padded, &table,
	               "| name              | µs      | note |\n"
	               "| ----------------- | ------- | ---- |\n"
	               "| a                 | 1,234.5 | x\\|y |\n"
	               "| 状态              | 2       |      |\n"
	               "| tab\\\\x09here\\\\xff |         | z    |\n");
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
	assert_buf(&out, "| a\\|b | c\\\\d | two\\\\x0alines\\\\x0d |  | x\\\\x00y "
	                 "| gemm\\<bf16, 1> | [a\\](b) | \\\\xff |\n"
	                 "|\n"
	                 "| --- | ---: | ---: |\n"
	                 "| --- | --- |\n");
	buf_free(&out);
}

/* More columns than any table of ours has. */
static void many_columns(void **state)
{
	struct table_column heads[40];
	struct table table = {.columns = heads, .count = COUNT(heads)};
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_aligned),         cmocka_unit_test(markdown),
		cmocka_unit_test(markdown_that_is_padded), cmocka_unit_test(numbers_are_aligned),
		cmocka_unit_test(markdown_rows),           cmocka_unit_test(many_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
