/*
 * parts - the events of one trace, converted in parts by several threads: the same bytes, in the
 * same order, as by one.
 *
 * A part is a chunk of the text (chunks.h). The caller's own reader goes on wherever a part ends
 * early or could not be converted by itself, so only what is as in nearly all traces is left to the
 * threads.
 *
 * Memory: for each thread, and for CHUNKS_MORE more, a chunk and as many bytes of rows.
 */
#ifndef PARTS_H
#define PARTS_H

#include "convert.h"

struct parts {
	/* Private to parts.c. */
	size_t threads; /* 1: no parts */
	size_t length;  /* bytes of a chunk */
	struct convert *whole;
	struct chunks *chunks;
	struct convert *part; /* by chunk */
	size_t count;
};

enum { PARTS_THREADS_MAX = 64 };

/*
 * Sets the number of threads; 0: one for each processor that the process may use, at most 8. In
 * tests, KEV_CHUNK=BYTES in the environment sets the length of chunks, and makes the default 3.
 */
void parts_open(struct parts *parts, size_t threads);

/* After json_open. Nothing is done by threads if the trace is small. */
void parts_begin(struct parts *parts, struct convert *whole);

/* To be called whenever the reader gives JSON_PAUSE; it goes on there. */
void parts_next(struct parts *parts);

/* After the last item. */
void parts_end(struct parts *parts);

#endif
