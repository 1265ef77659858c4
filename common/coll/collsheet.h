/*
 * collsheet - the tables of collectives: by kind and size, and by rank.
 *
 * Memory: some 200 bytes for each row of a table.
 */
#ifndef COLLSHEET_H
#define COLLSHEET_H

#include "answer/sheet.h"
#include "coll/collmatch.h"

/* Both write a table after collmatch_run. They return false if a sum is too large. */
bool collsheet_kinds(const struct collmatch *match, struct kev_writer *out, enum form form,
                     struct jsonw *json);

/* *partly: the wait of a rank is empty, as a group of its is not whole. */
bool collsheet_ranks(const struct collmatch *match, struct kev_writer *out, enum form form,
                     struct jsonw *json, bool *partly);

/* The collectives that are not whole, by group and reason; nothing if there are none. */
void collsheet_unmatched(const struct collmatch *match, struct kev_writer *out, enum form form,
                         struct jsonw *json);

#endif
