/*
 * operator - the operators of the traces of a stream: the operator that is open at a time, or that
 * an External id names.
 *
 * Memory: some 90 bytes for each operator, 150 if it matches a glob, the distinct names, and the
 * distinct arguments.
 */
#ifndef OPERATOR_H
#define OPERATOR_H

#include "base/words.h"
#include "trace/idmap.h"
#include "trace/timeline.h"

#define OPERATOR_NONE UINT32_MAX

/* The calls of operators of all traces. Starts as {0}. */
struct operators {
	struct words globs; /* set before the first call: outer operators with such a name count */
	struct operator_call *calls; /* by number */
	size_t count;
	size_t cap;
	uint64_t before;     /* calls of earlier streams */
	struct strmap names; /* names of the operators */
	bool *matches;       /* whether each name matches a glob */
	size_t matches_cap;
	struct strmap args; /* fields of the arguments, as the caller gives them */
};

/* Where the calls of one trace are. Starts as OPERATOR_SPANS. */
struct operator_spans {
	struct timeline all;   /* values are numbers of calls */
	struct timeline outer; /* calls that match a glob; values as above */
	struct idmap ids;
	struct operator_id *of_id; /* by number in ids */
	size_t ids_cap;
};

#define OPERATOR_SPANS ((struct operator_spans){.outer = {.longest = true}})

/* Adds a call, and gives its number. */
uint32_t operators_add(struct operators *operators, struct str name, struct str args);

struct str operators_name(const struct operators *operators, uint32_t call);
struct str operators_args(const struct operators *operators, uint32_t call);

/*
 * The External id of a call; ts is NULL if it is unknown. Of several calls with one id the earliest
 * has it, and of those the first by name and arguments, whatever their order. False if the id is
 * not new.
 */
bool operators_set_id(const struct operators *operators, struct operator_spans *spans,
                      struct str id, uint32_t call, const struct dec *ts);

/* Whether the name of a call matches a glob. */
bool operators_match(const struct operators *operators, uint32_t call);

/*
 * The span of a call, on a thread that the caller numbers. outer: operators_match is true of it and
 * it has Input Dims. False if the end is too large. Inline, as kcontext takes 1 % longer otherwise.
 */
static inline bool operators_set_span(struct operator_spans *spans, size_t thread, struct dec ts,
                                      struct dec dur, uint32_t call, bool outer)
{
	return timeline_add(&spans->all, thread, ts, dur, call) &&
	       (!outer || timeline_add(&spans->outer, thread, ts, dur, call));
}

/* After the last call of the trace. */
void operators_build(struct operator_spans *spans);

/*
 * The call that counts at a time on a thread: the outermost that matches a glob, else the
 * innermost; OPERATOR_NONE.
 */
uint32_t operators_at(const struct operator_spans *spans, size_t thread, struct dec time);

/* The call with an External id; OPERATOR_NONE. */
uint32_t operators_by_id(const struct operator_spans *spans, struct str id);

void operator_spans_free(struct operator_spans *spans);

/* Forgets the calls, for the next stream; keeps the globs. */
void operators_clear(struct operators *operators);
void operators_free(struct operators *operators); /* all but the globs */

#endif
