#include "io/output.h"

#include "base/die.h"
#include "base/progress.h"
#include "base/retry.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { OUTPUT_SIZE = 1 << 16 };

void output_init(struct output *out, int fd, const char *name)
{
	*out = (struct output){.fd = fd, .name = name};
	buf_reserve(&out->buf, OUTPUT_SIZE + OUTPUT_SIZE / 4);
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
	/* A network file system may say only now that the disk is full. */
	if (close(out->fd) != 0 && errno != EINTR)
		die("%s cannot be written: %s", out->name, strerror(errno));
	buf_free(&out->buf);
}
