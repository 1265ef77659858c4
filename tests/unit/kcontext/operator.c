/* operator: the operator that is open at a launch, or that an External id names. */
#include "../unit.h"

#include "kcontext/operator.h"

/* A call on thread 0, with an id. */
static uint32_t add(struct operators *operators, struct operator_spans *spans, const char *name,
                    int64_t start, int64_t dur, bool dims)
{
	uint32_t call = operators_add(operators, str_of(name), STR(""));

	assert_true(operators_set_span(spans, 0, dec_of(start), dec_of(dur), call,
	                               dims && operators_match(operators, call)));
	return call;
}

static void the_innermost_counts(void **state)
{
	struct operators operators = {0};
	struct operator_spans spans = OPERATOR_SPANS;
	uint32_t outer = add(&operators, &spans, "aten::linear", 0, 100, true);
	uint32_t inner = add(&operators, &spans, "aten::mm", 10, 20, true);

	(void)state;
	operators_build(&spans);
	assert_int_equal(operators_at(&spans, 0, dec_of(15)), inner);
	assert_int_equal(operators_at(&spans, 0, dec_of(30)), outer);
	assert_int_equal(operators_at(&spans, 0, dec_of(100)), OPERATOR_NONE);
	assert_int_equal(operators_at(&spans, 1, dec_of(15)), OPERATOR_NONE);
	assert_str(operators_name(&operators, inner), STR("aten::mm"));
	assert_str(operators_args(&operators, inner), STR(""));
	operator_spans_free(&spans);
	operators_free(&operators);
}

/* With Input Dims and a name that a glob matches. */
static void the_outermost_of_the_globs(void **state)
{
	struct operators operators = {0};
	struct operator_spans spans = OPERATOR_SPANS;
	uint32_t linear;
	uint32_t mm;

	(void)state;
	words_put(&operators.globs, STR("aten::l*"));
	add(&operators, &spans, "aten::lone", 0, 100, false);
	linear = add(&operators, &spans, "aten::linear", 5, 50, true);
	add(&operators, &spans, "aten::linear", 6, 40, true);
	mm = add(&operators, &spans, "aten::mm", 60, 10, true);
	operators_build(&spans);
	assert_int_equal(operators_at(&spans, 0, dec_of(7)), linear);
	assert_int_equal(operators_at(&spans, 0, dec_of(65)), mm);
	operator_spans_free(&spans);
	operators_free(&operators);
	words_free(&operators.globs);
}

/* The earliest, then the first by name, then by arguments; without ts the last. */
static void an_id_names_one(void **state)
{
	static const struct {
		const char *name;
		const char *args;
		int ts; /* below 0: unknown */
	} calls[] = {
		{"b", "2\t", 5}, {"a", "0\t", -1}, {"b", "1\t", 5}, {"c", "1\t", 5}, {"a", "9\t", 6}};
	enum { CALLS = sizeof calls / sizeof *calls };
	static const int best[CALLS] = {0, 0, 2, 2, 2}; /* after each call */
	struct operators operators = {0};
	struct operator_spans spans = OPERATOR_SPANS;

	(void)state;
	for (uint32_t i = 0; i < CALLS; i++) {
		struct dec ts = dec_of(calls[i].ts);

		assert_int_equal(operators_add(&operators, str_of(calls[i].name), str_of(calls[i].args)),
		                 i);
		assert_int_equal(
			operators_set_id(&operators, &spans, STR("7"), i, calls[i].ts < 0 ? NULL : &ts),
			i == 0);
		assert_int_equal(operators_by_id(&spans, STR("7")), best[i]);
	}
	assert_str(operators_args(&operators, 4), STR("9\t"));
	assert_int_equal(operators_by_id(&spans, STR("8")), OPERATOR_NONE);
	assert_int_equal(operators_by_id(&spans, STR("")), OPERATOR_NONE);
	operators_clear(&operators);
	assert_int_equal(operators.before, CALLS);
	assert_int_equal(operators_add(&operators, STR("x"), STR("")), 0);
	operator_spans_free(&spans);
	operators_free(&operators);
}

static void too_late_an_end(void **state)
{
	struct operators operators = {0};
	struct operator_spans spans = OPERATOR_SPANS;
	struct dec most = {(__int128)(~(unsigned __int128)0 >> 1)};
	uint32_t call = operators_add(&operators, STR("a"), STR(""));

	(void)state;
	assert_false(operators_set_span(&spans, 0, most, dec_of(1), call, false));
	operator_spans_free(&spans);
	operators_free(&operators);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_counts),
		cmocka_unit_test(the_outermost_of_the_globs),
		cmocka_unit_test(an_id_names_one),
		cmocka_unit_test(too_late_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
