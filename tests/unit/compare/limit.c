/* limit: how much longer one time may be than another. */
#include "../unit.h"

#include "compare/limit.h"

/* "ms" or "%" or both; empty: none. */
static struct limit read_limit(const char *ms, const char *percent)
{
	struct limit limit = {.by_time = false};
	struct opts opts = {.flag = "--limit"};

	if (*ms) {
		struct dec time;

		assert_true(dec_parse(str_of(ms), &time) <= DEC_ROUNDED);
		limit_set_ms(&limit, time);
	}
	opts.arg = percent;
	if (*percent)
		limit_read_percent(&limit, &opts);
	return limit;
}

static void exceeded(void **state)
{
	static const struct {
		const char *ms;
		const char *percent;
		int us[2];
		bool want;
	} cases[] = {
		{"", "", {1, 1}, false},           {"", "", {2, 1}, true},
		{"0.001", "", {2, 1}, false},      {"0.001", "", {3, 1}, true},
		{"0.001", "", {1, 3}, false},      {"", "10%", {110, 100}, false},
		{"", "10%", {111, 100}, true},     {"", "0%", {100, 100}, false},
		{"", "100%", {1, 0}, true},        {"", "100%", {0, 0}, false},
		{"", "100%", {1, -1}, true},       {"", "5%", {-2, -1}, false},
		{"", "100%", {0, -1}, false},      {"", "5%", {-95, -100}, false},
		{"", "5%", {-94, -100}, true},     {"0.006", "5%", {-94, -100}, false},
		{"0.01", "5%", {111, 100}, true},  {"0.01", "20%", {111, 100}, false},
		{"0.02", "5%", {111, 100}, false}, {"1e25", "", {2, 1}, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct limit limit = read_limit(cases[i].ms, cases[i].percent);

		assert_int_equal(limit_is_exceeded(&limit, dec_of(cases[i].us[0]), dec_of(cases[i].us[1])),
		                 cases[i].want);
	}
}

/* What does not fit 128 bits is never reached; times near that are compared exactly. */
static void out_of_range(void **state)
{
	const struct dec most = {(((__int128)1 << 126) - 1) * 2 + 1};
	const struct dec half = {(__int128)1 << 126};
	struct limit limit = {.by_time = false};

	(void)state;
	limit_set_percent(&limit, dec_of(99));
	assert_true(limit_is_exceeded(&limit, most, half));
	limit_set_percent(&limit, dec_of(100));
	assert_false(limit_is_exceeded(&limit, most, half));
	limit_set_percent(&limit, most);
	assert_false(limit_is_exceeded(&limit, most, half));
	limit_set_ratio(&limit, most);
	assert_false(limit_is_exceeded(&limit, most, half));
	limit_set_ratio(&limit, dec_of(0));
	assert_true(limit_is_exceeded(&limit, dec_of(-9), dec_of(-10)));
	limit_set_ratio(&limit, (struct dec){1500000000});
	assert_true(limit_is_exceeded(&limit, most, (struct dec){-most.nano}));
	assert_true(limit_is_exceeded(&limit, dec_of(16), dec_of(10)));
	assert_false(limit_is_exceeded(&limit, dec_of(15), dec_of(10)));
	limit_set_ms(&limit, most);
	assert_false(limit_is_exceeded(&limit, most, half));
	limit_set_ms(&limit, dec_of(0));
	assert_false(limit_is_exceeded(&limit, most, (struct dec){-half.nano}));
}

static void as_text(void **state)
{
	static const char *const cases[][3] = {{"5", "", "5 ms"},
	                                       {"", "10%", "10 %"},
	                                       {"0.5", "7.25%", "0.5 ms and 7.25 %"},
	                                       {"", "", ""}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct limit limit = read_limit(cases[i][0], cases[i][1]);
		struct buf out = {0};

		limit_put(&limit, &out);
		assert_str(buf_view(&out), str_of(cases[i][2]));
		buf_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exceeded),
		cmocka_unit_test(out_of_range),
		cmocka_unit_test(as_text),
	};

	return cmocka_run_group_tests_name("limit", tests, NULL, NULL);
}
