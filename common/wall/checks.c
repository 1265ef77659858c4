#include "wall/checks.h"

#include "base/mem.h"

#include <stdlib.h>

static const struct dec overlap_error = {10000000000};  /* 10 us: kernels of PDL overlap by less */
static const struct dec earlier_error = {100000000000}; /* 100 us: clocks of host and device */
enum { DOMINANT = 100 };                                /* times the median of the class */

/* A row to be sorted. */
struct sorted {
	const struct evidence *evidence;
	const struct evidence_row *row;
};

struct checks {
	const struct evidence *evidence;
	struct findings *findings;
	struct sorted *sorted; /* first by stream, then by class */
	size_t count;
};

static struct str name_of(const struct evidence *evidence, uint32_t name)
{
	return strmap_key(&evidence->names, name);
}

static struct str correlation_of(const struct sorted *s)
{
	return s->row->call == EVIDENCE_NONE ? STR("") : strmap_key(&s->evidence->calls, s->row->call);
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

/* The order in a stream. Rows that are equal in it are equal in all that is printed. */
static int compare_in_stream(const void *a, const void *b)
{
	const struct sorted *x = a;
	const struct sorted *y = b;
	int order = compare_numbers(x->row->place, y->row->place);

	order = order ? order : dec_compare(x->row->ts, y->row->ts);
	order = order ? order : dec_compare(x->row->dur, y->row->dur);
	if (order == 0 && x->row->name != y->row->name)
		order = str_compare(name_of(x->evidence, x->row->name), name_of(y->evidence, y->row->name));
	if (order == 0 && x->row->call != y->row->call)
		order = str_compare(correlation_of(x), correlation_of(y));
	return order ? order : compare_numbers(x->row->hash, y->row->hash);
}

static uint32_t process_of(const struct sorted *s)
{
	return s->evidence->place[s->row->place].process;
}

static int compare_in_class(const void *a, const void *b)
{
	const struct sorted *x = a;
	const struct sorted *y = b;
	int order = compare_numbers(process_of(x), process_of(y));

	order = order ? order : compare_numbers(x->row->op, y->row->op);
	order = order ? order : dec_compare(x->row->dur, y->row->dur);
	/* Of equal ones the last is found: the first by ts. */
	order = order ? order : dec_compare(y->row->ts, x->row->ts);
	return order ? order : compare_in_stream(a, b);
}

static struct sorted *sort(const struct evidence *evidence)
{
	struct sorted *sorted = mem_alloc(evidence->rows + 1, sizeof *sorted);

