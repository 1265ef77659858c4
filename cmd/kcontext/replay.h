/*
 * replay - the launches of graphs in a trace, with the rows that each of them has, and the runs:
 * the launches of one step on one thread.
 *
 * The caller counts the rows of devices by the numbers of their launches, gives the rows of graph
 * launches in a second look, and asks for the place of each row in its launch in later looks. Each
 * look has the same rows in the same order. The rows of a launch are in order of ts, then of kind
 * and name, then of the input.
 *
 * Memory: 4 bytes for each number of a launch, 96 for each graph launch, 40 for each row until the
 * last row of its launch has come, then 4 for each row if the rows were not in order, and 4 for
 * each row of each distinct sequence of names.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include "base/dec.h"
#include "base/strmap.h"

#include "capmatch.h"

#include <stdint.h>

#define REPLAY_NONE UINT32_MAX

/* The launch of a graph, as the caller knows it. */
struct replay_launch {
	struct dec ts;
	uint32_t thread;
	uint32_t step; /* REPLAY_NONE */
	bool sized;    /* the step has a size */
	uint64_t size;
};

struct replay {
	struct replay_launch launch;
	uint32_t thread_rank;
	uint32_t number;        /* number of the launch */
	uint32_t count;         /* rows so far; in a later look rows that came */
	uint32_t sequence;      /* in replays.sequences */
	uint32_t *place;        /* places of the rows, by arrival; NULL: as they arrive */
	struct replay_row *row; /* until the last has come */
	size_t row_cap;
	bool written; /* for the caller */
	/* By the choice of captures. */
	uint32_t answer;
	uint64_t op_base; /* added to the numbers of operators in the answer */
};

/* Launches first .. first + count. */
struct replay_run {
	uint32_t first;
	uint32_t count;
};

/* Starts as {0}. */
struct replays {
	uint32_t *rows; /* by number of the launch: rows of devices */
	size_t rows_cap;
	uint32_t *of; /* by number of the launch: number in item + 1; 0: it is not of a graph */
	size_t of_cap;
	struct replay *item; /* after replays_build in order of runs and ts */
	size_t count;
	size_t cap;
	struct replay_run *run;
	size_t runs;
	size_t runs_cap;
	struct strmap sequences; /* a byte, 1 if all rows are on one stream, and tokens as bytes */
	struct buf key;
};

/* The first look: a row of a device whose launch, of this number, may be of a graph. */
void replays_count(struct replays *replays, size_t number);

/* The launch of this number; NULL if it has not been added. */
struct replay *replays_find(const struct replays *replays, size_t number);

/* The second look: the launch of a graph whose first row comes. */
struct replay *replays_add(struct replays *replays, size_t number,
                           const struct replay_launch *launch);

/*
 * A row of a launch. rank: the place of its token among all, by name. counted: all rows of the
 * number that replays_count saw are of this launch.
 */
void replays_row(struct replays *replays, struct replay *replay, bool counted, struct dec ts,
                 uint32_t token, uint32_t rank, uint32_t stream);

/* After that look. thread_rank has the place of each thread in an order that rows do not decide. */
void replays_build(struct replays *replays, const size_t *thread_rank);

/* A later look begins. */
void replays_rewind(struct replays *replays);

/*
 * The launch and the place of the next row of this number; NULL if it is not of a graph. Each look
 * asks for each row once.
 */
struct replay *replays_next(struct replays *replays, size_t number, uint32_t *place);

/* The tokens of a sequence are copied to `tokens`, which has room for replays_length. */
size_t replays_length(const struct replays *replays, uint32_t sequence);
bool replays_sequence(const struct replays *replays, uint32_t sequence, uint32_t *tokens);

void replays_free(struct replays *replays);

#endif
