/*
 * graphs - what kcontext says of the launches of graphs in its output: the ##capture lines, and
 * warnings. Memory: the distinct names of captures.
 */
#ifndef GRAPHS_H
#define GRAPHS_H

#include "stream/balance.h"

#include "context.h"

struct graphs_count {
	uint64_t launches;
	uint64_t rows;
	uint64_t matched;
};

/* Starts as {0}. */
struct graphs {
	/* Since the last graphs_put. */
	struct strmap names;
	struct graphs_count *count; /* by number in names */
	size_t count_cap;
	bool rows; /* there were rows, of any kind */
	/* In the stream so far. */
	bool put;             /* lines were written */
	uint64_t without;     /* launches without a capture */
	uint64_t too_long;    /* those for which a match would need too much memory */
	struct tally time;    /* kernel time of launches without a capture */
	uint64_t differing;   /* rows for which candidates differ in a column */
	struct words columns; /* such columns */
};

/* Counts a row of the output; kernel_dur is empty unless it is a kernel. Gives its column capture.
 */
struct str graphs_row(struct graphs *graphs, const struct context *context,
                      const struct context_place *place, struct str kernel_dur);

/*
 * Writes a ##capture line for each name, by its bytes, then for none; counts anew. For each
 * ##source line, and at the end of a stream; writes nothing if there were no rows, unless nothing
 * else was written until the end.
 */
void graphs_put(struct graphs *graphs, struct kev_writer *out, bool end);

/* After the last graphs_put: warns of a stream whose kernels take all_time; counts anew. */
void graphs_warn(struct graphs *graphs, const char *file, struct tally all_time);

#endif
