/*
 * width - columns of a terminal that text takes.
 *
 * wcwidth(3) depends on the locale, and libraries on their version of Unicode; so this has tables.
 * East Asian wide characters and emoji take two columns, combining marks, joiners and variation
 * selectors none, all other characters one. A terminal may join the emoji of a sequence.
 */
#ifndef WIDTH_H
#define WIDTH_H

#include "base/buf.h"

/* The width of text when it is made plain (plaintext.h). */
size_t width_of(struct str text);

/* Bytes of the longest beginning of plain text that takes at most so many columns. */
size_t width_cut(struct str text, size_t columns);

#endif
