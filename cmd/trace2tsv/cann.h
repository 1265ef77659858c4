/*
 * cann - rows of a trace of Ascend that wait for the end of the file: only then it is known which
 * call of CANN launched a row of the device, and which process made a call (trace2tsv(1), Ascend).
 *
 * If no call has the correlation of a row of the device, the HostToDevice flow that ends at the row
 * decides, by its pid, tid and ts: the launch is the shortest call that is open at the start of the
 * flow, on its thread. The row gets the correlation of that call. Of several flows to a row the
 * flow that starts first counts.
 *
 * Rows wait in a temporary file, what is known of calls and flows in another. Memory: some 8 bytes
 * for each call; only if rows have no call, also some 250 bytes for each of them with its launch. A
 * function that returns bool returns false, with the reason in error, if a file fails.
 */
#ifndef CANN_H
#define CANN_H

#include "base/dec.h"
#include "base/strmap.h"
#include "io/spool.h"
#include "trace/idmap.h"

/* What the end of the file may change in a row. */
enum cann_role {
	CANN_NOTHING,
	CANN_WORK, /* the correlation of a kernel or copy */
	CANN_CALL, /* the pid of a call */
};

/* Starts as {0}. */
struct cann {
	bool waits;    /* a row waits, and all rows after it must */
	uint64_t rows; /* that wait: to leave out the last row, count one less */
	char error[sizeof((struct spool *)0)->error];
	/* Private to cann.c. */
	struct spool spool;
	struct spool facts;
	bool has_facts;
	struct strmap processes; /* processes with operators */
	struct buf process;      /* the last of them */
	struct strmap tracks;    /* threads of calls and flows, streams at which flows end */
	struct idmap calls;      /* correlations of calls */
	struct strmap ends;      /* rows of the device whose correlation no call has */
	uint32_t *launches;      /* by end: number of its call, or TIMELINE_NONE */
	uint64_t *correlations;  /* by number of the call: its code in calls */
	struct buf key;
	struct buf line;
	struct buf scratch;
	struct buf field;
};

/* A process has an operator. */
void cann_operator(struct cann *cann, struct str pid);

/* A call of CANN, whose correlation may be empty. */
bool cann_call(struct cann *cann, const struct str thread[2], struct str ts, struct str dur,
               struct str correlation);

/* The start (ph s) or end (f) of a HostToDevice flow. thread: pid and tid. */
bool cann_flow(struct cann *cann, char ph, struct str id, const struct str thread[2],
               struct str ts);

/* Lets a row wait: a line with the columns of trace2tsv -g. cann_next gives process back. */
bool cann_put(struct cann *cann, enum cann_role role, size_t process, struct str line);

/* After the last row. Then cann_next gives the rows, if any wait. */
bool cann_settle(struct cann *cann);

/* > 0 sets the row that waited next, good until the next call; 0 is the end; < 0 is in error. */
int cann_next(struct cann *cann, size_t *process, struct str *line);

/* Makes it {0} again. */
void cann_close(struct cann *cann);

#endif
