/*
 * replace - a file written anew beside the old one and renamed over it, so that
 * a crash, a kill or a full disk leaves the one or the other, whole; and a lock
 * on a folder for those that do so.
 *
 * A program that replaces files of a folder holds its lock. So a file that a killed run has left
 * there belongs to nobody, and the next run takes its place.
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
	char error[256]; /* the first failure; after it nothing is written */
};

/* Begins the file `name` of the folder. replace_commit reports a failure. */
void replace_begin(struct replace *replace, int folder, const char *name);
void replace_write(struct replace *replace, struct str text);

/*
 * Flushes the new file to the disk and renames it over the old one, with the old one's mode and, if
 * allowed, its owner. If this or an earlier step fails, returns false: the old file stays, and
 * nothing beside it.
 */
bool replace_commit(struct replace *replace);

/* Flushes the renames to the disk. False, with errno, if that fails. */
bool replace_sync(int folder);

/* Whether a killed run leaves files of this name. */
bool replace_left_over(const char *name);

/*
 * Locks an open folder until its descriptor is closed. False, with errno, if that fails; without
 * `wait` errno is EWOULDBLOCK if another process holds the lock.
 */
bool replace_lock(int folder, bool wait);

/* The process that holds the lock of the folder; 0 if unknown. */
pid_t replace_holder(int folder);

#endif
