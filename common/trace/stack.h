/*
 * stack - the Python functions of a trace: which one is open at a time, and the
 * stack of its callers.
 *
 * Memory: some 90 bytes a function, and the distinct names.
 */
#ifndef STACK_H
#define STACK_H

#include "trace/idmap.h"
#include "trace/timeline.h"

#define STACK_NONE UINT32_MAX

enum { STACK_PARENTS = 50 }; /* the most of one stack */

/* Starts as {0}. */
struct stacks {
	struct stack_frame *frames; /* in the order they came */
	size_t count;
	size_t cap;
	struct idmap ids;
	uint32_t *frame_of_id; /* STACK_NONE where it was seen as a parent alone */
	size_t ids_cap;
	struct strmap names;
	struct timeline timeline;
};

/*
 * A call of a function, and its number; id and parent are empty where it has none.
 * *again says that another one has its id, which stays the parent of those
 * that name it.
 */
uint32_t stacks_add(struct stacks *stacks, struct str name, struct str id, struct str parent,
                    bool *again);

/* When it ran, on a thread that the caller numbers. False where its end is too large a number. */
bool stacks_time(struct stacks *stacks, uint32_t frame, size_t thread, struct dec start,
                 struct dec dur);

/* Behind the last function. */
void stacks_build(struct stacks *stacks);

/* The shortest function that is open: on that thread, and where it has none, on any. */
uint32_t stacks_near(const struct stacks *stacks, size_t thread, struct dec time);
uint32_t stacks_any(const struct stacks *stacks, struct dec time);

struct str stacks_name(const struct stacks *stacks, uint32_t frame);

/*
 * Appends the function's callers, outermost first, and itself, with ; between
 * them; a ; within a name is written as a colon. Callers end where one is not there,
 * at the fiftieth, and before one that is there already.
 */
void stacks_fold(const struct stacks *stacks, uint32_t frame, struct buf *out);

void stacks_free(struct stacks *stacks);

#endif
