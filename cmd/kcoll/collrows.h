/*
 * collrows - the collectives of one source of rows: the kind, the group and the number of each.
 *
 * A collective is a row of a device that has a Collective name, or that is communication by its
 * name. Numbers are Comms Id, Seq, numbers in names of Ascend, or else the order by ts. So rows are
 * held to the end of the source. Memory: some 150 bytes for each collective and for each launch.
 */
#ifndef COLLROWS_H
#define COLLROWS_H

#include "wall/kind.h"

#include "annotated.h"
#include "colltable.h"

enum collrows_column {
	COLLROWS_TS,
	COLLROWS_DUR,
	COLLROWS_NAME,
	COLLROWS_PID,
	COLLROWS_TID,
	COLLROWS_CORRELATION,
	COLLROWS_COLLECTIVE,
	COLLROWS_DTYPE,
	COLLROWS_IN,
	COLLROWS_OUT,
	COLLROWS_IN_SPLIT,
	COLLROWS_OUT_SPLIT,
	COLLROWS_SIZE,
	COLLROWS_GROUP,
	COLLROWS_MEMBERS,
	COLLROWS_SEQ,
	COLLROWS_ID,
	COLLROWS_DIMS,
	COLLROWS_TYPES,
	COLLROWS_COLUMNS
};

struct collrows_row {
	struct dec ts;
	struct dec end;
	uint32_t group; /* by number in the table */
	uint8_t kind;   /* enum collkind */
	uint8_t by;     /* enum collby */
	bool split;
	bool sized;
	bool ordered;
	bool launched; /* launch is known */
	bool joined;   /* joined to an earlier row of this collective */
	uint64_t bytes;
	uint64_t size;
	uint64_t seq;
	uint64_t rank;
	size_t id;      /* by number in ids */
	size_t launch;  /* by number in launch_ids */
	uint64_t place; /* without a number: the place among the collectives of the group */
	uint64_t block; /* with a number: counts the rows between which nothing else ran */
	size_t number;  /* number of the row */
};

/* What a row of the stream is. */
enum collrows_answer {
	COLLROWS_HELD,
	COLLROWS_HOST,
	COLLROWS_OTHER,   /* a row of a device that is not a collective */
	COLLROWS_SHADOW,  /* a shadow on the AI CPU of Ascend: it counts nowhere */
	COLLROWS_NO_TIME, /* a collective without ts or dur, or with a dur below 0 */
};

/* Starts with table set, all else 0. */
struct collrows {
	struct colltable *table; /* for the names of groups */
	struct str rank_column;  /* set by the caller; empty: none */
	int rank;
	int column[COLLROWS_COLUMNS];
	struct kinds kinds;
	struct annotated annotated;
	struct collrows_row *row;
	size_t count;
	size_t cap;
	struct strmap ids;
	struct strmap launch_ids;
	struct strmap counters; /* keys of rows without a number */
	uint64_t *counted;
	size_t counted_cap;
	struct buf text[COLLROWS_COLUMNS];
	struct buf key;
};

/* For each columns line. An error is recorded in the reader. */
void collrows_columns(struct collrows *rows, struct kev_reader *in);
void collrows_metadata(struct collrows *rows, const struct kev_reader *in);

/* Takes the row at hand. An error is recorded in the reader. */
enum collrows_answer collrows_add(struct collrows *rows, struct kev_reader *in);

/*
 * At the end of the source: kinds and numbers of all its rows, in the order of row[]. world is the
 * size of groups of unknown size; 0: unknown. False if a sum is too large.
 */
bool collrows_settle(struct collrows *rows, uint64_t world);

/* Sets part to the part of a settled row, and *id to its name; good until the next row is taken. */
void collrows_part(const struct collrows *rows, const struct collrows_row *row, struct coll *part,
                   struct str *id);

/* Adds the settled rows to the table. False if a sum is too large. */
bool collrows_merge(struct collrows *rows);

void collrows_clear(struct collrows *rows); /* for the next source */
void collrows_free(struct collrows *rows);

#endif
