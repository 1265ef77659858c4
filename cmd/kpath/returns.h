/*
 * returns - the calls of the host that wait for a device, and the row for which each waited.
 *
 * A call of a runtime or driver waits as launch_waits says. It waited for the row that ended last
 * while it was open: a copy for a row of its correlation; another call for those of which a mark
 * tells, else for any row of the device.
 *
 * A question takes log n steps for each call that is open then. Memory: 56 bytes for each call that
 * waits, and 8 for each row of a device if some call copies.
 */
#ifndef RETURNS_H
#define RETURNS_H

#include "marks.h"
#include "wall/threads.h"

struct returns_calls;

/* Starts with devrows, marks and threads.ignored set, all else 0. */
struct returns {
	const struct devrows *devrows;
	const struct marks *marks;
	struct threads threads;      /* these calls alone; good for the name and thread of a call */
	struct returns_calls *calls; /* by number of the thread */
	size_t calls_cap;
	bool copies;
	struct devrows_index copied; /* rows by correlation, if there are copies */
};

void returns_columns(struct returns *returns, struct kev_reader *in);

/* Adds the row of the host at hand, if it is a call that waits. */
void returns_add(struct returns *returns, struct kev_reader *in, size_t file, enum rowkind kind,
                 enum rowkind_rank rank);

/* After marks_build. */
void returns_build(struct returns *returns);

/* A call that waited, and the row of the device. */
struct returned {
	const struct thread *thread; /* in returns.threads; NULL if no call waited */
	uint32_t call;
	uint32_t row;
};

/*
 * The innermost call on this thread of `threads` that is open just before a time and waited for a
 * row of this device that ended by then. `limit` is that of devrows for this time.
 */
struct returned returns_find(const struct returns *returns, const struct threads *threads,
                             const struct thread *thread, struct dec time, uint32_t device,
                             size_t limit);

void returns_free(struct returns *returns);

#endif
