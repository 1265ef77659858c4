/*
 * launches - the calls of the host that launched the rows of devices, and the calls that wait for
 * a device. All programs that ask for the launch of a row ask here.
 *
 * The rule, which kev(5) has for users:
 * - A launch is a row of a call (kernel/rowkind) with a correlation and a ts. Marks of a device,
 *   operators and annotations launch nothing, even if they have a correlation.
 * - A correlation of 0 is missing: profilers write it for rows without a launch.
 * - The launch of a row of a device is the earliest call with its correlation in its file. It may
 *   stand before or after the row, and may have begun after the row: clocks differ. Of calls that
 *   began together it is the longest, which encloses the others, then the first by thread and name.
 * - The launch of a graph has many rows; its correlation is all that links them. Calls while a
 *   graph is captured have correlations that no row has.
 * - If several processes of a file have calls of the correlation, the launch is the earliest call
 *   of the process to which the device belongs. A device belongs to a process if each of its rows
 *   with a correlation of a single process has that of this one. Otherwise the row has a launch,
 *   but which one is unknown.
 * - If launch_ts of a row is not empty (kcontext, klaunch), the row names its launch itself. Rows
 *   with equal correlation, launch_ts and launch_tid have one launch.
 * - Flows of Ascend (async_npu) tell kcontext which operator a kernel is of. They are no launches.
 *
 * Memory: 56 bytes for each correlation, 9 if lean, and up to 80 more if correlations are far from
 * each other; some 110 for each launch that rows name themselves; 80 for each call that waits; and
 * the distinct names and threads.
 */
#ifndef LAUNCHES_H
#define LAUNCHES_H

#include "kernel/rowkind.h"
#include "stream/kev.h"
#include "trace/idmap.h"

#define LAUNCHES_NONE SIZE_MAX

enum launch_column {
	LAUNCH_TS,
	LAUNCH_DUR,
	LAUNCH_NAME,
	LAUNCH_PID,
	LAUNCH_TID,
	LAUNCH_CORRELATION,
	LAUNCH_OWN_TS, /* launch_ts of a row that kcontext or klaunch has seen */
	LAUNCH_OWN_DUR,
	LAUNCH_OWN_TID,
	LAUNCH_COLUMNS
};

/* A launch. The numbers of name, thread and process are the caller's, or those of launches_host. */
struct launch {
	struct dec ts;
	struct dec dur; /* 0 if it is unknown */
	uint32_t name;
	uint32_t thread;
	uint32_t process;
	/* Bits, so that a launch takes 48 bytes. */
	bool known : 1;   /* the call is in the stream */
	bool ended : 1;   /* dur is known */
	bool own : 1;     /* a row names it: name is unknown, and thread has only a tid */
	bool several : 1; /* other processes have calls of its correlation */
	bool graph : 1;   /* for the caller */
};

struct launch_wait;
struct launch_owner;

/* Starts with lean and without_waits set, all else 0. */
struct launches {
	bool lean; /* hold only whether there is a call: for launches_id, _add and _is_known alone */
	bool without_waits; /* launches_waited is not asked */
	int column[LAUNCH_COLUMNS];
	struct idmap *ids; /* correlations, by file; all have different numbers */
	size_t files;
	struct strmap own;    /* launches that rows name: file as bytes, and what rows name */
	uint32_t *own_number; /* number of a launch by number in own */
	size_t own_cap;
	struct launch *item;   /* by number */
	unsigned char *called; /* by number, if lean: there is a call */
	size_t count;
	size_t cap;
	struct strmap others; /* launches of further processes: number in item, and process */
	struct launch *other; /* by number in others */
	size_t other_cap;
	struct launch_owner *owner; /* by device */
	size_t owner_cap;
	uint64_t chosen;   /* rows whose correlation several processes have, with a known launch */
	uint64_t unchosen; /* rows whose correlation several processes have, with an unknown launch */
	/* By launches_host. */
	uint64_t no_time;         /* calls with a correlation and no ts */
	struct strmap names;      /* escaped */
	struct strmap threads;    /* file as bytes, pid and tid, escaped, with a tab between them */
	struct strmap processes;  /* file as bytes, pid */
	uint32_t *process;        /* number in processes, by number in threads */
	struct buf last_thread;   /* pid and tid of the last call */
	size_t last_file;         /* file of the last call */
	uint32_t last;            /* thread of the last call */
	struct launch_wait *wait; /* calls that wait for a device */
	size_t process_cap;
	size_t waits;
	size_t wait_cap;
	struct dec *earliest; /* the earliest start of each range of waits */
	struct buf text;
};