	for (size_t i = 0; i < evidence->rows; i++)
		sorted[i] = (struct sorted){evidence, &evidence->row[i]};
	qsort(sorted, evidence->rows, sizeof *sorted, compare_in_stream);
	return sorted;
}

/* --- findings -------------------------------------------------------------- */

static void find_row(struct checks *checks, enum check check, enum severity severity,
                     const struct evidence_row *row, struct dec time)
{
	const struct findings_event event = {check, severity, row->place, row->name, row->ts, time};

	findings_add(checks->findings, checks->evidence, &event);
}

static void find_call(struct checks *checks, enum check check, enum severity severity,
                      const struct evidence_call *call)
{
	const struct findings_event event = {check,      severity, call->place,
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

/* PDL lets a kernel begin before the one before it has ended; so do the branches of a graph. */
static bool is_overlap_error(struct dec overlap)
{
	return dec_compare(overlap, overlap_error) >= 0;
}

/* Rows of one launch that begin at the same time are branches of a graph, or one row twice. */
static bool begin_together(const struct evidence_row *a, const struct evidence_row *b)
{
	return a->call == b->call && dec_compare(a->ts, b->ts) == 0;
}

static void check_overlap(struct checks *checks)
{
	const struct evidence_row *next = NULL; /* of all, the next start on its stream */

	for (size_t i = checks->count; i-- > 0;) {
		const struct evidence_row *row = checks->sorted[i].row;
		const struct evidence_row *after = i + 1 < checks->count ? checks->sorted[i + 1].row : NULL;
		struct dec overlap;
		bool allowed;

		if (!after || after->place != row->place)
			next = NULL;
		else if (!begin_together(row, after))
			next = after;
		if (!next || row->call == EVIDENCE_NONE)
			continue;
		overlap = difference(end_of(row), next->ts);
		allowed = row->call == next->call || !is_overlap_error(overlap);
		if (overlap.nano > 0)
			find_row(checks, CHECK_OVERLAP, allowed ? SEVERITY_NOTE : SEVERITY_ERROR, row, overlap);
	}
}

static void check_twice(struct checks *checks)
{
	for (size_t i = 0; i + 1 < checks->count; i++)
		if (compare_in_stream(&checks->sorted[i], &checks->sorted[i + 1]) == 0)
			find_row(checks, CHECK_TWICE, SEVERITY_WARNING, checks->sorted[i].row,
			         checks->sorted[i].row->dur);
}

/* --- single rows ------------------------------------------------------------ */

/* The span of all other rows of the file. */
static struct dec other_span(const struct evidence_source *source, const struct evidence_row *row)
{
	struct dec end = end_of(row);
	struct dec start = source->starts[dec_compare(row->ts, source->starts[0]) == 0];

	return difference(source->ends[dec_compare(end, source->ends[0]) == 0], start);
}

/* A collective may wait for another rank for most of the trace. */
static bool is_impossible(const struct checks *checks, const struct evidence_row *row)
{
	const struct evidence *evidence = checks->evidence;
	const struct evidence_source *source = &evidence->source[evidence->place[row->place].source];
	struct dec span = other_span(source, row);

	if (row->dur.nano < 0)
		return true;
	/* One other row is no measure. */
	return source->rows > 2 && span.nano > 0 && 2 * row->dur.nano > span.nano &&
	       !str_equal(strmap_key(&evidence->ops, row->op), STR("Collective"));
}

static void check_impossible(struct checks *checks)
{
	for (size_t i = 0; i < checks->count; i++)
		if (is_impossible(checks, checks->sorted[i].row))
			find_row(checks, CHECK_IMPOSSIBLE, SEVERITY_ERROR, checks->sorted[i].row,
			         checks->sorted[i].row->dur);
}

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
		const struct evidence_call *call = evidence_call_of(checks->evidence, row);
		struct dec early = call ? difference(call->ts, row->ts) : (struct dec){0};

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

		if (!evidence_call_of(evidence, row))
			continue;
		extend(&by_place[row->place], row->ts);
		extend(&by_source[evidence->place[row->place].source], row->ts);
	}
	for (size_t i = 0; i < evidence->rows; i++) {
		const struct evidence_row *row = &evidence->row[i];
		const struct range *range = &by_place[row->place];

		if (!evidence_is_known(evidence, row) || evidence_call_of(evidence, row))
			continue;
		if (!range->any)
			range = &by_source[evidence->place[row->place].source];
		find_row(checks, CHECK_UNLINKED, at_ends(range, row->ts), row, row->dur);
	}
	free(by_place);
	free(by_source);
}

static void check_unlinked_calls(struct checks *checks)
{
	const struct evidence *evidence = checks->evidence;
	struct range *by_source = ranges(evidence->source_cap);

	for (size_t i = 0; i < evidence->calls.count; i++) {
		const struct evidence_call *call = &evidence->call[i];

		if (call->launches && call->has_rows)
			extend(&by_source[evidence->place[call->place].source], call->ts);
	}
	for (size_t i = 0; i < evidence->calls.count; i++) {
		const struct evidence_call *call = &evidence->call[i];
		const struct range *range = by_source;

		if (!call->launches || call->has_rows ||
		    !evidence->source[evidence->place[call->place].source].correlated)
			continue;
		range += evidence->place[call->place].source;
		if (call->graph)
			find_call(checks, CHECK_GRAPH, SEVERITY_ERROR, call);
		else
			find_call(checks, CHECK_UNLINKED, at_ends(range, call->ts), call);
	}
	free(by_source);
}

/* --- steps ------------------------------------------------------------------ */

/* A call that launched something. */
struct launch {
	uint32_t process;
	struct dec ts;
};

static int compare_launches(const void *a, const void *b)
{
	const struct launch *x = a;
	const struct launch *y = b;
	int order = compare_numbers(x->process, y->process);

	return order ? order : dec_compare(x->ts, y->ts);
}

static struct launch *sort_launches(const struct evidence *evidence, size_t *count)
{
	struct launch *launch = mem_alloc(evidence->calls.count + 1, sizeof *launch);

