#include "claim.h"

#include <stdlib.h>

#include "base/mem.h"
#include "kernel/kclass.h"

#include "fusion.h"

enum { MANY = 100 }; /* kernels of a class that both have */

/* Groups in which a side has fewer kernels of a class and more of another class. */
struct excess {
	size_t with;     /* number of such groups */
	int64_t missing; /* kernels */
	int64_t more;
	int64_t fewer; /* kernels of all classes that it runs less */
};

/* The class of both sides that most often stands beside a class of one side alone. */
struct anchor {
	size_t with; /* STRMAP_NONE without such a class */
	bool after;  /* it follows */
	int64_t count;
	struct dec time; /* time of both kernels */
};

/* A class, to be sorted. */
struct ordered {
	const struct fusion_class *class;
};

struct search {
	struct fusion *fusion;
	size_t part;           /* the class of parts of attention, or STRMAP_NONE */
	struct ordered *order; /* the most frequent first */
	struct excess *excess; /* by class */
	size_t *met;           /* classes with an excess */
	size_t met_count;
	size_t groups;         /* groups with fewer kernels of the class at hand */
	struct anchor *anchor; /* by class */
	/* By class: the kernels of the most frequent class of a side that stands beside it. */
	__int128 *beside[FUSION_SIDES];
	bool good; /* no sum was too large */
};

/* --- one claim ---------------------------------------------------------- */

static struct claim *add_claim(struct fusion *fusion, int by, size_t fused, struct str first,
                               struct str second)
{
	struct claim *claim;

	fusion->claims = mem_grow(fusion->claims, &fusion->claims_cap, fusion->claims_count + 1,
	                          sizeof *fusion->claims);
	claim = &fusion->claims[fusion->claims_count++];
	*claim =
		(struct claim){.by = by, .fused = fusion->classes[fused].name, .parts = {first, second}};
	return claim;
}

/* total * part / whole, to 10^-9. */
static bool scale(struct dec *out, struct dec total, uint64_t part, uint64_t whole)
{
	__int128 product;

	if (__builtin_mul_overflow(total.nano, (__int128)part, &product))
		return false;
	out->nano = product / (__int128)whole;
	return true;
}

/* Sets the time of the unfused kernels, and of as much work where they are fused. */
static void set_times(struct search *search, struct claim *claim, struct dec unfused,
                      struct dec fused, uint64_t part, uint64_t whole)
{
	claim->unfused_us = claim->saves_us = unfused;
	search->good = search->good && scale(&claim->fused_us, fused, part, whole) &&
	               dec_subtract(&claim->saves_us, claim->fused_us);
}

/* --- a class with a + ------------------------------------------------------ */

/* The class that a part of a fused one's name stands for. */
static struct str part_class(struct str part)
{
	if (str_equal(part, STR("GEMM")))
		return STR("Dense GEMM");
	if (str_equal(part, STR("SwiGLU")))
		return STR("Activation");
	return part;
}

/* The classes of the two parts; false if the name has no parts or if these classes are missing. */
static bool find_parts(const struct fusion *fusion, struct str name, size_t part[2])
{
	const char *plus = memchr(name.s, '+', name.n);
	size_t at = plus ? (size_t)(plus - name.s) : name.n;

	if (!plus)
		return false;
	part[0] = strmap_find(fusion->ops, part_class((struct str){name.s, at}));
	part[1] = strmap_find(fusion->ops, part_class((struct str){plus + 1, name.n - at - 1}));
	return true;
}

static void note_within(struct fusion *fusion, const struct fusion_class *class,
                        const size_t part[2])
{
	for (int s = 0; s < FUSION_SIDES; s++)
		for (int i = 0; i < 2; i++)
			if (class->sum[s].count && part[i] != STRMAP_NONE)
				fusion->classes[part[i]].within[s] = true;
}

/* The side that has the class if the other side lacks it; -1 if both have it. */
static int side_alone(const struct fusion_class *class)
{
	if (class->sum[0].count && class->sum[1].count)
		return -1;
	return class->sum[0].count ? 0 : 1;
}

/* A compiler fuses anything, and no name says what: so classes that it lacks may be in there. */
static void note_compiled(struct fusion *fusion, const struct fusion_class *class)
{
	int by = side_alone(class);

	if (by < 0 || class->sum[by].count < FUSION_FEWEST)
		return;
	for (size_t i = 0; i < fusion->classes_count; i++) {
		struct fusion_class *lacked = &fusion->classes[i];

		/* Not parts of attention, which go with the kernel of an attention. */
		if (!lacked->sum[by].count && !kclass_is_everywhere(lacked->name) &&
		    !claim_lacks_anyway(fusion, lacked->name, by))
			lacked->within[by] = true;
	}
}