/* --- any program ------------------------------------------------------------- */

/* Whether a row with this correlation has one: it is not empty and not 0. */
static inline bool launches_is_linked(struct str correlation)
{
	return correlation.n && !str_equal(correlation, STR("0"));
}

/* The number of a correlation in a file. launches_is_linked must hold. */
size_t launches_id(struct launches *launches, size_t file, struct str correlation);

/* The number of a correlation in a file; LAUNCHES_NONE if it is new. */
size_t launches_find(const struct launches *launches, size_t file, struct str correlation);

/*
 * Adds a call with ts, dur, ended, name, thread, process and graph set. False if another call has
 * its correlation. The texts of threads and names decide between calls with equal times; both may
 * be NULL.
 */
bool launches_add(struct launches *launches, size_t file, struct str correlation,
                  const struct launch *call, const struct strmap *threads,
                  const struct strmap *names);

/*
 * After the last row: call launches_own for each row of a device with the number of its launch, and
 * then launches_choose for each of them again. It returns the number of the launch that counts, or
 * LAUNCHES_NONE if that is unknown. This is needed only if others is not empty.
 */
void launches_own(struct launches *launches, size_t number, size_t device);
size_t launches_choose(struct launches *launches, size_t number, size_t device);

/* Warns of the rows whose correlation several processes have; file stands before, if not NULL. */
void launches_warn(const struct launches *launches, const char *file);

/* Numbers are below this, also those of launches_choose. */
size_t launches_count(const struct launches *launches);

/* The launch of this number; NULL if it is not in the stream, or the number is LAUNCHES_NONE. */
const struct launch *launches_at(const struct launches *launches, size_t number);

/* Whether a call of this number is in the stream. */
static inline bool launches_is_known(const struct launches *launches, size_t number)
{
	return launches->lean ? launches->called[number] : launches->item[number].known;
}

/*
 * A key for each number below count, by which launches of one file have an order that does not
 * depend on the order of the rows. The caller frees it.
 */
uint64_t *launches_order(const struct launches *launches);

void launches_free(struct launches *launches);

/* --- by the columns of a stream ------------------------------------------------ */

/* For each columns line. With `needed`, a missing column is recorded as an error in the reader. */
void launches_columns(struct launches *launches, struct kev_reader *in, bool needed);

/* A row of the host of this kind, in a file by its number. */
void launches_host(struct launches *launches, struct kev_reader *in, size_t file,
                   enum rowkind kind);

/* The number of the launch of a row of a device; LAUNCHES_NONE if it names none. */
size_t launches_of(struct launches *launches, struct kev_reader *in, size_t file);

/* For a row that may name its launch, although a call in the stream has the name and the process
 * of the launch: its number by the correlation alone, as of launches_of. */
size_t launches_by_correlation(struct launches *launches, const struct kev_reader *in, size_t file);

/* The fields of a row by which it names its launch, escaped. */
struct launch_fields {
	struct str correlation;
	struct str ts;
	struct str dur;
	struct str tid;
};

/* Sets the fields of the row at hand; an error is recorded if ts or dur is not a number. */
void launches_fields(const struct launches *launches, struct kev_reader *in,
                     struct launch_fields *fields);

/* The number of the launch that a row names by these fields; LAUNCHES_NONE if it names none. */
size_t launches_named(struct launches *launches, size_t file, const struct launch_fields *fields);

/* After the last row, before launches_waited. */
void launches_finish(struct launches *launches);

/* Whether a call on the launch's thread waited at this time, and had returned at the launch. */
bool launches_waited(const struct launches *launches, const struct launch *launch, struct dec time);

/*
 * What the name of a call says of its waiting: for all work of a stream or device, or for its own
 * copy. An asynchronous copy from or to pageable memory waits, too.
 */
enum launch_waits { LAUNCH_WAITS_NOT, LAUNCH_SYNCHRONIZES, LAUNCH_COPIES };
enum launch_waits launch_waits(struct str name);

/* The name of the call, escaped; empty if a row names it. */
struct str launch_name(const struct launches *launches, const struct launch *launch);

/* pid, a tab and tid of the call, escaped; or its tid. */
struct str launch_track(const struct launches *launches, const struct launch *launch);
struct str launch_tid(const struct launches *launches, const struct launch *launch);

/* A negative duration counts as 0. */
static inline struct dec launch_end(const struct launch *launch)
{
	return (struct dec){launch->ts.nano + (launch->dur.nano < 0 ? 0 : launch->dur.nano)};
}

#endif
