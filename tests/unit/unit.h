/*
 * unit - what the unit tests share: bytes on standard input, temporary files, a function
 * run in a process of its own, gzip, random numbers, byte strings compared.
 *
 * The first include of a test.
 */
#ifndef UNIT_H
#define UNIT_H

#define _DEFAULT_SOURCE /* on_exit */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/opt.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define BYTES(literal)               \
	{                                \
		literal, sizeof(literal) - 1 \
	} /* a struct str in a table */

/* The options of a program without arguments: it reads standard input. */
static inline const struct opts *unit_opts(void)
{
	static char dash[] = "-";
	static char *operands[] = {dash};
	static const struct opts opts = {.operands = operands, .operands_count = 1};

	return &opts;
}

/* --- texts --------------------------------------------------------------- */

static inline void unit_show(const char *what, struct str text)
{
	print_error("%s: \"", what);
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.s[i];

		print_error(c < 0x20 || c > 0x7e || c == '\\' || c == '"' ? "\\x%02x" : "%c", c);
	}
	print_error("\" (%zu bytes)\n", text.n);
}

static inline void unit_equal(struct str got, struct str want, const char *file, int line)
{
	if (str_equal(got, want))
		return;
	unit_show("got   ", got);
	unit_show("wanted", want);
	_fail(file, line);
}

/* Byte strings; `want` of assert_text is a literal, which may hold NUL. */
#define assert_str(got, want) unit_equal(got, want, __FILE__, __LINE__)
#define assert_text(got, want) unit_equal(got, STR(want), __FILE__, __LINE__)
#define assert_buf(got, want) unit_equal(buf_view(got), STR(want), __FILE__, __LINE__)

/* For tests over a table: says which of its rows it was. */
static inline void unit_case(bool good, const char *label, const char *file, int line)
{
	if (good)
		return;
	unit_show("case", str_of(label));
	_fail(file, line);
}

#define assert_case(label, condition) unit_case(condition, label, __FILE__, __LINE__)

/* --- random numbers ------------------------------------------------------ */

/* Random numbers that are equal in every run: the state begins as a fixed seed. */
static inline uint64_t unit_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static inline size_t unit_below(uint64_t *state, size_t n)
{
	return (size_t)(unit_random(state) % n);
}

/* n bytes of `alphabet`, any byte where that is empty. */
static inline void unit_random_bytes(uint64_t *state, struct buf *out, size_t n,
                                     struct str alphabet)
{
	for (size_t i = 0; i < n; i++)
		buf_char(out, alphabet.n ? alphabet.s[unit_below(state, alphabet.n)]
		                         : (char)unit_below(state, 256));
}

/* --- files --------------------------------------------------------------- */

static inline int unit_temp(char path[64])
{
	const char *folder = getenv("TMPDIR");
	int fd;

	if (!folder || !*folder || strlen(folder) > 40)
		folder = "/tmp";
	snprintf(path, 64, "%s/kev-unit-XXXXXX", folder);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	return fd;
}

static inline void unit_write(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t done = write(fd, data, n);

		assert_true(done > 0);
		data += done;
		n -= (size_t)done;
	}
}

/* A file that holds data; unlink(path) is the caller's. */
static inline void unit_file(char path[64], struct str data)
{
	int fd = unit_temp(path);

	unit_write(fd, data.s, data.n);
	close(fd);
}

/* A folder of its own, open; rmdir(path) is the caller's. */
static inline int unit_folder(char path[64])
{
	int folder;

	snprintf(path, 64, "/tmp/kev-unit-XXXXXX");
	assert_non_null(mkdtemp(path));
	folder = open(path, O_RDONLY | O_DIRECTORY);
	assert_true(folder >= 0);
	return folder;
}

/* A new file in it. */
static inline void unit_put(int folder, const char *name, const char *text, mode_t mode)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	unit_write(fd, text, strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

/* Makes data what standard input holds: modules read it as "-". */
static inline void unit_feed(struct str data)
{
	char path[64];
	int fd = unit_temp(path);

	unlink(path);
	unit_write(fd, data.s, data.n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(dup2(fd, 0), 0);
	if (fd != 0)
		close(fd);
}

/* Makes standard input the end of a pipe that holds data, as much as a pipe can hold. */
static inline void unit_feed_pipe(struct str data)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	unit_write(ends[1], data.s, data.n);
	close(ends[1]);
	assert_int_equal(dup2(ends[0], 0), 0);
	close(ends[0]);
}

/* Appends what is in fd from its beginning, and closes it. */
static inline void unit_slurp(struct buf *out, int fd)
{
	ssize_t got;

	lseek(fd, 0, SEEK_SET);
	while ((got = read(fd, buf_reserve(out, 1 << 16), 1 << 16)) > 0)
		out->len += (size_t)got;
	close(fd);
}

/* Appends data as one gzip member. A small one costs little. */
static inline void unit_gzip(struct buf *out, struct str data, int level)
{
	z_stream z = {0};
	int window = data.n < 512 ? 9 : 15;
	int memory = data.n < 512 ? 1 : 8;

	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, window + 16, memory, Z_DEFAULT_STRATEGY),
	                 Z_OK);
	z.next_in = (unsigned char *)data.s;
	z.avail_in = (uInt)data.n;
	z.avail_out = (uInt)deflateBound(&z, data.n);
	z.next_out = (unsigned char *)buf_reserve(out, z.avail_out);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->len += z.total_out;
	deflateEnd(&z);
}

/*
 * Makes data what standard input holds, in gzip members that begin at 0, `step`, 2 `step`
 * and so on: input_read gives one of them at a time, so this is how a reader meets an edge
 * of what it has read wherever the test wants one. step 0: as it stands.
 */
static inline void unit_feed_in_steps(struct str data, size_t step)
{
	struct buf packed = {0};

	if (step == 0 || data.n == 0) {
		unit_feed(data);
		return;
	}
	for (size_t at = 0; at < data.n; at += step)
		unit_gzip(&packed, (struct str){data.s + at, data.n - at < step ? data.n - at : step}, 1);
	unit_feed(buf_view(&packed));
	buf_free(&packed);
}

/* --- a process of its own ------------------------------------------------ */

/* How it ended and what it wrote. */
struct unit_end {
	int status; /* 128 + the signal where one ended it */
	struct buf out;
	struct buf err;
};

/* So that the leak checker does not look at a copy of the parent's memory. */
static inline void unit_leave(int status, void *arg)
{
	(void)arg;
	fflush(NULL);
	_exit(status);
}

/* Runs `run` where it may exit, close standard output or be killed. unit_end_free after it. */
static inline struct unit_end unit_run(int (*run)(void *arg), void *arg)
{
	struct unit_end end = {0};
	char path[64];
	int out = unit_temp(path);
	int err;
	int status;
	pid_t child;

	unlink(path);
	err = unit_temp(path);
	unlink(path);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		dup2(out, 1);
		dup2(err, 2);
		close(out);
		close(err);
		on_exit(unit_leave, NULL);
		exit(run(arg));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	end.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	unit_slurp(&end.out, out);
	unit_slurp(&end.err, err);
	return end;
}

static inline void unit_end_free(struct unit_end *end)
{
	buf_free(&end->out);
	buf_free(&end->err);
}

#endif
