/*
 * ranktracks - rows of several ranks in one trace: pids and ids that differ, and times of one
 * clock.
 *
 * Memory: some 60 bytes for each rank and pid.
 */
#ifndef RANKTRACKS_H
#define RANKTRACKS_H

#include "base/dec.h"
#include "base/strmap.h"
#include "stream/kev.h"

/* Columns whose ids of one rank mean nothing in another, which may be missing. */
enum { RANKTRACKS_IDS = 5 };

/* Starts as {0}. */
struct ranktracks {
	struct strmap ranks; /* ranks whose clocks are known */
	struct dec *offset;
	size_t offset_cap;
	bool offsets;       /* a table of clocks was read */
	struct strmap pids; /* rank, tab, pid, escaped: a number of this is a pid of the trace less 1 */
	struct buf key;
	struct buf pid;
	struct buf ts;
	struct buf launch_ts;
	int rank; /* columns */
	int pid_column;
	int ts_column;
	int launch_column; /* launch_ts; may be KEV_NONE */
	int id_column[RANKTRACKS_IDS];
	struct buf id[RANKTRACKS_IDS];
};

/*
 * Takes a row of a table of kcoll --align. Errors are recorded in its reader, also if its unit is
 * not us, or not the unit of the rows.
 */
void ranktracks_clock(struct ranktracks *tracks, struct kev_reader *table);

/* The pid in the trace, as text, of a rank and its pid, escaped. Good until the next call. */
struct str ranktracks_pid(struct ranktracks *tracks, struct str rank, struct str pid);

/*
 * For each columns line; then for each row, whose pid, ts and launch_ts it replaces, and whose ids,
 * which then begin with the rank and a colon. Errors are recorded. Returns by how many bytes the
 * ids and launch_ts may be longer.
 */
void ranktracks_columns(struct ranktracks *tracks, struct kev_reader *in);
size_t ranktracks_row(struct ranktracks *tracks, struct kev_reader *in);

/* Appends "rank 3: ", and NAME, or "pid 7" if it has no name. rank and pid are escaped. */
void ranktracks_name(struct buf *out, struct str rank, struct str pid, struct str name);

void ranktracks_free(struct ranktracks *tracks);

#endif
