/* group: counts, totals, bounds, quantiles, and parts that merge to the whole. */
#include "../unit.h"

#include "stream/group.h"

static struct dec dec(const char *text)
{
	struct dec x = {0};

	assert_int_equal(dec_parse(str_of(text), &x), DEC_OK);
	return x;
}

static void assert_dec(struct dec x, const char *want)
{
	struct buf out = {0};

	dec_print(&out, x);
	assert_str(buf_view(&out), str_of(want));
	buf_free(&out);
}

static void a_part_without_bounds(void **state)
{
	struct group group = {0};
	struct group part = {.count = 2, .total = dec_of(7), .unranged = true};

	(void)state;
	assert_true(group_add(&group, dec("2.5"), 1));
	assert_false(group.unranged);
	assert_true(group_merge(&group, &part));
	assert_true(group.unranged);
	assert_dec(group.total, "9.5");
	part = (struct group){.count = 1, .min = dec_of(1), .max = dec_of(1)};
	assert_true(group_merge(&group, &part));
	assert_true(group.unranged);
	group_free(&group);
}

static void sums_and_bounds(void **state)
{
	struct group group = {0};

	(void)state;
	assert_true(group_add(&group, dec("5"), 0)); /* nothing */
	assert_int_equal(group.count, 0);
	assert_true(group_add(&group, dec("2.5"), 1));
	assert_dec(group.min, "2.5");
	assert_dec(group.max, "2.5");
	assert_true(group_add(&group, dec("-1"), 1));
	assert_true(group_add(&group, dec("10"), 3));
	assert_true(group_add(&group, dec("0"), 1));
	assert_int_equal(group.count, 6);
	assert_dec(group.total, "31.5");
	assert_dec(group.min, "-1");
	assert_dec(group.max, "10");
	group_free(&group);
	assert_int_equal(group.count, 0);
}

static void what_is_too_large_is_not_added(void **state)
{
	struct group group = {0};
	struct group other = {0};
	struct dec most = {(__int128)((unsigned __int128)-1 >> 1)};

	(void)state;
	assert_true(group_add(&group, dec("1"), 2));
	assert_false(group_add(&group, most, 1));
	assert_false(group_add(&group, most, 2));
	assert_false(group_add(&group, dec("10000000000"), UINT64_MAX));
	assert_false(group_add(&group, dec("0"), UINT64_MAX - 1)); /* the count */
	assert_true(group_add(&other, most, 1));
	durations_add(&other.durations, most, 1);
	assert_false(group_merge(&group, &other));
	assert_int_equal(group.count, 2);
	assert_dec(group.total, "2");
	assert_dec(group.min, "1");
	assert_dec(group.max, "1");
	assert_int_equal(group.durations.count, 0);
	assert_true(group_add(&group, dec("0"), UINT64_MAX - 2));
	assert_true(group.count == UINT64_MAX);
	group_free(&group);
	group_free(&other);
}

/* What a sum gives for three addends in each order, and for its parts: 1 if all fit, 0 if none. */
static int in_each_order(const struct dec x[3])
{
	static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
	                                {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	int good = 0;

	for (size_t i = 0; i < COUNT(orders); i++) {
		struct group whole = {0};
		struct group part = {0};
		struct group rest = {0};
		bool fits = true;
		bool merged;

		for (int j = 0; j < 3; j++)
			fits = group_add(&whole, x[orders[i][j]], 1) && fits;
		merged = group_add(&part, x[orders[i][0]], 1) && group_add(&rest, x[orders[i][1]], 1) &&
		         group_add(&rest, x[orders[i][2]], 1) && group_merge(&part, &rest);
		assert_int_equal(merged, fits);
		if (fits) {
			assert_true(whole.total.nano == x[0].nano + (x[1].nano + x[2].nano));
			assert_true(part.total.nano == whole.total.nano);
		}
		good += fits;
	}
	assert_int_equal(good % (int)COUNT(orders), 0);
	return good > 0;
}

static void the_order_of_large_addends_is_free(void **state)
{
	const __int128 most = (__int128)((unsigned __int128)-1 >> 1);

	(void)state;
	assert_false(in_each_order((struct dec[]){{most}, {1}, {-most}}));
	assert_false(in_each_order((struct dec[]){{-most}, {-2}, {most}}));
	assert_true(in_each_order((struct dec[]){{-most}, {-1}, {most}}));
	assert_true(in_each_order((struct dec[]){{most - 1}, {1}, {-most - 1}}));
}

static void quantiles_by_nearest_rank(void **state)
{
	static const struct {
		const char *percent, *value;
	} cases[] = {
		{"0", "15"},    {"5", "15"},  {"20", "15"},   {"20.000000001", "20"},
		{"30", "20"},   {"40", "20"}, {"50", "35"},   {"60", "35"},
		{"60.1", "40"}, {"80", "40"}, {"99.9", "50"}, {"100", "50"},
	};
	static const char *const values[] = {"50", "15", "40", "35", "20"};
	struct group group = {0};
	struct group one = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		assert_true(group_add(&group, dec(values[i]), 1));
		durations_add(&group.durations, dec(values[i]), 1);
	}
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_dec(group_quantile(&group, dec(cases[i].percent)), cases[i].value);
	group_free(&group);

	assert_true(group_add(&one, dec("7"), 1));
	durations_add(&one.durations, dec("7"), 1);
	assert_dec(group_quantile(&one, dec("0")), "7");
	assert_dec(group_quantile(&one, dec("100")), "7");
	group_free(&one);
}

