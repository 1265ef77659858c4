/*
 * shorten - long names in a narrow column, so that different names stay different.
 *
 * Names of kernels share long beginnings, and often their ends, too: of the 27 longest names of a
 * model, cutting in the middle leaves 19 different ones. A name that does not fit keeps 3/5 of the
 * width as its head. Then comes …, and the name goes on from one character before the place at
 * which it leaves its nearest relative, the name with the longest common beginning. If two are
 * still equal, the later one in order of bytes ends in ~2, and so on.
 *
 * Names are plain text. Memory grows with the distinct names that are wider than SHORTEN_LEAST.
 */
#ifndef SHORTEN_H
#define SHORTEN_H

#include "base/strmap.h"

enum { SHORTEN_LEAST = 12 }; /* no name is cut to fewer columns */

/* Starts as {0}. */
struct shorten {
	struct strmap names;
	struct buf text; /* what is shown of all names, one after the other */
	size_t *ends;    /* end of what is shown of each name, by number */
	size_t *beginnings;
};

void shorten_add(struct shorten *names, struct str name);

/* Decides what is shown of each name in `width` columns, at least SHORTEN_LEAST. */
void shorten_fit(struct shorten *names, size_t width);

/* What is shown of a name: itself, if it was not added or is not too wide. */
struct str shorten_get(const struct shorten *names, struct str name);

void shorten_free(struct shorten *names);

#endif
