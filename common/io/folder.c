#include "io/folder.h"

#include "base/die.h"
#include "base/mem.h"
#include "io/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- by a path ----------------------------------------------------------- */

/* A folder that is there already is as good; what it is, opening it will tell. */
static bool make(const char *path)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool make_all(const char *path)
{
	char *part = mem_string(path, strlen(path));
	bool made = true;

	for (char *at = part; made && *at; at++) {
		if (*at != '/' || at == part)
			continue;
		*at = '\0';
		made = make(part);
		*at = '/';
	}
	made = made && make(part);
	free(part);
	return made;
}

int folder_to_fill(const char *path, char error[256])
{
	bool made = make_all(path);
	int folder = made ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (folder < 0) {
		snprintf(error, 256, "cannot be %s: %s", made ? "opened" : "made", strerror(errno));
		return -1;
	}
	switch (folder_lock(folder, path)) {
	case FOLDER_LOCKED:
		folder_clean(folder, path);
		break;
	case FOLDER_UNLOCKED:
		warn("%s: cannot be locked (%s); do not run another program on it at the same time", path,
		     strerror(errno));
		break;
	case FOLDER_BUSY:
		snprintf(error, 256, "cannot be locked: %s", strerror(errno));
		close(folder);
		return -1;
	}
	return folder;
}

/* Writes to what is no regular file. */
static bool put_to(const char *path, struct str text, char error[256])
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
	bool good = to && fwrite(text.s, 1, text.n, to) == text.n;

	if (to)
		good = fclose(to) == 0 && good;
	else if (fd >= 0)
		close(fd);
	if (!good)
		snprintf(error, 256, "cannot be written: %s", strerror(errno));
	return good;
}

static bool is_file_or_none(const char *path)
{
	struct stat old;

	return stat(path, &old) != 0 || S_ISREG(old.st_mode);
}

/* The folder of a path; *name is the path's last part. */
static char *split(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');

	*name = slash ? slash + 1 : path;
	return slash ? mem_string(path, (size_t)(slash + 1 - path)) : mem_string(".", 1);
}

static int open_folder(const char *path, char error[256])
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0)
		snprintf(error, 256, "cannot be written: %s", strerror(errno));
	return folder;
}

static bool flush(int folder, char error[256])
{
	if (replace_sync(folder))
		return true;
	snprintf(error, 256, "cannot be flushed to the disk: %s", strerror(errno));
	return false;
}

static bool put(const char *path, struct str text, bool fill, char error[256])
{
	const char *name;
	char *folder_path;
	bool good;
	int folder;

	if (!is_file_or_none(path))
		return put_to(path, text, error);
	folder_path = split(path, &name);
	folder = fill ? folder_to_fill(folder_path, error) : open_folder(folder_path, error);
	good = folder >= 0 && replace_file(folder, name, text, error);
	good = good && (!fill || flush(folder, error));
	if (folder >= 0)
		close(folder);
	free(folder_path);
	return good;
}

bool folder_replace(const char *path, struct str text, char error[256])
{
	return put(path, text, false, error);
}

bool folder_put(const char *path, struct str text, char error[256])
{
	return put(path, text, true, error);
}

/* --- held ---------------------------------------------------------------- */

void folder_holder(int folder, char text[64])
{
	pid_t pid = replace_holder(folder);

	if (pid)
		snprintf(text, 64, "process %ld", (long)pid);
	else
		snprintf(text, 64, "another program");
}

enum folder_lock folder_lock(int folder, const char *path)
{
	char holder[64];

	if (replace_lock(folder, false))
		return FOLDER_LOCKED;
	if (errno != EWOULDBLOCK)
		return FOLDER_UNLOCKED;
	folder_holder(folder, holder);
	warn("%s: locked by %s; waiting", path, holder);
	return replace_lock(folder, true) ? FOLDER_LOCKED : FOLDER_BUSY;
}

/* --- below a folder ------------------------------------------------------ */

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

/* Without O_NONBLOCK a named pipe would hold us up. */
static int open_below(int folder, const char *name, int flags)
{
	return openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags);
}

int folder_below(int folder, const char *name)
{
	return open_below(folder, name, O_DIRECTORY);
}

int folder_file(int folder, const char *name, const char **what)
{
	struct stat found;
	int fd = open_below(folder, name, 0);
	int error = 0;

	*what = NULL;
	if (fd < 0 && errno == ELOOP)
		*what = "it is a link";
	if (fd < 0)
		return fd;
	if (fstat(fd, &found) != 0)
		error = errno;
	else if (S_ISREG(found.st_mode))
		return fd;
	else
		*what = "it is not a regular file";
	close(fd);
	errno = error;
	return -1;
}

int folder_of(int folder, const char *path, const char **name)
{
	int at = folder_below(folder, ".");
	const char *slash;

	while (at >= 0 && (slash = strchr(path, '/')) != NULL) {
		char *part = mem_string(path, (size_t)(slash - path));
		int below = folder_below(at, part);

		free(part);
		close(at);
		at = below;
		path = slash + 1;
	}
	*name = path;
	return at;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool folder_list(struct folder_list *list, int folder)
{
	int again = folder_below(folder, ".");
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	const struct dirent *entry;
	int error;

	*list = (struct folder_list){0};
	if (!dir && again >= 0)
		close(again);
	if (!dir)
		return false;
	while (errno = 0, (entry = readdir(dir)) != NULL) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		list->name = mem_grow(list->name, &list->cap, list->count + 1, sizeof *list->name);
		list->name[list->count++] = mem_string(name, strlen(name));
	}
	error = errno;
	if (list->count)
		qsort(list->name, list->count, sizeof *list->name, compare);
	closedir(dir);
	if (error)
		folder_list_free(list);
	errno = error;
	return error == 0;
}

void folder_list_free(struct folder_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->name[i]);
	free(list->name);
	*list = (struct folder_list){0};
}

void folder_clean(int folder, const char *at)
{
	struct folder_list list;

	if (!folder_list(&list, folder))
		return;
	for (size_t i = 0; i < list.count; i++)
		if (replace_left_over(list.name[i]) && unlinkat(folder, list.name[i], 0) == 0)
			warn("%s%s%s: removed; a killed run left it", at, *at ? "/" : "", list.name[i]);
	folder_list_free(&list);
}
