#include "capture.h"

#include "base/die.h"
#include "base/mem.h"
#include "kernel/rowkind.h"

#include <stdlib.h>
#include <string.h>

enum event_kind { BEGIN, END, LAUNCH };

struct capture_event {
	struct dec ts;
	uint32_t thread;
	uint32_t thread_rank;
	uint32_t name;  /* in call_names; then its rank */
	uint32_t token; /* for a launch */
	uint32_t token_rank;
	uint32_t order;
	int32_t open; /* captures that begin here; below 0: that end */
	enum event_kind kind;
};

/* --- the rows of a REF -------------------------------------------------------- */

static uint32_t kernel_token(struct captures *c, struct str name)
{
	return CAPMATCH_NAMED + (uint32_t)strmap_add(&c->names, name, NULL);
}

uint32_t captures_token(struct captures *captures, struct str cat, struct str name)
{
	switch (rowkind_work(cat, name)) {
	case ROWKIND_COPY:
		return CAPMATCH_COPY;
	case ROWKIND_MEMSET:
		return CAPMATCH_MEMSET;
	default:
		return kernel_token(captures, name);
	}
}

/* What a call does by its name; for a kernel CAPMATCH_NAMELESS. False if it does not count. */
static bool classify(struct str name, struct capture_event *event)
{
	event->kind = LAUNCH;
	if (str_has(name, STR("StreamBeginCapture")))
		event->kind = BEGIN;
	else if (str_has(name, STR("StreamEndCapture")))
		event->kind = END;
	else if (str_has(name, STR("LaunchKernel")) || str_has(name, STR("LaunchCooperativeKernel")))
		event->token = CAPMATCH_NAMELESS;
	else if (str_has(name, STR("Memcpy")))
		event->token = CAPMATCH_COPY;
	else if (str_has(name, STR("Memset")))
		event->token = CAPMATCH_MEMSET;
	else
		return false;
	return true;
}

bool captures_is_call(struct str name)
{
	struct capture_event event;

	return classify(name, &event);
}

static void check_count(size_t count)
{
	if (count >= UINT32_MAX)
		die("more than 4 billion calls or rows in the traces of --capture");
}

void captures_call(struct captures *captures, struct capture_ref *ref, struct dec ts,
                   uint32_t thread, struct str name, struct str kernel)
{
	struct capture_event event = {.ts = ts, .thread = thread, .order = (uint32_t)ref->events};

	if (!classify(name, &event))
		return;
	if (event.token == CAPMATCH_NAMELESS && kernel.n)
		event.token = kernel_token(captures, kernel);
	check_count(ref->events);
	event.name = (uint32_t)strmap_add(&captures->call_names, name, NULL);
	ref->event = mem_grow(ref->event, &ref->events_cap, ref->events + 1, sizeof *ref->event);
	ref->event[ref->events++] = event;
}

/* The number of a text; 0 is the empty text. */
static uint32_t text_number(struct captures *c, struct str text)
{
	if (c->texts.count == 0)
		strmap_add(&c->texts, STR(""), NULL);
	return (uint32_t)strmap_add(&c->texts, text, NULL);
}

bool captures_is_annotation(struct str name)
{
	return str_starts(name, STR("capture_"));
}

bool captures_annotation(struct captures *captures, struct capture_ref *ref, uint32_t thread,
                         struct dec ts, struct dec dur, struct str name)
{
	ref->annotation = mem_grow(ref->annotation, &ref->annotations_cap, ref->annotations_count + 1,
	                           sizeof *ref->annotation);
	ref->annotation[ref->annotations_count] = text_number(captures, name);
	return timeline_add(&ref->annotations, thread, ts, dur, (uint32_t)ref->annotations_count++);
}

void captures_row(struct capture_ref *ref, struct dec ts, uint32_t token, uint32_t launch,
                  uint32_t device)
{
	check_count(ref->rows);
	ref->row = mem_grow(ref->row, &ref->rows_cap, ref->rows + 1, sizeof *ref->row);
	ref->row[ref->rows++] = (struct capture_row){.ts = ts,
	                                             .launch_thread = CAPTURE_NONE,
	                                             .launch = launch,
	                                             .device = device,
	                                             .token = token};
}

/* --- order --------------------------------------------------------------------- */

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_events(const void *a, const void *b)
{
	const struct capture_event *x = a;
	const struct capture_event *y = b;
	int order = compare_numbers(x->thread_rank, y->thread_rank);

	if (order == 0)
		order = dec_compare(x->ts, y->ts);
	if (order == 0)
		order = compare_numbers(x->name, y->name);
	if (order == 0)
		order = compare_numbers(x->token_rank, y->token_rank);
	return order ? order : compare_numbers(x->order, y->order);
}

static int compare_rows(const void *a, const void *b)
{
	const struct capture_row *x = a;
	const struct capture_row *y = b;
	int order = dec_compare(x->launch_ts, y->launch_ts);

	if (order == 0)
		order = dec_compare(x->ts, y->ts);
	if (order == 0)
		order = compare_numbers(x->launch, y->launch);
	return order ? order : compare_numbers(x->device, y->device);
}

