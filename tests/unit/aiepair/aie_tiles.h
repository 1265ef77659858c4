/*
 * aie_tiles - what the unit tests of AI Engines share: tiles, and traces of paired ones, from
 * texts.
 */
#ifndef AIE_TILES_H
#define AIE_TILES_H

#include "aiepair/aierun.h"

static const struct aie_rules usual = {
	.stall_factor = {20, 1}, .dup_gap = {1, 4}, .outlier_lo = {1, 3}, .outlier_hi = {3, 1}};

/* Appends the times of a list such as "5 7 9". */
static inline void add(struct aie_times *times, const char *list)
{
	char *end;

	for (long long t; (t = strtoll(list, &end, 10)), end != list; list = end)
		aie_times_add(times, t);
}

/* A trace of one run; starts as {0}. */
struct made {
	struct aie_work work;
	struct aie_tile tile[4];
	struct aie_core core[4];
	struct aie_trace trace;
	struct aie_run run;
};

/*
 * Kernels such as "100-500 600-1010"; a | between two stands for a stall, n of them for n that
 * share the time between.
 */
static inline void made_add(struct made *made, const char *name, const char *pid, const char *list)
{
	struct aie_tile *tile = &made->tile[made->trace.cores];
	int64_t last = 0;
	int stalls = 0;

	made->core[made->trace.cores++] = (struct aie_core){str_of(pid), str_of(name), tile};
	while (*list) {
		char *end;
		int64_t start;

		if (*list == '|' || *list == ' ') {
			stalls += *list++ == '|';
			continue;
		}
		start = strtoll(list, &end, 10);
		assert_int_equal(*end, '-');
		aie_times_add(&tile->starts, start);
		for (int i = 0; i < stalls; i++) {
			aie_times_add(&tile->stall_begins, last + (start - last) * i / stalls);
			aie_times_add(&tile->stall_ends, last + (start - last) * (i + 1) / stalls - 1);
		}
		last = strtoll(end + 1, &end, 10);
		aie_times_add(&tile->ends, last);
		list = end;
		stalls = 0;
	}
}

/*
 * Behind its cores: M = K = 100, N = 10 on two tiles of 1.25 GHz, an iteration of warmup and so
 * many that count.
 */
static inline void made_pair(struct made *made, size_t iterations)
{
	made->work = (struct aie_work){
		.number = {[AIE_M] = 100,
	               [AIE_K] = 100,
	               [AIE_N] = 10,
	               [AIE_ROWS] = 1,
	               [AIE_COLS] = 2,
	               [AIE_WARMUP] = 1,
	               [AIE_ITERATIONS] = iterations,
	               [AIE_PEAK_MACS] = 64},
		.clock = {5, 4},
	};
	for (size_t i = 0; i <= AIE_ITERATIONS; i++)
		made->work.given[i] = true;
	aie_work_set(&made->work);
	made->trace.file = STR("t.json");
	made->trace.core = made->core;
	aie_run_pair(&made->run, &made->trace, &usual, &made->work);
}

static inline void made_free(struct made *made)
{
	for (size_t c = 0; c < made->trace.cores; c++)
		aie_tile_free(&made->tile[c]);
}

#endif
