#include "groupwise.h"

#include <stdlib.h>

#include "base/mem.h"

static bool compare_series(struct groupwise *groupwise, struct comparison *comparison,
                           struct autocorrelation_value *const series[SAMPLES_SIDES],
                           const size_t count[SAMPLES_SIDES])
{
	const struct autocorrelation_value *const given[SAMPLES_SIDES] = {series[0], series[1]};

	return comparison_of_series(comparison, &groupwise->tools, given, count);
}

/* The samples of a group on each side. */
static bool compare_group(struct groupwise *groupwise, size_t group, struct comparison *comparison)
{
	struct samples_side *side = groupwise->samples->side;
	struct autocorrelation_value *series[SAMPLES_SIDES];
	struct group *pooled[SAMPLES_SIDES];
	size_t count[SAMPLES_SIDES];
	bool good;

	for (int s = 0; s < SAMPLES_SIDES; s++) {
		series[s] = samples_series(&side[s], group, &count[s]);
		pooled[s] = samples_pooled(&side[s], group);
	}
	good = groupwise->units ? compare_series(groupwise, comparison, series, count)
	                        : comparison_of(comparison, &groupwise->tools, pooled);
	for (int s = 0; s < SAMPLES_SIDES; s++)
		free(series[s]);
	return good;
}

/* Without units: the sum of all rows as one sample, NULL if it is too large. */
static struct autocorrelation_value *pooled_sum(const struct groupwise *groupwise, int s,
                                                size_t *count)
{
	struct autocorrelation_value *sum = mem_zero(1, sizeof *sum);
	struct samples *samples = groupwise->samples;
	struct dec negative = {0};

	*count = 0;
	for (size_t g = 0; g < samples->groups.count; g++) {
		const struct group *group = samples_pooled(&samples->side[s], g);

		if (group && !dec_sum(&sum->value, &negative, group->total, group->negative)) {
			free(sum);
			return NULL;
		}
		if (group)
			*count = 1;
	}
	return sum;
}

static bool compare_sums(struct groupwise *groupwise, struct comparison *comparison)
{
	struct autocorrelation_value *series[SAMPLES_SIDES];
	size_t count[SAMPLES_SIDES];
	bool good = true;

	for (int s = 0; s < SAMPLES_SIDES; s++) {
		series[s] = groupwise->units ? samples_sums(&groupwise->samples->side[s], &count[s])
		                             : pooled_sum(groupwise, s, &count[s]);
		good &= series[s] != NULL;
	}
	good = good && compare_series(groupwise, comparison, series, count);
	if (good)
		comparison_judge(comparison, 1, groupwise->alpha);
	for (int s = 0; s < SAMPLES_SIDES; s++)
		free(series[s]);
	return good;
}

bool groupwise_compare(struct groupwise *groupwise, struct changes *changes)
{
	const struct strmap *groups = &groupwise->samples->groups;
	struct comparison *comparisons = mem_zero(groups->count, sizeof *comparisons);
	struct str *keys = mem_alloc(groups->count, sizeof *keys);
	struct comparison sum = {.verdict = COMPARISON_EQUAL};
	size_t count = 0;
	bool good;

	groupwise->tools.orderstat.alpha = groupwise->alpha;
	good = samples_settle(groupwise->samples, groupwise->skip);
	for (size_t g = 0; g < groups->count && good; g++) {
		good = compare_group(groupwise, g, &comparisons[count]);
		keys[count] = strmap_key(groups, g);
		count += comparisons[count].side[0].n || comparisons[count].side[1].n;
	}
	good = good && compare_sums(groupwise, &sum);
	if (good) {
		comparison_judge(comparisons, count, groupwise->alpha);
		changes_take(changes, comparisons, keys, count, &sum);
	}
	free(comparisons);
	free(keys);
	return good;
}

void groupwise_free(struct groupwise *groupwise)
{
	comparison_tools_free(&groupwise->tools);
}
