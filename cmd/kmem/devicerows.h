/*
 * devicerows - the table of kmem: a row for each allocator, with the context of the event that
 * reached its peak.
 *
 * Memory: the distinct contexts.
 */
#ifndef DEVICEROWS_H
#define DEVICEROWS_H

#include "allocator.h"

/* Columns of a context, by kcontext: step, phase, layer and cpu_op. */
enum { DEVICEROWS_OWNERS = 4 };

/* Starts as {0}. */
struct devicerows {
	int owner[DEVICEROWS_OWNERS];
	bool owned[DEVICEROWS_OWNERS]; /* some layout has the column */
	struct strmap owners;          /* contexts: the fields, escaped, with a tab after each */
	size_t last;                   /* number of the last context, if owners has one */
	struct buf text;
	const struct devices *files; /* while the table is written */
};

/* For each columns line. */
void devicerows_columns(struct devicerows *rows, struct kev_reader *in);

/* The number of the context of a row, for its event; records an error in the reader. */
uint32_t devicerows_owner(struct devicerows *rows, struct kev_reader *in);

/*
 * Writes the table of allocators that are sorted, and whose totals and blocks are known. json is
 * the writer of FORM_JSON, within an object.
 */
void devicerows_write(struct devicerows *rows, const struct allocators *allocators,
                      const struct devices *files, struct kev_writer *out, enum form form,
                      struct jsonw *json);

void devicerows_free(struct devicerows *rows);

#endif
