/*
 * msprof - the rows of a database of msprof or torch_npu (sqlite2tsv(1), "msprof and torch_npu").
 */
#ifndef MSPROF_H
#define MSPROF_H

#include "sqlevents.h"

/* Whether the database is one. */
bool msprof_is(const struct sqlfile *file);

/* Writes its metadata and rows; `out`, `file`, `name`, `options` and the like are set. */
void msprof_write(struct sqlevents *events);

#endif
