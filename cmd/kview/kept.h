/*
 * kept - texts that are read again in their order: the first ones in memory, all others in a
 * spool, so that a small input needs no temporary file.
 */
#ifndef KEPT_H
#define KEPT_H

#include "io/spool.h"

enum { KEPT_IN_MEMORY = 1000 }; /* texts */

/* Starts as {0}. */
struct kept {
	struct buf text; /* of those in memory, */
	size_t *ends;    /* and the end of each */
	size_t ends_cap;
	size_t in_memory;
	bool spooled; /* spool is open: there are more */
	struct spool spool;
	size_t next;
};

/* Appends one. False, with the reason in spool.error, if the disk fails. */
bool kept_put(struct kept *kept, struct str text);

/* From here on they are read, from the first. The same if the disk fails. */
bool kept_rewind(struct kept *kept);

/* > 0: the next one, good until the next call; 0: the end; < 0: the disk fails. */
int kept_next(struct kept *kept, struct str *text);

void kept_free(struct kept *kept);

#endif
