/* collsheet: the two tables, and what is not matched. */
#include "coll_feed.h"

#include "kcoll/collsheet.h"

#define ROW(ts, dur, seq) \
	ts "\t" dur "\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t250\t2\tg\t" seq "\n"

static int write_tables(void *arg)
{
	const struct collmatch *match = arg;
	struct kev_writer out;
	bool partly;

	die_init("prog");
	kev_writer_init(&out, unit_opts());
	collsheet_report(match, &out);
	if (!collsheet_kinds(match, &out, FORM_TSV, NULL) ||
	    !collsheet_ranks(match, &out, FORM_TSV, NULL, &partly))
		die("too large");
	warn(partly ? "partly" : "all");
	return kev_finish(&out);
}

static struct unit_end tables(const char *second)
{
	static const char first[] = COLL_HEAD ROW("1", "7", "1") ROW("10", "5", "2");
	struct colltable table = {.coll_cap = 0};
	struct collrows rows = {.table = &table};
	bool waits[COLLKINDS] = {[COLLKIND_ALLREDUCE] = true};
	struct collmatch match = {.table = &table, .waits = waits};
	struct unit_end end;

	coll_feed_rank(&rows, 0, 2, str_of(first));
	coll_feed_rank(&rows, 1, 2, str_of(second));
	assert_true(collmatch_run(&match));
	end = unit_run(write_tables, &match);
	collmatch_free(&match);
	collrows_free(&rows);
	colltable_free(&table);
	return end;
}

static void whole(void **state)
{
	struct unit_end end = tables(COLL_HEAD ROW("4", "4", "1") ROW("11", "6", "2"));

	(void)state;
	assert_int_equal(end.status, 0);
	/* 2000 bytes in 9 us. */
	assert_true(str_has(
		buf_view(&end.out),
		STR("\nallreduce\t1000\t2\t2\t4\t22\t4\t9\t4\t3\t0.222222222222\t0.222222222222\n")));
	assert_true(
		str_has(buf_view(&end.out), STR("\n0\t2\t1\t50\t1\t3\t25\n1\t2\t1\t50\t3\t1\t10\n")));
	assert_true(str_has(buf_view(&end.err), STR("all")));
	buf_free(&end.out);
	buf_free(&end.err);
}

static void partly(void **state)
{
	struct unit_end end = tables(COLL_HEAD ROW("11", "6", "2"));

	(void)state;
	assert_true(str_has(buf_view(&end.out),
	                    STR("##unmatched\tg\t1\tthey are before or after what a rank recorded\n")));
	assert_true(str_has(buf_view(&end.out), STR("\n0\t2\t1\t100\t1\t\t\n1\t1\t0\t0\t0\t\t\n")));
	assert_true(str_has(buf_view(&end.err), STR("partly")));
	buf_free(&end.out);
	buf_free(&end.err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(partly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
