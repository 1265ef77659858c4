/* side: what a compared stream says of itself, and of its damage. */
#include "unit.h"

#include "side.h"

/* What an answer says of the damages of a stream, in every form. */
static int answer(void *arg)
{
	static char predicted[] = "-";
	static char measured[] = "/dev/null";
	char *paths[] = {predicted, measured};
	char *argv[] = {"prog", NULL};
	struct opts opts = {.argc = 1, .argv = argv, .operands = paths, .operands_count = SIDES};
	struct side sides[SIDES] = {{0}};
	struct side *side = &sides[PREDICTED];
	struct kev_writer out;
	struct buf damages = {0};
	struct buf json = {0};
	struct jsonw w = {.out = &json};
	enum kev_item item;

	die_init("prog");
	unit_feed(*(const struct str *)arg);
	kev_writer_init(&out, &opts);
	sides_open(sides, &opts, "M6");
	while ((item = kev_next(&side->in)) > KEV_END)
		if (item == KEV_META && !side_metadata(side, &out, &damages))
			kev_fail(&out, &side->in);
	output_str(&out.out, side_source(side));
	output_char(&out.out, '\n');
	side_damages_report(&out.out, &damages);
	side_damages_markdown(&out.out, &damages);
	jsonw_object(&w, NULL);
	side_damages_json(&w, &damages);
	jsonw_end_object(&w);
	output_str(&out.out, buf_view(&json));
	side_close(side);
	buf_free(&damages);
	buf_free(&json);
	return kev_finish(&out);
}

static void assert_answers(struct str stream, int status, const char *out, const char *err)
{
	struct unit_end end = unit_run(answer, &stream);

	assert_int_equal(end.status, status);
	assert_str(buf_view(&end.out), str_of(out));
	assert_str(buf_view(&end.err), str_of(err));
	unit_end_free(&end);
}

static void a_sound_stream(void **state)
{
	(void)state;
	assert_answers(STR("#dur\n1\n"), 0, "-\n{}\n##kev\t1\n##via\tprog\n", "");
	/* Sources are joined, decoded; names of processes are not passed on. */
	assert_answers(STR("##source\ta\\tb\n##process\t1\tp\n##source\tc\n##rank\t3\n#dur\n1\n"), 0,
	               "##kev\t1\n##source\ta\\tb\n##source\tc\n##rank\t3\n"
	               "a\tb,c\n{}\n##via\tprog\n",
	               "");
}

static void a_damaged_stream(void **state)
{
	(void)state;
	assert_answers(STR("##damaged\tf\tbyte 5\n##damaged\tg\t\"cut\"\n"), 1,
	               "##kev\t1\n##damaged\tf\tbyte 5\n##damaged\tg\t\"cut\"\n-\n"
	               "\nThe input is damaged, and the figures with it:\n"
	               "the prediction: f: byte 5\nthe prediction: g: \"cut\"\n"
	               "\n**The input is damaged, and the figures with it:**\n\n"
	               "the prediction: f: byte 5\nthe prediction: g: \"cut\"\n"
	               "{\n  \"damaged\": [\n    \"the prediction: f: byte 5\",\n"
	               "    \"the prediction: g: \\\"cut\\\"\"\n  ]\n}\n##via\tprog\n",
	               "prog: f: byte 5\nprog: g: \"cut\"\n");
}

static void another_unit(void **state)
{
	(void)state;
	assert_answers(STR("##unit\tcycles\n#dur\n1\n"), 2,
	               "##kev\t1\n"
	               "##damaged\t-\tline 1: unit: 'cycles', where M6 is of times in us\n",
	               "prog: -:1: unit: 'cycles', where M6 is of times in us\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_stream),
		cmocka_unit_test(a_damaged_stream),
		cmocka_unit_test(another_unit),
	};

	return cmocka_run_group_tests_name("side", tests, NULL, NULL);
}
