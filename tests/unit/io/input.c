/* input: plain and gzip, whole and damaged. */
#include "../unit.h"

#include "io/input.h"

#include <signal.h>
#include <sys/socket.h>

/* Reads all of in, n bytes at a time; true if it ended well. A further read has an equal answer. */
static bool drain(struct input *in, struct buf *out, size_t n)
{
	ssize_t got;

	while ((got = input_read(in, buf_reserve(out, n), n)) > 0) {
		assert_true((size_t)got <= n);
		out->len += (size_t)got;
		assert_int_equal(in->offset, out->len);
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(input_read(in, buf_reserve(out, n), n), got);
	assert_int_equal(in->offset, out->len);
	assert_int_equal(got < 0, in->error[0] != '\0');
	return got == 0;
}

/* What input makes of these bytes. */
static bool read_bytes(struct str bytes, struct buf *out, size_t n, char error[256])
{
	struct input in;
	bool good;

	unit_feed(bytes);
	assert_true(input_open(&in, "-"));
	good = drain(&in, out, n);
	memcpy(error, in.error, 256);
	input_close(&in);
	return good;
}

static void assert_reads(struct str bytes, struct str want, const char *error)
{
	static const size_t sizes[] = {1, 2, 7, 4096, 1 << 20};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct buf out = {0};
		char said[256];

		assert_int_equal(read_bytes(bytes, &out, sizes[i], said), error == NULL);
		assert_str(buf_view(&out), want);
		if (error)
			assert_case(said, str_has(str_of(said), str_of(error)));
		buf_free(&out);
	}
}

/* Text that does not compress to nothing. */
static void text_of(struct buf *out, size_t n)
{
	uint64_t seed = n;

	unit_random_bytes(&seed, out, n, STR("abcdefgh\n\0"));
}

static void plain_bytes(void **state)
{
	struct buf large = {0};

	(void)state;
	assert_reads(STR(""), STR(""), NULL);
	assert_reads(STR("a"), STR("a"), NULL);
	assert_reads(STR("\x1f"), STR("\x1f"), NULL);
	assert_reads(STR("\x1f\x8a"), STR("\x1f\x8a"), NULL);
	assert_reads(STR("a\x8b"), STR("a\x8b"), NULL);
	assert_reads(STR("\x8b\x1f\0\0"), STR("\x8b\x1f\0\0"), NULL);
	text_of(&large, 300000);
	assert_reads(buf_view(&large), buf_view(&large), NULL);
	buf_free(&large);
}

static void gzip_members_are_one_text(void **state)
{
	struct buf text = {0};
	struct buf packed = {0};

	(void)state;
	unit_gzip(&packed, STR(""), 6);
	assert_reads(buf_view(&packed), STR(""), NULL);
	unit_gzip(&packed, STR("ab"), 6);
	unit_gzip(&packed, STR(""), 0);
	unit_gzip(&packed, STR("c\0d"), 9);
	unit_gzip(&packed, STR(""), 1);
	assert_reads(buf_view(&packed), STR("abc\0d"), NULL);

	/* Larger than what is read at once, in parts that are not. */
	packed.len = 0;
	text_of(&text, 400000);
	for (size_t at = 0; at < text.len; at += 50000)
		unit_gzip(&packed, (struct str){text.data + at, 50000}, (int)(at / 50000));
	assert_true(packed.len > 1 << 17);
	assert_reads(buf_view(&packed), buf_view(&text), NULL);
	buf_free(&text);
	buf_free(&packed);
}

/* name, comment, extra field and head checksum are allowed, and passed over. */
static void gzip_with_all_of_a_head(void **state)
{
	struct buf packed = {0};
	z_stream z = {0};
	gz_header head = {.time = 1,
	                  .extra = (unsigned char *)"xx\2\0ab",
	                  .extra_len = 6,
	                  .name = (unsigned char *)"trace.json",
	                  .comment = (unsigned char *)"a comment",
	                  .hcrc = 1};

	(void)state;
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflateSetHeader(&z, &head), Z_OK);
	z.next_in = (unsigned char *)"text";
	z.avail_in = 4;
	z.next_out = (unsigned char *)buf_reserve(&packed, 1000);
	z.avail_out = 1000;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	packed.len = z.total_out;
	deflateEnd(&z);
	assert_reads(buf_view(&packed), STR("text"), NULL);
	buf_free(&packed);
}

