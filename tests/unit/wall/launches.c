/* launches: which call launched a row, and which calls waited. */
#include "../unit.h"

#include "wall/launches.h"

#include <stdlib.h>

#define HEAD "#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\n"

/* Rows of category kernel are of a device; sets the launch of the last of them. */
static size_t learn(struct launches *launches, struct kev_reader *in, struct str stream,
                    size_t file)
{
	size_t last = LAUNCHES_NONE;
	enum kev_item item;

	unit_feed(stream);
	*in = (struct kev_reader){0};
	kev_open(in, unit_opts());
	while ((item = kev_next(in)) > KEV_END) {
		if (item == KEV_COLUMNS)
			launches_columns(launches, in, true);
		else if (item == KEV_ROW && str_equal(in->field[3], STR("kernel")))
			last = launches_of(launches, in, file);
		else if (item == KEV_ROW)
			launches_host(launches, in, file, rowkind_of(in->field[3], in->field[2]));
	}
	assert_int_equal(item, KEV_END);
	kev_close(in);
	return last;
}

/* The earliest call, of one time the longest, whatever the order. */
static void earliest(void **state)
{
	struct launches launches = {0};
	struct kev_reader in;
	const struct launch *launch;
	size_t number;

	(void)state;
	number = learn(&launches, &in,
	               STR(HEAD "9\t1\tk\tkernel\t0\t7\t1\n"
	                        "3\t1\tinner\tcuda_runtime\t4\t5\t1\n"
	                        "2\t1\tshort\tcuda_runtime\t4\t5\t1\n"
	                        "2\t6\tlong\tcuda_runtime\t4\t6\t1\n"
	                        "1\t1\tother\tcuda_runtime\t4\t5\t2\n"
	                        "9\t1\tk\tkernel\t0\t7\t1\n"),
	               0);
	launches_finish(&launches);
	launch = launches_at(&launches, number);
	assert_non_null(launch);
	assert_str(launch_name(&launches, launch), STR("long"));
	assert_str(launch_tid(&launches, launch), STR("6"));
	assert_true(dec_compare(launch->ts, dec_of(2)) == 0);
	assert_true(dec_compare(launch_end(launch), dec_of(8)) == 0);
	assert_null(launches_at(&launches, LAUNCHES_NONE));
	launches_free(&launches);
}

/* Correlations and threads of two files are apart; a kernel may have no launch. */
static void files(void **state)
{
	struct launches launches = {0};
	struct kev_reader in;
	size_t one;
	size_t two;

	(void)state;
	one = learn(&launches, &in,
	            STR(HEAD "2\t9\tcudaMemcpy\tcuda_runtime\t4\t5\t1\n9\t1\tk\tkernel\t0\t7\t1\n"), 0);
	two = learn(&launches, &in,
	            STR(HEAD "30\t1\tb\tcuda_runtime\t4\t5\t2\n9\t1\tk\tkernel\t0\t7\t1\n"), 1);
	assert_int_not_equal(one, two);
	assert_null(launches_at(&launches, two));
	two = learn(&launches, &in, STR(HEAD "9\t1\tk\tkernel\t0\t7\t2\n"), 1);
	launches_finish(&launches);
	assert_non_null(launches_at(&launches, one));
	assert_false(launches_waited(&launches, launches_at(&launches, two), dec_of(5)));
	launches_free(&launches);
}

/* A correlation of 0 is missing: neither a call nor a kernel has one. */
static void missing(void **state)
{
	struct launches launches = {0};
	struct kev_reader in;

	(void)state;
	assert_true(learn(&launches, &in,
	                  STR(HEAD "1\t1\tcall\tcuda_runtime\t4\t5\t0\n"
	                           "9\t1\tk\tkernel\t0\t7\t0\n"),
	                  0) == LAUNCHES_NONE);
	assert_int_equal(launches_count(&launches), 0);
	assert_true(launches_is_linked(STR("00")));
	assert_false(launches_is_linked(STR("")));
	launches_free(&launches);
}

/* Two processes with calls of correlation 1: device 0 runs launches of process 5, device 1 of none,
 * and device 2 of both. */
