/* pair: two streams of kernels side by side. */
#include "../unit.h"

#include "compare/pair.h"

struct streams {
	const char *text[SIDES];
	const char *phase;
	enum form form;
	const char *match;
	bool strict;
};

/* Reads both, and writes the head and a table of how many kernels each gave. */
static int read_both(void *arg)
{
	const struct streams *streams = arg;
	char path[SIDES][32];
	char *paths[] = {path[0], path[1]};
	char *argv[] = {(char[]){"prog"}, NULL};
	struct opts opts = {.argc = 1,
	                    .argv = argv,
	                    .operands = paths,
	                    .operands_count = SIDES,
	                    .strict = streams->strict};
	struct pair pair = {
		.phase = pair_phase(streams->phase), .form = streams->form, .match = streams->match};
	const struct pair_fact fact = {"layers", 3};
	const struct pair_fact *facts[] = {&fact, &fact};
	const struct sheet_column column = {"count", SHEET_NUMBER, pair_put_count, 0};
	struct sheet sheet;

	die_init("prog");
	for (int s = 0; s < SIDES; s++) {
		FILE *file = tmpfile();

		fputs(streams->text[s], file);
		fflush(file);
		snprintf(path[s], sizeof path[s], "/proc/self/fd/%d", fileno(file));
	}
	pair_open(&pair, &opts);
	for (int s = 0; s < SIDES; s++) {
		enum pair_item item;
		struct dec dur;
		int kernels = 0;

		while ((item = pair_next(&pair, s, &dur)) != PAIR_END)
			kernels += item == PAIR_KERNEL;
		assert_int_equal(kernels, pair.trace[s].sum.count);
	}
	pair_check(&pair);
	pair_begin(&pair, "Title", facts, 1);
	pair_sheet(&pair, &sheet, "Sides", &column, 1);
	for (int s = 0; s < SIDES; s++)
		sheet_row(&sheet, &pair.trace[s].sum);
	sheet_end(&sheet);
	pair_end(&pair);
	return pair_finish(&pair);
}

static struct unit_end run(struct streams streams)
{
	return unit_run(read_both, &streams);
}

#define SIDE_A                                                \
	"##source\ta\n##platform\tAMD\n##deviceProp\tnumSms\t3\n" \
	"#dur\tname\top\tphase\n1.5\tx\tX\tdecode\n2\ty\tY\tprefill\n3\tz\t\tdecode\n\tx\tX\tdecode\n"
#define SIDE_B "##source\tb\n##damaged\tt\tcut\n#dur\tname\top\n4\tx\tX\n"

static void heads(void **state)
{
	struct unit_end end =
		run((struct streams){.text = {SIDE_A, SIDE_A}, .phase = "decode", .match = "order"});

	(void)state;
	assert_int_equal(end.status, 0);
	assert_text(
		buf_view(&end.out),
		"##kev\t1\n##ends\tprog\n##match\torder\n##trace1\tsource\ta\n##trace1\tplatform\tAMD\n##"
		"trace1\tnumSms\t3\n"
		"##trace1\tkernels\t1\n##trace1\ttotal_ms\t0.0015\n##trace1\tlayers\t3\n"
		"##trace1\tphase\tdecode\n##trace2\tsource\ta\n##trace2\tplatform\tAMD\n"
		"##trace2\tnumSms\t3\n##trace2\tkernels\t1\n##trace2\ttotal_ms\t0.0015\n"
		"##trace2\tlayers\t3\n##trace2\tphase\tdecode\n##via\tprog\n#count\n1\n1\n##end\tprog\n");
	unit_end_free(&end);

	end = run((struct streams){.text = {SIDE_A, SIDE_B}, .phase = "all", .form = FORM_JSON});
	assert_int_equal(end.status, 1);
	assert_true(str_has(buf_view(&end.out), STR("\"trace1_device\": {\n      \"numSms\": 3\n")));
	assert_true(str_has(buf_view(&end.out), STR("\"trace2_layers\": 3,\n    \"phase\": \"all\"")));
	assert_true(str_has(buf_view(&end.out), STR("\"damaged\": [\n      \"t: cut\"\n    ]")));
	assert_true(str_ends(buf_view(&end.out),
	                     STR("  \"sides\": [\n    {\n      \"count\": 2\n    },\n    {\n      "
	                         "\"count\": 1\n    }\n  ]\n}\n")));
	unit_end_free(&end);

	/* What only one side knows stands in its place. */
	end = run((struct streams){
		.text = {SIDE_B, SIDE_A}, .phase = "all", .form = FORM_REPORT, .match = "order"});
	assert_true(str_starts(buf_view(&end.out),
	                       STR("Title, matched by order\n\nTraces\n\nfact      trace1  trace2\n"
	                           "------------------------\nsource    b       a\n"
	                           "platform          AMD\nnumSms            3\n"
	                           "kernels   1       2\n")));
	assert_true(str_ends(buf_view(&end.out), STR("with it:\nt: cut\n")));
	unit_end_free(&end);
}

