/*
 * csvput - a field of CSV, as in RFC 4180.
 */
#ifndef CSVPUT_H
#define CSVPUT_H

#include "base/buf.h"

/*
 * Appends text, in quotes if it needs them. A spreadsheet executes a text that begins with = + - @,
 * a tab or a return: if such a text is not a number, ' comes before it.
 */
void csvput_field(struct buf *out, struct str text);

#endif
