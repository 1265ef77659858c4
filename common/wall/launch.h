/*
 * launch - the calls of the host that launched the rows of a device, and those that wait for one.
 *
 * The launch of a row is the earliest call of the host in the same file with its correlation. If
 * the stream has the column launch_ts (kcontext), rows name their launch themselves. If several
 * processes of a file have calls of one correlation, the launch is that of the process to which the
 * device belongs: all its rows with a correlation of one process have launches of this one. Memory:
 * some 150 bytes for each correlation, 80 for each call that waits.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "stream/kev.h"

enum launch_column {
	LAUNCH_TS,
	LAUNCH_DUR,
	LAUNCH_NAME,
	LAUNCH_PID,
	LAUNCH_TID,
	LAUNCH_CORRELATION,
	LAUNCH_OWN_TS, /* of a row of a device that kcontext has seen */
	LAUNCH_OWN_DUR,
	LAUNCH_OWN_TID,
	LAUNCH_COLUMNS
};

struct launch {
	struct dec ts;
	struct dec end;
	size_t name;   /* in launches.names; STRMAP_NONE: unknown */
	size_t thread; /* in launches.threads */
	bool known;    /* it is in the stream, */
	bool ended;    /* and so is its end */
	bool several;  /* other processes have calls of its correlation */
};

struct launch_wait;
struct launch_owner;

/* Starts as {0}. */
struct launches {
	int column[LAUNCH_COLUMNS];
	struct strmap ids;   /* the same of file and correlation */
	struct launch *item; /* by number in ids */
	size_t cap;
	uint64_t no_time;      /* calls with a correlation and no ts */
	struct strmap names;   /* escaped */
	struct strmap threads; /* file as bytes, pid and tid, escaped, with a tab between them */
	struct strmap processes;
	size_t *process; /* by thread */
	size_t process_cap;
	struct strmap others; /* number in ids, and process after the first */
	struct launch *other; /* by number there */
	size_t other_cap;
	struct launch_owner *owner; /* by device */
	size_t owner_cap;
	uint64_t chosen;   /* rows by their correlation of several processes, */
	uint64_t unchosen; /* and those whose launch is unknown */
	struct launch_wait *wait;
	size_t waits;
	size_t wait_cap;
	struct dec *earliest; /* of ranges of waits: the earliest start */
	struct buf text;
};

/* For each columns line; an error is recorded in the reader. */
void launches_columns(struct launches *launches, struct kev_reader *in);

/* A row of the host in a file, by its number. */
void launches_host(struct launches *launches, struct kev_reader *in, size_t file);

/* The number of the launch of a row of a device; STRMAP_NONE if it names none. */
size_t launches_of(struct launches *launches, struct kev_reader *in, size_t file);

/* After the last row, before a question. */
void launches_finish(struct launches *launches);

/* Then for each row of a device with the number of its launch; and after all of them, for each row
 * again: the number of the launch in the end, STRMAP_NONE if it is unknown. */
void launches_own(struct launches *launches, size_t number, size_t device);
size_t launches_choose(struct launches *launches, size_t number, size_t device);

/* Numbers are below this. */
size_t launches_count(const struct launches *launches);

/* The launch of this number; NULL if it is not in the stream, or the number is STRMAP_NONE. */
const struct launch *launches_at(const struct launches *launches, size_t number);

/* Whether a call on the launch's thread waited at this time, and had returned at the launch. */
bool launches_waited(const struct launches *launches, const struct launch *launch, struct dec time);

/* Its fields, escaped. */
struct str launch_name(const struct launches *launches, const struct launch *launch);
struct str launch_track(const struct launches *launches,
                        const struct launch *launch); /* pid, tab, tid */
struct str launch_tid(const struct launches *launches, const struct launch *launch);

void launches_free(struct launches *launches);

#endif
