/* couple: how often two numbers come together. */
#include "../unit.h"

#include "kfusion/couple.h"

static void joined(void **state)
{
	struct couple couple[] = {couple_of(2, 1, dec_of(5)), couple_of(0, 3, dec_of(1)),
	                          couple_of(2, 1, dec_of(7)), couple_of(0, 1, dec_of(2)),
	                          couple_of(0, 3, dec_of(1))};
	size_t n = COUNT(couple);

	(void)state;
	couple[2].count = 2;
	couple[4].count = 4;
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
	static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
	                                {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	struct dec most = {(((__int128)1 << 126) - 1) * 2 + 1};
	const struct dec times[] = {most, {1}, {-most.nano}};

	(void)state;
	for (size_t i = 0; i < COUNT(orders); i++) { /* whatever their order */
		struct couple couple[3];
		size_t n = COUNT(couple);

		for (size_t j = 0; j < n; j++)
			couple[j] = couple_of(1, 1, times[orders[i][j]]);
		assert_false(couple_join(couple, &n));
	}
}

static void indexed(void **state)
{
	const struct couple couple[] = {couple_of(7, 2, (struct dec){0}),
	                                couple_of(8, 0, (struct dec){0}),
	                                couple_of(9, 2, (struct dec){0})};
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
