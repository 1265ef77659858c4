/*
 * moments - when a thread of a process was in an operator or a call last.
 *
 * For each process the stretches of time in which one thread is the answer: a thread whose
 * innermost row is an operator or a call, of several that whose segment began last, then the
 * smallest tid; and while no thread is in any, the one that was so last. A process is built at the
 * first question, in a step of log n for each segment of its threads; a question takes log n.
 * Memory: 32 bytes for each stretch.
 */
#ifndef MOMENTS_H
#define MOMENTS_H

#include "wall/threads.h"

struct moments_process;

/* Starts with threads set, all else 0. */
struct moments {
	const struct threads *threads;
	struct moments_process *process;
	size_t cap;
};

struct moment {
	struct dec time;
	const struct thread *thread; /* NULL if there is none */
};

/* The last moment by this time of a process by its number in threads, or THREADS_NONE. */
struct moment moments_last(struct moments *moments, uint32_t number, struct dec time);

void moments_free(struct moments *moments);

#endif
