/*
 * aiecells - the figures of an iteration of AI Engine tiles as text: exact, with as many digits as
 * a double keeps, or rounded for people.
 */
#ifndef AIECELLS_H
#define AIECELLS_H

#include "aierun.h"

enum aie_column {
	AIE_KIND,
	AIE_TILE,
	AIE_PID,
	AIE_ITERATION,
	AIE_PHASE,
	AIE_KERNELS,
	AIE_AVG,
	AIE_MIN,
	AIE_MAX,
	AIE_SPAN,
	AIE_FIRST_START,
	AIE_LAST_END,
	AIE_RUNTIME,
	AIE_GMACS,
	AIE_UTILIZATION,
	AIE_BAR, /* as long as the span or runtime, in relation to the longest span */
	AIE_SOURCE,
	AIE_COLUMNS
};

/* The name in a stream, and the title for people; NULL: the name. */
struct aie_heading {
	const char *name;
	const char *title;
	bool right; /* numbers */
};

extern const struct aie_heading aie_headings[AIE_COLUMNS];

/* All that programs and people get. */
struct aie_answer {
	struct kev_writer *out;
	const struct aie_work *work;
	const struct aie_run *runs;
	size_t count;
	bool files;                   /* the stream has a column file */
	const struct strmap *damages; /* damages of the input: a text each */
	const struct strmap *misuses; /* those of wrong usage; NULL: there are none */
};

/* Starts as {.work = …}. A cell without a figure is empty. */
struct aie_cells {
	const struct aie_work *work;
	struct buf cell[AIE_COLUMNS];
};

/* Fills all cells with the figures of an iteration of a core. */
void aie_cells_iteration(struct aie_cells *cells, const struct aie_run *run,
                         const struct aie_core *core, size_t i, bool people);

/*
 * Fills all cells with the figures of an iteration that all cores have, of a kind such as "best".
 */
void aie_cells_common(struct aie_cells *cells, const struct aie_run *run, const char *kind,
                      size_t i, bool people);

/*
 * Fills all cells with the average of the iterations in [from, to), which is not empty: the rate is
 * their mean rate.
 */
void aie_cells_average(struct aie_cells *cells, const struct aie_run *run, bool people);

struct str aie_cells_get(const struct aie_cells *cells, enum aie_column column);
void aie_cells_free(struct aie_cells *cells);

/* Appends the clock in GHz, as exact as the cells. */
void aie_work_clock(const struct aie_work *work, struct buf *out);

#endif
