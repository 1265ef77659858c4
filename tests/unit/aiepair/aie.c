/* aie: pairs, repeats, outliers, boundaries, iterations of one tile. */
#include "../unit.h"

#include "aie_tiles.h"

static struct aie_rules latest_rules(void)
{
	struct aie_rules rules = usual;

	rules.latest = true;
	return rules;
}

static struct aie_tile tile(const char *starts, const char *ends, const char *stall_begins,
                            const char *stall_ends)
{
	struct aie_tile made = {0};

	add(&made.starts, starts);
	add(&made.ends, ends);
	add(&made.stall_begins, stall_begins);
	add(&made.stall_ends, stall_ends);
	return made;
}

/* The kernels by iterations, the median and the boundaries: "100-500 600-1000 | | 2000-2400; ..."
 */
static void show(struct buf *out, const struct aie_tile *t)
{
	for (size_t i = 0; i < t->iterations; i++) {
		buf_text(out, i ? "| " : "");
		for (size_t k = t->first[i]; k < t->first[i + 1]; k++)
			buf_format(out, "%lld-%lld ", (long long)t->starts.at[k], (long long)t->ends.at[k]);
	}
	buf_text(out, "; ");
	dec_print(out, t->median);
	buf_char(out, ';');
	for (size_t i = 0; i < t->stall_ends.count && t->iterations; i++)
		buf_format(out, " %lld", (long long)t->stall_ends.at[i]);
}

static void assert_paired(struct aie_tile made, const struct aie_rules *rules, const char *want)
{
	struct buf got = {0};

	aie_pair(&made, rules);
	show(&got, &made);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	aie_tile_free(&made);
}