static void assert_fails(struct streams streams, const char *what)
{
	struct unit_end end = run(streams);

	assert_int_equal(end.status, 2);
	assert_true(str_ends(buf_view(&end.err), str_of(what)));
	unit_end_free(&end);
}

static void errors(void **state)
{
	(void)state;
	assert_fails(
		(struct streams){.text = {SIDE_A, SIDE_A}, .phase = "mixed"},
		"prog: no kernel of phase 'mixed' in either trace: trace1 has decode 1, prefill 1; "
		"trace2 has decode 1, prefill 1\n");
	assert_fails((struct streams){.text = {SIDE_A, SIDE_B}, .phase = "decode"},
	             "column 'phase' is missing; kcontext adds it\n");
	assert_fails((struct streams){.text = {SIDE_A, SIDE_B}, .phase = "all", .strict = true},
	             ":8: a kernel without dur\n");
	assert_fails((struct streams){.text = {"##unit\tcycles\n", SIDE_B}, .phase = "all"},
	             ":1: unit: 'cycles'; only times in us can be compared\n");
}

static void assert_figures(struct dec x, uint64_t n, struct dec y, uint64_t m, const char *want)
{
	struct group a = {.count = n, .total = x};
	struct group b = {.count = m, .total = y};
	struct buf out = {0};

	pair_ratio(&out, &a, &b, false, false);
	buf_char(&out, ' ');
	pair_ratio(&out, &a, &b, true, true);
	buf_char(&out, ' ');
	pair_average(&out, &a, false);
	buf_char(&out, ' ');
	pair_ms(&out, a.total, false);
	buf_char(&out, ' ');
	pair_ms(&out, a.total, true);
	buf_char(&out, ' ');
	pair_us(&out, a.total, true);
	assert_str(buf_view(&out), str_of(want));
	buf_free(&out);
}

static void figures(void **state)
{
	(void)state;
	assert_figures(dec_of(10), 4, dec_of(5), 1, "2 0.500 2.5 0.01 0.010 10.000");
	assert_figures(dec_of(1), 3, dec_of(0), 1, "inf inf 0.333333333333 0.001 0.001 1.000");
	assert_figures(dec_of(0), 1, dec_of(0), 1, "1 1 0 0 0.000 0.000");
	assert_figures(dec_of(0), 0, dec_of(5), 1, "0 0 0 0 0.000 0.000");
	assert_figures(dec_of(-1), 1, dec_of(5), 1, "  -1 -0.001 -0.001 -1.000");
	assert_figures(dec_of(1), 1, dec_of(-5), 1, "  1 0.001 0.001 1.000");
	assert_true(pair_compare_gaps(dec_of(-3), dec_of(2)) < 0);
	assert_int_equal(pair_compare_gaps(dec_of(-2), dec_of(2)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads),
		cmocka_unit_test(errors),
		cmocka_unit_test(figures),
	};

	return cmocka_run_group_tests_name("pair", tests, NULL, NULL);
}
