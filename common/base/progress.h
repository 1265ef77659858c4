/*
 * progress - one line on the terminal while a program reads for long.
 *
 * It appears on standard error, if that is a terminal, after two seconds of reading regular files:
 * "prog: T.json.gz: 812 of 3400 MB, 350 MB/s". It is erased before a message, before output goes
 * to a terminal too, and at the end. A program that reads a pipe draws nothing, so the programs of
 * a pipe do not overwrite each other's line. Constant memory; a read costs a look at the clock.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <sys/types.h>

void progress_off(void); /* --quiet */

/* Whether the line may be drawn: not after progress_off, nor with KEV_PROGRESS=0. */
bool progress_is_on(void);

/*
 * To be called for each read of a regular file of size bytes, open as fd. path must outlive the
 * reading; another pointer is another file.
 */
void progress_read(const char *path, int fd, off_t size);

/* To be called before output to fd: if it is a terminal, the line is erased for good. */
void progress_written(int fd);

/* Erases the line, if one is drawn. */
void progress_clear(void);

#endif
