/* side: what a compared stream says of itself, of its damage, and what it lacks. */
#include "unit.h"

#include "compare/side.h"

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

/* Of three rows without dur, on lines 7 to 9, and a collective without ts. */
static int lacking(void *arg)
{
	static char path[] = "/dev/null";
	char *paths[] = {path, path};
	char *argv[] = {"prog", NULL};
	const bool *strict = arg;
	struct opts opts = {.argc = 1,
	                    .argv = argv,
	                    .operands = paths,
	                    .operands_count = SIDES,
	                    .no_head = true,
	                    .strict = *strict};
	struct side sides[SIDES] = {{0}};
	struct kev_writer out;
	struct buf json = {0};
	struct jsonw w = {.out = &json};

	die_init("prog");
	kev_writer_init(&out, &opts);
	sides_open(sides, &opts, "M6");
	side_missing_warn(&sides[PREDICTED]);
	side_missing_report(&out.out, sides);
	side_missing_markdown(&out.out, sides);
	sides[PREDICTED].missing[MISSING_KEY].ordinary = true;
	sides[PREDICTED].missing[MISSING_DUR].effect = "counted as 0";
	side_lacks(&sides[PREDICTED], MISSING_KEY, 6);
	for (uint64_t line = 7; line < 10; line++)
		side_lacks(&sides[PREDICTED], MISSING_DUR, line);
	side_lacks(&sides[MEASURED], MISSING_TS, 2);
	for (int i = 0; i < SIDES; i++) {
		if (sides[i].in.error[0])
			warn("%llu: %s", (unsigned long long)sides[i].in.error_line, sides[i].in.error);
		side_missing_warn(&sides[i]);
	}
	side_missing_report(&out.out, sides);
	side_missing_markdown(&out.out, sides);
	jsonw_object(&w, NULL);
	side_missing_json(&w, sides);
	jsonw_end_object(&w);
	output_str(&out.out, buf_view(&json));
	for (int i = 0; i < SIDES; i++)
		side_close(&sides[i]);
	buf_free(&json);
	return kev_finish(&out);
}

static void what_rows_lack(void **state)
{
	static const char answer[] =
		"\nMissing in the input, and in the figures:\n"
		"rows of the prediction without type, not counted: 1\n"
		"rows of the prediction without dur, counted as 0: 3\n"
		"collectives of the measurement without ts, not counted: 1\n"
		"\n**Missing in the input, and in the figures:**\n\n"
		"- rows of the prediction without type, not counted: 1\n"
		"- rows of the prediction without dur, counted as 0: 3\n"
		"- collectives of the measurement without ts, not counted: 1\n"
		"{\n  \"missing\": [\n"
		"    {\n      \"side\": \"prediction\",\n      \"what\": \"rows\",\n"
		"      \"without\": \"type\",\n      \"effect\": \"not counted\",\n      \"count\": 1\n"
		"    },\n"
		"    {\n      \"side\": \"prediction\",\n      \"what\": \"rows\",\n"
		"      \"without\": \"dur\",\n      \"effect\": \"counted as 0\",\n      \"count\": 3\n"
		"    },\n"
		"    {\n      \"side\": \"measurement\",\n      \"what\": \"collectives\",\n"
		"      \"without\": \"ts\",\n      \"effect\": \"not counted\",\n      \"count\": 1\n"
		"    }\n  ]\n}\n";
	static const char *const errors[] = {
		"prog: rows of the prediction without dur, counted as 0: 3\n"
		"prog: collectives of the measurement without ts, not counted: 1\n",
		/* The first of each side. */
		"prog: 7: a row without dur\n"
		"prog: rows of the prediction without dur, counted as 0: 3\n"
		"prog: 2: a collective without ts\n"
		"prog: collectives of the measurement without ts, not counted: 1\n"};

	(void)state;
	for (int strict = 0; strict < 2; strict++) {
		bool is_strict = strict;
		struct unit_end end = unit_run(lacking, &is_strict);

		assert_int_equal(end.status, 0);
		assert_str(buf_view(&end.out), str_of(answer));
		assert_str(buf_view(&end.err), str_of(errors[strict]));
		unit_end_free(&end);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_stream),
		cmocka_unit_test(a_damaged_stream),
		cmocka_unit_test(another_unit),
		cmocka_unit_test(what_rows_lack),
	};

	return cmocka_run_group_tests_name("side", tests, NULL, NULL);
}
