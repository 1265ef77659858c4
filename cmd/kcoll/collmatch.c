#include "collmatch.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

size_t collmatch_at(uint32_t group, uint8_t by)
{
	return (size_t)group * COLLBYS + by;
}

static struct collmatch_group *group_of(const struct collmatch *match, uint32_t group, uint8_t by)
{
	return &match->group[collmatch_at(group, by)];
}

/* --- members ---------------------------------------------------------------- */

/* A member with what it is sorted by. */
struct place {
	size_t group; /* in match->group */
	uint64_t rank;
	uint8_t kind;
	size_t at;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a;
	const struct place *y = b;
	int order = compare_numbers(x->group, y->group);

	if (order == 0)
		order = compare_numbers(x->rank, y->rank);
	return order ? order : x->kind - y->kind;
}

/*
 * Sets member to the members of kinds that wait, in the order of groups and ranks. Returns their
 * number.
 */
static size_t sort_members(struct collmatch *match)
{
	const struct colltable *table = match->table;
	size_t count = 0;
	struct place *places = mem_alloc(table->member_keys.count, sizeof *places);

	match->member = mem_alloc(table->member_keys.count, sizeof *match->member);
	for (size_t i = 0; i < table->member_keys.count; i++) {
		const struct collmember *member = &table->member[i];

		if (match->waits[member->kind])
			places[count++] = (struct place){collmatch_at(member->group, member->by), member->rank,
			                                 member->kind, i};
	}
	if (count)
		qsort(places, count, sizeof *places, compare_places);
	for (size_t i = 0; i < count; i++)
		match->member[i] = places[i].at;
	free(places);
	return count;
}

static bool has_one_rank(const struct colltable *table)
{
	for (size_t i = 1; i < table->member_keys.count; i++)
		if (table->member[i].rank != table->member[0].rank)
			return false;
	return true;
}

/* The ranks of a group, whose members are [first, end). */
static void look_at_members(struct collmatch *match, size_t first, size_t end)
{
	const struct collmember *members = match->table->member;
	const struct collmember *of_first = &members[match->member[first]];
	struct collmatch_group *group = group_of(match, of_first->group, of_first->by);
	/* How often each kind comes, and with which hash, on the first rank. */
	const struct collmember *model[COLLKINDS] = {NULL};
	size_t kinds = 0;
	size_t kinds_here = 0;

	group->member_at = first;
	group->member_end = end;
	for (size_t i = first; i < end; i++) {
		const struct collmember *member = &members[match->member[i]];

		if (i == first || member->rank != members[match->member[i - 1]].rank) {
			group->seen++;
			group->ranks += collrank_hash(member->rank);
			group->unequal |= kinds_here != kinds;
			kinds_here = 0;
		}
		kinds_here++;
		if (group->seen == 1) {
			model[member->kind] = member;
			kinds = kinds_here;
		} else if (!model[member->kind] || model[member->kind]->hash != member->hash ||
		           model[member->kind]->count != member->count) {
			group->unequal = true;
		}
		if (member->size > group->size)
			group->size = member->size;
	}
	group->unequal |= kinds_here != kinds;
	group->unsized = group->size == 0;
	if (group->unsized)
		group->size = group->seen;
}

/* --- ends ------------------------------------------------------------------- */

struct ends {
	bool any;
	struct dec spread_min;
	struct dec spread_max;
	struct dec low_min;
	struct dec low_max;
};

static void widen(bool any, struct dec *min, struct dec *max, struct dec x)
{
	if (!any || dec_compare(x, *min) < 0)
		*min = x;
	if (!any || dec_compare(x, *max) > 0)
		*max = x;
}

/* The distances of the ends of a group that is matched by order. */
static bool measure_ends(struct collmatch *match)
{
	const struct colltable *table = match->table;
	struct ends *ends = mem_zero(table->groups.count, sizeof *ends);
	bool good = true;

	for (size_t i = 0; i < table->keys.count && good; i++) {
		const struct coll *coll = &table->coll[i];
		struct ends *at = &ends[coll->group];
		struct dec spread = coll->end_max;
		struct dec low = coll->end_low;

		if (coll->by != COLLBY_ORDER || !match->waits[coll->kind])
			continue;
		good = dec_subtract(&spread, coll->end_min) && dec_subtract(&low, coll->end_min);
		widen(at->any, &at->spread_min, &at->spread_max, spread);
		widen(at->any, &at->low_min, &at->low_max, low);
		at->any = true;
	}
	for (uint32_t i = 0; i < table->groups.count && good; i++) {
		struct dec low = ends[i].low_max;
		struct dec *vary = &group_of(match, i, COLLBY_ORDER)->ends_vary;

		*vary = ends[i].spread_max;
		good = dec_subtract(vary, ends[i].spread_min) && dec_subtract(&low, ends[i].low_min);
		if (dec_compare(low, *vary) > 0)
			*vary = low;
	}
	free(ends);
	return good;
}

/* An end on the lowest rank. */
struct end {
	uint32_t group;
	struct dec time;
};

