/*
 * rocpd - the rows of a database of rocprofv3, rocpd (sqlite2tsv(1), "rocpd").
 *
 * Tables have a suffix for each recorded process; a file may have several. Views are not read: they
 * are inner joins, which lose rows.
 */
#ifndef ROCPD_H
#define ROCPD_H

#include "sqlevents.h"

/* Whether the database is one. */
bool rocpd_is(const struct sqlfile *file);

/* Writes its metadata and rows; `out`, `file`, `name`, `options` and the like are set. */
void rocpd_write(struct sqlevents *events);

#endif
