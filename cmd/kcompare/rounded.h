/*
 * rounded - binary floats as text of kev(5), NUMBERS: without an exponent and without zeros at the
 * end.
 */
#ifndef ROUNDED_H
#define ROUNDED_H

#include "base/buf.h"

/* Appends x to so many significant digits, from 1 to 17; |x| must be 0, or from 10^-30 to 10^30. */
void rounded_put(struct buf *out, double x, int significant);

#endif
