/*
 * sqlfile - an SQLite database that is read and never written, and the tables in it.
 *
 * It is opened without locks and without files beside it, so it must not change: what another
 * program has not yet written into it (a -wal, a hot -journal) is an error, and a change while it
 * is read is seen at the end (sqlfile_changed). Only sqlfile, sqlguard and sqlrows include the
 * header of SQLite.
 *
 * A database is not trusted: of its schema only ordinary tables count, and sqlguard bounds what
 * SQLite does. Memory: a cache of 2 MB, and the names of tables and columns.
 */
#ifndef SQLFILE_H
#define SQLFILE_H

#include "base/strmap.h"

#include <sys/stat.h>

#include "sqlguard.h"

struct sqlite3_stmt;

enum sqlfile_result {
	SQLFILE_OK,
	SQLFILE_UNOPENED, /* it cannot be opened, see error */
	SQLFILE_NONE,     /* it was opened, but it is no database that can be read, see error */
};

/* Starts as {0}. */
struct sqlfile {
	const char *path;
	struct sqlite3 *db;
	struct sqlguard *guard;
	struct stat file;        /* as it was when it was opened */
	struct strmap tables;    /* in the order of the schema */
	struct strmap *columns;  /* columns of each table, with A to Z in lower case */
	struct buf *column_list; /* columns of each table as they are written, with commas */
	char damage[160];        /* its size is wrong; empty if it is right */
	char list_damage[200];   /* tables or columns are missing; empty if none is known to be */
	uint64_t text_bytes;     /* texts of rows that were read */
	bool foreign;            /* SQLFILE_NONE: it is of another kind, which error names */
	char error[400];
};

/*
 * path must outlive *file, which sqlfile_close frees in any case. "-", standard input, is never a
 * database: it is opened for what error can say of it.
 */
enum sqlfile_result sqlfile_open(struct sqlfile *file, const char *path);

/* STRMAP_NONE if there is no such table. */
size_t sqlfile_table(const struct sqlfile *file, struct str name);
bool sqlfile_has(const struct sqlfile *file, const char *name);

/* As SQLite does, takes a to z for A to Z. */
bool sqlfile_has_column(const struct sqlfile *file, size_t table, struct str column);

/* Whether the file is another one now, or was written to since it was opened. */
bool sqlfile_changed(const struct sqlfile *file);

void sqlfile_close(struct sqlfile *file);

/* The text in a column of a row, good until the next step; empty for NULL. */
struct str sqlfile_text(struct sqlite3_stmt *statement, int column);

#endif
