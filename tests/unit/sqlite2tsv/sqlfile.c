/* sqlfile: which files are databases that can be read, and their tables. */
#include "sqlite_made.h"

static void opens_a_database(void **state)
{
	struct sqlfile file;
	size_t table;

	(void)state;
	made_open(&file,
	          "CREATE TABLE a (Start, [end]); CREATE TABLE [b c] (x); CREATE VIEW v AS SELECT 1;"
	          "CREATE INDEX i ON a (Start)");
	assert_int_equal(file.tables.count, 2);
	assert_true(sqlfile_has(&file, "b c"));
	assert_false(sqlfile_has(&file, "v"));
	assert_false(sqlfile_has(&file, "i"));
	table = sqlfile_table(&file, STR("a"));
	assert_true(sqlfile_has_column(&file, table, STR("start")));
	assert_true(sqlfile_has_column(&file, table, STR("END")));
	assert_false(sqlfile_has_column(&file, table, STR("x")));
	assert_buf(&file.column_list[table], "Start,end");
	assert_int_equal(file.damage[0], '\0');
	assert_true(sqlfile_changed(&file)); /* it was unlinked */
	sqlfile_close(&file);
}

static void refuses(struct str content, enum sqlfile_result result, const char *why)
{
	struct sqlfile file;
	char path[64];

	unit_file(path, content);
	assert_case(why, sqlfile_open(&file, path) == result);
	assert_case(why, strstr(file.error, why) != NULL);
	sqlfile_close(&file);
	unlink(path);
}

static void names_other_files(void **state)
{
	struct sqlfile file;

	(void)state;
	refuses(STR(""), SQLFILE_NONE, "empty");
	refuses(STR("SQLite format 3"), SQLFILE_NONE, "the header of the database is cut off");
	refuses(STR("\x1f\x8b\x08"), SQLFILE_NONE, "gunzip");
	refuses(STR("{\"traceEvents\":[]}"), SQLFILE_NONE, "trace2tsv");
	refuses(STR("Name,Type\n"), SQLFILE_NONE, "csv2tsv");
	refuses(STR("words"), SQLFILE_NONE, "not an SQLite database");
	assert_int_equal(sqlfile_open(&file, "/nonexistent/a"), SQLFILE_UNOPENED);
	sqlfile_close(&file);
	assert_int_equal(sqlfile_open(&file, "/dev/null"), SQLFILE_UNOPENED);
	sqlfile_close(&file);
}

static void sees_the_size_and_changes(void **state)
{
	struct sqlfile file;
	char path[64];
	struct stat made;

	(void)state;
	made_database(path, "CREATE TABLE a (b); INSERT INTO a VALUES (1)");
	assert_int_equal(stat(path, &made), 0);
	assert_int_equal(truncate(path, made.st_size - 1), 0);
	assert_int_equal(sqlfile_open(&file, path), SQLFILE_OK);
	assert_non_null(strstr(file.damage, "1023 of 1024 bytes"));
	assert_false(sqlfile_changed(&file));
	assert_int_equal(truncate(path, made.st_size + 7), 0);
	assert_true(sqlfile_changed(&file));
	sqlfile_close(&file);
	assert_int_equal(sqlfile_open(&file, path), SQLFILE_OK);
	assert_non_null(strstr(file.damage, "7 bytes follow"));
	sqlfile_close(&file);
	unlink(path);
}

static void refuses_what_is_not_settled(void **state)
{
	static const char *const suffixes[] = {"-wal", "-journal"};
	struct sqlfile file;
	char path[64];
	char beside[80];

	(void)state;
	made_database(path, "CREATE TABLE a (b)");
	for (size_t i = 0; i < COUNT(suffixes); i++) {
		int fd;

		snprintf(beside, sizeof beside, "%s%s", path, suffixes[i]);
		fd = open(beside, O_WRONLY | O_CREAT | O_EXCL, 0600);
		assert_true(fd >= 0);
		assert_int_equal(sqlfile_open(&file, path), SQLFILE_OK);
		sqlfile_close(&file);
		unit_write(fd, "x", 1);
		close(fd);
		assert_int_equal(sqlfile_open(&file, path), SQLFILE_NONE);
		assert_non_null(strstr(file.error, suffixes[i]));
		sqlfile_close(&file);
		unlink(beside);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_a_database),
		cmocka_unit_test(names_other_files),
		cmocka_unit_test(sees_the_size_and_changes),
		cmocka_unit_test(refuses_what_is_not_settled),
	};

	return cmocka_run_group_tests_name("sqlfile", tests, NULL, NULL);
}
