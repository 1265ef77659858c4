#include "ranges.h"

#include "base/die.h"
#include "base/mem.h"

#include <stdlib.h>

/* There are many: without packing, 4 of 48 bytes are empty. */
struct __attribute__((packed, aligned(4))) range {
	struct dec start;
	struct dec end;
	uint32_t thread;
	uint32_t name;   /* in names; once built, its rank by bytes */
	uint32_t latest; /* the range that ends last in the subtree of this range */
};

/* A thread with ranges. */
struct range_owner {
	uint32_t process;
	uint32_t thread;
};

/* From a time on, this thread of a process is the only one with an open range. */
struct __attribute__((packed, aligned(4))) range_change {
	struct dec time;
	uint32_t process;
	uint32_t thread; /* or RANGES_NONE, RANGES_SEVERAL */
};

/* --- ranges ---------------------------------------------------------------- */

/* The number of a name, which is written between others. */
static uint32_t add_name(struct ranges *ranges, struct str name)
{
	struct buf text = {0};
	uint32_t number;

	if (!str_has_byte(name, ';'))
		return (uint32_t)strmap_add(&ranges->names, name, NULL);
	buf_str(&text, name);
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] == ';')
			text.data[i] = ':';
	number = (uint32_t)strmap_add(&ranges->names, buf_view(&text), NULL);
	buf_free(&text);
	return number;
}

bool ranges_add(struct ranges *ranges, uint32_t thread, uint32_t process, struct dec start,
                struct dec dur, struct str name)
{
	struct dec end = start;

	if (!dec_add(&end, dur))
		return false;
	if (dur.nano <= 0)
		return true;
	if (ranges->count >= UINT32_MAX / 2)
		die("more than 2 billion ranges");
	if (thread >= ranges->threads)
		ranges->threads = (size_t)thread + 1;
	ranges->process =
		mem_grow_zero(ranges->process, &ranges->process_cap, ranges->threads, sizeof(uint32_t));
	ranges->process[thread] = process;
	ranges->all = mem_grow(ranges->all, &ranges->cap, ranges->count + 1, sizeof *ranges->all);
	ranges->all[ranges->count++] = (struct range){
		.start = start, .end = end, .thread = thread, .name = add_name(ranges, name)};
	return true;
}

/* --- between adding and questions -------------------------------------------- */

struct ranked {
	struct str text;
	uint32_t number;
};

static int compare_texts(const void *a, const void *b)
{
	return str_compare(((const struct ranked *)a)->text, ((const struct ranked *)b)->text);
}

/* Replaces each name by its rank, so that ranges are sorted without looking at bytes. */
static void rank_names(struct ranges *ranges)
{
	size_t count = ranges->names.count;
	struct ranked *sorted = mem_alloc(count, sizeof *sorted);
	uint32_t *rank = mem_alloc(count, sizeof *rank);

	for (uint32_t i = 0; i < count; i++)
		sorted[i] = (struct ranked){strmap_key(&ranges->names, i), i};
	qsort(sorted, count, sizeof *sorted, compare_texts);
	ranges->name_of_rank = mem_alloc(count, sizeof *ranges->name_of_rank);
	for (uint32_t i = 0; i < count; i++) {
		ranges->name_of_rank[i] = sorted[i].number;
		rank[sorted[i].number] = i;
	}
	for (size_t i = 0; i < ranges->count; i++)
		ranges->all[i].name = rank[ranges->all[i].name];
	free(rank);
	free(sorted);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a;
	const struct range *y = b;
	int order = (x->thread > y->thread) - (x->thread < y->thread);

	if (order == 0)
		order = dec_compare(x->start, y->start);
	if (order == 0)
		order = dec_compare(y->end, x->end);
	return order ? order : (x->name > y->name) - (x->name < y->name);
}

static uint32_t later(const struct ranges *ranges, uint32_t a, uint32_t b)
{
	return dec_compare(ranges->all[a].end, ranges->all[b].end) < 0 ? b : a;
}

/*
 * The ranges [low, high) are a tree with the middle range as its root, and the ranges on both sides
 * of it as its subtrees. Gives the range of the tree that ends last. The depth is log n.
 */
