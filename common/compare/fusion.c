#include "compare/fusion.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "kernel/kclass.h"

enum {
	GROUP_KERNELS = 50, /* the least of a group */
	FEWEST = 5,         /* occurrences of which anything is claimed */
	MANY = 100,         /* kernels of a class that both have */
};

/* How often two numbers come together: of a group and of a class, or of two classes. */
struct tally {
	size_t a;
	size_t b;
	int64_t count;
};

/* Kernels that ran together. */
struct fusion_bunch {
	size_t kernels;
	size_t first;               /* the place of its first kernel */
	const struct tally *pieces; /* by class (b): its kernels of each */
	size_t pieces_count;
};

/* --- kernels -------------------------------------------------------------- */

static size_t most(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* How many numbers there are, now that this one was given. */
static size_t numbers_with(size_t count, size_t number)
{
	return number == STRMAP_NONE ? count : most(count, number + 1);
}

void fusion_add(struct fusion *fusion, int s, const struct fusion_kernel *kernel)
{
	struct fusion_side *side = &fusion->side[s];

	side->kernels = mem_grow(side->kernels, &side->cap, side->count + 1, sizeof *side->kernels);
	side->kernels[side->count++] = *kernel;
	side->launches = numbers_with(side->launches, kernel->launch);
	side->steps = numbers_with(side->steps, kernel->step);
}

static int compare_kernels(const void *a, const void *b)
{
	const struct fusion_kernel *x = a;
	const struct fusion_kernel *y = b;
	int order = (x->device > y->device) - (x->device < y->device);

	if (order == 0)
		order = dec_compare(x->ts, y->ts);
	if (order == 0)
		order = dec_compare(x->dur, y->dur);
	return order ? order : (x->op > y->op) - (x->op < y->op);
}

/* --- tallies -------------------------------------------------------------- */

static int compare_tallies(const void *a, const void *b)
{
	const struct tally *x = a;
	const struct tally *y = b;
	int order = (x->a > y->a) - (x->a < y->a);

	return order ? order : (x->b > y->b) - (x->b < y->b);
}

/* Sorts the tallies and joins those of the same two numbers. Returns how many are left. */
static size_t join_tallies(struct tally *tally, size_t n)
{
	size_t count = 0;

	if (n)
		qsort(tally, n, sizeof *tally, compare_tallies);
	for (size_t i = 0; i < n; i++) {
		if (count && compare_tallies(&tally[count - 1], &tally[i]) == 0)
			tally[count - 1].count += tally[i].count;
		else
			tally[count++] = tally[i];
	}
	return count;
}

/* Tallies in the order of b: those of b from item[at[b]] to item[at[b + 1] - 1]. */
struct index {
	size_t *at;
	struct tally *item;
};

/* Those of one b stay in their order. */
static struct index index_of(const struct tally *tally, size_t n, size_t numbers)
{
	struct index index = {mem_zero(numbers + 2, sizeof *index.at),
	                      mem_alloc(n + 1, sizeof *index.item)};

	for (size_t i = 0; i < n; i++)
		index.at[tally[i].b + 2]++;
	for (size_t i = 2; i < numbers + 2; i++)
		index.at[i] += index.at[i - 1];
	for (size_t i = 0; i < n; i++)
		index.item[index.at[tally[i].b + 1]++] = tally[i];
	return index;
}

static void free_index(struct index *index)
{
	free(index->at);
	free(index->item);
}

/* --- classes ------------------------------------------------------------- */

/* The first kernel of a step does not follow the last one of the step before. */
static bool follows(const struct fusion_side *side, size_t i)
{
	const struct fusion_kernel *kernel = &side->kernels[i];

	return i > 0 && kernel->device == kernel[-1].device && kernel->step == kernel[-1].step;
}

/* Adds up a side's kernels. False if a sum is too large. */
static bool sum_side(struct fusion *fusion, int s)
{
	const struct fusion_side *side = &fusion->side[s];

	for (size_t i = 0; i < side->count; i++) {
		const struct fusion_kernel *kernel = &side->kernels[i];
		struct fusion_class *class = &fusion->classes[kernel->op];

		if (!group_add(&class->sum[s], kernel->dur, 1))
			return false;
		class->chains[s] += !follows(side, i) || kernel[-1].op != kernel->op;
	}
	return true;
}

/* Which classes directly follow which, and of each the one that most often does. */
static void find_neighbours(struct fusion_side *side, size_t classes)
{
	size_t n = 0;

	side->follow = mem_alloc(side->count + 1, sizeof *side->follow);
	for (size_t i = 0; i < side->count; i++)
		if (follows(side, i))
			side->follow[n++] = (struct tally){side->kernels[i - 1].op, side->kernels[i].op, 1};
	side->follow_count = join_tallies(side->follow, n);
	side->before = mem_zero(classes + 1, sizeof *side->before);
	side->after = mem_zero(classes + 1, sizeof *side->after);
	for (size_t i = 0; i < side->follow_count; i++) {
		const struct tally *pair = &side->follow[i];

		if (pair->count > side->after[pair->a].count)
			side->after[pair->a] = *pair;
		if (pair->count > side->before[pair->b].count)
			side->before[pair->b] = *pair;
	}
}

/* How many kernels of class a are directly followed by one of b. */
static size_t count_followed(const struct fusion_side *side, size_t a, size_t b)
{
	const struct tally key = {a, b, 0};
	const struct tally *pair =
		bsearch(&key, side->follow, side->follow_count, sizeof key, compare_tallies);

	return pair ? (size_t)pair->count : 0;
}

static bool sum_classes(struct fusion *fusion, const struct strmap *ops)
{
	fusion->ops = ops;
	fusion->classes_count = ops->count;
	fusion->classes = mem_zero(ops->count + 1, sizeof *fusion->classes);
	for (size_t i = 0; i < ops->count; i++)
		fusion->classes[i].name = strmap_key(ops, i);
	return sum_side(fusion, 0) && sum_side(fusion, 1);
}

/* --- groups: the kernels of a large launch, and the other kernels of a step ----- */

/* How many kernels of each key there are. The caller frees it. */
static size_t *count_keys(const struct fusion_side *side, bool launches)
{
	size_t count = launches ? side->launches : side->steps;
	size_t *counts = mem_zero(count + 1, sizeof *counts);

	for (size_t i = 0; i < side->count; i++) {
		size_t key = launches ? side->kernels[i].launch : side->kernels[i].step;

		if (key != STRMAP_NONE)
			counts[key]++;
	}
	return counts;
}

/* The group with that number, which is new if it is STRMAP_NONE, gets the kernel at i. */
static size_t add_to_bunch(struct fusion_side *side, size_t *number, size_t i)
{
	if (*number == STRMAP_NONE) {
		*number = side->bunches_count++;
		side->bunches =
			mem_grow(side->bunches, &side->bunches_cap, side->bunches_count, sizeof *side->bunches);
		side->bunches[*number] = (struct fusion_bunch){.first = i};
	}
	side->bunches[*number].kernels++;
	return *number;
}

static size_t *no_numbers(size_t count)
{
	size_t *numbers = mem_alloc(count + 1, sizeof *numbers);

	for (size_t i = 0; i < count; i++)
		numbers[i] = STRMAP_NONE;
	return numbers;
}

static int compare_bunches(const void *a, const void *b)
{
	const struct fusion_bunch *x = a;
	const struct fusion_bunch *y = b;
	int order = (y->kernels > x->kernels) - (y->kernels < x->kernels);

	return order ? order : (x->first > y->first) - (x->first < y->first);
}

/* The kernels of each group by class, of which there are n. */
static void find_pieces(struct fusion_side *side, size_t n)
{
	n = join_tallies(side->pieces, n);
	side->pieces = mem_resize(side->pieces, n + 1, sizeof *side->pieces);
	for (size_t i = 0; i < n; i++) {
		struct fusion_bunch *bunch = &side->bunches[side->pieces[i].a];

		if (bunch->pieces_count++ == 0)
			bunch->pieces = &side->pieces[i];
	}
}

/* Largest first, without those of too few kernels. */
static void sort_bunches(struct fusion_side *side)
{
	size_t count = 0;

	for (size_t i = 0; i < side->bunches_count; i++)
		if (side->bunches[i].kernels >= GROUP_KERNELS)
			side->bunches[count++] = side->bunches[i];
	side->bunches_count = count;
	if (count)
		qsort(side->bunches, count, sizeof *side->bunches, compare_bunches);
}

static void find_bunches(struct fusion_side *side)
{
	size_t *launched = count_keys(side, true);
	size_t *by_launch = no_numbers(side->launches);
	size_t *by_step = no_numbers(side->steps);
	size_t n = 0;

	side->pieces = mem_alloc(side->count + 1, sizeof *side->pieces);
	for (size_t i = 0; i < side->count; i++) {
		const struct fusion_kernel *kernel = &side->kernels[i];
		size_t *number = NULL;

		if (kernel->launch != STRMAP_NONE && launched[kernel->launch] >= GROUP_KERNELS)
			number = &by_launch[kernel->launch];
		else if (kernel->step != STRMAP_NONE)
			number = &by_step[kernel->step];
		if (number)
			side->pieces[n++] = (struct tally){add_to_bunch(side, number, i), kernel->op, 1};
	}
	find_pieces(side, n);
	sort_bunches(side);
	free(launched);
	free(by_launch);
	free(by_step);
}

/* --- which match ---------------------------------------------------------- */

/* Groups of trace2 with the same kernels: they are compared once. */
struct shape {
	size_t next;   /* the first of them without a match, STRMAP_NONE if all have one */
	size_t common; /* kernels that it has in common with the group at hand */
};

struct shapes {
	struct shape *shape;
	size_t count;
	struct index by_class; /* of the shapes' kernels */
	size_t *after;         /* by group: the next one of its shape */
	size_t *met;           /* shapes that have something in common with the group at hand */
};

/* The text that groups of the same kernels have in common. */
static struct str shape_key(struct buf *key, const struct fusion_bunch *bunch)
{
	key->len = 0;
	for (size_t i = 0; i < bunch->pieces_count; i++) {
		buf_bytes(key, (const char *)&bunch->pieces[i].b, sizeof bunch->pieces[i].b);
		buf_bytes(key, (const char *)&bunch->pieces[i].count, sizeof bunch->pieces[i].count);
	}
	return buf_view(key);
}

/* Appends the kernels of a group to the tallies, as those of a shape. */
static void add_pieces(struct tally **tally, size_t *n, size_t *cap, size_t shape,
                       const struct fusion_bunch *bunch)
{
	*tally = mem_grow(*tally, cap, *n + bunch->pieces_count, sizeof **tally);
	for (size_t i = 0; i < bunch->pieces_count; i++)
		(*tally)[(*n)++] = (struct tally){shape, bunch->pieces[i].b, bunch->pieces[i].count};
}

static struct shapes shapes_of(const struct fusion_side *side, size_t classes)
{
	struct shapes shapes = {.after = no_numbers(side->bunches_count)};
	size_t *last = no_numbers(side->bunches_count);
	struct tally *tally = NULL;
	size_t n = 0;
	size_t cap = 0;
	struct strmap keys = {0};
	struct buf key = {0};

	shapes.shape = mem_zero(side->bunches_count + 1, sizeof *shapes.shape);
	for (size_t i = 0; i < side->bunches_count; i++) {
		const struct fusion_bunch *bunch = &side->bunches[i];
		bool added;
		size_t shape = strmap_add(&keys, shape_key(&key, bunch), &added);

		if (added) {
			shapes.shape[shape].next = i;
			add_pieces(&tally, &n, &cap, shape, bunch);
		} else {
			shapes.after[last[shape]] = i;
		}
		last[shape] = i;
	}
	shapes.count = keys.count;
	shapes.met = mem_alloc(shapes.count + 1, sizeof *shapes.met);
	shapes.by_class = index_of(tally, n, classes);
	free(tally);
	free(last);
	strmap_free(&keys);
	buf_free(&key);
	return shapes;
}

static void free_shapes(struct shapes *shapes)
{
	free(shapes->shape);
	free_index(&shapes->by_class);
	free(shapes->after);
	free(shapes->met);
}

/* Finds the shapes that have something in common with a group. Returns how many there are. */
static size_t meet_shapes(struct shapes *shapes, const struct fusion_bunch *bunch)
{
	const struct index *index = &shapes->by_class;
	size_t count = 0;

	for (size_t i = 0; i < bunch->pieces_count; i++) {
		const struct tally *piece = &bunch->pieces[i];

		for (size_t j = index->at[piece->b]; j < index->at[piece->b + 1]; j++) {
			const struct tally *other = &index->item[j];
			struct shape *shape = &shapes->shape[other->a];

			if (shape->common == 0)
				shapes->met[count++] = other->a;
			shape->common += (size_t)(other->count < piece->count ? other->count : piece->count);
		}
	}
	return count;
}

/*
 * Whether the size of a group is within a quarter of the other's, and at least half of their
 * kernels are in common.
 */
static bool may_match(const struct fusion_bunch *a, const struct fusion_bunch *b, size_t common)
{
	return 4 * b->kernels <= 5 * a->kernels && 4 * b->kernels >= 3 * a->kernels &&
	       2 * common >= most(a->kernels, b->kernels);
}

/* The shape of which a group matches one of trace1: of those with most in common, the first. */
static size_t find_match(struct shapes *shapes, const struct fusion_side *other,
                         const struct fusion_bunch *bunch)
{
	size_t met = meet_shapes(shapes, bunch);
	size_t best = STRMAP_NONE;
	size_t best_common = 0;

	for (size_t i = 0; i < met; i++) {
		struct shape *shape = &shapes->shape[shapes->met[i]];
		size_t common = shape->common;

		shape->common = 0;
		if (shape->next == STRMAP_NONE || common < best_common ||
		    !may_match(bunch, &other->bunches[shape->next], common))
			continue;
		if (common > best_common || shape->next < shapes->shape[best].next)
			best = shapes->met[i];
		best_common = common;
	}
	return best;
}

/* The differences of groups that match. */
struct differences {
	struct tally *item; /* of a pair of groups (a) in a class (b): trace2's kernels less trace1's */
	size_t count;
	size_t cap;
	size_t *at; /* of each pair, and the end */
	struct index by_class;
};

/* The number of a class at the head of either list, which is then taken off it. */
static size_t take_class(const struct tally *piece[FUSION_SIDES],
                         const struct tally *end[FUSION_SIDES], int64_t count[FUSION_SIDES])
{
	size_t op = STRMAP_NONE;

	for (int s = 0; s < FUSION_SIDES; s++)
		if (piece[s] < end[s] && piece[s]->b < op)
			op = piece[s]->b;
	for (int s = 0; s < FUSION_SIDES; s++)
		count[s] = piece[s] < end[s] && piece[s]->b == op ? piece[s]++->count : 0;
	return op;
}

static void add_difference(struct differences *to, struct tally difference)
{
	to->item = mem_grow(to->item, &to->cap, to->count + 1, sizeof *to->item);
	to->item[to->count++] = difference;
}

/* Adds up a pair of groups by class. */
static void add_pair(struct fusion *fusion, struct differences *differences,
                     const struct fusion_bunch *a, const struct fusion_bunch *b)
{
	const struct tally *piece[FUSION_SIDES] = {a->pieces, b->pieces};
	const struct tally *end[FUSION_SIDES] = {a->pieces + a->pieces_count,
	                                         b->pieces + b->pieces_count};

	while (piece[0] < end[0] || piece[1] < end[1]) {
		int64_t count[FUSION_SIDES];
		size_t op = take_class(piece, end, count);
		struct fusion_class *class = &fusion->classes[op];

		for (int s = 0; s < FUSION_SIDES; s++)
			class->grouped[s] += (uint64_t)count[s];
		if (count[0] == count[1])
			continue;
		class->differ++;
		add_difference(differences, (struct tally){fusion->pairs, op, count[1] - count[0]});
	}
	differences->at[++fusion->pairs] = differences->count;
}

static void match_bunches(struct fusion *fusion, struct differences *differences)
{
	struct fusion_side *side = fusion->side;
	struct shapes shapes = shapes_of(&side[1], fusion->classes_count);

	differences->at = mem_zero(side[0].bunches_count + 1, sizeof *differences->at);
	for (size_t i = 0; i < side[0].bunches_count; i++) {
		struct fusion_bunch *a = &side[0].bunches[i];
		size_t found = find_match(&shapes, &side[1], a);
		struct shape *shape;

		if (found == STRMAP_NONE)
			continue;
		shape = &shapes.shape[found];
		add_pair(fusion, differences, a, &side[1].bunches[shape->next]);
		shape->next = shapes.after[shape->next];
	}
	differences->by_class = index_of(differences->item, differences->count, fusion->classes_count);
	free_shapes(&shapes);
}

/* --- mappings ------------------------------------------------------------- */

static struct fusion_mapping *add_mapping(struct fusion *fusion, int by,
                                          const struct fusion_class *fused, size_t fused_count,
                                          struct str first, struct str second)
{
	struct fusion_mapping *mapping;

	fusion->mappings = mem_grow(fusion->mappings, &fusion->mappings_cap, fusion->mappings_count + 1,
	                            sizeof *fusion->mappings);
	mapping = &fusion->mappings[fusion->mappings_count++];
	*mapping = (struct fusion_mapping){
		.by = by, .fused = fused->name, .fused_count = fused_count, .parts = {first, second}};
	return mapping;
}

/* The class that a part of a fused one's name stands for. */
static struct str part_class(struct str part)
{
	if (str_equal(part, STR("GEMM")))
		return STR("Dense GEMM");
	if (str_equal(part, STR("SwiGLU")))
		return STR("Activation");
	return part;
}

/* The other side runs the two parts that the name of a fused class has, one after the other. */
static void map_named(struct fusion *fusion, size_t fused, int by)
{
	struct fusion_class *class = &fusion->classes[fused];
	const char *plus = memchr(class->name.s, '+', class->name.n);
	size_t at = plus ? (size_t)(plus - class->name.s) : class->name.n;
	struct str first = part_class((struct str){class->name.s, at});
	struct fusion_mapping *mapping;
	struct str second;
	size_t a;
	size_t b;
	size_t count;

	if (!plus || class->sum[by].count == 0)
		return;
	second = part_class((struct str){plus + 1, class->name.n - at - 1});
	a = strmap_find(fusion->ops, first);
	b = strmap_find(fusion->ops, second);
	if (a != STRMAP_NONE)
		fusion->classes[a].within[by] = true;
	if (b != STRMAP_NONE)
		fusion->classes[b].within[by] = true;
	if (a == STRMAP_NONE || b == STRMAP_NONE || class->sum[by].count < FEWEST ||
	    class->sum[1 - by].count)
		return;
	count = count_followed(&fusion->side[1 - by], a, b);
	/* Nearly all of them, or as many as are fused: else they meet by chance. */
	if (count < FEWEST || (5 * count <= 4 * fusion->classes[a].sum[1 - by].count &&
	                       4 * count < 3 * class->sum[by].count))
		return;
	mapping = add_mapping(fusion, by, class, class->sum[by].count, first, second);
	mapping->count = count;
	mapping->of = fusion->classes[a].sum[1 - by].count;
	buf_format(&mapping->evidence, "trace%d has no %.*s; %zu of its %llu %.*s are followed by %.*s",
	           2 - by, (int)class->name.n, class->name.s, count, (unsigned long long)mapping->of,
	           (int)first.n, first.s, (int)second.n, second.s);
}

/*
 * The side that fuses has none of a class; over 80 % of the other side's kernels of it stand beside
 * a class that both have.
 */
static bool map_beside(struct fusion *fusion, size_t alone, int by, bool before)
{
	const struct fusion_class *class = &fusion->classes[alone];
	const struct fusion_side *side = &fusion->side[1 - by];
	const struct tally *beside = before ? &side->before[alone] : &side->after[alone];
	const struct fusion_class *with = &fusion->classes[before ? beside->a : beside->b];
	size_t count = (size_t)beside->count;
	uint64_t of = class->sum[1 - by].count;
	struct fusion_mapping *mapping;

	if (with->sum[by].count < FEWEST || with->sum[1 - by].count < FEWEST || count < FEWEST ||
	    5 * count <= 4 * of)
		return false;
	mapping = add_mapping(fusion, by, with, with->sum[by].count, before ? with->name : class->name,
	                      before ? class->name : with->name);
	mapping->count = count;
	mapping->of = of;
	buf_format(&mapping->evidence, "trace%d has no %.*s; %zu of %llu in trace%d %s %.*s", by + 1,
	           (int)class->name.n, class->name.s, count, (unsigned long long)of, 2 - by,
	           before ? "follow" : "precede", (int)with->name.n, with->name.s);
	return true;
}

/*
 * Whether a class may be missing although nobody fused it: a collective because there is one GPU,
 * a class that all models have because it got another name, a fused one because its parts run.
 */
static bool has_other_reasons(struct str name)
{
	return kclass_is_everywhere(name) || str_has_byte(name, '+') ||
	       str_equal(name, STR("Triton Fused")) || str_equal(name, STR("Collective")) ||
	       str_equal(name, STR("Other"));
}

static void map_alone(struct fusion *fusion, size_t alone, int by)
{
	const struct fusion_class *class = &fusion->classes[alone];

	if (class->sum[by].count || class->sum[1 - by].count < FEWEST || class->within[by] ||
	    has_other_reasons(class->name))
		return;
	if (!map_beside(fusion, alone, by, true))
		map_beside(fusion, alone, by, false);
}

/* Of the groups in which a side has fewer kernels of a class, those in which it has more of
 * another. */
struct excess {
	size_t with;     /* of them */
	int64_t missing; /* kernels */
	int64_t more;
};

/* What is known of all classes while one is at hand. */
struct search {
	const struct differences *differences;
	struct excess *excess; /* by class */
	size_t *met;           /* classes with an excess */
	size_t met_count;
	size_t groups; /* with fewer of the class at hand */
};

/* Adds the classes of which the side has more in a group where it has fewer of another one. */
static void add_excess(struct search *search, const struct tally *less, int64_t sign)
{
	const struct differences *differences = search->differences;

	for (size_t i = differences->at[less->a]; i < differences->at[less->a + 1]; i++) {
		const struct tally *more = &differences->item[i];
		struct excess *excess = &search->excess[more->b];

		if (sign * more->count >= 0)
			continue;
		if (excess->with++ == 0)
			search->met[search->met_count++] = more->b;
		excess->missing += sign * less->count;
		excess->more -= sign * more->count;
	}
}

static void find_excess(struct search *search, size_t op, int by)
{
	const struct index *index = &search->differences->by_class;
	int64_t sign = by == 0 ? 1 : -1;

	search->met_count = 0;
	search->groups = 0;
	for (size_t i = index->at[op]; i < index->at[op + 1]; i++) {
		if (sign * index->item[i].count <= 0)
			continue;
		search->groups++;
		add_excess(search, &index->item[i], sign);
	}
}

static bool is_better(const struct fusion *fusion, const struct excess *x, size_t x_op,
                      const struct excess *best, size_t best_op)
{
	if (x->with != best->with)
		return x->with > best->with;
	if (x->more != best->more)
		return x->more > best->more;
	return str_compare(fusion->classes[x_op].name, fusion->classes[best_op].name) < 0;
}

/* The best of the classes with an excess, and what it has; all are cleared. */
static struct excess take_best(const struct fusion *fusion, struct search *search, size_t *best_op)
{
	struct excess best = {0};

	for (size_t i = 0; i < search->met_count; i++) {
		size_t op = search->met[i];

		if (is_better(fusion, &search->excess[op], op, &best, *best_op)) {
			best = search->excess[op];
			*best_op = op;
		}
		search->excess[op] = (struct excess){0};
	}
	return best;
}

/* The other side runs a class more often; this side has another one in its place. */
static void map_more_often(struct fusion *fusion, struct search *search, size_t op, int by)
{
	const struct fusion_class *class = &fusion->classes[op];
	size_t few = class->grouped[by];
	size_t many = class->grouped[1 - by];
	struct excess best;
	size_t best_op = 0;
	struct fusion_mapping *mapping;

	if (few == 0 || few + many < MANY || 10 * many < 13 * few ||
	    str_equal(class->name, STR("Other")))
		return;
	find_excess(search, op, by);
	best = take_best(fusion, search, &best_op);
	if (best.with < FEWEST)
		return;
	mapping =
		add_mapping(fusion, by, &fusion->classes[best_op], (size_t)best.more, class->name, STR(""));
	mapping->count = (uint64_t)best.missing;
	mapping->of = many;
	buf_format(
		&mapping->evidence,
		"trace%d runs it %zu times, trace%d %zu; in %zu of the %zu groups where it has fewer, "
		"trace%d has more %.*s",
		2 - by, many, by + 1, few, best.with, search->groups, by + 1,
		(int)fusion->classes[best_op].name.n, fusion->classes[best_op].name.s);
}

/* Kernels of one class follow each other in chains more than twice as long in the other trace. */
static void map_chains(struct fusion *fusion, size_t op, int by)
{
	const struct fusion_class *class = &fusion->classes[op];
	size_t a = class->sum[by].count;
	size_t b = class->sum[1 - by].count;
	size_t chains = class->chains[1 - by];
	struct fusion_mapping *mapping;

	if (a + b <= MANY || class->chains[by] < FEWEST || chains < FEWEST ||
	    (__int128)b * class->chains[by] <= (__int128)2 * a * chains)
		return;
	mapping = add_mapping(fusion, by, class, a, class->name, class->name);
	mapping->count = b - chains;
	mapping->of = b;
	buf_text(&mapping->evidence, "chains of ");
	dec_quotient_digits(&mapping->evidence, dec_of((int64_t)b), dec_of((int64_t)chains), 0, 3);
	buf_format(&mapping->evidence, " kernels in trace%d, of ", 2 - by);
	dec_quotient_digits(&mapping->evidence, dec_of((int64_t)a), dec_of((int64_t) class->chains[by]),
	                    0, 3);
	buf_format(&mapping->evidence, " in trace%d", by + 1);
}

static int compare_mappings(const void *a, const void *b)
{
	const struct fusion_mapping *x = a;
	const struct fusion_mapping *y = b;
	int order = (y->count > x->count) - (y->count < x->count);

	for (int i = 0; order == 0 && i < 2; i++)
		order = str_compare(x->parts[i], y->parts[i]);
	if (order == 0)
		order = x->by - y->by;
	return order ? order : str_compare(x->fused, y->fused);
}

static void find_mappings(struct fusion *fusion, const struct differences *differences)
{
	struct search search = {.differences = differences};

	search.excess = mem_zero(fusion->classes_count + 1, sizeof *search.excess);
	search.met = mem_alloc(fusion->classes_count + 1, sizeof *search.met);
	for (int by = 0; by < FUSION_SIDES; by++)
		for (size_t i = 0; i < fusion->classes_count; i++)
			map_named(fusion, i, by);
	for (int by = 0; by < FUSION_SIDES; by++) {
		for (size_t i = 0; i < fusion->classes_count; i++) {
			map_alone(fusion, i, by);
			map_more_often(fusion, &search, i, by);
			map_chains(fusion, i, by);
		}
	}
	if (fusion->mappings_count)
		qsort(fusion->mappings, fusion->mappings_count, sizeof *fusion->mappings, compare_mappings);
	free(search.excess);
	free(search.met);
}

static int compare_classes(const void *a, const void *b)
{
	const struct fusion_class *x = a;
	const struct fusion_class *y = b;

	return str_compare(x->name, y->name);
}

bool fusion_find(struct fusion *fusion, const struct strmap *ops)
{
	struct differences differences = {0};

	for (int s = 0; s < FUSION_SIDES; s++)
		if (fusion->side[s].count)
			qsort(fusion->side[s].kernels, fusion->side[s].count, sizeof(struct fusion_kernel),
			      compare_kernels);
	if (!sum_classes(fusion, ops)) {
		snprintf(fusion->error, sizeof fusion->error, "dur: the sum is too large");
		return false;
	}
	for (int s = 0; s < FUSION_SIDES; s++) {
		find_neighbours(&fusion->side[s], fusion->classes_count);
		find_bunches(&fusion->side[s]);
	}
	match_bunches(fusion, &differences);
	find_mappings(fusion, &differences);
	free(differences.item);
	free(differences.at);
	free_index(&differences.by_class);
	if (fusion->classes_count)
		qsort(fusion->classes, fusion->classes_count, sizeof *fusion->classes, compare_classes);
	return true;
}

void fusion_free(struct fusion *fusion)
{
	for (int s = 0; s < FUSION_SIDES; s++) {
		free(fusion->side[s].bunches);
		free(fusion->side[s].pieces);
		free(fusion->side[s].follow);
		free(fusion->side[s].before);
		free(fusion->side[s].after);
		free(fusion->side[s].kernels);
	}
	for (size_t i = 0; i < fusion->mappings_count; i++)
		buf_free(&fusion->mappings[i].evidence);
	free(fusion->mappings);
	free(fusion->classes);
	*fusion = (struct fusion){0};
}