static void sort_events(struct captures *c, struct capture_ref *ref, const struct strmap *threads,
                        const size_t *ranks)
{
	size_t *names = strmap_ranks(&c->call_names);
	size_t *thread_ranks = strmap_ranks(threads);

	for (size_t i = 0; i < ref->events; i++) {
		struct capture_event *event = &ref->event[i];

		event->name = (uint32_t)names[event->name];
		event->thread_rank = (uint32_t)thread_ranks[event->thread];
		event->token_rank = captures_rank(ranks, event->token);
	}
	if (ref->events)
		qsort(ref->event, ref->events, sizeof *ref->event, compare_events);
	free(names);
	free(thread_ranks);
}

/* --- captures -------------------------------------------------------------------- */

/* A capture, while the sets are made. */
struct found {
	struct dec ts; /* start of its begin */
	uint32_t thread_rank;
	uint32_t annotation; /* CAPTURE_NONE */
	uint32_t first;
	uint32_t count;
	uint32_t set;
};

struct found_list {
	struct found *item;
	size_t count;
	size_t cap;
};

static int compare_begins(const void *a, const void *b)
{
	const struct found *x = a;
	const struct found *y = b;
	int order = compare_numbers(x->set, y->set);

	if (order == 0)
		order = dec_compare(x->ts, y->ts);
	if (order == 0)
		order = compare_numbers(x->thread_rank, y->thread_rank);
	return order ? order : compare_numbers(x->first, y->first);
}

/* Pairs begins with ends: each end that has a begin closes the last one of its thread. */
static void pair_begins(struct capture_ref *ref)
{
	size_t *begun = mem_alloc(ref->events, sizeof *begun);
	size_t depth = 0;

	for (size_t i = 0; i < ref->events; i++) {
		if (i && ref->event[i].thread != ref->event[i - 1].thread)
			depth = 0;
		if (ref->event[i].kind == BEGIN) {
			begun[depth++] = i;
			ref->single++;
		} else if (ref->event[i].kind == END && depth) {
			ref->event[begun[--depth]].open = 1;
			ref->event[i].open = -1;
			ref->single--;
		} else if (ref->event[i].kind == END) {
			ref->single++;
		}
	}
	free(begun);
}

static uint32_t add_call(struct captures *c, uint32_t token)
{
	size_t call = c->calls;

	check_count(call + 1);
	c->token = mem_grow(c->token, &c->calls_cap[0], call + 1, sizeof *c->token);
	c->operator= mem_grow(c->operator, & c->calls_cap[1], call + 1, sizeof *c->operator);
	c->value = mem_grow(c->value, &c->calls_cap[2], (call + 1) * c->columns, sizeof *c->value);
	c->token[call] = token;
	c->operator[call] = 0;
	if (c->columns)
		memset(c->value + call * c->columns, 0, c->columns * sizeof *c->value);
	return (uint32_t)c->calls++;
}

static void add_found(struct found_list *list, const struct found *found)
{
	list->item = mem_grow(list->item, &list->cap, list->count + 1, sizeof *list->item);
	list->item[list->count++] = *found;
}

/* Adds the calls of all captures, and lists the captures. Only events of calls remain. */
static void collect(struct captures *c, struct capture_ref *ref, struct found_list *list)
{
	struct found_list begun = {0};
	size_t kept = 0;

	for (size_t i = 0; i < ref->events; i++) {
		const struct capture_event *event = &ref->event[i];

		if (event->open > 0) {
			const struct found found = {
				.ts = event->ts,
				.thread_rank = event->thread_rank,
				.annotation = timeline_at(&ref->annotations, event->thread, event->ts),
				.first = (uint32_t)c->calls};

			add_found(&begun, &found);
		} else if (event->open < 0 && begun.count) {
			struct found *found = &begun.item[--begun.count];

			found->count = (uint32_t)c->calls - found->first;
			if (found->count && begun.count >= CAPTURE_DEPTH)
				ref->deep++;
			else if (found->count)
				add_found(list, found);
		} else if (event->kind == LAUNCH && begun.count) {
			ref->nameless |= event->token == CAPMATCH_NAMELESS;
			add_call(c, event->token);
			ref->event[kept++] = *event;
		}
	}
	ref->events = kept;
	free(begun.item);
}

/* The number after "capture_". */
static void set_size(const struct captures *c, struct capture_set *set)
{
	struct str name = captures_text(c, set->name);
	size_t prefix = sizeof "capture_" - 1;
	size_t n = prefix;

	while (n < name.n && name.s[n] >= '0' && name.s[n] <= '9')
		n++;
	set->sized = n > prefix && str_whole((struct str){name.s + prefix, n - prefix}, &set->size);
}

