/*
 * passes - a predicted forward pass and a measured one: reading both, and which of their rows
 * count. ratio(1) and opdiff(1) describe the rules.
 *
 * Times are in us. Memory grows with the distinct collectives of the measurement.
 */
#ifndef PASSES_H
#define PASSES_H

#include "compare/side.h"
#include "kernel/collective.h"

enum { PREDICTED, MEASURED };

/* Why a row does not count. */
enum passes_reason {
	PASSES_SOURCE,
	PASSES_NOT_COMPLETE,
	PASSES_NO_KEY,
	PASSES_NO_KERNEL,
	PASSES_NO_DUR,
	PASSES_NO_DUR_ABOVE_0,
	PASSES_NO_OP,
	PASSES_AICPU,
	PASSES_NO_TS,
	PASSES_DUPLICATE,
	PASSES_REASONS
};

struct passes {
	/* Set by the caller: */
	struct kev_writer *out; /* gets the metadata of both */
	struct words keys;      /* columns; a row that is empty in all of them does not count */
	/*
	 * M6: the sources of predicted rows that count, if their dur is above 0; measured kernels
	 * without a type count. NULL: those with a status of opmap(1) count, or all if there is no
	 * such column; without dur they count as 0.
	 */
	const struct words *sources;

	/* Both sides, for the answer: */
	struct side side[SIDES];
	struct buf damages;
	struct strmap sources_seen; /* sources of all predicted rows, if sources is set */

	/* The item that passes_next gave: */
	int at; /* side of the item */
	struct dec dur;
	bool hit;           /* predicted: found in measurements, not computed */
	bool is_collective; /* measured */

	/* The rest is of passes.c. */
	uint64_t line;
	int *key_columns;
	int predicted_dur;
	int source;
	int status;
	int ph;
	struct collective_columns columns;
	struct collectives collectives;
	struct strmap collective_keys;
	size_t next_collective;
	bool is_held;         /* the item is a collective, after all rows */
	size_t group;         /* group of the collective at hand, in collective_keys */
	struct buf key_names; /* "type and Input Shapes" */
	struct buf no_key;    /* "no type and Input Shapes" */
	const char *reasons[PASSES_REASONS];
	struct buf key;
	struct buf scratch;
};

/* Opens the operands, or ends the program if there are not two. */
void passes_open(struct passes *p, struct opts *opts, enum form form);

enum passes_item {
	PASSES_FAILED = -1, /* the reader's error says why */
	PASSES_END = 0,
	PASSES_COLUMNS,   /* a layout: the caller looks up its columns in the reader */
	PASSES_PREDICTED, /* a row that counts */
	PASSES_MEASURED,  /* a kernel that counts, or a collective, after all rows */
};

/*
 * The next item, the prediction first. An error that the caller has recorded in the reader is
 * returned by the next call. Warns of missing fields at the end of each stream.
 */
enum passes_item passes_next(struct passes *p);

/* The stream of the item. */
struct kev_reader *passes_reader(struct passes *p);

/* The keys of the row, as kev_key gives them; good until the next call. */
struct str passes_key(struct passes *p);

/* Adds the row's dur, as by dec_sum. If the sum is too large, records the error in the reader. */
void passes_add(struct passes *p, struct dec *sum, struct dec *negative);

/* Prints the balances, and frees all. */
void passes_close(struct passes *p);

#endif
