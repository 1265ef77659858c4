/* replace: a file written beside the old one and renamed over it. */
#include "../unit.h"

#include "io/replace.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* The names in the folder, sorted; and each is removed. */
static void leave_folder(int folder, const char *path, const char *want)
{
	struct dirent **names;
	int count = scandir(path, &names, NULL, alphasort);
	struct buf got = {0};

	for (int i = 0; i < count; i++) {
		if (names[i]->d_name[strspn(names[i]->d_name, ".")]) {
			buf_format(&got, "%s%s", got.len ? " " : "", names[i]->d_name);
			assert_int_equal(unlinkat(folder, names[i]->d_name, 0), 0);
		}
		free(names[i]);
	}
	free(names);
	close(folder);
	assert_int_equal(rmdir(path), 0);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void assert_file(int folder, const char *name, const char *want, mode_t mode)
{
	struct buf got = {0};
	struct stat st;

	assert_int_equal(fstatat(folder, name, &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, mode);
	unit_slurp(&got, openat(folder, name, O_RDONLY));
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void it_takes_the_place_and_the_mode(void **state)
{
	char path[64];
	int folder = unit_folder(path);
	char error[REPLACE_ERROR];

	(void)state;
	unit_put(folder, "a.csv", "old", 0640);
	assert_true(replace_file(folder, "a.csv", STR("new"), error));
	assert_file(folder, "a.csv", "new", 0640);
	assert_true(replace_sync(folder));
	leave_folder(folder, path, "a.csv");
}

static void a_file_that_is_not_there_is_made(void **state)
{
	char path[64];
	int folder = unit_folder(path);
	mode_t mask = umask(027);
	struct buf big = {0};
	char error[REPLACE_ERROR];
	struct stat st;
	uint64_t seed = 1;

	(void)state;
	unit_random_bytes(&seed, &big, 1000000, STR(""));
	assert_true(replace_file(folder, "a.csv", buf_view(&big), error));
	umask(mask);
	assert_int_equal(fstatat(folder, "a.csv", &st, 0), 0);
	assert_int_equal(st.st_size, big.len);
	assert_int_equal(st.st_mode & 07777, 0640);
	buf_free(&big);
	leave_folder(folder, path, "a.csv");
}

/* A link in the place of the file is replaced, not followed, and its mode is nobody's. */
static void a_link_is_written_over(void **state)
{
	char path[64];
	int folder = unit_folder(path);
	mode_t mask = umask(022);
	char error[REPLACE_ERROR];

	(void)state;
	assert_int_equal(symlinkat("outside", folder, "x"), 0);
	assert_true(replace_file(folder, "x", STR("text"), error));
	umask(mask);
	assert_file(folder, "x", "text", 0644);
	leave_folder(folder, path, "x");
}

/* An empty file replaces a missing one, and then itself. */
static void an_empty_file_is_one_too(void **state)
{
	char path[64];
	int folder = unit_folder(path);
	mode_t mask = umask(022);
	char error[REPLACE_ERROR];

	(void)state;
	for (int again = 0; again < 2; again++) {
		assert_true(replace_file(folder, "empty", STR(""), error));
		assert_file(folder, "empty", "", 0644);
	}
	umask(mask);
	leave_folder(folder, path, "empty");
}

/* What a killed run has left takes nobody's place, and a link in its place leads nowhere. */
static void left_overs_are_written_over(void **state)
{
	char path[64];
	int folder = unit_folder(path);
	char error[REPLACE_ERROR];

	(void)state;
	unit_put(folder, "other", "other", 0644);
	assert_int_equal(symlinkat("other", folder, ".a.csv.kev-new"), 0);
	assert_true(replace_left_over(".a.csv.kev-new"));
	assert_false(replace_left_over("a.csv.kev-new"));
	assert_false(replace_left_over(".a.csv"));
	unit_put(folder, "a.csv", "old", 0600);
	assert_true(replace_file(folder, "a.csv", STR("new"), error));
	assert_file(folder, "a.csv", "new", 0600);
	assert_file(folder, "other", "other", 0644);
	leave_folder(folder, path, "a.csv other");
}

/* A disk that is full after `room` bytes. Gives what was not as it should be. */
static int fill_a_disk(void *arg)
{
	struct rlimit limit = {100, 100};
	char path[64];
	int folder = unit_folder(path);
	char error[REPLACE_ERROR];
	struct buf text = {0};
	int wrong = 0;

	signal(SIGXFSZ, SIG_IGN);
	unit_put(folder, "a.csv", "old", 0644);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < *(int *)arg; i++)
		buf_text(&text, "0123456789");
	wrong += replace_file(folder, "a.csv", buf_view(&text), error);
	wrong += strcmp(error, "cannot be written: File too large") != 0;
	assert_file(folder, "a.csv", "old", 0644);
	leave_folder(folder, path, "a.csv");
	buf_free(&text);
	return wrong;
}

static void a_full_disk_leaves_the_old_one(void **state)
{
	static int sizes[] = {11, 100000};

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct unit_end end = unit_run(fill_a_disk, &sizes[i]);

		assert_int_equal(end.status, 0);
		unit_end_free(&end);
	}
}

static void what_cannot_be_replaced_is_said(void **state)
{
	char path[64];
	int folder = unit_folder(path);
	char error[REPLACE_ERROR];

	(void)state;
	/* A folder in the file's place. */
	assert_int_equal(mkdirat(folder, "a.csv", 0755), 0);
	assert_false(replace_file(folder, "a.csv", STR("new"), error));
	assert_string_equal(error, "cannot be replaced: Is a directory");
	assert_int_equal(unlinkat(folder, "a.csv", AT_REMOVEDIR), 0);
	/* And in that of the new one. */
	assert_int_equal(mkdirat(folder, ".b.csv.kev-new", 0755), 0);
	assert_false(replace_file(folder, "b.csv", STR("new"), error));
	assert_int_equal(strncmp(error, "cannot be written: ", 19), 0);
	assert_int_equal(unlinkat(folder, ".b.csv.kev-new", AT_REMOVEDIR), 0);
	leave_folder(folder, path, "");
}

static void one_holds_the_lock(void **state)
{
	char path[64];
	int folder = unit_folder(path);
	int again = open(path, O_RDONLY | O_DIRECTORY);
	pid_t child;
	int pipes[2];
	char c;

	(void)state;
	assert_int_equal(replace_holder(folder), 0);
	assert_true(replace_lock(folder, false));
	assert_true(replace_lock(folder, false)); /* it is its own */
	assert_false(replace_lock(again, false));
	assert_int_equal(errno, EWOULDBLOCK);
	if (access("/proc/locks", R_OK) == 0)
		assert_int_equal(replace_holder(again), getpid());
	/* Who waits gets it when it is let go. */
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		close(folder);
		_exit(replace_lock(again, true) && write(pipes[1], "x", 1) == 1 ? 0 : 1);
	}
	close(again);
	assert_int_equal(fcntl(pipes[0], F_SETFL, O_NONBLOCK), 0);
	usleep(20000);
	assert_int_equal(read(pipes[0], &c, 1), -1);
	leave_folder(folder, path, "");
	assert_int_equal(waitpid(child, &(int){0}, 0), child);
	assert_int_equal(read(pipes[0], &c, 1), 1);
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_takes_the_place_and_the_mode),
		cmocka_unit_test(a_file_that_is_not_there_is_made),
		cmocka_unit_test(a_link_is_written_over),
		cmocka_unit_test(an_empty_file_is_one_too),
		cmocka_unit_test(left_overs_are_written_over),
		cmocka_unit_test(a_full_disk_leaves_the_old_one),
		cmocka_unit_test(what_cannot_be_replaced_is_said),
		cmocka_unit_test(one_holds_the_lock),
	};

	return cmocka_run_group_tests_name("replace", tests, NULL, NULL);
}
