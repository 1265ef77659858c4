/* outcome: the warnings at the end of a trace. */
#include "../unit.h"

#include "base/die.h"
#include "trace2tsv/outcome.h"

struct plan {
	struct outcome outcome;
	const char *category; /* category of -c; NULL: -g */
	const char *trace;    /* on standard input */
	bool by_process;
	bool seen; /* the column of -a has a value */
	uint64_t bad_ts;
	uint64_t replaced;
};

/* Status 9: it is no trace. */
static int run_plan(void *arg)
{
	const struct plan *plan = arg;
	struct wanted wanted = {.phases = STR("X"),
	                        .by_process = plan->by_process,
	                        .asked_gpu = !plan->category,
	                        .json = {.max_field = 1 << 20}};
	struct words categories = {0};
	struct words args = {0};
	struct eventrow row;
	struct json_reader json;
	struct opts opts = {0};

	die_init("prog");
	words_add(&categories, plan->category ? plan->category : "");
	words_add(&args, "k=column");
	category_ask(&wanted.categories, &categories, plan->category ? NULL : category_gpu);
	if (!wanted_columns(&wanted, false, &args))
		return 8;
	wanted_filter(&wanted);
	wanted_json(&wanted, NULL, 0, &opts);
	eventrow_open(&row, &wanted);
	row.seen[wanted.asked_from] = plan->seen;
	row.bad_ts = plan->bad_ts;
	if (!json_open(&json, "-", &wanted.json))
		return 7;
	while (json_next(&json) > JSON_END)
		;
	if (!outcome_of_options(&plan->outcome, &row, NULL, &json, "file"))
		return 9;
	outcome_left_out(&plan->outcome, &row, plan->replaced, "file");
	return 0;
}

static void assert_warns(struct plan plan, int status, const char *want)
{
	struct unit_end end;

	unit_feed(str_of(plan.trace ? plan.trace : "[]"));
	end = unit_run(run_plan, &plan);
	assert_int_equal(end.status, status);
	assert_str(buf_view(&end.err), str_of(want));
	unit_end_free(&end);
}

static void no_row(void **state)
{
	struct plan plan = {.outcome = {.events = 3}, .category = ""};

	(void)state;
	assert_warns(plan, 0, "prog: file: none of the 3 events has phase X\n");
	plan.by_process = true;
	assert_warns(plan, 0,
	             "prog: file: none of the 3 events is of the process of -P and has phase X\n");
	plan.category = "a,b";
	plan.outcome.asked = 1;
	plan.by_process = false;
	assert_warns(plan, 0, "prog: file: none of the 3 events has phase X and category a,b\n");
}

static void categories_of_the_trace(void **state)
{
	struct plan plan = {.outcome = {.events = 3}, .category = "a"};

	(void)state;
	plan.trace = "[{\"ph\":\"X\",\"cat\":\"b\"},{\"ph\":\"M\",\"cat\":\"c\"},{\"ph\":\"i\"}]";
	assert_warns(plan, 0,
	             "prog: file: none of the 3 events has category a; the trace has b 1, no category "
	             "1\n");
	plan.category = NULL;
	assert_warns(plan, 0,
	             "prog: file: none of the 3 events has a category of -g; the trace has b 1, no "
	             "category 1; leave -g out, or choose with -c\n");
	plan.trace = "[{\"cat\":\"b\"}]";
	assert_warns(plan, 9, "");
}

static void no_trace(void **state)
{
	(void)state;
	assert_warns((struct plan){.outcome = {.events = 2, .no_ph = 2}, .category = ""}, 9, "");
}

static void rows_that_lack_something(void **state)
{
	struct plan plan = {.outcome = {.events = 9, .rows = 2}, .category = ""};

	(void)state;
	assert_warns(plan, 0, "prog: file: no row has args 'k'\n");
	plan.seen = true;
	assert_warns(plan, 0, "");
	plan.outcome.no_ph = 1;
	plan.outcome.ends = 2;
	plan.outcome.alone = 3;
	plan.bad_ts = 4;
	plan.replaced = 5;
	assert_warns(plan, 0,
	             "prog: file: events without ph, left out: 1\n"
	             "prog: file: begins and ends, left out (use --join-ends): 2\n"
	             "prog: file: begins or ends without the other, left out: 3\n"
	             "prog: file: rows whose ts is not a number, left empty: 4\n"
	             "prog: file: lone surrogates (now U+FFFD) and unknown escapes (kept) in strings: "
	             "5\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_row),
		cmocka_unit_test(categories_of_the_trace),
		cmocka_unit_test(no_trace),
		cmocka_unit_test(rows_that_lack_something),
	};

	return cmocka_run_group_tests_name("outcome", tests, NULL, NULL);
}
