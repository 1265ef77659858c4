/* sorter: lines through sort(1). Its failures are in tests/cli/ksort/sort-fails.case. */
#include "../unit.h"

#include "io/sorter.h"

/* Lines of many sizes, larger than a pipe too, come back in the order of their bytes. */
static void lines_come_back_in_order(void **state)
{
	enum { LINES = 2000, LONG = 1000000 };
	struct sorter sorter;
	struct buf text = {0};
	struct str line;
	struct buf last = {0};
	size_t bytes = 0;
	size_t count = 0;

	(void)state;
	assert_true(sorter_open(&sorter));
	for (int i = 0; i < LINES; i++) {
		text.len = 0;
		buf_format(&text, "%04d ", i * 7919 % LINES);
		if (i % 500 == 0) {
			memset(buf_reserve(&text, LONG), 'x', LONG);
			text.len += LONG;
		}
		bytes += text.len + 1;
		assert_true(sorter_put(&sorter, buf_view(&text), STR("\t")));
	}
	assert_true(sorter_turn(&sorter));
	while (sorter_next(&sorter, &line) > 0) {
		assert_true(str_compare(buf_view(&last), line) < 0);
		last.len = 0;
		buf_str(&last, line);
		bytes -= line.n;
		count++;
	}
	assert_string_equal(sorter.error, "");
	assert_int_equal(count, LINES);
	assert_int_equal(bytes, 0);
	sorter_close(&sorter);
	buf_free(&text);
	buf_free(&last);
}

static void no_lines_are_an_end(void **state)
{
	struct sorter sorter;
	struct str line;

	(void)state;
	assert_true(sorter_open(&sorter));
	assert_true(sorter_turn(&sorter));
	assert_int_equal(sorter_next(&sorter, &line), 0);
	sorter_close(&sorter);
}

static void closing_ends_sort(void **state)
{
	struct sorter sorter = {0};

	(void)state;
	sorter_close(&sorter); /* never opened */
	assert_true(sorter_open(&sorter));
	assert_true(sorter_put(&sorter, STR("b"), STR("")));
	sorter_close(&sorter);
	assert_int_equal(sorter.pid, 0);
}

static void a_missing_sort_is_an_error(void **state)
{
	struct sorter sorter;
	const char *variant = getenv("KEV_VARIANT");
	char *path;

	(void)state;
	if (variant && strcmp(variant, "neon") == 0)
		return; /* under an emulator a failed exec is an exit status, 127 */
	path = strdup(getenv("PATH"));
	setenv("PATH", "/nowhere", 1);
	assert_false(sorter_open(&sorter));
	assert_string_equal(sorter.error, "cannot be run: No such file or directory");
	setenv("PATH", path, 1);
	sorter_close(&sorter);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_back_in_order),
		cmocka_unit_test(no_lines_are_an_end),
		cmocka_unit_test(closing_ends_sort),
		cmocka_unit_test(a_missing_sort_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
