/*
 * collanswer - the answer of kcoll: its tables, what is not matched, and what limits the figures.
 */
#ifndef COLLANSWER_H
#define COLLANSWER_H

#include "stream/partial.h"

#include "collsheet.h"

struct collanswer {
	struct collmatch *match; /* not yet run */
	struct partial *heads;   /* metadata that the inputs have in common */
	const struct buf *damages;
	const char *unit;
	enum form form;
	bool by_rank;
};

/* Runs the match, and writes. False if a sum is too large. */
bool collanswer_write(const struct collanswer *answer, struct kev_writer *out);

#endif
