/*
 * checks - whether the times of a trace can be: the rules of kcheck, and the cuts of its --clip.
 *
 * Memory: 16 bytes for each row of a device, and what qsort(3) takes to sort them; 24 for each cut;
 * and that of overlap.
 */
#ifndef CHECKS_H
#define CHECKS_H

#include "findings.h"

/* Runs all checks, and sorts the findings. */
void checks_run(const struct evidence *evidence, struct findings *findings);

struct clip {
	uint64_t number; /* number of the row */
	struct dec dur;  /* the duration that is left */
};

struct clips {
	struct clip *item; /* by number */
	size_t count;
	size_t cap;
};

/*
 * The rows to be cut: they have a correlation, and last too long beyond a later start on their
 * stream. *clips starts as {0}; its item is to be freed.
 */
void checks_clip(const struct evidence *evidence, struct clips *clips);

#endif
