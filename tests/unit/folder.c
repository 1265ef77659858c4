/* folder: files written whole or not at all. */
#include "unit.h"

#include "folder.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* A folder of the test's own, and a path in it. */
static void make_place(char place[64])
{
	int fd = unit_temp(place);

	close(fd);
	unlink(place);
	assert_int_equal(mkdir(place, 0777), 0);
}

static const char *in(char path[128], const char *place, const char *name)
{
	snprintf(path, 128, "%s/%s", place, name);
	return path;
}

/* What a file holds; removes it. */
static void assert_holds(const char *place, const char *name, const char *want)
{
	char path[128];
	struct buf got = {0};
	int fd = open(in(path, place, name), O_RDONLY);

	assert_true(fd >= 0);
	unit_slurp(&got, fd);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	unlink(path);
}

static void names(void **state)
{
	static const struct {
		struct str text;
		bool good;
	} cases[] = {
		{BYTES("tile0,2"), true},  {BYTES("tile(0,2)"), true}, {BYTES("column 3, row 2"), true},
		{BYTES("a.b"), true},      {BYTES("~"), true},         {BYTES("\xc3\xa4"), true},
		{BYTES(""), false},        {BYTES("."), false},        {BYTES(".."), false},
		{BYTES(".a"), false},      {BYTES("a/b"), false},      {BYTES("/"), false},
		{BYTES("../a"), false},    {BYTES("a\n"), false},      {BYTES("a\0b"), false},
		{BYTES("\x1b[2J"), false}, {BYTES("a\x7f"), false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].text.s, folder_is_name(cases[i].text) == cases[i].good);
}

static void made_and_written(void **state)
{
	char place[64];
	char path[128];
	struct folder folder;

	(void)state;
	make_place(place);
	assert_true(folder_open(&folder, in(path, place, "a//b/")));
	assert_true(folder_write(&folder, "x", STR("one")));
	assert_true(folder_write(&folder, "x", STR("two")));
	assert_true(folder_write(&folder, "empty", STR("")));
	folder_close(&folder);
	assert_true(folder_open(&folder, in(path, place, "a/b"))); /* it is there already */
	assert_true(folder_write(&folder, "y", STR("y")));
	folder_close(&folder);
	in(path, place, "a/b");
	assert_holds(path, "x", "two");
	assert_holds(path, "y", "y");
	assert_holds(path, "empty", "");
	assert_int_equal(rmdir(path), 0); /* nothing else was left in it */
	rmdir(in(path, place, "a"));
	rmdir(place);
}

/* A link in the place of the file is replaced, not followed. */
static void links(void **state)
{
	char place[64];
	char path[128];
	char outside[128];
	struct folder folder;

	(void)state;
	make_place(place);
	assert_true(folder_open(&folder, in(path, place, "in")));
	assert_int_equal(symlink(in(outside, place, "outside"), in(path, place, "in/x")), 0);
	assert_true(folder_write(&folder, "x", STR("text")));
	folder_close(&folder);
	assert_int_not_equal(access(outside, F_OK), 0);
	assert_holds(place, "in/x", "text");
	rmdir(in(path, place, "in"));
	rmdir(place);
}

static void refusals(void **state)
{
	char place[64];
	char path[128];
	struct folder folder;

	(void)state;
	make_place(place);
	assert_true(folder_open(&folder, place));
	assert_true(folder_write(&folder, "file", STR("x")));
	assert_int_equal(mkdir(in(path, place, "taken"), 0777), 0);
	assert_false(folder_write(&folder, "taken", STR("x")));
	assert_str(str_of(folder.error), STR("taken: cannot be written: Is a directory"));
	folder_close(&folder);
	rmdir(path);
	assert_false(folder_open(&folder, in(path, place, "file")));
	assert_str(str_of(folder.error), STR("cannot be opened: Not a directory"));
	assert_false(folder_open(&folder, in(path, place, "file/below")));
	assert_str(str_of(folder.error), STR("cannot be made: Not a directory"));
	assert_false(folder_open(&folder, ""));
	assert_str(str_of(folder.error), STR("cannot be made: No such file or directory"));
	unlink(in(path, place, "file"));
	assert_int_equal(rmdir(place), 0); /* what could not be put in its place is gone */
}

/* A disk that is full, here one that takes four bytes a file: what was there stays. */
static void full_disk(void **state)
{
	char place[64];
	struct folder folder;
	struct rlimit limit;

	(void)state;
	make_place(place);
	assert_true(folder_open(&folder, place));
	assert_true(folder_write(&folder, "x", STR("old")));
	getrlimit(RLIMIT_FSIZE, &limit);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){4, limit.rlim_max});
	assert_false(folder_write(&folder, "x", STR("newer")));
	setrlimit(RLIMIT_FSIZE, &limit);
	signal(SIGXFSZ, SIG_DFL);
	assert_str(str_of(folder.error), STR("x: cannot be written: File too large"));
	folder_close(&folder);
	assert_holds(place, "x", "old");
	assert_int_equal(rmdir(place), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),    cmocka_unit_test(made_and_written), cmocka_unit_test(links),
		cmocka_unit_test(refusals), cmocka_unit_test(full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
