/*
 * slicerows - the table of kmem --every: the totals of each allocator in each slice of time.
 */
#ifndef SLICEROWS_H
#define SLICEROWS_H

#include "allocator.h"
#include "levels.h"

/*
 * Writes the table of allocators that are sorted, and whose totals are known. json is the writer of
 * FORM_JSON, within an object. False, and nothing is written, if one has over LEVELS_MAX slices.
 */
bool slicerows_write(const struct allocators *allocators, const struct devices *files,
                     struct dec length, struct kev_writer *out, enum form form, struct jsonw *json);

#endif
