/*
 * folder - folders and the names in them. What is below an open folder is reached without
 * following links: names that come from elsewhere cannot lead out of it.
 */
#ifndef FOLDER_H
#define FOLDER_H

#include "base/buf.h"

/*
 * Opens the folder at a path for files to be replaced in it (replace.h): it is made, and those
 * above it, where they are not there, locked, and cleaned; without locks in its file system
 * there is a warning. -1: the reason is in error.
 */
int folder_to_fill(const char *path, char error[256]);

/* Who holds the lock of a folder: "process N", or "another program" where the system does not tell.
 */
void folder_holder(int folder, char text[64]);

enum folder_lock {
	FOLDER_LOCKED,
	FOLDER_UNLOCKED, /* its file system has no locks for folders; errno says what it has said */
	FOLDER_BUSY,     /* another run holds it, and waiting for it failed, with errno */
};

/* Locks an open folder (replace.h), and where another run holds it says so, by `path`, and waits.
 */
enum folder_lock folder_lock(int folder, const char *path);

/*
 * Removes what a killed run has left beside the files of a folder that is locked, with a word;
 * `at` is the folder's path in it, empty for none.
 */
void folder_clean(int folder, const char *at);

/*
 * Whether text can be the name of a file in any folder, and of a file that ls
 * shows: it is not empty, begins with no dot, and holds neither / nor a control byte.
 */
bool folder_is_name(struct str text);

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