static int compare_ends(const void *a, const void *b)
{
	const struct end *x = a;
	const struct end *y = b;
	int order = compare_numbers(x->group, y->group);

	return order ? order : dec_compare(x->time, y->time);
}

/*
 * A group that is matched by order. If a rank began with another collective, its ends would vary as
 * the time between collectives does. If the ends vary much less, no rank did.
 */
static bool is_guessed(const struct end *end, size_t count, struct dec ends_vary, bool *guessed)
{
	struct dec min = {0};
	struct dec max = {0};

	for (size_t i = 1; i < count; i++) {
		struct dec gap = end[i].time;

		if (!dec_subtract(&gap, end[i - 1].time))
			return false;
		widen(i > 1, &min, &max, gap);
	}
	if (!dec_subtract(&max, min))
		return false;
	*guessed = dec_compare(max, ends_vary) <= 0 ||
	           (dec_subtract(&max, ends_vary) && dec_compare(max, ends_vary) <= 0);
	return true;
}

static bool find_guesses(struct collmatch *match)
{
	struct collmatch_group *group;
	const struct colltable *table = match->table;
	struct end *ends = mem_alloc(table->keys.count, sizeof *ends);
	size_t count = 0;
	size_t first = 0;
	bool good = true;

	for (size_t i = 0; i < table->keys.count; i++) {
		const struct coll *coll = &table->coll[i];

		if (coll->by == COLLBY_ORDER && match->waits[coll->kind] &&
		    coll->state == COLLSTATE_WHOLE && coll->count > 1)
			ends[count++] = (struct end){coll->group, coll->end_low};
	}
	if (count)
		qsort(ends, count, sizeof *ends, compare_ends);
	for (size_t i = 1; i <= count && good; i++) {
		if (i < count && ends[i].group == ends[first].group)
			continue;
		group = group_of(match, ends[first].group, COLLBY_ORDER);
		good = is_guessed(&ends[first], i - first, group->ends_vary, &group->guessed);
		first = i;
	}
	free(ends);
	return good;
}

/* --- each collective -------------------------------------------------------- */

static int compare_seqs(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return compare_numbers(*x, *y);
}

/* How many of the sorted numbers are below x. */
static size_t count_below(const uint64_t *numbers, size_t count, uint64_t x)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (numbers[middle] < x)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* How many numbers are above x. */
static size_t count_above(const uint64_t *numbers, size_t count, uint64_t x)
{
	return x == UINT64_MAX ? 0 : count - count_below(numbers, count, x + 1);
}

/* By group, what its ranks recorded: the first and the last numbers, each sorted. */
struct spans {
	uint64_t *first;
	uint64_t *last;
	size_t *count; /* by group */
};

static void find_spans(const struct collmatch *match, struct spans *spans, size_t members)
{
	const struct collmember *member = match->table->member;
	size_t groups = match->table->groups.count * COLLBYS;

	spans->first = mem_alloc(members, sizeof *spans->first);
	spans->last = mem_alloc(members, sizeof *spans->last);
	spans->count = mem_zero(groups, sizeof *spans->count);
	for (size_t g = 0; g < groups; g++) {
		const struct collmatch_group *group = &match->group[g];
		uint64_t *first = spans->first + group->member_at;
		uint64_t *last = spans->last + group->member_at;
		size_t count = 0;
		uint64_t rank = 0;

		for (size_t i = group->member_at; i < group->member_end; i++) {
			const struct collmember *at = &member[match->member[i]];

			if (!at->ordered)
				continue;
			if (count == 0 || at->rank != rank) {
				rank = at->rank;
				first[count] = at->first;
				last[count++] = at->last;
				continue;
			}
			if (at->first < first[count - 1])
				first[count - 1] = at->first;
			if (at->last > last[count - 1])
				last[count - 1] = at->last;
		}
		spans->count[g] = count;
		if (count) {
			qsort(first, count, sizeof *first, compare_seqs);
			qsort(last, count, sizeof *last, compare_seqs);
		}
	}
}

/*
 * Whether a rank without a row of the collective recorded collectives before and after it. Without
 * Seq a Comms Id has no order, and the clocks of ranks give no order.
 */
static enum collmatch_why hole_or_edge(const struct collmatch *match, const struct spans *spans,
                                       const struct coll *coll)
{
	size_t at = collmatch_at(coll->group, coll->by);
	const struct collmatch_group *group = &match->group[at];
	const uint64_t *first = spans->first + group->member_at;
	const uint64_t *last = spans->last + group->member_at;
	size_t count = spans->count[at];

	if (!coll->ordered || count < group->seen)
		return COLLMATCH_UNKNOWN;
	return count - count_below(last, count, coll->seq) - count_above(first, count, coll->seq) >
	               coll->count
	           ? COLLMATCH_HOLE
	           : COLLMATCH_EDGE;
}

