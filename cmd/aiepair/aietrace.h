/*
 * aietrace - the AI Engine traces of a stream: which begins and ends belong to which core of which
 * trace.
 *
 * A core is a process whose name in its ##process line has core_trace. If the stream has a column
 * file, the rows of each file are a trace of their own. Lines and rows come in any order.
 */
#ifndef AIETRACE_H
#define AIETRACE_H

#include "base/strmap.h"
#include "stream/kev.h"

#include "aie.h"

struct aie_core {
	struct str pid;
	struct str
		name; /* name of the tile: the process's name, from after its last " for " if it has one */
	struct aie_tile *tile;
};

struct aie_trace {
	struct str file;       /* the column file, ##source or the path; a NUL follows */
	struct aie_core *core; /* in the order of their names in the trace */
	size_t cores;
	size_t cap;
};

/* Starts as {.to_begin = …}. */
struct aie_traces {
	bool to_begin; /* a kernel lasts to the begin of its INSTR_EVENT_1, not to its end */
	struct aie_trace *trace;
	size_t count;
	bool files;         /* the stream has a column file */
	bool phases;        /* it has begins, ends or metadata: rows of trace2tsv -p BEM */
	uint64_t core_rows; /* after aie_traces_find: the rows taken, by their process */
	uint64_t other_rows;
	uint64_t unnamed_rows;
	/* The layout. */
	int ts;
	int name;
	int ph;
	int pid;
	int file;
	/* Metadata of the stream, with its escapes. */
	const char *path;      /* path of the file that is read */
	int operand;           /* the next operand */
	size_t paths;          /* files so far */
	bool sourced;          /* it has a ##source line or rows */
	struct buf source;     /* its last ##source */
	struct strmap sources; /* number of the path, tab, source */
	struct strmap names;   /* source, tab, pid */
	struct str *name_of;   /* the process's name, decoded; by number in names */
	size_t names_cap;
	bool renamed;                 /* a process has two names in lines of one source */
	struct strmap processes;      /* file, tab, pid */
	struct aie_process **process; /* by number in processes */
	size_t processes_cap;
	struct buf key;
};

enum aie_row {
	AIE_FAILED = -1, /* the reader's error says why */
	AIE_TAKEN,
	AIE_OTHER, /* another event than the begin or end of a kernel or stall */
	AIE_NO_TS,
};

/* For what kev_next returns. A missing column is recorded in the reader's error. */
void aie_traces_columns(struct aie_traces *traces, struct kev_reader *in);
void aie_traces_meta(struct aie_traces *traces, const struct kev_reader *in);
enum aie_row aie_traces_row(struct aie_traces *traces, struct kev_reader *in);

/* At the end of the stream: fills trace[] and counts the rows. Does not pair the tiles. */
void aie_traces_find(struct aie_traces *traces);

void aie_traces_free(struct aie_traces *traces);

#endif
