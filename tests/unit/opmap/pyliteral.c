/* pyliteral: lists of (name, number) as Python writes them. */
#include "../unit.h"

#include "opmap/pyliteral.h"

/* The pairs as "name=number;", "-" where the text is no such literal. */
static void show(struct pyliteral *literal, struct str text, struct buf *out)
{
	out->len = 0;
	if (!pyliteral_pairs(literal, text)) {
		buf_char(out, '-');
		return;
	}
	for (size_t i = 0; i < literal->count; i++) {
		buf_str(out, literal->pair[i].name);
		buf_char(out, '=');
		buf_str(out, literal->pair[i].number);
		buf_char(out, ';');
	}
}

static void assert_read(struct str text, struct str want, const char *file, int line)
{
	struct pyliteral literal = {0};
	struct buf got = {0};

	show(&literal, text, &got);
	unit_equal(buf_view(&got), want, file, line);
	/* Again, with what was there before. */
	show(&literal, text, &got);
	unit_equal(buf_view(&got), want, file, line);
	buf_free(&got);
	pyliteral_free(&literal);
}

#define assert_pairs(text, want) assert_read(STR(text), STR(want), __FILE__, __LINE__)
#define assert_none(text) assert_read(STR(text), STR("-"), __FILE__, __LINE__)

static void lists_and_tuples(void **state)
{
	(void)state;
	assert_pairs("[('A', 1)]", "A=1;");
	assert_pairs("[('A', 1), ('B', 2.5), ('A', 3)]", "A=1;B=2.5;A=3;");
	assert_pairs("[['A', 1], ('B', 2)]", "A=1;B=2;");
	assert_pairs("(('A', 1), ['B', 2])", "A=1;B=2;");
	assert_pairs("(('A', 1),)", "A=1;");
	assert_pairs("[('A', 1),]", "A=1;");
	assert_pairs("[('A', 1,), ['B', 2,],]", "A=1;B=2;");
	assert_pairs("[('A',1),('B',2)]", "A=1;B=2;");
	assert_pairs(" \t[\n ( 'A' , 1 ) ,\r\n\f[ \"B\" , 2 ] ] \n", "A=1;B=2;");
}

static void numbers(void **state)
{
	(void)state;
	assert_pairs("[('A', 19.76), ('B', -7), ('C', +.5), ('D', 5.), ('E', 0)]",
	             "A=19.76;B=-7;C=+.5;D=5.;E=0;");
	assert_pairs("[('A', 1e3), ('B', 1.5E-3), ('C', 1.e+3), ('D', .1e0)]",
	             "A=1e3;B=1.5E-3;C=1.e+3;D=.1e0;");
	assert_pairs("[('A', 19.760000000000002), ('B', 00), ('C', 007.5), ('D', 07e0)]",
	             "A=19.760000000000002;B=00;C=007.5;D=07e0;");
	assert_none("[('A', 007)]");
	assert_none("[('A', .)]");
	assert_none("[('A', -)]");
	assert_none("[('A', - 1)]");
	assert_none("[('A', --1)]");
	assert_none("[('A', e5)]");
	assert_none("[('A', 1e)]");
	assert_none("[('A', 1e+)]");
	assert_none("[('A', 1.2.3)]");
	assert_none("[('A', 1_000)]");
	assert_none("[('A', 0x10)]");
	assert_none("[('A', 1j)]");
	assert_none("[('A', 1 2)]");
	assert_none("[('A', True)]");
	assert_none("[('A', nan)]");
	assert_none("[('A', '1')]");
	/* No time is as long. */
	assert_none("[('A', 1e400)]");
	assert_none("[('A', 12345678901234567890123456789012345678901)]");
}