/*
 * Claims what a name tells: the other side runs the two parts of the name of a fused class, one
 * after the other.
 */
static void map_named(struct search *search, size_t fused)
{
	struct fusion *fusion = search->fusion;
	struct fusion_class *class = &fusion->classes[fused];
	int by = side_alone(class);
	const struct sequence *other;
	struct claim *claim;
	struct couple *pair;
	uint64_t of;
	size_t part[2];

	if (str_equal(class->name, STR("Triton Fused")))
		note_compiled(fusion, class);
	if (!find_parts(fusion, class->name, part))
		return;
	note_within(fusion, class, part);
	if (part[0] == STRMAP_NONE || part[1] == STRMAP_NONE || by < 0 ||
	    class->sum[by].count < FUSION_FEWEST)
		return;
	other = &fusion->side[1 - by];
	pair = couple_find(other->follow, other->follow_count, part[0], part[1]);
	of = fusion->classes[part[0]].sum[1 - by].count;
	/* Nearly all pairs, or as many as are fused: else they meet by chance. */
	if (!pair || pair->count < FUSION_FEWEST ||
	    (5 * (uint64_t)pair->count <= 4 * of &&
	     4 * (uint64_t)pair->count < 3 * class->sum[by].count))
		return;
	claim =
		add_claim(fusion, by, fused, fusion->classes[part[0]].name, fusion->classes[part[1]].name);
	claim->fused_count = class->sum[by].count;
	claim->count = (uint64_t)pair->count;
	claim->of = of;
	claim->about = fused;
	claim->more = by;
	set_times(search, claim, pair->time, class->sum[by].total, claim->count, claim->fused_count);
	buf_format(&claim->evidence, "trace%d has no %.*s; %llu of its %llu %.*s are followed by %.*s",
	           2 - by, (int)class->name.n, class->name.s, (unsigned long long)claim->count,
	           (unsigned long long)of, (int)claim->parts[0].n, claim->parts[0].s,
	           (int)claim->parts[1].n, claim->parts[1].s);
	class->fuses[by] = true;
	for (int i = 0; i < 2; i++)
		fusion->classes[part[i]].claimed[1 - by] += claim->count;
	pair->count = 0; /* another class with these parts does not explain them once more */
}

/* --- a class that one side runs more often --------------------------------- */

static size_t kernels_of(const struct fusion *fusion, const struct matching_pair *pair, int s)
{
	return fusion->side[s].bunches[pair->bunch[s]].kernels;
}

/* Adds the classes of which the side has more in a group where it has fewer of another one. */
static void add_excess(struct search *search, const struct couple *less, int by)
{
	const struct fusion *fusion = search->fusion;
	const struct matching *matching = &fusion->matching;
	const struct matching_pair *pair = &matching->pairs[less->a];
	int64_t sign = by == 0 ? 1 : -1;

	for (size_t i = matching->at[less->a]; i < matching->at[less->a + 1]; i++) {
		const struct couple *more = &matching->differences[i];
		struct excess *excess = &search->excess[more->b];

		if (sign * more->count >= 0)
			continue;
		if (excess->with++ == 0)
			search->met[search->met_count++] = more->b;
		excess->missing += sign * less->count;
		excess->more -= sign * more->count;
		excess->fewer +=
			(int64_t)kernels_of(fusion, pair, 1 - by) - (int64_t)kernels_of(fusion, pair, by);
	}
}

static void find_excess(struct search *search, size_t op, int by)
{
	const struct couple_index *index = &search->fusion->matching.by_class;
	int64_t sign = by == 0 ? 1 : -1;

	search->met_count = 0;
	search->groups = 0;
	for (size_t i = index->at[op]; i < index->at[op + 1]; i++) {
		if (sign * index->item[i].count <= 0)
			continue;
		search->groups++;
		add_excess(search, &index->item[i], by);
	}
}

/*
 * Whether a class may be what a side fuses others into: fewer kernels do the work. With equally
 * many, only the name differs.
 */
