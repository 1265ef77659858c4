#include "sqlguard.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/mem.h"

/* How often work is counted, in steps; while tables are listed, before each row of statistics. */
enum { EVERY = 1000, EVERY_OF_LIST = 1 };

/* Bytes of a temporary file, and of texts: so many, and so many times the bytes of the file. */
enum { SOME = 1 << 20, TIMES = 4 };

/* How SQLite handles a kind of files: its own methods, some of them replaced. */
struct methods {
	sqlite3_io_methods io;
	const sqlite3_io_methods *own;
	struct sqlguard *guard;
};

struct sqlguard {
	sqlite3_vfs vfs; /* SQLite's own with another xOpen */
	sqlite3_vfs *own;
	char name[32];
	struct methods database;
	struct methods temporary;
	sqlite3 *db;
	uint64_t size;
	uint64_t work;
	uint64_t most;
	uint64_t every;
	uint64_t step;  /* steps for which a step counts */
	uint64_t fetch; /* steps for which a page counts */
	bool listing;   /* the list of tables is read */
	const char *exceeded;
};

/* --- files -------------------------------------------------------------------- */

/* SQLite reads zeros for the missing rest of a page, which would become times of rows. */
static int read_whole(sqlite3_file *file, void *data, int bytes, sqlite3_int64 at)
{
	const struct methods *methods = (const struct methods *)file->pMethods;
	int result = methods->own->xRead(file, data, bytes, at);

	return result == SQLITE_IOERR_SHORT_READ ? SQLITE_IOERR_READ : result;
}

static int write_some(sqlite3_file *file, const void *data, int bytes, sqlite3_int64 at)
{
	const struct methods *methods = (const struct methods *)file->pMethods;
	struct sqlguard *guard = methods->guard;

	if ((uint64_t)at + (uint64_t)bytes > SOME + TIMES * guard->size) {
		guard->exceeded = "an index of a table would be larger than the file";
		return SQLITE_FULL;
	}
	return methods->own->xWrite(file, data, bytes, at);
}

/* Replaces methods; those of all temporary files are the same. */
static void replace_methods(struct sqlguard *guard, struct methods *methods, sqlite3_file *file)
{
	methods->io = *file->pMethods;
	methods->own = file->pMethods;
	methods->guard = guard;
	if (methods == &guard->database)
		methods->io.xRead = read_whole;
	else
		methods->io.xWrite = write_some;
	file->pMethods = &methods->io;
}

/* No file but the database and temporary ones: nothing beside the database is read or made. */
static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
	struct sqlguard *guard = (struct sqlguard *)vfs;
	bool database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
	int result;

	file->pMethods = NULL;
	if (!database && !(flags & SQLITE_OPEN_DELETEONCLOSE))
		return SQLITE_CANTOPEN;
	result = guard->own->xOpen(guard->own, name, file, flags, out);
	if (result == SQLITE_OK && file->pMethods)
		replace_methods(guard, database ? &guard->database : &guard->temporary, file);
	return result;
}

struct sqlguard *sqlguard_new(uint64_t size)
{
	struct sqlguard *guard = mem_zero(1, sizeof *guard);

	guard->size = size;
	guard->own = sqlite3_vfs_find(NULL);
	if (guard->own)
		guard->vfs = *guard->own;
	else
		die("out of memory"); /* SQLite could not begin */
	guard->vfs.xOpen = open_file;
	guard->vfs.pNext = NULL;
	snprintf(guard->name, sizeof guard->name, "sqlguard-%p", (void *)guard);
	guard->vfs.zName = guard->name;
	sqlite3_vfs_register(&guard->vfs, 0);
	return guard;
}

const char *sqlguard_vfs(const struct sqlguard *guard)
{
	return guard->name;
}

void sqlguard_free(struct sqlguard *guard)
{
	if (guard)
		sqlite3_vfs_unregister(&guard->vfs);
	free(guard);
}

/* --- work --------------------------------------------------------------------- */

static uint64_t fetches(sqlite3 *db, int counter)
{
	int count = 0;
	int most;

	sqlite3_db_status(db, counter, &count, &most, 1);
	return count > 0 ? (uint64_t)count : 0;
}

/*
 * Whether the statement at hand, which SQLite began last, reads the statistics of the file. SQLite
 * does so after it has read the list of tables, whose rows have 5 columns; if it cannot, it plans
 * without statistics. The text of such a statement is not known.
 */
