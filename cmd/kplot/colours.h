/*
 * colours - a name has one colour in all pictures.
 *
 * The classes of kclass have colours of a fixed table, any other name gets one of these by its
 * bytes. The colours differ by at least COLOURS_APART of CIEDE2000, also as people see them who
 * lack one kind of cones; tests/unit/kplot/colours.c computes this.
 */
#ifndef COLOURS_H
#define COLOURS_H

#include "base/buf.h"

enum { COLOURS = 26, COLOURS_APART = 8 };

/* Colours are '#rrggbb', with the quotes. */

const char *colour_by_number(size_t number); /* for columns, which are few and have an order */

/* The colour of a class, category or other group; an empty name and "Other" are grey. */
const char *colour_of(struct str name);

const char *colour_of_rest(void); /* groups without a colour of their own */

/* Whether text on this colour must be white. */
bool colour_is_dark(const char *colour);

#endif