static bool may_fuse(const struct fusion_class *class, const struct excess *x, int by)
{
	return x->with >= FUSION_FEWEST && (x->more < x->missing || x->fewer > 0) &&
	       class->claimed[by] == 0 && !str_equal(class->name, STR("Other"));
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
static struct excess take_best(struct search *search, int by, size_t *best_op)
{
	const struct fusion *fusion = search->fusion;
	struct excess best = {0};

	for (size_t i = 0; i < search->met_count; i++) {
		size_t op = search->met[i];
		const struct excess *excess = &search->excess[op];

		if (may_fuse(&fusion->classes[op], excess, by) &&
		    is_better(fusion, excess, op, &best, *best_op)) {
			best = *excess;
			*best_op = op;
		}
		search->excess[op] = (struct excess){0};
	}
	return best;
}

/* Whether, in groups that match, the other side runs a class at least 1.3 times as often. */
static bool is_more_often(const struct fusion_class *class, int by)
{
	uint64_t few = class->grouped[by];
	uint64_t many = class->grouped[1 - by];
	uint64_t left = many > class->claimed[1 - by] ? many - class->claimed[1 - by] : 0;

	return few && class->differ >= FUSION_FEWEST && few + left >= MANY && 10 * left >= 13 * few &&
	       !class->fuses[1 - by] && !str_equal(class->name, STR("Other"));
}

/*
 * Claims a class that the other side runs more often, while this side has another class in its
 * place.
 */
static void map_more_often(struct search *search, size_t op)
{
	struct fusion *fusion = search->fusion;
	struct fusion_class *class = &fusion->classes[op];
	int by = class->grouped[0] > class->grouped[1];
	struct fusion_class *with;
	struct claim *claim;
	struct excess best;
	struct dec unfused = {0};
	size_t best_op = 0;

	if (!is_more_often(class, by))
		return;
	find_excess(search, op, by);
	best = take_best(search, by, &best_op);
	if (best.with == 0)
		return;
	with = &fusion->classes[best_op];
	claim = add_claim(fusion, by, best_op, class->name, STR(""));
	claim->fused_count = (uint64_t)best.more;
	claim->count = (uint64_t)best.missing;
	claim->of = class->grouped[1 - by];
	claim->about = op;
	claim->more = 1 - by;
	search->good =
		search->good && scale(&unfused, class->grouped_time[1 - by], claim->count, claim->of);
	set_times(search, claim, unfused, with->grouped_time[by], claim->fused_count,
	          with->grouped[by]);
	buf_format(
		&claim->evidence,
		"trace%d runs it %llu times, trace%d %llu; in %zu of the %zu groups where it has fewer, "
		"trace%d has more %.*s",
		2 - by, (unsigned long long)claim->of, by + 1, (unsigned long long)class->grouped[by],
		best.with, search->groups, by + 1, (int)with->name.n, with->name.s);
	class->claimed[1 - by] += claim->count;
	with->fuses[by] = true;
}

/* --- a class that one side has alone --------------------------------------- */

/* Parts of an attention are not everywhere: a trace that does not split it has no parts. */
static bool is_everywhere(struct str name)
{
	return kclass_is_everywhere(name) && !str_equal(name, FUSION_PART);
}

bool claim_lacks_experts(const struct fusion *fusion, struct str name, int s)
{
	return str_starts(name, STR("MoE ")) && !fusion->experts[s];
}

bool claim_lacks_anyway(const struct fusion *fusion, struct str name, int s)
{
	return is_everywhere(name) || claim_lacks_experts(fusion, name, s) || str_has_byte(name, '+') ||
	       str_equal(name, STR("Triton Fused")) || str_equal(name, STR("Collective")) ||
	       str_equal(name, STR("Other"));
}

/* Whether a class may stand beside one that a side has alone, as the class of the fused kernel. */
static bool may_anchor(const struct fusion_class *class)
{
	return class->sum[0].count >= FUSION_FEWEST && class->sum[1].count >= FUSION_FEWEST;
}

/* Adds the kernel at i, and the one at j beside it. */
static void add_beside(struct search *search, const struct sequence *side, struct couple *beside,
                       size_t *n, size_t i, size_t j)
{
	const struct sequence_kernel *kernel = &side->kernels[i];
	const struct sequence_kernel *with = &side->kernels[j];
	bool part = kernel->op == search->part;

	if (!may_anchor(&search->fusion->classes[with->op]))
		return;
	beside[*n] = couple_of(kernel->op, 2 * with->op + (!part && j > i), kernel->dur);
	search->good = search->good && couple_add(&beside[(*n)++], with->dur);
}

/*
 * The neighbours of kernels whose class a side has alone, by class: twice the number of the
 * neighbour's class, and one more for the kernel after. Parts of attention may stand on either
 * side, and count once for both. The caller frees them.
 */
static struct couple *find_beside(struct search *search, int s, size_t *n)
{
	const struct sequence *side = &search->fusion->side[s];
	const struct fusion_class *classes = search->fusion->classes;
	struct couple *beside = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < side->count; i++) {
		bool before = sequence_follows(side, i);
		bool after = i + 1 < side->count && sequence_follows(side, i + 1);
		bool part = side->kernels[i].op == search->part;

		if (classes[side->kernels[i].op].sum[1 - s].count)
			continue;
		beside = mem_grow(beside, &cap, *n + 2, sizeof *beside);
		if (before)
			add_beside(search, side, beside, n, i, i - 1);
		if (after && !(part && before && side->kernels[i - 1].op == side->kernels[i + 1].op))
			add_beside(search, side, beside, n, i, i + 1);
	}
	search->good = search->good && couple_join(beside, n);
	return beside;
}