/* What zlib itself gets out of the beginning of a member. */
static void inflate_by_zlib(struct str packed, struct buf *out)
{
	z_stream z = {0};
	int result;

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_in = (unsigned char *)packed.s;
	z.avail_in = (uInt)packed.n;
	do {
		z.next_out = (unsigned char *)buf_reserve(out, 1 << 20);
		z.avail_out = 1 << 20;
		result = inflate(&z, Z_SYNC_FLUSH);
		out->len += (1 << 20) - z.avail_out;
	} while (result == Z_OK && z.avail_out == 0);
	inflateEnd(&z);
}

/*
 * What was read of a file that is cut off: all that zlib gets out of it, but for what another
 * decoder holds back to look ahead, a symbol or two.
 */
static void assert_almost(struct str got, struct str want)
{
	assert_true(got.n <= want.n && want.n - got.n <= 260);
	assert_memory_equal(got.s, want.s, got.n);
}

/* What was there comes out, then an error. */
static void gzip_cut_at_every_byte(void **state)
{
	struct buf text = {0};
	struct buf packed = {0};
	size_t first_end;

	(void)state;
	text_of(&text, 700);
	unit_gzip(&packed, (struct str){text.data, 400}, 6);
	first_end = packed.len;
	unit_gzip(&packed, (struct str){text.data + 400, 300}, 6);
	for (size_t cut = 2; cut < packed.len; cut++) {
		size_t start = cut > first_end ? first_end : 0;
		struct buf got = {0};
		struct buf want = {0};
		char said[256];
		char where[64];

		buf_bytes(&want, text.data, start ? 400 : 0);
		inflate_by_zlib((struct str){packed.data + start, cut - start}, &want);
		assert_int_equal(read_bytes((struct str){packed.data, cut}, &got, 4096, said),
		                 cut == first_end);
		assert_almost(buf_view(&got), buf_view(&want));
		assert_true(want.len <= text.len && memcmp(want.data, text.data, want.len) == 0);
		snprintf(where, sizeof where, "cut off at byte %zu of the file", cut);
		assert_case(said, cut == first_end || str_has(str_of(said), str_of(where)));
		buf_free(&got);
		buf_free(&want);
	}
	buf_free(&text);
	buf_free(&packed);
}

static void gzip_with_something_behind_it(void **state)
{
	struct buf packed = {0};
	size_t end;
	char error[64];

	(void)state;
	unit_gzip(&packed, STR("text"), 6);
	end = packed.len;
	snprintf(error, sizeof error, "byte %zu of the file", end);

	buf_bytes(&packed, "\0\0\0\0\0\0\0", 7); /* padding */
	assert_reads(buf_view(&packed), STR("text"), NULL);
	packed.len = end;
	memset(buf_reserve(&packed, 200000), 0, 200000);
	packed.len += 200000;
	assert_reads(buf_view(&packed), STR("text"), NULL);
	packed.len = end;
	buf_text(&packed, "garbage");
	assert_reads(buf_view(&packed), STR("text"), error);
	packed.len = end;
	buf_bytes(&packed, "\0\0x", 3);
	snprintf(error, sizeof error, "byte %zu of the file", end + 2);
	assert_reads(buf_view(&packed), STR("text"), error);
	packed.len = end;
	buf_bytes(&packed, "\0\0", 2);
	unit_gzip(&packed, STR("more"), 6); /* padding is behind the last */
	assert_reads(buf_view(&packed), STR("text"), error);
	packed.len = end;
	buf_bytes(&packed, "\x1f", 1); /* the beginning of a member? */
	assert_reads(buf_view(&packed), STR("text"), "cut off");
	packed.len = end;
	buf_bytes(&packed, "\x1f\x8c more", 7);
	snprintf(error, sizeof error, "byte %zu of the file", end);
	assert_reads(buf_view(&packed), STR("text"), error);
	buf_free(&packed);
}

