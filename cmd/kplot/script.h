/*
 * script - pieces of a gnuplot script.
 *
 * gnuplot runs backquotes in double-quoted text in a shell, and cuts data at quotes. So text of the
 * input is only written into single-quoted labels, never into data, and names of files never at
 * all. gnuplot reads numbers as doubles: times must be relative, computed exactly before.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "base/dec.h"

enum picture { PICTURE_SVG, PICTURE_PNG, PICTURE_PDF, PICTURES };

/* The kind of a file, by the end of its name; PICTURES for any other name. */
enum picture script_picture(const char *path);

/* A single-quoted label, made plain; text longer than `columns` is cut in the middle. */
void script_label(struct buf *script, struct str text, size_t columns);

/* Like script_label, for tics, in which % is the beginning of a format. */
void script_tic(struct buf *script, struct str text, size_t columns);

struct script_frame {
	enum picture picture;
	unsigned width; /* pixels */
	unsigned height;
	unsigned left; /* margins; 0: as wide as the labels need */
	unsigned right;
	unsigned bottom;
	struct str title;  /* empty: there is none, and no room for it */
	bool key;          /* the key of the values stands beside the title */
	struct str damage; /* damage of the input, which goes into the title; empty if there is none */
	bool misused;      /* that damage is wrong usage */
};

/* Pixels above the picture, for the title and the key. */
unsigned script_top(const struct script_frame *frame);

/* The terminal, the title, the margins, and the style of all pictures. */
void script_begin(struct buf *script, const struct script_frame *frame);

/* --- values ------------------------------------------------------------------- */

/* What an axis counts: values are divided exactly, and rounded to 12 digits. */
struct script_axis {
	const char *unit; /* "" without a unit */
	struct dec divisor;
};

/* For values in this unit up to `largest`: microseconds become ms or s if they are many. */
struct script_axis script_axis(const char *unit, struct dec largest);

void script_value(struct buf *script, struct dec value, const struct script_axis *axis);

/* A label of an axis: the name of a column, and the unit. */
void script_axis_label(struct buf *script, char which, struct str name,
                       const struct script_axis *axis);

/* A line of data for a box: its ends on the axis, then its lower and upper edge. */
void script_box(struct buf *script, struct dec from, struct dec to, const struct script_axis *axis,
                double low, double high);

#endif