/* Why a collective is not whole; COLLMATCH_WHYS if it is. */
static enum collmatch_why why_not(const struct collmatch *match, const struct spans *spans,
                                  const struct coll *coll)
{
	const struct collmatch_group *group = group_of(match, coll->group, coll->by);
	bool by_order = coll->by == COLLBY_ORDER;

	if (group->unsized && group->seen < 2)
		return COLLMATCH_ALONE;
	if (by_order && group->seen < group->size)
		return match->one_rank ? COLLMATCH_PARTIAL : COLLMATCH_RANKS;
	if (by_order && group->unequal)
		return COLLMATCH_SEQUENCE;
	if (coll->count > group->seen || group->seen > group->size ||
	    (coll->count == group->seen && coll->ranks != group->ranks))
		return COLLMATCH_TOO_MANY;
	if (by_order && dec_compare(group->ends_vary, dec_of(COLLMATCH_STEADY)) > 0)
		return COLLMATCH_ENDS;
	if (coll->count == group->size)
		return COLLMATCH_WHYS;
	if (coll->count == group->seen)
		return match->one_rank ? COLLMATCH_PARTIAL : COLLMATCH_RANKS;
	return hole_or_edge(match, spans, coll);
}

/* Kinds that do not wait: only the number of their rows counts. */
static enum collstate state_of_other(const struct coll *coll)
{
	return coll->size && coll->count == coll->size ? COLLSTATE_WHOLE : COLLSTATE_UNMATCHED;
}

static bool judge(struct collmatch *match, const struct spans *spans, struct coll *coll)
{
	struct collmatch_group *group;
	enum collmatch_why why;

	if (!match->waits[coll->kind]) {
		coll->state = (uint8_t)state_of_other(coll);
		return true;
	}
	group = group_of(match, coll->group, coll->by);
	why = why_not(match, spans, coll);
	match->waiting += coll->count;
	if (why == COLLMATCH_WHYS) {
		coll->state = COLLSTATE_WHOLE;
		match->whole++;
		group->wholes++;
		return dec_add(&group->least, coll->min);
	}
	coll->state = coll->by != COLLBY_ORDER && coll->count > 1 && coll->count < group->size &&
	                      why != COLLMATCH_TOO_MANY
	                  ? COLLSTATE_PART
	                  : COLLSTATE_UNMATCHED;
	group->whole = false;
	group->why[why] += coll->count;
	return true;
}

bool collmatch_run(struct collmatch *match)
{
	const struct colltable *table = match->table;
	size_t groups = table->groups.count * COLLBYS;
	struct spans spans;
	size_t members;
	size_t first = 0;
	bool good;

	match->group = mem_zero(groups, sizeof *match->group);
	for (size_t i = 0; i < groups; i++)
		match->group[i].whole = true;
	match->one_rank = has_one_rank(table);
	members = sort_members(match);
	for (size_t i = 1; i <= members; i++) {
		const struct collmember *a = &table->member[match->member[first]];
		const struct collmember *b = i < members ? &table->member[match->member[i]] : NULL;

		if (b && b->group == a->group && b->by == a->by)
			continue;
		look_at_members(match, first, i);
		first = i;
	}
	good = measure_ends(match);
	find_spans(match, &spans, members);
	for (size_t i = 0; i < table->keys.count && good; i++)
		good = judge(match, &spans, &table->coll[i]);
	good = good && find_guesses(match);
	free(spans.first);
	free(spans.last);
	free(spans.count);
	return good;
}

/* --- reasons ---------------------------------------------------------------- */

void collmatch_put_why(const struct collmatch_group *group, enum collmatch_why why,
                       struct buf *text)
{
	switch (why) {
	case COLLMATCH_RANKS:
		buf_format(text, "%" PRIu64 " of %" PRIu64 " ranks are missing", group->size - group->seen,
		           group->size);
		break;
	case COLLMATCH_HOLE:
		buf_text(text, "a rank has no row of them, but earlier and later ones");
		break;
	case COLLMATCH_UNKNOWN:
		buf_text(text, "a rank has no row of them, and without Seq it is not known whether it "
		               "has earlier and later ones");
		break;
	case COLLMATCH_EDGE:
		buf_text(text, "they are before or after what a rank recorded");
		break;
	case COLLMATCH_TOO_MANY:
		buf_text(text, "there are more rows than ranks");
		break;
	case COLLMATCH_SEQUENCE:
		buf_text(text, "the ranks have different sequences of collectives, without numbers");
		break;
	case COLLMATCH_ENDS:
		buf_text(text, "without numbers, and their ends vary by ");
		dec_print(text, group->ends_vary);
		buf_text(text, " us");
		break;
	case COLLMATCH_ALONE:
		buf_text(text, "there is one rank, and nothing says how many there should be");
		break;
	case COLLMATCH_PARTIAL:
		buf_format(text, "the input has one rank of %" PRIu64 ", so bandwidths are lower bounds",
		           group->size);
		break;
	case COLLMATCH_WHYS:
		break;
	}
}

bool collmatch_is_damage(enum collmatch_why why)
{
	return why == COLLMATCH_RANKS || why == COLLMATCH_HOLE || why == COLLMATCH_UNKNOWN;
}

void collmatch_free(struct collmatch *match)
{
	free(match->group);
	free(match->member);
}
