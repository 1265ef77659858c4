/*
 * svg - makes gnuplot's SVG fit to stand in a page, beside others.
 *
 * Each SVG of gnuplot has the same ids, so in one page the marks of the second would be those of
 * the first. gnuplot also calls every picture "Gnuplot", which browsers show. Here ids and
 * definitions without a reference go; the others begin with a checksum of the picture, so pictures
 * that differ have different ids.
 */
#ifndef SVG_H
#define SVG_H

#include "base/buf.h"

/*
 * Appends the SVG without its XML declaration, its description and its titles, and with this title
 * if it is not empty, made plain.
 */
void svg_tidy(struct buf *out, struct str svg, struct str title);

#endif
