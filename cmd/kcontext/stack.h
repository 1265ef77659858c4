/*
 * stack - the Python functions of a trace: the one that is open at a time, the stack of its
 * callers, and the modules (torch.nn.Module) among them.
 *
 * Memory: some 90 bytes for each call, 8 more for modules, and the distinct names.
 */
#ifndef STACK_H
#define STACK_H

#include "trace/idmap.h"
#include "trace/timeline.h"

#define STACK_NONE UINT32_MAX

enum {
	STACK_PARENTS = 50,   /* a stack ends after so many callers */
	STACK_MODULES = 1000, /* the innermost modules that are written: each row repeats them */
};

/* Starts as {0}. */
struct stacks {
	bool addresses;             /* set by the caller: stacks_fold writes addresses */
	struct stack_frame *frames; /* in the order of their arrival */
	size_t count;
	size_t cap;
	struct idmap ids;
	uint32_t *frame_of_id; /* STACK_NONE if the id has come only as a parent */
	size_t ids_cap;
	struct stack_twin *twins; /* calls whose id an earlier row has */
	size_t twins_count;
	size_t twins_cap;
	struct strmap names;
	unsigned char *traits; /* traits of each name */
	size_t traits_cap;
	struct stack_modules *modules; /* by stacks_build_modules; else NULL */
	struct timeline timeline;
};

/*
 * Adds a call of a function and gives its number; id and parent can be empty. *again: another call
 * has this id. Of such calls the id names the earliest, those without a span last, and of calls
 * that began together the first by name.
 */
uint32_t stacks_add(struct stacks *stacks, struct str name, struct str id, struct str parent,
                    bool *again);

/*
 * Sets the span of time of a call, on a thread that the caller numbers. False if the end is too
 * large.
 */
bool stacks_time(struct stacks *stacks, uint32_t frame, size_t thread, struct dec start,
                 struct dec dur);

/* After the last function. */
void stacks_build(struct stacks *stacks);

/* After the last function, for stacks_fold_modules. */
void stacks_build_modules(struct stacks *stacks);

/*
 * The shortest function that is open on that thread, or if the thread has none, on any; STACK_NONE.
 */
uint32_t stacks_near(const struct stacks *stacks, size_t thread, struct dec time);
uint32_t stacks_any(const struct stacks *stacks, struct dec time);

/*
 * For each function, the outermost function of its stack whose name is wanted, by the name's number
 * in names; it can be the function itself. STACK_NONE without such a name. The stack ends before a
 * caller that is missing, or comes again. The caller frees the result.
 */
uint32_t *stacks_outermost(const struct stacks *stacks, const bool *wanted);

struct str stacks_name(const struct stacks *stacks, uint32_t frame);

/*
 * Appends the function's callers, outermost first, and the function, separated by ";"; a ";" in a
 * name becomes ":", and each " at 0x7f.." in it is left out, as it differs in each run. The callers
 * end with one whose parent is missing, with the fiftieth, and before one that is in the stack
 * already. Appends nothing for STACK_NONE.
 */
void stacks_fold(const struct stacks *stacks, uint32_t frame, struct buf *out);

/*
 * Appends the modules of the stack: what follows "nn.Module: " in those of its names that begin so.
 * As stacks_fold, but without a limit of callers. *last is the last of them, a part of out. False
 * if there are more than STACK_MODULES; the first of them are then missing.
 */
bool stacks_fold_modules(const struct stacks *stacks, uint32_t frame, struct buf *out,
                         struct str *last);

void stacks_free(struct stacks *stacks);

#endif
