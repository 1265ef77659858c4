#include "wall/interval.h"

#include "base/mem.h"

#include <stdlib.h>

/* A track is busy until then, or longer. */
struct interval_end {
	struct dec time;
	size_t track;
};

struct interval_track {
	bool is_busy;
	struct dec since;
	struct dec until;
	struct dec time; /* busy so far, until since */
};

/* Whether a time is not so far from 0 that a sum of two might wrap. */
static bool is_near(struct dec time)
{
	const unsigned __int128 limit = (unsigned __int128)1 << 125;

	return (unsigned __int128)time.nano + limit <= 2 * limit;
}

bool interval_from(struct dec ts, struct dec dur, struct interval *out)
{
	*out = (struct interval){ts, ts};
	return dec_add(&out->end, dur) && is_near(ts) && is_near(out->end);
}

/* --- the ends, the first on top -------------------------------------------- */

static void swap(struct interval_end *a, struct interval_end *b)
{
	struct interval_end kept = *a;

	*a = *b;
	*b = kept;
}

static bool is_before(const struct interval_end *a, const struct interval_end *b)
{
	return dec_compare(a->time, b->time) < 0;
}

static void push(struct intervals *in, struct interval_end end)
{
	size_t at = in->ends_count++;
	struct interval_end *heap;

	in->ends = heap = mem_grow(in->ends, &in->ends_cap, in->ends_count, sizeof *in->ends);
	heap[at] = end;
	for (; at && is_before(&heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&heap[at], &heap[(at - 1) / 2]);
}

static struct interval_end pop(struct intervals *in)
{
	struct interval_end *heap = in->ends;
	struct interval_end first = heap[0];
	size_t count = --in->ends_count;
	size_t at = 0;

	heap[0] = heap[count];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < count && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (child >= count || !is_before(&heap[child], &heap[at]))
			return first;
		swap(&heap[at], &heap[child]);
		at = child;
	}
}

/* --- stretches --------------------------------------------------------------- */

/* The tracks that are busy change at this time. */
static void change(struct intervals *in, struct dec time)
{
	struct interval_stretch stretch = {{in->begin, time}, in->busy, in->sum, in->mask};

	if (in->begun && dec_compare(in->begin, time) < 0)
		in->stretch(in->arg, &stretch);
	in->begun = true;
	in->begin = time;
}

static void set_busy(struct intervals *in, size_t number, struct dec time, bool busy)
{
	struct interval_track *track = &in->track[number];

	change(in, time);
	if (!busy)
		track->time.nano += time.nano - track->since.nano;
	track->is_busy = busy;
	track->since = time;
	in->busy = busy ? in->busy + 1 : in->busy - 1;
	in->sum = busy ? in->sum + number : in->sum - number; /* if it wraps, it does so back */
	if (number < 64)
		in->mask ^= UINT64_C(1) << number;
}

/* The first of the ends; its track is no longer busy, unless it goes on. */
static void end_first(struct intervals *in)
{
	struct interval_end end = pop(in);
	const struct interval_track *track = &in->track[end.track];

	if (track->is_busy && dec_compare(track->until, end.time) == 0)
		set_busy(in, end.track, end.time, false);
}

static void make_room(struct intervals *in, size_t number)
{

	in->track = mem_grow_zero(in->track, &in->track_cap, number + 1, sizeof *in->track);
}

bool intervals_add(struct intervals *in, size_t number, struct interval interval)
{
	struct interval_track *track;

	if (in->begun && dec_compare(interval.start, in->last) < 0)
		return false;
	if (dec_compare(interval.start, interval.end) >= 0)
		return true;
	make_room(in, number);
	track = &in->track[number];
	/* Tracks that end at this very time may go on at once. */
	while (in->ends_count && dec_compare(in->ends[0].time, interval.start) < 0)
		end_first(in);
	in->last = interval.start;
	if (!track->is_busy)
		set_busy(in, number, interval.start, true);
	else if (dec_compare(interval.end, track->until) <= 0)
		return true;
	track->until = interval.end;
	push(in, (struct interval_end){interval.end, number});
	return true;
}

void intervals_finish(struct intervals *in)
{
	while (in->ends_count)
		end_first(in);
	free(in->ends);
	in->ends = NULL;
	in->ends_cap = 0;
}

struct dec intervals_busy(const struct intervals *in, size_t track)
{
	return track < in->track_cap ? in->track[track].time : dec_of(0);
}