/* How many kernels of class a are directly followed by a kernel of class b. */
static int64_t count_followed(const struct sequence *side, size_t a, size_t b)
{
	const struct couple *pair = couple_find(side->follow, side->follow_count, a, b);

	return pair ? pair->count : 0;
}

/* Whether neighbours are a better anchor of their class: more often, and then before it. */
static bool is_better_anchor(const struct search *search, const struct couple *couple,
                             const struct anchor *best)
{
	const struct fusion_class *classes = search->fusion->classes;
	bool after = couple->b % 2;

	if (best->with == STRMAP_NONE || couple->count != best->count)
		return best->with == STRMAP_NONE || couple->count > best->count;
	if (after != best->after)
		return best->after;
	return str_compare(classes[couple->b / 2].name, classes[best->with].name) < 0;
}

/*
 * Finds the anchors of the classes that a side has alone, and the most frequent of these anchors.
 */
static void find_anchors(struct search *search, int s)
{
	const struct fusion_class *classes = search->fusion->classes;
	size_t n;
	struct couple *beside = find_beside(search, s, &n);

	for (size_t i = 0; i < n; i++) {
		struct anchor *anchor = &search->anchor[beside[i].a];

		if (is_better_anchor(search, &beside[i], anchor))
			*anchor =
				(struct anchor){beside[i].b / 2, beside[i].b % 2, beside[i].count, beside[i].time};
	}
	for (size_t i = 0; i < search->fusion->classes_count; i++) {
		struct anchor *anchor = &search->anchor[i];
		uint64_t of = classes[i].sum[s].count;
		__int128 *most;

		if (of == 0 || anchor->with == STRMAP_NONE)
			continue;
		if (anchor->count < FUSION_FEWEST || 5 * (uint64_t)anchor->count <= 4 * of) {
			anchor->with = STRMAP_NONE;
			continue;
		}
		most = &search->beside[s][anchor->with];
		if (fusion_rate(search->fusion, s, of) > *most && !is_everywhere(classes[i].name))
			*most = fusion_rate(search->fusion, s, of);
	}
	free(beside);
}

/*
 * Claims a class that one side has alone and that stands beside a class of both: the other side
 * fuses the two.
 */
static void map_alone(struct search *search, size_t alone)
{
	struct fusion *fusion = search->fusion;
	struct fusion_class *class = &fusion->classes[alone];
	const struct anchor *anchor = &search->anchor[alone];
	int by = 1 - side_alone(class);
	const struct fusion_class *with;
	struct claim *claim;
	int64_t after;
	int64_t before;

	if (by > 1 || anchor->with == STRMAP_NONE)
		return;
	class->renamed = 10 * fusion_rate(fusion, 1 - by, class->sum[1 - by].count) <
	                 13 * search->beside[by][anchor->with];
	if (class->renamed || class->within[by] || class->fuses[1 - by] ||
	    claim_lacks_anyway(fusion, class->name, by))
		return;
	after = count_followed(&fusion->side[1 - by], anchor->with, alone);
	before = count_followed(&fusion->side[1 - by], alone, anchor->with);
	with = &fusion->classes[anchor->with];
	claim = add_claim(fusion, by, anchor->with, after >= before ? with->name : class->name,
	                  after >= before ? class->name : with->name);
	claim->fused_count = with->sum[by].count;
	claim->count = (uint64_t)anchor->count;
	claim->of = class->sum[1 - by].count;
	claim->about = alone;
	claim->more = 1 - by;
	set_times(search, claim, anchor->time, with->sum[by].total, claim->count, claim->fused_count);
	buf_format(&claim->evidence, "trace%d has no %.*s; %llu of %llu in trace%d %s %.*s", by + 1,
	           (int)class->name.n, class->name.s, (unsigned long long)claim->count,
	           (unsigned long long)claim->of, 2 - by,
	           after == anchor->count    ? "follow"
	           : before == anchor->count ? "precede"
	                                     : "stand beside",
	           (int)with->name.n, with->name.s);
	class->claimed[1 - by] += claim->count;
}

