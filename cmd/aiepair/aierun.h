/*
 * aierun - which iterations of a trace count, and the work of an iteration.
 *
 * The first iterations of a core are warmup, the next ones its performance window, and all after
 * the expected number are extra. Iterations in the window of every core are compared by runtime,
 * the longest span of the iteration in any core. Times are in cycles.
 */
#ifndef AIERUN_H
#define AIERUN_H

#include "aietrace.h"

/* --- the work ------------------------------------------------------------ */

/* The options with whole numbers; those up to AIE_ITERATIONS are required. */
enum aie_number {
	AIE_M,
	AIE_K,
	AIE_N,
	AIE_ROWS,
	AIE_COLS,
	AIE_WARMUP,
	AIE_ITERATIONS, /* after the warmup */
	AIE_TILE_M,
	AIE_TILE_K,
	AIE_TILE_N,
	AIE_PEAK_MACS,
	AIE_NUMBERS
};

/* Work over c cycles is a rate of work / (per * c). */
struct aie_rate {
	__int128 work;
	int64_t per;
};

/* An iteration multiplies matrices, M by K and K by N, on rows x columns of tiles. */
struct aie_work {
	bool given[AIE_NUMBERS];
	size_t number[AIE_NUMBERS];
	struct aie_factor clock; /* GHz */
	const char *hwid;        /* the hardware, NULL if it is not known */
	/* By aie_work_set. */
	size_t expected;           /* iterations of a core */
	struct aie_rate core_rate; /* GMAC/s of one core */
	struct aie_rate rate;      /* GMAC/s of all cores */
	struct aie_rate of_peak;   /* one core or all cores in relation to the peak */
};

/* Ends the program, as for bad options, if a product or sum of the numbers is too large. */
void aie_work_set(struct aie_work *work);

/* The phase of iteration i: "warmup", "perf" or "extra". */
const char *aie_work_phase(const struct aie_work *work, size_t i);

/* Appends how the iterations of a core differ from those expected; false if they do not. */
bool aie_work_mismatch(const struct aie_work *work, const struct aie_core *core, struct buf *out);

/* --- a trace ------------------------------------------------------------- */

struct aie_run {
	const struct aie_trace *trace;
	size_t from; /* iterations [from, to) are in the performance window of every core */
	size_t to;
	/*
	 * The first iterations with the best and the worst rate (0 over no cycles); `from` without
	 * iterations.
	 */
	size_t best;
	size_t worst;
	int64_t longest; /* span of any iteration of any core */
};

/* Pairs the cores of a trace, which must outlive the run, and sets all members. */
void aie_run_pair(struct aie_run *run, const struct aie_trace *trace, const struct aie_rules *rules,
                  const struct aie_work *work);

/* The number of iterations of core c; whether any core has one. */
size_t aie_run_iterations(const struct aie_run *run, size_t c);
bool aie_run_has_iterations(const struct aie_run *run);

/* The runtime of an iteration that all cores have. */
int64_t aie_run_runtime(const struct aie_run *run, size_t i);

/* Why [from, to) is empty. */
const char *aie_run_why_none(const struct aie_run *run);

#endif
