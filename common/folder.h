/*
 * folder - what is below an open folder, reached without following links: names that come
 * from elsewhere cannot lead out of it.
 */
#ifndef FOLDER_H
#define FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* The folder of that name in it, "." for itself once more. -1, with errno. */
int folder_below(int folder, const char *name);

/*
 * The regular file of that name, open for reading. -1: *what says what it is instead; it is
 * NULL, and errno set, where it cannot be opened.
 */
int folder_file(int folder, const char *name, const char **what);

/* The folder that a path below it leads to; *name is the path's last part. -1, with errno. */
int folder_of(int folder, const char *path, const char **name);

struct folder_list {
	char **name; /* sorted by bytes, without . and .. */
	size_t count;
	size_t cap;
};

/* False, with errno, where the folder cannot be read. */
bool folder_list(struct folder_list *list, int folder);
void folder_list_free(struct folder_list *list);

#endif
