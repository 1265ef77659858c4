#include "pieces.h"

#include "base/mem.h"

#include <stdlib.h>

const char *const piece_kinds[PIECE_KINDS] = {
	[PIECE_OPERATOR] = "operator",     [PIECE_RUNTIME] = "runtime", [PIECE_PYTHON] = "python",
	[PIECE_OTHER] = "other",           [PIECE_LAUNCH] = "launch",   [PIECE_DELAY] = "delay",
	[PIECE_ANNOTATION] = "annotation", [PIECE_GRAPH] = "graph",     [PIECE_NOTHING] = "nothing",
	[PIECE_UNLINKED] = "unlinked",
};

/* An operator or a call that is innermost on a thread. */
struct pieces_segment {
	struct interval span;
	uint32_t thread; /* its place in the order of threads */
	uint32_t row;
};

static enum piece_kind kind_of(enum rowkind_rank rank)
{
	switch (rank) {
	case ROWKIND_IN_ANNOTATION:
		return PIECE_ANNOTATION;
	case ROWKIND_IN_FUNCTION:
		return PIECE_PYTHON;
	case ROWKIND_IN_OPERATOR:
		return PIECE_OPERATOR;
	default:
		return PIECE_RUNTIME;
	}
}

static void add_piece(struct pieces *pieces, struct interval span, enum piece_kind kind,
                      const struct thread *thread, uint32_t row)
{
	pieces->item = mem_grow(pieces->item, &pieces->cap, pieces->count + 1, sizeof *pieces->item);
	pieces->item[pieces->count++] = (struct piece){span, kind, thread, row};
}

/* --- other threads --------------------------------------------------------------- */

static void add_segments(struct pieces *pieces, uint32_t place, const struct interval *span)
{
	const struct thread *thread = &pieces->threads->item[pieces->threads->order[place]];
	struct threads_segment segment;
	struct threads_walk walk;

	if (!thread->calls || dec_compare(thread->row[0].start, span->end) >= 0 ||
	    dec_compare(thread->end, span->start) <= 0)
		return;
	walk = threads_walk(thread, span);
	while (threads_next(&walk, &segment)) {
		if (segment.row == THREADS_NONE || thread->row[segment.row].rank < ROWKIND_IN_OPERATOR)
			continue;
		pieces->segment = mem_grow(pieces->segment, &pieces->segment_cap, pieces->segments + 1,
		                           sizeof *pieces->segment);
		pieces->segment[pieces->segments++] =
			(struct pieces_segment){segment.span, place, segment.row};
	}
}

static int compare_segments(const void *a, const void *b)
{
	const struct pieces_segment *x = a;
	const struct pieces_segment *y = b;
	int order = dec_compare(x->span.start, y->span.start);

	return order ? order : (x->thread > y->thread) - (x->thread < y->thread);
}

static const struct thread *thread_of(const struct pieces *pieces, size_t segment)
{
	return &pieces->threads->item[pieces->threads->order[pieces->segment[segment].thread]];
}

/* Whether segment a counts rather than b: its row began later, or its thread has a smaller tid. */
static bool is_rather(const struct pieces *pieces, size_t a, size_t b)
{
	const struct pieces_segment *x = &pieces->segment[a];
	const struct pieces_segment *y = &pieces->segment[b];
	int order = dec_compare(thread_of(pieces, a)->row[x->row].start,
	                        thread_of(pieces, b)->row[y->row].start);

	return order ? order > 0 : x->thread < y->thread;
}

static void push(struct pieces *pieces, size_t segment)
{
	size_t at = pieces->open_count++;
	size_t *heap;

	pieces->open = heap =
		mem_grow(pieces->open, &pieces->open_cap, pieces->open_count, sizeof *pieces->open);
	for (; at && is_rather(pieces, segment, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = segment;
}

static void pop(struct pieces *pieces)
{
	size_t *heap = pieces->open;
	size_t count = --pieces->open_count;
	size_t last = heap[count];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < count && is_rather(pieces, heap[child + 1], heap[child]))
			child++;
		if (child >= count || !is_rather(pieces, heap[child], last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
}

/* Drops segments from the top that are over at this time. */
static void drop_ended(struct pieces *pieces, struct dec time)
{
	while (pieces->open_count && dec_compare(pieces->segment[pieces->open[0]].span.end, time) <= 0)
		pop(pieces);
}

/*
 * The span of a segment of the thread, by the segments of other threads; else as `own`. Segments of
 * the thread come by time, so that each goes on where the last one ended.
 */
static void cut_by_others(struct pieces *pieces, const struct piece *own)
{
	struct dec at = own->span.start;
	size_t next = pieces->next;

	while (dec_compare(at, own->span.end) < 0) {
		struct dec end = own->span.end;

		for (; next < pieces->segments && dec_compare(pieces->segment[next].span.start, at) <= 0;
		     next++)
			push(pieces, next);
		drop_ended(pieces, at);
		if (next < pieces->segments && dec_compare(pieces->segment[next].span.start, end) < 0)
			end = pieces->segment[next].span.start;
		if (pieces->open_count == 0) {
			add_piece(pieces, (struct interval){at, end}, own->kind, own->thread, own->row);
		} else {
			const struct pieces_segment *top = &pieces->segment[pieces->open[0]];

			if (dec_compare(top->span.end, end) < 0)
				end = top->span.end;
			add_piece(pieces, (struct interval){at, end}, PIECE_OTHER,
			          thread_of(pieces, pieces->open[0]), top->row);
		}
		at = end;
	}
	pieces->next = next;
}

/* Finds the segments of other threads. */
static void look_at_others(struct pieces *pieces, const struct thread *thread, uint32_t process,
                           const struct interval *span)
{
	const struct threads *threads = pieces->threads;

	pieces->segments = 0;
	pieces->next = 0;
	pieces->open_count = 0;
	for (uint32_t i = threads->first[process]; i < threads->first[process + 1]; i++)
		if (&threads->item[threads->order[i]] != thread)
			add_segments(pieces, i, span);
	if (pieces->segments)
		qsort(pieces->segment, pieces->segments, sizeof *pieces->segment, compare_segments);
}

/* --- all of it ------------------------------------------------------------------- */

void pieces_cut(struct pieces *pieces, const struct thread *thread, uint32_t process,
                const struct interval *span)
{
	struct threads_walk walk = threads_walk(thread, span);
	struct threads_segment segment;
	bool looked = false;

	pieces->count = 0;
	while (threads_next(&walk, &segment)) {
		struct piece own = {segment.span, PIECE_NOTHING, NULL, segment.row};

		if (segment.row != THREADS_NONE) {
			own.thread = thread;
			own.kind = kind_of((enum rowkind_rank)thread->row[segment.row].rank);
		}
		if (process == THREADS_NONE ||
		    (own.kind != PIECE_ANNOTATION && own.kind != PIECE_NOTHING)) {
			add_piece(pieces, own.span, own.kind, own.thread, own.row);
			continue;
		}
		if (!looked)
			look_at_others(pieces, thread, process, &(struct interval){own.span.start, span->end});
		looked = true;
		cut_by_others(pieces, &own);
	}
}

void pieces_free(struct pieces *pieces)
{
	free(pieces->item);
	free(pieces->segment);
	free(pieces->open);
	*pieces = (struct pieces){.threads = pieces->threads};
}
