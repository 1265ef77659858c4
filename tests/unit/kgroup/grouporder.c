/* grouporder: the order of groups by each figure. */
#include "../unit.h"

#include "kgroup/grouporder.h"

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

static void orders_of_each_figure(void **state)
{
	static const struct {
		struct grouporder order;
		const char *keys;
	} cases[] = {
		{{.by = GROUPORDER_KEY}, "9 10 a b "},
		{{.by = GROUPORDER_KEY, .descending = true}, "b a 10 9 "},
		{{.by = GROUPORDER_COUNT}, "10 9 b a "},
		{{.by = GROUPORDER_COUNT, .descending = true}, "a 10 9 b "},
		{{.by = GROUPORDER_TOTAL}, "9 10 b a "},
		{{.by = GROUPORDER_TOTAL, .counts_alone = true}, "9 10 b a "},
		{{.by = GROUPORDER_MEAN, .descending = true}, "a 10 b 9 "},
		{{.by = GROUPORDER_MIN}, "9 a 10 b "},
		{{.by = GROUPORDER_MAX, .descending = true}, "a 10 b 9 "},
		{{.by = GROUPORDER_DEVIATION}, "10 9 b a "},
		{{.by = GROUPORDER_QUANTILE, .percent = {(__int128)100 * 1000000000}}, "9 10 b a "},
		{{.by = GROUPORDER_SUM}, "10 a b 9 "},
	};
	struct groups groups = {0};

	(void)state;
	fill(&groups);
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t *numbers = grouporder_sort(&groups, &cases[i].order);
		struct buf keys = {0};

		for (size_t j = 0; j < groups.keys.count; j++) {
			buf_str(&keys, strmap_key(&groups.keys, numbers[j]));
			buf_char(&keys, ' ');
		}
		buf_char(&keys, '\0');
		assert_string_equal(keys.data, cases[i].keys);
		buf_free(&keys);
		free(numbers);
	}
	groups_free(&groups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_of_each_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
