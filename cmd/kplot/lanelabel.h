/*
 * lanelabel - what the label of a lane need not say twice.
 */
#ifndef LANELABEL_H
#define LANELABEL_H

#include "base/strmap.h"

/* Whether the text contains the number as a whole one: "stream 7" has 7 and not 1. */
bool lanelabel_has_number(struct str text, struct str number);

/*
 * Bytes of the folders that the files of all lanes share, "run/" of "run/a" and "run/b". A lane is
 * its fields with tabs between them, the first of which is the file. There is at least one lane.
 */
size_t lanelabel_folders(const struct strmap *lanes);

#endif
