/* contents: what a trace holds, in a fixed order. */
#include "evidence_feed.h"

#include "kcheck/contents.h"

static void facts(void **state)
{
	static const struct {
		const char *name;
		const char *category;
		uint64_t count;
	} want[] = {
		{"rows", "", 5},       {"category", "kernel", 3}, {"category", "a", 1},
		{"category", "b", 1},  {"devices", "", 2},        {"streams", "", 3},
		{"steps", "", 0},      {"span", "", 0},           {"device_rows", "", 5},
		{"correlated", "", 0}, {"linked", "", 0},
	};
	struct evidence e;
	struct contents contents = {.count = 0};

	(void)state;
	evidence_feed(&e, STR(FEED_HEAD
	                      "5\t1\tx\tb\t0\t20\t\n3\t1\tx\tkernel\t0\t7\t\n3\t1\tx\tkernel\t3\t7\t\n"
	                      "9\t1\tx\ta\t0\t7\t\n9\t2\tx\tkernel\t0\t7\t\n"));
	contents_gather(&contents, &e);
	assert_int_equal(contents.count, COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_string_equal(contents.fact[i].name, want[i].name);
		assert_str(contents.fact[i].category, str_of(want[i].category));
		assert_int_equal(contents.fact[i].count, want[i].count);
	}
	assert_true(contents.fact[7].is_time);
	assert_true(dec_compare(contents.fact[7].time, dec_of(8)) == 0);
	contents_free(&contents);
	evidence_free(&e);
}

static void share(void **state)
{
	struct evidence e;
	struct contents contents = {.count = 0};

	(void)state;
	evidence_feed(&e,
	              STR(FEED_HEAD
	                  "5\t1\tl\tcuda_"
	                  "runtime\t9\t9\t1\n6\t1\tx\tkernel\t0\t7\t1\n7\t1\tx\tkernel\t0\t7\t2\n"));
	contents_gather(&contents, &e);
	assert_string_equal(contents.fact[contents.count - 1].name, "linked_share");
	assert_int_equal(contents.fact[contents.count - 1].count, 1);
	assert_int_equal(contents.fact[contents.count - 1].of, 2);
	contents_free(&contents);
	evidence_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(facts), cmocka_unit_test(share)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
