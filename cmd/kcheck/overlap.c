#include "overlap.h"

#include "base/mem.h"

#include <stdlib.h>

static const struct dec too_long = {10000000000}; /* 10 us: kernels of PDL overlap by less */
enum { RARE = 10 };                               /* one row in ten of its name */

/* Rows with one name in a file that are followed by a row of their own launch. */
struct overlap_name {
	uint64_t rows;
	uint64_t beyond; /* rows that last too long beyond the next row, but not beyond a row of another
	                    launch */
};

/* --- order ------------------------------------------------------------------- */

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

/* By correlation, those without one first. */
static int compare_launches(const struct overlap_row *x, const struct overlap_row *y)
{
	const uint64_t *order = x->evidence->order;

	if (x->row->call == EVIDENCE_NONE || y->row->call == EVIDENCE_NONE)
		return x->row->call == EVIDENCE_NONE ? -1 : 1;
	return order[x->row->call] < order[y->row->call] ? -1 : 1;
}

int overlap_compare(const void *a, const void *b)
{
	const struct overlap_row *x = a;
	const struct overlap_row *y = b;
	const struct strmap *names = &x->evidence->names;
	int order = compare_numbers(x->row->place, y->row->place);

	order = order ? order : dec_compare(x->row->ts, y->row->ts);
	order = order ? order : dec_compare(x->row->dur, y->row->dur);
	if (order == 0 && x->row->name != y->row->name)
		order = str_compare(strmap_key(names, x->row->name), strmap_key(names, y->row->name));
	if (order == 0 && x->row->call != y->row->call)
		order = compare_launches(x, y);
	return order ? order : compare_numbers(x->row->hash, y->row->hash);
}

struct overlap_row *overlap_sort(const struct evidence *evidence)
{
	struct overlap_row *sorted = mem_alloc(evidence->rows + 1, sizeof *sorted);

	for (size_t i = 0; i < evidence->rows; i++)
		sorted[i] = (struct overlap_row){evidence, &evidence->row[i]};
	qsort(sorted, evidence->rows, sizeof *sorted, overlap_compare);
	return sorted;
}

/* --- what comes after a row ---------------------------------------------------- */

static bool is_at(const struct evidence_row *a, const struct evidence_row *b)
{
	return dec_compare(a->ts, b->ts) == 0;
}

/* Rows without a correlation have each a launch of their own, but for a row that comes twice. */
static bool is_same_launch(const struct evidence_row *a, const struct evidence_row *b)
{
	return a->call == b->call && (a->call != EVIDENCE_NONE || is_at(a, b));
}

static void follow(struct overlaps *o, const struct evidence_row *row,
                   const struct evidence_row *after)
{
	bool same = is_same_launch(row, after);

	/* Rows of one launch that begin at the same time are branches of a graph, or one row twice. */
	if (!same || !is_at(row, after))
		o->next = after;
	if (!is_at(row, after)) {
		o->later = after;
		o->later_other = o->other;
	}
	if (!same)
		o->other = after;
}

static const struct evidence_row *take(struct overlaps *o)
{
	const struct evidence_row *after = o->left < o->evidence->rows ? o->sorted[o->left].row : NULL;
	const struct evidence_row *row;

	if (o->left == 0)
		return NULL;
	row = o->sorted[--o->left].row;
	if (after && after->place == row->place)
		follow(o, row, after);
	else
		o->next = o->other = o->later = o->later_other = NULL;
	return row;
}

/* --- durations ----------------------------------------------------------------- */

static struct dec beyond(const struct evidence_row *row, const struct evidence_row *start)
{
	return (struct dec){row->ts.nano + row->dur.nano - start->ts.nano};
}

static bool is_beyond(const struct evidence_row *row, const struct evidence_row *start)
{
	return start && dec_compare(beyond(row, start), too_long) >= 0;
}

/* Whether all rows that begin next are of its launch. */
static bool is_followed(const struct overlaps *o, const struct evidence_row *row)
{
	return o->later && is_same_launch(row, o->later) &&
	       !(o->later_other && is_at(o->later, o->later_other));
}

static const struct evidence_row *later_other(const struct overlaps *o,
                                              const struct evidence_row *row)
{
	return o->later && is_same_launch(row, o->later) ? o->later_other : o->later;
}

static struct overlap_name *name_of(struct overlaps *o, const struct evidence_row *row)
{
	const size_t key[] = {o->evidence->place[row->place].source, row->name};
	size_t number = strmap_add(&o->names, (struct str){(const char *)key, sizeof key}, NULL);

	o->name = mem_grow_zero(o->name, &o->name_cap, number + 1, sizeof *o->name);
	return &o->name[number];
}

/* A row beyond another launch is sure to be too long: it says nothing of branches. */
static void count(struct overlaps *o)
{
	const struct evidence_row *row;

	while ((row = take(o))) {
		struct overlap_name *name;

		if (!is_followed(o, row))
			continue;
		name = name_of(o, row);
		name->rows++;
		name->beyond += is_beyond(row, o->later) && !is_beyond(row, o->later_other);
	}
}

static bool is_rare(struct overlaps *o, const struct evidence_row *row)
{
	const struct overlap_name *name = name_of(o, row);

	return name->rows >= RARE && name->rows / RARE >= name->beyond;
}

void overlaps_begin(struct overlaps *o, const struct overlap_row *sorted,
                    const struct evidence *evidence)
{
	*o = (struct overlaps){.evidence = evidence, .sorted = sorted, .left = evidence->rows};
	count(o);
	o->left = evidence->rows;
}

bool overlaps_next(struct overlaps *o, struct overlap *overlap)
{
	const struct evidence_row *row = take(o);
	const struct evidence_row *bound;

	if (!row)
		return false;
	*overlap = (struct overlap){.row = row};
	if (!o->next || beyond(row, o->next).nano <= 0)
		return true;
	overlap->time = beyond(row, o->next);
	bound = later_other(o, row);
	if (is_followed(o, row) && is_beyond(row, o->later) && is_rare(o, row))
		bound = o->later;
	overlap->is_cut = is_beyond(row, bound);
	overlap->error = overlap->is_cut || is_beyond(row, o->other);
	if (overlap->is_cut)
		overlap->end = bound->ts;
	return true;
}

void overlaps_end(struct overlaps *o)
{
	strmap_free(&o->names);
	free(o->name);
	*o = (struct overlaps){.left = 0};
}
