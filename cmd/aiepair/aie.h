/*
 * aie - the kernels and iterations of an AI Engine tile, from the begins and ends
 * in its trace. aiepair(1) describes the algorithm in words.
 *
 * Times are whole cycles of the tile's own clock, all between AIE_TIME_MIN and AIE_TIME_MAX, so
 * that differences fit. They come in any order. Memory: 8 bytes for each time, up to 8 of slack,
 * and a copy of one list of a tile while it is paired. Time: n log n.
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

/* A fraction in its lowest terms, not below 0; numerator and denominator are at most 10^15. */
struct aie_factor {
	int64_t numerator;
	int64_t denominator; /* not 0 */
};

/*
 * "20", "0.25" or "1/3": numbers of kev(5) below a million, with up to nine places. Returns false,
 * and leaves *out alone, if text is anything else.
 */
bool aie_factor_parse(struct str text, struct aie_factor *out);

struct aie_rules {
	bool latest; /* an end is paired with the last begin before it, not with the first unpaired */
	/* In median kernels. */
	struct aie_factor stall_factor; /* a stall at least this long ends an iteration */
	struct aie_factor dup_gap;      /* an event that follows another one sooner is a repeat */
	struct aie_factor outlier_lo;   /* shorter kernels are left out */
	struct aie_factor outlier_hi;   /* longer kernels are left out */
};

/*
 * Starts as {0}. Its events go into the four lists. aie_pair leaves the begins and ends of kernels
 * in the first two, and in stall_ends the ends of the stalls that end iterations, all sorted.
 */
struct aie_tile {
	struct aie_times starts; /* kernel i is from starts.at[i] to ends.at[i]; none overlap */
	struct aie_times ends;
	struct aie_times stall_begins;
	struct aie_times stall_ends;
	size_t all_starts; /* begins and ends of kernels before pairing */
	size_t all_ends;
	struct dec median; /* median duration of the kernels, may have a half; 0 without kernels */
	size_t *first;     /* the first kernel of each iteration, and at the end how many there are */
	size_t iterations; /* 0 without kernels */
};

void aie_pair(struct aie_tile *tile, const struct aie_rules *rules);

struct aie_iteration {
	size_t kernels; /* if 0, all other members are 0 */
	int64_t total;  /* sum of the durations */
	int64_t min;
	int64_t max;
	int64_t first_start;
	int64_t last_end;
	int64_t span; /* last_end - first_start */
};

/* Iteration i of a paired tile, and its span. */
struct aie_iteration aie_iteration(const struct aie_tile *tile, size_t i);
int64_t aie_span(const struct aie_tile *tile, size_t i);

void aie_tile_free(struct aie_tile *tile);

#endif
