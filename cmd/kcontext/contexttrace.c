#include "contexttrace.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* --- the trace of a row ----------------------------------------------------- */

static struct context_trace new_trace(const struct context *c)
{
	return (struct context_trace){.operators = OPERATOR_SPANS,
	                              .stacks = {.addresses = c->addresses}};
}

/* The number of a scope, for which there is then a trace. */
static size_t add_scope(struct context *c, struct kev_reader *in, struct str name)
{
	size_t scope = strmap_find(&c->scopes, name);
	size_t cap = c->traces_cap;

	if (scope != STRMAP_NONE)
		return scope;
	if (c->scopes.count == CONTEXT_TRACES) {
		kev_misuse(in, "more than %d traces in one stream; give them in several files",
		           CONTEXT_TRACES);
		return 0;
	}
	scope = strmap_add(&c->scopes, name, NULL);
	c->traces = mem_grow(c->traces, &c->traces_cap, scope + 1, sizeof *c->traces);
	for (; cap < c->traces_cap; cap++)
		c->traces[cap] = new_trace(c);
	return scope;
}

void context_begin(struct context *c)
{
	c->sources = 0;
	c->scope_known = false;
}

void context_source(struct context *c)
{
	c->sources++;
	c->scope_known = false;
}

/* The scope of the last ##source line. No file has such a name: a tab in a field is escaped. */
static size_t source_scope(struct context *c, struct kev_reader *in)
{
	c->key.len = 0;
	buf_format(&c->key, "\t%zu", c->sources);
	c->scope = add_scope(c, in, buf_view(&c->key));
	c->scope_known = true;
	return c->scope;
}

struct context_trace *context_trace_of_scope(struct context *c, struct kev_reader *in)
{
	size_t scope = c->column[CONTEXT_FILE] == KEV_NONE
	                   ? source_scope(c, in)
	                   : add_scope(c, in, field(c, in, CONTEXT_FILE));

	return &c->traces[scope];
}

/* --- threads, devices, processes ----------------------------------------------- */

struct str context_join_thread(struct context *c, struct str pid, struct str tid)
{
	c->key.len = 0;
	buf_str(&c->key, pid);
	buf_char(&c->key, '\t');
	buf_str(&c->key, tid);
	return buf_view(&c->key);
}

/* Rows of one thread mostly follow each other. */
uint32_t context_add_thread(struct context *c, struct context_trace *trace,
                            const struct kev_reader *in)
{
	struct str key = context_thread_key(c, in);

	if (trace->thread_key.len != key.n || memcmp(trace->thread_key.data, key.s, key.n) != 0) {
		trace->thread_key.len = 0;
		buf_str(&trace->thread_key, key);
		trace->thread = (uint32_t)strmap_add(&trace->threads, key, NULL);
	}
	return trace->thread;
}

size_t context_process(const struct context_trace *trace, uint32_t thread)
{
	struct str pid = strmap_key(&trace->threads, thread);

	pid.n = (size_t)((const char *)memchr(pid.s, '\t', pid.n) - pid.s);
	return strmap_find(&trace->threads, pid);
}

uint32_t context_step_near(const struct context_trace *trace, uint32_t thread, struct dec time)
{
	uint32_t step = steps_on_thread(&trace->steps, thread, time);
	size_t process;

	if (step != STEP_NONE)
		return step;
	process = context_process(trace, thread);
	return process == STRMAP_NONE ? STEP_NONE : steps_in_process(&trace->steps, process, time);
}

size_t context_launch(struct context *c, const struct kev_reader *in, struct context_trace *trace,
                      size_t number)
{
	struct launches *launches = &trace->origins.launches;

	if (launches->others.count == 0)
		return number;
	return launches_choose(launches, number,
	                       strmap_find(&trace->threads, field(c, in, CONTEXT_PID)));
}

/* --- the end of a stream ---------------------------------------------------------- */

void context_clear_trace(const struct context *c, struct context_trace *trace)
{
	strmap_free(&trace->threads);
	buf_free(&trace->thread_key);
	buf_free(&trace->device_key);
	origins_free(&trace->origins);
	operator_spans_free(&trace->operators);
	steps_free(&trace->steps);
	steps_free(&trace->numbered);
	ranges_free(&trace->ranges);
	stacks_free(&trace->stacks);
	layers_free(&trace->layers);
	free(trace->modules.call);
	free(trace->layer_of_function);
	free(trace->module_of_function);
	capture_ref_free(&trace->ref);
	choices_free(&trace->choices);
	replays_free(&trace->replays);
	*trace = new_trace(c);
}
