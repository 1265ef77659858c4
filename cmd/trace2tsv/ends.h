/*
 * ends - begins and ends of a trace put together: an end belongs to the begin that was opened last
 * on its track, and is not closed.
 *
 * A track is a thread, or the category and id of asynchronous events. Memory grows with the rows
 * that are open.
 */
#ifndef ENDS_H
#define ENDS_H

#include "base/buf.h"
#include "base/hash.h"

#include <stdint.h>

struct ends_open;

/* Starts as {0}. */
struct ends {
	size_t rows;    /* rows of the begins that are open */
	size_t process; /* process of the begin that ends_end gave last */
	/* Private to ends.c. */
	size_t count; /* begins that are open */
	struct hash_seed seed;
	struct ends_open **bucket;
	size_t buckets;
	struct ends_open *closed; /* the one given last */
};

/* Keeps the row of a begin of this process, of this many texts; none if it is not wanted. */
void ends_begin(struct ends *ends, struct str track, size_t process, const struct str *row,
                size_t columns);

/*
 * Takes the begin that this end closes off its track. Texts of the begin replace texts of the end
 * in *row, unless they are empty. Sets *began to the first text of the begin, whose s is NULL if no
 * row was kept. The texts are good until the next call. False if no begin is open there.
 */
bool ends_end(struct ends *ends, struct str track, struct str *row, struct str *began);

void ends_free(struct ends *ends); /* forgets begins that are open */

#endif