/* Numbers the sets in the order of their first captures. */
static void number_sets(struct captures *c, struct capture_ref *ref, struct found_list *list)
{
	uint32_t *set_of = mem_alloc(ref->annotations_count + 1, sizeof *set_of);

	memset(set_of, 0xff, (ref->annotations_count + 1) * sizeof *set_of);
	for (size_t i = 0; i < list->count; i++) {
		struct found *found = &list->item[i];
		bool alone = found->annotation == TIMELINE_NONE;
		uint32_t *set = &set_of[alone ? ref->annotations_count : found->annotation];

		if (*set == CAPTURE_NONE) {
			*set = (uint32_t)c->sets++;
			c->set = mem_grow(c->set, &c->sets_cap, c->sets, sizeof *c->set);
			c->set[*set] =
				(struct capture_set){.name = alone ? 0 : ref->annotation[found->annotation]};
			set_size(c, &c->set[*set]);
		}
		found->set = *set;
	}
	free(set_of);
}

static void add_capture(struct captures *c, const struct found *found)
{
	struct capture_set *set = &c->set[found->set];
	struct str tokens = {(const char *)(c->token + found->first), found->count * sizeof *c->token};

	uint32_t sequence = (uint32_t)strmap_add(&c->sequences, tokens, NULL);

	c->sample = mem_grow(c->sample, &c->sample_cap, sequence + 1, sizeof *c->sample);
	c->sample[sequence] = (uint32_t)c->count;
	if (set->count == 0)
		set->first = (uint32_t)c->count;
	set->count++;
	set->calls += found->count;
	c->capture = mem_grow(c->capture, &c->cap, c->count + 1, sizeof *c->capture);
	c->capture[c->count++] = (struct capture){
		.first = found->first, .count = found->count, .set = found->set, .sequence = sequence};
}

static void make_captures(struct captures *c, struct capture_ref *ref)
{
	struct found_list list = {0};

	pair_begins(ref);
	timeline_build(&ref->annotations);
	collect(c, ref, &list);
	if (list.count) {
		qsort(list.item, list.count, sizeof *list.item, compare_begins);
		number_sets(c, ref, &list);
		qsort(list.item, list.count, sizeof *list.item, compare_begins);
	}
	for (size_t i = 0; i < list.count; i++)
		add_capture(c, &list.item[i]);
	free(list.item);
}

/* --- eager kernels ------------------------------------------------------------------ */

static void make_eager(struct captures *c, struct capture_ref *ref, const size_t *ranks)
{
	size_t kept = 0;

	for (size_t i = 0; i < ref->rows; i++) {
		struct capture_row row = ref->row[i];

		if (row.launch_thread == CAPTURE_NONE)
			continue;
		row.launch = captures_rank(ranks, row.token);
		row.device = (uint32_t)i;
		ref->row[kept++] = row;
	}
	ref->rows = kept;
	ref->eager = c->calls;
	if (kept == 0)
		return;
	qsort(ref->row, kept, sizeof *ref->row, compare_rows);
	for (size_t i = 0; i < kept; i++)
		add_call(c, ref->row[i].token);
	c->eager = mem_grow(c->eager, &c->eagers_cap, c->eagers + 1, sizeof *c->eager);
	c->eager[c->eagers++] =
		(struct capture_eager){.first = (uint32_t)ref->eager, .count = (uint32_t)kept};
}

/* --- a REF ---------------------------------------------------------------------------- */

bool captures_build(struct captures *captures, struct capture_ref *ref,
                    const struct strmap *threads)
{
	size_t *ranks = strmap_ranks(&captures->names);

	ref->first = captures->calls;
	text_number(captures, STR(""));
	sort_events(captures, ref, threads, ranks);
	make_captures(captures, ref);
	make_eager(captures, ref, ranks);
	ref->end = captures->calls;
	free(ranks);
	return ref->end > ref->first;
}

uint32_t capture_ref_where(const struct capture_ref *ref, size_t call, struct dec *ts)
{
	if (call >= ref->eager) {
		const struct capture_row *row = &ref->row[call - ref->eager];

		*ts = row->launch_ts;
		return row->launch_thread;
	}
	*ts = ref->event[call - ref->first].ts;
	return ref->event[call - ref->first].thread;
}

void capture_ref_free(struct capture_ref *ref)
{
	free(ref->event);
	free(ref->row);
	free(ref->annotation);
	timeline_free(&ref->annotations);
	*ref = (struct capture_ref){0};
}

void captures_value(struct captures *captures, size_t call, size_t column, struct str text)
{
	captures->value[call * captures->columns + column] = text_number(captures, text);
}

struct str captures_text(const struct captures *captures, uint32_t text)
{
	return text < captures->texts.count ? strmap_key(&captures->texts, text) : STR("");
}

void captures_free(struct captures *captures)
{
	free(captures->token);
	free(captures->operator);
	free(captures->value);
	free(captures->capture);
	free(captures->set);
	free(captures->eager);
	free(captures->sample);
	strmap_free(&captures->names);
	strmap_free(&captures->call_names);
	strmap_free(&captures->texts);
	strmap_free(&captures->sequences);
	*captures = (struct captures){0};
}
