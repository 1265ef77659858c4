/* views: cells of CSV, and the views of options. Rows and tables: the cases of kview. */
#include "../unit.h"

#include "kview/views.h"

static void cells_of_csv(void **state)
{
	static const struct {
		struct str text;
		struct str want;
	} texts[] = {
		{BYTES(""), BYTES("")},
		{BYTES("a b;'"), BYTES("a b;'")},
		{BYTES("a,b"), BYTES("\"a,b\"")},
		{BYTES("a\"b\""), BYTES("\"a\"\"b\"\"\"")},
		{BYTES("a\nb"), BYTES("\"a\nb\"")},
		{BYTES("a\rb"), BYTES("\"a\rb\"")},
		{BYTES("\0"), BYTES("\0")},
		{BYTES("-1.5e3"), BYTES("-1.5e3")},
		{BYTES("+5"), BYTES("+5")},
		{BYTES("-1e1000"), BYTES("'-1e1000")},
		{BYTES("=1"), BYTES("'=1")},
		{BYTES("@x"), BYTES("'@x")},
		{BYTES("-"), BYTES("'-")},
		{BYTES("\t1"), BYTES("'\t1")},
		{BYTES("=a,b"), BYTES("\"'=a,b\"")},
		{BYTES("a=b"), BYTES("a=b")},
	};
	struct buf out = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		out.len = 0;
		views_csv(&out, texts[i].text);
		assert_str(buf_view(&out), texts[i].want);
	}
	buf_free(&out);
}

static void views_of_options(void **state)
{
	struct buf flags = {0};

	(void)state;
	views_put_flags(&flags);
	assert_text(buf_view(&flags), "--tsv, --csv, -j, -M and --html");
	assert_true(views_find(NULL)->is_table);
	assert_string_equal(views_find("--csv")->one_header, "CSV");
	assert_false(views_find("-j")->is_table);
	assert_true(views_find("-M")->is_table);
	assert_true(views_find("--html")->is_table);
	buf_free(&flags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_of_csv),
		cmocka_unit_test(views_of_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
