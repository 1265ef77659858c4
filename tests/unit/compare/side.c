/* side: the metadata of compared streams, and what their rows lack. */
#include "../unit.h"

#include "compare/side.h"

static const struct side_names names = {
	"A and B", {{"a", "side a", "rows of a"}, {"b", "side b", "rows of b"}}};

/* What a stream is passed on as, its source and its damages. */
static int answer(void *arg)
{
	static char first[] = "-";
	static char second[] = "/dev/null";
	char *paths[] = {first, second};
	char *argv[] = {"prog", NULL};
	struct opts opts = {.argc = 1, .argv = argv, .operands = paths, .operands_count = SIDES};
	struct side sides[SIDES] = {{0}};
	struct side *side = &sides[0];
	struct kev_writer out;
	struct buf damages = {0};
	enum kev_item item;

	die_init("prog");
	unit_feed(*(const struct str *)arg);
	kev_writer_init(&out, &opts);
	sides_open(sides, &opts, &names, FORM_TSV);
	while ((item = kev_next(&side->in)) > KEV_END)
		if (item == KEV_META)
			side_metadata(side, &out, &damages);
	if (item == KEV_FAILED)
		kev_fail(&out, &side->in);
	output_str(&out.out, side_source(side));
	output_char(&out.out, '\n');
	output_str(&out.out, buf_view(&damages));
	side_close(side);
	buf_free(&damages);
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
	assert_answers(STR("#dur\n1\n"), 0, "-\n##kev\t1\n##ends\tprog\n##via\tprog\n##end\tprog\n",
	               "");
	/* Sources are joined, decoded; names of processes are not passed on. */
	assert_answers(STR("##source\ta\\tb\n##process\t1\tp\n##thread\t1\t2\tt\n##source\tc\n##"
	                   "rank\t3\n#dur\n1\n"),
	               0,
	               "##kev\t1\n##ends\tprog\n##source\ta\\tb\n##source\tc\n##rank\t3\n"
	               "a\tb,c\n##via\tprog\n##end\tprog\n",
	               "");
}

static void a_damaged_stream(void **state)
{
	(void)state;
	assert_answers(STR("##damaged\tf\tbyte 5\n##damaged\tg\ta\\tb\n"), 1,
	               "##kev\t1\n##ends\tprog\n##damaged\tf\tbyte 5\n##damaged\tg\ta\\\\x09b\n-\n"
	               "side a: f: byte 5\nside a: g: a\\tb\n##via\tprog\n##end\tprog\n",
	               "prog: f: byte 5\nprog: g: a\\x09b\n");
}

static void another_unit(void **state)
{
	(void)state;
	assert_answers(STR("##unit\tcycles\n#dur\n1\n"), 2,
	               "##kev\t1\n##ends\tprog\n"
	               "##damaged\t-\tline 1: unit: 'cycles'; only times in us can be "
	               "compared\tusage\n##end\tprog\n",
	               "prog: -:1: unit: 'cycles'; only times in us can be compared\n");
}

/* Warnings of three rows without dur, on lines 7 to 9, and a collective without ts. */
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
	sides_open(sides, &opts, &names, FORM_TSV);
	side_missing_warn(&sides[0]);
	side_missing_report(&out.out, sides);
	side_missing_markdown(&out.out, sides);
	sides[0].missing[MISSING_KEY].ordinary = true;
	sides[0].missing[MISSING_DUR].effect = "counted as 0";
	side_lacks(&sides[0], MISSING_KEY, 6);
	for (uint64_t line = 7; line < 10; line++)
		side_lacks(&sides[0], MISSING_DUR, line);
	side_lacks(&sides[1], MISSING_TS, 2);
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
		"rows of side a without type, not counted: 1\n"
		"rows of side a without dur, counted as 0: 3\n"
		"collectives of side b without ts, not counted: 1\n"
		"\n**Missing in the input, and in the figures:**\n\n"
		"- rows of side a without type, not counted: 1\n"
		"- rows of side a without dur, counted as 0: 3\n"
		"- collectives of side b without ts, not counted: 1\n"
		"{\n  \"missing\": [\n"
		"    {\n      \"side\": \"a\",\n      \"what\": \"rows\",\n"
		"      \"without\": \"type\",\n      \"effect\": \"not counted\",\n      \"count\": 1\n"
		"    },\n"
		"    {\n      \"side\": \"a\",\n      \"what\": \"rows\",\n"
		"      \"without\": \"dur\",\n      \"effect\": \"counted as 0\",\n      \"count\": 3\n"
		"    },\n"
		"    {\n      \"side\": \"b\",\n      \"what\": \"collectives\",\n"
		"      \"without\": \"ts\",\n      \"effect\": \"not counted\",\n      \"count\": 1\n"
		"    }\n  ]\n}\n";
	static const char *const errors[] = {
		"prog: rows of side a without dur, counted as 0: 3\n"
		"prog: collectives of side b without ts, not counted: 1\n",
		/* The first of each side. */
		"prog: 7: a row without dur\n"
		"prog: rows of side a without dur, counted as 0: 3\n"
		"prog: 2: a collective without ts\n"
		"prog: collectives of side b without ts, not counted: 1\n"};

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

struct operands {
	char *paths[3];
	int count;
	enum form form;
};

static int open_operands(void *arg)
{
	struct operands *operands = arg;
	char *argv[] = {(char[]){"prog"}, NULL};
	struct opts opts = {
		.argc = 1, .argv = argv, .operands = operands->paths, .operands_count = operands->count};
	struct side sides[SIDES];

	die_init("prog");
	sides_open(sides, &opts, &names, operands->form);
	return opts.no_head ? 10 : 0;
}

static void operands(void **state)
{
	static const char two[] = "prog: two streams are needed: A and B; see prog -h\n";
	static char path[] = "-";
	static char null[] = "/dev/null";
	const struct {
		struct operands operands;
		int status;
		const char *err;
	} cases[] = {
		{{{path}, 1, FORM_TSV}, 2, two},
		{{{path, null, null}, 3, FORM_TSV}, 2, two},
		{{{path, path}, 2, FORM_TSV},
	     2,
	     "prog: only one of the two can be standard input; see prog -h\n"},
		{{{path, null}, 2, FORM_TSV}, 0, ""},
		{{{path, null}, 2, FORM_JSON}, 10, ""},
		{{{null, path}, 2, FORM_REPORT}, 10, ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct operands arg = cases[i].operands;
		struct unit_end end = unit_run(open_operands, &arg);

		assert_int_equal(end.status, cases[i].status);
		assert_str(buf_view(&end.err), str_of(cases[i].err));
		unit_end_free(&end);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_stream), cmocka_unit_test(a_damaged_stream),
		cmocka_unit_test(another_unit),   cmocka_unit_test(what_rows_lack),
		cmocka_unit_test(operands),
	};

	return cmocka_run_group_tests_name("side", tests, NULL, NULL);
}
