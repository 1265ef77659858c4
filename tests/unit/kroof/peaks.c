/* peaks: which line of a file decides; wrong lines. */
#include "../unit.h"

#include "kroof/peaks.h"

static bool load(struct peaks *peaks, const char *text)
{
	char path[64];
	bool good;

	unit_file(path, str_of(text));
	good = peaks_load(peaks, path);
	unlink(path);
	return good;
}

static void finds_the_first(void **state)
{
	struct peaks peaks = {0};
	struct dec value;

	(void)state;
	assert_true(load(&peaks, "# a comment\n*H100*\tmatrix bf16\t989.4\tsource\n*\tmemory\t1\ta\n"));
	assert_true(load(&peaks, "*h100 PCIe*\tmatrix bf16\t756\ts\n*H100*\tmemory\t2\ts\n"));
	assert_true(peaks_find(&peaks, STR("nvidia h100 pcie"), STR("matrix bf16"), &value));
	assert_true(value.nano == (__int128)989400000000);
	assert_true(peaks_find(&peaks, STR("H100"), STR("memory"), &value));
	assert_true(value.nano == 1000000000);
	assert_false(peaks_find(&peaks, STR("H100"), STR("vector"), &value));
	assert_false(peaks_find(&peaks, STR("A100"), STR("matrix bf16"), &value));
	assert_true(peaks_know(&peaks, STR("A100")));
	peaks_free(&peaks);
	assert_true(peaks_load(&peaks, NULL));
	assert_false(peaks_know(&peaks, STR("an unknown device")));
	assert_false(peaks_know(&peaks, STR("")));
	peaks_free(&peaks);
}

static void a_type_that_no_rule_knows(void **state)
{
	struct shapes shapes = {0};
	struct shapes_type bf16 = {.short_name = STR("bf16")};
	struct peaks peaks = {0};
	struct str name;

	(void)state;
	strmap_add(&shapes.types, STR("c10::BFloat16"), NULL);
	shapes.type = &bf16;
	assert_true(load(&peaks, "*\tmemory\t1\ts\n*\tmatrix bf16\t1\ts\n"));
	assert_false(peaks_stranger(&peaks, &shapes, &name));
	assert_true(load(&peaks, "*\tmatrix fp23\t1\ts\n"));
	assert_true(peaks_stranger(&peaks, &shapes, &name));
	assert_str(name, STR("fp23"));
	strmap_free(&shapes.types);
	peaks_free(&peaks);
}

static void names_the_fault(void **state)
{
	static const struct {
		const char *text;
		const char *error;
	} cases[] = {
		{"a\tmemory\t1\n", ":1: a peak needs a device"},
		{"\n\tmemory\t1\ts\n", ":2: the device or the source is empty"},
		{"a\tmemory\t1\t \n", "the device or the source is empty"},
		{"a\tmatrix\t1\ts\n", "unknown kind 'matrix'"},
		{"a\tmatrix \t1\ts\n", "unknown kind 'matrix'"},
		{"a\tmatrix a b\t1\ts\n", "unknown kind 'matrix a b'"},
		{"a\tmemory\t0\ts\n", "the value '0' is not a number above 0"},
		{"a\tmemory\tx\ts\n", "the value 'x' is not"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct peaks peaks = {0};

		assert_case(cases[i].text, !load(&peaks, cases[i].text));
		assert_case(peaks.error, strstr(peaks.error, cases[i].error) != NULL);
		peaks_free(&peaks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_first),
		cmocka_unit_test(a_type_that_no_rule_knows),
		cmocka_unit_test(names_the_fault),
	};

	return cmocka_run_group_tests_name("peaks", tests, NULL, NULL);
}
