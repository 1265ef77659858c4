/* sheet: one table in each of four forms. */
#include "unit.h"

#include "answer/sheet.h"

static const struct table_column columns[] = {{"name", false}, {"us", true}, {"note", false}};

static int write_sheet(void *arg)
{
	const enum form *form = arg;
	char *argv[] = {(char[]){"prog"}, NULL};
	struct opts opts = {.argc = 1, .argv = argv};
	struct kev_writer out;
	struct sheet sheet;
	struct jsonw json = {.out = &out.out.buf};

	die_init("prog");
	kev_writer_init(&out, &opts);
	opts.no_head = *form != FORM_TSV;
	if (*form == FORM_JSON)
		jsonw_object(&json, NULL);
	sheet_begin(&sheet, &out, *form, &json, "Some rows", columns, COUNT(columns), 1 << 2);
	sheet_name(&sheet, STR("a\tb"));
	buf_text(&sheet.cell, sheet.people ? "1.5" : "1.4999");
	sheet_cell(&sheet);
	sheet_text(&sheet, STR("x"));
	sheet_row_end(&sheet);
	sheet_text(&sheet, STR("c"));
	sheet_text(&sheet, STR("inf"));
	sheet_text(&sheet, STR(""));
	sheet_row_end(&sheet);
	sheet_text(&sheet, STR("d"));
	sheet_count(&sheet, 7);
	sheet_text(&sheet, STR("y"));
	sheet_row_end(&sheet);
	sheet_end(&sheet);
	if (*form == FORM_JSON)
		jsonw_end_object(&json);
	return kev_finish(&out);
}

static void assert_written(enum form form, const char *want)
{
	struct unit_end end = unit_run(write_sheet, &form);

	assert_int_equal(end.status, 0);
	assert_str(buf_view(&end.out), str_of(want));
	assert_text(buf_view(&end.err), "");
	unit_end_free(&end);
}

static void all_forms(void **state)
{
	(void)state;
	assert_written(FORM_TSV, "##kev\t1\n##via\tprog\n#name\tus\tnote\na\\tb\t1.4999\tx\nc\tinf\t\n"
	                         "d\t7\ty\n");
	/* A report leaves columns out. */
	assert_written(FORM_REPORT,
	               "\nSome rows\n\nname     us\n-----------\na\\x09b  1.5\nc       inf\n"
	               "d         7\n");
	assert_written(FORM_MARKDOWN, "\n## Some rows\n\n| name | us | note |\n| --- | ---: | --- |\n"
	                              "| a\\\\x09b | 1.5 | x |\n| c | inf |  |\n| d | 7 | y |\n");
	assert_written(FORM_JSON,
	               "{\n  \"some_rows\": [\n"
	               "    {\n      \"name\": \"a\\tb\",\n      \"us\": 1.4999,\n"
	               "      \"note\": \"x\"\n    },\n"
	               "    {\n      \"name\": \"c\",\n      \"us\": null,\n"
	               "      \"note\": null\n    },\n"
	               "    {\n      \"name\": \"d\",\n      \"us\": 7,\n      \"note\": \"y\"\n    }\n"
	               "  ]\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_forms)};

	return cmocka_run_group_tests_name("sheet", tests, NULL, NULL);
}
