/*
 * side - one of the two streams that a program compares: opening both, their metadata, and how an
 * answer reports missing fields.
 *
 * Times are in us.
 */
#ifndef SIDE_H
#define SIDE_H

#include "answer/jsonw.h"
#include "stream/balance.h"
#include "stream/kev.h"

enum { SIDES = 2 };

/* What a program calls its streams. */
struct side_names {
	const char *operands; /* "PREDICTED and MEASURED" */
	struct {
		const char *name;  /* in JSON: "prediction" */
		const char *title; /* in sentences: "the prediction" */
		const char *rows;  /* in the balance: "predicted rows" */
	} of[SIDES];
};

/* Fields that a row can lack, so that it counts for less than it should. */
enum missing_of { MISSING_KEY, MISSING_DUR, MISSING_TS, MISSING_KINDS };

/* "rows of the measurement without dur, not counted: 3" */
struct missing {
	const char *one;     /* "a row" */
	const char *many;    /* "rows" */
	const char *without; /* "dur" */
	const char *effect;  /* "not counted" */
	bool ordinary;       /* only in answers: no warning, and not refused by --strict */
	uint64_t count;
};

struct side {
	const char *name;
	const char *title;
	struct kev_reader in;
	struct balance balance;
	struct buf sources; /* names of the ##source lines, commas between them */
	bool strict;
	struct missing missing[MISSING_KINDS];
};

/*
 * Opens the operands, or ends the program if there are not two. An answer in another form than
 * rows has no head. The caller sets the reasons of the balances, and may change the words for
 * missing fields: by default rows lack type or dur, collectives lack ts, and they are not counted.
 */
void sides_open(struct side sides[SIDES], struct opts *opts, const struct side_names *names,
                enum form form);

/*
 * Takes a metadata line: notes its source, appends its damage (answer/damage.h), and passes it on,
 * except for names of processes and threads. If the unit is not us, records the error in in.
 */
void side_metadata(struct side *side, struct kev_writer *out, struct buf *damages);

/* The source of the rows: ##source lines, or else the file that was read. */
struct str side_source(const struct side *side);

/*
 * Counts a missing field of the row on this line. With --strict the first is an error, recorded in
 * in, unless it is ordinary.
 */
void side_lacks(struct side *side, enum missing_of kind, uint64_t line);

/* Warns of missing fields, at the end of the stream. */
void side_missing_warn(const struct side *side);

/* The missing fields in an answer; nothing if no field is missing. */
void side_missing_report(struct output *out, const struct side sides[SIDES]);
void side_missing_markdown(struct output *out, const struct side sides[SIDES]);
void side_missing_json(struct jsonw *w, const struct side sides[SIDES]); /* a member "missing" */

void side_close(struct side *side);

#endif
