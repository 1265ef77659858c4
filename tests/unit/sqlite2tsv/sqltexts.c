/* sqltexts: texts by their ids, in any order and with gaps. */
#include "sqlite_made.h"

static void finds_by_id(void **state)
{
	struct sqltexts texts = {0};
	struct str text;

	(void)state;
	sqltexts_sort(&texts);
	assert_false(sqltexts_find(&texts, 0, &text));
	sqltexts_add(&texts, 3, STR(""));
	assert_true(sqltexts_find(&texts, 3, &text));
	assert_text(text, "");
	sqltexts_add(&texts, 5, STR("five"));
	sqltexts_add(&texts, -2, STR("minus"));
	sqltexts_add(&texts, 5, STR("again"));
	sqltexts_add(&texts, 7, STR(""));
	sqltexts_add(&texts, 7, STR("seven"));
	sqltexts_add(&texts, INT64_MAX, STR("most"));
	sqltexts_sort(&texts);
	assert_true(sqltexts_find(&texts, 5, &text));
	assert_text(text, "five");
	assert_true(sqltexts_find(&texts, -2, &text));
	assert_text(text, "minus");
	assert_true(sqltexts_find(&texts, 7, &text));
	assert_text(text, "");
	assert_true(sqltexts_find(&texts, INT64_MAX, &text));
	assert_text(text, "most");
	assert_false(sqltexts_find(&texts, 6, &text));
	assert_false(sqltexts_find(&texts, INT64_MIN, &text));
	sqltexts_free(&texts);
}

static void finds_each_of_many(void **state)
{
	enum { MANY = 3000 };
	struct sqltexts texts = {0};
	uint64_t seed = 1;
	struct str text;

	(void)state;
	for (int64_t i = 0; i < MANY; i++) {
		int64_t id = i < MANY / 2 ? i : i * 3;

		sqltexts_add(&texts, id, (struct str){(char *)&id, sizeof id});
	}
	sqltexts_sort(&texts);
	for (int i = 0; i < 20000; i++) {
		int64_t id = (int64_t)unit_below(&seed, 4 * MANY);
		bool there = id < MANY / 2 || (id % 3 == 0 && id >= MANY / 2 * 3 && id < 3 * MANY);

		assert_int_equal(sqltexts_find(&texts, id, &text), there);
		if (there)
			assert_memory_equal(text.s, &id, sizeof id);
	}
	sqltexts_free(&texts);
}

static void reads_a_table(void **state)
{
	struct sqltexts texts = {0};
	struct sqlrows rows = {0};
	struct sqlfile file;
	struct str text;

	(void)state;
	made_open(&file, "CREATE TABLE s (id, value); INSERT INTO s VALUES (9, 'nine'), ('x', 'none'),"
	                 "(1, NULL), (2, 12)");
	assert_true(sqltexts_read(&texts, &rows, &file, "s", "value"));
	sqlrows_end(&rows);
	assert_true(sqltexts_find(&texts, 9, &text));
	assert_text(text, "nine");
	assert_true(sqltexts_find(&texts, 1, &text));
	assert_text(text, "");
	assert_true(sqltexts_find(&texts, 2, &text));
	assert_text(text, "12");
	assert_false(sqltexts_read(&texts, &rows, &file, "none", "value"));
	assert_string_equal(rows.error, "there is no table none");
	sqlrows_end(&rows);
	sqltexts_free(&texts);
	sqlfile_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_by_id),
		cmocka_unit_test(finds_each_of_many),
		cmocka_unit_test(reads_a_table),
	};

	return cmocka_run_group_tests_name("sqltexts", tests, NULL, NULL);
}
