/* spool: a temporary file, written once and read back. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for O_TMPFILE
#include "../unit.h"

#include "base/die.h"
#include "io/spool.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

/* Records of sizes around the window's, read back in sizes of their own. */
static void what_was_written_is_read(void **state)
{
	static const size_t writes[] = {1, 0, 7, 65535, 65536, 65537, 3, 200000, 1000000, 13};
	static const size_t reads[] = {1, 65536, 2, 65537, 500000, 65535, 3, 9};
	struct spool spool;
	struct buf all = {0};
	uint64_t seed = 1;

	(void)state;
	spool_open(&spool);
	for (size_t i = 0; i < COUNT(writes); i++) {
		size_t start = all.len;

		unit_random_bytes(&seed, &all, writes[i], STR(""));
		spool_write(&spool, all.data + start, writes[i]);
	}
	for (int round = 0; round < 2; round++) {
		size_t at = 0;

		spool_rewind(&spool);
		for (size_t i = 0; at + reads[i % COUNT(reads)] <= all.len; i++) {
			size_t n = reads[i % COUNT(reads)];
			const char *data = spool_read(&spool, n);

			assert_non_null(data);
			assert_memory_equal(data, all.data + at, n);
			at += n;
		}
		while (at < all.len) {
			const char *data = spool_read(&spool, 1);

			assert_non_null(data);
			assert_int_equal(*data, all.data[at++]);
		}
		assert_null(spool_read(&spool, 1));
		assert_null(spool_read(&spool, 1));
	}
	spool_close(&spool);
	buf_free(&all);
}

/* Any piece, at any time, and what is read in order goes on where it was. */
static void pieces_are_read_where_they_are(void **state)
{
	struct spool spool;
	struct buf all = {0};
	uint64_t seed = 2;

	(void)state;
	setenv("TMPDIR", "/tmp", 1);
	spool_open(&spool);
	for (int i = 0; i < 300; i++) {
		size_t start = all.len;
		size_t at;

		unit_random_bytes(&seed, &all, 1 + unit_below(&seed, 1000), STR(""));
		assert_true(spool_write(&spool, all.data + start, all.len - start));
		at = unit_below(&seed, all.len);
		assert_memory_equal(spool_at(&spool, at, all.len - at), all.data + at, all.len - at);
	}
	assert_true(spool_rewind(&spool));
	for (size_t at = 0; at + 1000 <= all.len; at += 1000) {
		assert_memory_equal(spool_read(&spool, 1000), all.data + at, 1000);
		assert_memory_equal(spool_at(&spool, all.len / 2, 7), all.data + all.len / 2, 7);
	}
	assert_non_null(spool_at(&spool, all.len, 0));
	assert_null(spool_at(&spool, all.len - 1, 2));
	assert_string_equal(spool.error,
	                    "the temporary file in /tmp cannot be read back: Input/output error");
	spool_close(&spool);
	buf_free(&all);
}

/* Heads and texts of any length, empty and larger than the window. */
static void records_come_back(void **state)
{
	static const size_t lengths[] = {0, 1, 70000, 0, 13, 200000, 3};
	struct spool spool;
	struct buf all = {0};
	uint64_t seed = 3;
	uint32_t head;
	struct str text;

	(void)state;
	unit_random_bytes(&seed, &all, 200000, STR(""));
	spool_open(&spool);
	for (uint32_t i = 0; i < COUNT(lengths); i++)
		assert_true(spool_put(&spool, &i, sizeof i, (struct str){all.data, lengths[i]}));
	for (int round = 0; round < 2; round++) {
		assert_true(spool_rewind(&spool));
		for (uint32_t i = 0; i < COUNT(lengths); i++) {
			assert_int_equal(spool_next(&spool, &head, sizeof head, &text), 1);
			assert_int_equal(head, i);
			assert_str(text, ((struct str){all.data, lengths[i]}));
		}
		assert_int_equal(spool_next(&spool, &head, sizeof head, &text), 0);
		assert_int_equal(spool_next(&spool, &head, sizeof head, &text), 0);
	}
	spool_close(&spool);
	buf_free(&all);
}

static void a_record_that_is_cut_is_an_error(void **state)
{
	const size_t n = 7;
	struct spool spool;
	uint32_t head = 1;
	struct str text;

	(void)state;
	setenv("TMPDIR", "/tmp", 1);
	spool_open(&spool);
	spool_write(&spool, &head, sizeof head);
	spool_write(&spool, &n, sizeof n);
	spool_write(&spool, "abc", 3);
	spool_rewind(&spool);
	assert_int_equal(spool_next(&spool, &head, sizeof head, &text), -1);
	assert_string_equal(spool.error,
	                    "the temporary file in /tmp cannot be read back: Input/output error");
	spool_close(&spool);
}

static void an_empty_one_is_at_its_end(void **state)
{
	struct spool spool;

	(void)state;
	spool_open(&spool);
	spool_rewind(&spool);
	assert_null(spool_read(&spool, 1));
	spool_close(&spool);
}

