/* mannwhitney: p against all arrangements, and known ones. */
#include "../unit.h"

#include "kcompare/mannwhitney.h"

enum { MOST = 400 };

/* A set of whole numbers. */
struct sample_set {
	size_t n;
	int value[MOST];
};

static struct probability p_and_order(struct mannwhitney *test, const struct sample_set *a,
                                      const struct sample_set *b, int *order)
{
	const struct sample_set *given[] = {a, b};
	struct group group[2] = {{0}};
	struct mannwhitney_set sets[2];
	struct probability p;

	for (int i = 0; i < 2; i++) {
		for (size_t j = 0; j < given[i]->n; j++)
			durations_add(&group[i].durations, dec_of(given[i]->value[j]), 1);
		durations_sort(&group[i].durations);
		sets[i] = (struct mannwhitney_set){group[i].durations.item, group[i].durations.count};
	}
	p = mannwhitney_p(test, sets, order);
	group_free(&group[0]);
	group_free(&group[1]);
	return p;
}

static struct probability p_of(struct mannwhitney *test, const struct sample_set *a,
                               const struct sample_set *b)
{
	int order;

	return p_and_order(test, a, b, &order);
}

static void assert_p(const struct sample_set *a, const struct sample_set *b, const char *want)
{
	struct mannwhitney test = {.at_most = NULL};
	struct buf text = {0};

	for (int i = 0; i < 2; i++) { /* whichever is the first */
		text.len = 0;
		probability_put(&text, p_of(&test, i ? b : a, i ? a : b));
		assert_str(buf_view(&text), str_of(want));
	}
	buf_free(&text);
	mannwhitney_free(&test);
}

static void known(void **state)
{
	static const struct {
		struct sample_set a;
		struct sample_set b;
		const char *want;
	} cases[] = {
		{{4, {-1, -2, -3, -4}}, {4, {1, 2, 3, 4}}, "0.0285714285714"},
		{{4, {-1, -1, -1, -1}}, {4, {1, 1, 1, 1}}, "0.0285714285714"},
		{{4, {-1, -1, -1, 1}}, {4, {1, 1, 1, -1}}, "0.485714285714"},
		{{3, {1, 2, 3}}, {3, {4, 5, 6}}, "0.1"},
		{{5, {3, 3, 3, 3, 3}}, {4, {3, 3, 3, 3}}, "1"},
		{{1, {1}}, {1, {2}}, "1"},
		{{8, {1, 2, 3, 4, 5, 6, 7, 8}}, {8, {11, 12, 13, 14, 15, 16, 17, 18}}, "0.0001554001554"},
		{{5, {10, 10, 11, 12, 12}}, {5, {12, 13, 13, 14, 10}}, "0.142857142857"},
		{{3, {3, 4, 2}}, {2, {4, 4}}, "0.6"},
	};
	struct sample_set a = {.n = 20};
	struct sample_set b = {.n = 20};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_p(&cases[i].a, &cases[i].b, cases[i].want);
	for (int i = 0; i < 20; i++) { /* 0 to 19, and 3.25 more, in quarters */
		a.value[i] = 4 * i;
		b.value[i] = 4 * i + 13;
	}
	assert_p(&a, &b, "0.0859140199857");
}

/* Twice U of the samples in the bits of `first`, against all others. */
static int twice_u(const int *value, int n, unsigned first)
{
	int u = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			if (first >> i & 1 && !(first >> j & 1))
				u += 2 * (value[i] > value[j]) + (value[i] == value[j]);
	return u;
}

/* p over all ways to choose n1 of the values, of which the first n1 were observed. */
static struct probability p_by_all(const int *value, int n1, int n)
{
	int observed = twice_u(value, n, (1u << n1) - 1);
	unsigned ways = 0;
	unsigned below = 0;
	unsigned above = 0;

	for (unsigned first = 0; first < 1u << n; first++) {
		int u;

		if (__builtin_popcount(first) != n1)
			continue;
		u = twice_u(value, n, first);
		ways++;
		below += u <= observed;
		above += u >= observed;
	}
	return probability_exact(2 * (below < above ? below : above), ways);
}

/* All numbers of samples up to 5 and 5, with no, some and many equal ones. */
static void by_all(void **state)
{
	struct mannwhitney test = {.at_most = NULL};
	uint64_t seed = 22;

	(void)state;
	for (size_t round = 0; round < 400; round++) {
		static const size_t ranges[] = {1000000, 12, 4, 2};
		struct sample_set set[2] = {{.n = 1 + unit_below(&seed, 5)},
		                            {.n = 1 + unit_below(&seed, 5)}};
		int all[10];
		size_t n = 0;

		for (int s = 0; s < 2; s++)
			for (size_t i = 0; i < set[s].n; i++)
				all[n++] = set[s].value[i] =
					(int)unit_below(&seed, ranges[round % COUNT(ranges)]) - 3;
		assert_int_equal(probability_compare(p_of(&test, &set[0], &set[1]),
		                                     p_by_all(all, (int)set[0].n, (int)n)),
		                 0);
	}
	mannwhitney_free(&test);
}

