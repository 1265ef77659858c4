/* mapping: the ops of a YAML file, and what it must not be. */
#include "../unit.h"

#include "opmap/mapping.h"

static bool open_text(struct mapping *mapping, struct str text)
{
	unit_feed(text);
	return mapping_open(mapping, "-");
}

/* "type", "type 0" for one that costs nothing, "none" if it is not in the mapping. */
static void assert_op(const struct mapping *mapping, const char *name, const char *want)
{
	const struct mapping_op *op = mapping_find(mapping, str_of(name));
	struct buf got = {0};

	if (op) {
		buf_str(&got, op->kernel_type);
		buf_text(&got, op->zero_cost ? " 0" : "");
	} else {
		buf_text(&got, "none");
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void ops_at_the_top_and_below(void **state)
{
	struct mapping mapping;

	(void)state;
	assert_true(open_text(&mapping, STR("version: 1\n"
	                                    "a: {kernel_type: Top}\n"
	                                    "b: {kernel_type: Top, zero_cost: yes}\n"
	                                    "operator_mappings:\n"
	                                    "  a: {kernel_type: Nested, other: [1]}\n"
	                                    "  c:\n"
	                                    "  d: {kernel_type: ~, zero_cost: no}\n"
	                                    "  e: {kernel_type: 5, zero_cost: null}\n")));
	assert_op(&mapping, "a", "Nested");
	assert_op(&mapping, "b", "Top 0");
	assert_op(&mapping, "c", "none");
	assert_op(&mapping, "d", "");
	assert_op(&mapping, "e", "5");
	assert_op(&mapping, "version", "none");
	assert_op(&mapping, "operator_mappings", "");
	assert_op(&mapping, "", "none");
	mapping_close(&mapping);
}

static void empty_files(void **state)
{
	static const struct str texts[] = {BYTES(""), BYTES("# nothing\n"), BYTES("---\n"),
	                                   BYTES("operator_mappings:\n"), BYTES("{}\n")};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct mapping mapping;

		assert_case(texts[i].s, open_text(&mapping, texts[i]));
		assert_op(&mapping, "a", "none");
		mapping_close(&mapping);
	}
}

static void errors(void **state)
{
	static const struct {
		struct str text;
		const char *error;
	} cases[] = {
		{BYTES("a: {b\n"), "-:2:1: did not find expected ',' or '}' (while parsing a flow "
	                       "mapping, line 1)"},
		{BYTES("- a\n"), "-:1:1: this is not a mapping"},
		{BYTES("\n text\n"), "-:2:2: this is not a mapping"},
		{BYTES("operator_mappings: [a]\n"), "-:1:20: operator_mappings: this is not a mapping"},
		{BYTES("operator_mappings:\n  a: b\n"), "-:2:6: the entry of an op is not a mapping"},
		{BYTES("a: {kernel_type: [b]}\n"), "-:1:18: kernel_type: this is not a name"},
		{BYTES("a: {zero_cost: maybe}\n"), "-:1:16: zero_cost: this is not true or false"},
		{BYTES("a: {zero_cost: 'yes'}\n"), "-:1:16: zero_cost: this is not true or false"},
	};
	struct mapping mapping;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_false(open_text(&mapping, cases[i].text));
		assert_string_equal(mapping.error, cases[i].error);
		mapping_close(&mapping);
	}
	assert_false(mapping_open(&mapping, "/dev/null/none"));
	assert_string_equal(mapping.error, "/dev/null/none: cannot be opened: Not a directory");
	mapping_close(&mapping);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ops_at_the_top_and_below),
		cmocka_unit_test(empty_files),
		cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests_name("mapping", tests, NULL, NULL);
}
