#include "matching.h"

#include <stdlib.h>

#include "base/mem.h"

enum { NEAREST = 1000 }; /* shapes that a group is compared with */

/* --- shapes: groups of trace2 with equal kernels, which are compared once ---------------- */

/* Numbered by size, the largest first. */
struct shapes {
	const struct sequence *sequence;
	struct strmap keys;
	size_t *size;  /* by shape: the kernels of each of its groups */
	size_t *next;  /* by shape: the first of its groups without a match, STRMAP_NONE if all groups
	                  have a match */
	size_t *after; /* by group: the next group of its shape, or STRMAP_NONE */
	/*
	 * By shape: the shape, if a group is left, else a smaller shape, and a larger shape. Numbers in
	 * `larger` are one more, and 0 is the end.
	 */
	size_t *smaller;
	size_t *larger;
	struct buf key;
};

/* The text that groups of equal kernels have in common. */
static struct str shape_key(struct shapes *shapes, const struct bunch *bunch)
{
	shapes->key.len = 0;
	for (size_t i = 0; i < bunch->pieces_count; i++) {
		const struct couple *piece = &bunch->pieces[i];

		buf_bytes(&shapes->key, (const char *)&piece->b, sizeof piece->b);
		buf_bytes(&shapes->key, (const char *)&piece->count, sizeof piece->count);
	}
	return buf_view(&shapes->key);
}

static size_t *numbers_to(size_t count)
{
	size_t *numbers = mem_alloc(count, sizeof *numbers);

	for (size_t i = 0; i < count; i++)
		numbers[i] = i;
	return numbers;
}

static struct shapes shapes_of(const struct sequence *sequence)
{
	struct shapes shapes = {.sequence = sequence};
	size_t *last = mem_zero(sequence->bunches_count + 1, sizeof *last);

	shapes.next = mem_zero(sequence->bunches_count + 1, sizeof *shapes.next);
	shapes.size = mem_zero(sequence->bunches_count + 1, sizeof *shapes.size);
	shapes.after = mem_zero(sequence->bunches_count + 1, sizeof *shapes.after);
	for (size_t i = 0; i < sequence->bunches_count; i++) {
		bool added;
		size_t shape = strmap_add(&shapes.keys, shape_key(&shapes, &sequence->bunches[i]), &added);

		if (added) {
			shapes.next[shape] = i;
			shapes.size[shape] = sequence->bunches[i].kernels;
		} else {
			shapes.after[last[shape]] = i;
		}
		last[shape] = i;
		shapes.after[i] = STRMAP_NONE;
	}
	shapes.smaller = numbers_to(shapes.keys.count + 1);
	shapes.larger = numbers_to(shapes.keys.count + 1);
	free(last);
	return shapes;
}

static void free_shapes(struct shapes *shapes)
{
	strmap_free(&shapes->keys);
	free(shapes->next);
	free(shapes->size);
	free(shapes->after);
	free(shapes->smaller);
	free(shapes->larger);
	buf_free(&shapes->key);
}

/* The first shape from i on that is left, by one of the two arrays. */
static size_t first_left(size_t *left, size_t i)
{
	while (left[i] != i) {
		left[i] = left[left[i]];
		i = left[i];
	}
	return i;
}

/* The group of trace2 that a shape has next, which is taken; STRMAP_NONE if there is no shape. */
static size_t take_next(struct shapes *shapes, size_t shape)
{
	size_t taken = shape == STRMAP_NONE ? STRMAP_NONE : shapes->next[shape];

	if (taken == STRMAP_NONE)
		return taken;
	shapes->next[shape] = shapes->after[taken];
	if (shapes->next[shape] == STRMAP_NONE) {
		shapes->smaller[shape] = shape + 1;
		shapes->larger[shape + 1] = shape;
	}
	return taken;
}

/* --- which match ---------------------------------------------------------- */

static size_t count_common(const struct bunch *a, const struct bunch *b)
{
	const struct couple *x = a->pieces;
	const struct couple *y = b->pieces;
	size_t common = 0;

	while (x < a->pieces + a->pieces_count && y < b->pieces + b->pieces_count) {
		size_t op = x->b < y->b ? x->b : y->b;

		if (x->b == y->b)
			common += (size_t)(x->count < y->count ? x->count : y->count);
		x += x->b == op;
		y += y->b == op;
	}
	return common;
}

/* A search for the match of a group, from its size on to both sides. */
struct search {
	const struct bunch *bunch;
	size_t best; /* shape, or STRMAP_NONE */
	size_t common;
	size_t distance;
};

/* How far a shape is; SIZE_MAX if its size is not within a quarter or if it is the end. */
static size_t distance_of(const struct shapes *shapes, const struct bunch *bunch, size_t shape)
{
	size_t a = bunch->kernels;
	size_t b = shape < shapes->keys.count ? shapes->size[shape] : 0;

	if (4 * b > 5 * a || 4 * b < 3 * a)
		return SIZE_MAX;
	return a > b ? a - b : b - a;
}

