/*
 * walk - the critical path of a device, from its end back to its beginning.
 *
 * kpath(1) has the rules. Pieces tile the path. Each moves back to the row of a device or to the
 * segment of a thread that let the time after it begin, so a path has at most as many pieces as the
 * rows and segments in its span, and takes log n steps for each. Memory: 64 bytes for each piece of
 * the path at hand, and what the modules below take.
 */
#ifndef WALK_H
#define WALK_H

#include "moments.h"
#include "returns.h"
#include "wall/callers.h"

enum path_kind {
	/* Named for a row of the device. */
	PATH_KERNEL,
	PATH_COPY,
	PATH_QUEUE,
	PATH_GRAPH,
	PATH_WAIT,
	PATH_INFERRED,
	PATH_UNLINKED,
	PATH_DELAY,
	/* Named for a launch. */
	PATH_LAUNCH,
	/* Named for a row of returns.threads. */
	PATH_RETURN,
	/* Named for a row of threads. */
	PATH_OPERATOR,
	PATH_RUNTIME,
	PATH_PYTHON,
	PATH_ANNOTATION,
	/* Named for a thread. */
	PATH_NOTHING,
	PATH_KINDS
};

extern const char *const path_kinds[PATH_KINDS];

struct path_piece {
	struct interval span;
	enum path_kind kind;
	uint32_t row;                /* its row of the device or of the thread */
	uint32_t launch;             /* the call of PATH_LAUNCH; a call of the thread of PATH_NOTHING */
	const struct thread *thread; /* NULL for rows of the device, and for a thread without rows */
};

/* Starts with the first five and micro set, all else 0. */
struct walk {
	struct threads *threads;
	const struct devrows *devrows;
	const struct marks *marks;
	const struct returns *returns;
	struct callers *callers;
	struct dec micro; /* idle time of at least this may have an inferred cause */
	struct moments moments;
	struct path_piece *piece; /* the last first */
	size_t count;
	size_t cap;
	/* The path at hand. */
	uint32_t device;
	struct dec begin;
	struct dec at;
};

/* Sets the pieces of the path that ends with this row and begins at a time. */
void walk_back(struct walk *walk, uint32_t row, struct dec begin);

/* The caller of a launch by its number, for the pieces that have one. */
struct caller walk_caller(struct walk *walk, uint32_t number);

void walk_free(struct walk *walk);

#endif
