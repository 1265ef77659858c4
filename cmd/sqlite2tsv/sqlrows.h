/*
 * sqlrows - the rows of a table of a database, in the order of their rowids, each with what other
 * tables have for it. Columns and tables that are missing have no values.
 *
 * If a page is damaged, the rows on it are lost, and reading goes on after it. Rows that come again
 * are damage, too. If a page of a joined table is damaged, rows lack its values, and no row is
 * lost. Memory: the cache of SQLite; for a join to a table without an index, which SQLite then
 * makes, also a temporary file.
 */
#ifndef SQLROWS_H
#define SQLROWS_H

#include "sqlfile.h"

enum { SQLROWS_OWN = -1 }; /* the rows themselves, not a join */

/* LEFT JOIN table ON table.key = by, a column of the rows or of an earlier join. */
struct sqlrows_join {
	const char *table;
	const char *key;
	const char *by;
	int of; /* the number of that join, or SQLROWS_OWN */
};

struct sqlrows_column {
	const char *name;
	int join; /* its number, or SQLROWS_OWN */
	bool needed;
};

struct sqlrows_plan {
	const char *table;
	const struct sqlrows_join *joins;
	size_t joins_count;
	const struct sqlrows_column *columns;
	size_t columns_count;
	bool many; /* a join may give several rows for one; without it only the first counts */
};

/* The plan of a table without joins; columns is an array. */
#define SQLROWS_PLAN(of, these)                                                             \
	{                                                                                       \
		.table = (of), .columns = (these), .columns_count = sizeof(these) / sizeof *(these) \
	}

enum {
	SQLROWS_COLUMNS = 24,
	SQLROWS_JOINS = 4,
	SQLROWS_PLACES = 2000, /* after so much damage in one table, reading it ends */
};

enum sqlrows_value {
	SQLROWS_NULL,
	SQLROWS_NUMBER,
	SQLROWS_OTHER, /* something else: text, a fraction, a large REAL, bytes */
};

/* Starts as {0}. */
struct sqlrows {
	struct sqlfile *file;
	const struct sqlrows_plan *plan;
	struct sqlite3_stmt *statement; /* the statement at hand: joined or sound */
	struct sqlite3_stmt *joined;
	struct sqlite3_stmt
		*sound;  /* the statement without joins to damaged tables; NULL: no table is damaged */
	bool looked; /* looked for damaged tables */
	bool dropped[SQLROWS_JOINS];
	int64_t until;               /* the rows before it are rows of `sound` */
	uint64_t lacking;            /* places at which rows lack what a joined table has */
	int column[SQLROWS_COLUMNS]; /* column of the result, by column of the plan; -1: missing */
	int64_t rowid;
	bool any;         /* a row was given */
	bool repeats;     /* joins may repeat a row */
	uint64_t places;  /* places where the table is damaged */
	uint64_t count;   /* rows that were given */
	uint64_t again;   /* rows that a join repeated, left out unless plan->many */
	char damage[200]; /* the first damage, if there are places */
	char lack[200];   /* damage of a joined table; empty without damage */
	char error[200];  /* what sqlrows_begin or sqlrows_next could not do */
};

/*
 * The plan must outlive the reading of the rows. False, with the reason in error, if the table or a
 * needed column is missing.
 */
bool sqlrows_begin(struct sqlrows *rows, struct sqlfile *file, const struct sqlrows_plan *plan);

/*
 * > 0: a row; 0: the end; < 0: reading cannot go on, see error. Values are good until the next
 * call.
 */
int sqlrows_next(struct sqlrows *rows);

/* Whether the database has this column of the plan. */
bool sqlrows_has(const struct sqlrows *rows, size_t column);

/*
 * A value as a whole number: of type INTEGER, text of digits, or REAL without a fraction and of up
 * to 53 bits. Sets *number only for one.
 */
enum sqlrows_value sqlrows_number(const struct sqlrows *rows, size_t column, int64_t *number);

/* A value as a whole number, or `other` if it is not a number. */
int64_t sqlrows_number_or(const struct sqlrows *rows, size_t column, int64_t other);

/* A value as text; empty if it is NULL or missing. */
struct str sqlrows_text(const struct sqlrows *rows, size_t column);

void sqlrows_end(struct sqlrows *rows);

/* The numbers of a column, shifted to the right: the least and the most that are not 0. */
struct sqlrows_range {
	int64_t rows; /* rows of the table */
	bool found;   /* a row has a number that is not 0 */
	int64_t least;
	int64_t most;
};

/*
 * The range of the first column of a plan without joins, which the table must have. If the table is
 * damaged, the rows count that can be read, and `rows` says so; sqlrows_end is the caller's.
 */
void sqlrows_range(struct sqlrows *rows, const struct sqlrows_plan *plan, struct sqlfile *file,
                   int shift, struct sqlrows_range *range);

#endif
