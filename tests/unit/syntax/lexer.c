/* lexer: tokens of expressions, and items of lists. */
#include "../unit.h"

#include "syntax/lexer.h"

/* The tokens as one text: n:name t:text 1.5 <op> !error */
static void assert_tokens(const char *text, const char *want)
{
	struct lexer l = {.text = str_of(text)};
	struct buf got = {0};

	for (lexer_next(&l); l.token != TOKEN_END && l.token != TOKEN_ERROR; lexer_next(&l)) {
		buf_text(&got, got.len ? " " : "");
		if (l.token == TOKEN_NUMBER) {
			dec_print(&got, l.number);
			buf_text(&got, l.has_unit ? "us" : "");
		} else {
			buf_text(&got, l.token == TOKEN_NAME ? "n:" : l.token == TOKEN_TEXT ? "t:" : "");
			buf_str(&got, l.token == TOKEN_OPERATOR ? l.spelling : buf_view(&l.decoded));
		}
	}
	if (l.token == TOKEN_ERROR)
		buf_format(&got, "!%s", l.error);
	lexer_next(&l); /* the end and an error stay */
	assert_true(l.token == TOKEN_END || l.token == TOKEN_ERROR);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	lexer_free(&l);
}

static void reads_names_and_texts(void **state)
{
	(void)state;
	assert_tokens("", "");
	assert_tokens(" dur\t_a.b1\n", "n:dur n:_a.b1");
	assert_tokens("{External id}{a\\}b\\\\}", "n:External id n:a}b\\");
	assert_tokens("\"a'b\" 'c\"d' \"\"", "t:a'b t:c\"d t:");
	assert_tokens("\"\\\"\\\\\\t\\n\\.\\1\"", "t:\"\\\t\n\\.\\1");
	assert_tokens("'\\'\\\"'", "t:'\"");
	assert_tokens("\"a", "!this quote is not closed");
	assert_tokens("\"a\\\"", "!this quote is not closed");
	assert_tokens("{a", "!{ has no }");
}

static void reads_numbers(void **state)
{
	(void)state;
	assert_tokens("1 2.50 .5 1. 1e3 2E-3", "1 2.5 0.5 1 1000 0.002");
	assert_tokens("10ns 10us 10ms 10s .5ms", "0.01us 10us 10000us 10000000us 500us");
	assert_tokens("0.000001ns", "0.000000001us");
	assert_tokens("1e3ms", "1000000us");
	assert_tokens("0.0000001ns", "!a number has at most nine decimals (of a microsecond)");
	assert_tokens("0.1234567891", "!a number has at most nine decimals");
	assert_tokens("1e39", "!this number is too large");
	assert_tokens("1e999999999", "!this number is too large");
	assert_tokens("170000000000000000000000000000s", "!this number is too large");
	assert_tokens("10min", "!a number ends in ns, us, ms, s or nothing; a name that begins with a "
	                       "digit needs braces");
	assert_tokens("1e", "!a number ends in ns, us, ms, s or nothing; a name that begins with a "
	                    "digit needs braces");
}

static void reads_operators(void **state)
{
	(void)state;
	assert_tokens("a==b!=c<=d>=e<f>g", "n:a == n:b != n:c <= n:d >= n:e < n:f > n:g");
	assert_tokens("!a~b!~c&&d||e", "! n:a ~ n:b !~ n:c && n:d || n:e");
	assert_tokens("(1+2)-3*4/5%6,", "( 1 + 2 ) - 3 * 4 / 5 % 6 ,");
	assert_tokens("a=b", "n:a!write == to compare");
	assert_tokens("a=~b", "n:a!write ~ for a pattern");
	assert_tokens("a&b", "n:a!write && for and, || for or");
	assert_tokens("a|b", "n:a!write && for and, || for or");
	assert_tokens("\xc3\xa4",
	              "!this byte has no meaning here; write a name with such bytes in braces");
}

static void knows_functions(void **state)
{
	static const struct {
		const char *text;
		bool function;
	} cases[] = {{"min(", true}, {"min  (", true}, {"min", false}, {"{min}(", false}, {"(", false}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct lexer l = {.text = str_of(cases[i].text)};

		lexer_next(&l);
		assert_case(cases[i].text, lexer_is_function(&l) == cases[i].function);
		lexer_free(&l);
	}
}

/* The items of a list, each as [name] or [name|expr]. */
static void assert_items(const char *text, const char *want)
{
	struct str list = str_of(text);
	struct buf name = {0};
	struct buf got = {0};
	struct str item;
	struct str expr;

	while (lexer_item(&list, &item)) {
		buf_char(&got, '[');
		if (!lexer_assignment(item, &name, &expr)) {
			buf_text(&got, "?]");
			continue;
		}
		buf_str(&got, buf_view(&name));
		buf_text(&got, expr.s ? "|" : "");
		buf_str(&got, expr);
		buf_char(&got, ']');
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&name);
	buf_free(&got);
}

static void splits_lists(void **state)
{
	(void)state;
	assert_items("", "[]");
	assert_items("a", "[a]");
	assert_items("External id,dur,", "[External id][dur][]");
	assert_items("end=ts+dur,b==c", "[end|ts+dur][b|=c]");
	assert_items("m=max(a,b),c", "[m|max(a,b)][c]");
	assert_items("m=\"a,\\\",b\",c=',',d", "[m|\"a,\\\",b\"][c|','][d]");
	assert_items("{a,b},c", "[a,b][c]");
	assert_items("{a=b}={c,d}", "[a=b|{c,d}]");
	assert_items("{a}b", "[?]");
	assert_items("{a", "[?]");
	assert_items("a\\,b,c\\\\,d\\x", "[a,b][c\\][d\\x]");
	assert_items("Duration(us),f)a,g(b,c", "[Duration(us)][f)a][g(b,c]");
	assert_items("=1", "[|1]");
	assert_items(" a b , c\t= 1,\n{ d } , {e} =f, ", "[a b][c| 1][ d ][e|f][]");
	assert_items(" {a} b", "[?]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_names_and_texts), cmocka_unit_test(reads_numbers),
		cmocka_unit_test(reads_operators),       cmocka_unit_test(knows_functions),
		cmocka_unit_test(splits_lists),
	};

	return cmocka_run_group_tests_name("lexer", tests, NULL, NULL);
}
