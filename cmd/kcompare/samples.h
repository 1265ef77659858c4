/*
 * samples - the samples of a comparison: the totals of each group in each unit, of two sides.
 *
 * A group is a key that both sides share. A unit is a run, a step of it, or whatever the caller
 * tells apart, of one side. A unit without a row of a group has no sample of it. Without units,
 * each row is a sample.
 *
 * Sums are exact, and nothing depends on the order of rows: units have the order of their files and
 * keys. Memory: the keys, and some 100 bytes for each group of each unit; without units, the
 * distinct durations of each group.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "base/strmap.h"
#include "stream/group.h"

#include "autocorrelation.h"

enum { SAMPLES_SIDES = 2 };

/* Samples of a group without units: the product of two such numbers, four times, fits 128 bits. */
#define SAMPLES_MOST ((uint64_t)1 << 62)

/* The total of a group in a unit. */
struct samples_cell {
	size_t group;
	size_t unit;
	struct dec total;
	struct dec negative; /* the negative part of total, as by dec_sum */
};

struct samples_unit {
	size_t file;
	size_t run;   /* run of the unit in a series */
	size_t place; /* in the order of units, after samples_settle */
	bool skipped;
};

struct samples_side {
	struct strmap units; /* keys, with the file before them */
	struct samples_unit *unit;
	size_t unit_cap;
	struct samples_cell *cell; /* cells; before samples_settle, a unit and group may have several */
	size_t cells;
	size_t cells_cap;
	size_t *last; /* by group: a cell + 1 */
	size_t last_cap;
	size_t *start;        /* after samples_settle: the first cell of each group, and the end */
	struct group *pooled; /* by group: each row, without units */
	size_t pooled_cap;
	struct buf key;
};

/* Starts as {0}. */
struct samples {
	bool one_run; /* set by the caller: files are units, and follow each other in one series */
	struct strmap groups;
	struct samples_side side[SAMPLES_SIDES];
};

/* The number of a group. */
size_t samples_group(struct samples *samples, struct str key);

/* The number of a unit: of the file with this number, with this key of kev_key. */
size_t samples_unit(struct samples *samples, int side, size_t file, struct str key);

/* Adds a duration to a sample. False if a sum is too large. */
bool samples_add(struct samples *samples, int side, size_t group, size_t unit, struct dec dur);

/*
 * Without units: adds a sample, count times. False if their sum would be too large, or if these are
 * more than SAMPLES_MOST.
 */
bool samples_pool(struct samples *samples, int side, size_t group, struct dec dur, uint64_t count);

/*
 * Puts the samples in order, and leaves out the first `skip` units of each run. To be called once,
 * after all rows. False if a sum is too large.
 */
bool samples_settle(struct samples *samples, size_t skip);

/* How many units are left, of all files. */
size_t samples_units(const struct samples_side *side);

/*
 * The samples of a group in the order of their units, as a series, in which each file is a run
 * unless `one_run`; the caller frees them. NULL and *count 0 without samples.
 */
struct autocorrelation_value *samples_series(const struct samples_side *side, size_t group,
                                             size_t *count);

/* The totals of all groups together, as a series; NULL only if a sum is too large. */
struct autocorrelation_value *samples_sums(const struct samples_side *side, size_t *count);

/*
 * Each row of a group without units, sorted and distinct: values and their counts, total, min and
 * max. NULL if the side has none.
 */
struct group *samples_pooled(struct samples_side *side, size_t group);

void samples_free(struct samples *samples);

#endif
