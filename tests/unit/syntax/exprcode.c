/* exprcode: the values of expressions. tests/check/expr.py holds them against Python. */
#include "../unit.h"

#include "syntax/expr.h"

/* The row that expressions see; fields are escaped. */
static const struct {
	const char *name;
	const char *field;
} row[] = {
	{"ts", "1760000000000000.123"},
	{"dur", "5.50"},
	{"zero", "0"},
	{"none", ""},
	{"name", "Flash_fwd<bf16>"},
	{"tab", "a\\tb"},
	{"ten", "10"},
	{"big", "1e35"},
	{"External id", "7"},
	{"word", "flash"},
	{"fine", "0.1234567891"},
	{"also", "5.5"},
};

static void put_value(struct buf *out, const struct expr_value *v)
{
	switch (v->kind) {
	case EXPR_NOTHING:
		buf_text(out, "nothing");
		break;
	case EXPR_NUMBER:
		number_print(out, v->number);
		break;
	case EXPR_FIELD:
		buf_text(out, "field ");
		buf_str(out, v->text);
		break;
	case EXPR_CONDITION:
		buf_text(out, v->holds ? "true" : "false");
		break;
	default:
		buf_char(out, '"');
		buf_str(out, v->text);
		buf_char(out, '"');
	}
}

static void evaluate(struct expr *e, const char *text, struct buf *out)
{
	struct str fields[COUNT(row)];
	const struct expr_value *value;

	assert_case(text, expr_compile(e, str_of(text)));
	for (size_t i = 0; i < COUNT(row); i++)
		fields[i] = str_of(row[i].field);
	for (size_t i = 0; i < e->columns_count; i++) {
		e->column[i].index = -1;
		for (size_t k = 0; k < COUNT(row); k++)
			if (str_equal(e->column[i].name, str_of(row[k].name)))
				e->column[i].index = (int)k;
		assert_case(text, e->column[i].index >= 0);
	}
	expr_value(e, fields); /* a second row with equal fields has an equal value */
	value = expr_value(e, fields);
	put_value(out, value);
}

static void assert_value(const char *text, const char *want)
{
	struct expr e = {0};
	struct buf got = {0};

	evaluate(&e, text, &got);
	assert_str(str_of(e.error), STR(""));
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	expr_free(&e);
}

static void assert_error(const char *text, const char *want)
{
	struct expr e = {0};
	struct buf got = {0};

	evaluate(&e, text, &got);
	assert_str(str_of(e.error), str_of(want));
	buf_free(&got);
	expr_free(&e);
}

static void calculates_exactly(void **state)
{
	(void)state;
	assert_value("ts + 0.001", "1760000000000000.124");
	assert_value("ts + dur - ts", "5.5");
	assert_value("1 + 2 * 3 - 4 / 8", "6.5");
	assert_value("(1 + 2) * 3 % 4", "1");
	assert_value("10 - 2 - 3", "5");
	assert_value("100 / 10 / 5", "2");
	assert_value("-dur", "-5.5");
	assert_value("2 - -3", "5");
	assert_value("--dur", "5.5");
	assert_value("1/3", "0.333333333333");
	assert_value("abs(1 - 3) + floor(-2.5)", "-1");
	assert_value("min(3, dur, 4)", "3");
	assert_value("max(3, dur, 4)", "5.5");
	assert_value("{External id} * 2", "14");
	assert_value("dur / zero", "nothing");
	assert_value("dur % zero", "nothing");
	assert_value("dur + none", "nothing");
	assert_value("floor(name)", "nothing");
	assert_value("min(dur, none)", "nothing");
	assert_value("if(dur > 1, dur, 0)", "field 5.50");
	assert_value("if(dur > 10, dur, 0)", "0");
}

static void compares_by_value_or_bytes(void **state)
{
	(void)state;
	assert_value("dur == 5.5", "true");
	assert_value("dur == \"5.5\"", "false"); /* its bytes are 5.50 */
	assert_value("dur == \"5.50\"", "true");
	assert_value("dur + 0 == \"5.5\"", "true");
	assert_value("dur == also", "true");
	assert_value("ten > dur", "true");
	assert_value("name > ten", "true"); /* by bytes, as the name is not a number */
	assert_value("name < word", "true");
	assert_value("none == none", "true");
	assert_value("ts + 0.001 == 1760000000000000.124", "true");
	assert_value("1 <= 1 && 1 >= 1 && !(1 < 1) && !(1 > 1) && 1 != 2", "true");
	/* The result of a function is a text of the row, even if it stands in the expression. */
	assert_value("if(empty(none), \"\", dur) < 5", "false");
	assert_value("if(empty(none), \"10\", dur) > 9", "true");
	assert_value("if(empty(none), if(empty(dur), 1, \"10\"), dur) > 9", "true");
	assert_value("if(empty(dur), 1, \"5.50\") == dur + 0", "true");
	assert_value("if(empty(dur), 1, \"5.5\") == dur", "true");
	assert_value("if(empty(dur), 1, \"5.5\") in (5.50)", "true");
	assert_value("if(empty(dur), 1, \"5.5\") == \"5.50\"", "false");
	assert_value("sub(\"10\", \"x\", \"\") > 9", "true");
	assert_value("sub(\"x10\", \"x\", \"\") > 9", "true");
	assert_value(
		"isnum(dur) && isnum(dur / 2) && isnum(\"-1e3\") && isnum(sub(\"x1\", \"x\", \"\"))",
		"true");
	assert_value("isnum(none) || isnum(name) || isnum(dur / zero) || isnum(\"\") || isnum(\"1 \")",
	             "false");
	/* A side that is no number makes it false, != too. */
	assert_value("none > 1", "false");
	assert_value("none != 1", "false");
	assert_value("none == 0", "false");
	assert_value("name != 1", "false");
	assert_value("dur / zero != 1", "false");
	assert_value("dur / zero != dur", "false");
	assert_value("!(none > 1)", "true");
}

