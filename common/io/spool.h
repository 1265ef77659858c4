/*
 * spool - a temporary file to write once and read back: a second look at a stream that costs
 * disk, not memory.
 *
 * It has no name, lives in TMPDIR (default: /tmp) and goes with the program. If the file system has
 * O_TMPFILE, it never had a name, else it loses it at once. A function that
 * returns bool returns false, with the reason in error, if the disk fails.
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

/* Exactly n bytes, good until the next call; NULL at the end, or with an error. */
const char *spool_read(struct spool *spool, size_t n);

/*
 * The n bytes that follow the first `at` bytes, good until the next call; NULL, with an error, if
 * they cannot be read. Rewound or not; spool_read goes on from its place.
 */
const char *spool_at(struct spool *spool, uint64_t at, size_t n);

/* --- records: a head of n bytes, the same for each, and a text ----------------- */

bool spool_put(struct spool *spool, const void *head, size_t n, struct str text);

/*
 * The next record, from the beginning after spool_rewind: > 0 sets head and text, which is good
 * until the next call; 0 is the end; < 0 is said in error.
 */
int spool_next(struct spool *spool, void *head, size_t n, struct str *text);

void spool_close(struct spool *spool);

/*
 * Lets standard input be read twice: a copy in a temporary file replaces it, unless it is a regular
 * file. Sets *start to the place at which it begins. error has sizeof ((struct spool *)0)->error
 * bytes.
 */
bool spool_stdin(long long *start, char *error);

#endif
