/*
 * hist - a picture of how values are distributed: bins with counts or sums, groups stacked.
 *
 * Memory grows with the values: each takes 48 bytes.
 */
#ifndef HIST_H
#define HIST_H

#include "base/strmap.h"

#include "script.h"

struct hist_value;

/* Starts as {.title = …}. */
struct hist {
	struct str title; /* title of the values */
	const char *unit;
	struct str weight_title; /* title of what is added; empty: values are counted */
	const char *weight_unit;
	struct str no_group; /* what the legend shows for an empty group */
	bool log;
	struct strmap groups;
	struct hist_value *value;
	size_t count;
	size_t cap;
	uint64_t not_positive; /* with log, values that are not shown */
};

/* Adds a value of a group. */
void hist_add(struct hist *hist, struct str group, struct dec value, struct dec weight);

/* Appends the script. False if a sum is too large. */
bool hist_script(const struct hist *hist, struct script_frame frame, struct buf *script);

void hist_free(struct hist *hist);

#endif
