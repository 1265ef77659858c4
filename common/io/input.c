#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for pipe2
#include "io/input.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "base/progress.h"
#include "base/retry.h"
#include "io/ahead.h"
#include "io/gunzip.h"
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PACKED_SIZE = 1 << 16 };

struct inflater {
	struct gunzip *gunzip;
	struct ahead *ahead; /* inflates once it is worth a thread */
	bool ahead_tried;    /* the thread was started, or could not be */
	bool in_member;      /* between a member's head and its trailer */
	bool at_end;         /* the file has ended */
	bool broken;
	bool may_not_wait;      /* refill gives up where it would wait */
	bool paused;            /* it did so last */
	uint64_t packed_offset; /* in the file, of the end of what is in packed */
	const unsigned char *next;
	size_t left;
	unsigned char packed[PACKED_SIZE];
};

static bool fail(struct input *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct input *in, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	plaintext_format(in->error, sizeof in->error, format, args);
	va_end(args);
	return false;
}

/* After a call that failed. Always returns false. */
static bool fail_read(struct input *in)
{
	in->failed = true;
	return fail(in, "cannot be read: %s", strerror(errno));
}

/* Whether a read would wait for longer than so many ms. Of a regular file, none does. */
static bool would_wait(const struct input *in, int ms)
{
	struct pollfd ready = {.fd = in->fd, .events = POLLIN};

	return in->start < 0 && poll(&ready, 1, ms) == 0;
}

/* Before a read: lets the output go if nothing comes in time. */
static void let_output_go(const struct input *in)
{
	int patience = would_wait(in, 0) ? output_patience() : -1;

	if (patience >= 0 && would_wait(in, patience))
		output_release();
}

/* Waits for input; false if the input is closed meanwhile. */
static bool wait_for_input(struct input *in)
{
	struct pollfd fds[2] = {{.fd = in->fd, .events = POLLIN}, {.events = POLLIN}};

	if (!in->wakes) {
		let_output_go(in);
		return true;
	}
	fds[1].fd = in->wake[0];
	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR && errno != EAGAIN)
			return true; /* read reports what is wrong */
	return fds[1].revents == 0;
}

