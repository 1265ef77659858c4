/* couple: how often two numbers come together. */
#include "../unit.h"

#include "kfusion/couple.h"

static void joined(void **state)
{
	struct couple couple[] = {{2, 1, 1, dec_of(5)},
	                          {0, 3, 1, dec_of(1)},
	                          {2, 1, 2, dec_of(7)},
	                          {0, 1, 1, dec_of(2)},
	                          {0, 3, 4, dec_of(1)}};
	size_t n = COUNT(couple);

	(void)state;
	assert_true(couple_join(couple, &n));
	assert_int_equal(n, 3);
	assert_int_equal(couple_find(couple, n, 0, 1)->count, 1);
	assert_int_equal(couple_find(couple, n, 0, 3)->count, 5);
	assert_int_equal(couple_find(couple, n, 2, 1)->count, 3);
	assert_int_equal(dec_compare(couple_find(couple, n, 2, 1)->time, dec_of(12)), 0);
	assert_null(couple_find(couple, n, 1, 2));
	n = 0;
	assert_true(couple_join(NULL, &n));
	assert_null(couple_find(NULL, 0, 1, 1));
}

static void too_large(void **state)
{
	struct dec most = {(((__int128)1 << 126) - 1) * 2 + 1};
	struct couple couple[] = {{1, 1, 1, most}, {1, 1, 1, dec_of(1)}};
	size_t n = COUNT(couple);

	(void)state;
	assert_false(couple_join(couple, &n));
}

static void indexed(void **state)
{
	const struct couple couple[] = {{7, 2, 1, {0}}, {8, 0, 1, {0}}, {9, 2, 1, {0}}};
	struct couple_index index = couple_index_of(couple, COUNT(couple), 4);

	(void)state;
	assert_int_equal(index.at[0], 0);
	assert_int_equal(index.at[1], 1);
	assert_int_equal(index.at[2], 1);
	assert_int_equal(index.at[3], 3);
	assert_int_equal(index.at[4], 3);
	assert_int_equal(index.item[0].a, 8);
	assert_int_equal(index.item[1].a, 7);
	assert_int_equal(index.item[2].a, 9);
	couple_index_free(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joined),
		cmocka_unit_test(too_large),
		cmocka_unit_test(indexed),
	};

	return cmocka_run_group_tests_name("couple", tests, NULL, NULL);
}
