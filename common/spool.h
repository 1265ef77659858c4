/*
 * spool - a temporary file to write once and read back: a second look at a
 * stream that costs disk, not memory.
 *
 * It has no name, lives in TMPDIR (/tmp) and goes with the program. Failures
 * end the program with a message.
 */
#ifndef SPOOL_H
#define SPOOL_H

#include "buf.h"
#include "output.h"

struct spool {
	struct output out; /* to write */
	struct buf window; /* to read */
	size_t window_at;
};

void spool_open(struct spool *spool);
void spool_write(struct spool *spool, const void *data, size_t n);
void spool_rewind(struct spool *spool); /* from here on it is read, from its beginning */

/* Exactly n bytes, good until the next call; NULL at the end. */
const char *spool_read(struct spool *spool, size_t n);

void spool_close(struct spool *spool);

#endif