static void counts_of_any_size(void **state)
{
	struct group group = {0};

	(void)state;
	durations_add(&group.durations, dec("1"), UINT64_MAX / 2);
	durations_add(&group.durations, dec("2"), UINT64_MAX / 2 + 1);
	group.count = UINT64_MAX;
	assert_dec(group_quantile(&group, dec("49.999999999")), "1");
	assert_dec(group_quantile(&group, dec("50")), "2"); /* half of an odd number, rounded up */
	assert_dec(group_quantile(&group, dec("100")), "2");
	group_free(&group);
}

static int by_value(const void *a, const void *b)
{
	return dec_compare(*(const struct dec *)a, *(const struct dec *)b);
}

/* Against a sorted array that has every duration as often as it came. */
static void quantiles_are_the_naive_ones(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 60; round++) {
		size_t count = 1 + unit_below(&seed, 3000);
		size_t distinct = 1 + unit_below(&seed, round % 2 ? 5 : 5000);
		struct dec *all = calloc(count, sizeof *all);
		struct group group = {0};

		assert_non_null(all);
		for (size_t i = 0; i < count; i++) {
			all[i] = (struct dec){(__int128)unit_below(&seed, distinct) - 2};
			assert_true(group_add(&group, all[i], 1));
			durations_add(&group.durations, all[i], 1);
		}
		qsort(all, count, sizeof *all, by_value);
		for (int i = 0; i < 20; i++) {
			uint64_t percent = i == 0 ? 0 : i == 1 ? 100000 : unit_below(&seed, 100001);
			size_t rank = (size_t)((percent * count + 99999) / 100000); /* thousandths */
			struct dec want = all[rank ? rank - 1 : 0];
			struct dec got = group_quantile(&group, (struct dec){(__int128)percent * 1000000});

			assert_true(got.nano == want.nano);
		}
		assert_true(group.durations.count <= distinct);
		for (size_t i = 1; i < group.durations.count; i++)
			assert_true(dec_compare(group.durations.item[i - 1].dur, group.durations.item[i].dur) <
			            0);
		free(all);
		group_free(&group);
	}
}

static void assert_same(struct group *a, struct group *b)
{
	assert_int_equal(a->count, b->count);
	assert_true(a->total.nano == b->total.nano);
	assert_true(a->min.nano == b->min.nano);
	assert_true(a->max.nano == b->max.nano);
	durations_sort(&a->durations);
	durations_sort(&b->durations);
	assert_int_equal(a->durations.count, b->durations.count);
	for (size_t i = 0; i < a->durations.count; i++) {
		assert_true(a->durations.item[i].dur.nano == b->durations.item[i].dur.nano);
		assert_int_equal(a->durations.item[i].count, b->durations.item[i].count);
	}
}

/* Rows dealt out to parts, the parts merged in any order: the groups of one run over all. */
static void merged_parts_are_the_whole(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (size_t round = 0; round < 40; round++) {
		enum { PARTS = 5, KEYS = 7 };
		struct group parts[PARTS][KEYS] = {{{0}}};
		struct group whole[KEYS] = {{0}};
		struct group merged[KEYS] = {{0}};
		size_t first = unit_below(&seed, PARTS);

		for (int i = 0; i < 500; i++) {
			struct dec dur = {(__int128)unit_below(&seed, 50) * 1000003 - 7};
			uint64_t count = 1 + unit_below(&seed, 3);
			size_t key = unit_below(&seed, KEYS);
			size_t part = unit_below(&seed, round % PARTS + 1); /* some stay empty */

			assert_true(group_add(&whole[key], dur, count));
			durations_add(&whole[key].durations, dur, count);
			assert_true(group_add(&parts[part][key], dur, count));
			durations_add(&parts[part][key].durations, dur, count);
		}
		for (size_t i = 0; i < PARTS; i++)
			for (size_t key = 0; key < KEYS; key++)
				assert_true(group_merge(&merged[key], &parts[(i + first) % PARTS][key]));
		for (size_t key = 0; key < KEYS; key++) {
			assert_same(&merged[key], &whole[key]);
			for (size_t i = 0; i < PARTS; i++)
				group_free(&parts[i][key]);
			group_free(&whole[key]);
			group_free(&merged[key]);
		}
	}
}

static struct group mean_of(uint64_t count, __int128 nano)
{
	return (struct group){.count = count, .total = {nano}};
}

