#include "checks.h"

#include "base/mem.h"

#include "overlap.h"

#include <stdlib.h>

static const struct dec earlier_error = {100000000000}; /* 100 us: clocks of host and device */
enum { DOMINANT = 100 };                                /* times the median of the class */

struct checks {
	const struct evidence *evidence;
	struct findings *findings;
	struct overlap_row *sorted; /* first by stream, then by class */
	size_t count;
};

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static uint32_t process_of(const struct overlap_row *s)
{
	return s->evidence->place[s->row->place].process;
}

static int compare_in_class(const void *a, const void *b)
{
	const struct overlap_row *x = a;
	const struct overlap_row *y = b;
	int order = compare_numbers(process_of(x), process_of(y));

	order = order ? order : compare_numbers(x->row->op, y->row->op);
	order = order ? order : dec_compare(x->row->dur, y->row->dur);
	/* The last of equal rows is found: the first by ts. */
	order = order ? order : dec_compare(y->row->ts, x->row->ts);
	return order ? order : overlap_compare(a, b);
}

/* --- findings -------------------------------------------------------------- */

static void find_row(struct checks *checks, enum check check, enum severity severity,
                     const struct evidence_row *row, struct dec time)
{
	const struct findings_event event = {check, severity, row->place, row->name, row->ts, time};

	findings_add(checks->findings, checks->evidence, &event);
}

static void find_call(struct checks *checks, enum check check, enum severity severity,
                      const struct launch *call)
{
	const struct findings_event event = {check,      severity, call->thread,
	                                     call->name, call->ts, call->dur};

	findings_add(checks->findings, checks->evidence, &event);
}

static struct dec end_of(const struct evidence_row *row)
{
	return (struct dec){row->ts.nano + row->dur.nano};
}

static struct dec difference(struct dec a, struct dec b)
{
	return (struct dec){a.nano - b.nano};
}

/* --- rows of one stream ------------------------------------------------------ */

static void check_twice(struct checks *checks)
{
	for (size_t i = 0; i + 1 < checks->count; i++)
		if (overlap_compare(&checks->sorted[i], &checks->sorted[i + 1]) == 0)
			find_row(checks, CHECK_TWICE, SEVERITY_WARNING, checks->sorted[i].row,
			         checks->sorted[i].row->dur);
}

/* --- durations -------------------------------------------------------------- */

/* The span of all other rows of the file. */
static struct dec other_span(const struct evidence_source *source, const struct evidence_row *row)
{
	struct dec end = end_of(row);
	struct dec start = source->starts[dec_compare(row->ts, source->starts[0]) == 0];

	return difference(source->ends[dec_compare(end, source->ends[0]) == 0], start);
}

/* Longer than half of it. A collective may wait for another rank for most of the trace. */
static bool is_long(const struct evidence *evidence, const struct evidence_row *row)
{
	const struct evidence_source *source = &evidence->source[evidence->place[row->place].source];
	struct dec span = other_span(source, row);

	/* One other row is no measure. */
	return source->rows > 2 && span.nano > 0 && 2 * row->dur.nano > span.nano &&
	       !str_equal(strmap_key(&evidence->ops, row->op), STR("Collective"));
}

static void check_duration(struct checks *checks, const struct overlap *overlap)
{
	const struct evidence_row *row = overlap->row;

	if (overlap->time.nano > 0 && row->call != EVIDENCE_NONE)
		find_row(checks, CHECK_OVERLAP, overlap->error ? SEVERITY_ERROR : SEVERITY_NOTE, row,
		         overlap->time);
	if (row->dur.nano < 0)
		find_row(checks, CHECK_IMPOSSIBLE, SEVERITY_ERROR, row, row->dur);
	else if (is_long(checks->evidence, row))
		/* It may be true if nothing else ran on its stream: a large copy before short kernels. */
		find_row(checks, CHECK_IMPOSSIBLE, overlap->error ? SEVERITY_ERROR : SEVERITY_WARNING, row,
		         row->dur);
}

static void check_durations(struct checks *checks)
{
	struct overlaps overlaps;
	struct overlap overlap;

	overlaps_begin(&overlaps, checks->sorted, checks->evidence);
	while (overlaps_next(&overlaps, &overlap))
		check_duration(checks, &overlap);
	overlaps_end(&overlaps);
}

/* --- single rows ------------------------------------------------------------ */

static void check_zero(struct checks *checks)
{
	for (size_t i = 0; i < checks->count; i++) {
		const struct evidence_row *row = checks->sorted[i].row;

		if (row->ts.nano == 0 || row->dur.nano == 0)
			find_row(checks, CHECK_ZERO, SEVERITY_WARNING, row, row->dur);
	}
}

