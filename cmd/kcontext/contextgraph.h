/*
 * contextgraph - kernels of graphs in a context with captures: what the rows of a reference trace
 * (REF) say, and the capture that stands for each launch of a graph in the input.
 *
 * A REF is a stream of its own context, of which reference is set: after context_build,
 * contextgraph_gather adds it to the captures. The input is looked at once more, before the rows
 * are placed: contextgraph_replay takes every row, and contextgraph_choose ends that look. Then
 * context_place answers for rows of graphs, too, and contextgraph_pass takes each other copy.
 */
#ifndef CONTEXTGRAPH_H
#define CONTEXTGRAPH_H

#include "capture.h"
#include "choice.h"
#include "context.h"

/* The columns of captures; those of context.args follow. */
enum {
	CONTEXTGRAPH_OP,
	CONTEXTGRAPH_STACK,
	CONTEXTGRAPH_MODULE,
	CONTEXTGRAPH_MODULE_STACK,
	CONTEXTGRAPH_LAYER,
	CONTEXTGRAPH_ARGS
};

/* What a REF has. */
struct contextgraph_found {
	bool any;        /* a capture or an eager kernel */
	bool nameless;   /* a capture with kernel calls without a name */
	uint64_t deep;   /* captures that are left out, as they are within too many others */
	uint64_t single; /* begins and ends of captures without the other */
	uint64_t cut;    /* calls in more modules than module_stack has */
};

struct contextgraph_found contextgraph_gather(struct context *context);

/* A row of the look before the choice. */
void contextgraph_replay(struct context *context, struct kev_reader *in);

void contextgraph_choose(struct context *context);

/* A copy of a later look that context_place is not asked for. */
void contextgraph_pass(struct context *context, struct kev_reader *in);

/* What stands for the launch of a row: the annotation of a capture, or capture, eager or none. */
struct str contextgraph_name(const struct context *context, const struct context_graph *graph);

/* Whether nothing stands for the launch because a match would need too much memory. */
bool contextgraph_is_long(const struct context_graph *graph);

/* --- for context ---------------------------------------------------------------- */

struct context_trace;

/*
 * A row of the first look. False if it is of a REF, and is a call or an annotation of captures that
 * lacks its time.
 */
bool contextgraph_learn(struct context *context, struct context_trace *trace, struct kev_reader *in,
                        enum context_kind kind);

/* The next row of a launch, by its number. */
void contextgraph_next(struct context_trace *trace, size_t number, struct context_graph *graph);

/* The value of a row; empty if it is lost, or if the row has no capture. */
struct str contextgraph_value(const struct context *context, const struct context_graph *graph,
                              size_t column);

/* What the capture says of the place of a row. */
void contextgraph_place(struct context *context, struct context_place *place);

#endif
