/*
 * alarm - what a comparison must warn of: changes beyond a limit, too few samples, samples that
 * depend on each other.
 */
#ifndef ALARM_H
#define ALARM_H

#include "compare/limit.h"

#include "changes.h"

/*
 * Warns of each group, and of the sum, that is significantly slower by more than limit, or mixed
 * with a median that is; names at most ALARM_NAMED. The names are those of the sides. Also warns if
 * the sum is as much faster, significantly or with a group that is, and if no change of a
 * group could have been significant. Returns whether one of the first or last was so.
 */
bool alarm_slower(const struct changes *changes, const struct limit *limit,
                  const char *const names[COMPARISON_SIDES]);
enum { ALARM_NAMED = 20 };

/*
 * How many samples on each side would let the change of each group become significant; 0 if
 * there are enough.
 */
uint64_t alarm_needed(const struct changes *changes, struct dec alpha);

/* Warns if there are too few. */
void alarm_few(const struct changes *changes, struct dec alpha);

/*
 * Warns if the middle lag of the groups of a side is above 0.25. That of one group is often so by
 * chance.
 */
void alarm_lags(const struct changes *changes, const char *const titles[COMPARISON_SIDES]);

#endif
