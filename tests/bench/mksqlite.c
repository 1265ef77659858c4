/*
 * mksqlite - write a database as nsys does: N kernels of a thousand names, and the calls that
 * launch them.
 *
 *   $ mksqlite -n 1000000 -o report.sqlite
 *
 * Equal seeds give equal rows. Memory: the cache of SQLite.
 */
#include <sqlite3.h>

#include "base/die.h"
#include "base/opt.h"
#include "gen.h"

enum { NAMES = 1000, CALL = NAMES };

static const struct opt opts[] = {
	{'n', "rows", "N", "so many kernels (10000)"},
	{'o', "output", "FILE", "the database"},
	{'S', "seed", "N", "of the random numbers (1)"},
	{'x', "sums", NULL, "rows with their exact µs, on standard error"},
};

static const struct opt_usage usage = {"[-n ROWS] [-x] [-S SEED] -o FILE",
                                       "Writes a database of nsys, for benchmarks.", opts,
                                       sizeof opts / sizeof *opts};

static const char schema[] =
	"PRAGMA journal_mode = off; PRAGMA synchronous = off;"
	"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,"
	" eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,"
	" nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,"
	" deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
	" streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
	" demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,"
	" launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL,"
	" gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,"
	" blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,"
	" staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,"
	" localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL,"
	" gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER,"
	" sharedMemoryLimitConfig INTEGER);"
	"BEGIN";

static void check(sqlite3 *db, int result)
{
	if (result != SQLITE_OK && result != SQLITE_DONE)
		die("%s", sqlite3_errmsg(db));
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement;

	check(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
	return statement;
}

/* Binds the numbers in turn and adds the row. */
static void add(sqlite3 *db, sqlite3_stmt *statement, const int64_t *numbers, int count)
{
	for (int i = 0; i < count; i++)
		check(db, sqlite3_bind_int64(statement, i + 1, numbers[i]));
	check(db, sqlite3_step(statement));
	check(db, sqlite3_reset(statement));
}

static void add_names(sqlite3 *db)
{
	sqlite3_stmt *statement = prepare(db, "INSERT INTO StringIds VALUES (?1, ?2)");
	struct buf name = {0};

	for (uint32_t i = 0; i <= CALL; i++) {
		name.len = 0;
		if (i == CALL)
			buf_text(&name, "cudaLaunchKernel_v7000");
		else
			gen_kernel_name(&name, i);
		check(db, sqlite3_bind_text(statement, 2, name.data, (int)name.len, SQLITE_TRANSIENT));
		add(db, statement, (int64_t[]){i}, 1);
	}
	buf_free(&name);
	sqlite3_finalize(statement);
}

/* Kernels and calls follow each other in the file, as they do in time. */
static void add_rows(sqlite3 *db, struct gen gen, uint64_t rows, struct gen_sum *sum)
{
	sqlite3_stmt *call = prepare(db, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1, ?2, 0, "
	                                 "283440612231593, ?3, ?4, 0, NULL)");
	sqlite3_stmt *kernel =
		prepare(db, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?1, ?2, 0, 1, NULL, 7, ?3, "
	                "283440612114432, ?4, ?4, ?4, 1, 0, 32, 100, 1, 1, 256, 1, 1, 0, 4096, 0, "
	                "62914560, ?3, 102400, NULL, 0)");
	int64_t now = 3754957008;

	for (uint64_t i = 1; i <= rows; i++) {
		uint32_t number = gen_below(&gen, NAMES);
		int64_t dur = gen_kernel_ns(&gen, number);
		int64_t launch = 2000 + gen_below(&gen, 3000);

		add(db, call, (int64_t[]){now, now + launch, (int64_t)i, CALL}, 4);
		add(db, kernel, (int64_t[]){now + launch, now + launch + dur, (int64_t)i, number}, 4);
		gen_add(sum, launch);
		gen_add(sum, dur);
		now += launch + dur + 800;
	}
	sqlite3_finalize(call);
	sqlite3_finalize(kernel);
}

int main(int argc, char **argv)
{
	struct opts options;
	struct gen gen = {1};
	struct gen_sum sum = {0};
	const char *path = "";
	uint64_t rows = 10000;
	bool sums = false;
	sqlite3 *db;

	opts_init(&options, &usage, argc, argv);
	for (int letter; (letter = opts_next(&options)) != -1;) {
		switch (letter) {
		case 'n':
			rows = opts_number(&options, 0);
			break;
		case 'o':
			path = options.arg;
			break;
		case 'S':
			gen.state = opts_number(&options, 0);
			break;
		default:
			sums = true;
		}
	}
	if (!*path)
		opts_fail("-o is missing");
	remove(path);
	check(NULL, sqlite3_open(path, &db));
	check(db, sqlite3_exec(db, schema, NULL, NULL, NULL));
	add_names(db);
	add_rows(db, gen, rows, &sum);
	check(db, sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
	sqlite3_close(db);
	if (sums)
		gen_print_sum("rows", sum);
	return STATUS_OK;
}