static void of_several_processes(void **state)
{
	struct launches launches = {0};
	struct kev_reader in;
	size_t both;
	size_t one;
	size_t two;
	size_t number;

	(void)state;
	both =
		learn(&launches, &in,
	          STR(HEAD "1\t1\tfirst\tcuda_runtime\t4\t5\t1\n2\t1\tsecond\tcuda_runtime\t5\t5\t1\n"
	                   "0\t1\tearlier\tcuda_runtime\t5\t6\t1\n0\t1\tbefore\tcuda_runtime\t4\t5\t1\n"
	                   "9\t1\tk\tkernel\t0\t7\t1\n"),
	          0);
	one = learn(&launches, &in,
	            STR(HEAD "3\t1\tthird\tcuda_runtime\t5\t5\t2\n9\t1\tk\tkernel\t0\t7\t2\n"), 0);
	two = learn(&launches, &in,
	            STR(HEAD "4\t1\tfourth\tcuda_runtime\t4\t5\t3\n9\t1\tk\tkernel\t0\t7\t3\n"), 0);
	launches_finish(&launches);
	launches_own(&launches, both, 0);
	launches_own(&launches, one, 0);
	launches_own(&launches, both, 1);
	launches_own(&launches, two, 2);
	launches_own(&launches, one, 2);
	assert_int_equal(launches_choose(&launches, one, 0), one);
	number = launches_choose(&launches, both, 0);
	assert_true(number != both && number < launches_count(&launches));
	assert_str(launch_name(&launches, launches_at(&launches, number)), STR("earlier"));
	assert_true(launches_choose(&launches, both, 1) == LAUNCHES_NONE);
	assert_true(launches_choose(&launches, both, 2) == LAUNCHES_NONE);
	assert_int_equal(launches.chosen, 1);
	assert_int_equal(launches.unchosen, 2);
	launches_free(&launches);
}

/* kcontext's columns name the launch, and rows of one launch have one number. */
static void own(void **state)
{
	struct launches launches = {0};
	struct kev_reader in;
	const char *head = "#ts\tdur\tname\tcat\tpid\ttid\tlaunch_ts\tlaunch_tid\n";
	char text[200];
	size_t number[4];
	const char *rows[] = {"3\t1\tk\tkernel\t0\t7\t2\t9\n", "4\t1\tk\tkernel\t0\t7\t2\t9\n",
	                      "5\t1\tk\tkernel\t0\t7\t2\t8\n", "5\t1\tk\tkernel\t0\t7\t\t\n"};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		snprintf(text, sizeof text, "%s%s", head, rows[i]);
		number[i] = learn(&launches, &in, str_of(text), 0);
	}
	launches_finish(&launches);
	assert_int_equal(number[0], number[1]);
	assert_int_not_equal(number[0], number[2]);
	assert_true(number[3] == LAUNCHES_NONE);
	assert_str(launch_tid(&launches, launches_at(&launches, number[2])), STR("8"));
	assert_false(launches_at(&launches, number[0])->ended);
	launches_free(&launches);
}

/* A row of the host that is not a call launches nothing, nor a call without ts. */
static void what_launches(void **state)
{
	struct launches launches = {0};
	struct kev_reader in;
	const struct launch *launch;
	size_t number;

	(void)state;
	number = learn(&launches, &in,
	               STR(HEAD "9\t1\tk\tkernel\t0\t7\t1\n"
	                        "1\t1\tmark\tcuda_sync\t0\t7\t1\n"
	                        "2\t1\toperator\tcpu_op\t4\t5\t1\n"
	                        "3\t1\tstep\tuser_annotation\t4\t5\t1\n"
	                        "\t1\tuntimed\tcuda_runtime\t4\t5\t1\n"
	                        "30\t1\tlate\tcuda_driver\t4\t5\t1\n"
	                        "20\t\top\thpu_op\t4\t5\t1\n"
	                        "9\t1\tk\tkernel\t0\t7\t1\n"),
	               0);
	launch = launches_at(&launches, number);
	assert_non_null(launch);
	assert_str(launch_name(&launches, launch), STR("op"));
	assert_false(launch->ended);
	assert_false(launch->several);
	assert_int_equal(launches.no_time, 1);
	launches_free(&launches);
}

/*
 * The launch among calls that begin together: a call that ended, then the first by thread and name.
 */
static void together(void **state)
{
	static const char *const rows[] = {
		"2\t6\tx\tcuda_runtime\t4\t6\t1\n", "2\t6\ta\tcuda_runtime\t4\t5\t1\n",
		"2\t6\tb\tcuda_runtime\t4\t5\t1\n", "2\t\topen\tcuda_runtime\t4\t4\t1\n"};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct launches launches = {0};
		struct kev_reader in;
		struct buf text = {0};
		size_t number;

		buf_text(&text, HEAD);
		for (size_t j = 0; j < COUNT(rows); j++)
			buf_text(&text, rows[(i + j) % COUNT(rows)]);
		buf_text(&text, "9\t1\tk\tkernel\t0\t7\t1\n");
		number = learn(&launches, &in, buf_view(&text), 0);
		assert_str(launch_name(&launches, launches_at(&launches, number)), STR("a"));
		launches_free(&launches);
		buf_free(&text);
	}
}