/* Shapes come the closest first. */
static void try_shape(const struct shapes *shapes, struct search *search, size_t shape)
{
	const struct bunch *b = &shapes->sequence->bunches[shapes->next[shape]];
	size_t common = count_common(search->bunch, b);
	size_t away = distance_of(shapes, search->bunch, shape);

	if (2 * common < search->bunch->kernels || 2 * common < b->kernels || common < search->common)
		return;
	if (common == search->common && search->best != STRMAP_NONE &&
	    (away > search->distance || shapes->next[shape] > shapes->next[search->best]))
		return;
	search->best = shape;
	search->common = common;
	search->distance = away;
}

/* The first shape that is not larger than a group. */
static size_t place_of(const struct shapes *shapes, const struct bunch *bunch)
{
	size_t low = 0;
	size_t high = shapes->keys.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (shapes->size[middle] > bunch->kernels)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The shape of a group's match, or STRMAP_NONE. */
static size_t search_match(struct shapes *shapes, const struct bunch *bunch)
{
	struct search search = {.bunch = bunch, .best = STRMAP_NONE};
	size_t place = place_of(shapes, bunch);
	size_t smaller = first_left(shapes->smaller, place);
	size_t larger = first_left(shapes->larger, place);

	for (int i = 0; i < NEAREST; i++) {
		size_t down = distance_of(shapes, bunch, smaller);
		size_t up = distance_of(shapes, bunch, larger - 1);

		if (down == SIZE_MAX && up == SIZE_MAX)
			break;
		if (up <= down) {
			try_shape(shapes, &search, larger - 1);
			larger = first_left(shapes->larger, larger - 1);
		} else {
			try_shape(shapes, &search, smaller);
			smaller = first_left(shapes->smaller, smaller + 1);
		}
	}
	return search.best;
}

/* The match of each group of trace1, or STRMAP_NONE: equal groups first. The caller frees it. */
static size_t *find_matches(const struct sequence *a, const struct sequence *b)
{
	struct shapes shapes = shapes_of(b);
	size_t *match = mem_zero(a->bunches_count + 1, sizeof *match);

	for (size_t i = 0; i < a->bunches_count; i++)
		match[i] =
			take_next(&shapes, strmap_find(&shapes.keys, shape_key(&shapes, &a->bunches[i])));
	for (size_t i = 0; i < a->bunches_count; i++)
		if (match[i] == STRMAP_NONE)
			match[i] = take_next(&shapes, search_match(&shapes, &a->bunches[i]));
	free_shapes(&shapes);
	return match;
}

/* --- differences ---------------------------------------------------------- */

/* The number of the class at the head of either list, and its count, which are taken off. */
static size_t take_class(const struct couple *piece[2], const struct couple *end[2],
                         int64_t count[2])
{
	size_t op = STRMAP_NONE;

	for (int s = 0; s < 2; s++)
		if (piece[s] < end[s] && piece[s]->b < op)
			op = piece[s]->b;
	for (int s = 0; s < 2; s++)
		count[s] = piece[s] < end[s] && piece[s]->b == op ? piece[s]++->count : 0;
	return op;
}

static void add_differences(struct matching *matching, const struct bunch *a, const struct bunch *b)
{
	const struct couple *piece[] = {a->pieces, b->pieces};
	const struct couple *end[] = {a->pieces + a->pieces_count, b->pieces + b->pieces_count};

	while (piece[0] < end[0] || piece[1] < end[1]) {
		int64_t count[2];
		size_t op = take_class(piece, end, count);

		if (count[0] == count[1])
			continue;
		matching->differences =
			mem_grow(matching->differences, &matching->differences_cap,
		             matching->differences_count + 1, sizeof *matching->differences);
		matching->differences[matching->differences_count++] =
			(struct couple){.a = matching->count, .b = op, .count = count[1] - count[0]};
	}
}

void matching_find(struct matching *matching, const struct sequence *a, const struct sequence *b,
                   size_t classes)
{
	size_t *match = find_matches(a, b);

	matching->at = mem_zero(a->bunches_count + 1, sizeof *matching->at);
	for (size_t i = 0; i < a->bunches_count; i++) {
		if (match[i] == STRMAP_NONE)
			continue;
		add_differences(matching, &a->bunches[i], &b->bunches[match[i]]);
		matching->pairs =
			mem_grow(matching->pairs, &matching->cap, matching->count + 1, sizeof *matching->pairs);
		matching->pairs[matching->count++] = (struct matching_pair){{i, match[i]}};
		matching->at[matching->count] = matching->differences_count;
	}
	matching->by_class =
		couple_index_of(matching->differences, matching->differences_count, classes);
	free(match);
}

void matching_free(struct matching *matching)
{
	free(matching->pairs);
	free(matching->differences);
	free(matching->at);
	couple_index_free(&matching->by_class);
	*matching = (struct matching){0};
}
