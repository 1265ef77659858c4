/*
 * group - sums by key: count, total, smallest, largest, and where they are
 * wanted the distinct durations with their counts, for exact quantiles.
 *
 * Two sets of groups over parts of an input, merged, are the groups of the
 * whole: all arithmetic is exact. Memory grows with the keys, and with
 * the distinct durations of each where they are kept.
 */
#ifndef GROUP_H
#define GROUP_H

#include "base/dec.h"
#include "base/strmap.h"

#include <stdint.h>

struct group_value {
	struct dec dur;
	uint64_t count;
};

struct group {
	uint64_t count;
	struct dec total;
	struct dec min; /* where count is not 0 */
	struct dec max;
	/* The durations: sorted and distinct only behind group_sort_values. */
	struct group_value *values;
	size_t values_count;
	size_t values_cap;
};

/* Starts as {0}. */
struct groups {
	struct strmap keys;
	struct group *group; /* by number in keys */
	size_t cap;
};

/* The group of key, made where it is new; good until the next call. */
struct group *groups_get(struct groups *groups, struct str key);
/* The key with the largest count, of several the smallest; empty where there is none. */
struct str groups_commonest(const struct groups *groups);
void groups_free(struct groups *groups);

/* Adds count times dur. False where a sum would be too large: then nothing was added. */
bool group_add(struct group *group, struct dec dur, uint64_t count);

/* Notes count times dur for the quantiles. */
void group_add_value(struct group *group, struct dec dur, uint64_t count);
void group_sort_values(struct group *group);

/* Adds all of other. False as group_add. */
bool group_merge(struct group *group, const struct group *other);

/*
 * The quantile at percent (0 to 100) by nearest rank: the smallest of the
 * durations that at least percent of them do not exceed. Sorts the values;
 * group->count must be theirs and not 0.
 */
struct dec group_quantile(struct group *group, struct dec percent);

/* Compares a.total / a.count with b.total / b.count, exactly: < 0, 0, > 0. */
int group_compare_means(const struct group *a, const struct group *b);

void group_free(struct group *group);

#endif
