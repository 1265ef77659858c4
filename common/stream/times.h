/*
 * times - which columns are times, in the unit of the stream: kev(5), COLUMNS and TABLES.
 */
#ifndef TIMES_H
#define TIMES_H

#include "stream/kev.h"

/*
 * The unit of a column, "" if it is no time or if streams of different units were read. of_other:
 * a ##of line says that the totals of the table are not of dur.
 */
const char *times_unit(const struct kev_reader *reader, struct str name, bool of_other);

#endif
