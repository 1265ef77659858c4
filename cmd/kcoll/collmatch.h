/*
 * collmatch - which collectives have the rows of all ranks of their group, and why others have not.
 *
 * Collectives with a number (Comms Id, Seq, names of Ascend) are looked at one by one. Without
 * numbers a group is matched as a whole or not at all: all its ranks must have one sequence, and
 * their ends must keep their distances. Only kinds that wait for all ranks must match.
 */
#ifndef COLLMATCH_H
#define COLLMATCH_H

#include "colltable.h"

enum collmatch_why {
	COLLMATCH_RANKS,    /* ranks of the group are missing: damage */
	COLLMATCH_HOLE,     /* a rank has rows before and after it: damage */
	COLLMATCH_UNKNOWN,  /* a hole or an edge: nothing orders the numbers, so it is damage */
	COLLMATCH_EDGE,     /* it may be before or after what a rank recorded */
	COLLMATCH_TOO_MANY, /* more rows than ranks */
	COLLMATCH_SEQUENCE, /* the ranks have different sequences */
	COLLMATCH_ENDS,     /* the ends do not keep their distances */
	COLLMATCH_ALONE,    /* one rank, and nothing says how many there are */
	COLLMATCH_PARTIAL,  /* the input has one rank, and the group more: a partial view */
	COLLMATCH_WHYS
};

/* Ends may vary by less than this, in us. */
enum { COLLMATCH_STEADY = 1000 };

/* A group with one way of numbers. */
struct collmatch_group {
	uint64_t size;  /* ranks that the group should have */
	bool unsized;   /* no row gives the size: it is the number of ranks seen */
	uint64_t seen;  /* ranks with a row of a kind that waits */
	uint64_t ranks; /* the sum of collrank_hash of the ranks seen */
	bool unequal;   /* matched by order: the ranks have different sequences */
	bool whole;     /* all its collectives that wait are whole */
	struct dec ends_vary;
	/* Matched by order, and the ends do not show that all ranks begin with one collective. */
	bool guessed;
	uint64_t wholes;              /* whole collectives that wait */
	struct dec least;             /* the sum of their least durations */
	uint64_t why[COLLMATCH_WHYS]; /* rows */
	uint64_t member_at;           /* the first of its sorted members */
	uint64_t member_end;
};

/* Starts with table and waits set, all else 0. */
struct collmatch {
	struct colltable *table;
	const bool *waits;             /* by enum collkind */
	struct collmatch_group *group; /* by collmatch_at */
	size_t *member;                /* numbers of members, by group */
	bool one_rank;                 /* all members are of one rank */
	uint64_t waiting;              /* rows of kinds that wait */
	uint64_t whole;                /* whole collectives of these kinds */
};

/* Sets the state of each collective of the table. False if a sum is too large. */
bool collmatch_run(struct collmatch *match);

/* The index in group[] of a group with one way of numbers. */
size_t collmatch_at(uint32_t group, uint8_t by);

/* Appends a sentence without its stop: "2 of 8 ranks are missing". */
void collmatch_put_why(const struct collmatch_group *group, enum collmatch_why why,
                       struct buf *text);

/* Whether it means that the input is incomplete. */
bool collmatch_is_damage(enum collmatch_why why);

void collmatch_free(struct collmatch *match);

#endif
