/*
 * find - one value inside a small JSON text.
 */
#ifndef FIND_H
#define FIND_H

#include "json/json_value.h"

/*
 * The value at a path of names; in an array, a name is an index, from "0". JSON_NONE if the path
 * leads nowhere or the text is not JSON. The text of the value is in scratch.
 */
struct json_value json_find(struct str text, const char *const *path, size_t steps,
                            struct buf *scratch);

#endif
