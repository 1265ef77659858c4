#include "alarm.h"

#include <stdlib.h>

#include "base/die.h"
#include "base/mem.h"

#define LAG_MOST 0.25

/* --- slower --------------------------------------------------------------------- */

static bool is_over(const struct changes_row *row, const struct limit *limit)
{
	const struct comparison_side *side = row->comparison.side;

	return (row->comparison.verdict == COMPARISON_SLOWER ||
	        row->comparison.verdict == COMPARISON_MIXED) &&
	       limit_is_exceeded(limit, side[1].twice_median, side[0].twice_median);
}

/* "gemm is 12 % slower in b.kev (NEW)"; if mixed, "gemm (mixed) is ...". */
static void warn_of_slower(const struct changes *changes, const struct changes_row *row,
                           const char *const names[COMPARISON_SIDES])
{
	struct buf text = {0};
	struct dec difference;
	struct dec whole;

	changes_put_key(&text, changes, row);
	if (row->comparison.verdict == COMPARISON_MIXED)
		buf_text(&text, " (mixed)");
	if (comparison_change(&row->comparison, &difference, &whole)) {
		buf_text(&text, " is ");
		dec_quotient_digits(&text, difference, whole, 2, 3);
		buf_format(&text, " %% slower in %s", names[1]);
	} else {
		buf_format(&text, " is slower in %s, from a median of 0 in %s", names[1], names[0]);
	}
	warn("%.*s", (int)text.len, text.data);
	buf_free(&text);
}

/* How many groups are on both sides. */
static uint64_t tested(const struct changes *changes)
{
	const uint64_t *verdicts = changes->verdicts;

	return verdicts[COMPARISON_EQUAL] + verdicts[COMPARISON_SLOWER] + verdicts[COMPARISON_FASTER] +
	       verdicts[COMPARISON_MIXED] + verdicts[COMPARISON_FEW];
}

/*
 * Whether the change of a group could be significant, or of the sum if the sides share no group. A
 * sum that could be is no answer for the groups: a slower one may be lost in it.
 */
static bool is_able(const struct changes *changes)
{
	const struct comparison *sum = &changes->row[changes->groups].comparison;
	uint64_t groups = tested(changes);

	return groups ? groups > changes->verdicts[COMPARISON_FEW]
	              : comparison_is_tested(sum) && sum->verdict != COMPARISON_FEW;
}

static bool is_faster(const struct changes_row *row, const struct limit *limit)
{
	const struct comparison_side *side = row->comparison.side;

	return row->comparison.verdict == COMPARISON_FASTER &&
	       limit_is_exceeded(limit, side[0].twice_median, side[1].twice_median);
}

static bool has_faster(const struct changes *changes, const struct limit *limit)
{
	for (size_t i = 0; i < changes->groups; i++)
		if (is_faster(&changes->row[i], limit))
			return true;
	return false;
}

/*
 * A sum that is as much faster may come from files in the wrong order. Single
 * rows have one sum on each side, which cannot be significant: then a group must be, and none may
 * be slower.
 */
static void warn_if_swapped(const struct changes *changes, const struct limit *limit, size_t over,
                            const char *const names[COMPARISON_SIDES])
{
	const struct changes_row *row = &changes->row[changes->groups];
	const struct comparison *sum = &row->comparison;
	struct buf text = {0};
	struct dec difference;
	struct dec whole;

	if (sum->verdict == COMPARISON_FEW
	        ? over || !has_faster(changes, limit) ||
	              !limit_is_exceeded(limit, sum->side[0].twice_median, sum->side[1].twice_median)
	        : !is_faster(row, limit))
		return;
	if (!comparison_change(sum, &difference, &whole))
		return;
	difference.nano = -difference.nano;
	dec_quotient_digits(&text, difference, whole, 2, 3);
	warn("(sum) is %.*s %% faster in %s; were OLD and NEW swapped?", (int)text.len, text.data,
	     names[1]);
	buf_free(&text);
}

bool alarm_slower(const struct changes *changes, const struct limit *limit,
                  const char *const names[COMPARISON_SIDES])
{
	size_t over = 0;

	for (size_t i = 0; i <= changes->groups; i++)
		if (is_over(&changes->row[i], limit) && over++ < ALARM_NAMED)
			warn_of_slower(changes, &changes->row[i], names);
	if (over > ALARM_NAMED)
		warn("slower by more than --fail-over, and not named: %zu more", over - ALARM_NAMED);
	warn_if_swapped(changes, limit, over, names);
	if (is_able(changes))
		return over > 0;
	warn("no change of a group could be significant, so --fail-over cannot hold");
	return true;
}

/* --- few samples ------------------------------------------------------------------- */

uint64_t alarm_needed(const struct changes *changes, struct dec alpha)
{
	if (changes->verdicts[COMPARISON_FEW] == 0)
		return 0;
	return holm_needed((size_t)tested(changes), alpha);
}

void alarm_few(const struct changes *changes, struct dec alpha)
{
	uint64_t needed = alarm_needed(changes, alpha);

	if (needed)
		warn("groups with too few samples for any change to be significant: %llu of %llu; %llu "
		     "samples on each side would be enough",
		     (unsigned long long)changes->verdicts[COMPARISON_FEW],
		     (unsigned long long)tested(changes), (unsigned long long)needed);
}

/* --- lags --------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
	double first = *(const double *)a;
	double second = *(const double *)b;

	return (first > second) - (first < second);
}

/* Half of the groups have at least this lag; -1 if no group has a lag. */
static double middle_lag(const struct changes *changes, int s)
{
	double *lags = mem_alloc(changes->groups, sizeof *lags);
	size_t count = 0;
	double middle;

	for (size_t i = 0; i < changes->groups; i++)
		if (changes->row[i].comparison.side[s].has_lag)
			lags[count++] = changes->row[i].comparison.side[s].lag;
	if (count)
		qsort(lags, count, sizeof *lags, compare_numbers);
	middle = count ? lags[count / 2] : -1;
	free(lags);
	return middle;
}

void alarm_lags(const struct changes *changes, const char *const titles[COMPARISON_SIDES])
{
	for (int s = 0; s < COMPARISON_SIDES; s++) {
		double lag = middle_lag(changes, s);

		if (lag > LAG_MOST)
			warn("%s: samples depend on those before them: half of the groups have a lag%d of "
			     "%.2f or more, so false alarms are more frequent than --alpha",
			     titles[s], s + 1, lag);
	}
}
