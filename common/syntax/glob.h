/*
 * glob - whether a text has a pattern, in which * stands for any bytes.
 */
#ifndef GLOB_H
#define GLOB_H

#include "base/buf.h"

/* Of all of text. The time is at most the product of the two lengths. */
bool glob_matches(struct str glob, struct str text);

/* The same with ASCII letters alike. */
bool glob_matches_any_case(struct str glob, struct str text);

#endif
