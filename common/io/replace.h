/*
 * replace - a file written anew beside the old one and renamed over it, so that
 * a crash, a kill or a full disk leaves the old file or the new one, whole; and a lock on a folder
 * for programs that do so.
 *
 * A program that replaces files of a folder holds its lock. So a file that a killed run has left
 * there belongs to nobody, and the next run takes its place.
 */
#ifndef REPLACE_H
#define REPLACE_H

#include "base/buf.h"

#include <sys/types.h>

enum { REPLACE_ERROR = 256 };

/*
 * Writes a file with this text beside the file `name` of the folder, flushes it to the disk and
 * renames it over the old one, with the old one's mode and, if allowed, its owner. If a step fails,
 * returns false with the reason in error: the old file stays, and nothing beside it. It allocates
 * no memory while there are two files, so that the program cannot end then.
 */
bool replace_file(int folder, const char *name, struct str text, char error[REPLACE_ERROR]);

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
