/* balance: rows in = rows out + rows dropped. */
#include "unit.h"

#include "base/die.h"
#include "stream/balance.h"

enum { EMPTY, SHADOW, NEVER, REASONS };

static const char *const reasons[REASONS] = {"empty", "shadow", "never"};

enum plan { WHOLE, QUIET, ROW_LOST, TIME_LOST, TOO_LARGE };

static int count(void *arg)
{
	enum plan plan = *(const enum plan *)arg;
	struct balance balance = {.on = plan != QUIET,
	                          .unit = "us",
	                          .what = "rows",
	                          .reasons = reasons,
	                          .reasons_count = REASONS};
	static const char *const durs[] = {"1.5", "2.25", "", "N/A", "1e2", "0.0000000001"};

	die_init("prog");
	for (size_t i = 0; i < COUNT(durs); i++)
		balance_in(&balance, str_of(durs[i]));
	balance_out(&balance, str_of(durs[0]));
	balance_out(&balance, str_of(durs[3]));
	balance_drop(&balance, SHADOW, str_of(plan == TIME_LOST ? "2" : durs[1]));
	balance_drop(&balance, EMPTY, str_of(durs[2]));
	balance_drop(&balance, SHADOW, str_of(durs[4]));
	if (plan != ROW_LOST)
		balance_out(&balance, str_of(durs[5]));
	for (int i = 0; plan == TOO_LARGE && i < 20; i++) {
		balance_in(&balance, STR("17e27"));
		balance_out(&balance, STR("17e27"));
	}
	balance_print(&balance);
	return 0;
}

static void assert_prints(enum plan plan, int status, const char *want)
{
	struct unit_end end = unit_run(count, &plan);

	assert_int_equal(end.status, status);
	assert_str(buf_view(&end.err), str_of(want));
	assert_buf(&end.out, "");
	unit_end_free(&end);
}

/* A duration that is none counts as a row, and 0; a reason without rows is not named. */
static void rows_and_times(void **state)
{
	(void)state;
	assert_prints(WHOLE, 0,
	              "prog: rows in: 6, 103.75 us\n"
	              "prog: rows out: 3, 1.5 us\n"
	              "prog: rows dropped (empty): 1, 0 us\n"
	              "prog: rows dropped (shadow): 2, 102.25 us\n");
}

static void without_v_there_is_nothing(void **state)
{
	(void)state;
	assert_prints(QUIET, 0, "");
}

static void what_does_not_add_up_is_said(void **state)
{
	static const enum plan plans[] = {ROW_LOST, TIME_LOST};

	(void)state;
	for (size_t i = 0; i < COUNT(plans); i++) {
		struct unit_end end = unit_run(count, (void *)&plans[i]);

		assert_true(str_ends(buf_view(&end.err),
		                     STR("\nprog: internal error, please report: the row counts do not "
		                         "add up\n")));
		unit_end_free(&end);
	}
}

static void a_sum_that_is_too_large_is_said(void **state)
{
	struct unit_end end = unit_run(count, &(enum plan){TOO_LARGE});

	(void)state;
	assert_int_equal(end.status, STATUS_OK);
	assert_true(str_has(buf_view(&end.err), STR("too many us\n")));
	assert_false(str_has(buf_view(&end.err), STR("does not add up")));
	unit_end_free(&end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_times),
		cmocka_unit_test(without_v_there_is_nothing),
		cmocka_unit_test(what_does_not_add_up_is_said),
		cmocka_unit_test(a_sum_that_is_too_large_is_said),
	};

	return cmocka_run_group_tests_name("balance", tests, NULL, NULL);
}
