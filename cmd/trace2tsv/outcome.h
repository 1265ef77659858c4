/*
 * outcome - what became of the events of one trace, and the warnings at its end: names in the
 * options that may be misspelt, and what was left out.
 */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "json/json.h"

#include "eventrow.h"

/* Numbers of events. */
struct outcome {
	uint64_t events;
	uint64_t rows;
	uint64_t asked;  /* events of the categories of -c or -g, in any phase, and those of memory */
	uint64_t memory; /* with --memory, events named [memory] */
	uint64_t ends;   /* begins and ends that are not written */
	uint64_t alone;  /* with --join-ends, a begin without its end or an end without its begin */
	uint64_t no_ph;
};

void outcome_add(struct outcome *all, const struct outcome *outcome);

/* Whether no event of all files is asked for, or all rows were begins and ends. */
bool outcome_is_nothing(const struct outcome *all, const struct wanted *wanted);

/*
 * Warns if no event of the file became a row, of columns of -a that are empty, and if --memory
 * found nothing. If no event has an asked category, the warning lists the categories of the trace:
 * from counts, or if it is NULL, json reads the file again. A file without events is said to have
 * none, unless counts is given, whose caller says so. False, without a warning, if no event has ph:
 * the file is no trace.
 */
bool outcome_of_options(const struct outcome *outcome, const struct eventrow *row,
                        const struct category_counts *counts, struct json_reader *json,
                        const char *file);

/*
 * Warns of events and rows that are not as they were in the file. replaced: in strings, as
 * json_reader counts.
 */
void outcome_left_out(const struct outcome *outcome, const struct eventrow *row, uint64_t replaced,
                      const char *file);

#endif