static uint32_t build_tree(struct ranges *ranges, uint32_t low, uint32_t high)
{
	uint32_t middle = low + (high - low) / 2;
	uint32_t latest = middle;

	if (low < middle)
		latest = later(ranges, latest, build_tree(ranges, low, middle));
	if (middle + 1 < high)
		latest = later(ranges, latest, build_tree(ranges, middle + 1, high));
	return ranges->all[middle].latest = latest;
}

/* --- the threads of a process -------------------------------------------------- */

enum { FEW = 16 }; /* threads of a process to look at for each question about all of them */

static int compare_owners(const void *a, const void *b)
{
	const struct range_owner *x = a;
	const struct range_owner *y = b;

	return (x->process > y->process) - (x->process < y->process);
}

static void find_owners(struct ranges *ranges)
{
	size_t cap = 0;

	for (uint32_t thread = 0; thread < ranges->threads; thread++) {
		if (ranges->first[thread] == ranges->first[thread + 1])
			continue;
		ranges->owners =
			mem_grow(ranges->owners, &cap, ranges->owners_count + 1, sizeof *ranges->owners);
		ranges->owners[ranges->owners_count++] =
			(struct range_owner){ranges->process[thread], thread};
	}
	if (ranges->owners_count)
		qsort(ranges->owners, ranges->owners_count, sizeof *ranges->owners, compare_owners);
}

/* The first owner whose process is not lower. */
static size_t first_owner(const struct ranges *ranges, uint64_t process)
{
	size_t low = 0;
	size_t high = ranges->owners_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->owners[middle].process < process)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A thread begins or ends to have open ranges. */
struct edge {
	struct dec time;
	uint32_t thread;
	bool begins;
};

struct edges {
	struct edge *item;
	size_t count;
	size_t cap;
};

static int compare_edges(const void *a, const void *b)
{
	return dec_compare(((const struct edge *)a)->time, ((const struct edge *)b)->time);
}

static void add_edges(struct edges *edges, const struct ranges *ranges, uint32_t thread)
{
	const struct range *all = ranges->all;

	for (uint32_t i = ranges->first[thread], next; i < ranges->first[thread + 1]; i = next) {
		struct dec end = all[i].end;

		for (next = i + 1;
		     next < ranges->first[thread + 1] && dec_compare(all[next].start, end) <= 0; next++)
			if (dec_compare(end, all[next].end) < 0)
				end = all[next].end;
		edges->item = mem_grow(edges->item, &edges->cap, edges->count + 2, sizeof *edges->item);
		edges->item[edges->count++] = (struct edge){all[i].start, thread, true};
		edges->item[edges->count++] = (struct edge){end, thread, false};
	}
}

/* Adds when the only thread of a process changes. */
static void add_changes(struct ranges *ranges, uint32_t process, const struct edges *edges)
{
	uint64_t open = 0; /* threads with open ranges */
	uint64_t sum = 0;  /* the sum of their numbers, which is the number of a single thread */

	ranges->changes =
		mem_resize(ranges->changes, ranges->changes_count + edges->count, sizeof *ranges->changes);
	for (size_t i = 0; i < edges->count; i++) {
		const struct edge *edge = &edges->item[i];
		struct range_change change = {edge->time, process, RANGES_NONE};

		open = edge->begins ? open + 1 : open - 1;
		sum = edge->begins ? sum + edge->thread : sum - edge->thread;
		if (i + 1 < edges->count && compare_edges(edge, edge + 1) == 0)
			continue;
		if (open)
			change.thread = open == 1 ? (uint32_t)sum : RANGES_SEVERAL;
		ranges->changes[ranges->changes_count++] = change;
	}
}

/* For processes with many threads: which of them has open ranges, from each time on. */
static void build_changes(struct ranges *ranges)
{
	const struct range_owner *owners = ranges->owners;
	struct edges edges = {0};

	for (size_t i = 0, next; i < ranges->owners_count; i = next) {
		next = first_owner(ranges, (uint64_t)owners[i].process + 1);
		if (next - i <= FEW)
			continue;
		edges.count = 0;
		for (size_t n = i; n < next; n++)
			add_edges(&edges, ranges, owners[n].thread);
		if (edges.count)
			qsort(edges.item, edges.count, sizeof *edges.item, compare_edges);
		add_changes(ranges, owners[i].process, &edges);
	}
	free(edges.item);
}

