/* autocorrelation: how much values depend on those before them. */
#include "../unit.h"

#include "kcompare/autocorrelation.h"

#include <math.h>

/* The first autocorrelation, or 9 if there is none. */
static double first_of(const int64_t *values, const size_t *runs, size_t count)
{
	struct autocorrelation_value series[16];
	double first = 9;

	for (size_t i = 0; i < count; i++)
		series[i] = (struct autocorrelation_value){dec_of(values[i]), runs ? runs[i] : 0};
	if (!autocorrelation_first(series, count, &first))
		assert_true(first == 9 || first == 0);
	return first;
}

static void known(void **state)
{
	(void)state;
	/* Means 2.5, 2 and 2: by hand. */
	assert_true(fabs(first_of((int64_t[]){1, 2, 3, 4}, NULL, 4) - 0.25) < 1e-15);
	assert_true(fabs(first_of((int64_t[]){1, 3, 1, 3}, NULL, 4) + 0.75) < 1e-15);
	assert_true(fabs(first_of((int64_t[]){1, 1, 3, 3}, NULL, 4) - 0.25) < 1e-15);
	/* Neighbours at the border of two runs do not count. */
	assert_true(fabs(first_of((int64_t[]){1, 1, 3, 3}, (size_t[]){0, 0, 1, 1}, 4) - 0.5) < 1e-15);
	assert_true(first_of((int64_t[]){1, 1, 3, 3}, (size_t[]){0, 1, 2, 3}, 4) == 0);
}

static void missing(void **state)
{
	double first;

	(void)state;
	assert_false(autocorrelation_first(NULL, 0, &first));
	assert_true(first_of((int64_t[]){1, 2}, NULL, 2) == 9);
	assert_true(first_of((int64_t[]){7, 7, 7, 7}, NULL, 4) == 0);
}

/* Far from 0 nothing is lost, as the distances are exact. */
static void far(void **state)
{
	struct autocorrelation_value series[4];
	double first = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(series); i++)
		series[i] = (struct autocorrelation_value){{((__int128)1 << 126) + (int)i}, 0};
	assert_true(autocorrelation_first(series, COUNT(series), &first));
	assert_true(fabs(first - 0.25) < 1e-15);
	series[0].value.nano = -((__int128)1 << 126) - ((__int128)1 << 125);
	assert_true(autocorrelation_first(series, COUNT(series), &first)); /* too large a distance */
	assert_true(fabs(first + 1.0 / 12) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known),
		cmocka_unit_test(missing),
		cmocka_unit_test(far),
	};

	return cmocka_run_group_tests_name("autocorrelation", tests, NULL, NULL);
}
