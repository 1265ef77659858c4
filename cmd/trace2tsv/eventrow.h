/*
 * eventrow - the row of an event of a trace: the texts of its columns, and what becomes of a begin
 * and its end (trace2tsv(1), --join-ends).
 */
#ifndef EVENTROW_H
#define EVENTROW_H

#include "wanted.h"

/* What an event of a trace of Ascend is, for cann; EVENTROW_OTHER for nearly all others. */
enum eventrow_part {
	EVENTROW_OTHER,
	EVENTROW_WORK,   /* a kernel or copy */
	EVENTROW_CALL,   /* a call of CANN */
	EVENTROW_LAUNCH, /* a part of a flow from a call to the device */
	EVENTROW_OPERATOR,
};

/* Texts are valid until the next event. */
struct eventrow {
	struct str *text;        /* text of each column; two more are the caller's, for --rank and -f */
	bool *seen;              /* by column: a row of the file has it */
	enum eventrow_part part; /* the event that eventrow_asked looked at; only with -g */
	uint64_t bad_ts;         /* rows of the file whose ts or dur is no number */
	uint64_t bad_dur;
	/* Private to eventrow.c. */
	const struct wanted *wanted;
	struct buf *nested;   /* by column: an object or array, compact */
	struct buf number[2]; /* ts and dur, if they are not copied from the file */
	struct buf track;
	struct buf flow_id;
};

/* Once all columns are known. wanted must outlive it. */
void eventrow_open(struct eventrow *row, const struct wanted *wanted);

/* At the begin of a file: forgets what its rows had. */
void eventrow_begin(struct eventrow *row);

/*
 * Whether the category of the event is asked for, or with --memory its name. Gives its values what
 * the columns show: the name of the category, and for an event of Ascend what a trace of PyTorch
 * has.
 */
bool eventrow_asked(struct eventrow *row, struct json_value *value);

/* Sets the texts to the columns of the event. metadata: its phase is M, which has no ts. */
void eventrow_fill(struct eventrow *row, const struct json_value *value, bool metadata);

/*
 * Rounds ts and dur to nine decimal places. Returns the column that had more, ts if both had; NULL
 * if none had.
 */
const char *eventrow_round(struct eventrow *row);

/*
 * What a begin and its end, of this phase, have in common: the thread, or for b and e the category,
 * the scope and the id, which may be of the process.
 */
struct str eventrow_track(struct eventrow *row, const struct json_value *value, char ph);

/*
 * Makes the row of an end the row of both: an X from the ts of the begin to the ts of the end. True
 * if one of them had more than nine decimals, and was rounded for dur.
 */
bool eventrow_join(struct eventrow *row, struct str began, struct str ended);

/* Adds what the rows of a part of the file had. */
void eventrow_add(struct eventrow *row, const struct eventrow *part);

void eventrow_free(struct eventrow *row);

#endif