static void factors(void **state)
{
	static const struct {
		const char *text;
		struct aie_factor want; /* denominator 0: none */
	} cases[] = {
		{"20", {20, 1}},
		{"0.25", {1, 4}},
		{"1/3", {1, 3}},
		{"2/6", {1, 3}},
		{"1.5/0.5", {3, 1}},
		{"0", {0, 1}},
		{"0/7", {0, 1}},
		{"1e-3", {1, 1000}},
		{"999999.999999999", {999999999999999, 1000000000}},
		{"0.000000001/999999.999999999", {1, 999999999999999}},
		{"1000000", {0, 0}},
		{"-1", {0, 0}},
		{"1/0", {0, 0}},
		{"1/-3", {0, 0}},
		{"0.0000000001", {0, 0}},
		{"", {0, 0}},
		{"/", {0, 0}},
		{"1/", {0, 0}},
		{"/3", {0, 0}},
		{"1/2/3", {0, 0}},
		{"1 / 3", {0, 0}},
		{"x", {0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct aie_factor got = {-7, 0};
		bool good = aie_factor_parse(str_of(cases[i].text), &got);

		assert_case(cases[i].text, good == (cases[i].want.denominator != 0));
		assert_case(cases[i].text, got.numerator == (good ? cases[i].want.numerator : -7));
		assert_case(cases[i].text, got.denominator == cases[i].want.denominator);
	}
}

static void whole_trace(void **state)
{
	(void)state;
	assert_paired(tile("100 600", "500 1010", "", ""), &usual, "100-500 600-1010 ; 405;");
	assert_paired(tile("600 100", "1010 500", "", ""), &usual, "100-500 600-1010 ; 405;");
	assert_paired(tile("-900 -400 100", "-500 0 500", "", ""), &usual,
	              "-900--500 -400-0 100-500 ; 400;");
}

static void nothing_to_pair(void **state)
{
	(void)state;
	assert_paired(tile("", "", "", ""), &usual, "; 0;");
	assert_paired(tile("100", "", "", ""), &usual, "; 0;");
	assert_paired(tile("", "100", "1", "9"), &usual, "; 0;");
	assert_paired(tile("100", "100", "", ""), &usual, "; 0;");
	assert_paired(tile("100", "50", "", ""), &usual, "; 0;");
}

/* The ring keeps the newest: an end may be first, and the last begin has no end yet. */
static void orphans_at_both_ends(void **state)
{
	struct aie_rules latest = latest_rules();

	(void)state;
	assert_paired(tile("100 600 1100", "50 500 1000", "", ""), &usual, "100-500 600-1000 ; 400;");
	assert_paired(tile("100 600 1100", "50 500 1000", "", ""), &latest, "100-500 600-1000 ; 400;");
}

static void median_keeps_a_half(void **state)
{
	(void)state;
	assert_paired(tile("0 100", "40 141", "", ""), &usual, "0-40 100-141 ; 40.5;");
	assert_paired(tile("0 100 200", "40 141 250", "", ""), &usual, "0-40 100-141 200-250 ; 41;");
	/* The half counts: 20 * 40.5 is 810, so 809 is no boundary and 810 is one. */
	assert_paired(tile("0 100 2000 2900", "40 141 2040 2941", "150 2050", "959 2860"), &usual,
	              "0-40 100-141 2000-2040 | 2900-2941 ; 40.5; 2860");
}

/* An event less than a quarter of the median, cut to whole cycles, behind the one kept is none. */
static void repeats(void **state)
{
	struct aie_rules none = usual;

	(void)state;
	none.dup_gap = (struct aie_factor){0, 1};
	assert_paired(tile("0 9 100 110", "40 49 140 150", "", ""), &usual, "0-40 100-140 ; 40;");
	assert_paired(tile("100 100 600", "500 500 1000", "", ""), &usual, "100-500 600-1000 ; 400;");
	assert_paired(tile("0 8 100", "40 48 140", "", ""), &none, "0-40 100-140 ; 40;");
	assert_paired(tile("0 41 82", "40 81 122", "", ""), &none, "0-40 41-81 82-122 ; 40;");
	/* It is the last that was kept that counts: 6 repeats 0, and 12 does not. */
	none.dup_gap = (struct aie_factor){1, 2};
	assert_paired(tile("0 6 12 30", "10 22 40", "", ""), &none, "0-10 12-22 30-40 ; 10;");
}

/* After a lost end the begin that follows is within what is taken for the kernel before. */
static void greedy_passes_over(void **state)
{
	struct aie_rules latest = latest_rules();

	(void)state;
	assert_paired(tile("0 100 200 300 400", "40 240 340 440", "", ""), &usual,
	              "0-40 300-340 400-440 ; 40;");
	assert_paired(tile("0 100 200 300 400", "40 240 340 440", "", ""), &latest,
	              "0-40 200-240 300-340 400-440 ; 40;");
	/* A kernel that begins in the cycle in which the last one ends. */
	assert_paired(tile("0 40 80", "40 80 120", "", ""), &usual, "0-40 80-120 ; 40;");
	assert_paired(tile("0 40 80", "40 80 120", "", ""), &latest, "0-40 40-80 80-120 ; 40;");
}

/* The first of two ends after one begin belongs to this begin. */
static void latest_with_lost_begins(void **state)
{
	struct aie_rules latest = latest_rules();

	(void)state;
	assert_paired(tile("0 200", "40 140 240", "", ""), &latest, "0-40 200-240 ; 40;");
	assert_paired(tile("0 100 200", "240", "", ""), &latest, "200-240 ; 40;");
}

static void outliers(void **state)
{
	struct aie_rules narrow = usual;

	(void)state;
	/* Medians of 30: from 10 to 90, both included. */
	assert_paired(tile("0 100 200 300 400 500 600", "30 130 230 309 410 590 691", "", ""), &usual,
	              "0-30 100-130 200-230 400-410 500-590 ; 30;");
	/* 1.5 to 1 medians: hi becomes lo + 1 = 61, and nothing is left, so all stay. */
	narrow.outlier_lo = (struct aie_factor){3, 2};
	narrow.outlier_hi = (struct aie_factor){1, 1};
	assert_paired(tile("0 100 200", "40 140 240", "", ""), &narrow, "0-40 100-140 200-240 ; 40;");
	assert_paired(tile("0 100 200", "40 140 261", "", ""), &narrow, "200-261 ; 61;");
	/* The lower bound is at least 1, and so the upper one at least 2. */
	narrow.outlier_lo = narrow.outlier_hi = (struct aie_factor){0, 1};
	assert_paired(tile("0 10 20 30", "1 11 22 33", "", ""), &narrow, "0-1 10-11 20-22 ; 1;");
}

static void boundaries(void **state)
{
	struct aie_rules latest = latest_rules();

	(void)state;
	/* A stall behind the first kernel, one too short, one as long as is needed. */
	assert_paired(tile("0 2000 4000 5000", "40 2040 4040 5040", "50 2050 4100", "1900 2849 4900"),
	              &usual, "0-40 | 2000-2040 4000-4040 | 5000-5040 ; 40; 1900 4900");
	/* Before the first kernel: an empty iteration. Two in a row: another one. */
	assert_paired(tile("2000 7000", "2040 7040", "0 2100 4500", "1000 4000 6000"), &usual,
	              "| 2000-2040 | | 7000-7040 ; 40; 1000 4000 6000");
	/* In any order. */
	assert_paired(tile("2000 7000", "2040 7040", "4500 2100 0", "6000 1000 4000"), &usual,
	              "| 2000-2040 | | 7000-7040 ; 40; 1000 4000 6000");
	/* Behind the last kernel, or where a kernel begins in that very cycle: none. */
	assert_paired(tile("0 1000", "40 1040", "50 1100", "1000 4000"), &usual,
	              "0-40 1000-1040 ; 40; 1000 4000");
	/* A stall that lost its end: by the latest begin the next one is as long as it was. */
	assert_paired(tile("0 500 2000", "40 540 2040", "50 600", "700"), &latest,
	              "0-40 500-540 2000-2040 ; 40;");
	/* Two stalls that end at once are one boundary. */
	assert_paired(tile("0 3000", "40 3040", "50 60", "2000 2000"), &usual,
	              "0-40 | 3000-3040 ; 40; 2000");
}

static void figures_of_iterations(void **state)
{
	struct aie_tile made =
		tile("2000 2100 7000", "2040 2150 7041", "0 2300 4500", "1000 4000 6000");
	struct aie_iteration it;

	(void)state;
	aie_pair(&made, &usual);
	assert_int_equal(made.iterations, 4);
	assert_int_equal(made.all_starts, 3);
	assert_int_equal(made.all_ends, 3);
	it = aie_iteration(&made, 0);
	assert_true(it.kernels == 0 && it.total == 0 && it.min == 0 && it.max == 0 && it.span == 0);
	it = aie_iteration(&made, 1);
	assert_true(it.kernels == 2 && it.total == 90 && it.min == 40 && it.max == 50);
	assert_true(it.first_start == 2000 && it.last_end == 2150 && it.span == 150);
	assert_int_equal(aie_span(&made, 1), 150);
	it = aie_iteration(&made, 3);
	assert_true(it.kernels == 1 && it.total == 41 && it.span == 41);
	aie_tile_free(&made);
}

/* The largest times and factors that are let in: nothing wraps. */
static void extremes(void **state)
{
	struct aie_rules rules = usual;
	struct aie_tile made = {0};

	(void)state;
	assert_true(aie_factor_parse(STR("999999.999999999/0.000000001"), &rules.dup_gap));
	assert_true(aie_factor_parse(STR("999999.999999999"), &rules.stall_factor));
	rules.outlier_hi = rules.dup_gap;
	aie_times_add(&made.starts, AIE_TIME_MIN);
	aie_times_add(&made.ends, AIE_TIME_MAX);
	aie_times_add(&made.stall_begins, AIE_TIME_MIN);
	aie_times_add(&made.stall_ends, AIE_TIME_MAX);
	aie_pair(&made, &rules);
	assert_int_equal(made.iterations, 1);
	assert_int_equal(aie_span(&made, 0), AIE_TIME_MAX - AIE_TIME_MIN);
	assert_int_equal(made.stall_ends.count, 0);
	assert_true(made.median.nano == dec_of(AIE_TIME_MAX - AIE_TIME_MIN).nano);
	aie_tile_free(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(factors),
		cmocka_unit_test(whole_trace),
		cmocka_unit_test(nothing_to_pair),
		cmocka_unit_test(orphans_at_both_ends),
		cmocka_unit_test(median_keeps_a_half),
		cmocka_unit_test(repeats),
		cmocka_unit_test(greedy_passes_over),
		cmocka_unit_test(latest_with_lost_begins),
		cmocka_unit_test(outliers),
		cmocka_unit_test(boundaries),
		cmocka_unit_test(figures_of_iterations),
		cmocka_unit_test(extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
