/* evidence: calls by correlation, streams, steps and spans of a stream. */
#include "evidence_feed.h"

/* The first call by ts has the correlation, whichever row comes first. */
static void calls(void **state)
{
	struct evidence e;

	(void)state;
	assert_string_equal(
		evidence_feed(&e, STR(FEED_HEAD "5\t1\tcuLaunchKernel\tcuda_driver\t9\t9\t1\n"
	                                    "20\t3\tgemm\tkernel\t0\t7\t1\n"
	                                    "4\t3\tcudaLaunchKernel\tcuda_runtime\t9\t9\t1\n"
	                                    "21\t3\tadd\tkernel\t0\t7\t2\n"
	                                    "24\t3\tadd\tkernel\t0\t7\t\n")),
		"");
	assert_int_equal(e.rows, 3);
	assert_int_equal(e.all_rows, 5);
	assert_non_null(evidence_launch_of(&e, &e.row[0]));
	assert_true(dec_compare(evidence_launch_of(&e, &e.row[0])->ts, dec_of(4)) == 0);
	assert_true(e.call[e.row[0].call].launches);
	assert_true(e.call[e.row[0].call].has_rows);
	assert_null(evidence_launch_of(&e, &e.row[1]));
	assert_true(evidence_is_known(&e, &e.row[1]));
	assert_false(evidence_is_known(&e, &e.row[2]));
	assert_int_equal(e.row[1].number, 3);
	assert_true(dec_compare(evidence_span(&e), dec_of(7)) == 0);
	evidence_free(&e);
}

/* What a file lacks, so that links cannot be checked: correlations of its devices, or calls. */
static void lacks(void **state)
{
	struct evidence e;
	struct str file;

	(void)state;
	evidence_feed(&e, STR("##source\ta\n" FEED_HEAD "5\t1\tl\tcuda_runtime\t9\t9\t1\n"
	                      "20\t3\tgemm\tkernel\t0\t7\t1\n"));
	assert_false(evidence_uncorrelated(&e, &file));
	assert_false(evidence_uncalled(&e, &file));
	evidence_free(&e);
	evidence_feed(&e, STR("##source\ta\n" FEED_HEAD "5\t1\tl\tcuda_runtime\t9\t9\t1\n"
	                      "##source\tb\n" FEED_HEAD "20\t3\tgemm\tkernel\t0\t7\t1\n"
	                      "##source\tc\n" FEED_HEAD "20\t3\tgemm\tkernel\t0\t7\t\n"));
	assert_true(evidence_uncorrelated(&e, &file));
	assert_true(str_equal(file, STR("c")));
	assert_true(evidence_uncalled(&e, &file));
	assert_true(str_equal(file, STR("b")));
	evidence_free(&e);
}

/* Calls of two processes with one correlation, in one file; the order does not matter. */
static void shared(void **state)
{
	static const char calls[] = "1\t1\tl\tcuda_runtime\t9\t9\t1\n2\t1\tl\tcuda_runtime\t8\t8\t1\n"
								"3\t1\tl\tcuda_runtime\t9\t7\t2\n4\t1\tl\tcuda_runtime\t9\t9\t2\n";
	struct evidence e;
	struct buf text = {0};

	(void)state;
	buf_text(&text, FEED_HEAD);
	buf_text(&text, calls);
	evidence_feed(&e, buf_view(&text));
	assert_int_equal(evidence_shared(&e), 1);
	assert_true(e.launches.item[0].several);
	assert_false(e.launches.item[1].several);
	evidence_free(&e);
	buf_text(&text, "##source\tb\n" FEED_HEAD "5\t1\tl\tcuda_runtime\t6\t6\t2\n");
	buf_text(&text, "##source\tc\n" FEED_HEAD);
	buf_text(&text, "7\t1\tl\tcuda_runtime\t6\t6\t1\n6\t1\tl\tcuda_runtime\t6\t6\t1\n");
	buf_text(&text, "5\t1\tl\tcuda_runtime\t5\t6\t1\n");
	evidence_feed(&e, buf_view(&text));
	assert_int_equal(evidence_shared(&e), 2);
	assert_true(e.source[0].shared);
	assert_false(e.source[1].shared);
	assert_true(e.source[2].shared);
	evidence_free(&e);
	buf_free(&text);
}