static void gzip_with_a_damaged_byte(void **state)
{
	struct buf text = {0};
	struct buf packed = {0};

	(void)state;
	text_of(&text, 200000);
	unit_gzip(&packed, buf_view(&text), 6);
	for (size_t at = 2; at < packed.len; at += packed.len / 50) {
		struct buf got = {0};
		struct buf want = {0};
		char said[256];

		if (at >= 4 && at < 10) /* time and system say nothing about the text */
			continue;
		packed.data[at] ^= 0x55;
		inflate_by_zlib(buf_view(&packed), &want);
		assert_false(read_bytes(buf_view(&packed), &got, 4096, said));
		/* One decoder sees the damage sooner than another: up to there they agree. */
		if (got.len > want.len)
			got.len = want.len;
		assert_almost(buf_view(&got), buf_view(&want));
		packed.data[at] ^= 0x55;
		buf_free(&got);
		buf_free(&want);
	}
	/* The checksum and the length, when all of the text has been given. */
	for (size_t back = 1; back <= 8; back++) {
		packed.data[packed.len - back] ^= 1;
		assert_reads(buf_view(&packed), buf_view(&text), "damaged");
		packed.data[packed.len - back] ^= 1;
	}
	buf_free(&text);
	buf_free(&packed);
}

/* A pipe may hand over the two bytes that tell gzip from text one after the other. */
static void bytes_that_come_one_by_one(void **state)
{
	struct buf packed = {0};

	(void)state;
	for (int gzip = 0; gzip < 2; gzip++) {
		struct buf got = {0};
		struct input in;
		int ends[2];

		packed.len = 0;
		if (gzip)
			unit_gzip(&packed, STR("slow"), 6);
		else
			buf_text(&packed, "slow");
		/* A read of such a socket gives no more than one write gave. */
		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
		for (size_t i = 0; i < packed.len; i++)
			assert_int_equal(write(ends[1], packed.data + i, 1), 1);
		close(ends[1]);
		dup2(ends[0], 0);
		close(ends[0]);
		assert_true(input_open(&in, "-"));
		assert_int_equal(in.plain, !gzip);
		assert_true(drain(&in, &got, 100));
		assert_buf(&got, "slow");
		input_close(&in);
		buf_free(&got);
	}
	buf_free(&packed);
}

/* Closed while more is waited for, which never comes. */
static int close_a_slow_pipe(void *arg)
{
	const struct buf *packed = arg;
	char text[65536];
	struct input in;
	size_t got = 0;
	int ends[2];
	pid_t writer;

	if (pipe(ends) != 0 || dup2(ends[0], 0) != 0)
		return 99;
	writer = fork();
	alarm(20);
	if (writer == 0) {
		unit_write(ends[1], packed->data, packed->len);
		pause(); /* the pipe stays open */
		_exit(0);
	}
	if (!input_open(&in, "-"))
		return 98;
	while (got < 600000) {
		ssize_t n = input_read(&in, text, sizeof text);

		if (n <= 0)
			return 97;
		got += (size_t)n;
	}
	/* No program that is started meanwhile holds the pipe that wakes the thread. */
	for (int fd = ends[1] + 1; fd < ends[1] + 4; fd++)
		if (fcntl(fd, F_GETFD) == 0)
			return 96;
	usleep(20000); /* so that who reads ahead is at the end of what there is */
	input_close(&in);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	return 0;
}

static void a_slow_pipe_can_be_closed(void **state)
{
	struct buf text = {0};
	struct buf packed = {0};
	struct unit_end end;

	(void)state;
	text_of(&text, 700000);
	unit_gzip(&packed, buf_view(&text), 1);
	packed.len -= 100; /* the rest does not come */
	end = unit_run(close_a_slow_pipe, &packed);
	assert_int_equal(end.status, 0);
	unit_end_free(&end);
	buf_free(&text);
	buf_free(&packed);
}

static void files_by_name(void **state)
{
	char path[64];
	struct input in;
	struct buf got = {0};

	(void)state;
	unit_file(path, STR("by name"));
	assert_true(input_open(&in, path));
	assert_string_equal(in.name, path);
	unlink(path);
	assert_true(drain(&in, &got, 3));
	assert_buf(&got, "by name");
	input_close(&in);
	buf_free(&got);

	assert_false(input_open(&in, path)); /* it is gone */
	assert_string_equal(in.error, "cannot be opened: No such file or directory");
	assert_false(input_open(&in, ""));
	assert_false(input_open(&in, "/"));
	assert_string_equal(in.error, "cannot be read: it is a directory");
	assert_false(input_open(&in, "/proc/self/mem")); /* it opens; byte 0 cannot be read */
	assert_string_equal(in.error, "cannot be read: Input/output error");
}

