#include "walk.h"

#include "base/mem.h"

#include <stdlib.h>

const char *const path_kinds[PATH_KINDS] = {
	[PATH_KERNEL] = "kernel",     [PATH_COPY] = "copy",
	[PATH_QUEUE] = "queue",       [PATH_GRAPH] = "graph",
	[PATH_WAIT] = "wait",         [PATH_INFERRED] = "inferred",
	[PATH_UNLINKED] = "unlinked", [PATH_DELAY] = "delay",
	[PATH_LAUNCH] = "launch",     [PATH_RETURN] = "return",
	[PATH_OPERATOR] = "operator", [PATH_RUNTIME] = "runtime",
	[PATH_PYTHON] = "python",     [PATH_ANNOTATION] = "annotation",
	[PATH_NOTHING] = "nothing",
};

/* The thread on which the walk is. */
struct place {
	const struct thread *thread; /* NULL if it has no row */
	uint32_t process;
	uint32_t launch; /* by which the walk came to the process */
};

static struct dec sooner(struct dec a, struct dec b)
{
	return dec_compare(a, b) < 0 ? a : b;
}

static struct dec later(struct dec a, struct dec b)
{
	return dec_compare(a, b) < 0 ? b : a;
}

/* --- pieces ------------------------------------------------------------------- */

/* Goes back to a time by this piece, or by several of one row, which are one. */
static void go_back(struct walk *walk, struct dec to, struct path_piece piece)
{
	struct path_piece *last = walk->count ? &walk->piece[walk->count - 1] : NULL;

	to = later(to, walk->begin);
	if (dec_compare(to, walk->at) >= 0)
		return;
	piece.span = (struct interval){to, walk->at};
	walk->at = to;
	if (last && last->kind == piece.kind && last->row == piece.row &&
	    last->launch == piece.launch && last->thread == piece.thread) {
		last->span.start = to;
		return;
	}
	walk->piece = mem_grow(walk->piece, &walk->cap, walk->count + 1, sizeof *walk->piece);
	walk->piece[walk->count++] = piece;
}

static void back_by_device(struct walk *walk, struct dec to, enum path_kind kind, uint32_t row)
{
	go_back(walk, to, (struct path_piece){.kind = kind, .row = row, .launch = DEVROWS_NONE});
}

static void back_by_host(struct walk *walk, struct dec to, enum path_kind kind,
                         const struct thread *thread, uint32_t row)
{
	go_back(
		walk, to,
		(struct path_piece){.kind = kind, .row = row, .launch = DEVROWS_NONE, .thread = thread});
}

/* --- on a row of the device ---------------------------------------------------- */

/* What let a row begin, at most at the time of the walk. */
struct cause {
	uint32_t row; /* DEVROWS_NONE */
	enum path_kind kind;
	struct dec end;
};

static void consider(const struct walk *walk, struct cause *cause, uint32_t row,
                     enum path_kind kind)
{
	struct dec end;

	if (row == DEVROWS_NONE)
		return;
	end = sooner(walk->devrows->row[row].end, walk->at);
	if (cause->row == DEVROWS_NONE || dec_compare(cause->end, end) < 0)
		*cause = (struct cause){row, kind, end};
}

/* The row that ended last on the device, if the time since any known cause is long. */
static uint32_t inferred(const struct walk *walk, const struct cause *cause, struct dec launched)
{
	const struct devrows *devrows = walk->devrows;
	struct dec latest = launched;
	size_t limit;

	if (marks_file_waits(walk->marks, devrows->device[walk->device].file))
		return DEVROWS_NONE;
	if (cause->row != DEVROWS_NONE)
		latest = later(latest, cause->end);
	if (walk->at.nano - latest.nano < walk->micro.nano)
		return DEVROWS_NONE;
	limit = devrows_limit(devrows, walk->device, walk->at);
	if (limit == devrows->device[walk->device].first ||
	    dec_compare(devrows->row[limit - 1].end, latest) <= 0)
		return DEVROWS_NONE;
	return (uint32_t)limit - 1;
}

/* The cause of a row, at whose start the walk is; its row is DEVROWS_NONE if that is its launch. */
static struct cause find_cause(const struct walk *walk, const struct devrow *row)
{
	const struct devrows *devrows = walk->devrows;
	const struct launch *launch = devrows_launch(devrows, row);
	struct cause cause = {.row = DEVROWS_NONE};
	struct dec launched;

	if (!launch) {
		consider(walk, &cause, row->before, PATH_UNLINKED);
		return cause;
	}
	launched = devrows_launched(row, launch);
	consider(walk, &cause, row->before, PATH_QUEUE);
	consider(walk, &cause, row->mate, PATH_GRAPH);
	consider(walk, &cause,
	         marks_waited(walk->marks, row, devrows_limit(devrows, walk->device, walk->at)),
	         PATH_WAIT);
	consider(walk, &cause, inferred(walk, &cause, launched), PATH_INFERRED);
	if (cause.row == DEVROWS_NONE || dec_compare(cause.end, launched) <= 0)
		cause.row = DEVROWS_NONE;
	else if (devrows->row[cause.row].launch == row->launch)
		cause.kind = PATH_GRAPH;
	return cause;
}

struct caller walk_caller(struct walk *walk, uint32_t number)
{
	const struct launch *launch = launches_at(walk->devrows->launches, number);

