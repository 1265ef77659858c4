/*
 * hint - what may help if a column is missing: what adds it, or the nearest name; or if kernels
 * are.
 */
#ifndef HINT_H
#define HINT_H

#include "stream/kev.h"

/*
 * Appends "; kclass adds it", "; did you mean 'dur'?" or nothing. A stream of csv2tsv gets no
 * advice to run trace2tsv; a stream without a columns line gets no advice to run a program again.
 */
void hint_column(struct buf *out, const struct kev_reader *reader, struct str name);

/* What fills a column that is empty in all rows: "; kcontext -l fills it", or nothing. */
const char *hint_empty(struct str column);

/*
 * What to do about missing kernels or launches: "; use trace2tsv -g", or nothing. -g writes them if
 * the trace has them; a CSV has none.
 */
const char *hint_rows(const struct kev_reader *reader);

#endif
