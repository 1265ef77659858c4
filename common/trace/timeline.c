#include "trace/timeline.h"

#include "base/die.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* There are many: without packing, 12 of 48 bytes are empty. */
struct __attribute__((packed)) span {
	struct dec start;
	struct dec end;
	uint32_t value;
};

/*
 * The time of a track is divided into stretches; one span counts in each of them. A stretch begins
 * when a span starts or ends: begin is twice the span's number, and 1 more for its end.
 */
struct track {
	struct span *spans; /* by their start, once built */
	size_t count;
	size_t cap;
	bool unsorted; /* they were not added in their order */
	uint32_t *begin;
	uint32_t *open; /* the span that counts from then on, or TIMELINE_NONE */
	size_t stretches;
	size_t asked; /* stretches that had begun at the time of the last question */
};

enum { START, END };

enum { FEW = 16 }; /* tracks to look at for each question about all of them */

/* --- spans --------------------------------------------------------------- */

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a;
	const struct span *y = b;
	int order = dec_compare(x->start, y->start);

	if (order == 0)
		order = (x->value > y->value) - (x->value < y->value);
	return order;
}

static void add_track(struct timeline *timeline, size_t track)
{
	size_t cap = timeline->cap;

	timeline->tracks =
		mem_grow(timeline->tracks, &timeline->cap, track + 1, sizeof *timeline->tracks);
	for (; cap < timeline->cap; cap++)
		timeline->tracks[cap] = (struct track){0};
	timeline->count = track + 1;
}

static void add_span(struct track *track, struct span span)
{
	if (track->count >= TIMELINE_NONE / 2)
		die("more than 2 billion spans of time");
	if (track->count == track->cap)
		track->spans = mem_grow(track->spans, &track->cap, track->count + 1, sizeof span);
	track->spans[track->count] = span;
	track->unsorted |= track->count && compare_spans(&track->spans[track->count - 1], &span) > 0;
	track->count++;
}

bool timeline_add(struct timeline *timeline, size_t track, struct dec start, struct dec dur,
                  uint32_t value)
{
	struct dec end = start;

	if (!dec_add(&end, dur))
		return false;
	if (dur.nano <= 0)
		return true;
	if (track >= timeline->count)
		add_track(timeline, track);
	add_span(&timeline->tracks[track], (struct span){start, end, value});
	return true;
}

void timeline_put_starts(const struct timeline *timeline, struct dec *start, bool *known)
{
	for (size_t i = 0; i < timeline->count; i++) {
		const struct track *track = &timeline->tracks[i];

		for (size_t j = 0; j < track->count; j++) {
			start[track->spans[j].value] = track->spans[j].start;
			known[track->spans[j].value] = true;
		}
	}
}

/* It was added to the start, so the difference cannot be too large. */
static struct dec length_of(const struct span *span)
{
	return (struct dec){span->end.nano - span->start.nano};
}

static bool shorter(const struct span *a, const struct span *b)
{
	int order = dec_compare(length_of(a), length_of(b));

	if (order == 0)
		order = dec_compare(b->start, a->start);
	return order < 0 || (order == 0 && a->value > b->value);
}

/* Whether a counts if both are open. */
static bool counts(const struct span *a, const struct span *b, bool longest)
{
	return longest ? shorter(b, a) : shorter(a, b);
}

/* --- the open spans ------------------------------------------------------ */

struct open_span {
	uint64_t key; /* the lower key counts; lengths that are too long for a key share the highest */
	uint32_t span;
	struct dec end;
};

/*
 * A span never counts again if an open span counts more and ends no earlier. Among the remaining
 * spans, a span that counts less ends later: so they stand in a stack, the span that counts on top.
 * Nearly all new spans belong near the top; the others go to a heap, because many of them would
 * take n * n steps in the stack.
 */
struct open_spans {
	const struct span *spans;
	bool longest;
	struct open_span *stack;
	size_t stacked;
	size_t stack_cap;
	struct open_span *heap;
	size_t heaped;
	size_t heap_cap;
};

enum { NEAR = 16 }; /* places from the top of the stack */

static bool is_above(const struct open_spans *open, const struct open_span *a,
                     const struct open_span *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return counts(&open->spans[a->span], &open->spans[b->span], open->longest);
}

