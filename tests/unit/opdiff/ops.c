/* ops: sums of both passes, their differences, order and names. */
#include "../unit.h"

#include "opdiff/ops.h"

static struct op *add(struct ops *ops, const char *key, int64_t tc, int64_t prof)
{
	struct op *op = ops_get(ops, str_of(key));

	if (tc && dec_add(&op->tc, dec_of(tc)))
		op->tc_count++;
	if (prof && dec_add(&op->prof, dec_of(prof)))
		op->prof_count++;
	return op;
}

static void assert_order(struct ops *ops, size_t passes, const char *want)
{
	struct buf got = {0};

	assert_true(ops_sort(ops, passes));
	for (size_t i = 0; i < ops->keys.count; i++) {
		const struct op *op = &ops->op[i];

		buf_str(&got, op->key);
		buf_char(&got, ' ');
		dec_print(&got, op->error);
		buf_char(&got, ' ');
		dec_print(&got, op->count_error);
		buf_char(&got, '\n');
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	ops_free(ops);
}

static void by_the_larger_time(void **state)
{
	struct ops ops = {0};

	(void)state;
	assert_order(&ops, 1, "");
	for (size_t passes = 1; passes < 3; passes++) {
		add(&ops, "C", 5, 0);
		add(&ops, "A", 5, 0);
		add(&ops, "B", 0, 7);
		add(&ops, "C", 0, 10);
		add(&ops, "D", 6, 1);
		add(&ops, "D", 0, 1);
		assert_order(&ops, passes,
		             passes == 1 ? "C -5 0\nB -7 -1\nD 4 -1\nA 5 1\n"
		                         : "D 10 0\nA 10 2\nC 0 1\nB -7 -1\n");
	}
}

static void sums(void **state)
{
	struct ops ops = {0};
	struct op sum;

	(void)state;
	add(&ops, "A", 9, 8);
	add(&ops, "B", 5, 7);
	add(&ops, "C", 1, 0);
	assert_true(ops_sort(&ops, 2));
	assert_true(ops_sum(&ops, 0, &sum));
	assert_int_equal(dec_compare(sum.tc, dec_of(15)), 0);
	assert_int_equal(dec_compare(sum.prof, dec_of(15)), 0);
	assert_int_equal(dec_compare(sum.error, dec_of(15)), 0);
	assert_int_equal(dec_compare(sum.count_error, dec_of(4)), 0);
	assert_int_equal(sum.tc_count, 3);
	assert_int_equal(sum.prof_count, 2);
	assert_true(ops_sum(&ops, 1, &sum));
	assert_int_equal(dec_compare(sum.tc, dec_of(6)), 0);
	assert_int_equal(sum.prof_count, 1);
	assert_true(ops_sum(&ops, 3, &sum) && ops_sum(&ops, 15, &sum));
	assert_int_equal(sum.tc_count, 0);
	ops_free(&ops);
}

static void functions(void **state)
{
	static const char *const funcs[] = {"torch.ops.a", "a",           "", "b.torch.ops.",
	                                    "a",           "torch.ops.c", "d"};
	struct ops ops = {0};
	struct buf names = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(funcs); i++)
		ops_add_func(&ops, ops_get(&ops, STR("A")), str_of(funcs[i]));
	ops_add_func(&ops, ops_get(&ops, STR("B")), STR("d"));
	ops_put_funcs(&ops, ops_get(&ops, STR("A")), &names);
	assert_buf(&names, "a, b.torch.ops., c");
	names.len = 0;
	ops_put_funcs(&ops, ops_get(&ops, STR("B")), &names);
	assert_buf(&names, "d");
	names.len = 0;
	ops_put_funcs(&ops, ops_get(&ops, STR("C")), &names);
	assert_buf(&names, "");
	buf_free(&names);
	ops_free(&ops);
}

static void numbers_that_are_too_large(void **state)
{
	static const struct {
		const char *tc[2];
		const char *prof;
		size_t passes;
		const char *error;
	} cases[] = {
		{{"1e29", "0"}, "0", 2, "dur: the sum of all passes is too large"},
		{{"-1e29", "0"}, "1e29", 1, "dur: the difference is too large"},
		{{"1e29", "1e29"}, "0", 1, "dur: the sum of all is too large"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct ops ops = {0};
		struct op sum;
		struct op *op;

		dec_parse(str_of(cases[i].tc[0]), &ops_get(&ops, STR("A"))->tc);
		op = ops_get(&ops, STR("B"));
		dec_parse(str_of(cases[i].tc[1]), &op->tc);
		op = ops_get(&ops, STR("A"));
		dec_parse(str_of(cases[i].prof), &op->prof);
		assert_case(cases[i].error, !(ops_sort(&ops, cases[i].passes) && ops_sum(&ops, 0, &sum)));
		assert_string_equal(ops.error, cases[i].error);
		ops_free(&ops);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_the_larger_time),
		cmocka_unit_test(sums),
		cmocka_unit_test(functions),
		cmocka_unit_test(numbers_that_are_too_large),
	};

	return cmocka_run_group_tests_name("ops", tests, NULL, NULL);
}
