/* hostrows: which categories are noted. The warnings are in tests/cli/kgroup/host-*.case. */
#include "../unit.h"

#include "kernel/hostrows.h"

static void the_first_of_each_is_noted(void **state)
{
	struct hostrows rows = {0};

	(void)state;
	hostrows_add(&rows, STR("cpu_op"));
	hostrows_add(&rows, STR("HIP_RUNTIME_API"));
	assert_false(rows.kernels);
	assert_text(buf_view(&rows.host), "cpu_op");
	hostrows_add(&rows, STR(""));
	hostrows_add(&rows, STR("kernel"));
	assert_true(rows.kernels);
	assert_int_equal(rows.kernel.len, 0);
	hostrows_free(&rows);
}

/* A row like the one before is passed over; the first has none before it, even if it is empty. */
static void rows_without_a_category(void **state)
{
	struct hostrows rows = {0};

	(void)state;
	hostrows_add(&rows, STR(""));
	assert_true(rows.kernels);
	hostrows_add(&rows, STR(""));
	hostrows_add(&rows, STR("kernel"));
	assert_true(rows.several);
	hostrows_free(&rows);
}

static void copies_give_way_to_kernels(void **state)
{
	static const char *const names[] = {"gpu_memcpy", "Memset", "kernel",
	                                    "gpu_memcpy", "kernel", "other"};
	struct hostrows rows = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_false(rows.several);
		hostrows_add(&rows, str_of(names[i]));
	}
	assert_text(buf_view(&rows.kernel), "kernel");
	assert_true(rows.several);
	assert_text(buf_view(&rows.last), "other"); /* alone */
	hostrows_free(&rows);
}

static void other_names_are_of_kernels(void **state)
{
	static const char *const names[] = {"kernel", "mtia_ccp_events", "KERNEL_DISPATCH", "AI_CORE"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct hostrows rows = {0};

		hostrows_add(&rows, str_of(names[i]));
		assert_str(buf_view(&rows.kernel), str_of(names[i]));
		hostrows_free(&rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_of_each_is_noted),
		cmocka_unit_test(rows_without_a_category),
		cmocka_unit_test(copies_give_way_to_kernels),
		cmocka_unit_test(other_names_are_of_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
