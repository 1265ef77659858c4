/*
 * glob - whether a text has a pattern, in which * stands for any bytes.
 */
#ifndef GLOB_H
#define GLOB_H

#include "base/buf.h"

/* Whether the pattern matches all of text. The time is at most the product of both lengths. */
bool glob_matches(struct str glob, struct str text);

/* Like glob_matches, but ASCII letters match in either case. */
bool glob_matches_any_case(struct str glob, struct str text);

#endif
