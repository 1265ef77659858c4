/*
 * report - pieces of what programs print for people.
 */
#ifndef REPORT_H
#define REPORT_H

#include "base/dec.h"
#include "io/output.h"

/* x with so many places and commas between thousands, right-aligned in width columns. */
void report_number(struct output *out, struct dec x, int places, int width);

/* A row of a Markdown table: | a | b |, bars in the cells escaped. */
void report_markdown_row(struct output *out, const struct str *cells, size_t count);
void report_markdown_cells(struct buf *out, const struct str *cells, size_t count); /* the same */

/* The row below a Markdown table's head; `right` columns, from the second on, are numbers. */
void report_markdown_rule(struct output *out, size_t count, bool right);

#endif
