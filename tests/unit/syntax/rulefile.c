/* rulefile: lines and their numbers. */
#include "../unit.h"

#include "syntax/rulefile.h"

static void gives_lines(void **state)
{
	struct rulefile in = {.rest = STR("# a\n\n \t\none\n\ttwo\n#\nthree")};
	static const struct {
		const char *line;
		uint64_t number;
	} want[] = {{"one", 4}, {"\ttwo", 5}, {"three", 7}};
	struct str line;

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_true(rulefile_next(&in, &line));
		assert_str(line, str_of(want[i].line));
		assert_int_equal(in.line, want[i].number);
	}
	assert_false(rulefile_next(&in, &line));
}

static void reads_files(void **state)
{
	struct buf text = {0};
	char path[64];
	char error[100] = "";

	(void)state;
	unit_file(path, STR("a\r\nb"));
	assert_true(rulefile_read(&text, path, "c\n", error, sizeof error));
	assert_true(rulefile_read(&text, NULL, "c\n", error, sizeof error));
	assert_buf(&text, "a\nb\nc\n");
	unlink(path);
	assert_false(rulefile_read(&text, path, "", error, sizeof error));
	assert_non_null(strstr(error, "No such file"));
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_lines),
		cmocka_unit_test(reads_files),
	};

	return cmocka_run_group_tests_name("rulefile", tests, NULL, NULL);
}
