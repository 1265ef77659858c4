/* groupwise: the comparisons of all groups, of units and of single rows. */
#include "../unit.h"

#include "kcompare/groupwise.h"

/* Adds n samples of a group on a side: first, first + 1 and so on. */
static void add(struct samples *samples, bool units, int side, const char *group, int64_t first,
                int n)
{
	size_t number = samples_group(samples, str_of(group));

	for (int i = 0; i < n; i++) {
		char unit[16];

		snprintf(unit, sizeof unit, "%d", i);
		if (units)
			assert_true(samples_add(samples, side, number,
			                        samples_unit(samples, side, 0, str_of(unit)),
			                        dec_of(first + i)));
		else
			assert_true(samples_pool(samples, side, number, dec_of(first + i), 1));
	}
}

static void assert_row(const struct changes *changes, size_t row, const char *key, uint64_t n1,
                       uint64_t n2, enum comparison_verdict verdict)
{
	const struct changes_row *got = &changes->row[row];

	assert_str(got->key, str_of(key));
	assert_int_equal(got->comparison.side[0].n, n1);
	assert_int_equal(got->comparison.side[1].n, n2);
	assert_int_equal(got->comparison.verdict, verdict);
}

static void compare(bool units)
{
	struct words keys = {0};
	struct changes changes = {.keys = &keys};
	struct samples samples = {.one_run = false};
	struct groupwise groupwise = {
		.samples = &samples, .units = units, .skip = units, .alpha = {50000000}};

	words_add(&keys, "name");
	add(&samples, units, 0, "slow", 100, 9);
	add(&samples, units, 1, "slow", 200, 9);
	add(&samples, units, 0, "same", 100, 9);
	add(&samples, units, 1, "same", 100, 9);
	add(&samples, units, 0, "old", 10, 3);
	if (units) {
		samples_add(&samples, 1, samples_group(&samples, STR("warm")),
		            samples_unit(&samples, 1, 0, STR("0")), dec_of(9));
	}
	assert_true(groupwise_compare(&groupwise, &changes));
	assert_int_equal(changes.groups, 3); /* nothing is left of "warm" */
	assert_row(&changes, 0, "slow", 9 - units, 9 - units, COMPARISON_SLOWER);
	assert_row(&changes, 1, "same", 9 - units, 9 - units, COMPARISON_EQUAL);
	assert_row(&changes, 2, "old", 3 - units, 0, COMPARISON_GONE);
	assert_int_equal(changes.row[3].kind, CHANGES_SUM);
	if (units)
		assert_row(&changes, 3, "", 8, 8, COMPARISON_SLOWER);
	else
		assert_row(&changes, 3, "", 1, 1, COMPARISON_FEW);
	assert_int_equal(changes.row[4].kind, CHANGES_MEAN);
	assert_int_equal(changes.mean.entered, 2);
	changes_free(&changes);
	groupwise_free(&groupwise);
	samples_free(&samples);
	words_free(&keys);
}

static void of_units(void **state)
{
	(void)state;
	compare(true);
}

static void of_rows(void **state)
{
	(void)state;
	compare(false);
}

static void too_large(void **state)
{
	(void)state;
	for (int units = 0; units < 2; units++) {
		struct words keys = {0};
		struct changes changes = {.keys = &keys};
		struct samples samples = {.one_run = false};
		struct groupwise groupwise = {.samples = &samples, .units = units, .alpha = {50000000}};
		const struct dec large = {(__int128)3 << 124};

		for (size_t i = 0; i < 4; i++) {
			size_t group = samples_group(&samples, (struct str){&"abcd"[i], 1});

			if (units)
				assert_true(
					samples_add(&samples, 0, group, samples_unit(&samples, 0, 0, STR("1")), large));
			else
				assert_true(samples_pool(&samples, 0, group, large, 1));
		}
		assert_false(groupwise_compare(&groupwise, &changes));
		groupwise_free(&groupwise);
		samples_free(&samples);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_units),
		cmocka_unit_test(of_rows),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests_name("groupwise", tests, NULL, NULL);
}
