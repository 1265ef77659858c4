/* difftables: the tables of two traces. */
#include "../unit.h"

#include "kdiff/difftables.h"

/* Which tables, and in which form. */
struct job {
	enum form form;
	bool by_layer;
	bool by_operator;
	bool by_kernel;
};

static void add(struct operations *operations, int s, const char *name, const char *stack, int us)
{
	struct operations_row row = {.op = STR("A"),
	                             .name = str_of(name),
	                             .pattern = STR("p"),
	                             .cpu_op = s ? STR("") : STR("o"),
	                             .stack = str_of(stack),
	                             .has_layer = true,
	                             .layer = dec_of(s),
	                             .dur = dec_of(us)};

	assert_true(operations_add(operations, s, &row));
}

static int write_tables(void *arg)
{
	const struct job *job = arg;
	char *argv[] = {(char[]){"prog"}, NULL};
	struct opts opts = {.argc = 1, .argv = argv, .no_head = true};
	struct pair pair = {.form = job->form};
	struct operations operations = {.stacks = 1};
	struct limit limit = {.by_time = false};
	struct difftables tables = {.pair = &pair,
	                            .operations = &operations,
	                            .similar = &limit,
	                            .layer = &limit,
	                            .by_layer = job->by_layer,
	                            .by_operator = job->by_operator,
	                            .by_kernel = job->by_kernel};

	die_init("prog");
	kev_writer_init(&pair.out, &opts);
	add(&operations, 0, "k", "main;f", 3000);
	add(&operations, 1, "k", "main;g", 2000);
	add(&operations, 1, "l", "main;h", 500);
	assert_true(operations_compare(&operations));
	limit_set_percent(&limit, dec_of(25));
	pair.json.out = &pair.out.out.buf;
	if (job->form == FORM_JSON)
		jsonw_object(&pair.json, NULL);
	difftables_write(&tables);
	if (job->form == FORM_JSON)
		jsonw_end_object(&pair.json);
	operations_free(&operations);
	return kev_finish(&pair.out);
}

static struct buf written(struct job job)
{
	struct unit_end end = unit_run(write_tables, &job);

	assert_int_equal(end.status, 0);
	assert_text(buf_view(&end.err), "");
	buf_free(&end.err);
	return end.out;
}

static void assert_written(struct job job, const char *want)
{
	struct buf out = written(job);

	assert_str(buf_view(&out), str_of(want));
	buf_free(&out);
}

static void assert_has(struct job job, const char *text)
{
	struct buf out = written(job);

	assert_true(str_has(buf_view(&out), str_of(text)));
	buf_free(&out);
}

/* A stream has one of them. */
static void streams(void **state)
{
	(void)state;
	assert_written((struct job){.form = FORM_TSV},
	               "A\t500\tsimilar\t1\t2\t3000\t2500\t3000\t1250\t1.2\t2.4\tp\tp\to\t\tall\n");
	assert_written(
		(struct job){.form = FORM_TSV, .by_layer = true},
		"0\t3000\ttrace1_only\t1\t0\t3000\t0\t0\n1\t-2500\ttrace2_only\t0\t2\t0\t2500\t0\n");
	assert_written((struct job){.form = FORM_TSV, .by_operator = true},
	               "A\to\t3000\t1\t0\t3000\t0\t0\nA\t\t-2500\t0\t2\t0\t2500\t0\n");
	assert_written((struct job){.form = FORM_TSV, .by_kernel = true},
	               "A\tk\t1000\t1\t1\t3000\t2000\nA\tl\t-500\t0\t1\t0\t500\n");
}

static void reports(void **state)
{
	(void)state;
	assert_has((struct job){.form = FORM_REPORT}, "similar               1            3.000 ");
	assert_has((struct job){.form = FORM_REPORT}, "slower: trace1 takes over 25 % longer");
	assert_has((struct job){.form = FORM_REPORT}, "A          p              p              o ");
	assert_has((struct job){.form = FORM_REPORT}, "A          (none)             0             2 ");
	assert_has((struct job){.form = FORM_REPORT},
	           "first\n\nA, trace1:\n  f\n  main\n\nA, trace2:\n  g\n  main\n");
	assert_has((struct job){.form = FORM_MARKDOWN},
	           "\n- A, trace1:\n  - f\n  - main\n- A, trace2:");
	assert_has((struct job){.form = FORM_JSON},
	           "\"status\": \"similar\",\n      \"operations\": 1,");
	assert_has((struct job){.form = FORM_JSON},
	           "\"trace1_cpu_ops\": [\n        {\n          \"name\": \"o\",");
	assert_has((struct job){.form = FORM_JSON}, "\"in_both\": false");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams),
		cmocka_unit_test(reports),
	};

	return cmocka_run_group_tests_name("difftables", tests, NULL, NULL);
}
