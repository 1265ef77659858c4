/* sqlguard: what SQLite may do, and how much. */
#include "sqlite_made.h"

/* The result of a statement, after all of its rows. */
static int run(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static sqlite3 *open_guarded(struct sqlguard **guard, uint64_t size)
{
	sqlite3 *db;
	sqlite3_stmt *statement;
	char path[64];

	made_database(path,
	              "CREATE TABLE t (a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
	              " FROM n WHERE i < 2000) INSERT INTO t SELECT 'text number ' || i FROM n");
	*guard = sqlguard_new(size);
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, sqlguard_vfs(*guard)),
	                 SQLITE_OK);
	sqlguard_begin(*guard, db);
	/* This reads the list of tables. */
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT a FROM t", -1, &statement, NULL), SQLITE_OK);
	sqlite3_finalize(statement);
	sqlguard_listed(*guard);
	unlink(path);
	return db;
}

static void close_guarded(sqlite3 *db, struct sqlguard *guard)
{
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	sqlguard_free(guard);
}

static void allows_only_reading(void **state)
{
	static const char *const denied[] = {"PRAGMA writable_schema=ON",  "ATTACH ':memory:' AS m",
	                                     "SELECT upper(a) FROM t",     "SELECT * FROM json_each(1)",
	                                     "CREATE TEMP TABLE x (a)",    "DELETE FROM t",
	                                     "SELECT load_extension('x')", "PRAGMA temp_store=MEMORY"};
	struct sqlguard *guard;
	sqlite3 *db = open_guarded(&guard, 100000);
	char path[64];
	char into[96];

	(void)state;
	assert_int_equal(run(db, "SELECT count(a), min(a) FROM t ORDER BY rowid"), SQLITE_OK);
	assert_int_equal(run(db, "PRAGMA table_xinfo(t)"), SQLITE_OK);
	for (size_t i = 0; i < COUNT(denied); i++)
		assert_case(denied[i], run(db, denied[i]) != SQLITE_OK);
	close(unit_temp(path));
	unlink(path);
	snprintf(into, sizeof into, "VACUUM INTO '%s'", path);
	assert_case(into, run(db, into) != SQLITE_OK);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_null(sqlguard_exceeded(guard));
	close_guarded(db, guard);
}

static void bounds_the_work(void **state)
{
	struct sqlguard *guard;
	sqlite3 *db = open_guarded(&guard, 100000);

	(void)state;
	/* 4,000,000 pairs */
	assert_int_equal(run(db, "SELECT count(x.a) FROM t AS x, t AS y"), SQLITE_INTERRUPT);
	assert_non_null(strstr(sqlguard_exceeded(guard), "more work"));
	assert_int_equal(run(db, "SELECT a FROM t"), SQLITE_INTERRUPT);
	close_guarded(db, guard);
}

/* SQLite sorts what its cache does not hold in temporary files. */
static void bounds_temporary_files(void **state)
{
	struct sqlguard *guard;
	sqlite3 *db = open_guarded(&guard, 1000000);

	(void)state;
	assert_int_equal(run(db, "SELECT x.a, y.a, y.rowid FROM t AS x, t AS y WHERE x.rowid < 60 "
	                         "ORDER BY 2, 1, 3"),
	                 SQLITE_OK);
	assert_int_equal(run(db, "SELECT x.a, y.a, y.rowid FROM t AS x, t AS y WHERE x.rowid < 300 "
	                         "ORDER BY 2, 1, 3"),
	                 SQLITE_FULL);
	assert_non_null(strstr(sqlguard_exceeded(guard), "larger than the file"));
	close_guarded(db, guard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allows_only_reading),
		cmocka_unit_test(bounds_the_work),
		cmocka_unit_test(bounds_temporary_files),
	};

	return cmocka_run_group_tests_name("sqlguard", tests, NULL, NULL);
}
