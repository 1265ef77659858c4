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

/* Kernels that ran together. */
struct fusion_bunch {
	size_t kernels;
	size_t first; /* the place of its first kernel */
	size_t match; /* number of the other side's, STRMAP_NONE for none */
	size_t *ops;  /* how many of each class */
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

static void add_to_bunch(struct fusion *fusion, struct fusion_side *side, size_t *number, size_t i)
{
	struct fusion_bunch *bunch;

	if (*number == STRMAP_NONE) {
		*number = side->bunches_count++;
		side->bunches =
			mem_grow(side->bunches, &side->bunches_cap, side->bunches_count, sizeof *side->bunches);
		side->bunches[*number] =
			(struct fusion_bunch){.first = i,
		                          .match = STRMAP_NONE,
		                          .ops = mem_zero(fusion->classes_count + 1, sizeof(size_t))};
	}
	bunch = &side->bunches[*number];
	bunch->kernels++;
	bunch->ops[side->kernels[i].op]++;
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

/* Largest first, without those of too few kernels. */
static void find_bunches(struct fusion *fusion, struct fusion_side *side)
{
	size_t *launched = count_keys(side, true);
	size_t *by_launch = no_numbers(side->launches);
	size_t *by_step = no_numbers(side->steps);
	size_t count = 0;

	for (size_t i = 0; i < side->count; i++) {
		const struct fusion_kernel *kernel = &side->kernels[i];

		if (kernel->launch != STRMAP_NONE && launched[kernel->launch] >= GROUP_KERNELS)
			add_to_bunch(fusion, side, &by_launch[kernel->launch], i);
		else if (kernel->step != STRMAP_NONE)
			add_to_bunch(fusion, side, &by_step[kernel->step], i);
	}
	for (size_t i = 0; i < side->bunches_count; i++) {
		if (side->bunches[i].kernels >= GROUP_KERNELS)
			side->bunches[count++] = side->bunches[i];
		else
			free(side->bunches[i].ops);
	}
	side->bunches_count = count;
	if (count)
		qsort(side->bunches, count, sizeof *side->bunches, compare_bunches);
	free(launched);
	free(by_launch);
	free(by_step);
}

/* How many kernels of two groups are of one class in both. */
static size_t common(const struct fusion *fusion, const struct fusion_bunch *a,
                     const struct fusion_bunch *b)
{
	size_t count = 0;

	for (size_t i = 0; i < fusion->classes_count; i++)
		count += a->ops[i] < b->ops[i] ? a->ops[i] : b->ops[i];
	return count;
}

/*
 * The group of trace2 that has most in common with one of trace1. Its size must be within a quarter
 * of the other's, and at least half of their kernels must be in common.
 */
static size_t find_match(const struct fusion *fusion, const struct fusion_bunch *bunch)
{
	const struct fusion_side *other = &fusion->side[1];
	size_t best = STRMAP_NONE;
	size_t best_common = 0;

	for (size_t i = 0; i < other->bunches_count; i++) {
		const struct fusion_bunch *b = &other->bunches[i];
		size_t n;

		if (b->match != STRMAP_NONE || 4 * b->kernels > 5 * bunch->kernels ||
		    4 * b->kernels < 3 * bunch->kernels)
			continue;
		n = common(fusion, bunch, b);
		if (2 * n >= most(b->kernels, bunch->kernels) && n > best_common) {
			best = i;
			best_common = n;
			if (n == bunch->kernels && n == b->kernels)
				break; /* nothing is nearer */
		}
	}
	return best;
}

static void match_bunches(struct fusion *fusion)
{
	for (size_t i = 0; i < fusion->side[0].bunches_count; i++) {
		struct fusion_bunch *a = &fusion->side[0].bunches[i];
		struct fusion_bunch *b;

		a->match = find_match(fusion, a);
		if (a->match == STRMAP_NONE)
			continue;
		b = &fusion->side[1].bunches[a->match];
		b->match = i;
		fusion->pairs++;
		for (size_t c = 0; c < fusion->classes_count; c++) {
			fusion->classes[c].grouped[0] += a->ops[c];
			fusion->classes[c].grouped[1] += b->ops[c];
			fusion->classes[c].differ += a->ops[c] != b->ops[c];
		}
	}
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

/* How many kernels of a class directly follow one of the other class or, if not before, precede it.
 */
static size_t neighbours(const struct fusion_side *side, size_t op, size_t other, bool before)
{
	size_t count = 0;

	for (size_t i = 1; i < side->count; i++)
		if (follows(side, i) && side->kernels[before ? i : i - 1].op == op &&
		    side->kernels[before ? i - 1 : i].op == other)
			count++;
	return count;
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
	const struct fusion_side *other = &fusion->side[1 - by];
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
	count = neighbours(other, a, b, false);
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
	uint64_t of = class->sum[1 - by].count;

	for (size_t i = 0; i < fusion->classes_count; i++) {
		const struct fusion_class *with = &fusion->classes[i];
		struct fusion_mapping *mapping;
		size_t count;

		if (with->sum[by].count < FEWEST || with->sum[1 - by].count < FEWEST)
			continue;
		count = neighbours(&fusion->side[1 - by], alone, i, before);
		if (count < FEWEST || 5 * count <= 4 * of)
			continue;
		mapping = add_mapping(fusion, by, with, with->sum[by].count,
		                      before ? with->name : class->name, before ? class->name : with->name);
		mapping->count = count;
		mapping->of = of;
		buf_format(&mapping->evidence, "trace%d has no %.*s; %zu of %llu in trace%d %s %.*s",
		           by + 1, (int)class->name.n, class->name.s, count, (unsigned long long)of, 2 - by,
		           before ? "follow" : "precede", (int)with->name.n, with->name.s);
		return true;
	}
	return false;
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
	size_t groups;  /* with fewer */
	size_t with;    /* of these, with more of the other */
	size_t missing; /* kernels */
	size_t more;
};

static struct excess excess_of(const struct fusion *fusion, size_t less, size_t more, int by)
{
	struct excess excess = {0};

	for (size_t i = 0; i < fusion->side[by].bunches_count; i++) {
		const struct fusion_bunch *mine = &fusion->side[by].bunches[i];
		const struct fusion_bunch *other;

		if (mine->match == STRMAP_NONE)
			continue;
		other = &fusion->side[1 - by].bunches[mine->match];
		if (other->ops[less] <= mine->ops[less])
			continue;
		excess.groups++;
		if (mine->ops[more] <= other->ops[more])
			continue;
		excess.with++;
		excess.missing += other->ops[less] - mine->ops[less];
		excess.more += mine->ops[more] - other->ops[more];
	}
	return excess;
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

/* The other side runs a class more often; this side has another one in its place. */
static void map_more_often(struct fusion *fusion, size_t op, int by)
{
	const struct fusion_class *class = &fusion->classes[op];
	size_t few = class->grouped[by];
	size_t many = class->grouped[1 - by];
	struct excess best = {0};
	size_t best_op = 0;
	struct fusion_mapping *mapping;

	if (few == 0 || few + many < MANY || 10 * many < 13 * few ||
	    str_equal(class->name, STR("Other")))
		return;
	for (size_t i = 0; i < fusion->classes_count; i++) {
		struct excess excess = excess_of(fusion, op, i, by);

		if (i != op && is_better(fusion, &excess, i, &best, best_op)) {
			best = excess;
			best_op = i;
		}
	}
	if (best.with < FEWEST)
		return;
	mapping = add_mapping(fusion, by, &fusion->classes[best_op], best.more, class->name, STR(""));
	mapping->count = best.missing;
	mapping->of = many;
	buf_format(
		&mapping->evidence,
		"trace%d runs it %zu times, trace%d %zu; in %zu of the %zu groups where it has fewer, "
		"trace%d has more %.*s",
		2 - by, many, by + 1, few, best.with, best.groups, by + 1,
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

static void find_mappings(struct fusion *fusion)
{
	for (int by = 0; by < FUSION_SIDES; by++)
		for (size_t i = 0; i < fusion->classes_count; i++)
			map_named(fusion, i, by);
	for (int by = 0; by < FUSION_SIDES; by++) {
		for (size_t i = 0; i < fusion->classes_count; i++) {
			map_alone(fusion, i, by);
			map_more_often(fusion, i, by);
			map_chains(fusion, i, by);
		}
	}
	if (fusion->mappings_count)
		qsort(fusion->mappings, fusion->mappings_count, sizeof *fusion->mappings, compare_mappings);
}

static int compare_classes(const void *a, const void *b)
{
	const struct fusion_class *x = a;
	const struct fusion_class *y = b;

	return str_compare(x->name, y->name);
}

bool fusion_find(struct fusion *fusion, const struct strmap *ops)
{
	for (int s = 0; s < FUSION_SIDES; s++)
		if (fusion->side[s].count)
			qsort(fusion->side[s].kernels, fusion->side[s].count, sizeof(struct fusion_kernel),
			      compare_kernels);
	if (!sum_classes(fusion, ops)) {
		snprintf(fusion->error, sizeof fusion->error, "dur: the sum is too large");
		return false;
	}
	for (int s = 0; s < FUSION_SIDES; s++)
		find_bunches(fusion, &fusion->side[s]);
	match_bunches(fusion);
	find_mappings(fusion);
	if (fusion->classes_count)
		qsort(fusion->classes, fusion->classes_count, sizeof *fusion->classes, compare_classes);
	return true;
}

void fusion_free(struct fusion *fusion)
{
	for (int s = 0; s < FUSION_SIDES; s++) {
		for (size_t i = 0; i < fusion->side[s].bunches_count; i++)
			free(fusion->side[s].bunches[i].ops);
		free(fusion->side[s].bunches);
		free(fusion->side[s].kernels);
	}
	for (size_t i = 0; i < fusion->mappings_count; i++)
		buf_free(&fusion->mappings[i].evidence);
	free(fusion->mappings);
	free(fusion->classes);
	*fusion = (struct fusion){0};
}
