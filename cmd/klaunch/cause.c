#include "cause.h"

#include "base/mem.h"

#include <stdlib.h>

const char *const cause_names[CAUSES] = {
	[CAUSE_UNKNOWN] = "",      [CAUSE_NONE] = "none", [CAUSE_UNLINKED] = "unlinked",
	[CAUSE_GRAPH] = "graph",   [CAUSE_SYNC] = "sync", [CAUSE_HOST] = "host",
	[CAUSE_LAUNCH] = "launch", [CAUSE_COMM] = "comm", [CAUSE_COPY] = "copy",
	[CAUSE_OTHER] = "other",
};

void causes_add(struct causes *causes, const struct cause_row *row)
{
	causes->row = mem_grow(causes->row, &causes->cap, causes->count + 1, sizeof *causes->row);
	causes->row[causes->count++] = *row;
}

/* --- order ------------------------------------------------------------------- */

/* By ts; rows with one ts in the order in which they came. */
static int compare_times(const struct cause_row *a, const struct cause_row *b)
{
	int order = dec_compare(a->span.start, b->span.start);

	return order ? order : (a > b) - (a < b);
}

static int by_device(const void *a, const void *b)
{
	const struct cause_row *x = *(struct cause_row *const *)a;
	const struct cause_row *y = *(struct cause_row *const *)b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return compare_times(x, y);
}

static int by_stream(const void *a, const void *b)
{
	const struct cause_row *x = *(struct cause_row *const *)a;
	const struct cause_row *y = *(struct cause_row *const *)b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return compare_times(x, y);
}

static int compare_decs(const void *a, const void *b)
{
	return dec_compare(*(const struct dec *)a, *(const struct dec *)b);
}

/* The end of a row, which may have a negative duration. */
static struct dec end_of(const struct cause_row *row)
{
	return dec_compare(row->span.end, row->span.start) < 0 ? row->span.start : row->span.end;
}

/* --- rows that communicate or copy, with --stream ---------------------------- */

/* Rows of one device and kind, by their start; end is the largest so far. */
struct others {
	struct interval *item;
	size_t count;
	size_t cap;
};

static void others_add(struct others *others, const struct cause_row *row)
{
	struct interval span = row->span;

	if (dec_compare(span.end, span.start) <= 0)
		return;
	if (others->count && dec_compare(others->item[others->count - 1].end, span.end) > 0)
		span.end = others->item[others->count - 1].end;
	others->item = mem_grow(others->item, &others->cap, others->count + 1, sizeof *others->item);
	others->item[others->count++] = span;
}

/* Whether one ran in the gap. It is of another stream, as the gap's own was idle. */
static bool others_ran(const struct others *others, const struct interval *gap)
{
	size_t low = 0;
	size_t high = others->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dec_compare(others->item[middle].start, gap->end) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low && dec_compare(others->item[low - 1].end, gap->start) > 0;
}

/* --- causes ------------------------------------------------------------------ */

/*
 * Whether the gap lasted because the device did not begin a row that was launched: at least micro,
 * and more than half of the gap, passed after the call.
 */
static bool in_time(const struct causes *causes, const struct launch *launch,
                    const struct interval *gap)
{
	struct dec end = launch_end(launch);
	struct dec from = dec_compare(end, gap->start) > 0 ? end : gap->start;
	struct dec rest = {gap->end.nano - from.nano};

	return dec_compare(rest, causes->micro) >= 0 &&
	       rest.nano > gap->end.nano - gap->start.nano - rest.nano;
}

static enum cause cause_of(const struct causes *causes, const struct cause_row *row,
                           const struct cause_row *last, const struct others *others)
{
	const struct launch *launch = launches_at(causes->launches, row->launch);
	const struct interval gap = {end_of(last), row->span.start};
	bool open;
	bool late;

	if (dec_compare(gap.end, gap.start) <= 0)
		return CAUSE_NONE;
	if (!launch)
		return CAUSE_UNLINKED;
	open = launch->ended && dec_compare(launch_end(launch), gap.start) > 0;
	late = !in_time(causes, launch, &gap);
	/* An open call may still submit its rows one by one, as many calls of CANN and HIP do. */
	if (row->launch == last->launch && !(open && late))
		return CAUSE_GRAPH;
	if (late && dec_compare(launch->ts, gap.start) < 0)
		return CAUSE_LAUNCH;
	if (late)
		return launches_waited(causes->launches, launch, gap.start) ? CAUSE_SYNC : CAUSE_HOST;
	if (others_ran(&others[KIND_COMM], &gap))
		return CAUSE_COMM;
	return others_ran(&others[KIND_COPY], &gap) ? CAUSE_COPY : CAUSE_OTHER;
}

