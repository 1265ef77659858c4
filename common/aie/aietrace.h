/*
 * aietrace - the AI Engine traces of a stream: which begins and ends are of which
 * core of which trace.
 *
 * A core is a process that a ##process line calls core_trace. Where the stream has
 * a column file, rows of each file are a trace of their own. Lines and rows come
 * in any order.
 */
#ifndef AIETRACE_H
#define AIETRACE_H

#include "aie/aie.h"
#include "base/strmap.h"
#include "stream/kev.h"

struct aie_core {
	struct str pid;
	struct str name; /* of the tile: what follows the last " for " of the process's name, or all */
	struct aie_tile *tile;
};

struct aie_trace {
	struct str file;       /* its column, its ##source or the path that was read; a NUL behind it */
	struct aie_core *core; /* in the order in which the trace names them */
	size_t cores;
	size_t cap;
};

/* Starts as {.to_begin = …}. */
struct aie_traces {
	bool to_begin; /* a kernel lasts to the begin of its INSTR_EVENT_1, not to its end */
	struct aie_trace *trace;
	size_t count;
	bool files;         /* there was a column file */
	bool instructions;  /* there was an INSTR_EVENT */
	uint64_t core_rows; /* behind aie_traces_find: the rows that were taken, by their process */
	uint64_t other_rows;
	uint64_t unnamed_rows;
	/* The layout. */
	int ts;
	int name;
	int ph;
	int pid;
	int file;
	/* What the stream says of itself: texts as they stand in it, with their escapes. */
	const char *path;      /* that is read, */
	int paths_left;        /* how many behind it, */
	size_t paths;          /* and how many until now */
	bool sourced;          /* it has said where it is from, or has rows */
	struct buf source;     /* its last ##source */
	struct strmap sources; /* number of the path, tab, source */
	struct strmap names;   /* source, tab, pid */
	struct str *name_of;   /* what that process is called, decoded; by number in names */
	size_t names_cap;
	bool renamed;            /* a process was named again, differently, by lines of one source */
	struct strmap processes; /* file, tab, pid */
	struct aie_process **process; /* by number in processes */
	size_t processes_cap;
	struct buf key;
};

enum aie_row {
	AIE_FAILED = -1, /* said in the reader's error */
	AIE_TAKEN,
	AIE_OTHER, /* no begin or end of a kernel or stall */
	AIE_NO_TS,
};

/* What kev_next gave; columns gives false where one is missing, said in the reader's error. */
bool aie_traces_columns(struct aie_traces *traces, struct kev_reader *in);
void aie_traces_meta(struct aie_traces *traces, const struct kev_reader *in);
enum aie_row aie_traces_row(struct aie_traces *traces, struct kev_reader *in);

/* The stream is at its end: fills trace[] and counts the rows. The tiles are not paired. */
void aie_traces_find(struct aie_traces *traces);

void aie_traces_free(struct aie_traces *traces);

#endif
