/*
 * side - one of the streams that a program compares: what it says of itself, and
 * how the answer says that an input is damaged, or lacks something.
 */
#ifndef SIDE_H
#define SIDE_H

#include "answer/jsonw.h"
#include "stream/balance.h"
#include "stream/kev.h"

/* What a row can lack, so that it counts for less than it should. */
enum missing_of { MISSING_KEY, MISSING_DUR, MISSING_TS, MISSING_KINDS };

/* "rows of the measurement without dur, not counted: 3" */
struct missing {
	const char *one;     /* "a row" */
	const char *many;    /* "rows" */
	const char *of;      /* the side's title */
	const char *without; /* "dur" */
	const char *effect;  /* "not counted" */
	bool ordinary;       /* said by reports alone */
	uint64_t count;
};

struct side {
	const char *title;  /* in messages: "prediction" */
	const char *answer; /* what must be of times in us: "M6" */
	struct kev_reader in;
	struct balance balance; /* in us */
	struct buf sources;     /* of the ##source lines, commas between them */
	bool strict;
	struct missing missing[MISSING_KINDS];
};

/* The sides of a program that holds a prediction against a measurement. */
enum side_of { PREDICTED, MEASURED, SIDES };

/*
 * Opens the two operands, or ends the program where there are not two. The reasons
 * of their balances are the caller's, and so are other words for what is missing than
 * that rows lack type or dur, and collectives ts, and do not count.
 */
void sides_open(struct side sides[SIDES], const struct opts *opts, const char *answer);

/*
 * A metadata line: its source is noted, its damage appended to damages, a line of
 * text each. Passed on, but for the names of processes and threads. False, said in
 * in.error, where the unit is not us.
 */
bool side_metadata(struct side *side, struct kev_writer *out, struct buf *damages);

/* Where its rows came from: its ##source lines, else the file that was read. */
struct str side_source(const struct side *side);

/*
 * A row, on this line, lacks something: it is counted, and with --strict, which takes
 * nothing ordinary for an error, said in in.error if nothing is yet.
 */
void side_lacks(struct side *side, enum missing_of kind, uint64_t line);

/* The warnings of what rows lacked, at the end of the stream. */
void side_missing_warn(const struct side *side);

/* The same in an answer: nothing where nothing was missing. */
void side_missing_report(struct output *out, const struct side sides[SIDES]);
void side_missing_markdown(struct output *out, const struct side sides[SIDES]);
void side_missing_json(struct jsonw *w, const struct side sides[SIDES]); /* a member "missing" */

void side_close(struct side *side);

/* The damages in an answer: nothing where there are none. */
void side_damages_report(struct output *out, const struct buf *damages);
void side_damages_markdown(struct output *out, const struct buf *damages);
void side_damages_json(struct jsonw *w, const struct buf *damages); /* a member "damaged" */

#endif
