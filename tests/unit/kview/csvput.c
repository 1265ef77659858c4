/* csvput: a field of CSV. */
#include "../unit.h"

#include "kview/csvput.h"

static void fields(void **state)
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
		csvput_field(&out, texts[i].text);
		assert_str(buf_view(&out), texts[i].want);
	}
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
