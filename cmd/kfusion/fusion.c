#include "fusion.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

void fusion_add(struct fusion *fusion, int s, const struct sequence_kernel *kernel)
{
	sequence_add(&fusion->side[s], kernel);
}

/* --- classes ------------------------------------------------------------- */

/* Adds up a side's kernels. False if a sum is too large. */
static bool sum_side(struct fusion *fusion, int s)
{
	const struct sequence *side = &fusion->side[s];

	for (size_t i = 0; i < side->count; i++) {
		const struct sequence_kernel *kernel = &side->kernels[i];
		struct fusion_class *class = &fusion->classes[kernel->op];

		if (!group_add(&class->sum[s], kernel->dur, 1))
			return false;
		class->chains[s] += !sequence_follows(side, i) || kernel[-1].op != kernel->op;
		fusion->experts[s] |= str_starts(class->name, STR("MoE "));
	}
	return true;
}

/* Adds up the kernels of groups that match. */
static bool sum_matching(struct fusion *fusion, int s)
{
	const struct matching *matching = &fusion->matching;

	for (size_t i = 0; i < matching->count; i++) {
		const struct bunch *bunch = &fusion->side[s].bunches[matching->pairs[i].bunch[s]];

		for (size_t j = 0; j < bunch->pieces_count; j++) {
			const struct couple *piece = &bunch->pieces[j];
			struct fusion_class *class = &fusion->classes[piece->b];

			class->grouped[s] += (uint64_t)piece->count;
			if (!dec_sum(&class->grouped_time[s], &class->grouped_negative[s], piece->time,
			             piece->negative))
				return false;
		}
	}
	return true;
}

static void name_classes(struct fusion *fusion, const struct strmap *ops)
{
	fusion->ops = ops;
	fusion->classes_count = ops->count;
	fusion->classes = mem_zero(ops->count + 1, sizeof *fusion->classes);
	for (size_t i = 0; i < ops->count; i++) {
		fusion->classes[i].name = strmap_key(ops, i);
		fusion->classes[i].op = i;
	}
}

/* --- launches ------------------------------------------------------------- */

__int128 fusion_rate(const struct fusion *fusion, int s, uint64_t count)
{
	bool both = fusion->side[0].steps && fusion->side[1].steps;

	return (__int128)count * (both ? fusion->side[1 - s].steps : 1);
}

enum fusion_per fusion_launches(const struct fusion *fusion, const struct fusion_class *class,
                                __int128 launches[FUSION_SIDES])
{
	bool grouped = class->grouped[0] || class->grouped[1];

	for (int s = 0; s < FUSION_SIDES; s++)
		launches[s] =
			grouped ? (__int128)class->grouped[s] : fusion_rate(fusion, s, class->sum[s].count);
	if (grouped)
		return FUSION_PER_GROUP;
	return fusion->side[0].steps && fusion->side[1].steps ? FUSION_PER_STEP : FUSION_PER_TRACE;
}

/*
 * Who fuses a class of which side `more` has more: -1 if the other side has fewer for another
 * reason.
 */
static int who_fuses(const struct fusion *fusion, const struct fusion_class *class, int more)
{
	bool fused = str_has_byte(class->name, '+') || str_equal(class->name, STR("Triton Fused"));

	if (class->claimed[more] || class->within[1 - more])
		return 1 - more;
	if (class->fuses[more] || (fused && !claim_lacks_experts(fusion, class->name, 1 - more)))
		return more;
	if (class->renamed || str_equal(class->name, STR("Other")) ||
	    (class->sum[1 - more].count == 0 && claim_lacks_anyway(fusion, class->name, 1 - more)))
		return -1;
	return 1 - more;
}

static bool is_opportunity(const struct fusion *fusion, const struct fusion_class *class,
                           struct fusion_opportunity *row)
{
	__int128 launches[FUSION_SIDES];