	*count = 0;
	for (size_t i = 0; i < evidence->calls.count; i++) {
		const struct evidence_call *call = &evidence->call[i];

		if (call->seen && call->has_rows)
			launch[(*count)++] = (struct launch){evidence->place[call->place].process, call->ts};
	}
	qsort(launch, *count, sizeof *launch, compare_launches);
	return launch;
}

/* The first launch of the process at or after ts. */
static bool launches_in(const struct launch *launch, size_t count, const struct launch *sought,
                        struct dec end)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_launches(&launch[middle], sought) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && launch[low].process == sought->process &&
	       dec_compare(launch[low].ts, end) < 0;
}

static void check_steps(struct checks *checks)
{
	const struct evidence *evidence = checks->evidence;
	size_t count;
	struct launch *launch = sort_launches(evidence, &count);

	for (size_t i = 0; i < evidence->steps; i++) {
		const struct evidence_step *step = &evidence->step[i];
		const struct evidence_place *place = &evidence->place[step->place];
		const struct launch sought = {place->process, step->ts};
		const struct findings_event event = {CHECK_STEPS, SEVERITY_WARNING, step->place,
		                                     step->name,  step->ts,         step->dur};
		struct dec end = {step->ts.nano + step->dur.nano};

		if (evidence->source[place->source].calls && evidence->source[place->source].rows &&
		    !launches_in(launch, count, &sought, end))
			findings_add(checks->findings, evidence, &event);
	}
	free(launch);
}

/* --- classes ---------------------------------------------------------------- */

static bool is_same_class(const struct sorted *a, const struct sorted *b)
{
	return process_of(a) == process_of(b) && a->row->op == b->row->op;
}

/* Rows of one class on one device, the longest last. */
static void check_class(struct checks *checks, const struct sorted *sorted, size_t count)
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
		check_overlap,        check_twice,         check_impossible,
		check_zero,           check_before_launch, check_unlinked_rows,
		check_unlinked_calls, check_steps,         check_dominant,
	};
	struct checks checks = {evidence, findings, sort(evidence), evidence->rows};

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

/* The rows of one stream that begin at one time, and those that begin next on it. */
struct starts {
	const struct sorted *first;
	const struct sorted *end; /* here the next ones begin, if there are any */
	bool last;
};

/* before[call]: the start, by number in sorted, at which rows of that call were seen last. */
static void clip_starts(const struct starts *starts, const size_t *before, size_t next,
                        struct clips *clips)
{
	for (const struct sorted *s = starts->first; s < starts->end && !starts->last; s++) {
		const struct evidence_row *row = s->row;
		struct dec start = starts->end->row->ts;

		if (row->call == EVIDENCE_NONE || before[row->call] == next ||
		    !is_overlap_error(difference(end_of(row), start)))
			continue;
		clips->item = mem_grow(clips->item, &clips->cap, clips->count + 1, sizeof *clips->item);
		clips->item[clips->count++] = (struct clip){row->number, difference(start, row->ts)};
	}
}

void checks_clip(const struct evidence *evidence, struct clips *clips)
{
	struct sorted *sorted = sort(evidence);
	size_t *before = mem_zero(evidence->calls.count + 1, sizeof *before);
	size_t first;

	for (size_t end = evidence->rows; end > 0; end = first) {
		const struct evidence_row *row = sorted[end - 1].row;
		bool last = end == evidence->rows || sorted[end].row->place != row->place;

		first = end - 1;
		while (first > 0 && sorted[first - 1].row->place == row->place &&
		       dec_compare(sorted[first - 1].row->ts, row->ts) == 0)
			first--;
		clip_starts(&(struct starts){sorted + first, sorted + end, last}, before, end + 1, clips);
		for (size_t i = first; i < end; i++)
			if (sorted[i].row->call != EVIDENCE_NONE)
				before[sorted[i].row->call] = first + 1;
	}
	if (clips->count)
		qsort(clips->item, clips->count, sizeof *clips->item, compare_clips);
	free(before);
	free(sorted);
}
