/*
 * sqltexts - the table of a database that gives each text a number, held in memory.
 *
 * Memory: the texts, and 24 bytes for each.
 */
#ifndef SQLTEXTS_H
#define SQLTEXTS_H

#include "sqlrows.h"

/* Starts as {0}. */
struct sqltexts {
	struct sqltexts_entry *entries; /* in the order of their ids */
	size_t count;
	size_t cap;
	struct buf bytes;
	bool sorted;
};

/*
 * Reads the columns `id` and `value` of a table. Damage of the table is in *rows, which the caller
 * ends; false, with the reason in rows->error, if the table cannot be read.
 */
bool sqltexts_read(struct sqltexts *texts, struct sqlrows *rows, struct sqlfile *file,
                   const char *table, const char *value);

/* Adds a text; of two with one id the first counts. sqltexts_sort must follow the last. */
void sqltexts_add(struct sqltexts *texts, int64_t id, struct str text);
void sqltexts_sort(struct sqltexts *texts);

/* Sets *text to the text of the id, good until the next add; false if the id has no text. */
bool sqltexts_find(const struct sqltexts *texts, int64_t id, struct str *text);

void sqltexts_free(struct sqltexts *texts);

#endif