static bool reads_statistics(const struct sqlguard *guard)
{
	enum { LIST_COLUMNS = 5 };

	return guard->listing &&
	       sqlite3_column_count(sqlite3_next_stmt(guard->db, NULL)) != LIST_COLUMNS;
}

/* Called by SQLite after each `every` steps of a statement; not 0 ends the statement. */
static int count_work(void *data)
{
	struct sqlguard *guard = data;

	guard->work += guard->step * guard->every;
	guard->work += guard->fetch * (fetches(guard->db, SQLITE_DBSTATUS_CACHE_HIT) +
	                               fetches(guard->db, SQLITE_DBSTATUS_CACHE_MISS));
	if (guard->work > guard->most)
		guard->exceeded = "reading it takes more work than a file of this size should";
	return guard->exceeded || reads_statistics(guard);
}

static void allow(struct sqlguard *guard, uint64_t per_byte, uint64_t step, uint64_t fetch,
                  uint64_t every)
{
	guard->work = 0;
	guard->step = step;
	guard->fetch = fetch;
	guard->most = SQLGUARD_STEPS + per_byte * guard->size;
	guard->every = every;
	sqlite3_progress_handler(guard->db, (int)every, count_work, guard);
}

/* Whether SQLite may do what a statement wants. */
static int authorize(void *data, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
	static const char *const functions[] = {"count", "min", "max", "nullif"};

	(void)data;
	(void)database;
	(void)trigger;
	if (action == SQLITE_SELECT || action == SQLITE_READ)
		return SQLITE_OK;
	if (action == SQLITE_PRAGMA && first && strcmp(first, "table_xinfo") == 0)
		return SQLITE_OK;
	for (size_t i = 0; action == SQLITE_FUNCTION && i < sizeof functions / sizeof *functions; i++)
		if (second && sqlite3_stricmp(second, functions[i]) == 0)
			return SQLITE_OK;
	return SQLITE_DENY;
}

static void set_limits(sqlite3 *db, uint64_t size)
{
	enum { STATEMENT = 8 << 10 }; /* bytes of our longest statement */
	static const struct {
		int limit;
		int value;
	} limits[] = {
		{SQLITE_LIMIT_SQL_LENGTH, 1 << 20}, {SQLITE_LIMIT_COLUMN, SQLGUARD_COLUMNS},
		{SQLITE_LIMIT_EXPR_DEPTH, 100},     {SQLITE_LIMIT_COMPOUND_SELECT, 2},
		{SQLITE_LIMIT_VDBE_OP, 25000},      {SQLITE_LIMIT_FUNCTION_ARG, 8},
		{SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
		{SQLITE_LIMIT_VARIABLE_NUMBER, 10}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};
	uint64_t longest = size < SQLGUARD_LONGEST ? size : SQLGUARD_LONGEST;

	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, (int)(longest > STATEMENT ? longest : STATEMENT));
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		sqlite3_limit(db, limits[i].limit, limits[i].value);
}

/* Older versions of SQLite lack some of these, and what they switch off. */
static void distrust(sqlite3 *db)
{
	/*
	 * A database that was cut off is not read at all otherwise: this leaves a check out. Defensive
	 * mode would undo that; what it forbids are writes, which authorize and the open mode forbid.
	 */
	sqlite3_exec(db, "PRAGMA writable_schema=ON", NULL, NULL, NULL);
	sqlite3_exec(db, "PRAGMA cell_size_check=ON", NULL, NULL, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
#if SQLITE_VERSION_NUMBER >= 3030000
	sqlite3_drop_modules(db, NULL);
#endif
}

void sqlguard_begin(struct sqlguard *guard, struct sqlite3 *db)
{
	guard->db = db;
	guard->listing = true;
	set_limits(db, guard->size);
	distrust(db);
	sqlite3_set_authorizer(db, authorize, guard);
	allow(guard, SQLGUARD_LIST_STEPS_PER_BYTE, SQLGUARD_LIST_STEP, SQLGUARD_LIST_FETCH,
	      EVERY_OF_LIST);
}

void sqlguard_listed(struct sqlguard *guard)
{
	guard->listing = false;
	guard->exceeded = NULL;
	allow(guard, SQLGUARD_STEPS_PER_BYTE, 1, SQLGUARD_FETCH, EVERY);
}

const char *sqlguard_exceeded(const struct sqlguard *guard)
{
	return guard->exceeded;
}

uint64_t sqlguard_most_text(const struct sqlguard *guard)
{
	return SOME + TIMES * guard->size;
}
