/*
 * references - the REFs of kcontext --capture: streams that are read once, before the input, and
 * leave the captures of graphs and the eager kernels that they have.
 *
 * Memory: the captures, see capture.h, and a REF's context, see context.h, while it is read.
 */
#ifndef REFERENCES_H
#define REFERENCES_H

#include "stream/kev.h"

#include "capture.h"
#include "context.h"

/* Starts as {0}. */
struct references {
	struct words paths;     /* set by the caller */
	struct context context; /* the REF at hand */
	struct captures captures;
};

/* Ends the program if standard input is to be read twice: as two REFs, or as one and the input. */
void references_check(const struct references *references, const struct opts *opts);

/*
 * Reads the REFs, and gives their captures to the context of the input, whose options also say what
 * is kept of them. Does nothing without REFs. A REF that is damaged, or has nothing of use, is
 * warned of; one that cannot be opened or lacks a column makes the exit status of `out` 2.
 */
void references_read(struct references *references, const struct opts *opts,
                     struct context *context, struct kev_writer *out);

#endif