static void strings(void **state)
{
	(void)state;
	assert_pairs("[(\"A\", 1), ('it\"s', 2), (\"it's\", 3)]", "A=1;it\"s=2;it's=3;");
	assert_pairs("[('a\\'b\\\"c\\\\d', 1)]", "a'b\"c\\d=1;");
	assert_pairs("[('\\a\\b\\f\\n\\r\\t\\v', 1)]", "\a\b\f\n\r\t\v=1;");
	assert_pairs("[('\\x41\\xe9', 1), ('\\u4e2d\\u0041', 2), ('\\U0001f600', 3)]",
	             "A\xc3\xa9=1;\xe4\xb8\xad"
	             "A=2;\xf0\x9f\x98\x80=3;");
	assert_pairs("[('\\101\\0\\78\\1234\\777', 1)]", "A\0\a8S4\xc7\xbf=1;");
	assert_pairs("[('a\\\nb\\\r\nc\\\rd', 1)]", "abcd=1;");
	assert_pairs("[('\\q\\8\\ \\{', 1)]", "\\q\\8\\ \\{=1;"); /* no escapes */
	assert_pairs("[('\xe4\xb8\xad\xff\x01', 1)]", "\xe4\xb8\xad\xff\x01=1;");
	assert_pairs("[('[(,)]# ', 1)]", "[(,)]# =1;");
	/* What UTF-8 has no bytes for. */
	assert_pairs("[('\\ud83d\\ude00', 1)]", "\xef\xbf\xbd\xef\xbf\xbd=1;");
	assert_none("[('\\x4', 1)]");
	assert_none("[('\\xg0', 1)]");
	assert_none("[('\\u4e2', 1)]");
	assert_none("[('\\U00110000', 1)]");
	assert_none("[('\\U0000004', 1)]");
	assert_none("[('\\N{DIGIT ONE}', 1)]");
	assert_none("[('a\nb', 1)]");
	assert_none("[('a\rb', 1)]");
	assert_none("[('a\0b', 1)]");
	assert_none("[('a, 1)]");
	assert_none("[('a\\");
	assert_none("[('a\\', 1)]");
	assert_none("[('a\", 1)]");
	assert_none("[('', 1)]");
	assert_none("[('''a''', 1)]");
	assert_none("[('a' 'b', 1)]");
	assert_none("[(b'a', 1)]");
	assert_none("[(u'a', 1)]");
	assert_none("[(r'a', 1)]");
}

static void anything_else(void **state)
{
	(void)state;
	assert_none("");
	assert_none(" ");
	assert_none("garbage");
	assert_none("[]");
	assert_none("()");
	assert_none("[()]");
	assert_none("[,]");
	assert_none("[10, 20, 60]");
	assert_none("('A', 1)");
	assert_none("(('A', 1))"); /* parentheses alone make no tuple */
	assert_none("['A', 1]");
	assert_none("[('A', 1)");
	assert_none("[('A', 1");
	assert_none("[('A', 1), ");
	assert_none("[('A', 1)]]");
	assert_none("[('A', 1)] x");
	assert_none("[('A', 1)],");
	assert_none("('A', 1), ('B', 2)");
	assert_none("[('A', 1) ('B', 2)]");
	assert_none("[('A', 1),, ('B', 2)]");
	assert_none("[('A', 1,,)]");
	assert_none("[('A', 1], ['B', 2)]");
	assert_none("[('A', 1))");
	assert_none("(('A', 1), ('B', 2)]");
	assert_none("[('A', 1, 2)]");
	assert_none("[('A')]");
	assert_none("[('A',)]");
	assert_none("[(1, 'A')]");
	assert_none("[('A', 1), 'B']");
	assert_none("{'A': 1}");
	assert_none("{('A', 1)}");
	assert_none("[None]");
	assert_none("\0[('A', 1)]");
	assert_none("[('A', 1)]\0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_tuples),
		cmocka_unit_test(numbers),
		cmocka_unit_test(strings),
		cmocka_unit_test(anything_else),
	};

	return cmocka_run_group_tests_name("pyliteral", tests, NULL, NULL);
}
