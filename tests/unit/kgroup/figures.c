/* figures: the columns, the order of groups by each. Errors of -q: tests/cli/kgroup/bad-options. */
#include "../unit.h"

#include "kgroup/figures.h"

#include <stdlib.h>

/* "a" has 1 and 9; "10" has 4; "9" has no dur, but a sum; "b" is equal to 10. */
static void fill(struct groups *groups)
{
	static const struct {
		const char *key;
		int64_t dur;
	} rows[] = {{"a", 1}, {"a", 9}, {"10", 4}, {"b", 4}};
	struct group *bare = groups_get(groups, STR("9"));

	bare->count = 1;
	bare->unranged = true;
	assert_true(group_add_sum(bare, 0, 1, dec_of(5)));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct group *group = groups_get(groups, str_of(rows[i].key));

		assert_true(group_add(group, dec_of(rows[i].dur), 1));
		group_add_square(group, dec_of(rows[i].dur));
		durations_add(&group->durations, dec_of(rows[i].dur), 1);
	}
	durations_add(&groups_get(groups, STR("9"))->durations, dec_of(0), 1);
}

/* All optional figures, the quantile 100, the sum of "bytes", and the values of --who. */
static void set_all(struct figures *figures)
{
	struct words quantiles = {0};
	struct words sums = {0};
	struct words whos = {0};

	words_add(&quantiles, "100");
	words_add(&sums, "bytes");
	words_add(&whos, "min_rank,max_rank");
	figures_want(figures, "std");
	figures_set(figures, &quantiles, &sums, &whos);
	words_free(&quantiles);
	words_free(&sums);
	words_free(&whos);
}

static void orders_of_each_figure(void **state)
{
	static const struct {
		const char *column; /* NULL: the key */
		bool descending;
		bool counts_alone;
		int64_t total;
		const char *keys;
	} cases[] = {
		{NULL, false, false, 18, "9 10 a b "},     {NULL, true, false, 18, "b a 10 9 "},
		{"count", false, false, 18, "10 9 b a "},  {"count", true, false, 18, "a 10 9 b "},
		{"total", false, false, 18, "9 10 b a "},  {"total", true, true, 18, "10 9 a b "},
		{"mean", true, false, 18, "a 10 b 9 "},    {"min", false, false, 18, "9 a 10 b "},
		{"max", true, false, 18, "a 10 b 9 "},     {"share", false, false, 18, "9 10 b a "},
		{"share", false, false, -18, "a 10 b 9 "}, {"std", false, false, 18, "10 9 b a "},
		{"p100", false, false, 18, "9 10 b a "},   {"bytes", false, false, 18, "10 a b 9 "},
		{"std", false, true, 18, "10 9 a b "},     {"mean", true, true, 18, "10 9 a b "},
		{"p100", false, true, 18, "10 9 a b "},    {"count", true, true, 18, "a 10 9 b "},
	};
	struct groups groups = {0};
	struct figures figures = {0};

	(void)state;
	fill(&groups);
	set_all(&figures);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct figures_order order = {.descending = cases[i].descending};
		struct buf keys = {0};
		size_t *numbers;

		figures.counts_alone = cases[i].counts_alone;
		figures.total = dec_of(cases[i].total);
		if (cases[i].column) {
			order.column = figures_find(&figures, str_of(cases[i].column));
			assert_non_null(order.column);
		}
		numbers = figures_sort(&figures, &groups, &order);
		for (size_t j = 0; j < groups.keys.count; j++) {
			buf_str(&keys, strmap_key(&groups.keys, numbers[j]));
			buf_char(&keys, ' ');
		}
		buf_char(&keys, '\0');
		assert_string_equal(keys.data, cases[i].keys);
		buf_free(&keys);
		free(numbers);
	}
	figures_free(&figures);
	groups_free(&groups);
}

static void columns_and_their_names(void **state)
{
	static const char *const names[] = {"count", "total", "mean",  "min",      "max",     "share",
	                                    "std",   "p100",  "bytes", "min_rank", "max_rank"};
	struct figures figures = {0};

	(void)state;
	assert_null(figures_of_squares(&figures));
	set_all(&figures);
	assert_string_equal(figures_of_squares(&figures), "std");
	assert_int_equal(figures.count, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++)
		assert_case(names[i], str_equal(figures.column[i].name, str_of(names[i])));
	assert_non_null(figures_find(&figures, STR("min_rank")));
	assert_true(figures_take(&figures, STR("min_rank")));
	assert_true(figures_take(&figures, STR("squares")));
	assert_true(figures_take(&figures, STR("values")));
	assert_false(figures_take(&figures, STR("bytes")));
	figures_free(&figures);
}

/* A partial with squares has a standard deviation without an option. */
static void squares_alone_are_a_deviation(void **state)
{
	struct words none = {0};
	struct figures figures = {0};

	(void)state;
	figures_want(&figures, "count"); /* not optional */
	figures_set(&figures, &none, &none, &none);
	assert_int_equal(figures.count, 6);
	figures_want_squares(&figures);
	figures_set(&figures, &none, &none, &none);
	assert_text(figures.column[6].name, "std");
	figures_free(&figures);
}

static void numbers_from_0_to_100(void **state)
{
	static const char *const valid[] = {"0", "100", "99.9", "5e1", ".5"};
	static const char *const wrong[] = {"", "-1", "100.1", "x", "0.0000000001"};

	(void)state;
	for (size_t i = 0; i < COUNT(valid); i++)
		assert_case(valid[i], figures_percent(str_of(valid[i])));
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_case(wrong[i], !figures_percent(str_of(wrong[i])));
}

static void percents_have_one_spelling(void **state)
{
	struct words given = {0};
	struct words percents = {0};

	(void)state;
	words_add(&given, "50.0,9e1,99.90");
	figures_add_percents(&percents, &given);
	assert_int_equal(percents.count, 3);
	assert_text(percents.item[0], "50");
	assert_text(percents.item[1], "90");
	assert_text(percents.item[2], "99.9");
	words_free(&given);
	words_free(&percents);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_of_each_figure),         cmocka_unit_test(columns_and_their_names),
		cmocka_unit_test(squares_alone_are_a_deviation), cmocka_unit_test(numbers_from_0_to_100),
		cmocka_unit_test(percents_have_one_spelling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