	return callers_find(walk->callers, launch, walk->devrows->device[walk->device].file);
}

/* Goes back by the launch of a row, to its thread. */
static void back_to_launch(struct walk *walk, uint32_t row, struct place *place)
{
	uint32_t number = walk->devrows->row[row].launch;
	const struct caller caller = walk_caller(walk, number);
	const struct launch *launch = caller.launch;

	back_by_device(walk, callers_span(launch).end, PATH_DELAY, row);
	go_back(walk, launch->ts,
	        (struct path_piece){.kind = PATH_LAUNCH, .row = DEVROWS_NONE, .launch = number});
	*place = (struct place){caller.thread, caller.process, number};
}

/* Returns the row with which the walk goes on; DEVROWS_NONE if it goes on at the place. */
static uint32_t step_on_device(struct walk *walk, uint32_t number, struct place *place)
{
	const struct devrow *row = &walk->devrows->row[number];
	struct cause cause;

	back_by_device(walk, row->start, row->copy ? PATH_COPY : PATH_KERNEL, number);
	cause = find_cause(walk, row);
	if (cause.row != DEVROWS_NONE)
		back_by_device(walk, cause.end, cause.kind, number);
	else if (row->launch != DEVROWS_NONE)
		back_to_launch(walk, number, place);
	else
		back_by_device(walk, walk->begin, PATH_UNLINKED, number);
	return cause.row;
}

/* --- on a thread of the host ---------------------------------------------------- */

static enum path_kind kind_of(const struct threads_row *row)
{
	switch (row->rank) {
	case ROWKIND_IN_ANNOTATION:
		return PATH_ANNOTATION;
	case ROWKIND_IN_FUNCTION:
		return PATH_PYTHON;
	case ROWKIND_IN_OPERATOR:
		return PATH_OPERATOR;
	default:
		return PATH_RUNTIME;
	}
}

static bool is_work(const struct thread *thread, const struct threads_segment *segment)
{
	return thread && segment->row != THREADS_NONE &&
	       thread->row[segment->row].rank >= ROWKIND_IN_OPERATOR;
}

/* Goes back by a segment of the time without work; `other` is asked where the thread has no row. */
static void back_by_rest(struct walk *walk, struct dec to, const struct place *place,
                         const struct thread *other)
{
	const struct thread *thread = place->thread;
	struct threads_segment segment = threads_before(thread, walk->at);
	struct dec start = segment.span.start;

	if (segment.row == THREADS_NONE) {
		segment = threads_before(other, walk->at);
		start = later(start, segment.span.start);
		thread = other;
	}
	start = later(start, to);
	if (thread && segment.row != THREADS_NONE)
		back_by_host(walk, start, kind_of(&thread->row[segment.row]), thread, segment.row);
	else
		go_back(walk, start,
		        (struct path_piece){.kind = PATH_NOTHING,
		                            .row = THREADS_NONE,
		                            .launch = place->thread ? DEVROWS_NONE : place->launch,
		                            .thread = place->thread});
}

/* Goes back to the last moment of work of the process, and to the thread that worked then. */
static void back_to_work(struct walk *walk, struct place *place)
{
	struct moment moment = moments_last(&walk->moments, place->process, walk->at);
	const struct thread *other = moment.thread;
	struct dec to = other ? moment.time : walk->begin;
	struct threads_segment segment = threads_before(place->thread, to);

	/* The thread itself worked until then, too. */
	if (is_work(place->thread, &segment))
		other = NULL;
	to = later(to, walk->begin);
	while (dec_compare(to, walk->at) < 0)
		back_by_rest(walk, to, place, other);
	if (other)
		place->thread = other;
}

/* Returns the row with which the walk goes on; DEVROWS_NONE if it goes on at the place. */
static uint32_t step_on_host(struct walk *walk, struct place *place)
{
	struct threads_segment segment;

	if (place->thread) {
		size_t limit = devrows_limit(walk->devrows, walk->device, walk->at);
		struct returned returned = returns_find(walk->returns, walk->threads, place->thread,
		                                        walk->at, walk->device, limit);

		if (returned.thread) {
			back_by_host(walk, walk->devrows->row[returned.row].end, PATH_RETURN, returned.thread,
			             returned.call);
			return returned.row;
		}
	}
	segment = threads_before(place->thread, walk->at);
	if (is_work(place->thread, &segment))
		back_by_host(walk, segment.span.start, kind_of(&place->thread->row[segment.row]),
		             place->thread, segment.row);
	else
		back_to_work(walk, place);
	return DEVROWS_NONE;
}

/* --- all of it ---------------------------------------------------------------------- */

void walk_back(struct walk *walk, uint32_t row, struct dec begin)
{
	struct place place = {.thread = NULL};

	walk->count = 0;
	walk->moments.threads = walk->threads;
	walk->device = walk->devrows->row[row].device;
	walk->begin = begin;
	walk->at = walk->devrows->row[row].end;
	while (dec_compare(walk->at, begin) > 0)
		row = row == DEVROWS_NONE ? step_on_host(walk, &place) : step_on_device(walk, row, &place);
}

void walk_free(struct walk *walk)
{
	moments_free(&walk->moments);
	free(walk->piece);
	walk->piece = NULL;
}
