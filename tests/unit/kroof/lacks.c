/* lacks: rows and times by reason, their shares of all, and silence if nothing lacks. */
#include "../unit.h"

#include "base/die.h"
#include "kroof/lacks.h"

static void add(struct lacks *lacks, int why, int64_t dur)
{
	assert_true(lacks_time(lacks, dec_of(dur)));
	if (why < LACK_WHYS)
		lacks_rows(lacks, (enum lack)why, 1, dec_of(dur));
}

static int say(void *arg)
{
	die_init("prog");
	lacks_warn(arg);
	lacks_balance(arg);
	return 0;
}

static void assert_lacks(struct lacks *lacks, const char *report, const char *json,
                         const char *words)
{
	struct unit_end end = unit_run(say, lacks);
	struct buf text = {0};
	struct jsonw w = {.out = &text};

	assert_str(buf_view(&end.err), str_of(words));
	unit_end_free(&end);
	lacks_report(lacks, &text);
	assert_str(buf_view(&text), str_of(report));
	text.len = 0;
	jsonw_object(&w, NULL);
	lacks_json(lacks, &w);
	jsonw_end_object(&w);
	assert_str(buf_view(&text), str_of(json));
	buf_free(&text);
}

#define MEMBER(name, rows, time) \
	"  \"" name "\": {\n    \"rows\": " rows ",\n    \"time\": " time "\n  }"
#define JSON_ALL(operator_rows, operator_time, rule_rows, rule_time, rows, time) \
	"{\n" MEMBER("without_operator", operator_rows, operator_time) ",\n" MEMBER( \
		"without_rule", rule_rows, rule_time) ",\n" MEMBER("estimated_work", rows, time) "\n}\n"
#define JSON(operator_rows, operator_time, rule_rows, rule_time) \
	JSON_ALL(operator_rows, operator_time, rule_rows, rule_time, "0", "0")

static void forms(void **state)
{
	struct lacks lacks = {.of = {{0}}};

	(void)state;
	assert_lacks(&lacks, "", JSON("0", "0", "0", "0"),
	             "prog: rows without an operator: 0, 0 us\nprog: rows without a rule: 0, 0 us\n");
	/* Rows without time have no share. */
	add(&lacks, LACK_RULE, 0);
	assert_lacks(&lacks, "\nRows without a rule: 1, 0.000 us\n", JSON("0", "0", "1", "0"),
	             "prog: rows without an operator: 0, 0 us\nprog: rows without a rule: 1, 0 us\n");
	add(&lacks, LACK_WHYS, 5);
	add(&lacks, LACK_RULE, 2);
	add(&lacks, LACK_OPERATOR, 1);
	assert_lacks(&lacks,
	             "\nRows without an operator: 1, 1.000 us, 12.5 %\n"
	             "\nRows without a rule: 2, 2.000 us, 25 %\n",
	             JSON("1", "1", "2", "2"),
	             "prog: time of devices without an operator: 12.5 %, without a rule: 25 %\n"
	             "prog: rows without an operator: 1, 1 us\nprog: rows without a rule: 2, 2 us\n");
	lacks_rows(&lacks, LACK_EXACT, 3, dec_of(4));
	assert_lacks(&lacks,
	             "\nRows without an operator: 1, 1.000 us, 12.5 %\n"
	             "\nRows without a rule: 2, 2.000 us, 25 %\n"
	             "\nRows with estimated work: 3, 4.000 us, 50 %\n",
	             JSON_ALL("1", "1", "2", "2", "3", "4"),
	             "prog: time of devices without an operator: 12.5 %, without a rule: 25 %, "
	             "with estimated work: 50 %\n"
	             "prog: rows without an operator: 1, 1 us\nprog: rows without a rule: 2, 2 us\n"
	             "prog: rows with estimated work: 3, 4 us\n");
}

static void too_large(void **state)
{
	const struct dec huge = {(__int128)(~(unsigned __int128)0 >> 1)};
	struct lacks lacks = {.time = huge};

	(void)state;
	assert_false(lacks_time(&lacks, dec_of(1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
