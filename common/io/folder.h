/*
 * folder - folders and the names in them. Below an open folder no link is followed, so names of the
 * input cannot lead out of it.
 */
#ifndef FOLDER_H
#define FOLDER_H

#include "base/buf.h"

/*
 * Opens the folder at a path, to replace files in it (replace.h): makes it and its parents if they
 * are missing, locks and cleans it, and warns if its file system has no locks. -1: error says why.
 */
int folder_to_fill(const char *path, char error[256]);

/*
 * Writes a file at a path, as replace_file does, into a folder that is there, which it does not
 * lock. What is there and is no regular file, such as a pipe, is written to. False with the reason
 * in error.
 */
bool folder_replace(const char *path, struct str text, char error[256]);

/* The same, into a folder as folder_to_fill makes it, and flushes the folder to the disk. */
bool folder_put(const char *path, struct str text, char error[256]);

/* The holder of a folder's lock: "process N", or "another program" if that is unknown. */
void folder_holder(int folder, char text[64]);

enum folder_lock {
	FOLDER_LOCKED,
	FOLDER_UNLOCKED, /* its file system has no locks for folders; errno says why */
	FOLDER_BUSY,     /* another run holds it, and waiting failed with errno */
};

/* Locks an open folder (replace.h); if another run holds it, warns, naming path, and waits. */
enum folder_lock folder_lock(int folder, const char *path);

/*
 * Removes the files that a killed run has left in a locked folder, with a warning each; `at`: the
 * folder's path in the warning, which may be empty.
 */
void folder_clean(int folder, const char *at);

/*
 * Whether text can name a file in any folder, and one that ls shows: it is not empty, begins with
 * no dot, and has no / and no control byte.
 */
bool folder_is_name(struct str text);

/* Opens the folder of that name in it, or with "." the folder itself again. -1, with errno. */
int folder_below(int folder, const char *name);

/*
 * Opens the regular file of that name for reading. -1: *what names what it is instead, or is NULL,
 * with errno set, if it cannot be opened.
 */
int folder_file(int folder, const char *name, const char **what);

/* The folder that a path below it leads to; *name is the path's last part. -1, with errno. */
int folder_of(int folder, const char *path, const char **name);

struct folder_list {
	char **name; /* sorted by bytes, without . and .. */
	size_t count;
	size_t cap;
};

/* False, with errno, if the folder cannot be read. */
bool folder_list(struct folder_list *list, int folder);
void folder_list_free(struct folder_list *list);

#endif
