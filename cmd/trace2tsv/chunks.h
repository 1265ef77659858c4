/*
 * chunks - the text of a trace in chunks, which threads parse side by side, while the caller takes
 * them in their order.
 *
 * A chunk begins at the { of },{" , white space apart: mostly an event, but this may also be inside
 * of one. Only whoever has parsed all before it knows. The caller uses what was made of a chunk if
 * it comes to its first byte between two events, and else reads its text by chunks_read. Two chunks
 * are parsed ahead at first, twice as many after each that is used, and half as many after each in
 * vain. At most half as many chunks are parsed in vain as are used, plus one of 16 that are read
 * and a few at first. A trace of 200 MB that misleads each guess takes 1.4 times the processor time
 * of one thread, a trace below 40 MB more than twice (a job of scripts/bench).
 *
 * Each thread reads its own chunks of a plain file. Any other input is read by one thread at a
 * time, and where it pauses, a chunk ends.
 *
 * Memory: the text of threads + CHUNKS_MORE chunks, and what the caller makes of it.
 */
#ifndef CHUNKS_H
#define CHUNKS_H

#include "io/input.h"

enum { CHUNKS_MORE = 2 }; /* chunks that wait for the caller or for a thread */

struct chunk {
	void *work; /* the caller's */
	char *text; /* with room for SCAN_BLOCK bytes after it */
	size_t n;
	uint64_t offset; /* offset of its first byte */
	bool parsed;
	bool used; /* set by the caller if it used what was made of it */
	/* Private to chunks.c. */
	bool done;
	size_t loaded_from; /* where what find_end read of a plain file begins */
};

/* Called in a thread: makes of the chunk what the caller wants, in work. */
typedef void chunks_parse(struct chunk *chunk);

struct chunks;

/*
 * Starts the threads, for chunks of up to so many bytes from offset on. Unless input is a plain
 * file, `head` has been read of the text there. work: one for each chunk that is in memory. NULL
 * if no thread can start.
 */
struct chunks *chunks_start(struct input *in, struct str head, uint64_t offset, size_t threads,
                            size_t length, chunks_parse *parse, void *const *work);

/* Whether threads can read a plain file at any place. */
bool chunks_can_seek(const struct input *in);

/* The first chunk that is not dropped, once it is parsed; NULL if no more come. */
struct chunk *chunks_front(struct chunks *chunks);
void chunks_drop(struct chunks *chunks);

/* From now on no chunk is parsed; chunks_read goes on. */
void chunks_parse_none(struct chunks *chunks);

/* The text, as input_read; at first from the offset of chunks_start on. Drops chunks before it. */
ssize_t chunks_read(void *from, char *out, size_t n);
void chunks_seek(struct chunks *chunks, uint64_t offset); /* forward, where chunks_read goes on */

/* Ends the threads and frees. Then the input can only be closed, or read again. */
void chunks_close(struct chunks *chunks);

#endif