static void check_before_launch(struct checks *checks)
{
	for (size_t i = 0; i < checks->count; i++) {
		const struct evidence_row *row = checks->sorted[i].row;
		const struct launch *call = evidence_launch_of(checks->evidence, row);
		struct dec early = call && !call->several ? difference(call->ts, row->ts) : (struct dec){0};

		if (early.nano > 0)
			find_row(checks, CHECK_BEFORE_LAUNCH,
			         dec_compare(early, earlier_error) > 0 ? SEVERITY_ERROR : SEVERITY_NOTE, row,
			         early);
	}
}

/* --- links ------------------------------------------------------------------ */

/* The first and the last time of something. */
struct range {
	bool any;
	struct dec first;
	struct dec last;
};

static void extend(struct range *range, struct dec time)
{
	if (!range->any || dec_compare(time, range->first) < 0)
		range->first = time;
	if (!range->any || dec_compare(time, range->last) > 0)
		range->last = time;
	range->any = true;
}

/* A profiler starts and stops host and device at different times, so the ends lack partners. */
static enum severity at_ends(const struct range *range, struct dec time)
{
	bool between = !range->any ||
	               (dec_compare(range->first, time) <= 0 && dec_compare(time, range->last) <= 0);

	return between ? SEVERITY_WARNING : SEVERITY_NOTE;
}

static struct range *ranges(size_t count)
{
	return mem_zero(count + 1, sizeof(struct range));
}

/* Rows of a stream run in the order of their launches, so its first row with one decides. */
static void check_unlinked_rows(struct checks *checks)
{
	const struct evidence *evidence = checks->evidence;
	struct range *by_place = ranges(evidence->places.count);
	struct range *by_source = ranges(evidence->source_cap);

	for (size_t i = 0; i < evidence->rows; i++) {
		const struct evidence_row *row = &evidence->row[i];

		if (!evidence_launch_of(evidence, row))
			continue;
		extend(&by_place[row->place], row->ts);
		extend(&by_source[evidence->place[row->place].source], row->ts);
	}
	for (size_t i = 0; i < evidence->rows; i++) {
		const struct evidence_row *row = &evidence->row[i];
		const struct range *range = &by_place[row->place];

		if (!evidence_is_known(evidence, row) || evidence_launch_of(evidence, row))
			continue;
		if (!range->any)
			range = &by_source[evidence->place[row->place].source];
		find_row(checks, CHECK_UNLINKED, at_ends(range, row->ts), row, row->dur);
	}
	free(by_place);
	free(by_source);
}

static struct range *range_of(struct range *by_source, const struct evidence *evidence,
                              const struct launch *call)
{
	return &by_source[evidence->place[call->thread].source];
}

/* Whether the calls of this number launch something, and are of one process. */
static bool is_launch(const struct evidence *evidence, size_t number)
{
	const struct launch *call = launches_at(&evidence->launches, number);

	return call && !call->own && !call->several && evidence->call[number].launches;
}

static void check_unlinked_calls(struct checks *checks)
{
	const struct evidence *evidence = checks->evidence;
	const struct launches *launches = &evidence->launches;
	struct range *by_source = ranges(evidence->source_cap);

	for (size_t i = 0; i < launches->count; i++) {
		const struct launch *call = &launches->item[i];

		if (is_launch(evidence, i) && evidence->call[i].has_rows)
			extend(range_of(by_source, evidence, call), call->ts);
	}
	for (size_t i = 0; i < launches->count; i++) {
		const struct launch *call = &launches->item[i];
		enum severity severity;

		if (!is_launch(evidence, i) || evidence->call[i].has_rows ||
		    !evidence->source[evidence->place[call->thread].source].correlated)
			continue;
		severity = at_ends(range_of(by_source, evidence, call), call->ts);
		if (!evidence->call[i].graph)
			find_call(checks, CHECK_UNLINKED, severity, call);
		else
			find_call(checks, CHECK_GRAPH,
			          severity == SEVERITY_NOTE ? SEVERITY_NOTE : SEVERITY_ERROR, call);
	}
	free(by_source);
}

/* --- steps ------------------------------------------------------------------ */

/* When a process launched something. */
struct start {
	uint32_t process;
	struct dec ts;
};

static int compare_starts(const void *a, const void *b)
{
	const struct start *x = a;
	const struct start *y = b;
	int order = compare_numbers(x->process, y->process);

	return order ? order : dec_compare(x->ts, y->ts);
}

