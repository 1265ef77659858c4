/* script: pieces of a gnuplot script. */
#include "../unit.h"

#include "kplot/script.h"

static void labels(void **state)
{
	struct buf out = {0};

	(void)state;
	script_label(&out, STR("it's 5 % \x1b`ls`\n$(x) \"\\"), 100);
	script_tic(&out, STR("it's 5 %"), 100);
	script_label(&out, STR("状态abcd"), 6);
	script_label(&out, STR("''''"), 3);
	script_label(&out, STR("a[b[0]]>]>>"), 100);
	assert_buf(&out, "'it'.\"\\047\".'s 5 % \\x1b`ls`\\x0a$(x) \"\\''it'.\"\\047\".'s 5 %%''状态a…'"
	                 "''.\"\\047\".''.\"\\047\".'…''a[b[0]]\\x3e]>>'");
	buf_free(&out);
}

static void pictures(void **state)
{
	(void)state;
	assert_int_equal(script_picture("a/b.svg"), PICTURE_SVG);
	assert_int_equal(script_picture("b.png"), PICTURE_PNG);
	assert_int_equal(script_picture(".pdf"), PICTURE_PDF);
	assert_int_equal(script_picture("svg"), PICTURES);
}

/* The room above the picture. */
static void tops(void **state)
{
	struct script_frame frame = {.width = 100, .height = 100};
	struct buf out = {0};

	(void)state;
	assert_int_equal(script_top(&frame), 14);
	frame.key = true;
	assert_int_equal(script_top(&frame), 34);
	script_begin(&out, &frame);
	assert_false(str_has(buf_view(&out), STR("set label")));
	assert_true(str_has(buf_view(&out), STR("set tmargin at screen 0.6600\n")));
	frame.damage = STR("cut");
	assert_int_equal(script_top(&frame), 44);
	frame = (struct script_frame){.title = STR("t")};
	assert_int_equal(script_top(&frame), 44);
	buf_free(&out);
}

static void axes(void **state)
{
	struct script_axis axis = script_axis("us", dec_of(9999));
	struct buf out = {0};

	(void)state;
	assert_string_equal(axis.unit, "us");
	axis = script_axis("us", dec_of(10000));
	assert_string_equal(axis.unit, "ms");
	axis = script_axis("us", dec_of(10000000));
	assert_string_equal(axis.unit, "s");
	script_value(&out, dec_of(1), &axis);
	axis = script_axis("cycles", dec_of(10000000));
	assert_string_equal(axis.unit, "cycles");
	script_axis_label(&out, 'x', STR("dur"), &axis);
	script_axis_label(&out, 'y', STR(""), &axis);
	assert_buf(&out, "0.000001set xlabel 'dur (cycles)'\nset ylabel 'cycles'\n");
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels),
		cmocka_unit_test(pictures),
		cmocka_unit_test(tops),
		cmocka_unit_test(axes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