/* A row without launch_ts has the call of its correlation, others the launch that they name. */
static void own_and_calls(void **state)
{
	struct launches launches = {0};
	struct kev_reader in;
	const char *head = "#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tlaunch_ts\tlaunch_tid\n";
	const char *rows[] = {"3\t1\tk\tkernel\t0\t7\t1\t2\t9\n", "4\t1\tk\tkernel\t0\t7\t1\t\t\n",
	                      "1\t1\tcall\tcuda_runtime\t4\t9\t1\t\t\n"};
	size_t number[3];
	uint64_t *order;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[200];

		snprintf(text, sizeof text, "%s%s", head, rows[i]);
		number[i] = learn(&launches, &in, str_of(text), 0);
	}
	assert_true(launches_at(&launches, number[0])->own);
	assert_true(dec_compare(launches_at(&launches, number[0])->ts, dec_of(2)) == 0);
	assert_false(launches_at(&launches, number[1])->own);
	assert_str(launch_name(&launches, launches_at(&launches, number[1])), STR("call"));
	assert_int_equal(launches_find(&launches, 0, STR("1")), number[1]);
	assert_int_equal(launches_find(&launches, 0, STR("2")), LAUNCHES_NONE);
	assert_int_equal(launches_find(&launches, 1, STR("1")), LAUNCHES_NONE);
	order = launches_order(&launches);
	assert_true(order[number[1]] < order[number[0]]);
	free(order);
	launches_free(&launches);
}

/* Lean, it knows only whether there is a call. */
static void lean(void **state)
{
	struct launches launches = {.lean = true};
	const struct launch call = {.known = true};

	(void)state;
	assert_int_equal(launches_id(&launches, 1, STR("7")), 0);
	assert_false(launches_is_known(&launches, 0));
	assert_true(launches_add(&launches, 0, STR("7"), &call, NULL, NULL));
	assert_false(launches_is_known(&launches, 0));
	assert_true(launches_is_known(&launches, 1));
	assert_true(launches_add(&launches, 1, STR("7"), &call, NULL, NULL));
	assert_false(launches_add(&launches, 1, STR("7"), &call, NULL, NULL));
	assert_true(launches_is_known(&launches, 0));
	assert_int_equal(launches_count(&launches), 2);
	launches_free(&launches);
}

/* Calls at random, against a look at each of them. */
static void as_by_brute_force(void **state)
{
	enum { CALLS = 12, TIMES = 20 };

	(void)state;
	for (uint64_t round = 1; round <= 300; round++) {
		uint64_t random = round;
		struct launches launches = {0};
		struct kev_reader in;
		struct buf text = {0};
		int64_t start[CALLS];
		int64_t end[CALLS];
		uint64_t thread[CALLS];
		size_t count = unit_below(&random, CALLS + 1);
		size_t number;

		buf_text(&text, HEAD);
		for (size_t i = 0; i < count; i++) {
			start[i] = (int64_t)unit_below(&random, TIMES);
			end[i] = start[i] + (int64_t)unit_below(&random, TIMES);
			thread[i] = unit_below(&random, 2);
			buf_format(&text, "%lld\t%lld\tcudaMemcpy\tcuda_runtime\t1\t%llu\t\n",
			           (long long)start[i], (long long)(end[i] - start[i]),
			           (unsigned long long)thread[i]);
		}
		buf_text(&text, "15\t1\tlaunch\tcuda_runtime\t1\t0\t1\n9\t1\tk\tkernel\t0\t7\t1\n");
		number = learn(&launches, &in, buf_view(&text), 0);
		launches_finish(&launches);
		for (int64_t time = 0; time <= TIMES; time++) {
			bool waited = false;

			for (size_t i = 0; i < count; i++)
				waited |= thread[i] == 0 && start[i] < time && time <= end[i] && end[i] <= 15;
			assert_int_equal(
				launches_waited(&launches, launches_at(&launches, number), dec_of(time)), waited);
		}
		launches_free(&launches);
		buf_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(earliest), cmocka_unit_test(files),
		cmocka_unit_test(missing),  cmocka_unit_test(of_several_processes),
		cmocka_unit_test(own),      cmocka_unit_test(what_launches),
		cmocka_unit_test(together), cmocka_unit_test(own_and_calls),
		cmocka_unit_test(lean),     cmocka_unit_test(as_by_brute_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
