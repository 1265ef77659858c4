/*
 * lacks - how much of the time of devices the table of kroof cannot rate, and why.
 */
#ifndef LACKS_H
#define LACKS_H

#include "answer/jsonw.h"
#include "base/dec.h"

enum lack { LACK_OPERATOR, LACK_RULE, LACK_WHYS };

/* Starts as {0}. */
struct lacks {
	struct dec time;     /* time of all rows */
	struct dec negative; /* the negative part of time, as by dec_sum */
	struct {
		uint64_t rows;
		struct dec time;
	} of[LACK_WHYS];
};

/* Adds a row of a device. False if the time is too large. */
bool lacks_time(struct lacks *lacks, struct dec dur);

/* Counts what a row lacks, after lacks_time for this row. */
void lacks_row(struct lacks *lacks, enum lack why, struct dec dur);

/* Appends lines of a report, "Rows without a rule: 3, 4.5 us, 2.31 %", to out. */
void lacks_report(const struct lacks *lacks, struct buf *out);

/* Members of an object. */
void lacks_json(const struct lacks *lacks, struct jsonw *json);

/* Warns with the shares of the time; nothing if nothing lacks. */
void lacks_warn(const struct lacks *lacks);

/* Prints the rows and times, for -v. */
void lacks_balance(const struct lacks *lacks);

#endif
