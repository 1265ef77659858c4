#include "folder.h"

#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets error, about the file of this name, or the folder itself where it is NULL. Always false. */
static bool refused(struct folder *folder, const char *name, const char *what)
{
	snprintf(folder->error, sizeof folder->error, "%s%scannot be %s: %s", name ? name : "",
	         name ? ": " : "", what, strerror(errno));
	return false;
}

/* A folder that is there already is as good; what it is, opening it will tell. */
static bool make(const char *path)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST;
}

bool folder_open(struct folder *folder, const char *path)
{
	char *part = mem_string(path, strlen(path));
	bool made = true;

	*folder = (struct folder){.fd = -1};
	for (char *at = part; made && *at; at++) {
		if (*at != '/' || at == part)
			continue;
		*at = '\0';
		made = make(part);
		*at = '/';
	}
	made = made && make(part);
	free(part);
	if (!made)
		return refused(folder, NULL, "made");
	folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder->fd >= 0 || refused(folder, NULL, "opened");
}

bool folder_is_name(struct str text)
{
	if (text.n == 0 || text.s[0] == '.')
		return false;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.s[i];

		if (c < 0x20 || c == 0x7f || c == '/')
			return false;
	}
	return true;
}

static bool write_all(int fd, struct str text)
{
	while (text.n) {
		ssize_t done = write(fd, text.s, text.n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		text.s += done;
		text.n -= (size_t)done;
	}
	return true;
}

/* A file of its own for each process that writes here; no name of folder_is_name. */
static int open_unfinished(const struct folder *folder, char name[64])
{
	snprintf(name, 64, ".unfinished-%ld", (long)getpid());
	return openat(folder->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
}

bool folder_write(struct folder *folder, const char *name, struct str text)
{
	char unfinished[64];
	int fd = open_unfinished(folder, unfinished);
	bool good;

	if (fd < 0)
		return refused(folder, name, "written");
	good = (write_all(fd, text) && fsync(fd) == 0) || refused(folder, name, "written");
	if (close(fd) != 0 && good)
		good = refused(folder, name, "written");
	if (good && renameat(folder->fd, unfinished, folder->fd, name) != 0)
		good = refused(folder, name, "written");
	if (!good)
		unlinkat(folder->fd, unfinished, 0);
	return good;
}

void folder_close(struct folder *folder)
{
	if (folder->fd >= 0)
		close(folder->fd);
	folder->fd = -1;
}
