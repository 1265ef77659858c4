/*
 * group - sums by key: count, total, min and max; if they are wanted, the sum of squares, sums of
 * other columns, and for exact quantiles the distinct durations with their counts.
 *
 * All arithmetic is exact: the groups of the parts of an input, merged, equal the groups of the
 * whole. Memory grows with the keys, and with the distinct durations of each if they are kept.
 */
#ifndef GROUP_H
#define GROUP_H

#include "base/dec.h"
#include "base/strmap.h"
#include "base/wide.h"
#include "stream/durations.h"

#include <stdint.h>

/* The sum of another column. */
struct group_sum {
	struct dec total;
	struct dec negative; /* sum of the values below 0, as by dec_sum */
	bool any;            /* a row has a value */
};

/* The values of another column in the rows of min and max. */
struct group_who {
	struct buf min;
	struct buf max;
};

struct group {
	uint64_t count;
	bool unranged; /* a part has no min or no max */
	struct dec total;
	struct dec negative; /* sum of the durations below 0, as by dec_sum */
	struct dec min;      /* undefined if count is 0, or if a part has no min */
	struct dec max;
	struct durations durations; /* for quantiles, if they are wanted */
	struct wide *squares;       /* the sum of the squares of dur.nano; NULL if it is not wanted */
	struct group_sum *sums;     /* NULL before the first */
	size_t sums_count;
	struct group_who *who; /* NULL before the first */
};

/* Starts as {0}. */
struct groups {
	struct strmap keys;
	struct group *group; /* by number in keys */
	size_t cap;
};

/* The group of key, which is added if it is new; valid until the next call. */
struct group *groups_get(struct groups *groups, struct str key);

/* The group of key; NULL if it is missing. */
struct group *groups_find(const struct groups *groups, struct str key);

/* The key with the largest count, the smallest of several; empty if there are no groups. */
struct str groups_commonest(const struct groups *groups);

void groups_free(struct groups *groups);

/* Adds dur count times. False if a sum would be too large: then nothing was added. */
bool group_add(struct group *group, struct dec dur, uint64_t count);

/* Adds the square of dur, or a sum of squares, for the standard deviation. */
void group_add_square(struct group *group, struct dec dur);
void group_add_squares(struct group *group, struct wide squares);

/* Whether there can be durations with this count, total and sum of squares. */
bool group_squares_fit(const struct group *group);

/* Adds a value of the column `index` of `count` others. False if the sum would be too large. */
bool group_add_sum(struct group *group, size_t index, size_t count, struct dec value);

/* That sum; NULL if no row has a value. */
const struct dec *group_sum(const struct group *group, size_t index);

/*
 * Notes the values in the rows of a part's min and max, decoded; of equal durations the lower
 * value stays, by sortkey, then by its bytes. Before the part is added.
 */
void group_add_who(struct group *group, struct dec min, struct str in_min, struct dec max,
                   struct str in_max);

/* Adds all of other. Returns as group_add. */
bool group_merge(struct group *group, const struct group *other);

/*
 * The quantile at percent (0 to 100) by nearest rank: the smallest duration that at least
 * percent of the durations do not exceed. Sorts the durations, which must be as many as
 * group->count, and not 0.
 */
struct dec group_quantile(struct group *group, struct dec percent);

/* Compares the means, total / count, exactly: < 0, 0, > 0. */
int group_compare_means(const struct group *a, const struct group *b);

/*
 * Appends the standard deviation of a sample (count - 1), to 12 significant digits; nothing if the
 * count is below 2. Comparing is exact; groups without a deviation come first.
 */
void group_put_deviation(const struct group *group, struct buf *out);
int group_compare_deviations(const struct group *a, const struct group *b);

void group_free(struct group *group);

#endif