static void standard_input_stays_open(void **state)
{
	struct input in;
	char c;

	(void)state;
	unit_feed(STR("ab"));
	assert_true(input_open(&in, "-"));
	input_close(&in);
	assert_int_equal(lseek(0, 0, SEEK_SET), 0);
	assert_int_equal(read(0, &c, 1), 1);
	close(0);
	assert_false(input_open(&in, "-"));
	assert_string_equal(in.error, "cannot be read: Bad file descriptor");
}

/* Opened and closed many times over, no descriptor is lost. */
static void files_can_be_read_again(void **state)
{
	struct input in;
	char text[8];
	int ends[2];

	(void)state;
	unit_feed(STR("abcdef"));
	assert_int_equal(lseek(0, 2, SEEK_SET), 2);
	assert_true(input_open(&in, "-"));
	for (int look = 0; look < 3; look++) {
		assert_int_equal(in.start, 2);
		assert_int_equal(input_read(&in, text, sizeof text), 4);
		assert_memory_equal(text, "cdef", 4);
		input_close(&in);
		assert_true(input_again(&in));
		assert_false(input_changed(&in));
	}
	input_close(&in);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[0], 0), 0);
	close(ends[0]);
	close(ends[1]);
	assert_true(input_open(&in, "-"));
	assert_true(in.start < 0);
	input_close(&in);
	assert_false(input_again(&in));
	assert_string_equal(in.error, "cannot be reread: it is not a regular file");
}

/* --- changes of a file --------------------------------------------------- */

static void set_time(const char *path, long nanosecond)
{
	struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1, .tv_nsec = nanosecond}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void leave(const char *path)
{
	set_time(path, 1);
}

static void touch(const char *path)
{
	set_time(path, 2);
}

static void grow(const char *path)
{
	assert_int_equal(truncate(path, 4), 0);
	set_time(path, 1);
}

static void replace(const char *path)
{
	char other[64];

	unit_file(other, STR("abc"));
	set_time(other, 1);
	assert_int_equal(rename(other, path), 0);
}

static void a_change_is_seen(void **state)
{
	static const struct {
		void (*change)(const char *path);
		bool while_open;
		bool before_it_is_opened_again;
	} cases[] = {
		{leave, false, false}, {touch, true, true}, {grow, true, true}, {replace, false, true}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct input in;
		char path[64];

		unit_file(path, STR("abc"));
		set_time(path, 1);
		assert_true(input_open(&in, path));
		cases[i].change(path);
		assert_int_equal(input_changed(&in), cases[i].while_open);
		input_close(&in);
		assert_true(input_again(&in));
		assert_int_equal(input_changed(&in), cases[i].before_it_is_opened_again);
		input_close(&in);
		unlink(path);
		assert_false(input_again(&in));
		assert_string_equal(in.error, "cannot be opened: No such file or directory");
	}
}

static void descriptors_are_closed(void **state)
{
	char path[64];
	int before;
	int after;

	(void)state;
	unit_feed(STR("")); /* without it, a file could become standard input */
	unit_file(path, STR("x"));
	before = dup(1);
	for (int i = 0; i < 50; i++) {
		struct input in;

		assert_true(input_open(&in, path));
		input_close(&in);
		assert_false(input_open(&in, "/"));
		assert_false(input_open(&in, "/proc/self/mem"));
	}
	after = dup(1);
	assert_true(after - before <= 1);
	close(before);
	close(after);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_bytes),
		cmocka_unit_test(gzip_members_are_one_text),
		cmocka_unit_test(gzip_with_all_of_a_head),
		cmocka_unit_test(gzip_cut_at_every_byte),
		cmocka_unit_test(gzip_with_something_behind_it),
		cmocka_unit_test(gzip_with_a_damaged_byte),
		cmocka_unit_test(bytes_that_come_one_by_one),
		cmocka_unit_test(a_slow_pipe_can_be_closed),
		cmocka_unit_test(files_by_name),
		cmocka_unit_test(standard_input_stays_open),
		cmocka_unit_test(files_can_be_read_again),
		cmocka_unit_test(a_change_is_seen),
		cmocka_unit_test(descriptors_are_closed),
	};

	return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