void intervals_free(struct intervals *in)
{
	free(in->track);
	free(in->ends);
	*in = (struct intervals){0};
}

/* --- intervals in any order ------------------------------------------------ */

void interval_set_add(struct interval_set *set, struct interval interval)
{
	if (set->cap == 0) { /* there may be many sets of a few */
		set->cap = 2;
		set->item = mem_alloc(set->cap, sizeof *set->item);
	}
	set->item = mem_grow(set->item, &set->cap, set->count + 1, sizeof *set->item);
	set->is_mixed |= set->count && dec_compare(interval.start, set->item[set->count - 1].start) < 0;
	set->item[set->count++] = interval;
}

void interval_set_free(struct interval_set *set)
{
	free(set->item);
	*set = (struct interval_set){0};
}

/* --- sorting: by one byte of the start after the other, without further memory ------------- */

enum { DIGITS = 256, DIGIT_BITS = 8, FEW = 24 };

/* A digit of the start, counted from the first of all. */
static size_t digit(const struct interval *item, struct dec first, int shift)
{
	return (size_t)((unsigned __int128)(item->start.nano - first.nano) >> shift) % DIGITS;
}

static void sort_few(struct interval *item, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct interval moved = item[i];
		size_t at = i;

		for (; at && dec_compare(moved.start, item[at - 1].start) < 0; at--)
			item[at] = item[at - 1];
		item[at] = moved;
	}
}

/* Brings each interval among those with its digit. */
static void deal(struct interval *item, size_t at[DIGITS], const size_t end[DIGITS],
                 struct dec first, int shift)
{
	for (size_t i = 0; i < DIGITS; i++) {
		while (at[i] < end[i]) {
			size_t to = digit(&item[at[i]], first, shift);
			struct interval moved = item[at[to]];

			item[at[to]] = item[at[i]];
			item[at[i]] = moved;
			at[to]++;
		}
	}
}

static void sort(struct interval *item, size_t count, struct dec first, int shift)
{
	size_t at[DIGITS];
	size_t end[DIGITS] = {0};
	size_t sum = 0;

	if (count <= FEW)
		sort_few(item, count);
	if (count <= FEW || shift < 0)
		return;
	for (size_t i = 0; i < count; i++)
		end[digit(&item[i], first, shift)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		at[i] = sum;
		end[i] = sum += end[i];
	}
	deal(item, at, end, first, shift);
	for (size_t i = 0, from = 0; i < DIGITS; from = end[i++])
		sort(item + from, end[i] - from, first, shift - DIGIT_BITS);
}

static void sort_set(struct interval_set *set)
{
	struct interval span = {.start = set->item[0].start, .end = set->item[0].start};
	int shift = 0;

	for (size_t i = 1; i < set->count; i++) {
		struct dec start = set->item[i].start;

		span.start = dec_compare(start, span.start) < 0 ? start : span.start;
		span.end = dec_compare(start, span.end) > 0 ? start : span.end;
	}
	while ((span.end.nano - span.start.nano) >> shift >= DIGITS)
		shift += DIGIT_BITS;
	sort(set->item, set->count, span.start, shift);
	set->is_mixed = false;
}

/* Whether the first of the heap is before this time. */
static bool is_behind(const struct intervals *next, struct dec time)
{
	return next->ends_count && dec_compare(next->ends[0].time, time) < 0;
}

void intervals_add_sets(struct intervals *in, struct interval_set *sets, size_t count)
{
	/* A second heap: for each set the start of its next interval. */
	struct intervals next = {0};
	size_t *at = mem_zero(count + 1, sizeof *at);

	for (size_t i = 0; i < count; i++) {
		if (sets[i].is_mixed)
			sort_set(&sets[i]);
		if (sets[i].count)
			push(&next, (struct interval_end){sets[i].item[0].start, i});
	}
	while (next.ends_count) {
		size_t track = pop(&next).track;
		const struct interval_set *set = &sets[track];

		do
			intervals_add(in, track, set->item[at[track]++]);
		while (at[track] < set->count && !is_behind(&next, set->item[at[track]].start));
		if (at[track] < set->count)
			push(&next, (struct interval_end){set->item[at[track]].start, track});
	}
	for (size_t i = 0; i < count; i++)
		interval_set_free(&sets[i]);
	free(at);
	intervals_free(&next);
	intervals_finish(in);
}
