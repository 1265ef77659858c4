/* devrows: the order of rows of devices, and what was before each. */
#include "../unit.h"

#include "path_made.h"

static const struct str rows =
	BYTES("0\t1\tl\tcuda_runtime\t9\t9\t1\t\t\t\n2\t9\tg\tcuda_runtime\t9\t9\t2\t\t\t\n"
          "5\t5\ta\tkernel\t0\t7\t1\t\t\t\n6\t4\tb\tkernel\t0\t8\t2\t\t\t\n6\t4\tc\tkernel\t0\t7\t2"
          "\t\t\t\n"
          "20\t4\td\tkernel\t0\t7\t2\t7\t\t\n9\t30\te\tgpu_memcpy\t1\t7\t2\t\t\t\n"
          "6\t18\tf\tkernel\t0\t7\t\t\t\t\n");

static void order_and_causes(void **state)
{
	static const struct {
		struct str name, before, mate;
		bool returned, copy;
	} want[] = {
		{BYTES("a"), BYTES("-"), BYTES("-"), true, false},
		{BYTES("b"), BYTES("-"), BYTES("-"), false, false},
		{BYTES("c"), BYTES("a"), BYTES("-"), false, false},
		{BYTES("f"), BYTES("a"), BYTES("-"), false, false},
		{BYTES("d"), BYTES("f"), BYTES("c"), false, false},
		/* Another device: the launch had not returned there either. */
		{BYTES("e"), BYTES("-"), BYTES("-"), false, true},
	};
	struct made made;

	(void)state;
	made_read(&made, rows);
	assert_int_equal(made.devrows.count, COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++) {
		const struct devrow *row = &made.devrows.row[i];

		assert_str(devrows_text(&made.devrows, row->name), want[i].name);
		assert_str(made_name(&made, row->before), want[i].before);
		assert_str(made_name(&made, row->mate), want[i].mate);
		assert_int_equal(row->returned, want[i].returned);
		assert_int_equal(row->copy, want[i].copy);
	}
	assert_null(devrows_launch(&made.devrows, &made.devrows.row[3]));
	assert_str(devrows_correlation(&made.devrows, &made.devrows.row[4]), STR("2"));
	assert_str(devrows_pid(&made.devrows, made.devrows.row[5].device), STR("1"));
	made_free(&made);
}

static void limits(void **state)
{
	struct made made;

	(void)state;
	made_read(&made, STR("5\t5\ta\tkernel\t0\t7\t\t\t\t\n10\t0\tb\tkernel\t0\t7\t\t\t\t\n"
	                     "9\t3\tc\tkernel\t0\t7\t\t\t\t\n"));
	assert_int_equal(devrows_limit(&made.devrows, 0, dec_of(9)), 0);
	/* A row of dur 0 at a time did not begin before it. */
	assert_int_equal(devrows_limit(&made.devrows, 0, dec_of(10)), 1);
	assert_int_equal(devrows_limit(&made.devrows, 0, dec_of(11)), 2);
	assert_int_equal(devrows_limit(&made.devrows, 0, dec_of(12)), 3);
	made_free(&made);
}

static void index_of_rows(void **state)
{
	struct devrows_index index = {0};

	(void)state;
	assert_int_equal(devrows_index_last(&index, 1, 0, 9), DEVROWS_NONE);
	devrows_index_add(&index, 2, 4);
	devrows_index_add(&index, 1, 7);
	devrows_index_add(&index, 1, 3);
	devrows_index_sort(&index);
	assert_int_equal(devrows_index_last(&index, 1, 0, 9), 7);
	assert_int_equal(devrows_index_last(&index, 1, 0, 7), 3);
	assert_int_equal(devrows_index_last(&index, 1, 0, 3), DEVROWS_NONE);
	assert_int_equal(devrows_index_last(&index, 1, 4, 7), DEVROWS_NONE);
	assert_int_equal(devrows_index_last(&index, 2, 0, 4), DEVROWS_NONE);
	assert_int_equal(devrows_index_find(&index, 2, 0), 2);
	devrows_index_free(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_and_causes),
		cmocka_unit_test(limits),
		cmocka_unit_test(index_of_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
