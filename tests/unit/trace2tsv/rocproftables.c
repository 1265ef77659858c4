/* rocproftables: names by the numbers that records have. */
#include "../unit.h"

#include "trace2tsv/rocproftables.h"

static void assert_name(struct str got, const char *want)
{
	if (want)
		assert_str(got, str_of(want));
	else
		assert_null(got.s);
}

static void texts_by_id(void **state)
{
	struct rocprof_tables tables = {0};

	(void)state;
	rocproftables_put(&tables.kernels, &tables.texts, STR("7"), STR("gemm"));
	rocproftables_put(&tables.kernels, &tables.texts, STR("9"), STR("copy"));
	rocproftables_put(&tables.kernels, &tables.texts, STR("9"), STR("gemm"));
	rocproftables_put(&tables.renames, &tables.texts, STR("7"), STR(""));
	assert_name(rocproftables_get(&tables.kernels, &tables.texts, STR("7")), "gemm");
	assert_name(rocproftables_get(&tables.kernels, &tables.texts, STR("9")), "gemm");
	assert_name(rocproftables_get(&tables.kernels, &tables.texts, STR("8")), NULL);
	assert_name(rocproftables_get(&tables.renames, &tables.texts, STR("7")), "");
	rocproftables_free(&tables);
	assert_name(rocproftables_get(&tables.kernels, &tables.texts, STR("7")), NULL);
}

static void operations_of_kinds(void **state)
{
	static const struct {
		struct str kind;
		struct str operation;
		const char *want;
	} cases[] = {
		{BYTES("0"), BYTES("0"), "hipMalloc"}, {BYTES("0"), BYTES("1"), "hipFree"},
		{BYTES("0"), BYTES("2"), NULL},        {BYTES("1"), BYTES("0"), NULL},
		{BYTES("2"), BYTES("0"), "hsa_init"},  {BYTES("3"), BYTES("0"), NULL},
		{BYTES("x"), BYTES("0"), NULL},        {BYTES("0"), BYTES(""), NULL},
	};
	struct rocprof_tables tables = {0};

	(void)state;
	rocproftables_add_kind(&tables, STR("HIP"));
	rocproftables_add_operation(&tables, STR("hipMalloc"));
	rocproftables_add_operation(&tables, STR("hipFree"));
	rocproftables_add_kind(&tables, STR("EMPTY"));
	rocproftables_add_kind(&tables, STR("HSA"));
	rocproftables_add_operation(&tables, STR("hsa_init"));
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_name(rocproftables_operation(&tables, cases[i].kind, cases[i].operation),
		            cases[i].want);
	rocproftables_free(&tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_by_id),
		cmocka_unit_test(operations_of_kinds),
	};

	return cmocka_run_group_tests_name("rocproftables", tests, NULL, NULL);
}
