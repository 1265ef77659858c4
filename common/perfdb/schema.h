/*
 * schema - the columns of files of a performance database: the known ones, and how older files
 * get them.
 */
#ifndef SCHEMA_H
#define SCHEMA_H

#include "perfdb/signature.h"
#include "syntax/csv.h"
#include "syntax/csvfile.h"

/* The known columns: the cells of a signature, durations, counters. */
enum schema_column {
	SCHEMA_PROFILING = SIGNATURE_CELLS,
	SCHEMA_AVERAGE, /* the microbench's; a measurement sets it and the columns after it */
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

/*
 * Whether the reader's record is the header of a file of a database: it has the cells of a
 * signature, and is not a profile. If not, appends the reason to why.
 */
bool schema_fits(struct csv_reader *header, struct buf *why);

/* Appends the base columns that a layout lacks, with commas between them. */
void schema_lacks(const struct csvfile_layout *layout, struct buf *names);

/*
 * A file of the older format has figures of the profile under names without "Profiling": Median
 * Duration(us), Std Duration(us) or "Average C". Its Average Duration(us) is the profile's, too.
 * Returns such a column, or -1.
 */
int schema_older_mark(const struct csvfile_layout *layout);

/*
 * Renames the columns of an older file to the names of the profile. False if a new name is taken.
 */
bool schema_migrate(struct csvfile_layout *layout);

/*
 * Drops, renames and adds columns, so that the layout has all that a measurement sets; if the file
 * is new, all known columns.
 */
void schema_complete(const struct schema *schema, struct csvfile_layout *layout, bool new);

#endif