static void sees_decoded_text(void **state)
{
	(void)state;
	assert_value("tab == \"a\\tb\"", "true");
	assert_value("tab ~ \"^a[[:space:]]b$\"", "true");
	assert_value("tab in (\"x\", \"a\\tb\")", "true");
	assert_value("len(tab)", "3");
	assert_value("has(tab, \"\\t\")", "true");
	assert_value("lower(tab)", "\"a\tb\"");
	assert_value("tab", "field a\\tb");
}

static void knows_texts(void **state)
{
	(void)state;
	assert_value("name ~ \"flash\"", "false");
	assert_value("lower(name) ~ \"flash\"", "true");
	assert_value("name ~ \"^Flash.*bf(16|32)>$\"", "true");
	assert_value("name !~ \"gemm\"", "true");
	assert_value("name !~ \"b.16\"", "false");
	assert_value("has(lower(name), word)", "true");
	assert_value("has(ten, 1)", "true");
	assert_value("sub(name, \"<.*>\", \"\")", "\"Flash_fwd\"");
	assert_value("sub(name, \"^(F)(.*)_\", \"\\2\\1\\\\\\\\1-\\\\0\")",
	             "\"lashF\\1-Flash_fwd<bf16>\"");
	assert_value("sub(name, \"x\", \"y\")", "field Flash_fwd<bf16>");
	assert_value("sub(name, \".*bf(..).*\", \"\\1\") + 1", "17");
	assert_value("sub(name, \"$\", word)", "\"Flash_fwd<bf16>flash\"");
	assert_value("empty(none) && !empty(zero) && empty(dur / zero)", "true");
	assert_value("dur in (1, 5.500, \"x\")", "true");
	assert_value("dur in (\"5.5\")", "false");
	assert_value("-dur in (-5.5)", "true");
	assert_value("none in (0, 1)", "false");
	assert_value("none in (\"\")", "true");
	assert_value("\"5\" in (5)", "true");
	assert_value("if(has(name, \"x\"), \"yes\", \"no\")", "\"no\"");
	assert_value("if(ten > 1, if(dur > 9, \"a\", \"b\"), \"c\")", "\"b\"");
}

static void stops_early(void **state)
{
	(void)state;
	assert_value("1 > 2 && big > 1", "false"); /* big would be an error */
	assert_value("1 < 2 || big > 1", "true");
	assert_value("1 > 2 || 1 > 3 || 1 < 2", "true");
	assert_value("1 < 2 && 1 < 3 && 1 > 2 || 5 > 4", "true");
	assert_value("! 1 > 2 && 2 > 1", "true");
	assert_value("!!(1 > 2)", "false");
}

static void reports_what_is_too_large(void **state)
{
	(void)state;
	assert_error("big > 1", "big: '1e35' is too large");
	assert_error("100000000000000000000000000000 + 100000000000000000000000000000",
	             "the result of + - * or / is too large");
	assert_error("sub(big, \"1\", \"2\") + 1", "a computed text is too large for a number");
	assert_error("isnum(big)", "big: '1e35' is too large");
	assert_error("floor(-170141183460469231731687303715.5)", "the result of floor() is too large");
	assert_value("big == name", "false"); /* by bytes */
}

static void notes_rounding(void **state)
{
	struct expr e = {0};
	struct buf got = {0};

	(void)state;
	evaluate(&e, "dur + fine", &got);
	assert_buf(&got, "5.623456789");
	assert_true(e.rounded);
	assert_text(e.column[e.rounded_column].name, "fine");
	expr_free(&e);
	got.len = 0;
	evaluate(&e, "isnum(fine)", &got);
	assert_buf(&got, "true");
	assert_false(e.rounded);
	expr_free(&e);
	got.len = 0;
	evaluate(&e, "if(isnum(fine), fine + 0, 0)", &got);
	assert_true(e.rounded);
	buf_free(&got);
	expr_free(&e);
}

/* As long as a command line may be: no recursion, and few values on the stack. */
static void takes_long_expressions(void **state)
{
	struct buf text = {0};

	(void)state;
	buf_text(&text, "1");
	for (int i = 0; i < 60000; i++)
		buf_text(&text, "+1");
	buf_char(&text, '\0');
	assert_value(text.data, "60001");
	text.len = 0;
	for (int i = 0; i < 30000; i++)
		buf_text(&text, "ten<1||");
	buf_text(&text, "ten>1");
	buf_char(&text, '\0');
	assert_value(text.data, "true");
	text.len = 0;
	for (int i = 0; i < 30001; i++)
		buf_text(&text, "-");
	buf_text(&text, "ten");
	buf_char(&text, '\0');
	assert_value(text.data, "-10");
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calculates_exactly), cmocka_unit_test(compares_by_value_or_bytes),
		cmocka_unit_test(sees_decoded_text),  cmocka_unit_test(knows_texts),
		cmocka_unit_test(stops_early),        cmocka_unit_test(reports_what_is_too_large),
		cmocka_unit_test(notes_rounding),     cmocka_unit_test(takes_long_expressions),
	};

	return cmocka_run_group_tests_name("exprcode", tests, NULL, NULL);
}
