/*
 * aie - the kernels and iterations of an AI Engine tile, from the begins and ends
 * in its trace. aiepair(1) tells the algorithm in words.
 *
 * Times are whole cycles of the tile's own clock, all between AIE_TIME_MIN and
 * AIE_TIME_MAX, so that differences fit. They come in any order. Memory: 8 bytes
 * a time, up to 8 of slack, and while a tile is paired a copy of one of its lists;
 * time n log n.
 */
#ifndef AIE_H
#define AIE_H

#include "base/dec.h"

#define AIE_TIME_MAX (INT64_MAX / 2)
#define AIE_TIME_MIN (-AIE_TIME_MAX)

/* Starts as {0}. */
struct aie_times {
	int64_t *at;
	size_t count;
	size_t cap;
};

void aie_times_add(struct aie_times *times, int64_t cycles);

/* A fraction in its lowest terms, not below 0; both of its numbers are at most 10^15. */
struct aie_factor {
	int64_t numerator;
	int64_t denominator; /* not 0 */
};

/*
 * "20", "0.25" or "1/3": numbers of kev(5) below a million, of up to nine places. Gives false,
 * and leaves *out alone, where text is nothing of the kind.
 */
bool aie_factor_parse(struct str text, struct aie_factor *out);

struct aie_rules {
	bool latest; /* an end goes with the last begin before it, not with the first that waits */
	struct aie_factor stall_factor; /* a stall of so many median kernels ends an iteration */
	struct aie_factor dup_gap;      /* an event less than so much of one behind is the same again */
	struct aie_factor outlier_lo;   /* kernels of less, */
	struct aie_factor outlier_hi;   /* or of more medians are left out */
};

/*
 * Starts as {0}. Its events go into the four lists; then aie_pair makes of the
 * first two the begins and ends of the kernels, of the third nothing, and of the
 * fourth the ends of the stalls that part iterations: all sorted.
 */
struct aie_tile {
	struct aie_times starts; /* kernel i is from starts.at[i] to ends.at[i]; none overlap */
	struct aie_times ends;
	struct aie_times stall_begins;
	struct aie_times stall_ends;
	size_t all_starts; /* how many begins and ends of kernels there were */
	size_t all_ends;
	struct dec median; /* of the kernels' durations, a half kept; 0 without kernels */
	size_t *first;     /* the first kernel of each iteration, and behind the last their number */
	size_t iterations; /* 0 without kernels */
};

void aie_pair(struct aie_tile *tile, const struct aie_rules *rules);

struct aie_iteration {
	size_t kernels; /* may be 0, and then so is all else */
	int64_t total;  /* of the durations */
	int64_t min;
	int64_t max;
	int64_t first_start;
	int64_t last_end;
	int64_t span; /* between these two */
};

/* Of a tile that was paired; i is below its iterations. */
struct aie_iteration aie_iteration(const struct aie_tile *tile, size_t i);
int64_t aie_span(const struct aie_tile *tile, size_t i); /* of that iteration alone */

void aie_tile_free(struct aie_tile *tile);

#endif
