/*
 * aiereport - the figures of AI Engine traces as a table of their iterations, and as a report for
 * people.
 */
#ifndef AIEREPORT_H
#define AIEREPORT_H

#include "base/opt.h"

#include "aiecells.h"

/*
 * Writes a row for each iteration of each tile or, with `aggregate`, for each iteration that all
 * tiles have, their average, the best and the worst: as a stream (FORM_TSV), for several traces
 * with a column file, or as a Markdown table.
 */
void aie_report_rows(const struct aie_answer *answer, enum form form, bool aggregate);

/*
 * Writes a table of the iterations of each tile, with bars of the spans, and a table of all tiles
 * together; with `aggregate` only the latter.
 */
void aie_report_text(const struct aie_answer *answer, bool aggregate);

#endif
