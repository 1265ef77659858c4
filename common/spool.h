/*
 * spool - a temporary file to write once and read back: a second look at a
 * stream that costs disk, not memory.
 *
 * It has no name, lives in TMPDIR (/tmp) and goes with the program. What
 * gives bool gives false where the disk fails, with the reason in error.
 */
#ifndef SPOOL_H
#define SPOOL_H

#include "buf.h"

struct spool {
	int fd;
	struct buf out;    /* written and not yet in the file */
	struct buf window; /* to read */
	size_t window_at;
	char error[256];
};

bool spool_open(struct spool *spool);
bool spool_write(struct spool *spool, const void *data, size_t n);
bool spool_rewind(struct spool *spool); /* from here on it is read, from its beginning */

/* Exactly n bytes, good until the next call; NULL at the end, and with an error where that is. */
const char *spool_read(struct spool *spool, size_t n);

void spool_close(struct spool *spool);

#endif
