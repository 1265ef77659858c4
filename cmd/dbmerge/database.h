/*
 * database - the files of a performance database: which they are, and a lock on their folders.
 *
 * A database is a folder with one CSV per operator, OPERATOR.csv or OPERATOR_run.csv. Hidden
 * names, and the profiles msprof_run_* that start-microbench keeps in a database, are ignored;
 * other CSVs are skipped with a warning.
 */
#ifndef DATABASE_H
#define DATABASE_H

#include "base/buf.h"
#include "base/opt.h"
#include "base/strmap.h"

struct database_file {
	struct str op;
	char *path;       /* below the database */
	int folder;       /* folder of the file, open and locked */
	const char *name; /* name of the file in its folder */
	bool exists;      /* the file exists; false: it is to be made */
	bool skipped;     /* set by the caller: it could not be merged */
	bool replaced;    /* set by the caller, for database_sync */
	size_t at;        /* 0: the database itself; else the number + 1 of its folder in folders */
};

/* Starts with the first six members set by the caller, the others 0. */
struct database {
	const char *path;
	struct words
		ops;      /* files of these operators, anywhere below; if empty, the files of the folder */
	bool here;    /* with ops: only files of the folder that have the header of a database */
	bool look;    /* removes nothing */
	bool no_wait; /* a lock of another run is an error */
	bool strict;  /* a folder that cannot be locked is an error */
	int folder;
	struct database_file *files;
	size_t count;
	size_t cap;
	struct strmap names; /* the operators of files */
	int *folders;        /* those below, open and locked */
	size_t folders_count;
	size_t folders_cap;
	struct buf at; /* the path with the error, and a NUL */
	char error[512];
};

/*
 * Opens and locks the folder, removes what a killed run has left there, and finds the files: with
 * operators by their names, else by the header of a database. A Git LFS pointer counts as a file.
 * If another run holds the lock, waits for it with a warning. False with an error.
 */
bool database_open(struct database *db);

/* Whether `ops` allows the operator. */
bool database_wants(const struct database *db, struct str op);

/* Whether the operator has a file; of MatMul, whether any of its kinds has a file. */
bool database_has(const struct database *db, struct str op);
bool database_has_kind(const struct database *db, struct str op);

/*
 * After database_hold: whether a file of the operator, or of another kind of its MatMul, was
 * skipped.
 */
bool database_skipped(const struct database *db, struct str op);

/*
 * The path of a file of a database in a subfolder, for a folder without such a file; the caller
 * frees it. NULL if there is none.
 */
char *database_below(const struct database *db);

/* Adds a file that is to be made. False, with an error, if the name is taken. */
bool database_add(struct database *db, struct str op);

/*
 * After the last file: sorts the files by operator, opens their folders and locks subfolders, in
 * one order in every run. False, with an error, also if an operator has two files.
 */
bool database_hold(struct database *db);

/* A file, open for reading. -1: *why says why it must be skipped; it is NULL with an error. */
int database_read(struct database *db, const struct database_file *file, const char **why);

/* Flushes the folders of replaced files to the disk. False with an error. */
bool database_sync(struct database *db);

/* Releases the locks. The operators of `ops` belong to the caller. */
void database_close(struct database *db);

#endif