	row->class = class;
	row->per = fusion_launches(fusion, class, launches);
	row->more = launches[1] > launches[0];
	for (int s = 0; s < FUSION_SIDES; s++) {
		bool grouped = row->per == FUSION_PER_GROUP;

		row->sum[s].count = grouped ? class->grouped[s] : class->sum[s].count;
		row->sum[s].total = grouped ? class->grouped_time[s] : class->sum[s].total;
	}
	row->by = who_fuses(fusion, class, row->more);
	return row->sum[row->more].count >= FUSION_FEWEST &&
	       launches[row->more] > 2 * launches[1 - row->more];
}

/* The difference of the totals, without its sign. */
static bool gap_of(const struct fusion_opportunity *row, struct dec *gap)
{
	*gap = row->sum[0].total;
	if (!dec_subtract(gap, row->sum[1].total))
		return false;
	if (gap->nano < 0)
		gap->nano = -gap->nano;
	return true;
}

static int compare_opportunities(const void *a, const void *b)
{
	const struct fusion_opportunity *x = a;
	const struct fusion_opportunity *y = b;
	struct dec x_gap;
	struct dec y_gap;
	int order;

	gap_of(x, &x_gap);
	gap_of(y, &y_gap);
	order = dec_compare(y_gap, x_gap);
	return order ? order : str_compare(x->class->name, y->class->name);
}

static bool find_opportunities(struct fusion *fusion)
{
	size_t cap = 0;

	if (fusion->side[0].count == 0 || fusion->side[1].count == 0)
		return true;
	for (size_t i = 0; i < fusion->classes_count; i++) {
		struct fusion_opportunity row = {.by = -1};
		struct dec gap;

		if (!is_opportunity(fusion, &fusion->classes[i], &row))
			continue;
		if (!gap_of(&row, &gap))
			return false;
		fusion->opportunities =
			mem_grow(fusion->opportunities, &cap, fusion->opportunities_count + 1,
		             sizeof *fusion->opportunities);
		fusion->opportunities[fusion->opportunities_count++] = row;
	}
	if (fusion->opportunities_count)
		qsort(fusion->opportunities, fusion->opportunities_count, sizeof *fusion->opportunities,
		      compare_opportunities);
	return true;
}

/* --- all ------------------------------------------------------------------ */

static int compare_classes(const void *a, const void *b)
{
	const struct fusion_class *x = a;
	const struct fusion_class *y = b;

	return str_compare(x->name, y->name);
}

static bool find(struct fusion *fusion)
{
	struct matching *matching = &fusion->matching;
	bool good = true;

	for (int s = 0; s < FUSION_SIDES && good; s++) {
		struct sequence *side = &fusion->side[s];

		sequence_sort(side);
		good =
			sum_side(fusion, s) && sequence_pair(side) && sequence_bunch(side, fusion->min_group);
	}
	if (!good)
		return false;
	matching_find(matching, &fusion->side[0], &fusion->side[1], fusion->classes_count);
	for (size_t i = 0; i < matching->differences_count; i++)
		fusion->classes[matching->differences[i].b].differ++;
	if (!sum_matching(fusion, 0) || !sum_matching(fusion, 1) || !claim_find(fusion))
		return false;
	if (fusion->classes_count)
		qsort(fusion->classes, fusion->classes_count, sizeof *fusion->classes, compare_classes);
	return find_opportunities(fusion);
}

bool fusion_find(struct fusion *fusion, const struct strmap *ops)
{
	name_classes(fusion, ops);
	if (!find(fusion)) {
		snprintf(fusion->error, sizeof fusion->error, "dur: the sum is too large");
		return false;
	}
	return true;
}

void fusion_free(struct fusion *fusion)
{
	for (int s = 0; s < FUSION_SIDES; s++)
		sequence_free(&fusion->side[s]);
	matching_free(&fusion->matching);
	for (size_t i = 0; i < fusion->claims_count; i++)
		buf_free(&fusion->claims[i].evidence);
	free(fusion->claims);
	free(fusion->opportunities);
	free(fusion->classes);
	*fusion = (struct fusion){0};
}
