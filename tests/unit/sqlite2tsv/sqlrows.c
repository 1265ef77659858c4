/* sqlrows: rows in the order of rowids, with joins, missing columns, and damage. */
#include "sqlite_made.h"

enum { A, B, X, COLUMNS };

static const struct sqlrows_join joins[] = {{"other", "k", "a", SQLROWS_OWN},
                                            {"third", "k", "x", 0}};
static const struct sqlrows_column columns[COLUMNS] = {
	[A] = {"a", SQLROWS_OWN, true}, [B] = {"b", SQLROWS_OWN, false}, [X] = {"x", 0, false}};
static const struct sqlrows_plan plan = {"t", joins, 1, columns, COLUMNS, false};

static void joins_and_keeps_the_order(void **state)
{
	struct sqlfile file;
	struct sqlrows rows;
	int64_t number = 7;

	(void)state;
	made_open(&file,
	          "CREATE TABLE t (a, b); CREATE INDEX i ON t (a, b);"
	          "INSERT INTO t VALUES (3, '12'), (1, 'x'), (2, 1.5), (1, NULL), (0, '-7');"
	          "CREATE TABLE other (k, x); INSERT INTO other VALUES (1, 10), (3, 30), (1, 11)");
	assert_true(sqlrows_begin(&rows, &file, &plan));
	assert_true(sqlrows_has(&rows, X));
	assert_int_equal(sqlrows_next(&rows), 1);
	assert_int_equal(sqlrows_number_or(&rows, A, 0), 3);
	assert_int_equal(sqlrows_number(&rows, B, &number), SQLROWS_NUMBER);
	assert_int_equal(number, 12);
	assert_int_equal(sqlrows_number_or(&rows, X, 0), 30);
	assert_int_equal(sqlrows_next(&rows), 1);
	assert_int_equal(sqlrows_number(&rows, B, &number), SQLROWS_OTHER);
	assert_text(sqlrows_text(&rows, B), "x");
	assert_int_equal(sqlrows_number_or(&rows, X, 0), 10);
	assert_int_equal(sqlrows_next(&rows), 1); /* once, though the join has it twice */
	assert_int_equal(rows.again, 1);
	assert_int_equal(sqlrows_number(&rows, B, &number), SQLROWS_OTHER);
	assert_int_equal(sqlrows_number(&rows, X, &number), SQLROWS_NULL);
	assert_int_equal(sqlrows_next(&rows), 1);
	assert_int_equal(sqlrows_number(&rows, B, &number), SQLROWS_NULL);
	assert_int_equal(sqlrows_next(&rows), 1);
	assert_int_equal(sqlrows_number_or(&rows, B, 0), -7);
	assert_int_equal(sqlrows_next(&rows), 0);
	assert_int_equal(rows.again, 2);
	sqlrows_end(&rows);
	sqlfile_close(&file);
}

static void knows_what_is_missing(void **state)
{
	struct sqlfile file;
	struct sqlrows rows;
	struct sqlrows_range range;

	(void)state;
	made_open(&file, "CREATE TABLE t (a); INSERT INTO t VALUES (256), (1024), ('x')");
	assert_true(sqlrows_begin(&rows, &file, &plan));
	assert_false(sqlrows_has(&rows, B));
	assert_false(sqlrows_has(&rows, X));
	assert_int_equal(sqlrows_next(&rows), 1);
	assert_text(sqlrows_text(&rows, X), "");
	sqlrows_end(&rows);
	sqlrows_range(&rows, &plan, &file, 8, &range);
	assert_int_equal(range.rows, 3);
	assert_true(range.found);
	assert_int_equal(range.least, 1); /* 'x' >> 8 is 0 */
	assert_int_equal(range.most, 4);
	assert_int_equal(rows.places, 0);
	sqlrows_end(&rows);
	sqlrows_range(&rows, &plan, &file, 60, &range);
	assert_false(range.found);
	sqlrows_end(&rows);
	sqlfile_close(&file);
	made_open(&file, "CREATE TABLE t (b)");
	assert_false(sqlrows_begin(&rows, &file, &plan));
	assert_string_equal(rows.error, "table t has no column a");
	sqlrows_end(&rows);
	sqlfile_close(&file);
	made_open(&file, "CREATE TABLE a (b)");
	assert_false(sqlrows_begin(&rows, &file, &plan));
	assert_string_equal(rows.error, "there is no table t");
	sqlrows_end(&rows);
	sqlfile_close(&file);
}

static void joins_of_joins(void **state)
{
	static const struct sqlrows_column through[] = {{"a", SQLROWS_OWN, true}, {"y", 1, false}};
	static const struct sqlrows_plan many = {"t", joins, 2, through, 2, true};
	struct sqlfile file;
	struct sqlrows rows;

	(void)state;
	made_open(&file, "CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE TABLE other (k, x);"
	                 "INSERT INTO other VALUES (1, 10), (1, 11); CREATE TABLE third (k, y);"
	                 "INSERT INTO third VALUES (11, 12)");
	assert_true(sqlrows_begin(&rows, &file, &many));
	assert_int_equal(sqlrows_next(&rows), 1);
	assert_int_equal(sqlrows_number_or(&rows, 1, 0), 0);
	assert_int_equal(sqlrows_next(&rows), 1);
	assert_int_equal(sqlrows_number_or(&rows, 1, 0), 12);
	assert_int_equal(sqlrows_next(&rows), 0);
	sqlrows_end(&rows);
	sqlfile_close(&file);
}

/* Each page in turn is overwritten: rows stay in their order, and are those that were there. */
static void goes_on_after_damage(void **state)
{
	enum { ROWS = 500, PAGE = 512 };
	static const char zeros[PAGE];
	char path[64];
	struct sqlfile file;
	struct sqlrows rows;
	struct stat made;

	(void)state;
	made_database(path,
	              "CREATE TABLE t (a, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
	              " FROM n WHERE i < 500) INSERT INTO t SELECT i, 'row ' || i FROM n");
	assert_int_equal(stat(path, &made), 0);
	for (off_t at = PAGE; at < made.st_size; at += PAGE) {
		char page[PAGE];
		int fd = open(path, O_RDWR);
		int64_t last = 0;
		int count = 0;

		assert_int_equal(pread(fd, page, PAGE, at), PAGE);
		assert_int_equal(pwrite(fd, zeros, PAGE, at), PAGE);
		assert_int_equal(sqlfile_open(&file, path), SQLFILE_OK);
		assert_true(sqlrows_begin(&rows, &file, &plan));
		while (sqlrows_next(&rows) > 0) {
			char text[32];

			assert_true(rows.rowid > last);
			last = rows.rowid;
			assert_int_equal(sqlrows_number_or(&rows, A, 0), last);
			snprintf(text, sizeof text, "row %d", (int)last);
			assert_str(sqlrows_text(&rows, B), str_of(text));
			count++;
		}
		assert_int_equal(rows.places > 0, count < ROWS);
		/* The first of these pages is the root, without which no row is found. */
		assert_true(at == PAGE ? count == 0 : count > ROWS / 2);
		sqlrows_end(&rows);
		sqlfile_close(&file);
		assert_int_equal(pwrite(fd, page, PAGE, at), PAGE);
		close(fd);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_and_keeps_the_order),
		cmocka_unit_test(knows_what_is_missing),
		cmocka_unit_test(joins_of_joins),
		cmocka_unit_test(goes_on_after_damage),
	};

	return cmocka_run_group_tests_name("sqlrows", tests, NULL, NULL);
}
