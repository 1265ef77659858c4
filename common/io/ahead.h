/*
 * ahead - a thread that reads ahead: what produces bytes (inflating gzip) and
 * what consumes them (parsing) then share two processors.
 *
 * Memory is constant: a ring of AHEAD_CHUNKS chunks of AHEAD_CHUNK bytes.
 */
#ifndef AHEAD_H
#define AHEAD_H

#include <stddef.h>
#include <sys/types.h>

enum { AHEAD_CHUNK = 256 << 10, AHEAD_CHUNKS = 4 };

/* Up to n bytes to out: > 0 how many, <= 0 the last call, given on to the consumer. */
typedef ssize_t ahead_produce(void *from, char *out, size_t n);

struct ahead;

/* Starts the thread; from is its own until ahead_stop. NULL where no thread can be had. */
struct ahead *ahead_start(ahead_produce *produce, void *from);

/*
 * Up to n of the next bytes; behind the last what produce gave at its end, 0 or
 * less. What produce has written elsewhere by then can be read.
 */
ssize_t ahead_read(struct ahead *ahead, char *out, size_t n);

/*
 * Ends the thread and frees. Waits for produce to return: what may hang in it
 * has to be woken before.
 */
void ahead_stop(struct ahead *ahead);

#endif
