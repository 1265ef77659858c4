/* balance: rows in = rows out + rows dropped. */
#include "../unit.h"

#include "base/die.h"
#include "stream/balance.h"

enum { EMPTY, SHADOW, NEVER, REASONS };

static const char *const reasons[REASONS] = {"empty", "shadow", "never"};

enum plan { WHOLE, QUIET, ROW_LOST, TIME_LOST, TOO_LARGE, TWO_UNITS };

static int count(void *arg)
{
	enum plan plan = *(const enum plan *)arg;
	struct balance balance = {.on = plan != QUIET,
	                          .unit = plan == TWO_UNITS ? NULL : "us",
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

/* Times of different units have no sum. */
static void rows_of_two_units(void **state)
{
	(void)state;
	assert_prints(TWO_UNITS, 0,
	              "prog: rows in: 6, times of different units\n"
	              "prog: rows out: 3, times of different units\n"
	              "prog: rows dropped (empty): 1, times of different units\n"
	              "prog: rows dropped (shadow): 2, times of different units\n");
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
	assert_true(str_has(buf_view(&end.err), STR("more than can be added us\n")));
	assert_false(str_has(buf_view(&end.err), STR("does not add up")));
	unit_end_free(&end);
}

static int add_parts(void *arg)
{
	struct balance sum = {
		.on = true, .unit = "us", .what = "rows", .reasons = reasons, .reasons_count = REASONS};

	(void)arg;
	die_init("prog");
	for (int i = 0; i < 2; i++) {
		struct balance part = {.on = true};

		part.reasons_count = REASONS;
		balance_in(&part, STR("1.5"));
		balance_in(&part, STR("2"));
		balance_out(&part, STR("1.5"));
		balance_drop(&part, i ? EMPTY : SHADOW, STR("2"));
		balance_add(&sum, &part);
	}
	balance_print(&sum);
	return 0;
}

static void parts_are_added(void **state)
{
	struct unit_end end = unit_run(add_parts, NULL);

	(void)state;
	assert_buf(&end.err, "prog: rows in: 4, 7 us\n"
	                     "prog: rows out: 2, 3 us\n"
	                     "prog: rows dropped (empty): 1, 2 us\n"
	                     "prog: rows dropped (shadow): 1, 2 us\n");
	unit_end_free(&end);
}

/* Beyond the array, and beyond the reasons that have a name; in print, too. */
static int drop_too_far(void *arg)
{
	int plan = *(int *)arg;
	struct balance balance = {.on = true,
	                          .unit = "us",
	                          .what = "rows",
	                          .reasons = reasons,
	                          .reasons_count = plan == 0 ? REASONS : SIZE_MAX};

	die_init("prog");
	if (plan == 2)
		balance_print(&balance);
	else
		balance_drop(&balance, plan == 0 ? REASONS : BALANCE_REASONS, STR("1"));
	return 0;
}

static void too_many_reasons_are_an_internal_error(void **state)
{
	(void)state;
	for (int plan = 0; plan < 3; plan++) {
		struct unit_end end = unit_run(drop_too_far, &plan);

		assert_int_equal(end.status, STATUS_ERROR);
		assert_str(buf_view(&end.err),
		           plan == 0 ? STR("prog: internal error, please report: there are more than 3 "
		                           "reasons to drop a row\n")
		                     : STR("prog: internal error, please report: there are more than 10 "
		                           "reasons to drop a row\n"));
		unit_end_free(&end);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_times),
		cmocka_unit_test(rows_of_two_units),
		cmocka_unit_test(without_v_there_is_nothing),
		cmocka_unit_test(what_does_not_add_up_is_said),
		cmocka_unit_test(a_sum_that_is_too_large_is_said),
		cmocka_unit_test(parts_are_added),
		cmocka_unit_test(too_many_reasons_are_an_internal_error),
	};

	return cmocka_run_group_tests_name("balance", tests, NULL, NULL);
}