static void means_are_compared_exactly(void **state)
{
	struct group third = mean_of(3, 1);
	struct group more =
		mean_of(UINT64_MAX, ((__int128)UINT64_MAX + 3) / 3); /* over 1/3 by little */
	struct group two_thirds = mean_of(3, 2);
	struct group minus = mean_of(3, -1);
	struct group minus_half = mean_of(2, -1);
	struct group minus_one = mean_of(1, -1);
	struct group none = mean_of(0, 0);
	struct group same = mean_of(6, 2);
	struct group large = mean_of(1, (__int128)((unsigned __int128)-1 >> 1));
	const struct group *sorted[] = {&minus_one, &minus_half, &minus,      &none,
	                                &third,     &more,       &two_thirds, &large};

	(void)state;
	for (size_t i = 0; i < COUNT(sorted); i++) {
		for (size_t j = 0; j < COUNT(sorted); j++) {
			int order = group_compare_means(sorted[i], sorted[j]);

			assert_int_equal(order < 0, i < j);
			assert_int_equal(order > 0, i > j);
		}
	}
	assert_int_equal(group_compare_means(&third, &same), 0);
	assert_int_equal(group_compare_means(&same, &third), 0);
}

static void means_are_compared_as_products(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct group a =
			mean_of(1 + unit_below(&seed, 100), (__int128)unit_below(&seed, 999) - 500);
		struct group b =
			mean_of(1 + unit_below(&seed, 100), (__int128)unit_below(&seed, 999) - 500);
		__int128 left = a.total.nano * (__int128)b.count;
		__int128 right = b.total.nano * (__int128)a.count;

		assert_int_equal(group_compare_means(&a, &b), (left > right) - (left < right));
	}
}

static void groups_by_key(void **state)
{
	struct groups groups = {0};
	char key[16];

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 500; i++) {
			snprintf(key, sizeof key, "%d", i);
			assert_true(group_add(groups_get(&groups, str_of(key)), dec_of(i), 1));
			durations_add(&groups_get(&groups, str_of(key))->durations, dec_of(i), 1);
		}
	}
	assert_int_equal(groups.keys.count, 500);
	assert_text(strmap_key(&groups.keys, 499), "499");
	for (size_t i = 0; i < 500; i++) {
		assert_int_equal(groups.group[i].count, 3);
		assert_true(groups.group[i].total.nano == dec_of((int64_t)(3 * i)).nano);
	}
	groups_free(&groups);
	assert_int_equal(groups.keys.count, 0);
	groups_free(&groups);
}

static void the_commonest_key(void **state)
{
	static const struct str keys[] = {BYTES("c"), BYTES("b"), BYTES("a"), BYTES("b"), BYTES("c")};
	struct groups groups = {0};

	(void)state;
	assert_text(groups_commonest(&groups), "");
	for (size_t i = 0; i < COUNT(keys); i++)
		assert_true(group_add(groups_get(&groups, keys[i]), dec_of(1), 1));
	assert_text(groups_commonest(&groups), "b"); /* the smaller of two */
	assert_true(group_add(groups_get(&groups, STR("c")), dec_of(1), 1));
	assert_text(groups_commonest(&groups), "c");
	groups_free(&groups);
}

/* The rows of min and max, in any order and also merged: of several the lower value. */
static void who(void **state)
{
	static const struct {
		int dur;
		const char *who;
	} rows[] = {{5, "10"}, {5, "9"}, {7, "x"}, {7, "11"}, {6, "1"}};

	(void)state;
	for (size_t from = 0; from < COUNT(rows); from++) {
		struct group whole = {0};
		struct group part = {0};

		for (size_t i = 0; i < COUNT(rows); i++) {
			size_t at = (from + i) % COUNT(rows);
			struct group *group = i % 2 ? &whole : &part;
			struct dec dur = dec_of(rows[at].dur);

			group_add_who(group, dur, str_of(rows[at].who), dur, str_of(rows[at].who));
			assert_true(group_add(group, dur, 1));
		}
		assert_true(group_merge(&whole, &part));
		assert_text(buf_view(&whole.who->min), "9");
		assert_text(buf_view(&whole.who->max), "11");
		group_free(&part);
		group_free(&whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who),
		cmocka_unit_test(sums_and_bounds),
		cmocka_unit_test(a_part_without_bounds),
		cmocka_unit_test(what_is_too_large_is_not_added),
		cmocka_unit_test(the_order_of_large_addends_is_free),
		cmocka_unit_test(quantiles_by_nearest_rank),
		cmocka_unit_test(counts_of_any_size),
		cmocka_unit_test(quantiles_are_the_naive_ones),
		cmocka_unit_test(merged_parts_are_the_whole),
		cmocka_unit_test(means_are_compared_exactly),
		cmocka_unit_test(means_are_compared_as_products),
		cmocka_unit_test(groups_by_key),
		cmocka_unit_test(the_commonest_key),
	};

	return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
