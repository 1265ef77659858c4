/*
 * rocpd - the rows of a database of rocprofv3, rocpd (sqlite2tsv(1), "rocpd").
 *
 * Its tables have a suffix for each process that was recorded; a file may have several. Its views
 * are not read: they are inner joins, which lose rows.
 */
#ifndef ROCPD_H
#define ROCPD_H

#include "sqlevents.h"

/* Whether the database is one. */
bool rocpd_is(const struct sqlfile *file);

/* Writes its metadata and rows; `out`, `file`, `name`, `options` and the like are set. */
void rocpd_write(struct sqlevents *events);

#endif
