/* kernel: what a type says, and which records are of one collective. */
#include "unit.h"

#include "kernel/kernel.h"

static void kinds_by_type(void **state)
{
	static const struct {
		const char *type;
		enum kernel_kind kind;
	} cases[] = {
		{"", KERNEL_COMPUTE},
		{"MatMulV2", KERNEL_COMPUTE},
		{"hcom_allReduce_", KERNEL_HCOM},
		{"hcom_", KERNEL_HCOM},
		{"hcom", KERNEL_COMPUTE},
		{"HCOM_allReduce_", KERNEL_COMPUTE},
		{"a hcom_allReduce_", KERNEL_COMPUTE},
		{"allreduceAicpuKernel", KERNEL_AICPU},
		{"hcom_allReduce_AicpuKernel", KERNEL_AICPU}, /* told before hcom_ */
		{"AicpuKernel", KERNEL_AICPU},
		{"AicpuKernel_", KERNEL_COMPUTE},
		{"aicpukernel", KERNEL_COMPUTE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].type, kernel_kind(str_of(cases[i].type)) == cases[i].kind);
	assert_int_equal(kernel_kind((struct str){"hcom_x", 4}), KERNEL_COMPUTE);
}

/* Whether two records have one key. */
static bool same(const char *ts_a, const char *ts_b, const char *type, const char *pid,
                 const char *file)
{
	struct buf a = {0};
	struct buf b = {0};
	bool equal;

	buf_text(&a, "what was there before");
	assert_true(kernel_hcom_key(&a, str_of(ts_a), STR("hcom_a"), STR("0"), STR("x")));
	assert_true(kernel_hcom_key(&b, str_of(ts_b), str_of(type), str_of(pid), str_of(file)));
	equal = str_equal(buf_view(&a), buf_view(&b));
	buf_free(&a);
	buf_free(&b);
	return equal;
}

static void one_collective_one_key(void **state)
{
	(void)state;
	assert_true(same("12", "12", "hcom_a", "0", "x"));
	assert_true(same("12.000", "12.999", "hcom_a", "0", "x"));
	assert_true(same("12", "12.999999999", "hcom_a", "0", "x"));
	assert_true(same("12", "12.9999999999", "hcom_a", "0", "x")); /* as written, not rounded */
	assert_true(same("12", "012.5", "hcom_a", "0", "x"));
	assert_true(same("12", "1.25e1", "hcom_a", "0", "x"));
	/* At an epoch timestamp, where a double would round up. */
	assert_true(same("1716543210123456.000", "1716543210123456.999", "hcom_a", "0", "x"));
	assert_false(same("1716543210123456.999", "1716543210123457.000", "hcom_a", "0", "x"));
	assert_false(same("12.999", "13", "hcom_a", "0", "x"));
	assert_false(same("12", "12", "hcom_b", "0", "x"));
	assert_false(same("12", "12", "hcom_a", "1", "x"));
	assert_false(same("12", "12", "hcom_a", "0", "y"));
	assert_false(same("12", "12", "hcom_a", "", "0x")); /* parts do not run together */
	assert_false(same("12", "12", "hcom_a", "0x", ""));
}

static void without_a_start_there_is_no_key(void **state)
{
	static const char *const starts[] = {"", "N/A", "nan", "12 ", "x12", "1e99"};
	struct buf key = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(starts); i++)
		assert_case(starts[i],
		            !kernel_hcom_key(&key, str_of(starts[i]), STR("hcom_a"), STR("0"), STR("x")));
	buf_free(&key);
}

static void what_runs_on_the_host(void **state)
{
	static const struct {
		const char *cat;
		bool host;
	} cases[] = {
		{"cpu_op", true},
		{"cuda_runtime", true},
		{"cuda_driver", true},
		{"user_annotation", true},
		{"gpu_user_annotation", true},
		{"python_function", true},
		{"ac2g", true},
		{"Operator", true},
		{"kernel", false},
		{"gpu_memcpy", false},
		{"gpu_memset", false},
		{"Kernel", false},
		{"AI_CORE", false},
		{"COMMUNICATION", false},
		{"", false},
		{"cpu_ops", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].cat, kernel_on_host(str_of(cases[i].cat)) == cases[i].host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_by_type),
		cmocka_unit_test(what_runs_on_the_host),
		cmocka_unit_test(one_collective_one_key),
		cmocka_unit_test(without_a_start_there_is_no_key),
	};

	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
