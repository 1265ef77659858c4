/* changereport: what an answer has around its table, in each form. */
#include "../unit.h"

#include "kcompare/changereport.h"

/* What is written. */
struct job {
	enum form form;
	struct str of;
	uint64_t needed;
	struct str damages;
};

static int write_report(void *arg)
{
	const struct job *job = arg;
	char *argv[] = {(char[]){"prog"}, NULL};
	struct opts opts = {.argc = 1, .argv = argv, .no_head = job->form != FORM_TSV};
	struct comparison sum = {.verdict = COMPARISON_EQUAL};
	const struct comparison group = {.side = {{.n = 2, .total = dec_of(6)}},
	                                 .verdict = COMPARISON_GONE};
	const struct str key = STR("k|1");
	struct words names = {0};
	struct changes changes = {.keys = &names};
	struct buf damages = {0};
	struct changereport report = {
		.samples = STR("totals of each file, a|b"),
		.unit = STR("ns"),
		.of = job->of,
		.alpha = {10000000},
		.needed = job->needed,
		.side = {{STR("OLD"), STR("a.kev and 2 more"), 3, 40}, {STR("NEW"), STR("b.kev"), 1, 9}},
		.changes = &changes,
		.damages = &damages};
	struct kev_writer out;

	die_init("prog");
	words_add(&names, "name");
	buf_str(&damages, job->damages);
	kev_writer_init(&out, &opts);
	changes_take(&changes, &group, &key, 1, &sum);
	changereport_write(&report, &out, job->form);
	changes_free(&changes);
	words_free(&names);
	buf_free(&damages);
	return kev_finish(&out);
}

static struct buf written(const struct job *job)
{
	struct job copy = *job;
	struct unit_end end = unit_run(write_report, &copy);

	assert_int_equal(end.status, 0);
	assert_text(buf_view(&end.err), "");
	buf_free(&end.err);
	return end.out;
}

/* Whether the answer contains the text. */
static void assert_has(const struct job *job, const char *want, bool has)
{
	struct buf text = written(job);

	if (str_has(buf_view(&text), str_of(want)) != has)
		fail_msg("%s: %s", has ? "missing" : "there is", want);
	buf_free(&text);
}

static void stream(void **state)
{
	const struct job plain = {.form = FORM_TSV, .of = STR(""), .damages = STR("")};
	const struct job other = {FORM_TSV, STR("a b"), 7, STR("")};

	(void)state;
	assert_has(&plain, "##samples\ttotals of each file, a|b\n##alpha\t0.01\n##via", true);
	assert_has(&plain, "##of", false);
	assert_has(&other, "##alpha\t0.01\n##needed\t7\n##of\ta b\n", true);
}

static void json(void **state)
{
	const struct job plain = {.form = FORM_JSON, .of = STR(""), .damages = STR("")};
	const struct job other = {FORM_JSON, STR("a\"b"), 7, STR("OLD: a.kev: cut\n")};

	(void)state;
	assert_has(&plain, "\"unit\": \"ns\",\n  \"samples\": \"totals of each file, a|b\"", true);
	assert_has(&plain, "\"alpha\": 0.01,\n  \"sides\"", true);
	assert_has(&plain, "\"damaged\"", false);
	assert_has(&other, "\"of\": \"a\\\"b\"", true);
	assert_has(&other, "\"needed\": 7", true);
	assert_has(&other, "\"OLD: a.kev: cut\"", true);
}

static void people(void **state)
{
	struct job job = {FORM_REPORT, STR(""), 0, STR("")};

	(void)state;
	assert_has(&job, "Samples are totals of each file, a|b, in ns; alpha is 0.01\n", true);
	assert_has(&job, "0 mixed, 0 few, 1 gone, 0 new\n", true);
	assert_has(&job, "OLD   a.kev and 2 more      3    40\n", true);
	assert_has(&job, "enough", false);
	job = (struct job){FORM_MARKDOWN, STR("bytes"), 7, STR("NEW: b.kev: cut\n")};
	assert_has(&job, "# Slower or noise\n", true);
	assert_has(&job, "`Samples are totals of each file, a|b, of the column bytes; alpha is 0.01`\n",
	           true);
	assert_has(&job, "in ns", false);
	assert_has(&job, "enough for all groups: 7\n", true);
	assert_has(&job, "NEW: b.kev: cut", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stream),
		cmocka_unit_test(json),
		cmocka_unit_test(people),
	};

	return cmocka_run_group_tests_name("changereport", tests, NULL, NULL);
}
