/*
 * ranks - whether streams of many ranks are complete: which ranks are missing, which came twice.
 *
 * A ##rank line between a ##source line and the next ##source line, or the end of the file, gives
 * the rank of the source. Memory grows with the sources, some 40 bytes and a name each; time is n
 * log n.
 */
#ifndef RANKS_H
#define RANKS_H

#include "stream/kev.h"

/* Both are in it. */
struct rank_range {
	uint64_t first;
	uint64_t last;
};

/* Starts as {0}. */
struct ranks {
	struct rank_range *wanted; /* in order, with a gap between two; none: 0 to world_size - 1 */
	size_t wanted_count;
	size_t wanted_cap;
	uint64_t *seen; /* the rank of each source that has one */
	size_t seen_count;
	size_t seen_cap;
	struct buf unknown; /* names of the first sources without a rank, plain, commas between them */
	uint64_t unknown_count;
	uint64_t world_size; /* 0: unknown */
	/* The source at hand. */
	int operand; /* files after it */
	bool any;    /* there is one */
	bool named;  /* a ##source line names it; false: it has the name of the file */
	bool known;  /* rank is known */
	uint64_t rank;
	struct buf name;
	struct buf scratch;
};

/* Takes a list of wanted ranks, "0-7,9". False if it is not one. */
bool ranks_want(struct ranks *ranks, const char *list);

/*
 * Takes the item at hand, a metadata line or columns. Records an error in the reader if a rank is
 * not a whole number, or if two sources name different ##worldSize and no list was given.
 */
void ranks_item(struct ranks *ranks, struct kev_reader *in, enum kev_item item);

/*
 * At the end: writes a ##damaged line, and a message, for missing ranks, ranks that came more than
 * once, ranks that are not wanted, and sources without a rank. False if nothing says which ranks
 * there should be.
 */
bool ranks_report(struct ranks *ranks, struct kev_writer *out);

void ranks_free(struct ranks *ranks);

#endif
