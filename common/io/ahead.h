/*
 * ahead - a thread that reads ahead, so that producing bytes (inflating gzip) and consuming them
 * (parsing) run on two processors.
 *
 * Memory is constant: a ring of AHEAD_CHUNKS chunks of AHEAD_CHUNK bytes.
 */
#ifndef AHEAD_H
#define AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { AHEAD_CHUNK = 256 << 10, AHEAD_CHUNKS = 4, AHEAD_LATER = -2 };

/*
 * Writes up to n bytes to out and returns their number; <= 0 ends, and goes to the consumer. If it
 * may not wait, as the consumer could use what is there already, it can return AHEAD_LATER.
 */
typedef ssize_t ahead_produce(void *from, char *out, size_t n, bool may_wait);

struct ahead;

/* Starts the thread, to which `from` belongs until ahead_stop. NULL if no thread can start. */
struct ahead *ahead_start(ahead_produce *produce, void *from);

/*
 * Reads up to n bytes; after the last it returns the final result of produce, 0 or less. By then
 * the caller may also read other memory that produce has written. If it may not wait and nothing is
 * there, it returns AHEAD_LATER.
 */
ssize_t ahead_read(struct ahead *ahead, char *out, size_t n, bool may_wait);

/*
 * Ends the thread and frees. Waits for produce to return: what may hang in it
 * has to be woken before.
 */
void ahead_stop(struct ahead *ahead);

#endif
