/*
 * colltable - collectives over ranks, and the members of their groups: sums, least and largest,
 * which merge in any order to one table.
 *
 * A collective is the rows of all ranks of a group with one number. A member is what a rank
 * of a group has of one kind. Memory: some 280 bytes for each collective, 150 for each member.
 */
#ifndef COLLTABLE_H
#define COLLTABLE_H

#include "base/dec.h"
#include "base/strmap.h"
#include "stream/kev.h"

#include "collkind.h"

/* What numbers the collectives of a group. */
enum collby { COLLBY_ID, COLLBY_SEQ, COLLBY_HCOM, COLLBY_ORDER };
enum { COLLBYS = COLLBY_ORDER + 1 };

extern const char *const collby_names[COLLBYS];

/* What is known of a collective after the check of collmatch. */
enum collstate {
	COLLSTATE_UNMATCHED, /* its rows may be of different collectives */
	COLLSTATE_PART,      /* it has not all ranks */
	COLLSTATE_WHOLE,
};

struct coll {
	uint32_t group; /* by number in groups */
	uint8_t kind;   /* enum collkind */
	uint8_t by;     /* enum collby */
	uint8_t state;  /* enum collstate */
	bool split;     /* a rank has split sizes */
	bool sized;     /* the bytes of a rank are known: bytes_min and bytes_max */
	bool ordered;   /* seq is known */
	uint64_t bytes_min;
	uint64_t bytes_max;
	uint64_t size;  /* ranks of the group; 0: unknown */
	uint64_t seq;   /* place among the collectives of the group */
	uint64_t count; /* ranks */
	uint64_t ranks; /* the sum of collrank_hash of these ranks */
	struct dec total;
	struct dec min; /* the least duration; of several, the duration of the lowest rank */
	struct dec max;
	uint64_t min_rank;
	uint64_t max_rank;
	struct dec end_min;
	struct dec end_max;
	struct dec end_low; /* the end of the lowest rank */
	uint64_t low_rank;
};

struct collmember {
	uint32_t group;
	uint8_t kind;
	uint8_t by;
	bool ordered; /* first and last are known */
	uint64_t rank;
	uint64_t size;
	uint64_t count;
	struct dec total;
	uint64_t hash; /* hash of the sequence, if it numbers the collectives */
	uint64_t first;
	uint64_t last;
};

/* Starts as {0}. */
struct colltable {
	struct strmap groups;
	struct strmap keys; /* keys of coll */
	struct coll *coll;
	size_t coll_cap;
	struct strmap member_keys;
	struct collmember *member;
	size_t member_cap;
	int *column; /* columns of a partial table */
	struct buf key;
	struct buf scratch;
};

/* A hash of a rank, whose bits are all equally good; does not depend on the seed. */
uint64_t collrank_hash(uint64_t rank);

uint32_t colltable_group(struct colltable *table, struct str group);

/*
 * The number of the collective of this name in its group; a new collective is zero but for the
 * names.
 */
size_t colltable_coll(struct colltable *table, const struct coll *like, struct str id);
/* STRMAP_NONE if it is missing. */
size_t colltable_find(struct colltable *table, const struct coll *like, struct str id);
/* The name of the collective. */
struct str colltable_id(const struct colltable *table, size_t number);

/* Merges a part. False if a sum is too large; then the table is not to be used any more. */
bool colltable_add(struct colltable *table, const struct coll *part, struct str id);
bool colltable_add_member(struct colltable *table, const struct collmember *part);

/* Whether the layout of the stream is a partial. */
bool colltable_is_layout(const struct kev_reader *in);

/* Take the columns of a partial, and a row. They record errors in the reader. */
void colltable_layout(struct colltable *table, struct kev_reader *in);
void colltable_row(struct colltable *table, struct kev_reader *in);

/* Writes the partial, sorted. */
void colltable_write(struct colltable *table, struct kev_writer *out);

void colltable_free(struct colltable *table);

#endif