static ssize_t read_fd(struct input *in, void *out, size_t n)
{
	for (;;) {
		ssize_t got = wait_for_input(in) ? read(in->fd, out, n) : 0;

		if (got >= 0)
			return got;
		if (!retry_call(in->fd, POLLIN)) {
			fail_read(in);
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
	inflater->next = inflater->packed;
	inflater->left = have;
	inflater->packed_offset = have;
	inflater->at_end = have < 2;
	in->inflater = inflater;
	in->plain = have < 2 || inflater->packed[0] != 0x1f || inflater->packed[1] != 0x8b;
	if (!in->plain)
		inflater->gunzip = gunzip_new();
	return true;
}

/* Sets file and start. */
static bool look_at_file(struct input *in)
{
	if (fstat(in->fd, &in->file) != 0)
		return fail_read(in);
	if (S_ISDIR(in->file.st_mode))
		return fail(in, "cannot be read: it is a directory");
	if (!S_ISREG(in->file.st_mode))
		return true;
	in->start = lseek(in->fd, 0, SEEK_CUR);
	return in->start >= 0 || fail_read(in);
}

bool input_open(struct input *in, const char *path)
{
	int fd = STDIN_FILENO;

	*in = (struct input){.name = path, .fd = -1};
	if (strcmp(path, "-") != 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(in, "cannot be opened: %s", strerror(errno));
	if (fd == STDIN_FILENO && isatty(fd) && progress_is_on())
		warn("reading standard input, a terminal; end it with Ctrl-D, or name a FILE");
	return input_open_fd(in, fd, path);
}

bool input_open_fd(struct input *in, int fd, const char *name)
{
	bool good;

	*in = (struct input){.name = name, .fd = fd, .start = -1};
	good = look_at_file(in) && look_at_head(in);
	if (!good)
		input_close(in);
	return good;
}

/* A plain input: first what look_at_head took, then the file itself. */
static ssize_t read_plain(struct input *in, char *out, size_t n)
{
	struct inflater *head = in->inflater;

	if (head) {
		if (head->left) {
			n = n < head->left ? n : head->left;
			memcpy(out, head->next, n);
			head->next += n;
			head->left -= n;
			return (ssize_t)n;
		}
		/* On a terminal, another read would want another Ctrl-D. */
		if (head->at_end)
			return 0;
		free(head);
		in->inflater = NULL;
	}
	return read_fd(in, out, n);
}

/* Reads more packed bytes; false at the end of the file, if it cannot be read, or if it pauses. */
static bool refill(struct input *in)
{
	struct inflater *inflater = in->inflater;
	ssize_t got;

	inflater->paused = false;
	if (inflater->left || inflater->at_end)
		return inflater->left != 0;
	inflater->paused = inflater->may_not_wait && would_wait(in, 0);
	if (inflater->paused)
		return false;
	got = read_fd(in, inflater->packed, sizeof inflater->packed);
	inflater->at_end = got <= 0;
	if (got <= 0)
		return false;
	inflater->next = inflater->packed;
	inflater->left = (size_t)got;
	inflater->packed_offset += (uint64_t)got;
	return true;
}

/* Between members: true if another one begins. */
static bool next_member(struct input *in)
{
	struct inflater *inflater = in->inflater;
	bool padding = false;

	while (refill(in)) {
		if (*inflater->next == 0x1f && !padding &&
		    (inflater->left < 2 || inflater->next[1] == 0x8b)) {
			gunzip_reset(inflater->gunzip);
			inflater->in_member = true;
			return true;
		}
		if (*inflater->next != 0) {
			fail(in, "byte %llu of the file: trailing data after the gzip stream",
			     (unsigned long long)(inflater->packed_offset - inflater->left));
			inflater->broken = true;
			return false;
		}
		padding = true;
		inflater->next++;
		inflater->left--;
	}
	inflater->broken = in->error[0] != '\0';
	return false;
}

static ssize_t read_gzip(struct input *in, char *out, size_t n)
{
	struct inflater *inflater = in->inflater;
	size_t room = n;

	if (inflater->broken)
		return -1;
	while (room == n) {
		enum gunzip_result result;
		bool more;

		if (!inflater->in_member && !next_member(in))
			return inflater->broken ? -1 : inflater->paused ? AHEAD_LATER : 0;
		/* Behind the end of the file there may be output that had no room before. */
		more = refill(in);
		result = gunzip_run(inflater->gunzip, &inflater->next, &inflater->left, &out, &room);
		inflater->in_member = result != GUNZIP_END;
		if (result == GUNZIP_DAMAGED) {
			fail(in, "the gzip data are damaged (%s)", gunzip_reason(inflater->gunzip));
			inflater->broken = true;
			if (room == n)
				return -1;
		} else if (result == GUNZIP_MORE && inflater->paused && room == n) {
			return AHEAD_LATER;
		} else if (result == GUNZIP_MORE && !more && room == n) {
			if (!in->error[0])
				fail(in, "the gzip data are cut off at byte %llu of the file",
				     (unsigned long long)inflater->packed_offset);
			inflater->broken = true;
			return -1;
		}
	}
	return (ssize_t)(n - room);
}

/* As read_gzip, in a thread of its own. */
static ssize_t produce(void *from, char *out, size_t n, bool may_wait)
{
	struct input *in = from;

	in->inflater->may_not_wait = !may_wait;
	return read_gzip(in, out, n);
}

bool input_share(struct input *in)
{
	if (!in->wakes && pipe2(in->wake, O_CLOEXEC) == 0)
		in->wakes = true; /* not written once a thread reads it */
	return in->wakes;
}

void input_wake(struct input *in)
{
	if (in->wakes && in->wake[1] >= 0)
		close(in->wake[1]);
	in->wake[1] = -1;
}

/* Lets a thread inflate from here on, if one can start. */
static void start_ahead(struct input *in)
{
	struct inflater *inflater = in->inflater;

	if (!inflater->ahead_tried && input_share(in))
		inflater->ahead = ahead_start(produce, in);
	inflater->ahead_tried = true;
}

/* The next bytes of a gzip file. A small file is done before a thread has begun. */
static ssize_t take_inflated(struct input *in, char *out, size_t n, bool may_wait)
{
	struct inflater *inflater = in->inflater;

	if (!inflater->ahead && in->offset >= AHEAD_CHUNK && !inflater->broken)
		start_ahead(in);
	if (inflater->ahead)
		return ahead_read(inflater->ahead, out, n, may_wait);
	inflater->may_not_wait = !may_wait;
	return read_gzip(in, out, n);
}

ssize_t input_take(struct input *in, char *out, size_t n, bool may_wait)
{
	ssize_t got;

	if (!in->plain)
		got = take_inflated(in, out, n, may_wait);
	else if (!may_wait && !(in->inflater && in->inflater->left) && would_wait(in, 0))
		return INPUT_LATER;
	else
		got = read_plain(in, out, n);
	if (got > 0)
		in->offset += (uint64_t)got;
	return got;
}

void input_progress(struct input *in)
{
	if (in->start >= 0)
		progress_read(in->name, in->fd, in->file.st_size);
}

ssize_t input_read(struct input *in, char *out, size_t n)
{
	ssize_t got = input_take(in, out, n, true);

	input_progress(in);
	return got;
}

void input_close(struct input *in)
{
	input_wake(in);
	if (in->inflater && !in->plain) {
		ahead_stop(in->inflater->ahead);
		gunzip_free(in->inflater->gunzip);
	}
	if (in->wakes)
		close(in->wake[0]);
	in->wakes = false;
	free(in->inflater);
	in->inflater = NULL;
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	in->fd = -1;
}

bool input_again(struct input *in)
{
	const struct input before = *in;

	if (before.start < 0)
		return fail(in, "cannot be reread: it is not a regular file");
	if (strcmp(before.name, "-") == 0 && lseek(STDIN_FILENO, before.start, SEEK_SET) < 0)
		return fail(in, "cannot be reread: %s", strerror(errno));
	if (!input_open(in, before.name))
		return false;
	in->file = before.file;
	in->start = before.start;
	return true;
}

bool input_changed(const struct input *in)
{
	const struct stat *first = &in->file;
	struct stat now;

	return fstat(in->fd, &now) != 0 || now.st_dev != first->st_dev || now.st_ino != first->st_ino ||
	       now.st_size != first->st_size || now.st_mtim.tv_sec != first->st_mtim.tv_sec ||
	       now.st_mtim.tv_nsec != first->st_mtim.tv_nsec;
}
