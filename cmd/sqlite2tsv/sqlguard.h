/*
 * sqlguard - bounds for SQLite while it reads a database that is not trusted.
 *
 * The trees of a sound database share no page, so the work of reading it grows with its bytes; a
 * few pages that name each other would keep SQLite at work for ever. So all work is counted, in
 * steps of SQLite's virtual machine; fetching a page counts as SQLGUARD_FETCH steps. A file of
 * `size` bytes may take SQLGUARD_STEPS + SQLGUARD_STEPS_PER_BYTE * size. Databases of nsys,
 * rocprofv3 and msprof take 0.02 to 0.1 steps for each byte, and made ones of short rows with four
 * joins 1.3. The pages of the list of tables are read once each and parsed, so there a page counts
 * as SQLGUARD_LIST_FETCH steps, and SQLGUARD_LIST_STEPS_PER_BYTE are allowed; those databases take
 * 0.03. There a step counts as SQLGUARD_LIST_STEP, since many rows of a page may be one definition.
 *
 * Besides, a table has at most SQLGUARD_COLUMNS columns, since SQLite compares the name of each
 * with those before it; tables of profilers have fewer than 60. No value is longer than the file or
 * SQLGUARD_LONGEST, a temporary file has at most 4 times the bytes of the file and 1 MiB,
 * statistics of the file (sqlite_stat1) do not choose how it is read, SQLite knows no virtual
 * tables, runs only SELECT, and opens no other file.
 */
#ifndef SQLGUARD_H
#define SQLGUARD_H

#include <stdint.h>

enum {
	SQLGUARD_COLUMNS = 250,
	SQLGUARD_LONGEST = 16 << 20,
	SQLGUARD_FETCH = 8,
	SQLGUARD_STEPS = 100000,
	SQLGUARD_STEPS_PER_BYTE = 40,
	SQLGUARD_LIST_STEP = 8,
	SQLGUARD_LIST_FETCH = 512,
	SQLGUARD_LIST_STEPS_PER_BYTE = 2,
};

struct sqlite3;
struct sqlguard;

/* For a file of this size. */
struct sqlguard *sqlguard_new(uint64_t size);

/* The name of the VFS with which the file must be opened. */
const char *sqlguard_vfs(const struct sqlguard *guard);

/* Bounds a database before its first statement, which reads the list of tables. */
void sqlguard_begin(struct sqlguard *guard, struct sqlite3 *db);

/* The list of tables is read; what follows may take the work of rows. */
void sqlguard_listed(struct sqlguard *guard);

/* Which bound ended a statement, for people; NULL if none did. */
const char *sqlguard_exceeded(const struct sqlguard *guard);

/* The texts of a table have at most so many bytes, also as UTF-8 and if they are numbers. */
uint64_t sqlguard_most_text(const struct sqlguard *guard);

/* After the database is closed; guard may be NULL. */
void sqlguard_free(struct sqlguard *guard);

#endif