/* After kcontext there are no calls, but launch_ts. */
static void launches(void **state)
{
	struct evidence e;

	(void)state;
	evidence_feed(
		&e, STR("#ts\tdur\tname\tpid\tcorrelation\tlaunch_ts\tstep\n"
	            "20\t3\tgemm\t0\t1\t4\t0\n25\t3\tgemm\t0\t2\t\t1\n30\t1\tgemm\t0\t3\t5\t1\n"));
	assert_non_null(evidence_launch_of(&e, &e.row[0]));
	assert_true(dec_compare(evidence_launch_of(&e, &e.row[0])->ts, dec_of(4)) == 0);
	assert_null(evidence_launch_of(&e, &e.row[1]));
	assert_true(evidence_is_known(&e, &e.row[1]));
	assert_int_equal(e.numbered.count, 2);
	evidence_free(&e);
	/* Launches of two processes with one correlation. */
	evidence_feed(&e,
	              STR("#ts\tdur\tname\tpid\tcorrelation\tlaunch_ts\n20\t3\tg\t0\t1\t4\n25\t3\tg\t"
	                  "1\t1\t9\n"));
	assert_true(dec_compare(evidence_launch_of(&e, &e.row[0])->ts, dec_of(4)) == 0);
	assert_true(dec_compare(evidence_launch_of(&e, &e.row[1])->ts, dec_of(9)) == 0);
	evidence_free(&e);
	/* Without correlations, launch_ts is the id of a launch. */
	evidence_feed(
		&e,
		STR("#ts\tdur\tname\tpid\tlaunch_ts\n20\t3\tg\t0\t4\n25\t3\tg\t0\t4\n30\t1\tg\t0\t5\n"));
	assert_int_equal(e.row[0].call, e.row[1].call);
	assert_int_not_equal(e.row[0].call, e.row[2].call);
	evidence_free(&e);
}

/* The column stream, or else tid; files are apart. */
static void places(void **state)
{
	struct evidence e;

	(void)state;
	evidence_feed(
		&e,
		STR("##source\ta\n#ts\tdur\tname\tpid\ttid\tstream\n0\t1\ta\t0\t1\t7\n1\t1\ta\t0\t2\t7\n"
	        "2\t1\ta\t0\t7\t\n3\t1\ta\t0\t8\t\n##source\tb\n#ts\tdur\tname\tpid\n9\t1\ta\t0\n"));
	assert_int_equal(e.row[0].place, e.row[1].place);
	assert_int_equal(e.row[0].place, e.row[2].place);
	assert_int_not_equal(e.row[0].place, e.row[3].place);
	assert_int_equal(e.places.count, 3);
	assert_int_equal(e.processes.count, 2);
	assert_true(dec_compare(evidence_span(&e), dec_of(4)) == 0);
	evidence_free(&e);
}

static void steps(void **state)
{
	struct evidence e;

	(void)state;
	evidence_feed(&e, STR(FEED_HEAD "0\t9\tProfilerStep#1\tuser_annotation\t9\t9\t\n"
	                                "0\t9\tloss\tuser_annotation\t9\t9\t\n"
	                                "0\t\tProfilerStep#2\tuser_annotation\t9\t9\t\n"
	                                "0\t9\tProfilerStep#1\tgpu_user_annotation\t0\t7\t\n"));
	assert_int_equal(e.steps, 1);
	assert_int_equal(e.rows, 0);
	evidence_free(&e);
}

static void bad(void **state)
{
	struct evidence e;

	(void)state;
	assert_string_equal(evidence_feed(&e, STR(FEED_HEAD "1e25\t9\ta\tkernel\t0\t7\t\n")),
	                    "the times are too large to add");
	evidence_free(&e);
	assert_string_equal(evidence_feed(&e, STR(FEED_HEAD "1\t-1e25\ta\tcuda_runtime\t0\t7\t1\n")),
	                    "the times are too large to add");
	evidence_free(&e);
	assert_string_equal(evidence_feed(&e, STR(FEED_HEAD "x\t1\ta\tkernel\t0\t7\t\n")),
	                    "ts: 'x' is not a number");
	evidence_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls), cmocka_unit_test(launches), cmocka_unit_test(places),
		cmocka_unit_test(steps), cmocka_unit_test(lacks),    cmocka_unit_test(shared),
		cmocka_unit_test(bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
