/*
 * side - one of the streams that a program compares: what it says of itself, and
 * how the answer says that an input is damaged.
 */
#ifndef SIDE_H
#define SIDE_H

#include "balance.h"
#include "jsonw.h"
#include "kev.h"

struct side {
	const char *title;  /* in messages: "the prediction" */
	const char *answer; /* what must be of times in us: "M6" */
	struct kev_reader in;
	struct balance balance; /* in us */
	struct buf sources;     /* of the ##source lines, commas between them */
};

/* The sides of a program that holds a prediction against a measurement. */
enum side_of { PREDICTED, MEASURED, SIDES };

/*
 * Opens the two operands, or ends the program where there are not two. The reasons
 * of their balances are the caller's.
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

void side_close(struct side *side);

/* The damages in an answer: nothing where there are none. */
void side_damages_report(struct output *out, const struct buf *damages);
void side_damages_markdown(struct output *out, const struct buf *damages);
void side_damages_json(struct jsonw *w, const struct buf *damages); /* a member "damaged" */

#endif
