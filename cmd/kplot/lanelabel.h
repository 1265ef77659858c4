/*
 * lanelabel - the label of a lane: its fields and the name of its thread, nothing twice.
 *
 * Memory grows with the named processes and threads.
 */
#ifndef LANELABEL_H
#define LANELABEL_H

#include "base/strmap.h"

/* Whether the text contains the number as a whole one: "stream 7" has 7 and not 1. */
bool lanelabel_has_number(struct str text, struct str number);

/*
 * Bytes of the folders that the files of all lanes share, "run/" of "run/a" and "run/b". A lane is
 * its fields with tabs between them, the first of which is the file. There is at least one lane.
 */
size_t lanelabel_folders(const struct strmap *lanes);

/* The names of processes and threads. Starts as {0}. */
struct lanelabel_tracks {
	struct strmap tracks; /* pid, or pid TAB tid */
	struct buf *names;    /* by number of the track */
	size_t cap;
};

/* Takes the value of ##process, pid and name, with 1 field, or ##thread, pid, tid and name, 2. */
void lanelabel_name(struct lanelabel_tracks *tracks, struct str value, size_t fields);

/*
 * The label of a lane, for the caller to free: its fields, then the name of the thread, or else of
 * the process. A tid that is in the name of the thread is not repeated, nor an equal pid: "3 stream
 * 22", "thread 9 (python)". tracks is NULL if the lane is not a pid and a tid.
 */
struct str lanelabel_make(const struct lanelabel_tracks *tracks, struct str lane);

#endif
