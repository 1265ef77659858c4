/* ranges: annotations that are open at a time, in one order. */
#include "../unit.h"

#include "kcontext/ranges.h"

#include <stdio.h>
#include <stdlib.h>

static void add(struct ranges *ranges, uint32_t thread, uint32_t process, int64_t start,
                int64_t dur, const char *name)
{
	assert_true(ranges_add(ranges, thread, process, dec_of(start), dec_of(dur), str_of(name)));
}

static void assert_open(const struct ranges *ranges, uint32_t thread, int64_t time,
                        const char *stack, const char *last)
{
	struct buf out = {0};
	struct str got;

	assert_true(ranges_fold(ranges, thread, dec_of(time), &out, &got));
	assert_str(buf_view(&out), str_of(stack));
	assert_str(got, str_of(last));
	assert_int_equal(ranges_on_thread(ranges, thread, dec_of(time)), *last != '\0');
	buf_free(&out);
}

/* By start, the longer first, then by name; up to, but not at, the end. */
static void the_order_of_open_ranges(void **state)
{
	struct ranges ranges = {0};

	(void)state;
	add(&ranges, 3, 0, 10, 50, "x");
	add(&ranges, 3, 0, 20, 0, "z");
	add(&ranges, 3, 0, 30, -5, "never");
	add(&ranges, 3, 0, 10, 50, "w");
	add(&ranges, 3, 0, 0, 100, "a;b");
	add(&ranges, 3, 0, 70, 20, "long");
	add(&ranges, 3, 0, 70, 10, "cut");
	add(&ranges, 3, 0, 75, 30, "beyond");
	ranges_build(&ranges);
	assert_open(&ranges, 3, -1, "", "");
	assert_open(&ranges, 3, 0, "a:b", "a:b");
	assert_open(&ranges, 3, 20, "a:b;w;x", "x");
	assert_open(&ranges, 3, 59, "a:b;w;x", "x");
	assert_open(&ranges, 3, 60, "a:b", "a:b");
	assert_open(&ranges, 3, 79, "a:b;long;cut;beyond", "beyond");
	assert_open(&ranges, 3, 80, "a:b;long;beyond", "beyond");
	assert_open(&ranges, 3, 104, "beyond", "beyond");
	assert_open(&ranges, 3, 105, "", "");
	assert_open(&ranges, 2, 20, "", "");
	assert_open(&ranges, 9, 20, "", "");
	ranges_free(&ranges);
}

/* A thread of its own name that ends when another begins is no second thread. */
static void the_only_thread_of_a_process(void **state)
{
	struct ranges ranges = {0};

	(void)state;
	add(&ranges, 1, 7, 0, 10, "a");
	add(&ranges, 1, 7, 5, 15, "b");
	add(&ranges, 2, 7, 20, 20, "c");
	add(&ranges, 3, 7, 30, 20, "d");
	add(&ranges, 4, 8, 35, 1, "e");
	ranges_build(&ranges);
	assert_int_equal(ranges_in_process(&ranges, 7, dec_of(-1)), RANGES_NONE);
	assert_int_equal(ranges_in_process(&ranges, 7, dec_of(0)), 1);
	assert_int_equal(ranges_in_process(&ranges, 7, dec_of(19)), 1);
	assert_int_equal(ranges_in_process(&ranges, 7, dec_of(20)), 2);
	assert_int_equal(ranges_in_process(&ranges, 7, dec_of(30)), RANGES_SEVERAL);
	assert_int_equal(ranges_in_process(&ranges, 7, dec_of(39)), RANGES_SEVERAL);
	assert_int_equal(ranges_in_process(&ranges, 7, dec_of(40)), 3);
	assert_int_equal(ranges_in_process(&ranges, 7, dec_of(50)), RANGES_NONE);
	assert_int_equal(ranges_in_process(&ranges, 8, dec_of(35)), 4);
	assert_int_equal(ranges_in_process(&ranges, 8, dec_of(36)), RANGES_NONE);
	assert_int_equal(ranges_in_process(&ranges, 6, dec_of(35)), RANGES_NONE);
	assert_int_equal(ranges_in_process(&ranges, 9, dec_of(35)), RANGES_NONE);
	ranges_free(&ranges);
}

static void no_ranges(void **state)
{
	struct ranges ranges = {0};

	(void)state;
	ranges_build(&ranges);
	assert_open(&ranges, 0, 0, "", "");
	assert_int_equal(ranges_in_process(&ranges, 0, dec_of(0)), RANGES_NONE);
	ranges_free(&ranges);
}