static void less_than_asked_for_is_the_end(void **state)
{
	struct spool spool;

	(void)state;
	spool_open(&spool);
	spool_write(&spool, "abc", 3);
	spool_rewind(&spool);
	assert_null(spool_read(&spool, 4));
	spool_close(&spool);
}

/* Closed while there are bytes to write or to read. */
static void closed_early(void **state)
{
	struct spool spool;

	(void)state;
	spool_open(&spool);
	spool_write(&spool, "abc", 3);
	spool_close(&spool);
	spool_open(&spool);
	spool_write(&spool, "abc", 3);
	spool_rewind(&spool);
	assert_memory_equal(spool_read(&spool, 1), "a", 1);
	spool_close(&spool);
}

static void it_lives_in_tmpdir_and_has_no_name(void **state)
{
	char folder[] = "/tmp/kev-spool-XXXXXX";
	const char *before = getenv("TMPDIR");
	char *kept = before ? strdup(before) : NULL;
	struct spool spool;
	DIR *dir;
	int entries = 0;

	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("TMPDIR", folder, 1);
	spool_open(&spool);
	spool_write(&spool, "abc", 3);
	spool_rewind(&spool);
	dir = opendir(folder);
	assert_non_null(dir);
	while (readdir(dir))
		entries++;
	closedir(dir);
	assert_int_equal(entries, 2); /* . and .. */
	assert_int_equal(rmdir(folder), 0);
	assert_memory_equal(spool_read(&spool, 3), "abc", 3);
	spool_close(&spool);
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
}

/* If the file system has O_TMPFILE, the file never had a name that a kill could leave. */
static void it_never_had_a_name(void **state)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	char path[64];
	char name[256] = "";
	struct spool spool;

	(void)state;
	setenv("TMPDIR", "/tmp", 1);
	assert_true(spool_open(&spool));
	snprintf(path, sizeof path, "/proc/self/fd/%d", spool.fd);
	if (fd >= 0 && readlink(path, name, sizeof name - 1) > 0)
		assert_null(strstr(name, "kevtools-"));
	spool_close(&spool);
	if (fd >= 0)
		close(fd);
}

/* A child of its own: TMPDIR and the limit on file sizes are the process's. */
static int use_it(void *arg)
{
	struct spool spool;
	char data[4096] = {0};
	bool good;

	setenv("TMPDIR", arg, 1);
	good = spool_open(&spool);
	for (int i = 0; good && i < 100; i++)
		good = spool_write(&spool, data, sizeof data);
	good = good && spool_rewind(&spool);
	if (!good)
		fprintf(stderr, "%s\n", spool.error);
	return good ? 0 : 1;
}

static int use_a_full_disk(void *arg)
{
	const struct rlimit limit = {100000, 100000};

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	return use_it(arg);
}

static void a_disk_that_fails_is_said(void **state)
{
	char folder[] = "/nonexistent";
	char none[] = "";
	struct unit_end end = unit_run(use_it, folder);

	(void)state;
	assert_int_equal(end.status, 1);
	assert_buf(&end.err,
	           "no temporary file can be made in /nonexistent: No such file or directory\n");
	unit_end_free(&end);
	end = unit_run(use_it, none); /* empty: /tmp */
	assert_int_equal(end.status, 0);
	unit_end_free(&end);
	end = unit_run(use_a_full_disk, none);
	assert_int_equal(end.status, 1);
	assert_buf(&end.err, "the temporary file in /tmp cannot be written: File too large\n");
	unit_end_free(&end);
}

/* A pipe becomes a file that begins at 0; a file stays, at its place. */
static void standard_input_is_read_twice(void **state)
{
	char error[sizeof((struct spool *)0)->error];
	char text[4] = "";
	long long start = -1;
	int ends[2];
	int saved = dup(STDIN_FILENO);

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "abc", 3), 3);
	close(ends[1]);
	assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
	close(ends[0]);
	assert_true(spool_stdin(&start, error));
	assert_int_equal(start, 0);
	assert_int_equal(read(STDIN_FILENO, text, 3), 3);
	assert_string_equal(text, "abc");
	assert_int_equal(lseek(STDIN_FILENO, 1, SEEK_SET), 1);
	assert_true(spool_stdin(&start, error));
	assert_int_equal(start, 1);
	assert_int_equal(read(STDIN_FILENO, text, 3), 2);
	assert_true(dup2(saved, STDIN_FILENO) >= 0);
	close(saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(pieces_are_read_where_they_are),
		cmocka_unit_test(records_come_back),
		cmocka_unit_test(a_record_that_is_cut_is_an_error),
		cmocka_unit_test(an_empty_one_is_at_its_end),
		cmocka_unit_test(less_than_asked_for_is_the_end),
		cmocka_unit_test(closed_early),
		cmocka_unit_test(it_lives_in_tmpdir_and_has_no_name),
		cmocka_unit_test(it_never_had_a_name),
		cmocka_unit_test(a_disk_that_fails_is_said),
		cmocka_unit_test(standard_input_is_read_twice),
	};

	return cmocka_run_group_tests_name("spool", tests, NULL, NULL);
}
