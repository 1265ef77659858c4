#include "moments.h"

#include "base/mem.h"

#include <stdlib.h>

struct stretch {
	struct dec start;
	uint32_t thread; /* its place among those of the process */
	bool open;       /* the thread is in an operator or a call */
};

struct moments_process {
	bool built;
	struct stretch *item;
	size_t count;
	size_t cap;
};

/* --- building ----------------------------------------------------------------- */

/* The next segment of a thread with an operator or a call. */
struct source {
	struct threads_walk walk;
	struct threads_segment segment;
	uint32_t thread;
};

struct heap {
	struct source *item;
	size_t count;
	size_t cap;
};

static bool advance(struct source *source)
{
	while (threads_next(&source->walk, &source->segment)) {
		uint32_t row = source->segment.row;

		if (row != THREADS_NONE && source->walk.thread->row[row].rank >= ROWKIND_IN_OPERATOR)
			return true;
	}
	return false;
}

static bool begins_first(const struct source *a, const struct source *b)
{
	return dec_compare(a->segment.span.start, b->segment.span.start) < 0;
}

/* Whether the segment a is the answer rather than b, if both are open. */
static bool is_rather(const struct source *a, const struct source *b)
{
	int order = dec_compare(a->segment.span.start, b->segment.span.start);

	return order ? order > 0 : a->thread < b->thread;
}

typedef bool above(const struct source *a, const struct source *b);

/* Puts a segment in the place of the top. */
static void replace_top(struct heap *heap, struct source segment, above *is_above)
{
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < heap->count && is_above(&heap->item[child + 1], &heap->item[child]))
			child++;
		if (child >= heap->count || !is_above(&heap->item[child], &segment))
			break;
		heap->item[at] = heap->item[child];
		at = child;
	}
	heap->item[at] = segment;
}

static void push(struct heap *heap, struct source segment, above *is_above)
{
	size_t at = heap->count++;

	heap->item = mem_grow(heap->item, &heap->cap, heap->count, sizeof *heap->item);
	for (; at && is_above(&segment, &heap->item[(at - 1) / 2]); at = (at - 1) / 2)
		heap->item[at] = heap->item[(at - 1) / 2];
	heap->item[at] = segment;
}

static void pop(struct heap *heap, above *is_above)
{
	replace_top(heap, heap->item[--heap->count], is_above);
}

static void emit(struct moments_process *process, struct dec start, uint32_t thread, bool open)
{
	struct stretch *last = process->count ? &process->item[process->count - 1] : NULL;

	if (last && last->thread == thread && last->open == open)
		return;
	process->item =
		mem_grow(process->item, &process->cap, process->count + 1, sizeof *process->item);
	process->item[process->count++] = (struct stretch){start, thread, open};
}

static bool ends_later(const struct source *a, const struct source *b)
{
	int order = dec_compare(a->segment.span.end, b->segment.span.end);

	return order ? order > 0 : is_rather(a, b);
}

/* Begins the segments that start at the time of the first. Sets *last to the one that ends last. */
static struct dec begin_segments(struct heap *next, struct heap *open, struct source *last)
{
	struct dec time = next->item[0].segment.span.start;

	while (next->count && dec_compare(next->item[0].segment.span.start, time) == 0) {
		struct source first = next->item[0];

		push(open, first, is_rather);
		if (!last->walk.thread || ends_later(&first, last))
			*last = first;
		if (advance(&first))
			replace_top(next, first, begins_first);
		else
			pop(next, begins_first);
	}
	return time;
}

static void sweep(struct moments_process *process, struct heap *next)
{
	struct heap open = {.count = 0}; /* begun, and the answer on top */
	struct source last = {.thread = 0};
	struct dec time = THREADS_EARLIEST;

	while (next->count || open.count) {
		while (open.count && dec_compare(open.item[0].segment.span.end, time) <= 0)
			pop(&open, is_rather);
		if (open.count)
			emit(process, time, open.item[0].thread, true);
		else if (last.walk.thread)
			emit(process, time, last.thread, false);
		if (next->count && (!open.count || dec_compare(next->item[0].segment.span.start,
		                                               open.item[0].segment.span.end) <= 0))
			time = begin_segments(next, &open, &last);
		else if (open.count)
			time = open.item[0].segment.span.end;
	}
	free(open.item);
}

static void build(const struct moments *moments, uint32_t number)
{
	const struct threads *threads = moments->threads;
	size_t first = threads->first[number];
	size_t count = threads->first[number + (size_t)1] - first;
	struct heap next = {.count = 0}; /* by their start */

	for (size_t i = 0; i < count; i++) {
		const struct thread *thread = &threads->item[threads->order[first + i]];
		const struct interval span = {thread->row[0].start, thread->end};
		struct source source = {.thread = (uint32_t)i, .walk = threads_walk(thread, &span)};

		if (thread->calls && advance(&source))
			push(&next, source, begins_first);
	}
	sweep(&moments->process[number], &next);
	moments->process[number].built = true;
	free(next.item);
}

/* --- questions ------------------------------------------------------------------ */

struct moment moments_last(struct moments *moments, uint32_t number, struct dec time)
{
	const struct threads *threads = moments->threads;
	struct moments_process *process;
	const struct stretch *found;
	size_t low = 0;
	size_t high;

	if (number == THREADS_NONE)
		return (struct moment){.thread = NULL};
	moments->process = mem_grow_zero(moments->process, &moments->cap, number + (size_t)1,
	                                 sizeof *moments->process);
	process = &moments->process[number];
	if (!process->built)
		build(moments, number);
	high = process->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dec_compare(process->item[middle].start, time) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return (struct moment){.thread = NULL};
	found = &process->item[low - 1];
	return (struct moment){found->open ? time : found->start,
	                       &threads->item[threads->order[threads->first[number] + found->thread]]};
}

void moments_free(struct moments *moments)
{
	for (size_t i = 0; i < moments->cap; i++)
		free(moments->process[i].item);
	free(moments->process);
	*moments = (struct moments){0};
}
