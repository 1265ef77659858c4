#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for O_TMPFILE
#include "io/spool.h"

#include "base/plaintext.h"
#include "base/retry.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

/* Sets error to "BEFORE FOLDER AFTER: reason". Always returns false. */
static bool fail_at_folder(struct spool *spool, const char *before, const char *after)
{
	char folder[128]; /* a longer name is cut, so that the reason fits after it */

	plaintext_fit(folder, sizeof folder, str_of(spool->folder));
	snprintf(spool->error, sizeof spool->error, "%s %s%s: %s", before, folder, after,
	         strerror(errno));
	return false;
}

static bool fail(struct spool *spool, const char *done)
{
	char after[32];

	snprintf(after, sizeof after, " cannot be %s", done);
	return fail_at_folder(spool, "the temporary file in", after);
}

/* A file that never has a name, so that a kill leaves nothing. Some file systems cannot do that. */
static int open_unnamed(const char *folder)
{
#ifdef O_TMPFILE
	return open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
#else
	(void)folder;
	return -1;
#endif
}

static int open_named(const char *folder)
{
	struct buf path = {0};
	int fd;

	buf_format(&path, "%s/kevtools-XXXXXX%c", folder, '\0');
	fd = mkstemp(path.data);
	if (fd >= 0)
		unlink(path.data);
	buf_free(&path);
	return fd;
}

bool spool_open(struct spool *spool)
{
	const char *folder = getenv("TMPDIR");

	*spool = (struct spool){.folder = folder && *folder ? folder : "/tmp"};
	spool->fd = open_unnamed(spool->folder);
	if (spool->fd < 0)
		spool->fd = open_named(spool->folder);
	return spool->fd >= 0 || fail_at_folder(spool, "no temporary file can be made in", "");
}

static bool flush(struct spool *spool)
{
	const char *data = spool->out.data;
	size_t n = spool->out.len;

	while (n) {
		ssize_t done = write(spool->fd, data, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return fail(spool, "written");
		data += done;
		n -= (size_t)done;
	}
	spool->out.len = 0;
	return true;
}

bool spool_write(struct spool *spool, const void *data, size_t n)
{
	buf_bytes(&spool->out, data, n);
	return spool->out.len < CHUNK || flush(spool);
}

bool spool_rewind(struct spool *spool)
{
	if (!flush(spool))
		return false;
	spool->window.len = 0;
	spool->window_at = 0;
	return lseek(spool->fd, 0, SEEK_SET) == 0 || fail(spool, "read back");
}

const char *spool_read(struct spool *spool, size_t n)
{
	struct buf *window = &spool->window;
	const char *data;

	if (window->len - spool->window_at < n) {
		size_t want = n > CHUNK ? n : CHUNK;

		window->len -= spool->window_at;
		if (window->len)
			memmove(window->data, window->data + spool->window_at, window->len);
		spool->window_at = 0;
		while (window->len < n) {
			ssize_t got;

			buf_reserve(window, want);
			got = read(spool->fd, window->data + window->len, want);
			if (got < 0 && errno == EINTR)
				continue;
			if (got < 0)
				fail(spool, "read back");
			if (got <= 0)
				return NULL;
			window->len += (size_t)got;
		}
	}
	data = window->data + spool->window_at;
	spool->window_at += n;
	return data;
}

const char *spool_at(struct spool *spool, uint64_t at, size_t n)
{
	struct buf *piece = &spool->piece;

	if (!flush(spool))
		return NULL;
	piece->len = 0;
	buf_reserve(piece, n);
	while (piece->len < n) {
		ssize_t got =
			pread(spool->fd, piece->data + piece->len, n - piece->len, (off_t)(at + piece->len));

		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			errno = EIO;
		if (got <= 0) {
			fail(spool, "read back");
			return NULL;
		}
		piece->len += (size_t)got;
	}
	return piece->data;
}

bool spool_put(struct spool *spool, const void *head, size_t n, struct str text)
{
	return spool_write(spool, head, n) && spool_write(spool, &text.n, sizeof text.n) &&
	       spool_write(spool, text.s, text.n);
}

int spool_next(struct spool *spool, void *head, size_t n, struct str *text)
{
	const char *data = spool_read(spool, n + sizeof text->n);

	if (data) {
		memcpy(head, data, n);
		memcpy(&text->n, data + n, sizeof text->n);
		text->s = spool_read(spool, text->n);
		if (text->s)
			return 1;
		if (!spool->error[0]) {
			errno = EIO; /* the record is cut off */
			fail(spool, "read back");
		}
	}
	return spool->error[0] ? -1 : 0;
}

void spool_close(struct spool *spool)
{
	close(spool->fd);
	buf_free(&spool->piece);
	buf_free(&spool->out);
	buf_free(&spool->window);
}

/* Copies standard input to the file and puts that in its place. */
static bool copy_stdin(struct spool *spool)
{
	char data[CHUNK];
	ssize_t got;

	while ((got = read(STDIN_FILENO, data, sizeof data)) != 0) {
		if (got < 0 && retry_call(STDIN_FILENO, POLLIN))
			continue;
		if (got < 0) {
			snprintf(spool->error, sizeof spool->error, "cannot be read: %s", strerror(errno));
			return false;
		}
		if (!spool_write(spool, data, (size_t)got))
			return false;
	}
	if (!spool_rewind(spool))
		return false;
	return dup2(spool->fd, STDIN_FILENO) >= 0 || fail(spool, "read back");
}

bool spool_stdin(long long *start, char *error)
{
	struct spool spool;
	struct stat file;
	bool good;

	*start = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (fstat(STDIN_FILENO, &file) == 0 && S_ISREG(file.st_mode) && *start >= 0)
		return true;
	*start = 0;
	good = spool_open(&spool);
	if (good) {
		good = copy_stdin(&spool);
		spool_close(&spool);
	}
	if (!good)
		memcpy(error, spool.error, sizeof spool.error);
	return good;
}