void ranges_build(struct ranges *ranges)
{
	uint32_t at = 0;

	if (ranges->count == 0)
		return;
	ranges->all = mem_resize(ranges->all, ranges->count, sizeof *ranges->all);
	ranges->cap = ranges->count;
	rank_names(ranges);
	qsort(ranges->all, ranges->count, sizeof *ranges->all, compare_ranges);
	ranges->first = mem_alloc(ranges->threads + 1, sizeof *ranges->first);
	for (size_t thread = 0; thread < ranges->threads; thread++) {
		ranges->first[thread] = at;
		while (at < ranges->count && ranges->all[at].thread == thread)
			at++;
		if (at > ranges->first[thread])
			build_tree(ranges, ranges->first[thread], at);
	}
	ranges->first[ranges->threads] = at;
	find_owners(ranges);
	build_changes(ranges);
}

/* --- questions --------------------------------------------------------------- */

struct search {
	const struct range *all;
	struct dec time;
	uint32_t *found; /* the open ranges, the last first */
	size_t count;
	size_t most; /* the search ends with so many */
};

/* In the tree [low, high). */
static void search_tree(struct search *search, uint32_t low, uint32_t high)
{
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct range *range = &search->all[middle];

		if (dec_compare(search->all[range->latest].end, search->time) <= 0)
			return;
		if (dec_compare(range->start, search->time) <= 0) {
			search_tree(search, middle + 1, high);
			if (search->count == search->most)
				return;
			if (dec_compare(range->end, search->time) > 0)
				search->found[search->count++] = middle;
			if (search->count == search->most)
				return;
		}
		high = middle;
	}
}

/* Sets all but `most` and `found`, and searches the ranges of a thread. */
static void find_open(struct search *search, const struct ranges *ranges, uint32_t thread,
                      struct dec time)
{
	search->all = ranges->all;
	search->time = time;
	search->count = 0;
	if (thread < ranges->threads)
		search_tree(search, ranges->first[thread], ranges->first[thread + 1]);
}

bool ranges_on_thread(const struct ranges *ranges, uint32_t thread, struct dec time)
{
	uint32_t found;
	struct search search = {.found = &found, .most = 1};

	find_open(&search, ranges, thread, time);
	return search.count > 0;
}

/* The last change of a process up to a time. */
static uint32_t changed_to(const struct ranges *ranges, uint32_t process, struct dec time)
{
	size_t low = 0;
	size_t high = ranges->changes_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct range_change *change = &ranges->changes[middle];

		if (change->process < process ||
		    (change->process == process && dec_compare(change->time, time) <= 0))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || ranges->changes[low - 1].process != process)
		return RANGES_NONE;
	return ranges->changes[low - 1].thread;
}

uint32_t ranges_in_process(const struct ranges *ranges, uint32_t process, struct dec time)
{
	size_t first = first_owner(ranges, process);
	size_t end = first_owner(ranges, (uint64_t)process + 1);
	uint32_t only = RANGES_NONE;

	if (end - first > FEW)
		return changed_to(ranges, process, time);
	for (size_t i = first; i < end; i++) {
		if (!ranges_on_thread(ranges, ranges->owners[i].thread, time))
			continue;
		if (only != RANGES_NONE)
			return RANGES_SEVERAL;
		only = ranges->owners[i].thread;
	}
	return only;
}

bool ranges_fold(const struct ranges *ranges, uint32_t thread, struct dec time, struct buf *out,
                 struct str *last)
{
	uint32_t found[RANGES_MOST + 1];
	struct search search = {.found = found, .most = RANGES_MOST + 1};
	bool all;

	find_open(&search, ranges, thread, time);
	all = search.count <= RANGES_MOST;
	*last = STR("");
	for (size_t i = all ? search.count : RANGES_MOST; i--;) {
		*last = strmap_key(&ranges->names, ranges->name_of_rank[ranges->all[found[i]].name]);
		buf_str(out, *last);
		if (i)
			buf_char(out, ';');
	}
	return all;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->all);
	strmap_free(&ranges->names);
	free(ranges->name_of_rank);
	free(ranges->first);
	free(ranges->process);
	free(ranges->owners);
	free(ranges->changes);
	*ranges = (struct ranges){0};
}
