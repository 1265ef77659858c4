/* folder: made, and what is below one, reached without following links. */
#include "../unit.h"

#include "io/folder.h"
#include "io/replace.h"

#include <errno.h>
#include <sys/stat.h>

static void assert_reads(int fd, const char *want)
{
	struct buf got = {0};

	assert_true(fd >= 0);
	unit_slurp(&got, fd);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void names_of_files(void **state)
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

static const char *in(char path[128], const char *place, const char *name)
{
	snprintf(path, 128, "%s/%s", place, name);
	return path;
}

/* With those above it; and once more, where it is there. Both times the lock is held. */
static void one_to_fill_is_made(void **state)
{
	char place[64];
	char path[128];
	char error[256];
	int outer = unit_folder(place);

	(void)state;
	for (int again = 0; again < 2; again++) {
		int folder = folder_to_fill(in(path, place, again ? "a/b" : "a//b/"), error);
		int same = folder_below(outer, "a");

		assert_true(folder >= 0);
		assert_true(same >= 0);
		close(same);
		same = open(path, O_RDONLY | O_DIRECTORY);
		assert_false(replace_lock(same, false));
		assert_int_equal(errno, EWOULDBLOCK);
		unit_put(folder, again ? "x" : "y", "", 0600);
		close(same);
		close(folder);
	}
	unlinkat(outer, "a/b/x", 0);
	unlinkat(outer, "a/b/y", 0);
	unlinkat(outer, "a/b", AT_REMOVEDIR);
	unlinkat(outer, "a", AT_REMOVEDIR);
	close(outer);
	assert_int_equal(rmdir(place), 0);
}

static void what_cannot_be_filled(void **state)
{
	char place[64];
	char path[128];
	char error[256];
	int outer = unit_folder(place);

	(void)state;
	unit_put(outer, "file", "x", 0600);
	assert_int_equal(folder_to_fill(in(path, place, "file"), error), -1);
	assert_string_equal(error, "cannot be opened: Not a directory");
	assert_int_equal(folder_to_fill(in(path, place, "file/below"), error), -1);
	assert_string_equal(error, "cannot be made: Not a directory");
	assert_int_equal(folder_to_fill("", error), -1);
	assert_string_equal(error, "cannot be made: No such file or directory");
	unlinkat(outer, "file", 0);
	close(outer);
	assert_int_equal(rmdir(place), 0);
}

static void files_and_what_is_none(void **state)
{
	char path[64];
	int folder = unit_folder(path);
	const char *what = "something";

	(void)state;
	unit_put(folder, "file", "text", 0600);
	assert_int_equal(symlinkat("file", folder, "link"), 0);
	assert_int_equal(symlinkat("none", folder, "nowhere"), 0);
	assert_int_equal(mkdirat(folder, "folder", 0755), 0);
	assert_int_equal(mkfifoat(folder, "pipe", 0600), 0);
	assert_reads(folder_file(folder, "file", &what), "text");
	assert_null(what);
	assert_int_equal(folder_file(folder, "link", &what), -1);
	assert_string_equal(what, "it is a link");
	assert_int_equal(folder_file(folder, "nowhere", &what), -1);
	assert_string_equal(what, "it is a link");
	assert_int_equal(folder_file(folder, "folder", &what), -1);
	assert_string_equal(what, "it is not a regular file");
	assert_int_equal(folder_file(folder, "pipe", &what), -1); /* nobody writes: it does not wait */
	assert_string_equal(what, "it is not a regular file");
	assert_int_equal(folder_file(folder, "none", &what), -1);
	assert_null(what);
	assert_int_equal(errno, ENOENT);
	unlinkat(folder, "file", 0);
	unlinkat(folder, "link", 0);
	unlinkat(folder, "nowhere", 0);
	unlinkat(folder, "pipe", 0);
	unlinkat(folder, "folder", AT_REMOVEDIR);
	close(folder);
	assert_int_equal(rmdir(path), 0);
}

static void paths_lead_down_and_nowhere_else(void **state)
{
	char path[64];
	int folder = unit_folder(path);
	const char *name;
	const char *what;
	int below;

	(void)state;
	assert_int_equal(mkdirat(folder, "a", 0755), 0);
	assert_int_equal(mkdirat(folder, "a/b", 0755), 0);
	assert_int_equal(symlinkat("a", folder, "link"), 0);
	unit_put(folder, "a/b/file", "deep", 0600);
	unit_put(folder, "file", "flat", 0600);
	below = folder_of(folder, "a/b/file", &name);
	assert_string_equal(name, "file");
	assert_reads(folder_file(below, name, &what), "deep");
	close(below);
	below = folder_of(folder, "file", &name);
	assert_string_equal(name, "file");
	assert_reads(folder_file(below, name, &what), "flat");
	close(below);
	assert_int_equal(folder_of(folder, "link/b/file", &name), -1);
	assert_int_equal(folder_of(folder, "none/file", &name), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(folder_below(folder, "link"), -1);
	assert_int_equal(folder_below(folder, "file"), -1);
	unlinkat(folder, "a/b/file", 0);
	unlinkat(folder, "file", 0);
	unlinkat(folder, "link", 0);
	unlinkat(folder, "a/b", AT_REMOVEDIR);
	unlinkat(folder, "a", AT_REMOVEDIR);
	close(folder);
	assert_int_equal(rmdir(path), 0);
}

static void names_are_sorted(void **state)
{
	static const char *const names[] = {"b", ".a", "a", "B", "\xff", "a.csv"};
	static const char *const sorted[] = {".a", "B", "a", "a.csv", "b", "\xff"};
	char path[64];
	int folder = unit_folder(path);
	struct folder_list list;

	(void)state;
	assert_true(folder_list(&list, folder));
	assert_int_equal(list.count, 0);
	folder_list_free(&list);
	for (size_t i = 0; i < COUNT(names); i++)
		unit_put(folder, names[i], "", 0600);
	for (int again = 0; again < 2; again++) { /* the folder stays where it is */
		assert_true(folder_list(&list, folder));
		assert_int_equal(list.count, COUNT(names));
		for (size_t i = 0; i < list.count; i++)
			assert_string_equal(list.name[i], sorted[i]);
		folder_list_free(&list);
	}
	for (size_t i = 0; i < COUNT(names); i++)
		assert_int_equal(unlinkat(folder, names[i], 0), 0);
	assert_int_equal(rmdir(path), 0);
	close(folder);
	assert_false(folder_list(&list, -1));
}

/* Into a folder that is made, or that is there, over an old file, into a pipe; not over a folder.
 */
static void a_file_is_put_at_a_path(void **state)
{
	char place[64];
	char path[128];
	char error[256] = "";
	int pipe_ends[2];
	int outer = unit_folder(place);
	int inner;
	const char *what;

	(void)state;
	for (int again = 0; again < 2; again++) {
		assert_true(folder_put(in(path, place, "a/b/f"), again ? STR("new") : STR("old"), error));
		inner = open(in(path, place, "a/b"), O_RDONLY | O_DIRECTORY);
		assert_reads(folder_file(inner, "f", &what), again ? "new" : "old");
		assert_true(replace_lock(inner, false));
		close(inner);
	}
	assert_true(folder_replace(in(path, place, "a/b/f"), STR("newer"), error));
	inner = open(in(path, place, "a/b"), O_RDONLY | O_DIRECTORY);
	assert_reads(folder_file(inner, "f", &what), "newer");
	close(inner);
	assert_false(folder_replace(in(path, place, "none/f"), STR("x"), error));
	assert_string_equal(error, "cannot be written: No such file or directory");
	assert_false(folder_replace("/dev/full", STR("x"), error));
	assert_string_equal(error, "cannot be written: No space left on device");
	assert_false(folder_put(in(path, place, "a"), STR("x"), error));
	assert_string_equal(error, "cannot be written: Is a directory");
	assert_false(folder_put(in(path, place, "a/b/f/g"), STR("x"), error));
	assert_string_equal(error, "cannot be opened: Not a directory");
	assert_false(folder_put("/dev/full", STR("x"), error));
	assert_string_equal(error, "cannot be written: No space left on device");
	assert_int_equal(pipe(pipe_ends), 0);
	snprintf(path, sizeof path, "/dev/fd/%d", pipe_ends[1]);
	assert_true(folder_put(path, STR("piped"), error));
	close(pipe_ends[1]);
	assert_int_equal(read(pipe_ends[0], path, sizeof path), 5);
	assert_memory_equal(path, "piped", 5);
	close(pipe_ends[0]);
	unlink(in(path, place, "a/b/f"));
	rmdir(in(path, place, "a/b"));
	rmdir(in(path, place, "a"));
	rmdir(place);
	close(outer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_files),
		cmocka_unit_test(one_to_fill_is_made),
		cmocka_unit_test(what_cannot_be_filled),
		cmocka_unit_test(files_and_what_is_none),
		cmocka_unit_test(paths_lead_down_and_nowhere_else),
		cmocka_unit_test(names_are_sorted),
		cmocka_unit_test(a_file_is_put_at_a_path),
	};

	return cmocka_run_group_tests_name("folder", tests, NULL, NULL);
}
