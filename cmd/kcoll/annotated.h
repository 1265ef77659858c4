/*
 * annotated - which annotation of a collective holds the launch of a kernel: by correlation, and by
 * thread and time of the launch.
 *
 * Rows may come in any order. Memory: some 150 bytes for each launch, 100 for each annotation.
 */
#ifndef ANNOTATED_H
#define ANNOTATED_H

#include "base/dec.h"
#include "base/strmap.h"

#include "collkind.h"

/* nccl:all_reduce of the host. */
struct annotated_span {
	size_t thread;
	struct dec start;
	struct dec end;
	size_t outer; /* once they are sorted: 1 + the nearest before it with a later end; 0: none */
	enum collkind kind;
	bool sized;
	uint64_t bytes;
};

struct annotated_launch {
	size_t thread;
	struct dec ts;
};

/* Starts as {0}. */
struct annotated {
	struct strmap threads;
	struct strmap ids;
	struct annotated_launch *launch; /* by number in ids: the earliest */
	size_t launch_cap;
	struct annotated_span *annotation;
	size_t count;
	size_t cap;
	bool sorted;
};

/* The launch with this id, on a thread. Keys name them within all that is added. */
void annotated_add(struct annotated *all, struct str id, struct str thread, struct dec ts);

/* thread of the annotation is set here. */
void annotated_annotate(struct annotated *all, struct str thread,
                        const struct annotated_span *annotation);

/* The innermost annotation that holds the launch with this id; NULL without such an annotation. */
const struct annotated_span *annotated_find(struct annotated *all, struct str id);

void annotated_clear(struct annotated *all); /* empty, much memory kept */
void annotated_free(struct annotated *all);

#endif
