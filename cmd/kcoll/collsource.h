/*
 * collsource - the source of rows, and its rank: the rows between two ##source lines, or a file
 * without such lines.
 */
#ifndef COLLSOURCE_H
#define COLLSOURCE_H

#include "stream/kev.h"

/* Starts as {0}. */
struct collsource {
	bool any;    /* the source has lines */
	bool named;  /* the source has a ##source line */
	bool rows;   /* the source has rows */
	bool ranked; /* the source has a ##rank line */
	uint64_t rank;
	uint64_t world;  /* 0: unknown */
	struct buf name; /* ends in a NUL byte; empty: unknown */
	/* The sources of the file: */
	bool empty; /* a source has no rows */
	bool other; /* another source has rows */
	/* The sources of all files, with and without a rank: */
	uint64_t with_rank;
	uint64_t without;
};

/* Takes a ##rank or ##worldSize line. An error is recorded in the reader. */
void collsource_rank(struct collsource *source, struct kev_reader *in);
void collsource_world(struct collsource *source, struct str value);

/* Whether a ##source line ends the source: it names a file that has only begun. */
bool collsource_is_over(const struct collsource *source);

/* Takes such a line. */
void collsource_name(struct collsource *source, struct str value);

/* The name of the source, or the name of the file. */
const char *collsource_who(const struct collsource *source, const char *file);

/*
 * Gives a source without a rank the next number among such sources. False if it has no rank and
 * `needed` says that this will not do.
 */
bool collsource_number(struct collsource *source, bool needed);

/* The next source begins. */
void collsource_end(struct collsource *source);

/*
 * The next file begins. False if a source had no rows and another had some, so that rows may be of
 * either.
 */
bool collsource_end_file(struct collsource *source);

void collsource_free(struct collsource *source);

#endif