/* Puts an item in the hole at this place of the heap, or above. */
static void heap_rise(struct open_spans *open, size_t at, struct open_span item)
{
	struct open_span *heap = open->heap;

	while (at && is_above(open, &item, &heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = item;
}

static void heap_push(struct open_spans *open, struct open_span new)
{
	open->heap = mem_grow(open->heap, &open->heap_cap, open->heaped + 1, sizeof *open->heap);
	heap_rise(open, open->heaped++, new);
}

/* The hole sinks to the bottom, where the last item mostly belongs: it was there before. */
static void heap_pop(struct open_spans *open)
{
	struct open_span *heap = open->heap;
	size_t count = --open->heaped;
	size_t at = 0;

	for (size_t child = 1; child < count; child = 2 * at + 1) {
		child += child + 1 < count && is_above(open, &heap[child + 1], &heap[child]);
		heap[at] = heap[child];
		at = child;
	}
	heap_rise(open, at, heap[count]);
}

static void open_push(struct open_spans *open, uint32_t span)
{
	__int128 length = length_of(&open->spans[span]).nano;
	uint64_t key = length < (__int128)UINT64_MAX ? (uint64_t)length : UINT64_MAX;
	struct open_span new = {open->longest ? ~key : key, span, open->spans[span].end};
	struct open_span *stack;
	size_t above = open->stacked; /* spans from here on count more than the new span */
	size_t below;                 /* spans up to here end later than the new span */

	stack = open->stack = mem_grow(open->stack, &open->stack_cap, open->stacked + 1, sizeof *stack);
	for (; above && is_above(open, &stack[above - 1], &new); above--) {
		if (dec_compare(stack[above - 1].end, new.end) >= 0)
			return;
		if (open->stacked - above == NEAR) {
			heap_push(open, new);
			return;
		}
	}
	for (below = above; below && dec_compare(stack[below - 1].end, new.end) <= 0;)
		below--;
	memmove(&stack[below + 1], &stack[above], (open->stacked - above) * sizeof *stack);
	stack[below] = new;
	open->stacked -= above - below;
	open->stacked++;
}

/* Whether the span that counts is in the heap. */
static bool top_in_heap(const struct open_spans *open)
{
	return open->heaped &&
	       (open->stacked == 0 || is_above(open, &open->heap[0], &open->stack[open->stacked - 1]));
}

/* The span that counts; NULL if none is open. */
static const struct open_span *open_top(const struct open_spans *open)
{
	if (top_in_heap(open))
		return &open->heap[0];
	return open->stacked ? &open->stack[open->stacked - 1] : NULL;
}

static void open_pop(struct open_spans *open)
{
	if (top_in_heap(open))
		heap_pop(open);
	else
		open->stacked--;
}

/* --- stretches ----------------------------------------------------------- */

static void begin_stretch(struct track *track, uint32_t span, int edge, uint32_t open)
{
	uint32_t before = track->stretches ? track->open[track->stretches - 1] : TIMELINE_NONE;

	if (open == before)
		return;
	track->begin[track->stretches] = 2 * span + (uint32_t)edge;
	track->open[track->stretches++] = open;
}

/* Begins the stretches up to `time` (NULL: all), as one open span after the other ends. */
static void end_spans(struct track *track, struct open_spans *open, const struct dec *time)
{
	const struct open_span *top = open_top(open);

	while (top && (!time || dec_compare(top->end, *time) <= 0)) {
		const struct open_span ended = *top;

		/* Spans below it that ended earlier have never been on top. */
		for (; top && dec_compare(top->end, ended.end) <= 0; top = open_top(open))
			open_pop(open);
		begin_stretch(track, ended.span, END, top ? top->span : TIMELINE_NONE);
	}
}

static void build_track(struct track *track, bool longest)
{
	struct open_spans open = {.longest = longest};

	track->spans = mem_resize(track->spans, track->count, sizeof *track->spans);
	track->cap = track->count;
	if (track->unsorted)
		qsort(track->spans, track->count, sizeof *track->spans, compare_spans);
	track->begin = mem_alloc(2 * track->count, sizeof *track->begin);
	track->open = mem_alloc(2 * track->count, sizeof *track->open);
	open.spans = track->spans;
	for (uint32_t i = 0; i < track->count; i++) {
		struct dec start = track->spans[i].start;

		end_spans(track, &open, &start);
		open_push(&open, i);
		begin_stretch(track, i, START, open_top(&open)->span);
	}
	end_spans(track, &open, NULL);
	free(open.stack);
	free(open.heap);
	track->begin = mem_resize(track->begin, track->stretches, sizeof *track->begin);
	track->open = mem_resize(track->open, track->stretches, sizeof *track->open);
}

void timeline_build(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->count; i++)
		if (timeline->tracks[i].count)
			build_track(&timeline->tracks[i], timeline->longest);
	if (timeline->count > FEW)
		timeline->all = mem_zero(1, sizeof *timeline->all);
}

/* Builds the track with the spans of all tracks. */
static void join_tracks(const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->count; i++)
		for (size_t n = 0; n < timeline->tracks[i].count; n++)
			add_span(timeline->all, timeline->tracks[i].spans[n]);
	build_track(timeline->all, timeline->longest);
}

