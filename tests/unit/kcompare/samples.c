/* samples: totals of groups in units, in an order of their own. */
#include "../unit.h"

#include "kcompare/samples.h"

static struct dec us(int64_t whole)
{
	return dec_of(whole);
}

/* Adds to side 0. */
static void add(struct samples *samples, const char *group, size_t file, const char *unit,
                int64_t dur)
{
	assert_true(samples_add(samples, 0, samples_group(samples, str_of(group)),
	                        samples_unit(samples, 0, file, str_of(unit)), us(dur)));
}

/* The series of a group of side 0, or of all: "3 4|5 ", a bar between runs. */
static void assert_series(const struct samples *samples, const char *group, const char *want)
{
	const struct samples_side *side = &samples->side[0];
	struct buf text = {0};
	size_t count;
	struct autocorrelation_value *series =
		*group ? samples_series(side, strmap_find(&samples->groups, str_of(group)), &count)
			   : samples_sums(side, &count);

	for (size_t i = 0; i < count; i++) {
		buf_text(&text, i == 0 ? "" : series[i].run == series[i - 1].run ? " " : "|");
		dec_print(&text, series[i].value);
	}
	assert_str(buf_view(&text), str_of(want));
	buf_free(&text);
	free(series);
}

/* Units have the order of their values, whatever that of the rows; one is missing in b. */
static void totals(void **state)
{
	struct samples samples = {.one_run = false};

	(void)state;
	add(&samples, "a", 1, "2", 7);
	add(&samples, "a", 0, "10", 5);
	add(&samples, "b", 0, "9", 1);
	add(&samples, "a", 0, "9", 2);
	add(&samples, "a", 1, "2", 1);
	add(&samples, "a", 0, "10", 6);
	add(&samples, "b", 1, "2", 4);
	assert_true(samples_settle(&samples, 0));
	assert_int_equal(samples_units(&samples.side[0]), 3);
	assert_int_equal(samples_units(&samples.side[1]), 0);
	assert_series(&samples, "a", "2 11|8");
	assert_series(&samples, "b", "1|4");
	assert_series(&samples, "", "3 11|12");
	samples_free(&samples);
}

static void skipped(void **state)
{
	struct samples samples = {.one_run = false};

	(void)state;
	for (int file = 0; file < 2; file++)
		for (int unit = 3; unit >= 0; unit--)
			add(&samples, unit == 0 ? "warm" : "a", (size_t)file, (char[]){(char)('0' + unit), 0},
			    unit + 10 * file);
	add(&samples, "a", 2, "0", 9); /* a file with one unit, which is left out */
	assert_true(samples_settle(&samples, 1));
	assert_int_equal(samples_units(&samples.side[0]), 6);
	assert_series(&samples, "a", "1 2 3|11 12 13");
	assert_series(&samples, "warm", "");
	assert_series(&samples, "", "1 2 3|11 12 13");
	samples_free(&samples);
}

/* Files that are units follow each other; 1 and 1.0 are two units with a fixed order. */
static void one_run(void **state)
{
	static const char *const orders[][2] = {{"1", "1.0"}, {"1.0", "1"}};

	(void)state;
	for (size_t i = 0; i < COUNT(orders); i++) {
		struct samples samples = {.one_run = true};

		add(&samples, "a", 1, "", 5);
		for (int j = 0; j < 2; j++)
			add(&samples, "a", 0, orders[i][j], orders[i][j][1] ? 2 : 1);
		assert_true(samples_settle(&samples, i));
		assert_series(&samples, "a", i ? "2 5" : "1 2 5");
		samples_free(&samples);
	}
}

/* Fields of a unit are compared one by one, as numbers if they are. */
static void fields(void **state)
{
	struct samples samples = {.one_run = false};

	(void)state;
	add(&samples, "a", 0, "2\tb", 4);
	add(&samples, "a", 0, "10\ta", 5);
	add(&samples, "a", 0, "2\ta", 3);
	add(&samples, "a", 0, "\tz", 1);
	assert_true(samples_settle(&samples, 0));
	assert_series(&samples, "a", "1 3 4 5");
	samples_free(&samples);
}

