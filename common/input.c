#include "input.h"

#include "ahead.h"
#include "die.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { PACKED_SIZE = 1 << 16 };

struct inflater {
	z_stream z;
	bool in_member;  /* between a member's head and its trailer */
	bool at_end;     /* of the file */
	struct ahead *ahead; /* inflates once it is worth a thread */
	bool broken;
	uint64_t packed_offset; /* in the file, of the end of what is in packed */
	unsigned char packed[PACKED_SIZE];
};

static bool fail(struct input *in, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool fail(struct input *in, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(in->error, sizeof in->error, format, args);
	va_end(args);
	return false;
}

static ssize_t read_fd(struct input *in, void *out, size_t n)
{
	for (;;) {
		ssize_t got = read(in->fd, out, n);

		if (got >= 0)
			return got;
		if (errno != EINTR) {
			fail(in, "cannot be read: %s", strerror(errno));
			return -1;
		}
	}
}

/* Reads until two bytes are there, the least that tells gzip from text. */
static bool look_at_head(struct input *in)
{
	struct inflater *inflater = mem_zero(1, sizeof *inflater);
	size_t have = 0;

	while (have < 2) {
		ssize_t got = read_fd(in, inflater->packed + have, sizeof inflater->packed - have);

		if (got < 0) {
			free(inflater);
			return false;
		}
		if (got == 0)
			break;
		have += (size_t)got;
	}
	inflater->z.next_in = inflater->packed;
	inflater->z.avail_in = (uInt)have;
	inflater->packed_offset = have;
	in->inflater = inflater;
	in->plain = have < 2 || inflater->packed[0] != 0x1f || inflater->packed[1] != 0x8b;
	if (!in->plain && inflateInit2(&inflater->z, 15 + 16) != Z_OK)
		die("zlib cannot be started");
	return true;
}

bool input_open(struct input *in, const char *path)
{
	struct stat st;

	*in = (struct input){.name = path, .fd = STDIN_FILENO};
	if (strcmp(path, "-") != 0) {
		in->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (in->fd < 0)
			return fail(in, "cannot be opened: %s", strerror(errno));
	}
	if (fstat(in->fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		input_close(in);
		return fail(in, "cannot be read: it is a directory");
	}
	if (!look_at_head(in)) {
		input_close(in);
		return false;
	}
	return true;
}

/* A plain input: first what look_at_head took, then the file itself. */
static ssize_t read_plain(struct input *in, char *out, size_t n)
{
	struct inflater *head = in->inflater;

	if (head) {
		size_t left = head->z.avail_in;

		if (left) {
			n = n < left ? n : left;
			memcpy(out, head->z.next_in, n);
			head->z.next_in += n;
			head->z.avail_in -= (uInt)n;
			return (ssize_t)n;
		}
		free(head);
		in->inflater = NULL;
	}
	return read_fd(in, out, n);
}

/* More packed bytes; false at the end of the file and where it cannot be read. */
static bool refill(struct input *in)
{
	struct inflater *inflater = in->inflater;
	ssize_t got;

	if (inflater->z.avail_in || inflater->at_end)
		return inflater->z.avail_in != 0;
	got = read_fd(in, inflater->packed, sizeof inflater->packed);
	inflater->at_end = got <= 0;
	if (got <= 0)
		return false;
	inflater->z.next_in = inflater->packed;
	inflater->z.avail_in = (uInt)got;
	inflater->packed_offset += (uint64_t)got;
	return true;
}

/* Between members: true where another one begins. */
static bool next_member(struct input *in)
{
	struct inflater *inflater = in->inflater;
	z_stream *z = &inflater->z;
	bool padding = false;

	while (refill(in)) {
		if (*z->next_in == 0x1f && !padding) {
			inflateReset(z);
			inflater->in_member = true;
			return true;
		}
		if (*z->next_in != 0) {
			fail(in, "byte %llu of the file: what follows the gzip data is none",
			     (unsigned long long)(inflater->packed_offset - z->avail_in));
			inflater->broken = true;
			return false;
		}
		padding = true;
		z->next_in++;
		z->avail_in--;
	}
	inflater->broken = in->error[0] != '\0';
	return false;
}

static ssize_t read_gzip(void *from, char *out, size_t n)
{
	struct input *in = from;
	struct inflater *inflater = in->inflater;
	z_stream *z = &inflater->z;

	if (inflater->broken)
		return -1;
	z->next_out = (unsigned char *)out;
	z->avail_out = n < UINT32_MAX ? (uInt)n : UINT32_MAX;
	n = z->avail_out;
	while (z->avail_out == n) {
		int result;

		if (!inflater->in_member && !next_member(in))
			return inflater->broken ? -1 : 0;
		if (!refill(in)) {
			if (!in->error[0])
				fail(in, "the gzip data are cut off at byte %llu of the file",
				     (unsigned long long)inflater->packed_offset);
			inflater->broken = true;
			return -1;
		}
		result = inflate(z, Z_NO_FLUSH);
		if (result == Z_STREAM_END) {
			inflater->in_member = false;
		} else if (result != Z_OK && result != Z_BUF_ERROR) {
			fail(in, "byte %llu of the file: the gzip data are damaged (%s)",
			     (unsigned long long)(inflater->packed_offset - z->avail_in),
			     z->msg ? z->msg : "unknown reason");
			inflater->broken = true;
			if (z->avail_out == n)
				return -1;
		}
	}
	return (ssize_t)(n - z->avail_out);
}

ssize_t input_read(struct input *in, char *out, size_t n)
{
	struct ahead *ahead = in->plain ? NULL : in->inflater->ahead;
	ssize_t got;

	/* A small file is done before a thread has begun. */
	if (!in->plain && !ahead && in->offset >= AHEAD_CHUNK && !in->inflater->broken)
		ahead = in->inflater->ahead = ahead_start(read_gzip, in);
	got = in->plain ? read_plain(in, out, n)
	      : ahead   ? ahead_read(ahead, out, n)
	                : read_gzip(in, out, n);
	if (got > 0)
		in->offset += (uint64_t)got;
	return got;
}

void input_close(struct input *in)
{
	if (in->inflater && !in->plain) {
		ahead_stop(in->inflater->ahead);
		inflateEnd(&in->inflater->z);
	}
	free(in->inflater);
	in->inflater = NULL;
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	in->fd = -1;
}

bool input_lfs_pointer(struct str head)
{
	return str_starts(head, STR("version https://git-lfs.github.com/spec/"));
}