static struct start *sort_starts(const struct evidence *evidence, size_t *count)
{
	const struct launches *launches = &evidence->launches;
	struct start *start = mem_alloc(launches->count + 1, sizeof *start);

	*count = 0;
	for (size_t i = 0; i < launches->count; i++) {
		const struct launch *call = launches_at(launches, i);

		if (call && !call->own && evidence->call[i].has_rows)
			start[(*count)++] = (struct start){call->process, call->ts};
	}
	qsort(start, *count, sizeof *start, compare_starts);
	return start;
}

/* The first launch of the process at or after ts. */
static bool launches_in(const struct start *start, size_t count, const struct start *sought,
                        struct dec end)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_starts(&start[middle], sought) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && start[low].process == sought->process &&
	       dec_compare(start[low].ts, end) < 0;
}

static void check_steps(struct checks *checks)
{
	const struct evidence *evidence = checks->evidence;
	size_t count;
	struct start *start = sort_starts(evidence, &count);

	for (size_t i = 0; i < evidence->steps; i++) {
		const struct evidence_step *step = &evidence->step[i];
		const struct evidence_place *place = &evidence->place[step->place];
		const struct evidence_source *source = &evidence->source[place->source];
		const struct start sought = {place->process, step->ts};
		const struct findings_event event = {CHECK_STEPS, SEVERITY_WARNING, step->place,
		                                     step->name,  step->ts,         step->dur};
		struct dec end = {step->ts.nano + step->dur.nano};

		if (source->calls && source->correlated && !source->shared &&
		    !launches_in(start, count, &sought, end))
			findings_add(checks->findings, evidence, &event);
	}
	free(start);
}

/* --- classes ---------------------------------------------------------------- */

static bool is_same_class(const struct overlap_row *a, const struct overlap_row *b)
{
	return process_of(a) == process_of(b) && a->row->op == b->row->op;
}

/* Rows of one class on one device, the longest last. */
static void check_class(struct checks *checks, const struct overlap_row *sorted, size_t count)
{
	const struct evidence_row *longest = sorted[count - 1].row;
	struct dec median = sorted[(count - 1) / 2].row->dur;
	struct dec total = {0};

	for (size_t i = 0; i < count; i++)
		total.nano += sorted[i].row->dur.nano;
	if (median.nano > 0 && longest->dur.nano >= DOMINANT * median.nano &&
	    longest->dur.nano > total.nano - longest->dur.nano)
		find_row(checks, CHECK_DOMINANT, SEVERITY_WARNING, longest, longest->dur);
}

static void check_dominant(struct checks *checks)
{
	size_t first = 0;

	qsort(checks->sorted, checks->count, sizeof *checks->sorted, compare_in_class);
	for (size_t i = 1; i <= checks->count; i++) {
		if (i < checks->count && is_same_class(&checks->sorted[first], &checks->sorted[i]))
			continue;
		check_class(checks, &checks->sorted[first], i - first);
		first = i;
	}
}

/* --- all -------------------------------------------------------------------- */

void checks_run(const struct evidence *evidence, struct findings *findings)
{
	/* The last one sorts the rows anew. */
	static void (*const all[])(struct checks *) = {
		check_durations,     check_twice,          check_zero,  check_before_launch,
		check_unlinked_rows, check_unlinked_calls, check_steps, check_dominant,
	};
	struct checks checks = {evidence, findings, overlap_sort(evidence), evidence->rows};

	for (size_t i = 0; checks.count && i < sizeof all / sizeof *all; i++)
		all[i](&checks);
	free(checks.sorted);
	findings_sort(findings, evidence);
}

/* --- cuts ------------------------------------------------------------------- */

static int compare_clips(const void *a, const void *b)
{
	const struct clip *x = a;
	const struct clip *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

void checks_clip(const struct evidence *evidence, struct clips *clips)
{
	struct overlap_row *sorted = overlap_sort(evidence);
	struct overlaps overlaps;
	struct overlap overlap;

	overlaps_begin(&overlaps, sorted, evidence);
	while (overlaps_next(&overlaps, &overlap)) {
		if (!overlap.is_cut || overlap.row->call == EVIDENCE_NONE)
			continue;
		clips->item = mem_grow(clips->item, &clips->cap, clips->count + 1, sizeof *clips->item);
		clips->item[clips->count++] =
			(struct clip){overlap.row->number, difference(overlap.end, overlap.row->ts)};
	}
	overlaps_end(&overlaps);
	if (clips->count)
		qsort(clips->item, clips->count, sizeof *clips->item, compare_clips);
	free(sorted);
}
