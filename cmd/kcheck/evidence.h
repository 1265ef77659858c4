/*
 * evidence - what kcheck knows of a trace: rows of devices, calls of the host, annotated steps.
 *
 * Memory: 64 bytes for each row of a device, some 70 for each correlation, 64 for each annotated
 * step, and the distinct names and streams.
 */
#ifndef EVIDENCE_H
#define EVIDENCE_H

#include "stream/group.h"
#include "wall/devices.h"
#include "wall/kind.h"
#include "wall/launches.h"

#define EVIDENCE_NONE UINT32_MAX

/* A stream of a device, or a thread of the host. */
struct evidence_place {
	size_t source;
	uint32_t process; /* a number of source and pid */
	bool device;      /* a row of a device is here */
};

struct evidence_row {
	struct dec ts;
	struct dec dur;
	uint64_t number; /* among all rows, from 0 */
	uint32_t place;
	uint32_t name;
	uint32_t op;   /* class of the row, in ops */
	uint32_t call; /* its call, in launches; EVIDENCE_NONE: it has no correlation */
	uint32_t hash; /* hash of the whole row */
};

/* What is known of a launch besides its call in launches. */
struct evidence_call {
	bool launches; /* a call with its correlation is named *Launch* */
	bool graph;    /* a call with its correlation is named *GraphLaunch* */
	bool has_rows; /* on a device */
};

struct evidence_step {
	struct dec ts;
	struct dec dur;
	uint32_t place;
	uint32_t name;
};

/* The rows of a file. */
struct evidence_source {
	bool calls;           /* calls have correlations */
	bool shared;          /* calls share a correlation */
	size_t rows;          /* rows of devices */
	size_t correlated;    /* rows of devices with a correlation */
	struct dec starts[2]; /* the two smallest starts of rows */
	struct dec ends[2];   /* the two largest ends of rows */
};

/* Starts as {0}. */
struct evidence {
	struct kinds kinds;
	struct devices devices; /* the caller gives it the key pid */
	struct strmap names;
	struct strmap ops;
	struct strmap places; /* source, pid and stream or tid, escaped */
	struct evidence_place *place;
	size_t place_cap;
	struct strmap processes;
	struct launches launches;   /* the thread of a call is its place, the name is in names */
	struct evidence_call *call; /* by number in launches */
	size_t call_cap;
	uint64_t *order; /* launches by correlation, after evidence_finish */
	struct evidence_row *row;
	size_t rows;
	size_t row_cap;
	struct evidence_step *step;
	size_t steps;
	size_t step_cap;
	struct strmap numbered; /* values of the column step */
	struct evidence_source *source;
	size_t source_cap;
	struct groups categories; /* categories of all rows */
	uint64_t all_rows;
	bool classes; /* set by the caller: ops are wanted */
	int ts;
	int dur;
	int name;
	int pid;
	int tid;
	int stream;
	int correlation;
	int numbers; /* the column step */
	struct buf key;
	struct buf text;
	struct buf scratch;
};

enum evidence_kind { EVIDENCE_HOST, EVIDENCE_UNTIMED, EVIDENCE_HELD };

/* Errors are recorded in the reader. */
void evidence_columns(struct evidence *evidence, struct kev_reader *in);
void evidence_metadata(struct evidence *evidence, const struct kev_reader *in);
enum evidence_kind evidence_add(struct evidence *evidence, struct kev_reader *in);

/* After the last row, before any question. */
void evidence_finish(struct evidence *evidence);

/* The launch of a row; NULL if it has none, or if the file has no calls at all. */
const struct launch *evidence_launch_of(const struct evidence *evidence,
                                        const struct evidence_row *row);

/* Whether the row has a correlation, and its file has calls. */
bool evidence_is_known(const struct evidence *evidence, const struct evidence_row *row);

/* The first file with rows of devices, none of which has a correlation. */
bool evidence_uncorrelated(const struct evidence *evidence, struct str *file);

/* The first file in which rows of devices have a correlation, and no launch is known. */
bool evidence_uncalled(const struct evidence *evidence, struct str *file);

/* How many calls are shared. */
uint64_t evidence_shared(const struct evidence *evidence);

/* The longest span of a file's rows of devices. */
struct dec evidence_span(const struct evidence *evidence);

void evidence_free(struct evidence *evidence);

#endif
