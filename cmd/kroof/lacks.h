/*
 * lacks - how much of the time of devices the table of kroof cannot rate, or by an estimate alone.
 */
#ifndef LACKS_H
#define LACKS_H

#include "answer/jsonw.h"
#include "base/dec.h"

/* LACK_EXACT: the work is an estimate. */
enum lack { LACK_OPERATOR, LACK_RULE, LACK_EXACT, LACK_WHYS };

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

/* Counts what rows lack, after lacks_time for each. */
void lacks_rows(struct lacks *lacks, enum lack why, uint64_t rows, struct dec time);

/* Appends lines of a report, "Rows without a rule: 3, 4.5 us, 2.31 %", to out. */
void lacks_report(const struct lacks *lacks, struct buf *out);

/* Members of an object. */
void lacks_json(const struct lacks *lacks, struct jsonw *json);

/* Warns with the shares of the time; nothing if nothing lacks. */
void lacks_warn(const struct lacks *lacks);

/* Prints the rows and times, for -v. */
void lacks_balance(const struct lacks *lacks);

#endif
