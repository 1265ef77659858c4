/*
 * database - the files of a performance database: which they are, and held against other runs.
 *
 * A database is a folder with a CSV for each operator, OPERATOR.csv or OPERATOR_run.csv. What is
 * passed over and what is left alone is said on standard error; hidden names, and the profiles
 * msprof_run_* that start-microbench keeps in a database, are no part of it.
 */
#ifndef DATABASE_H
#define DATABASE_H

#include "base/buf.h"
#include "base/opt.h"

struct database_file {
	struct str op;
	char *path;       /* below the database */
	int folder;       /* that it is in, open and locked, */
	const char *name; /* and its name there */
	bool exists;      /* else it is to be made */
	bool refused;     /* the caller's: it is left alone */
	bool replaced;    /* the caller's, for database_sync */
};

/* Starts as {0} but for what the caller sets. */
struct database {
	const char *path; /* set by the caller, as are the next four */
	struct words ops; /* only files of these operators, anywhere below; none: those of the folder */
	bool look;        /* removes nothing */
	bool no_wait;     /* for another run */
	bool strict;      /* a folder that cannot be locked is an error */
	int folder;
	struct database_file *files;
	size_t count;
	size_t cap;
	struct buf at; /* the path that an error is of, ended by a zero */
	char error[512];
};

/*
 * Opens and locks the folder, waiting for another run on it with a word, removes what a killed
 * run has left in it, and finds the files. With operators these are those of their names, else
 * those with the header of a database; a Git LFS pointer stands for one. False with an error.
 */
bool database_open(struct database *db);

/* Whether its files may be of the operator, by `ops`. */
bool database_wants(const struct database *db, struct str op);

bool database_has(const struct database *db, struct str op);

/*
 * A file of a database in the folders below, for one that has none itself: its path, which is
 * the caller's to free; else NULL.
 */
char *database_below(const struct database *db);

/* Adds a file that is to be made. False with an error where its name is taken. */
bool database_add(struct database *db, struct str op);

/*
 * Behind the last file: sorts them by operator, opens their folders and locks those below, in one
 * order for all runs. False with an error; also where an operator has two files.
 */
bool database_hold(struct database *db);

/* A file, open for reading. -1: *what says why it must be left alone; it is NULL with an error. */
int database_read(struct database *db, const struct database_file *file, const char **what);

/* Flushes the folders of replaced files to the disk. False with an error. */
bool database_sync(struct database *db);

/* Gives up the locks. The operators of `ops` are the caller's. */
void database_close(struct database *db);

#endif
