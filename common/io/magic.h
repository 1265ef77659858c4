/*
 * magic - files that people take for a trace or a CSV and that are not: known by their first bytes.
 */
#ifndef MAGIC_H
#define MAGIC_H

#include "base/buf.h"

enum { MAGIC_BYTES = 512, MAGIC_MAX = 256 }; /* a head that is enough for each kind; a text */

/*
 * Sets text to what the file with this head is, and what reads it. False if it may be text of a
 * trace or a CSV.
 */
bool magic_no_text(struct str head, char text[MAGIC_MAX]);

/* Like magic_no_text, for a program that reads CSV: also names JSON. */
bool magic_no_csv(struct str head, char text[MAGIC_MAX]);

/* Like magic_no_text, for a program that reads traces in JSON: also names CSV and other JSON. */
bool magic_no_trace(struct str head, char text[MAGIC_MAX]);

#endif