static void too_late_an_end(void **state)
{
	struct ranges ranges = {0};
	struct dec most = {(__int128)(~(unsigned __int128)0 >> 1)};

	(void)state;
	assert_false(ranges_add(&ranges, 0, 0, most, dec_of(1), STR("a")));
	assert_int_equal(ranges.count, 0);
	ranges_free(&ranges);
}

/* The innermost stay. */
static void too_many_open(void **state)
{
	struct ranges ranges = {0};
	struct buf out = {0};
	struct str last;
	char name[12];

	(void)state;
	for (int i = 0; i <= RANGES_MOST; i++) {
		snprintf(name, sizeof name, "%d", i);
		add(&ranges, 0, 0, i, 5000 - i, name);
	}
	ranges_build(&ranges);
	assert_true(ranges_fold(&ranges, 0, dec_of(RANGES_MOST - 1), &out, &last));
	assert_true(str_starts(buf_view(&out), STR("0;1;")));
	out.len = 0;
	assert_false(ranges_fold(&ranges, 0, dec_of(RANGES_MOST), &out, &last));
	assert_true(str_starts(buf_view(&out), STR("1;2;")));
	assert_true(str_ends(buf_view(&out), STR(";999;1000")));
	assert_str(last, STR("1000"));
	buf_free(&out);
	ranges_free(&ranges);
}

/* --- a search through all ranges ---------------------------------------------- */

/* Process 0 has more threads than process 1. */
enum { RANGES = 120, THREADS = 24, FIRST = 20, TIMES = 60 };

struct made {
	uint32_t thread;
	int start;
	int dur;
	char name[3];
};

static int compare_made(const void *a, const void *b)
{
	const struct made *x = a;
	const struct made *y = b;

	if (x->start != y->start)
		return x->start - y->start;
	return x->dur != y->dur ? y->dur - x->dur : strcmp(x->name, y->name);
}

static void as_a_search_through_all(void **state)
{
	struct made made[RANGES];
	int seen[2][3] = {{0}};

	(void)state;
	for (unsigned seed = 0; seed < 50; seed++) {
		struct ranges ranges = {0};

		srand(seed);
		for (int i = 0; i < RANGES; i++) {
			made[i].thread = (uint32_t)(rand() % THREADS);
			made[i].start = rand() % TIMES;
			made[i].dur = rand() % (seed % 2 ? TIMES : 4) - 1;
			snprintf(made[i].name, sizeof made[i].name, "%c%c", 'a' + rand() % 3, 'a' + rand() % 3);
			add(&ranges, made[i].thread, made[i].thread >= FIRST, made[i].start, made[i].dur,
			    made[i].name);
		}
		qsort(made, RANGES, sizeof *made, compare_made);
		ranges_build(&ranges);
		for (int time = -1; time < 2 * TIMES; time++) {
			bool open[THREADS] = {0};

			for (uint32_t thread = 0; thread < THREADS; thread++) {
				struct buf want = {0};
				const char *last = "";

				for (int i = 0; i < RANGES; i++) {
					if (made[i].thread != thread || made[i].start > time ||
					    made[i].start + made[i].dur <= time)
						continue;
					if (want.len)
						buf_char(&want, ';');
					last = made[i].name;
					buf_text(&want, last);
					open[thread] = true;
				}
				buf_char(&want, '\0');
				assert_open(&ranges, thread, time, want.data, last);
				buf_free(&want);
			}
			for (uint32_t process = 0; process < 2; process++) {
				uint32_t want = RANGES_NONE;

				for (uint32_t thread = process ? FIRST : 0; thread < (process ? THREADS : FIRST);
				     thread++)
					if (open[thread])
						want = want == RANGES_NONE ? thread : RANGES_SEVERAL;
				assert_int_equal(ranges_in_process(&ranges, process, dec_of(time)), want);
				seen[process][want == RANGES_NONE ? 0 : want == RANGES_SEVERAL ? 2 : 1]++;
			}
		}
		ranges_free(&ranges);
	}
	for (int i = 0; i < 6; i++)
		assert_true(seen[i / 3][i % 3] > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_of_open_ranges),
		cmocka_unit_test(the_only_thread_of_a_process),
		cmocka_unit_test(no_ranges),
		cmocka_unit_test(too_late_an_end),
		cmocka_unit_test(too_many_open),
		cmocka_unit_test(as_a_search_through_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
