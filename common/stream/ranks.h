/*
 * ranks - whether streams of many ranks are complete: which ranks are missing, which came twice.
 *
 * A ##rank line between a ##source line and the next ##source line, or the end of the file, gives
 * the rank of the source. ##ranks lists the ranks of a stream that was checked before. Memory grows
 * with the ranges of ranks in the order in which they come, 16 bytes each; time is n log n.
 */
#ifndef RANKS_H
#define RANKS_H

#include "stream/kev.h"
#include "stream/sources.h"

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
	struct rank_range *seen; /* as they came; a rank after the last of a range extends it */
	size_t seen_count;
	size_t seen_cap;
	struct buf unknown; /* names of the first sources without a rank, plain, commas between them */
	uint64_t unknown_count;
	uint64_t world_size; /* 0: unknown */
	struct sources sources;
	/* The source at hand. */
	int operand; /* files after it */
	bool any;    /* there is one */
	bool named;  /* a ##source line names it; false: it has the name of the file */
	bool known;  /* rank is known */
	bool listed; /* a ##ranks line has the ranks of the file */
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

/* Whether ranks_report writes the metadata line at hand anew: the program does not pass it on. */
bool ranks_takes(const struct kev_reader *in);

/*
 * At the end: writes ##sources and ##ranks, and a ##damaged line, and a message, for missing ranks,
 * ranks that came more than once, ranks that are not wanted, and sources without a rank. False if
 * nothing says which ranks there should be.
 */
bool ranks_report(struct ranks *ranks, struct kev_writer *out);

void ranks_free(struct ranks *ranks);

#endif
