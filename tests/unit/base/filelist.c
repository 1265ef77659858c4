#include "../unit.h"

#include "base/filelist.h"

static void assert_list(struct str text, bool by_nul, const char *want, const char *error)
{
	struct filelist list = {0};
	struct buf got = {0};
	char path[64];

	unit_file(path, text);
	assert_int_equal(filelist_read(&list, path, by_nul), *error == '\0');
	for (size_t i = 0; i < list.count; i++)
		buf_format(&got, "<%s>", list.name[i]);
	assert_str(buf_view(&got), str_of(want));
	assert_string_equal(list.error, error);
	for (size_t i = 0; i < list.count; i++)
		free(list.name[i]);
	free(list.name);
	buf_free(&got);
	unlink(path);
}

static void names(void **state)
{
	(void)state;
	assert_list(STR(""), false, "", "");
	assert_list(STR("a\nb c\n"), false, "<a><b c>", "");
	assert_list(STR("a\n\n\nb"), false, "<a><b>", "");
	assert_list(STR(" a\r\n"), false, "< a\r>", "");
	assert_list(STR("a\nb\0\0c"), true, "<a\nb><c>", "");
	assert_list(STR("a\nb\0c\nd\n"), false, "<a>",
	            "has a NUL byte; names that end in NUL need the option -0");
	assert_list(STR("b\0"), false, "", "has a NUL byte; names that end in NUL need the option -0");
}

static void lists_that_cannot_be_read(void **state)
{
	struct filelist list = {0};

	(void)state;
	assert_false(filelist_read(&list, "/nonexistent", false));
	assert_string_equal(list.error, "cannot be opened: No such file or directory");
	assert_false(filelist_read(&list, "/", false));
	assert_string_equal(list.error, "cannot be read: Is a directory");
	assert_int_equal(list.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(lists_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
