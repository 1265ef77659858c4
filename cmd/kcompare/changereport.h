/*
 * changereport - the answer of a comparison: what the samples are, both sides, how many groups have
 * each verdict, the table, and damages.
 */
#ifndef CHANGEREPORT_H
#define CHANGEREPORT_H

#include "changes.h"

struct changereport_side {
	struct str name;
	struct str files;
	uint64_t units;
	uint64_t rows;
};

struct changereport {
	struct str samples; /* "totals of each file, step" */
	struct str unit;    /* unit of the times */
	struct str of;      /* the column that is compared; empty: dur */
	struct dec alpha;
	uint64_t needed; /* samples on each side; 0: there are enough */
	struct changereport_side side[COMPARISON_SIDES];
	struct changes *changes;
	const struct buf *damages; /* lines of damage_note */
};

void changereport_write(const struct changereport *report, struct kev_writer *out, enum form form);

#endif
