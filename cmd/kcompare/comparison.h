/*
 * comparison - of two sides of samples: medians, their intervals, the test, and the verdict.
 *
 * All but lag and the geometric mean is exact, and p within the limits of mannwhitney.
 */
#ifndef COMPARISON_H
#define COMPARISON_H

#include "autocorrelation.h"
#include "holm.h"
#include "mannwhitney.h"
#include "orderstat.h"

enum { COMPARISON_SIDES = 2 };

enum comparison_verdict {
	COMPARISON_EQUAL, /* no significant difference */
	COMPARISON_SLOWER,
	COMPARISON_FASTER,
	COMPARISON_MIXED, /* significant, but ranks and medians do not differ in one direction */
	COMPARISON_FEW,   /* too few samples for any difference to be significant */
	COMPARISON_GONE,
	COMPARISON_NEW,
	COMPARISON_VERDICTS
};

/* "~", "slower", "faster", "mixed", "few", "gone", "new". */
extern const char *const comparison_verdicts[COMPARISON_VERDICTS];

struct comparison_side {
	uint64_t n;
	struct dec total;
	struct dec twice_median; /* if n is not 0 */
	bool has_interval;
	struct dec low;
	struct dec high;
	bool has_lag;
	double lag; /* autocorrelation_first */
};

/* Starts as {0}. */
struct comparison {
	struct comparison_side side[COMPARISON_SIDES];
	struct holm_test test; /* if both have samples */
	int ranks;             /* order of mannwhitney_p, if both have samples */
	enum comparison_verdict verdict;
};

/* What all comparisons share. Starts as {.orderstat = {.alpha = …}}. */
struct comparison_tools {
	struct orderstat orderstat;
	struct mannwhitney mannwhitney;
};

/*
 * Compares the samples of two sides, whose durations are kept; NULL: no samples. Sorts the values.
 * False if twice a median is too large.
 */
bool comparison_of(struct comparison *comparison, struct comparison_tools *tools,
                   struct group *samples[COMPARISON_SIDES]);

/* Compares samples in their order and computes their lags. Also false if a total is too large. */
bool comparison_of_series(struct comparison *comparison, struct comparison_tools *tools,
                          const struct autocorrelation_value *const series[COMPARISON_SIDES],
                          const size_t count[COMPARISON_SIDES]);

/* Whether both sides have samples. */
bool comparison_is_tested(const struct comparison *comparison);

/* Adjusts p of all comparisons together, and sets the verdicts. */
void comparison_judge(struct comparison *comparison, size_t count, struct dec alpha);

/* Appends a median, exactly. */
void comparison_put_median(struct buf *out, struct dec twice_median);

/*
 * How much larger median2 is than median1, in percent of |median1|. False if median1 is 0 or a side
 * has no samples, or if the difference is too large.
 */
bool comparison_change(const struct comparison *comparison, struct dec *difference,
                       struct dec *whole);

/* The geometric mean of the ratios of medians. */
struct comparison_mean {
	uint64_t entered;  /* groups with both medians above 0 */
	uint64_t left_out; /* other groups that both sides have */
	double logarithms; /* the sum of the logarithms of the ratios */
};

/* Adds the groups of both sides; the sum is rounded, so their order must not be by chance. */
void comparison_add_mean(struct comparison_mean *mean, const struct comparison *comparison);

/* Appends the mean as a change in percent, to 6 significant digits; nothing if no group entered. */
void comparison_put_mean(struct buf *out, const struct comparison_mean *mean);

void comparison_tools_free(struct comparison_tools *tools);

#endif
