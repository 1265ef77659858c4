/*
 * pieces - what the host did in a span of time, as seen from one of its threads.
 *
 * The thread's innermost row tells: an operator, a call, or a Python function. While it has only an
 * annotation or nothing, an operator or a call of another thread of its process tells more: of
 * several threads the row that began last, then the smallest tid.
 *
 * A span takes a step for each thread of its process, and log n for each segment in it. Memory: 48
 * bytes for each segment of other threads in one span.
 */
#ifndef PIECES_H
#define PIECES_H

#include "wall/threads.h"

enum piece_kind {
	PIECE_OPERATOR,
	PIECE_RUNTIME,
	PIECE_PYTHON,
	PIECE_OTHER, /* an operator or a call of another thread */
	PIECE_ANNOTATION,
	PIECE_NOTHING,
	/* For the caller. */
	PIECE_LAUNCH,
	PIECE_DELAY,
	PIECE_GRAPH,
	PIECE_UNLINKED,
	PIECE_KINDS
};

extern const char *const piece_kinds[PIECE_KINDS];

struct piece {
	struct interval span;
	enum piece_kind kind;
	const struct thread *thread; /* the thread of the row; NULL for PIECE_NOTHING */
	uint32_t row;
};

struct pieces_segment;

/* Starts with threads set, all else 0. */
struct pieces {
	const struct threads *threads;
	struct piece *item; /* the pieces of the last span, by time */
	size_t count;
	size_t cap;
	struct pieces_segment *segment; /* those of other threads */
	size_t segments;
	size_t segment_cap;
	size_t next;  /* the first segment that has not begun */
	size_t *open; /* a heap */
	size_t open_count;
	size_t open_cap;
};

/*
 * Sets item and count: they tile the span. The thread may be NULL: it has no row. The process is a
 * number of threads, or THREADS_NONE.
 */
void pieces_cut(struct pieces *pieces, const struct thread *thread, uint32_t process,
                const struct interval *span);

void pieces_free(struct pieces *pieces);

#endif