/* --- chains ---------------------------------------------------------------- */

/*
 * Claims chains: kernels of one class follow each other in chains more than twice as long in the
 * other trace.
 */
static void map_chains(struct search *search, size_t op)
{
	struct fusion *fusion = search->fusion;
	struct fusion_class *class = &fusion->classes[op];
	int by = (__int128)class->sum[0].count * class->chains[1] >
	         (__int128)class->sum[1].count * class->chains[0];
	uint64_t a = class->sum[by].count;
	uint64_t b = class->sum[1 - by].count;
	uint64_t chains = class->chains[1 - by];
	__int128 launches[FUSION_SIDES];
	struct claim *claim;

	fusion_launches(fusion, class, launches);
	if (a + b <= MANY || class->chains[by] < FUSION_FEWEST || chains < FUSION_FEWEST ||
	    (__int128)b * class->chains[by] <= (__int128)2 * a * chains || class->claimed[1 - by] ||
	    class->fuses[1 - by] || launches[1 - by] <= launches[by])
		return;
	claim = add_claim(fusion, by, op, class->name, class->name);
	claim->fused_count = a;
	claim->count = b - chains;
	claim->of = b;
	claim->about = op;
	claim->more = 1 - by;
	set_times(search, claim, class->sum[1 - by].total, class->sum[by].total, chains,
	          class->chains[by]);
	buf_text(&claim->evidence, "chains of ");
	dec_quotient_digits(&claim->evidence, dec_of((int64_t)b), dec_of((int64_t)chains), 0, 3);
	buf_format(&claim->evidence, " kernels in trace%d, of ", 2 - by);
	dec_quotient_digits(&claim->evidence, dec_of((int64_t)a), dec_of((int64_t) class->chains[by]),
	                    0, 3);
	buf_format(&claim->evidence, " in trace%d", by + 1);
	class->claimed[1 - by] += claim->count;
}

/* --- all of them ----------------------------------------------------------- */

static int compare_frequency(const void *a, const void *b)
{
	const struct fusion_class *x = ((const struct ordered *)a)->class;
	const struct fusion_class *y = ((const struct ordered *)b)->class;
	uint64_t x_count = x->sum[0].count + x->sum[1].count;
	uint64_t y_count = y->sum[0].count + y->sum[1].count;
	int order = (y_count > x_count) - (y_count < x_count);

	return order ? order : str_compare(x->name, y->name);
}

static int compare_claims(const void *a, const void *b)
{
	const struct claim *x = a;
	const struct claim *y = b;
	int order = (y->count > x->count) - (y->count < x->count);

	for (int i = 0; order == 0 && i < 2; i++)
		order = str_compare(x->parts[i], y->parts[i]);
	if (order == 0)
		order = x->by - y->by;
	return order ? order : str_compare(x->fused, y->fused);
}

/* Not in the order of the classes' numbers, so that the result does not depend on it. */
static struct search begin_search(struct fusion *fusion)
{
	size_t count = fusion->classes_count;
	struct search search = {
		.fusion = fusion, .part = strmap_find(fusion->ops, FUSION_PART), .good = true};

	search.order = mem_alloc(count + 1, sizeof *search.order);
	search.excess = mem_zero(count + 1, sizeof *search.excess);
	search.met = mem_alloc(count + 1, sizeof *search.met);
	search.anchor = mem_alloc(count + 1, sizeof *search.anchor);
	for (int s = 0; s < FUSION_SIDES; s++)
		search.beside[s] = mem_zero(count + 1, sizeof **search.beside);
	for (size_t i = 0; i < count; i++) {
		search.order[i].class = &fusion->classes[i];
		search.anchor[i] = (struct anchor){.with = STRMAP_NONE};
	}
	if (count)
		qsort(search.order, count, sizeof *search.order, compare_frequency);
	return search;
}

bool claim_find(struct fusion *fusion)
{
	static void (*const rules[])(struct search *, size_t) = {map_named, map_more_often, map_alone,
	                                                         map_chains};
	struct search search = begin_search(fusion);

	for (int s = 0; s < FUSION_SIDES; s++)
		find_anchors(&search, s);
	for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
		for (size_t i = 0; i < fusion->classes_count; i++)
			rules[r](&search, search.order[i].class->op);
	if (fusion->claims_count)
		qsort(fusion->claims, fusion->claims_count, sizeof *fusion->claims, compare_claims);
	free(search.order);
	free(search.excess);
	free(search.met);
	free(search.anchor);
	for (int s = 0; s < FUSION_SIDES; s++)
		free(search.beside[s]);
	return search.good;
}
