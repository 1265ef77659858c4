/*
 * array - the elements of a JSON array in memory, in one pass over its text.
 */
#ifndef ARRAY_H
#define ARRAY_H

#include "base/buf.h"

/*
 * Takes the next element off *rest and sets *element to its JSON text; false at the end. *rest
 * begins as the text of an array, valid JSON as json_find returns it.
 */
bool array_next(struct str *rest, struct str *element);

#endif
