#include "spool.h"

#include "die.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WINDOW_SIZE = 1 << 16 };

void spool_open(struct spool *spool)
{
	const char *folder = getenv("TMPDIR");
	struct buf path = {0};
	int fd;

	*spool = (struct spool){0};
	buf_format(&path, "%s/kevtools-XXXXXX", folder && *folder ? folder : "/tmp");
	buf_char(&path, '\0');
	fd = mkstemp(path.data);
	if (fd < 0)
		die("no temporary file in %s: %s", folder && *folder ? folder : "/tmp", strerror(errno));
	unlink(path.data);
	buf_free(&path);
	output_init(&spool->out, fd, "the temporary file");
}

void spool_write(struct spool *spool, const void *data, size_t n)
{
	output_bytes(&spool->out, data, n);
}

void spool_rewind(struct spool *spool)
{
	output_flush(&spool->out);
	if (lseek(spool->out.fd, 0, SEEK_SET) != 0)
		die("the temporary file cannot be read back: %s", strerror(errno));
	spool->window.len = 0;
	spool->window_at = 0;
}

const char *spool_read(struct spool *spool, size_t n)
{
	struct buf *window = &spool->window;
	const char *data;

	if (window->len - spool->window_at < n) {
		size_t want = n > WINDOW_SIZE ? n : WINDOW_SIZE;

		window->len -= spool->window_at;
		if (window->len)
			memmove(window->data, window->data + spool->window_at, window->len);
		spool->window_at = 0;
		while (window->len < n) {
			ssize_t got;

			buf_reserve(window, want);
			got = read(spool->out.fd, window->data + window->len, want);
			if (got < 0 && errno == EINTR)
				continue;
			if (got < 0)
				die("the temporary file cannot be read back: %s", strerror(errno));
			if (got == 0)
				return NULL;
			window->len += (size_t)got;
		}
	}
	data = window->data + spool->window_at;
	spool->window_at += n;
	return data;
}

void spool_close(struct spool *spool)
{
	spool->out.buf.len = 0;
	output_close(&spool->out);
	buf_free(&spool->window);
}
