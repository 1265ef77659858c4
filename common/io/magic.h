/*
 * magic - files that people take for a trace and that are not: known by their first bytes.
 */
#ifndef MAGIC_H
#define MAGIC_H

#include "base/buf.h"

enum { MAGIC_BYTES = 512 }; /* of a head that is enough for each kind */

/* What the file with this head is and how to read it; NULL if it may be a trace. */
const char *magic_advice(struct str head);

#endif
