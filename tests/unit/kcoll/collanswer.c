/* collanswer: what is around the tables in each form, and what limits the figures. */
#include "coll_feed.h"

#include "kcoll/collanswer.h"

#define ROW(ts, dur, seq) \
	ts "\t" dur "\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t250\t\tg\t" seq "\n"

struct job {
	enum form form;
	bool by_rank;
	const char *second; /* stream of another rank */
};

static int write_answer(void *arg)
{
	const struct job *job = arg;
	struct opts opts = {
		.argc = 1, .argv = (char *[]){(char[]){"prog"}, NULL}, .no_head = job->form != FORM_TSV};
	bool waits[COLLKINDS] = {[COLLKIND_ALLREDUCE] = true};
	struct colltable table = {.coll_cap = 0};
	struct collrows rows = {.table = &table};
	struct collmatch match = {.table = &table, .waits = waits};
	struct partial heads = {.keys_known = false};
	struct buf damages = {0};
	struct collanswer answer = {.match = &match,
	                            .heads = &heads,
	                            .damages = &damages,
	                            .unit = "us",
	                            .form = job->form,
	                            .by_rank = job->by_rank};
	struct kev_writer out;

	die_init("prog");
	kev_writer_init(&out, &opts);
	buf_text(&damages, "-\tcut\n");
	coll_feed_rank(&rows, 0, 0, STR(COLL_HEAD ROW("1", "7", "1") ROW("10", "5", "2")));
	coll_feed_rank(&rows, 1, 0, str_of(job->second));
	assert_true(collanswer_write(&answer, &out));
	buf_free(&damages);
	partial_free(&heads);
	collmatch_free(&match);
	collrows_free(&rows);
	colltable_free(&table);
	return kev_finish(&out);
}

/* Each form has these texts, and messages. */
static void assert_answer(struct job job, const char *out, const char *err)
{
	struct unit_end end = unit_run(write_answer, &job);

	if (!str_has(buf_view(&end.out), str_of(out)))
		assert_str(buf_view(&end.out), str_of(out));
	if (!str_has(buf_view(&end.err), str_of(err)))
		assert_str(buf_view(&end.err), str_of(err));
	unit_end_free(&end);
}

static void forms(void **state)
{
	static const char whole[] = COLL_HEAD ROW("4", "4", "1") ROW("11", "6", "2");
	static const char unsized[] =
		"prog: groups whose size is unknown, so the ranks that have rows are all: 1\n";

	(void)state;
	assert_answer((struct job){FORM_TSV, false, whole}, "\nallreduce\t1000\t2\t2\t4\t", unsized);
	assert_answer((struct job){FORM_TSV, true, whole}, "\n0\t2\t1\t50\t1\t3\t25\n", unsized);
	assert_answer((struct job){FORM_REPORT, false, whole}, "damaged, and the figures", unsized);
	assert_answer((struct job){FORM_MARKDOWN, false, whole}, "**The input is damaged", unsized);
	assert_answer((struct job){FORM_JSON, false, whole}, "{\n  \"unit\": \"us\",\n", unsized);
	assert_answer((struct job){FORM_JSON, false, whole}, "\"damaged\": [", unsized);
}

static void limits(void **state)
{
	static const char other[] = COLL_HEAD ROW("4", "4", "1");

	(void)state;
	assert_answer((struct job){FORM_TSV, true, other}, "##unmatched\tg\t1\t",
	              "prog: the wait of a rank is unknown");
	assert_answer((struct job){FORM_REPORT, false, other}, "they are before or after", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