/* Many cells, in a random order, against sums in a table. */
static void many(void **state)
{
	enum { GROUPS = 37, UNITS = 53 };
	static int64_t sum[GROUPS][UNITS];
	static bool filled[GROUPS][UNITS];
	struct samples samples = {.one_run = false};
	uint64_t seed = 7;

	(void)state;
	for (int row = 0; row < 5000; row++) {
		size_t group = unit_below(&seed, GROUPS);
		size_t unit = unit_below(&seed, UNITS);
		int64_t dur = (int64_t)unit_below(&seed, 1000);
		char text[2][16];

		snprintf(text[0], sizeof text[0], "g%zu", group);
		snprintf(text[1], sizeof text[1], "%zu", unit);
		add(&samples, text[0], 0, text[1], dur);
		sum[group][unit] += dur;
		filled[group][unit] = true;
	}
	assert_true(samples_settle(&samples, 0));
	for (size_t group = 0; group < GROUPS; group++) {
		struct buf want = {0};
		char text[16];

		for (size_t unit = 0; unit < UNITS; unit++)
			if (filled[group][unit])
				buf_format(&want, "%s%lld", want.len ? " " : "", (long long)sum[group][unit]);
		buf_char(&want, '\0');
		snprintf(text, sizeof text, "g%zu", group);
		assert_series(&samples, text, want.data);
		buf_free(&want);
	}
	samples_free(&samples);
}

static void pooled(void **state)
{
	struct samples samples = {.one_run = false};
	size_t a = samples_group(&samples, STR("a"));
	size_t b = samples_group(&samples, STR("b"));
	const struct group *group;

	(void)state;
	assert_true(samples_pool(&samples, 0, a, us(5), 1));
	assert_true(samples_pool(&samples, 0, a, us(3), 2));
	assert_true(samples_pool(&samples, 0, a, us(5), 1));
	assert_true(samples_settle(&samples, 0));
	group = samples_pooled(&samples.side[0], a);
	assert_int_equal(group->count, 4);
	assert_int_equal(group->durations.count, 2);
	assert_true(group->durations.item[0].dur.nano == us(3).nano &&
	            group->durations.item[0].count == 2);
	assert_true(group->total.nano == us(16).nano);
	assert_null(samples_pooled(&samples.side[0], b));
	assert_null(samples_pooled(&samples.side[1], a));
	samples_free(&samples);
}

static void too_large(void **state)
{
	struct samples samples = {.one_run = false};
	const struct dec large = {(__int128)1 << 126};
	size_t unit = samples_unit(&samples, 0, 0, STR("1"));
	size_t count;

	(void)state;
	for (size_t group = 0; group < 2; group++)
		samples_group(&samples, group ? STR("b") : STR("a"));
	assert_true(samples_add(&samples, 0, 0, unit, large));
	assert_false(samples_add(&samples, 0, 0, unit, large));
	assert_true(samples_add(&samples, 0, 1, unit, large));
	assert_true(samples_pool(&samples, 0, 0, large, 1));
	assert_false(samples_pool(&samples, 0, 0, large, 1));
	assert_true(samples_pool(&samples, 1, 0, us(0), SAMPLES_MOST));
	assert_false(samples_pool(&samples, 1, 0, us(0), 1));
	assert_true(samples_settle(&samples, 0));
	assert_null(samples_sums(&samples.side[0], &count));
	samples_free(&samples);
}

/* Cells that are joined later: at the end, and when there are many. */
static void too_large_later(void **state)
{
	const struct dec large = {(__int128)3 << 125};

	(void)state;
	for (int many = 0; many < 2; many++) {
		struct samples samples = {.one_run = false};
		size_t group = samples_group(&samples, STR("a"));
		bool good = true;

		for (int i = 0; i < (many ? 1000 : 4); i++) {
			size_t unit = samples_unit(&samples, 0, 0, i % 2 ? STR("1") : STR("2"));

			good &= samples_add(&samples, 0, group, unit, large);
		}
		assert_int_equal(good, !many);
		assert_false(samples_settle(&samples, 0));
		samples_free(&samples);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals),    cmocka_unit_test(skipped),
		cmocka_unit_test(one_run),   cmocka_unit_test(fields),
		cmocka_unit_test(many),      cmocka_unit_test(pooled),
		cmocka_unit_test(too_large), cmocka_unit_test(too_large_later),
	};

	return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
