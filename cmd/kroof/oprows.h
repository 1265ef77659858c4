/*
 * oprows - rows of devices as rows of the table of kroof: the operator and the arguments of each,
 * and its call, which may have several rows.
 *
 * Memory: that of rates, and what calls holds.
 */
#ifndef OPROWS_H
#define OPROWS_H

#include "wall/devices.h"
#include "wall/kind.h"

#include "calls.h"
#include "lacks.h"
#include "rates.h"

/* Starts with rates and kinds set, all else 0. */
struct oprows {
	struct rates *rates;
	struct kinds *kinds;    /* kinds that have seen all lines of the stream */
	struct devices sources; /* only the source of a row */
	struct calls calls;
	struct lacks lacks;
	int ts;
	int op; /* the column with operators */
	int op_id;
	int arg[ARGS_COLUMNS];
	int *label;           /* columns of rates.labels */
	int *column;          /* columns that rules use */
	bool operators;       /* a row has an operator */
	bool args;            /* the stream has columns of arguments */
	bool values;          /* a row has arguments */
	uint64_t broken;      /* rows whose arguments are not lists */
	uint64_t refused;     /* rows with arguments that no call can have */
	struct strmap labels; /* labels of rates_labelled */
	struct buf key;
	struct buf text;
};

/* For each columns and metadata line. An error is recorded in the reader. */
void oprows_columns(struct oprows *rows, struct kev_reader *in);
void oprows_metadata(struct oprows *rows, const struct kev_reader *in);

/* Whether rows need a ts: their calls have ids. */
bool oprows_needs_ts(const struct oprows *rows);

/*
 * Takes the row at hand, which is of a device; dur is not below 0. An error is recorded in the
 * reader. False if a temporary file fails: see calls.error.
 */
bool oprows_add(struct oprows *rows, struct kev_reader *in, struct dec ts, struct dec dur);

/* After the last row: adds the calls. It returns and records as oprows_add does. */
bool oprows_finish(struct oprows *rows, struct kev_reader *in);

void oprows_free(struct oprows *rows);

#endif
