/* gate: the argument of --fail-over. */
#include "../unit.h"

#include "base/die.h"
#include "compare/gate.h"

static const char *const names[] = {"total", "mean"};

static void limits(void **state)
{
	static const struct {
		const char *text;
		const char *column;
		enum gate_kind kind;
		const char *value; /* in us, in percent, or a number */
		size_t number;
	} cases[] = {
		{"5%", "", GATE_PERCENT, "5", 0},          {"0.5%", "", GATE_PERCENT, "0.5", 0},
		{"30us", "", GATE_TIME, "30", 0},          {"1.5ms", "", GATE_TIME, "1500", 0},
		{"7ns", "", GATE_TIME, "0.007", 0},        {"2s", "", GATE_TIME, "2000000", 0},
		{"mean:5%", "mean", GATE_PERCENT, "5", 1}, {"total:0us", "total", GATE_TIME, "0", 0},
		{"mean:7", "mean", GATE_NUMBER, "7", 1},   {"0", "", GATE_NUMBER, "0", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct opts opts = {.flag = "--fail-over", .arg = cases[i].text};
		struct gate gate = gate_read(&opts);
		struct buf value = {0};

		dec_print(&value, gate.value);
		assert_case(cases[i].text, gate.kind == cases[i].kind);
		assert_case(cases[i].text, str_equal(gate.column, str_of(cases[i].column)));
		assert_case(cases[i].text, str_equal(buf_view(&value), str_of(cases[i].value)));
		assert_case(cases[i].text, gate_column(&gate, &opts, names, 2) == cases[i].number);
		buf_free(&value);
	}
}

/* The larger of two times, and of two percentages, in any order. */
static void raised(void **state)
{
	static const char *const texts[] = {"5%", "2us", "20%", "1us", "7%", "3us"};
	struct limit limit = {.by_time = false};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		const struct opts opts = {.flag = "--fail-over", .arg = texts[i]};
		struct gate gate = gate_read(&opts);

		gate_raise(&gate, &limit);
	}
	assert_true(limit_is_exceeded(&limit, dec_of(21), dec_of(17)));  /* 4 us, 23.5 % */
	assert_false(limit_is_exceeded(&limit, dec_of(19), dec_of(16))); /* 3 us */
	assert_false(limit_is_exceeded(&limit, dec_of(24), dec_of(20))); /* 20 % */
}

static int read_all(void *arg)
{
	const struct opts opts = {.flag = "--fail-over", .arg = arg};
	struct gate gate;

	die_init("prog");
	gate = gate_read(&opts);
	gate_column(&gate, &opts, names, 2);
	gate_need_unit(&gate, &opts);
	return 0;
}

static void refused(void **state)
{
	static const struct {
		char text[16];
		const char *message; /* its beginning */
	} cases[] = {
		{"5",
	     "prog: --fail-over: '5' has no unit; add one, as in 5us, or a percent sign, as in 5%;"},
		{"mean:0.5", "prog: --fail-over: 'mean:0.5' has no unit; add one, as in 0.5us, or"},
		{"", "prog: --fail-over: '' is not a limit, such as 30us, 1.5ms or 5%;"},
		{"%", "prog: --fail-over: '%' is not a limit"},
		{"us", "prog: --fail-over: 'us' is not a limit"},
		{"-5%", "prog: --fail-over: '-5%' is not a limit"},
		{"-5us", "prog: --fail-over: '-5us' is not a limit"},
		{"5m", "prog: --fail-over: '5m' is not a limit"},
		{"5 %", "prog: --fail-over: '5 %' is not a limit"},
		{"1e99%", "prog: --fail-over: '1e99%' is not a limit"},
		{":5%", "prog: --fail-over: ':5%' is not a limit"},
		{"mean:", "prog: --fail-over: 'mean:' is not a limit"},
		{"gap:5%", "prog: --fail-over: 'gap' is not a figure that can be limited; these are: "
	               "total, mean;"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[16];
		struct unit_end end;

		memcpy(text, cases[i].text, sizeof text);
		end = unit_run(read_all, text);
		assert_case(cases[i].text, end.status == 2);
		assert_case(cases[i].text, str_starts(buf_view(&end.err), str_of(cases[i].message)));
		unit_end_free(&end);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(raised),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
