/*
 * calls - the calls of operators: when rows of the device, in any order, belong to a call, how long
 * any of them ran, and how many they are.
 *
 * The first 65,536 rows are in memory, 64 bytes each. If there are more, all go through sort(1),
 * see io/sorter.h, which uses temporary files; then memory does not grow.
 */
#ifndef CALLS_H
#define CALLS_H

#include "base/dec.h"
#include "base/strmap.h"
#include "io/sorter.h"

#include <stdint.h>

enum { CALLS_HELD = 1 << 16 };

/* A row of the device. */
struct calls_row {
	uint64_t group;  /* what the calls are counted by */
	uint64_t source; /* ids of one source mean nothing in another */
	uint64_t id;     /* id of the call */
	uint64_t label;  /* in calls.labels */
	struct dec start;
	struct dec end; /* not before start */
};

/* A call. */
struct calls_call {
	uint64_t group;
	uint64_t label;  /* the label of its first row; of rows that start then the first text */
	struct dec time; /* the union of its rows */
	struct dec busy; /* the sum of its rows; the caller checks that the sum of all rows fits */
	uint64_t rows;
};

/* Starts as {0}. */
struct calls {
	size_t held;                 /* CALLS_HELD, unless the caller sets another number */
	const struct strmap *labels; /* set by the caller, if rows have labels */
	struct calls_row *row;
	size_t count;
	size_t cap;
	size_t at;
	bool sorted;
	bool ended;
	bool spilled; /* to the sorter */
	struct sorter sorter;
	struct calls_row next; /* the first of the next call */
	bool has_next;
	char error[320];
};

/* False: see error. */
bool calls_add(struct calls *calls, const struct calls_row *row);

/*
 * After the last row: > 0: the next call; calls of a group come one after the other, groups by
 * number; 0: the end; < 0: see error.
 */
int calls_next(struct calls *calls, struct calls_call *call);

void calls_free(struct calls *calls);

#endif