static void fill(struct sample_set *set, size_t n, uint64_t *seed, size_t range, int shift)
{
	set->n = n;
	for (size_t i = 0; i < n; i++)
		set->value[i] = (int)unit_below(seed, range) + shift;
}

/* Which of the two sets is the first does not matter, nor what is added to or multiplied. */
static void symmetric(void **state)
{
	struct mannwhitney test = {.at_most = NULL};
	uint64_t seed = 5;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct sample_set a;
		struct sample_set b;
		struct probability p;

		fill(&a, 1 + unit_below(&seed, 60), &seed, round % 2 ? 20 : 100000, 0);
		fill(&b, 1 + unit_below(&seed, 60), &seed, round % 2 ? 20 : 100000, round % 7);
		p = p_of(&test, &a, &b);
		assert_int_equal(probability_compare(p, p_of(&test, &b, &a)), 0);
		for (size_t i = 0; i < a.n; i++)
			a.value[i] = 7 - 3 * a.value[i];
		for (size_t i = 0; i < b.n; i++)
			b.value[i] = 7 - 3 * b.value[i];
		assert_int_equal(probability_compare(p, p_of(&test, &a, &b)), 0);
	}
	mannwhitney_free(&test);
}

/* At the limits p is exact, one sample more is approximate, and both are alike. */
static void limits(void **state)
{
	struct mannwhitney test = {.at_most = NULL};
	uint64_t seed = 9;

	(void)state;
	for (int tied = 0; tied < 2; tied++) {
		size_t most = tied ? MANNWHITNEY_EXACT_TIED : MANNWHITNEY_EXACT;
		struct sample_set a;
		struct sample_set b;
		struct probability exact;
		struct probability near;
		double difference;

		fill(&a, most, &seed, tied ? 50 : 100000000, 0);
		fill(&b, most, &seed, tied ? 50 : 100000000, tied ? 9 : 16000000);
		exact = p_of(&test, &a, &b);
		assert_true(exact.whole == mannwhitney_ways(most, most));
		a.value[a.n++] = a.value[0] + !tied;
		near = p_of(&test, &a, &b);
		assert_true(near.whole == 0);
		difference = (double)exact.part / (double)exact.whole - near.approximate;
		assert_true(difference < 0.02 && difference > -0.02);
	}
	mannwhitney_free(&test);
}

/* By hand: 51 samples of 1 and 49 of 2 against 40 of 1 and 60 of 2. */
static void normal(void **state)
{
	struct sample_set a = {.n = 100};
	struct sample_set b = {.n = 100};

	(void)state;
	for (int i = 0; i < 100; i++) {
		a.value[i] = i < 51 ? 1 : 2;
		b.value[i] = i < 40 ? 1 : 2;
	}
	/* U is 4450, its mean 5000, its variance 10000/12 * (201 - (91^3 - 91 + 109^3 - 109)/39800). */
	assert_p(&a, &b, "0.119554");
	assert_p(&a, &a, "1");
	for (int i = 0; i < 100; i++)
		a.value[i] = b.value[i] = 7;
	assert_p(&a, &b, "1");
	for (int i = 0; i < 100; i++) {
		a.value[i] = i;
		b.value[i] = 1000 + i;
	}
	assert_p(&a, &b, "0.000000000000000000000000000001");
}

/* Which set has the larger ranks, whatever the medians and means are. */
static void orders(void **state)
{
	static const struct {
		struct sample_set a;
		struct sample_set b;
		int want;
	} cases[] = {
		{{3, {1, 2, 3}}, {3, {4, 5, 6}}, 1},
		{{3, {1, 2, 3}}, {3, {3, 2, 1}}, 0},
		{{3, {1, 2, 2}}, {1, {2}}, 1},
		{{5, {1, 1, 5, 6, 6}}, {5, {2, 2, 4, 7, 7}}, 1}, /* the median falls */
		{{2, {1, 3}}, {1, {2}}, 0},
	};
	struct mannwhitney test = {.at_most = NULL};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int order;

		p_and_order(&test, &cases[i].a, &cases[i].b, &order);
		assert_int_equal(order, cases[i].want);
		p_and_order(&test, &cases[i].b, &cases[i].a, &order);
		assert_int_equal(order, -cases[i].want);
	}
	mannwhitney_free(&test);
}

static void ways(void **state)
{
	(void)state;
	assert_true(mannwhitney_ways(0, 9) == 1);
	assert_true(mannwhitney_ways(1, 1) == 2);
	assert_true(mannwhitney_ways(10, 10) == 184756);
	assert_true(mannwhitney_ways(1, 1000000) == 1000001);
	/* 100891344545564193334812497256 */
	assert_true(mannwhitney_ways(50, 50) ==
	            (unsigned __int128)10089134454u * 10000000000000000000u + 5564193334812497256u);
	assert_true(mannwhitney_ways(10000000, 10000000) == (unsigned __int128)1 << 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known),  cmocka_unit_test(by_all), cmocka_unit_test(symmetric),
		cmocka_unit_test(limits), cmocka_unit_test(normal), cmocka_unit_test(orders),
		cmocka_unit_test(ways),
	};

	return cmocka_run_group_tests_name("mannwhitney", tests, NULL, NULL);
}
