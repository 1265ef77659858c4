/*
 * ledger - the record of a merge: the table that dbmerge writes and dbreport reads, and the files
 * that were skipped.
 *
 * The table waits in a temporary file until all files are merged, as its reader may leave early.
 * Memory: the lines of one file, and the skipped files.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include "base/dec.h"
#include "io/spool.h"
#include "stream/kev.h"

/* The column `action`; dbmerge(1) describes each. */
enum ledger_action {
	LEDGER_FILE,
	LEDGER_UPDATED,
	LEDGER_ADDED,
	LEDGER_UNCHANGED,
	LEDGER_MISSING,
	LEDGER_DELETED,
	LEDGER_DUPLICATE,
	LEDGER_GAP,
	LEDGER_UNMATCHED,
	LEDGER_ACTIONS
};
extern const char *const ledger_actions[LEDGER_ACTIONS];

struct ledger {
	struct spool table; /* records without a head: whole lines */
	struct str op;      /* operator of the file at hand */
	struct str csv;     /* path of the file at hand */
	struct buf facts;   /* its lines */
	struct ledger_skipped *skipped;
	size_t skipped_count;
	size_t skipped_cap;
	char error[256];
};

/* False, with the reason in error, if no temporary file can be made. */
bool ledger_open(struct ledger *ledger);

/* The next facts are of this file. The texts must outlive them. What was not kept is forgotten. */
void ledger_begin(struct ledger *ledger, struct str op, struct str csv);

/*
 * Adds a line. now, before: the cells with the duration of a row after and before the merge; one
 * that is not a number is left empty.
 */
void ledger_fact(struct ledger *ledger, enum ledger_action action, struct str signature,
                 uint64_t count, struct str now, struct str before);

/* Adds the distance of two durations above 0. */
void ledger_gap(struct ledger *ledger, struct str signature, struct dec microbench,
                struct dec profiling);

/* Keeps the lines of the file at hand; ledger_keep_file puts a line with its rows before them. */
bool ledger_keep(struct ledger *ledger);
bool ledger_keep_file(struct ledger *ledger, uint64_t rows);

/* A file that could not be merged: it becomes a ##damaged line before the table. */
void ledger_skip(struct ledger *ledger, struct str csv, struct str why);

/* The columns line of the table. */
void ledger_put_columns(struct kev_writer *out);

/* Writes the skipped files and the table. False, with error, if the table cannot be read back. */
bool ledger_put(struct ledger *ledger, struct kev_writer *out);

void ledger_close(struct ledger *ledger);

#endif
