/* output: bytes to a descriptor, every write checked. */
#include "../unit.h"

#include "base/die.h"
#include "io/output.h"

#include <signal.h>

/* Bytes come out as they went in, whatever their sizes. */
static void bytes_keep_their_order(void **state)
{
	static const size_t sizes[] = {0, 1, 100, 65535, 65536, 65537, 81920, 1, 65535, 2, 300000, 5};
	struct buf want = {0};
	struct buf got = {0};
	struct output out;
	char path[64];
	int fd = unit_temp(path);
	uint64_t seed = 1;

	(void)state;
	unlink(path);
	output_init(&out, dup(fd), "a file");
	for (size_t i = 0; i < COUNT(sizes); i++) {
		size_t start = want.len;

		unit_random_bytes(&seed, &want, sizes[i], STR(""));
		output_bytes(&out, want.data + start, sizes[i]);
		output_char(&out, '\n');
		output_text(&out, "text");
		output_str(&out, STR("a\0b"));
		output_format(&out, "%d%s", 7, "!");
		buf_str(&want, STR("\ntexta\0b7!"));
	}
	for (int i = 0; i < 100000; i++) {
		output_char(&out, (char)i);
		buf_char(&want, (char)i);
	}
	assert_true(out.buf.len < 1 << 17); /* it does not pile up */
	output_close(&out);
	unit_slurp(&got, fd);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	buf_free(&want);
	buf_free(&got);
}

/* Without a descriptor all of it stays. */
static void without_a_descriptor_it_is_kept(void **state)
{
	struct output out;
	struct buf want = {0};
	uint64_t seed = 1;

	(void)state;
	unit_random_bytes(&seed, &want, 300000, STR(""));
	output_init(&out, -1, "nowhere");
	for (size_t at = 0; at < 150000; at += 1000)
		output_bytes(&out, want.data + at, 1000);
	output_bytes(&out, want.data + 150000, 150000);
	assert_str(buf_view(&out.buf), buf_view(&want));
	buf_free(&out.buf);
	buf_free(&want);
}

static void flushed_is_written(void **state)
{
	struct buf got = {0};
	struct output out;
	char path[64];
	int fd = unit_temp(path);

	(void)state;
	unlink(path);
	output_init(&out, fd, "a file");
	output_text(&out, "head");
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	output_drain(&out); /* not full */
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	output_flush(&out);
	assert_int_equal(lseek(fd, 0, SEEK_END), 4);
	output_flush(&out);
	assert_int_equal(lseek(fd, 0, SEEK_END), 4);
	/* Those that append to the buffer themselves. */
	memset(buf_reserve(&out.buf, 200000), 'x', 200000);
	out.buf.len = 200000;
	output_drain(&out);
	assert_int_equal(out.buf.len, 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 200004);
	unit_slurp(&got, dup(fd));
	assert_int_equal(got.len, 200004);
	buf_free(&got);
	output_close(&out);
	assert_int_equal(close(fd), -1); /* output_close did */
}

/* Where the output goes, how much, and whether it is flushed or closed. */
struct plan {
	const char *path; /* NULL: a pipe that nobody reads */
	size_t bytes;
	bool ignore_sigpipe;
};

static int carry_out(void *arg)
{
	const struct plan *plan = arg;
	struct output out;
	int ends[2];

	die_init("prog");
	if (plan->ignore_sigpipe)
		signal(SIGPIPE, SIG_IGN);
	if (plan->path) {
		ends[1] = open(plan->path, O_WRONLY);
	} else {
		if (pipe(ends) != 0)
			return 99;
		close(ends[0]);
	}
	output_init(&out, ends[1], "the result");
	for (size_t i = 0; i < plan->bytes; i++)
		output_char(&out, 'x');
	output_close(&out);
	return 0;
}

static void assert_ends(struct plan plan, int status, const char *err)
{
	struct unit_end end = unit_run(carry_out, &plan);

	assert_int_equal(end.status, status);
	assert_str(buf_view(&end.err), str_of(err));
	unit_end_free(&end);
}

static void a_full_disk_is_an_error(void **state)
{
	static const char said[] = "prog: the result cannot be written: No space left on device\n";

	(void)state;
	assert_ends((struct plan){.path = "/dev/full", .bytes = 1}, STATUS_ERROR, said);
	assert_ends((struct plan){.path = "/dev/full", .bytes = 200000}, STATUS_ERROR, said);
	assert_ends((struct plan){.path = "/dev/full"}, STATUS_OK, "");
	assert_ends((struct plan){.path = "/dev/null", .bytes = 200000}, STATUS_OK, "");
}

static void a_closed_pipe_ends_it_quietly(void **state)
{
	(void)state;
	assert_ends((struct plan){.bytes = 1}, 128 + SIGPIPE, "");
	assert_ends((struct plan){.bytes = 200000}, 128 + SIGPIPE, "");
	assert_ends((struct plan){.bytes = 1, .ignore_sigpipe = true}, STATUS_ERROR,
	            "prog: the result cannot be written: Broken pipe\n");
}

static void a_descriptor_that_is_none_is_an_error(void **state)
{
	(void)state;
	assert_ends((struct plan){.path = "/nonexistent/x", .bytes = 1}, STATUS_ERROR,
	            "prog: the result cannot be written: Bad file descriptor\n");
	assert_ends((struct plan){.path = "/nonexistent/x"}, STATUS_ERROR,
	            "prog: the result cannot be written: Bad file descriptor\n");
}

static void a_long_line_is_whole(void **state)
{
	struct output out;
	char text[5000];

	(void)state;
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	output_init(&out, -1, "nothing");
	output_format(&out, "%s and %d", text, 7);
	assert_int_equal(out.buf.len, sizeof text - 1 + strlen(" and 7"));
	assert_true(str_ends(buf_view(&out.buf), STR("xx and 7")));
	buf_free(&out.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_keep_their_order),
		cmocka_unit_test(without_a_descriptor_it_is_kept),
		cmocka_unit_test(flushed_is_written),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_closed_pipe_ends_it_quietly),
		cmocka_unit_test(a_descriptor_that_is_none_is_an_error),
		cmocka_unit_test(a_long_line_is_whole),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
