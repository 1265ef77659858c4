/* sequence: which classes follow which, and the groups of kernels that ran together. */
#include "../unit.h"

#include "kfusion/sequence.h"

static void add(struct sequence *sequence, int64_t ts, size_t op, size_t launch, size_t step)
{
	const struct sequence_kernel kernel = {
		.ts = dec_of(ts), .dur = dec_of(ts), .op = op, .launch = launch, .step = step};

	sequence_add(sequence, &kernel);
}

static void followed(void **state)
{
	struct sequence sequence = {.count = 0};

	(void)state;
	add(&sequence, 4, 1, STRMAP_NONE, 0);
	add(&sequence, 1, 0, STRMAP_NONE, 0);
	add(&sequence, 2, 1, STRMAP_NONE, 0);
	add(&sequence, 3, 0, STRMAP_NONE, 0);
	add(&sequence, 5, 0, STRMAP_NONE, 1); /* another step */
	sequence_sort(&sequence);
	assert_false(sequence_follows(&sequence, 0));
	assert_true(sequence_follows(&sequence, 3));
	assert_false(sequence_follows(&sequence, 4));
	assert_true(sequence_pair(&sequence));
	assert_int_equal(sequence.follow_count, 2);
	assert_int_equal(sequence.follow[0].count, 2);
	assert_int_equal(dec_compare(sequence.follow[0].time, dec_of(10)), 0);
	assert_int_equal(sequence.follow[1].count, 1);
	sequence_free(&sequence);
}

static void grouped(void **state)
{
	struct sequence sequence = {.count = 0};

	(void)state;
	for (int64_t i = 0; i < 3; i++)
		add(&sequence, i, 7, 1, 0); /* a launch of enough kernels */
	add(&sequence, 3, 7, 0, 0);     /* the others of its step */
	add(&sequence, 4, 8, STRMAP_NONE, 0);
	add(&sequence, 5, 7, 2, 1); /* too few */
	add(&sequence, 6, 7, STRMAP_NONE, STRMAP_NONE);
	sequence_sort(&sequence);
	assert_true(sequence_bunch(&sequence, 2));
	assert_int_equal(sequence.bunches_count, 2);
	assert_int_equal(sequence.bunches[0].kernels, 3);
	assert_int_equal(sequence.bunches[0].launch, 1);
	assert_int_equal(sequence.bunches[1].kernels, 2);
	assert_true(sequence.bunches[1].launch == STRMAP_NONE);
	assert_int_equal(sequence.bunches[1].step, 0);
	assert_int_equal(sequence.bunches[1].first, 3);
	assert_int_equal(sequence_piece(&sequence.bunches[0], 7)->count, 3);
	assert_null(sequence_piece(&sequence.bunches[0], 8));
	assert_int_equal(sequence_piece(&sequence.bunches[1], 8)->count, 1);
	sequence_free(&sequence);
}

static void empty(void **state)
{
	struct sequence sequence = {.count = 0};

	(void)state;
	sequence_sort(&sequence);
	assert_true(sequence_pair(&sequence));
	assert_true(sequence_bunch(&sequence, 1));
	assert_int_equal(sequence.bunches_count, 0);
	sequence_free(&sequence);
}

static void too_large(void **state)
{
	struct sequence sequence = {.count = 0};
	struct sequence_kernel kernel = {.dur = {(((__int128)1 << 126) - 1) * 2 + 1}};

	(void)state;
	sequence_add(&sequence, &kernel);
	sequence_add(&sequence, &kernel);
	sequence_sort(&sequence);
	assert_false(sequence_pair(&sequence));
	assert_false(sequence_bunch(&sequence, 1));
	sequence_free(&sequence);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(followed),
		cmocka_unit_test(grouped),
		cmocka_unit_test(empty),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests_name("sequence", tests, NULL, NULL);
}