/* --- questions ----------------------------------------------------------- */

static struct dec begin_of(const struct track *track, size_t stretch)
{
	const struct span *span = &track->spans[track->begin[stretch] / 2];

	return track->begin[stretch] % 2 == START ? span->start : span->end;
}

/*
 * How many stretches have begun at a time. Mostly it is little later than the last time, so the
 * search begins there, in steps that double.
 */
static size_t begun_at(struct track *track, struct dec time)
{
	size_t low = track->asked;
	size_t high;

	if (low && dec_compare(begin_of(track, low - 1), time) > 0)
		low = 0;
	high = low;
	for (size_t step = 1; high < track->stretches && dec_compare(begin_of(track, high), time) <= 0;
	     step *= 2) {
		low = high + 1;
		high = step < track->stretches - high ? high + step : track->stretches;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dec_compare(begin_of(track, middle), time) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return track->asked = low;
}

/* The span that counts in the last stretch that begins at time or before; NULL for none. */
static const struct span *span_at(struct track *track, struct dec time)
{
	size_t begun = begun_at(track, time);

	if (begun == 0 || track->open[begun - 1] == TIMELINE_NONE)
		return NULL;
	return &track->spans[track->open[begun - 1]];
}

uint32_t timeline_at(const struct timeline *timeline, size_t track, struct dec time)
{
	const struct span *span =
		track < timeline->count ? span_at(&timeline->tracks[track], time) : NULL;

	return span ? span->value : TIMELINE_NONE;
}

uint32_t timeline_any(const struct timeline *timeline, struct dec time)
{
	struct track *tracks = timeline->tracks;
	size_t count = timeline->count;
	const struct span *best = NULL;

	if (timeline->all) {
		if (timeline->all->count == 0)
			join_tracks(timeline);
		tracks = timeline->all;
		count = 1;
	}
	for (size_t i = 0; i < count; i++) {
		const struct span *span = span_at(&tracks[i], time);

		if (span && (!best || counts(span, best, timeline->longest)))
			best = span;
	}
	return best ? best->value : TIMELINE_NONE;
}

uint32_t timeline_near(const struct timeline *timeline, size_t track, struct dec time)
{
	uint32_t value = timeline_at(timeline, track, time);

	return value == TIMELINE_NONE ? timeline_any(timeline, time) : value;
}

bool timeline_stretch(const struct timeline *timeline, size_t number, size_t i, struct dec *begin,
                      uint32_t *value)
{
	const struct track *track;

	if (number >= timeline->count || i >= timeline->tracks[number].stretches)
		return false;
	track = &timeline->tracks[number];
	*begin = begin_of(track, i);
	*value = track->open[i] == TIMELINE_NONE ? TIMELINE_NONE : track->spans[track->open[i]].value;
	return true;
}

static void free_track(struct track *track)
{
	free(track->spans);
	free(track->begin);
	free(track->open);
}

void timeline_free(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->count; i++)
		free_track(&timeline->tracks[i]);
	if (timeline->all)
		free_track(timeline->all);
	free(timeline->all);
	free(timeline->tracks);
	*timeline = (struct timeline){0};
}
