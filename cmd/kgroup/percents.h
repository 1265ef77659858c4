/*
 * percents - the quantiles that a user asks for, -q, and their columns: 99.9 is p99.9.
 */
#ifndef PERCENTS_H
#define PERCENTS_H

#include "base/opt.h"

/* Whether text is a number from 0 to 100. */
bool percents_valid(struct str text);

/*
 * Adds the words of -q in their one spelling, 50 for 50.0. Ends the program if one is not a
 * percent, or is given twice.
 */
void percents_add(struct words *percents, const struct words *given);

/* Whether a column of this name is that of one of them. */
bool percents_have_column(const struct words *percents, struct str name);

#endif
