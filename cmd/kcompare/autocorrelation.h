/*
 * autocorrelation - how much each value of a series depends on the one before it.
 */
#ifndef AUTOCORRELATION_H
#define AUTOCORRELATION_H

#include "base/dec.h"

struct autocorrelation_value {
	struct dec value;
	size_t run; /* only neighbours of one run are compared */
};

/*
 * The first autocorrelation, from -1 to 1: the sum of (x[i] - m)(x[i + 1] - m) by the sum of (x[i]
 * - m)^2, where m is the mean. False if there are fewer than 3 values or all are equal.
 */
bool autocorrelation_first(const struct autocorrelation_value *values, size_t count, double *first);

#endif
