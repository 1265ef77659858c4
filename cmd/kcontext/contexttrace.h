/*
 * contexttrace - a trace of a context, and the fields of the row at hand: for context and
 * contextgraph alone.
 */
#ifndef CONTEXTTRACE_H
#define CONTEXTTRACE_H

#include "base/mem.h"

#include "capture.h"
#include "choice.h"
#include "context.h"
#include "origin.h"
#include "ranges.h"
#include "replay.h"
#include "stack.h"

struct context_trace {
	struct strmap threads; /* "pid TAB tid", of the host and of devices, and "pid" alone */
	struct buf thread_key; /* the last thread that was added */
	uint32_t thread;       /* number of that thread */
	struct buf device_key; /* the last device of a kernel, if has_device */
	uint32_t device;       /* its number */
	bool has_device;
	struct origins origins;
	struct operator_spans operators;
	bool launched;      /* it has launches, or flows */
	uint32_t launching; /* 1 + the thread of the last launch */
	uint32_t process;   /* process of that thread, a number in threads */
	struct steps steps;
	bool formed;              /* an annotation has a known form of a step */
	size_t annotations;       /* annotations of steps in the last look */
	struct steps numbered;    /* steps if no annotation has a known form */
	uint64_t numbered_missed; /* annotations that would be in numbered, but lack a time */
	struct ranges ranges;
	struct stacks stacks;
	struct layers layers;
	struct layer_calls modules;  /* calls of modules that are layers */
	uint32_t *layer_of_function; /* layer of each Python function; LAYER_NONE */
	/* With captures: the next two for a REF, the others for the input. */
	uint32_t *module_of_function; /* call of a module that is the layer; STACK_NONE */
	struct capture_ref ref;
	struct replays replays;
	struct choices choices;
};

/* --- fields of the row at hand ------------------------------------------------ */

static inline struct str field(const struct context *c, const struct kev_reader *in,
                               enum context_column column)
{
	return in->field[c->column[column]];
}

static inline struct str text(struct context *c, const struct kev_reader *in,
                              enum context_column column)
{
	return kev_text(in, c->column[column], &c->text[column]);
}

/* The text of an id, which is so short that a call would take longer than its bytes. */
static inline struct str id_text(struct context *c, const struct kev_reader *in,
                                 enum context_column column)
{
	struct str id = c->column[column] == KEV_NONE ? STR("") : field(c, in, column);

	for (size_t i = 0; i < id.n; i++)
		if (id.s[i] == '\\')
			return text(c, in, column);
	return id;
}

static inline bool decimal(struct context *c, struct kev_reader *in, enum context_column column,
                           struct dec *out)
{
	return kev_number(in, c->column[column], out);
}

/* --- of a trace ------------------------------------------------------------------ */

/* For context_trace_of, if the scope of the row is not known. */
struct context_trace *context_trace_of_scope(struct context *c, struct kev_reader *in);

/* The trace of the row at hand. */
static inline struct context_trace *context_trace_of(struct context *c, struct kev_reader *in)
{
	if (c->column[CONTEXT_FILE] == KEV_NONE && c->scope_known)
		return &c->traces[c->scope];
	return context_trace_of_scope(c, in);
}

/* For context_thread_key. */
struct str context_join_thread(struct context *c, struct str pid, struct str tid);

/* "pid TAB tid" of the row at hand, as they mostly stand there; until c->key changes. */
static inline struct str context_thread_key(struct context *c, const struct kev_reader *in)
{
	struct str pid = field(c, in, CONTEXT_PID);
	struct str tid = field(c, in, CONTEXT_TID);

	if (tid.s == pid.s + pid.n + 1)
		return (struct str){pid.s, pid.n + 1 + tid.n};
	return context_join_thread(c, pid, tid);
}

/* The number of that thread. */
uint32_t context_add_thread(struct context *c, struct context_trace *trace,
                            const struct kev_reader *in);

/* The device of the row at hand, a number in threads. Kernels of one mostly follow each other. */
static inline uint32_t context_device(const struct context *c, struct context_trace *trace,
                                      const struct kev_reader *in)
{
	struct str pid = field(c, in, CONTEXT_PID);

	if (!trace->has_device || !str_equal(buf_view(&trace->device_key), pid)) {
		trace->device_key.len = 0;
		buf_str(&trace->device_key, pid);
		trace->device = (uint32_t)strmap_add(&trace->threads, pid, NULL);
		trace->has_device = true;
	}
	return trace->device;
}

/* The process of a thread, a number in threads; STRMAP_NONE if no row has added it. */
size_t context_process(const struct context_trace *trace, uint32_t thread);

/* The step at a time on a thread of the host, or else on the others of its process. */
uint32_t context_step_near(const struct context_trace *trace, uint32_t thread, struct dec time);

/*
 * The number of the launch with this number or, if several processes have launches of its
 * correlation, that of the process of the row's device; LAUNCHES_NONE if it is unknown.
 */
size_t context_launch(struct context *c, const struct kev_reader *in, struct context_trace *trace,
                      size_t number);

/* Frees the trace, and makes it a new one. */
void context_clear_trace(const struct context *c, struct context_trace *trace);

#endif
