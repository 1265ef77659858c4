/* expr: what is an expression, and what is wrong with others. tests/unit/exprcode.c runs them. */
#include "../unit.h"

#include "syntax/expr.h"

static void assert_refused(const char *text, const char *error)
{
	struct expr e = {0};

	assert_case(text, !expr_compile(&e, str_of(text)));
	assert_str(str_of(e.error), str_of(error));
	expr_free(&e);
}

static void names_place_and_fault(void **state)
{
	(void)state;
	assert_refused("", "at the end: a column, a number or a text is missing");
	assert_refused("dur >> 3", "at '> 3': a column, a number or a text is missing");
	assert_refused("dur = 3", "at '= 3': write == to compare");
	assert_refused("(a > 1", "at the end: ) is missing after this");
	assert_refused("a > 1)", "at ')': an operator is missing; a name with spaces needs braces, as "
	                         "in {External id}");
	assert_refused("External id > 1", "at 'id > 1': an operator is missing; a name with spaces "
	                                  "needs braces, as in {External id}");
	assert_refused("a > 1 and b > 1", "at 'and b > 1': write &&");
	assert_refused("a > 1 OR b > 1", "at 'OR b > 1': write ||");
	assert_refused("a < b < c", "at '< c': comparisons cannot be chained; use &&");
	assert_refused("lenn(a)", "at 'lenn(a)': there is no such function; did you mean len()?");
	assert_refused("quantile(a)", "at 'quantile(a)': there is no such function; see kselect(1)");
	assert_refused("len()", "at ')': a column, a number or a text is missing");
	assert_refused("len(a, b)", "at ', b)': ) is missing after the arguments");
	assert_refused("has(a)", "at ')': , is missing after an argument");
	assert_refused("max(a)", "at ')': , is missing after an argument");
	assert_refused("a ~ b", "at 'b': a pattern in quotes is missing");
	assert_refused("a ~ \"(\"", "at '\"(\"': ( has no )");
	assert_refused("sub(a, b, c)", "at 'b, c)': a pattern in quotes is missing");
	assert_refused("a in b", "at 'b': ( is missing after in");
	assert_refused("a in ()", "at ')': a text or a number is missing");
	assert_refused("a in (b)", "at 'b)': a text or a number is missing");
	assert_refused("a in (1", "at the end: ) is missing after the list");
	assert_refused("a in (- \"x\")", "at '\"x\")': a text or a number is missing");
	assert_refused("\"a", "at '\"a': this quote is not closed");
}

static void checks_kinds(void **state)
{
	(void)state;
	assert_refused("1 + \"a\"", "at '\"a\"': this is a text, not a number");
	assert_refused("\"a\" * 2", "at '\"a\" * 2': this is a text, not a number");
	assert_refused("-\"a\"", "at '\"a\"': this is a text, not a number");
	assert_refused("abs(\"a\")", "at '\"a\")': this is a text, not a number");
	assert_refused("(a > 1) + 1", "at '(a > 1) + 1': this is a condition, not a value; use "
	                              "if(CONDITION, A, B)");
	assert_refused("(a > 1) == (b > 1)", "at '(a > 1) == (b > 1)': this is a condition, not a "
	                                     "value; use if(CONDITION, A, B)");
	assert_refused("a && b > 1", "at 'a && b > 1': this is not a condition; compare it with "
	                             "something, as in dur > 0");
	assert_refused("!a", "at 'a': this is not a condition; compare it with something, as in dur > "
	                     "0");
	assert_refused("if(a, 1, 2)", "at 'a, 1, 2)': this is not a condition; compare it with "
	                              "something, as in dur > 0");
	assert_refused("if(a > 1, 1, b > 2)", "at 'b > 2)': both values must be conditions, or none");
}

/* Controls and an endless rest of the expression do not reach the terminal. */
static void makes_messages_plain(void **state)
{
	struct buf text = {0};
	struct expr e = {0};

	(void)state;
	assert_refused("\x1b[2J", "at '\\x1b[2J': this byte has no meaning here; write a name with "
	                          "such bytes in braces");
	for (int i = 0; i < 1000; i++)
		buf_text(&text, "@");
	assert_false(expr_compile(&e, buf_view(&text)));
	assert_true(strlen(e.error) < 160);
	expr_free(&e);
	buf_free(&text);
}

static void bounds_depth(void **state)
{
	struct buf text = {0};
	struct expr e = {0};

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_char(&text, '(');
	assert_false(expr_compile(&e, buf_view(&text)));
	assert_non_null(strstr(e.error, "nested more than 200 deep"));
	expr_free(&e);
	text.len = 0;
	for (int i = 0; i < 100000; i++)
		buf_text(&text, "abs(");
	assert_false(expr_compile(&e, buf_view(&text)));
	assert_non_null(strstr(e.error, "nested more than 200 deep"));
	expr_free(&e);
	text.len = 0;
	for (int i = 0; i < 200; i++)
		buf_char(&text, '(');
	buf_char(&text, '1');
	for (int i = 0; i < 200; i++)
		buf_char(&text, ')');
	assert_true(expr_compile(&e, buf_view(&text)));
	expr_free(&e);
	buf_free(&text);
}

static void tells_what_it_uses(void **state)
{
	struct expr e = {0};

	(void)state;
	assert_true(expr_compile(&e, STR("dur > 10 && (dur < ts || {External id} == dur)")));
	assert_true(e.is_condition && !e.has_unit);
	assert_int_equal(e.columns_count, 3);
	assert_text(e.column[0].name, "dur");
	assert_text(e.column[1].name, "ts");
	assert_text(e.column[2].name, "External id");
	expr_free(&e);
	assert_true(expr_compile(&e, STR("if(min > 1, max, in)"))); /* names, not functions */
	assert_true(!e.is_condition && e.columns_count == 3);
	expr_free(&e);
	assert_true(expr_compile(&e, STR("dur in (1, 2ms)")));
	assert_true(e.is_condition && e.has_unit);
	expr_free(&e);
	assert_true(expr_compile(&e, STR("if(a > 1, b > 1, c > 1)")));
	assert_true(e.is_condition);
	expr_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_place_and_fault), cmocka_unit_test(checks_kinds),
		cmocka_unit_test(makes_messages_plain),  cmocka_unit_test(bounds_depth),
		cmocka_unit_test(tells_what_it_uses),
	};

	return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
