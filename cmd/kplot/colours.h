/*
 * colours - a class has one colour in all pictures.
 *
 * The classes of kclass and the columns of kbusy have colours of a fixed table. Any other name gets
 * one of these by its bytes; if other names of the picture have this colour, one that is free. The
 * colours differ by at least COLOURS_APART of CIEDE2000, also as people see them who lack one kind
 * of cones; tests/unit/kplot/colours.c computes this.
 */
#ifndef COLOURS_H
#define COLOURS_H

#include "base/strmap.h"

enum { COLOURS = 26, COLOURS_APART = 8 };

/* Colours are '#rrggbb', with the quotes. */

/* For bars side by side, which are few and have an order. */
const char *colour_by_number(size_t number);

/*
 * The colour of a class, category, column or other group; an empty name, "Other" and "idle" are
 * grey.
 */
const char *colour_of(struct str name);

/*
 * The colours of the names of one picture, by their numbers, whatever the order in which they were
 * added. They are different if there are enough; else the last names, sorted by bytes, may have the
 * colours of others. The caller frees the array.
 */
const char **colours_of(const struct strmap *names);

const char *colour_of_rest(void); /* groups without a colour of their own */

/* Whether text on this colour must be white. */
bool colour_is_dark(const char *colour);

#endif
