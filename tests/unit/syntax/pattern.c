/* pattern: what is a pattern, and what is wrong with others. tests/unit/match.c runs them. */
#include "../unit.h"

#include "syntax/pattern.h"

static void assert_refused(const char *text, const char *why)
{
	struct pattern p = {0};

	assert_case(text, !pattern_compile(&p, str_of(text)));
	assert_case(text, strstr(p.error, why) != NULL);
	pattern_free(&p);
}

static void assert_accepted(struct str text, int groups)
{
	struct pattern p = {0};

	assert_case(text.s, pattern_compile(&p, text));
	assert_int_equal(p.groups, groups);
	assert_true(p.count <= 10000);
	pattern_free(&p);
}

static void names_what_is_wrong(void **state)
{
	(void)state;
	assert_refused("(", "( has no )");
	assert_refused("a(b|c", "( has no )");
	assert_refused("a)", ") has no (");
	assert_refused("*a", "* has nothing to repeat");
	assert_refused("(+)", "+ has nothing to repeat");
	assert_refused("a|?", "? has nothing to repeat");
	assert_refused("[a", "[ has no ]");
	assert_refused("[]", "[ has no ]");
	assert_refused("[^", "[ has no ]");
	assert_refused("^*a", "* cannot repeat ^");
	assert_refused("a(b$){2}$+", "+ cannot repeat $");
	assert_refused("^{,2}a", "{ cannot repeat ^");
	assert_refused("{2}a", "{ has nothing to repeat");
	assert_refused("a|({,2})", "{ has nothing to repeat");
	assert_refused("[z-a]", "backwards");
	assert_refused("[a-c-e]", "- follows a range");
	assert_refused("[^[:digit:]-z]", "- follows a range");
	assert_refused("[+-[:digit:]]", "[: cannot end a range");
	assert_refused("[+-[.-.]]", "[. cannot end a range");
	assert_refused("[:alpha:]", "two brackets");
	assert_refused("a[^:x:]+", "two brackets");
	assert_refused("[[:kernel:]]", "no class");
	assert_refused("[[:alpha", "no class");
	assert_refused("[[.a.]]", "not known");
	assert_refused("[[=a=]]", "not known");
	assert_refused("a\\", "stands at the end");
	assert_refused("(a)\\1", "refer back");
	assert_refused("\\w", "no meaning");
	assert_refused("\\<a", "\\< has no meaning");
	assert_refused("a\\>", "\\> has no meaning");
	assert_refused("\\`a", "\\` has no meaning");
	assert_refused("a\\'", "\\' has no meaning");
	assert_refused("a{2", "{ has no }");
	assert_refused("a{2,1}", "go backwards");
	assert_refused("a{256}", "more than 255");
	assert_refused("a{1,99999999999999999999}", "more than 255");
	assert_refused("a{,256}", "more than 255");
}

static void bounds_its_size(void **state)
{
	struct buf deep = {0};

	(void)state;
	assert_refused("((a{255}){255})", "too large");
	assert_refused("(((((a{9}){9}){9}){9}){9}|b)", "too large");
	for (int i = 0; i < 101; i++)
		buf_char(&deep, '(');
	buf_char(&deep, '\0');
	assert_refused(deep.data, "nested more than 100");
	deep.len = 0;
	for (int i = 0; i < 20000; i++)
		buf_text(&deep, "a|");
	buf_char(&deep, '\0');
	assert_refused(deep.data, "too large");
	buf_free(&deep);
}

static void accepts_all_else(void **state)
{
	(void)state;
	assert_accepted(STR(""), 0);
	assert_accepted(STR("a||b"), 0);
	assert_accepted(STR("()"), 1);
	assert_accepted(STR("(a)(b(c))"), 3);
	assert_accepted(STR("{lambda}a{,2}{}{,b}{,"), 0);
	assert_accepted(STR("(^)*(a|$)+"), 2);
	assert_accepted(STR("[:a-c:][a:][:][::]"), 0);
	assert_accepted(STR("[]a][^]a][a-][[:digit:]_-]"), 0);
	assert_accepted(STR("(a{255})"), 1);
	assert_accepted(STR("a\0b"), 0);
}

static void knows_literals(void **state)
{
	static const char special[] = ".[\\()*+?{|^$";

	(void)state;
	assert_true(pattern_is_literal(STR("")));
	assert_true(pattern_is_literal(STR("flash_fwd<bf16>::operator,]}-\0x")));
	for (size_t i = 0; special[i]; i++) {
		char text[] = {'a', special[i], 'b', '\0'};

		assert_case(text, !pattern_is_literal(str_of(text)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_is_wrong),
		cmocka_unit_test(bounds_its_size),
		cmocka_unit_test(accepts_all_else),
		cmocka_unit_test(knows_literals),
	};

	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
