/*
 * callers - who launched: the thread of the host that called a launch, and the launch's place in
 * the order of that thread.
 *
 * A launch that only a row of a device names (launches.h) has a tid and no pid: its thread is the
 * only one of the file with this tid, and its name is that of a call with its span. Memory: 24
 * bytes for each thread that launched.
 */
#ifndef CALLERS_H
#define CALLERS_H

#include "wall/launches.h"
#include "wall/threads.h"

struct callers_host;

/* Starts with threads and launches set, all else 0. */
struct callers {
	struct threads *threads;
	const struct launches *launches;
	struct callers_host *host; /* by number in launches.threads */
	size_t cap;
};

struct caller {
	const struct launch *launch;
	const struct thread *thread; /* NULL if it has no row */
	uint32_t process;            /* in threads; THREADS_NONE if it is unknown */
	struct str pid;              /* escaped; empty if it is unknown */
	struct str tid;              /* escaped */
	struct str name;             /* escaped; empty if it is unknown */
	size_t place;                /* in the order of the thread, if there is one */
};

/* After threads_build: the caller of a launch, of a file by its number. */
struct caller callers_find(struct callers *callers, const struct launch *launch, size_t file);

/* The span of a call, which may have a negative duration. */
struct interval callers_span(const struct launch *launch);

void callers_free(struct callers *callers);

#endif
