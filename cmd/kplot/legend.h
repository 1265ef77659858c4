/*
 * legend - which colour means what: a grid of names beside a picture or below it.
 *
 * gnuplot leaves out entries of its own key that have no room, and does not report it.
 */
#ifndef LEGEND_H
#define LEGEND_H

#include "answer/shorten.h"

#include "script.h"

enum { LEGEND_ROW = 18 }; /* height of a row, in pixels */

struct legend_entry {
	struct str name;
	const char *colour; /* see colours.h */
};

struct legend {
	const struct legend_entry *entry;
	size_t count;
	size_t shown; /* if it is less than count, a last cell reports the number of the others */
	size_t columns;
	size_t rows;
	unsigned cell; /* width of a cell, in pixels */
	struct shorten names;
};

/* Fits the entries into cells of a legend of at most so many pixels and rows. */
struct legend legend_fit(const struct legend_entry *entry, size_t count, unsigned width,
                         size_t rows);

/* Appends the legend, its upper left corner at these pixels. */
void legend_put(const struct legend *legend, const struct script_frame *frame, unsigned left,
                unsigned top, struct buf *script);

void legend_free(struct legend *legend);

#endif
