/* heldrows: rows that wait for some of their fields. */
#include "../unit.h"

#include "csv2tsv/heldrows.h"

static void assert_row(const struct heldrows *rows, size_t number, const char *want)
{
	struct str row[3];
	struct buf got = {0};

	heldrows_get(rows, number, row);
	for (size_t i = 0; i < rows->columns; i++) {
		buf_text(&got, i ? "|" : "");
		buf_str(&got, row[i]);
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void empty_fields_are_filled(void **state)
{
	const struct str first[] = {STR("1"), STR(""), STR("a")};
	const struct str second[] = {STR("2"), STR(""), STR("")};
	struct heldrows rows = {0};
	bool added;

	(void)state;
	heldrows_begin(&rows, 3);
	assert_int_equal(heldrows_add(&rows, STR("x"), first, &added), 0);
	assert_true(added);
	assert_int_equal(heldrows_add(&rows, STR("y"), second, &added), 1);
	assert_true(added);
	assert_int_equal(heldrows_add(&rows, STR("x"), second, &added), 0);
	assert_false(added);
	heldrows_fill(&rows, 0, 1, STR("later"));
	heldrows_fill(&rows, 0, 1, STR("too late"));
	heldrows_fill(&rows, 0, 2, STR("b"));
	heldrows_fill(&rows, 1, 2, STR(""));
	assert_int_equal(rows.keys.count, 2);
	assert_row(&rows, 0, "1|later|a");
	assert_row(&rows, 1, "2||");

	/* Again, with other columns. */
	heldrows_begin(&rows, 2);
	assert_int_equal(rows.keys.count, 0);
	assert_int_equal(heldrows_add(&rows, STR("y"), second, &added), 0);
	assert_true(added);
	assert_row(&rows, 0, "2|");
	heldrows_free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_fields_are_filled),
	};

	return cmocka_run_group_tests_name("heldrows", tests, NULL, NULL);
}
