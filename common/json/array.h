/*
 * array - the elements of a JSON array, and the members of an object, in memory, in one pass over
 * its text.
 */
#ifndef ARRAY_H
#define ARRAY_H

#include "base/buf.h"

/*
 * Takes the next element off *rest and sets *element to its JSON text; false at the end. *rest
 * begins as the text of an array, valid JSON as json_find returns it.
 */
bool array_next(struct str *rest, struct str *element);

/*
 * Like array_next, for an object: *key is the text between the quotes, escapes as they stand.
 * False, too, if something else than a member follows.
 */
bool array_next_member(struct str *rest, struct str *key, struct str *value);

#endif
