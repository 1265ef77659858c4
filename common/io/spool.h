/*
 * spool - a temporary file to write once and read back: a second look at a
 * stream that costs disk, not memory.
 *
 * It has no name, lives in TMPDIR (/tmp) and goes with the program. What
 * gives bool gives false where the disk fails, with the reason in error.
 */
#ifndef SPOOL_H
#define SPOOL_H

#include "base/buf.h"

#include <stdint.h>

struct spool {
	int fd;
	const char *folder;
	struct buf out;    /* written and not yet in the file */
	struct buf window; /* to read */
	size_t window_at;
	struct buf piece; /* what spool_at gave */
	char error[256];
};

bool spool_open(struct spool *spool);
bool spool_write(struct spool *spool, const void *data, size_t n);
bool spool_rewind(struct spool *spool); /* from here on it is read, from its beginning */

/* Exactly n bytes, good until the next call; NULL at the end, and with an error where that is. */
const char *spool_read(struct spool *spool, size_t n);

/*
 * The n bytes written behind the first `at` bytes, good until the next call; NULL, with an
 * error, where they cannot be read. Rewound or not; spool_read goes on from where it was.
 */
const char *spool_at(struct spool *spool, uint64_t at, size_t n);

void spool_close(struct spool *spool);

#endif
