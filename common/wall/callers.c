#include "wall/callers.h"

#include "base/mem.h"

#include <stdlib.h>

enum { SPAN_MAX = 256 };

/* The thread of a launch. */
struct callers_host {
	bool known;
	bool own; /* found for a launch that only a row of a device names */
	uint32_t process;
	const struct thread *thread;
};

struct interval callers_span(const struct launch *launch)
{
	return (struct interval){launch->ts, launch_end(launch)};
}

static const struct callers_host *host_of(struct callers *callers, const struct launch *launch,
                                          size_t file)
{
	struct str track = launch_track(callers->launches, launch);
	struct callers_host *host;

	callers->host = mem_grow_zero(callers->host, &callers->cap, launch->thread + (size_t)1,
	                              sizeof *callers->host);
	host = &callers->host[launch->thread];
	if (host->known && host->own == launch->own)
		return host;
	host->known = true;
	host->own = launch->own;
	host->thread = launch->own ? threads_by_tid(callers->threads, file, tsv_field(track, 1))
	                           : threads_find(callers->threads, file, track);
	if (host->thread)
		host->process = host->thread->process;
	else
		host->process = launch->own ? THREADS_NONE
		                            : threads_process(callers->threads, file, tsv_field(track, 0));
	return host;
}

/*
 * Finds the row of the launch on its thread, or else its place there. Of rows of one span it looks
 * at SPAN_MAX, as each launch would look at all of them.
 */
static void find_place(const struct callers *callers, struct caller *caller)
{
	const struct interval span = callers_span(caller->launch);
	const struct thread *thread = caller->thread;
	size_t place = threads_place(thread, &span, ROWKIND_IN_OPERATOR);
	size_t stop = thread->count - place < SPAN_MAX ? thread->count : place + SPAN_MAX;

	for (; place < stop; place++) {
		const struct threads_row *row = &thread->row[place];
		struct str name = threads_name(callers->threads, row);

		if (dec_compare(row->start, span.start) != 0 || dec_compare(row->end, span.end) != 0)
			break;
		/* The operator around a call may have its span, but not its name. */
		if (!row->call || (caller->name.n && !str_equal(name, caller->name)))
			continue;
		caller->name = name;
		caller->place = place;
		return;
	}
	caller->place = threads_place(thread, &span, ROWKIND_IN_RUNTIME);
}

struct caller callers_find(struct callers *callers, const struct launch *launch, size_t file)
{
	const struct callers_host *host = host_of(callers, launch, file);
	struct caller caller = {
		.launch = launch,
		.thread = host->thread,
		.process = host->process,
		.pid = tsv_field(launch_track(callers->launches, launch), 0),
		.tid = launch_tid(callers->launches, launch),
		.name = launch_name(callers->launches, launch),
	};

	if (caller.thread) {
		caller.pid = threads_pid(callers->threads, caller.thread);
		find_place(callers, &caller);
	}
	return caller;
}

void callers_free(struct callers *callers)
{
	free(callers->host);
	*callers = (struct callers){0};
}
