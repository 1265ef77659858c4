/*
 * schema - the columns of a performance database's files: those that decide, and how files
 * of other days get them.
 */
#ifndef SCHEMA_H
#define SCHEMA_H

#include "perfdb/signature.h"
#include "syntax/csv.h"
#include "syntax/csvfile.h"

/* The columns that are known: the cells of a signature, durations, counters. */
enum schema_column {
	SCHEMA_PROFILING = SIGNATURE_CELLS,
	SCHEMA_AVERAGE, /* the microbench's; it and what follows are what a measurement sets */
	SCHEMA_COUNTER, /* the first "MicroBench C" */
};
enum { SCHEMA_COLUMNS = SCHEMA_COUNTER + SIGNATURE_COUNTERS };

/* Their names, made by schema_init. */
struct schema {
	struct buf text;
	struct str name[SCHEMA_COLUMNS];
};

void schema_init(struct schema *schema);
void schema_free(struct schema *schema);

/* The first of the base columns that the reader's record, a header, has not; NULL where it has all.
 */
const char *schema_missing(struct csv_reader *header);

/*
 * A file of the older kind has figures of the profile under names without "Profiling": Median
 * Duration(us), Std Duration(us) or "Average C". Then its Average Duration(us), too, is the
 * profile's. Gives such a column; -1 where there is none.
 */
int schema_older_mark(const struct csvfile_layout *layout);

/* Gives such a file's columns the names of the profile's. False where one of them is taken. */
bool schema_migrate(struct csvfile_layout *layout);

/*
 * Drops, renames and adds columns, so that the layout has all that a measurement sets; of a
 * file that is new all that there are.
 */
void schema_complete(const struct schema *schema, struct csvfile_layout *layout, bool new);

#endif
