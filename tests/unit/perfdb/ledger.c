/* ledger: the lines of the table, and those that are kept of it. */
#include "../unit.h"

#include "perfdb/ledger.h"

static int put(void *arg)
{
	char *argv[] = {(char *)"dbmerge", NULL};
	struct opts opts = {.argc = 1, .argv = argv};
	struct kev_writer out;

	die_init("dbmerge");
	kev_writer_init(&out, &opts);
	ledger_put_columns(&out);
	assert_true(ledger_put(arg, &out));
	return kev_finish(&out);
}

/* The lines after the columns line. */
static void assert_put(struct ledger *ledger, const char *want)
{
	struct unit_end end = unit_run(put, ledger);
	struct str got = buf_view(&end.out);
	struct str head = STR("##kev\t1\n##ends\tdbmerge\n##via\tdbmerge\n"
	                      "#action\toperator\tcsv\tsignature\tcount\tmicrobench_us\t"
	                      "profiling_us\tdiff_us\tratio\told_us\n");
	struct str tail = STR("##end\tdbmerge\n");

	assert_buf(&end.err, "");
	assert_int_equal(end.status, 0);
	assert_true(str_starts(got, head));
	assert_true(str_ends(got, tail));
	assert_true(str_equal((struct str){got.s + head.n, got.n - head.n - tail.n}, str_of(want)));
	unit_end_free(&end);
}

static void facts(void **state)
{
	struct ledger ledger;
	struct dec one;
	struct dec three;

	(void)state;
	dec_parse(STR("1.5"), &one);
	dec_parse(STR("3"), &three);
	assert_true(ledger_open(&ledger));
	ledger_begin(&ledger, STR("A"), STR("a\tb.csv"));
	ledger_fact(&ledger, LEDGER_UPDATED, STR("8 -> 8"), 1, STR(" 5.0 "), STR("1e1"));
	ledger_fact(&ledger, LEDGER_ADDED, STR("8 -> 8"), 1, STR("x"), STR(""));
	ledger_fact(&ledger, LEDGER_DUPLICATE, STR("9\\8"), 12, STR(""), STR(""));
	ledger_gap(&ledger, STR("7"), one, three);
	ledger_gap(&ledger, STR("7"), three, one);
	assert_buf(&ledger.facts, "updated\tA\ta\\tb.csv\t8 -> 8\t1\t5\t\t\t\t10\n"
	                          "added\tA\ta\\tb.csv\t8 -> 8\t1\t\t\t\t\t\n"
	                          "duplicate\tA\ta\\tb.csv\t9\\\\8\t12\t\t\t\t\t\n"
	                          "gap\tA\ta\\tb.csv\t7\t1\t1.5\t3\t1.5\t0.5\t\n"
	                          "gap\tA\ta\\tb.csv\t7\t1\t3\t1.5\t1.5\t2\t\n");
	ledger_close(&ledger);
}

/* Skipped files come first, then the lines that were kept, those of a file after its own. */
static void what_is_kept(void **state)
{
	struct ledger ledger;

	(void)state;
	assert_true(ledger_open(&ledger));
	ledger_begin(&ledger, STR("A"), STR("A.csv"));
	ledger_fact(&ledger, LEDGER_MISSING, STR("8"), 1, STR(""), STR(""));
	assert_true(ledger_keep_file(&ledger, 3));
	ledger_begin(&ledger, STR("B"), STR("B.csv"));
	ledger_fact(&ledger, LEDGER_DELETED, STR("8"), 1, STR(""), STR(""));
	ledger_skip(&ledger, STR("B.csv"), STR("why"));
	ledger_begin(&ledger, STR("C"), STR("C.csv"));
	assert_true(ledger_keep_file(&ledger, 0));
	ledger_begin(&ledger, STR("D"), STR(""));
	assert_true(ledger_keep(&ledger));
	ledger_fact(&ledger, LEDGER_UNMATCHED, STR("8"), 1, STR("2"), STR(""));
	assert_true(ledger_keep(&ledger));
	assert_put(&ledger, "##damaged\tB.csv\twhy\n"
	                    "file\tA\tA.csv\t\t3\t\t\t\t\t\n"
	                    "missing\tA\tA.csv\t8\t1\t\t\t\t\t\n"
	                    "file\tC\tC.csv\t\t0\t\t\t\t\t\n"
	                    "unmatched\tD\t\t8\t1\t2\t\t\t\t\n");
	ledger_close(&ledger);
}

/* More than a spool holds in memory, so that its file is read back in pieces. */
static void many_files(void **state)
{
	struct ledger ledger;
	struct buf want = {0};

	(void)state;
	assert_true(ledger_open(&ledger));
	for (int i = 0; i < 3000; i++) {
		char name[16];

		snprintf(name, sizeof name, "Op%d", i);
		ledger_begin(&ledger, str_of(name), STR("x.csv"));
		for (int j = 0; j < i % 7; j++) {
			ledger_fact(&ledger, LEDGER_ADDED, STR("8 -> 8"), 1, STR("1"), STR(""));
			if (j == 0)
				buf_format(&want, "file\t%s\tx.csv\t\t%d\t\t\t\t\t\n", name, i);
			buf_format(&want, "added\t%s\tx.csv\t8 -> 8\t1\t1\t\t\t\t\n", name);
		}
		if (i % 7 == 0)
			buf_format(&want, "file\t%s\tx.csv\t\t%d\t\t\t\t\t\n", name, i);
		assert_true(ledger_keep_file(&ledger, (uint64_t)i));
	}
	buf_char(&want, '\0');
	assert_put(&ledger, want.data);
	ledger_close(&ledger);
	buf_free(&want);
}

static void a_lost_file(void **state)
{
	struct ledger ledger;
	struct opts opts = {.no_head = true};
	struct kev_writer out;

	(void)state;
	assert_true(ledger_open(&ledger));
	ledger_begin(&ledger, STR("A"), STR("A.csv"));
	assert_true(ledger_keep_file(&ledger, 3));
	close(ledger.table.fd);
	kev_writer_init(&out, &opts);
	assert_false(ledger_put(&ledger, &out));
	assert_non_null(strstr(ledger.error, "temporary file"));
	buf_free(&out.out.buf);
	ledger_close(&ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts),
		cmocka_unit_test(what_is_kept),
		cmocka_unit_test(many_files),
		cmocka_unit_test(a_lost_file),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
