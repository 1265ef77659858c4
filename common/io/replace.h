/*
 * replace - a file written anew beside the old one and renamed over it, so that
 * a crash, a kill or a full disk leaves the one or the other, whole; and a lock
 * on a folder for those that do so.
 *
 * Who replaces files of a folder holds its lock: what a killed run left beside a
 * file is then nobody's, and the next one takes its place.
 */
#ifndef REPLACE_H
#define REPLACE_H

#include "base/buf.h"

#include <sys/types.h>

/* Between replace_begin and replace_commit. */
struct replace {
	int folder; /* open; the caller's */
	struct buf name;
	struct buf beside; /* the name that it is written under */
	int fd;
	struct buf out;
	char error[256]; /* what went wrong first; from then on nothing is written */
};

/* The file `name` of the folder. A failure stays in error and is given by replace_commit. */
void replace_begin(struct replace *replace, int folder, const char *name);
void replace_write(struct replace *replace, struct str text);

/*
 * Flushes the new file to the disk and renames it over the old one, whose mode, and
 * owner as far as that is allowed, it takes. False where that or an earlier step
 * failed: then the old one stands, and nothing beside it.
 */
bool replace_commit(struct replace *replace);

/* Flushes the renames to the disk. False, with errno, where that fails. */
bool replace_sync(int folder);

/* Whether a file of that name is what a killed run has left. */
bool replace_left_over(const char *name);

/*
 * Takes the lock of an open folder, which goes with its descriptor. False, with errno,
 * where that fails; with `wait` false and somebody else holding it, errno is EWOULDBLOCK.
 */
bool replace_lock(int folder, bool wait);

/* The process that holds the lock of the folder, as far as the system tells; else 0. */
pid_t replace_holder(int folder);

#endif
