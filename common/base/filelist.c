#include "base/filelist.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/retry.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void filelist_add(struct filelist *list, char *name)
{
	list->name = mem_grow(list->name, &list->cap, list->count + 1, sizeof *list->name);
	list->name[list->count++] = name;
}

static bool fail(struct filelist *list, const char *what)
{
	snprintf(list->error, sizeof list->error, "%s: %s", what, strerror(errno));
	return false;
}

/* False if the line cannot be a name. */
static bool add_line(struct filelist *list, const char *line, size_t n)
{
	if (memchr(line, '\0', n)) {
		snprintf(list->error, sizeof list->error,
		         "has a NUL byte; names that end in NUL need the option -0");
		return false;
	}
	if (n)
		filelist_add(list, mem_string(line, n));
	return true;
}

/* Appends all of the file. False, with errno, if it cannot be read. */
static bool read_all(int fd, struct buf *text)
{
	enum { PIECE = 65536 };

	for (;;) {
		ssize_t n = read(fd, buf_reserve(text, PIECE), PIECE);

		if (n == 0)
			return true;
		if (n > 0)
			text->len += (size_t)n;
		else if (!retry_call(fd, POLLIN))
			return false;
	}
}

bool filelist_read(struct filelist *list, const char *path, bool by_nul)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct buf text = {0};
	bool good;

	if (fd < 0)
		return fail(list, "cannot be opened");
	good = read_all(fd, &text) || fail(list, "cannot be read");
	for (size_t at = 0; good && at < text.len;) {
		char *line = text.data + at;
		char *end = memchr(line, by_nul ? '\0' : '\n', text.len - at);
		size_t n = end ? (size_t)(end - line) : text.len - at;

		good = add_line(list, line, n);
		at += n + 1;
	}
	buf_free(&text);
	if (fd != STDIN_FILENO)
		close(fd);
	return good;
}
