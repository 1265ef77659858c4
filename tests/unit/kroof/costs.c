/* costs: names that split in several ways, or in none, and the time for long texts. */
#include "../unit.h"

#include "kroof/costs.h"

/* As costs_sum, by trying all splits; the longest first name that lets the rest be split. */
static bool try_all(const char *const *names, size_t count, struct str text, uint64_t *sum)
{
	size_t longest = 0;
	bool found = false;

	for (size_t i = 0; i < count; i++) {
		struct str name = str_of(names[i]);
		uint64_t rest = 0;
		bool whole = str_equal(text, name);

		if (name.n < longest || !str_starts(text, name) || (!whole && text.s[name.n] != '_'))
			continue;
		if (!whole &&
		    !try_all(names, count, (struct str){text.s + name.n + 1, text.n - name.n - 1}, &rest))
			continue;
		longest = name.n;
		found = true;
		*sum = rest + ((uint64_t)1 << i);
	}
	return found;
}

static void as_all_splits(void **state)
{
	static const char *const names[] = {"a", "a_b", "b", "_a", "b_", "a_b_a", "__", "ab", "b__a"};
	static const char bytes[] = "aab__";
	struct costs costs = {0};
	uint64_t random = 1;
	int split = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_int_equal(costs_put(&costs, str_of(names[i]), (uint64_t)1 << i, i), i);
	for (int round = 0; round < 20000; round++) {
		char text[14];
		size_t n = unit_below(&random, sizeof text + 1);
		uint64_t want = 0;
		uint64_t got = 0;
		bool can;

		for (size_t i = 0; i < n; i++)
			text[i] = bytes[unit_below(&random, sizeof bytes - 1)];
		can = try_all(names, COUNT(names), (struct str){text, n}, &want);
		assert_int_equal(costs_sum(&costs, (struct str){text, n}, &got), can);
		assert_true(!can || got == want);
		split += can;
	}
	assert_true(split > 1000);
	costs_free(&costs);
}

static void owners(void **state)
{
	struct costs costs = {0};
	uint64_t sum;

	(void)state;
	assert_false(costs_sum(&costs, STR("a"), &sum));
	assert_true(costs_owner(&costs, STR("a")) == SIZE_MAX);
	assert_int_equal(costs_put(&costs, STR("ab"), 3, 1), 1);
	assert_int_equal(costs_put(&costs, STR("ab"), 4, 2), 1);
	assert_true(costs_owner(&costs, STR("a")) == SIZE_MAX);
	assert_true(costs_owner(&costs, STR("abc")) == SIZE_MAX);
	assert_int_equal(costs_owner(&costs, STR("ab")), 1);
	assert_true(costs_sum(&costs, STR("ab"), &sum) && sum == 3);
	assert_false(costs_sum(&costs, STR(""), &sum));
	assert_false(costs_sum(&costs, STR("ab_"), &sum));
	assert_false(costs_sum(&costs, STR("_ab"), &sum));
	assert_false(costs_sum(&costs, STR("ab__ab"), &sum));
	costs_free(&costs);
}

/* 2^500000 ways to split, and the last name does not fit: an exponential search does not end. */
static void long_text(void **state)
{
	struct costs costs = {0};
	struct buf text = {0};
	uint64_t sum;

	(void)state;
	for (size_t n = 1; n <= COSTS_NAME_MAX; n += 2) {
		text.len = 0;
		for (size_t i = 0; i < n; i++)
			buf_char(&text, i % 2 ? '_' : 'a');
		costs_put(&costs, buf_view(&text), COSTS_MAX, 1);
	}
	text.len = 0;
	for (int i = 0; i < 100000; i++)
		buf_text(&text, "a_");
	buf_char(&text, 'a');
	assert_true(costs_sum(&costs, buf_view(&text), &sum));
	assert_int_equal(sum, (uint64_t)COSTS_MAX * (100001 / 128 + 1));
	buf_char(&text, 'b');
	assert_false(costs_sum(&costs, buf_view(&text), &sum));
	buf_free(&text);
	costs_free(&costs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_all_splits),
		cmocka_unit_test(owners),
		cmocka_unit_test(long_text),
	};

	return cmocka_run_group_tests_name("costs", tests, NULL, NULL);
}
