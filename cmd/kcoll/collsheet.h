/*
 * collsheet - the tables of collectives: by kind and size, and by rank.
 *
 * Memory: some 200 bytes for each row of a table.
 */
#ifndef COLLSHEET_H
#define COLLSHEET_H

#include "answer/sheet.h"

#include "collmatch.h"

/* Both write a table after collmatch_run. They return false if a sum is too large. */
bool collsheet_kinds(const struct collmatch *match, struct kev_writer *out, enum form form,
                     struct jsonw *json);

/* *partly: the wait of a rank is empty, as a group of its is not whole. */
bool collsheet_ranks(const struct collmatch *match, struct kev_writer *out, enum form form,
                     struct jsonw *json, bool *partly);

/* Whether --minima knows the wait of a row in a group that is not whole. */
bool collsheet_knows_rows(const struct collmatch *match);

/* Says what is not whole, by group and reason: ##unmatched lines, and damage or warnings. */
void collsheet_report(const struct collmatch *match, struct kev_writer *out);

/* What is not whole as a table, which only JSON has if it is empty. */
void collsheet_unmatched(const struct collmatch *match, struct kev_writer *out, enum form form,
                         struct jsonw *json);

#endif
