/* aierun: which iterations count, and what work is done in one. */
#include "../unit.h"

#include "aie_tiles.h"

/* The window of two cores, the best and worst in it with their runtimes, and the longest span. */
static void assert_run(const char *a, const char *b, size_t iterations, const char *want)
{
	struct made made = {0};
	struct buf got = {0};

	made_add(&made, "a", "0", a);
	made_add(&made, "b", "1", b);
	made_pair(&made, iterations);
	assert_ptr_equal(made.run.trace, &made.trace);
	buf_format(&got, "[%zu, %zu)", made.run.from, made.run.to);
	if (made.run.from < made.run.to)
		buf_format(&got, " %zu: %d, %zu: %d", made.run.best,
		           (int)aie_run_runtime(&made.run, made.run.best), made.run.worst,
		           (int)aie_run_runtime(&made.run, made.run.worst));
	buf_format(&got, " %d", (int)made.run.longest);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	made_free(&made);
}

static void windows(void **state)
{
	(void)state;
	/* The slower core is the runtime; the first iteration, though a warmup, is the longest. */
	assert_run("0-900 | 20000-20400 | 40000-40300", "0-500 | 20000-20410 | 40000-40390", 2,
	           "[1, 3) 2: 390, 1: 410 900");
	/* The first of several that are alike. */
	assert_run("0-400 | 20000-20400 | 40000-40400", "0-400 | 20000-20400 | 40000-40400", 2,
	           "[1, 3) 1: 400, 1: 400 400");
	/* As many as are expected, and as every core has. */
	assert_run("0-400 | 20000-20400 | 40000-40400", "0-400 | 20000-20400 | 40000-40400", 1,
	           "[1, 2) 1: 400, 1: 400 400");
	assert_run("0-400 | 20000-20400 | 40000-40400", "0-400 | 20000-20400", 5,
	           "[1, 2) 1: 400, 1: 400 400");
	assert_run("0-400 | 20000-20400", "0-400", 5, "[1, 1) 400");
	assert_run("0-400 | 20000-20400", "", 5, "[1, 1) 400");
	assert_run("0-400 | 20000-20400", "0-400 | 20000-20400", 0, "[1, 1) 400");
	/* What no kernel ran in has no rate: it is the worst. */
	assert_run("0-400 || 40000-40400", "0-400 || 40000-40400", 2, "[1, 3) 2: 400, 1: 0 400");
}

static void why_none(void **state)
{
	struct made made = {0};

	(void)state;
	made_pair(&made, 1);
	assert_string_equal(aie_run_why_none(&made.run), "there is no core");
	assert_false(aie_run_has_iterations(&made.run));
	assert_int_equal(made.run.to, made.run.from);
	made_add(&made, "a", "0", "");
	made_pair(&made, 1);
	assert_string_equal(aie_run_why_none(&made.run),
	                    "no iteration is in the performance window of every core");
	assert_false(aie_run_has_iterations(&made.run));
	made_add(&made, "b", "1", "0-400");
	made_pair(&made, 1);
	assert_true(aie_run_has_iterations(&made.run));
	assert_int_equal(aie_run_iterations(&made.run, 0), 0);
	assert_int_equal(aie_run_iterations(&made.run, 1), 1);
	made_free(&made);
}

static void assert_mismatch(const char *kernels, size_t iterations, const char *want)
{
	struct made made = {0};
	struct buf got = {0};

	made_add(&made, "a", "0", kernels);
	made_pair(&made, iterations);
	assert_int_equal(aie_work_mismatch(&made.work, &made.core[0], &got), *want != '\0');
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	made_free(&made);
}

static void mismatches(void **state)
{
	(void)state;
	assert_mismatch("0-400 | 20000-20400", 1, "");
	assert_mismatch("", 1, "0 iterations found, 2 expected: there is no kernel");
	assert_mismatch("0-400", 1, "1 iterations found, 2 expected: continuing with those found");
	assert_mismatch("0-400 | 20000-20400", 0,
	                "2 iterations found, 1 expected: those after the first 1 are labelled extra");
}

static void phases(void **state)
{
	struct made made = {0};

	(void)state;
	made_pair(&made, 2);
	assert_int_equal(made.work.expected, 3);
	assert_string_equal(aie_work_phase(&made.work, 0), "warmup");
	assert_string_equal(aie_work_phase(&made.work, 1), "perf");
	assert_string_equal(aie_work_phase(&made.work, 2), "perf");
	assert_string_equal(aie_work_phase(&made.work, 3), "extra");
}

static void assert_rate(struct aie_rate rate, __int128 work, int64_t per)
{
	assert_true(rate.work == work);
	assert_int_equal(rate.per, per);
}

static void rates(void **state)
{
	struct made made = {0};

	(void)state;
	made_pair(&made, 2);
	assert_rate(made.work.core_rate, 500000, 8);
	assert_rate(made.work.rate, 500000, 4);
	assert_rate(made.work.of_peak, 100000, 128);
	/* No tile is one. */
	made.work.number[AIE_ROWS] = 0;
	aie_work_set(&made.work);
	assert_rate(made.work.core_rate, 500000, 4);
	assert_rate(made.work.of_peak, 100000, 64);
}

static int set_work(void *arg)
{
	die_init("prog");
	aie_work_set(arg);
	return 0;
}

static void assert_too_large(enum aie_number number, const char *want)
{
	struct aie_work work = {.clock = {5, 4}};
	struct unit_end end;

	for (size_t i = 0; i < AIE_NUMBERS; i++)
		work.number[i] = number == AIE_M && i <= AIE_N ? SIZE_MAX : 2;
	work.number[number] = SIZE_MAX;
	end = unit_run(set_work, &work);
	assert_int_equal(end.status, 2);
	assert_str(buf_view(&end.err), str_of(want));
	unit_end_free(&end);
}

static void too_large(void **state)
{
	(void)state;
	assert_too_large(AIE_M, "prog: --M, --K, --N or --row, --col: the product is too large; see "
	                        "prog -h\n");
	assert_too_large(AIE_COLS, "prog: --M, --K, --N or --row, --col: the product is too large; "
	                           "see prog -h\n");
	assert_too_large(AIE_PEAK_MACS, "prog: --row, --col: there are too many tiles; see prog -h\n");
	assert_too_large(AIE_WARMUP,
	                 "prog: --warmup, --iterations: the sum is too large; see prog -h\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows), cmocka_unit_test(why_none), cmocka_unit_test(mismatches),
		cmocka_unit_test(phases),  cmocka_unit_test(rates),    cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests_name("aierun", tests, NULL, NULL);
}
