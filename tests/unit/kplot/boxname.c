/* boxname: the name in a box, if there is room for it. */
#include "../unit.h"

#include "kplot/boxname.h"

static struct buf put(const char *text, const char *other, int pixels)
{
	struct buf script = {0};
	struct script_axis axis = script_axis("", dec_of(1));
	struct boxname name = {str_of(text), str_of(other), "'#ffffff'", PICTURE_SVG};

	boxname_put(&script, &name, pixels, dec_of(3), 0.5, &axis);
	buf_char(&script, '\0');
	return script;
}

static void check(const char *text, const char *other, int pixels, const char *label)
{
	struct buf script = put(text, other, pixels);
	struct buf want = {0};

	if (*label)
		buf_format(&want,
		           "set label '%s' at 3,0.5 left offset 0.4,0 font ',11' textcolor rgb '#000000' "
		           "front\n",
		           label);
	buf_char(&want, '\0');
	assert_string_equal(script.data, want.data);
	buf_free(&script);
	buf_free(&want);
}

static void room(void **state)
{
	(void)state;
	check("run", "", 24, "run");
	check("run", "", 23, "");
	check("process.py(108): run", "", 24, "run");
	check("void ns::gemm<128>(int)", "", 30, "gemm");
	check("a_long_function", "mm", 24, "mm");
	check("a_long_function", "", 48, "a_long…");
	check("a_long_function", "", 47, "");
	check("", "", 100, "");
	check("a", "", 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(room)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
