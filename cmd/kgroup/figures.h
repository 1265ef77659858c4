/*
 * figures - the columns of a table of groups after its key: figures of dur, quantiles, sums of
 * other columns, and the values of --who; their values, and the order of the groups by one of them.
 *
 * A figure is a row of the table in figures.c. An optional figure is named like its option, which
 * kgroup.c lists. Memory: the columns; while groups are sorted, it grows with the groups.
 */
#ifndef FIGURES_H
#define FIGURES_H

#include "base/opt.h"
#include "stream/group.h"
#include "stream/kev.h"

struct figure;

struct figures_column {
	struct str name;
	const struct figure *figure;
	size_t index;       /* among the columns of its figure */
	struct dec percent; /* percentage of a quantile */
};

/* Starts as {0}. */
struct figures {
	uint64_t wanted; /* bits of optional figures */
	struct figures_column *column;
	size_t count;
	size_t cap;
	struct words names; /* names of the columns */
	struct dec total;   /* total of all groups, for shares; set by the caller */
	struct dec so_far;  /* total of the rows that were written, for cumulative */
	bool counts_alone;  /* set by the caller: no group has a duration */
	struct buf scratch;
};

/* --- which columns --------------------------------------------------------------- */

/* Adds the optional figure of this name to the figures that figures_set takes. */
void figures_want(struct figures *figures, const char *name);

/* Adds the first figure that needs squares, unless a chosen one does. */
void figures_want_squares(struct figures *figures);

/* The first chosen figure that needs sums of squares; NULL if none does. */
const char *figures_of_squares(const struct figures *figures);

/*
 * Sets the columns: the chosen figures, then these. Each of quantiles is a number that
 * figures_percent takes.
 */
void figures_set(struct figures *figures, const struct words *quantiles, const struct words *sums,
                 const struct words *whos);

/* True if the table, or its partial, has this name for a column that is neither key nor sum. */
bool figures_take(const struct figures *figures, struct str name);

/* Whether text is a percentage, from 0 to 100. */
bool figures_percent(struct str text);

/*
 * Adds the words of -q to percents, in one spelling: 50 for 50.0. Ends the program if a word is not
 * a percentage, or is given twice.
 */
void figures_add_percents(struct words *percents, const struct words *given);

/* --- a row ------------------------------------------------------------------------ */

/* Writes the values of a group. Those of durations are empty if there are counts alone. */
void figures_put(struct figures *figures, struct group *group, struct kev_writer *out);

/* --- the order of the groups --------------------------------------------------------- */

struct figures_order {
	const struct figures_column *column; /* NULL: a column of the key, in the order of sortkey */
	size_t key;                          /* its number */
	bool descending; /* largest first; the keys of equal groups are ascending in both directions */
};

/* The column of this name; NULL if it is missing, or has nothing to sort by. */
const struct figures_column *figures_find(const struct figures *figures, struct str name);

/*
 * The numbers of the groups in this order; the caller frees them. Comparing is exact. Groups
 * without a value come before all others. Keys are keys of kev_key.
 */
size_t *figures_sort(const struct figures *figures, struct groups *groups,
                     const struct figures_order *order);

void figures_free(struct figures *figures);

#endif
