/*
 * sqlite_made - databases for unit tests, made by SQL, and the rows that become of them.
 */
#ifndef SQLITE_MADE_H
#define SQLITE_MADE_H

#include "../unit.h"

#include <sqlite3.h>

#include "sqlite2tsv/sqlevents.h"

/* A database of pages of 512 bytes; unlink(path) is the caller's. */
static inline void made_database(char path[64], const char *sql)
{
	sqlite3 *db;

	close(unit_temp(path));
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db, "PRAGMA page_size = 512; PRAGMA journal_mode = off", NULL, NULL, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* Opens one that it makes, and unlinks it. */
static inline void made_open(struct sqlfile *file, const char *sql)
{
	static char path[64];

	made_database(path, sql);
	assert_int_equal(sqlfile_open(file, path), SQLFILE_OK);
	unlink(path);
}

/* What a reader of a kind writes of a database, without the ## lines before the columns. */
static inline struct buf made_rows(bool (*is)(const struct sqlfile *file),
                                   void (*write)(struct sqlevents *events),
                                   const struct sqlevents_options *options, const char *sql)
{
	static const struct opts no_opts;
	struct balance balance = {.reasons = sqlevents_reasons, .reasons_count = SQLEVENTS_REASONS};
	struct kev_writer out;
	struct sqlfile file;
	struct buf text = {0};
	char path[64];
	struct sqlevents events = {
		.options = options, .out = &out, .file = &file, .name = "db", .balance = &balance};

	made_open(&file, sql);
	kev_writer_init(&out, &no_opts);
	out.out.fd = unit_temp(path);
	unlink(path);
	out.begun = out.via = true;
	assert_true(is(&file));
	write(&events);
	assert_int_equal(balance.in.rows, balance.out.rows + events.no_times + events.bad_times +
	                                      events.again + balance.dropped[SQLEVENTS_PHASE].rows +
	                                      balance.dropped[SQLEVENTS_KIND].rows +
	                                      balance.dropped[SQLEVENTS_PART].rows);
	sqlevents_end(&events);
	sqlfile_close(&file);
	output_flush(&out.out);
	unit_slurp(&text, out.out.fd);
	buf_free(&out.out.buf);
	buf_free(&out.layout);
	return text;
}

#endif
