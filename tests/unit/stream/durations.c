/* durations: in order, distinct and with their counts, whatever the values and when they are
 * sorted. */
#include "../unit.h"

#include "stream/durations.h"

static int by_value(const void *a, const void *b)
{
	return dec_compare(((const struct duration *)a)->dur, ((const struct duration *)b)->dur);
}

/* Like durations_sort, but by qsort, and joins one after the other. */
static size_t sorted_simply(struct duration *all, size_t n)
{
	size_t kept = 0;

	qsort(all, n, sizeof *all, by_value);
	for (size_t i = 0; i < n; i++) {
		if (kept && dec_compare(all[kept - 1].dur, all[i].dur) == 0)
			all[kept - 1].count += all[i].count;
		else
			all[kept++] = all[i];
	}
	return kept;
}

static void assert_durations(const struct durations *got, const struct duration *want, size_t n)
{
	assert_int_equal(got->count, n);
	for (size_t i = 0; i < n; i++) {
		assert_true(got->item[i].dur.nano == want[i].dur.nano);
		assert_int_equal(got->item[i].count, want[i].count);
	}
}

/* Below 2^bits or above its negative; all 128 bits if there are no more. */
static struct dec of_bits(uint64_t *seed, size_t bits)
{
	unsigned __int128 x = (unsigned __int128)unit_random(seed) << 64 | unit_random(seed);
	__int128 value = (__int128)(bits < 128 ? x & (((unsigned __int128)1 << bits) - 1) : x);

	return (struct dec){bits < 128 && unit_below(seed, 2) ? -value : value};
}

static void they_are_those_of_a_simple_sort(void **state)
{
	enum { MOST = 4000 };
	struct duration *all = calloc(MOST, sizeof *all);
	uint64_t seed = 1;

	(void)state;
	assert_non_null(all);
	for (int round = 0; round < 300; round++) {
		size_t count = unit_below(&seed, round % 3 ? MOST : 80);
		size_t bits = 1 + unit_below(&seed, 128);
		size_t pause = 1 + unit_below(&seed, 2 * MOST);
		__int128 unit = round % 2 ? 1 : 1000000; /* nanoseconds */
		struct durations durations = {0};

		for (size_t i = 0; i < count; i++) {
			all[i] = (struct duration){of_bits(&seed, bits), 1 + unit_below(&seed, 3)};
			if (bits < 100)
				all[i].dur.nano *= unit;
			durations_add(&durations, all[i].dur, all[i].count);
			if (unit_below(&seed, pause) == 0)
				durations_sort(&durations);
		}
		durations_sort(&durations);
		assert_durations(&durations, all, sorted_simply(all, count));
		durations_sort(&durations);
		assert_int_equal(durations.sorted, durations.count);
		durations_free(&durations);
		assert_int_equal(durations.cap, 0);
	}
	free(all);
}

/* The ends of what a struct dec holds differ by more than it holds. */
static void the_least_and_the_most(void **state)
{
	const __int128 most = (__int128)((unsigned __int128)-1 >> 1);
	struct durations durations = {0};

	(void)state;
	for (int i = 0; i < 100; i++) {
		durations_add(&durations, (struct dec){most}, 1);
		durations_add(&durations, (struct dec){-most - 1}, 2);
		durations_add(&durations, (struct dec){0}, 3);
		durations_add(&durations, (struct dec){-1}, 4);
	}
	durations_sort(&durations);
	assert_durations(
		&durations,
		(const struct duration[]){{{-most - 1}, 200}, {{-1}, 400}, {{0}, 300}, {{most}, 100}}, 4);
	durations_free(&durations);
}

/* They are made distinct also while they come, so that memory grows with those alone. */
static void memory_grows_with_distinct_durations(void **state)
{
	static const size_t distinct[] = {1, 2, 3, 10, 32, 33, 100, 1000};

	(void)state;
	for (size_t d = 0; d < COUNT(distinct); d++) {
		struct durations durations = {0};

		for (size_t i = 0; i < 200 * distinct[d]; i++) {
			durations_add(&durations, dec_of((int64_t)(i * 7919 % distinct[d])), 1);
			assert_true(durations.cap <= 4 * distinct[d]);
		}
		durations_sort(&durations);
		assert_int_equal(durations.count, distinct[d]);
		for (size_t i = 0; i < distinct[d]; i++)
			assert_int_equal(durations.item[i].count, 200);
		durations_free(&durations);
	}
}

static void none(void **state)
{
	struct durations durations = {0};

	(void)state;
	durations_sort(&durations);
	assert_int_equal(durations.count, 0);
	durations_free(&durations);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_those_of_a_simple_sort),
		cmocka_unit_test(the_least_and_the_most),
		cmocka_unit_test(memory_grows_with_distinct_durations),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests_name("durations", tests, NULL, NULL);
}