/* Rows of a device or stream, from the first; `others` are of the device. */
static void set_gaps(const struct causes *causes, struct cause_row **order, size_t count,
                     const struct others *others)
{
	const struct cause_row *last = order[0]; /* that ended last */

	for (size_t i = 1; i < count; i++) {
		struct cause_row *row = order[i];

		if (dec_compare(row->span.start, end_of(last)) > 0)
			row->gap.nano = row->span.start.nano - end_of(last).nano;
		row->cause = (unsigned char)cause_of(causes, row, last, others);
		if (dec_compare(end_of(row), end_of(last)) >= 0)
			last = row;
	}
}

/* --- queues ------------------------------------------------------------------ */

/*
 * Rows of a stream. At each time, those wait that were launched before it and begin after it: of
 * the rows that begin after their launch, those launched before it without those begun by then.
 */
static void set_queues(const struct causes *causes, struct cause_row **order, size_t count)
{
	struct dec *launched = mem_alloc(count, sizeof *launched);
	size_t waiting = 0;
	size_t before = 0;
	size_t begun = 0;
	size_t next = 0;

	for (size_t i = 0; i < count; i++) {
		const struct launch *launch = launches_at(causes->launches, order[i]->launch);

		if (launch && dec_compare(launch->ts, order[i]->span.start) < 0)
			launched[waiting++] = launch->ts;
	}
	if (waiting)
		qsort(launched, waiting, sizeof *launched, compare_decs);
	for (size_t i = 0; i < count; i++) {
		struct dec ts = order[i]->span.start;

		for (; next < count && dec_compare(order[next]->span.start, ts) <= 0; next++) {
			const struct launch *launch = launches_at(causes->launches, order[next]->launch);

			begun += launch && dec_compare(launch->ts, order[next]->span.start) < 0;
		}
		while (before < waiting && dec_compare(launched[before], ts) < 0)
			before++;
		order[i]->queue = before - begun;
	}
	free(launched);
}

/* --- all of it --------------------------------------------------------------- */

/* The rows of the first device of the order, or of its first stream: how many. */
static size_t run_of(struct cause_row **order, size_t count, bool stream)
{
	size_t run = 1;

	while (run < count && (stream ? order[run]->stream == order[0]->stream
	                              : order[run]->device == order[0]->device))
		run++;
	return run;
}

/* The first row of each launch. */
static void set_leads(struct causes *causes)
{
	size_t count = launches_count(causes->launches);
	struct cause_row **first = mem_zero(count + 1, sizeof(struct cause_row *));

	for (size_t i = 0; i < causes->count; i++) {
		struct cause_row *row = &causes->row[i];

		if (row->launch != LAUNCHES_NONE &&
		    (!first[row->launch] || compare_times(row, first[row->launch]) < 0))
			first[row->launch] = row;
	}
	for (size_t i = 0; i < count; i++)
		if (first[i])
			first[i]->leads = true;
	free(first);
}

/* The rows of a device, by their start. */
static void set_device(const struct causes *causes, struct cause_row **order, size_t count)
{
	struct others others[KIND_COUNT] = {{0}};

	if (!causes->by_stream)
		set_gaps(causes, order, count, others);
	for (size_t i = 0; causes->by_stream && i < count; i++)
		others_add(&others[order[i]->kind], order[i]);
	qsort(order, count, sizeof(struct cause_row *), by_stream);
	for (size_t i = 0, run; i < count; i += run) {
		run = run_of(order + i, count - i, true);
		if (causes->by_stream)
			set_gaps(causes, order + i, run, others);
		set_queues(causes, order + i, run);
	}
	for (size_t i = 0; i < KIND_COUNT; i++)
		free(others[i].item);
}

void causes_finish(struct causes *causes)
{
	if (causes->count == 0)
		return;
	causes->order = mem_alloc(causes->count, sizeof(struct cause_row *));
	for (size_t i = 0; i < causes->count; i++)
		causes->order[i] = &causes->row[i];
	qsort(causes->order, causes->count, sizeof(struct cause_row *), by_device);
	for (size_t i = 0, run; i < causes->count; i += run) {
		run = run_of(causes->order + i, causes->count - i, false);
		set_device(causes, causes->order + i, run);
	}
	set_leads(causes);
}

void causes_free(struct causes *causes)
{
	free(causes->row);
	free(causes->order);
	*causes = (struct causes){0};
}
