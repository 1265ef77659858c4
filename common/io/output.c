#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for F_SETPIPE_SZ
#include "io/output.h"

#include "base/die.h"
#include "base/progress.h"
#include "base/retry.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
	OUTPUT_SIZE = 1 << 16,
	PIPE_SIZE = 1 << 20, /* the most that Linux allows by default */
};

struct live {
	struct output *out; /* the output to standard output; NULL: none */
	int64_t since_ms;   /* when its bytes were first seen to wait; 0: not seen */
};

/* Other threads that wait for input have none. */
static struct live *the_live(void)
{
	static _Thread_local struct live live;

	return &live;
}

/*
 * Lets a pipe hold several writes, so that its two programs need not take turns. The system may
 * allow less, or none at all where a user has many large pipes; then it stays as it is.
 */
static void widen_pipe(int fd)
{
	int size = fcntl(fd, F_GETPIPE_SZ);

	for (int wide = PIPE_SIZE; size > 0 && wide > size; wide /= 2)
		if (fcntl(fd, F_SETPIPE_SZ, wide) > 0)
			return;
}

void output_init(struct output *out, int fd, const char *name)
{
	*out = (struct output){.fd = fd, .name = name};
	buf_reserve(&out->buf, OUTPUT_SIZE + OUTPUT_SIZE / 4);
	if (fd != STDOUT_FILENO)
		return;
	*the_live() = (struct live){.out = out};
	widen_pipe(fd);
}

static void write_all(struct output *out, const char *data, size_t n)
{
	progress_written(out->fd);
	while (n) {
		ssize_t done = write(out->fd, data, n);

		if (done < 0 && retry_call(out->fd, POLLOUT))
			continue;
		if (done < 0)
			die("%s cannot be written: %s", out->name, strerror(errno));
		data += done;
		n -= (size_t)done;
	}
}

void output_flush(struct output *out)
{
	write_all(out, out->buf.data, out->buf.len);
	out->buf.len = 0;
	if (the_live()->out == out)
		the_live()->since_ms = 0;
}

static bool is_waiting(const struct live *live)
{
	const struct buf *buf = live->out ? &live->out->buf : NULL;

	return buf && buf->len && buf->data[buf->len - 1] == '\n';
}

int output_patience(void)
{
	struct live *live = the_live();
	struct timespec now;
	int64_t now_ms;

	if (!is_waiting(live) || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return -1;
	now_ms = now.tv_sec * 1000LL + now.tv_nsec / 1000000;
	if (!live->since_ms)
		live->since_ms = now_ms;
	return now_ms < live->since_ms + OUTPUT_PATIENCE_MS
	           ? (int)(live->since_ms + OUTPUT_PATIENCE_MS - now_ms)
	           : 0;
}

void output_release(void)
{
	if (is_waiting(the_live()))
		output_flush(the_live()->out);
}

void output_condition(pthread_cond_t *changed)
{
	pthread_condattr_t clock;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(changed, &clock);
	pthread_condattr_destroy(&clock);
}

void output_wait(pthread_cond_t *changed, pthread_mutex_t *lock)
{
	int patience = output_patience();
	struct timespec until;

	if (patience < 0 || clock_gettime(CLOCK_MONOTONIC, &until) != 0) {
		pthread_cond_wait(changed, lock);
		return;
	}
	until.tv_nsec += patience * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	if (pthread_cond_timedwait(changed, lock, &until) != ETIMEDOUT)
		return;
	/* The other thread may go on meanwhile. */
	pthread_mutex_unlock(lock);
	output_release();
	pthread_mutex_lock(lock);
}

void output_drain(struct output *out)
{
	if (out->buf.len >= OUTPUT_SIZE && out->fd >= 0)
		output_flush(out);
}

void output_bytes(struct output *out, const char *data, size_t n)
{
	if (n >= OUTPUT_SIZE && out->fd >= 0) {
		output_flush(out);
		write_all(out, data, n);
		return;
	}
	buf_bytes(&out->buf, data, n);
	output_drain(out);
}

void output_str(struct output *out, struct str text)
{
	output_bytes(out, text.s, text.n);
}

void output_text(struct output *out, const char *text)
{
	output_bytes(out, text, strlen(text));
}

void output_char(struct output *out, char c)
{
	buf_char(&out->buf, c);
	output_drain(out);
}

void output_format(struct output *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_vformat(&out->buf, format, args);
	va_end(args);
	output_drain(out);
}

void output_close(struct output *out)
{
	output_flush(out);
	if (the_live()->out == out)
		*the_live() = (struct live){0};
	/* A network file system may say only now that the disk is full. */
	if (close(out->fd) != 0 && errno != EINTR)
		die("%s cannot be written: %s", out->name, strerror(errno));
	buf_free(&out->buf);
}
