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
	               "name            µs  note\n"
	               "------------------------\n"
	               "a          1,234.5  x|y\n"
	               "状态             2\n"
	               "tab here\xff           z\n");
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
	               "| tab\there\xff |  | z |\n");
	table_free(&table);
}

static void markdown_that_is_padded(void **state)
{
	struct table table = some();

	(void)state;
	assert_printed(table_markdown_padded, &table,
	               "| name      | µs      | note |\n"
	               "| --------- | ------- | ---- |\n"
	               "| a         | 1,234.5 | x\\|y |\n"
	               "| 状态      | 2       |      |\n"
	               "| tab\there\xff |         | z    |\n");
	table_free(&table);
	assert_printed(table_markdown_padded, &table, "| name | µs | note |\n| ---- | -- | ---- |\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_aligned),
		cmocka_unit_test(markdown),
		cmocka_unit_test(markdown_that_is_padded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
