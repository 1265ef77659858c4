/* report: numbers and tables for people. */
#include "unit.h"

#include "answer/report.h"

/* What was written so far stays in the buffer: it is far from full. */
static struct output begin(void)
{
	struct output out;

	output_init(&out, 1, "nowhere");
	return out;
}

static void assert_number(const char *number, int places, int width, const char *want)
{
	struct output out = begin();
	struct dec x;

	assert_int_equal(dec_parse(str_of(number), &x), DEC_OK);
	report_number(&out, x, places, width);
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

static void markdown_rows(void **state)
{
	const struct str cells[] = {STR("a|b"), STR("c\\d"), STR("two\nlines\r"), STR(""), STR("x\0y")};
	struct output out = begin();

	(void)state;
	report_markdown_row(&out, cells, COUNT(cells));
	report_markdown_row(&out, cells, 0);
	report_markdown_rule(&out, 3, true);
	report_markdown_rule(&out, 2, false);
	assert_buf(&out.buf, "| a\\|b | c\\\\d | two lines  |  | x\0y |\n"
	                     "|\n"
	                     "| --- | ---: | ---: |\n"
	                     "| --- | --- |\n");
	buf_free(&out.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_aligned),
		cmocka_unit_test(markdown_rows),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
