/*
 * nsys - the rows of a database of nsys export (sqlite2tsv(1), "nsys").
 */
#ifndef NSYS_H
#define NSYS_H

#include "sqlevents.h"

/* Whether the database is one. */
bool nsys_is(const struct sqlfile *file);

/* Writes its metadata and rows; `out`, `file`, `name`, `options` and the like are set. */
void nsys_write(struct sqlevents *events);

#endif
