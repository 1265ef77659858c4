/* aiecells: the figures of an iteration as text. */
#include "../unit.h"

#include "aie_tiles.h"
#include "aiepair/aiecells.h"

/* Three iterations of two cores, of which the last two count. */
static void make(struct made *made)
{
	made_add(made, "tile0,2", "7", "0-900 | 20000-20400 20500-20801 | 40000-40400");
	made_add(made, "tile0,3", "8", "0-400 | 20000-20400 | 40000-40300");
	made_pair(made, 2);
}

/* The cells that are not empty, by their names. */
static void assert_cells(const struct aie_cells *cells, const char *want)
{
	struct buf got = {0};

	for (size_t i = 0; i < AIE_COLUMNS; i++) {
		struct str text = aie_cells_get(cells, (enum aie_column)i);
		const char *name = aie_headings[i].name;

		if (text.n == 0)
			continue;
		buf_format(&got, "%s%s=", got.len ? " " : "", name ? name : "bar");
		buf_str(&got, text);
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void of_a_core(void **state)
{
	struct made made = {0};
	struct aie_cells cells = {.work = &made.work};

	(void)state;
	make(&made);
	aie_cells_iteration(&cells, &made.run, &made.core[0], 1, false);
	assert_cells(&cells,
	             "tile=tile0,2 pid=7 iteration=1 phase=perf kernels=2 mean=350.5 min=301 max=400 "
	             "span=801 first_start=20000 last_end=20801 gmacs=78.0274656679151 "
	             "utilization=0.975343320848939 bar=##################### file=t.json");
	aie_cells_iteration(&cells, &made.run, &made.core[0], 0, true);
	assert_cells(&cells,
	             "tile=tile0,2 pid=7 iteration=0 phase=warmup kernels=1 mean=900.000 min=900 "
	             "max=900 span=900 first_start=0 last_end=900 gmacs=69.444 utilization=86.8 % "
	             "bar=######################## file=t.json");
	aie_cells_free(&cells);
	made_free(&made);
}

/* An iteration without a kernel: there is no first start, and a rate over no cycles is 0. */
static void of_no_kernel(void **state)
{
	struct made made = {0};
	struct aie_cells cells = {.work = &made.work};

	(void)state;
	made_add(&made, "t", "0", "0-400 || 40000-40400");
	made_pair(&made, 2);
	aie_cells_iteration(&cells, &made.run, &made.core[0], 1, false);
	assert_cells(&cells, "tile=t pid=0 iteration=1 phase=perf kernels=0 mean=0 min=0 max=0 span=0 "
	                     "gmacs=0 utilization=0 file=t.json");
	aie_cells_common(&cells, &made.run, "worst", made.run.worst, true);
	assert_cells(&cells, "kind=worst iteration=1 runtime=0 gmacs=0.000 utilization=0.0 % "
	                     "file=t.json");
	/* It counts for the mean of the rates, as 0. */
	aie_cells_average(&cells, &made.run, false);
	assert_cells(&cells, "kind=average runtime=200 gmacs=156.25 utilization=0.9765625 file=t.json");
	aie_cells_free(&cells);
	made_free(&made);
}

static void of_all_cores(void **state)
{
	struct made made = {0};
	struct aie_cells cells = {.work = &made.work};

	(void)state;
	make(&made);
	aie_cells_common(&cells, &made.run, "best", made.run.best, false);
	assert_cells(&cells, "kind=best iteration=2 runtime=400 gmacs=312.5 utilization=1.953125 "
	                     "bar=########### file=t.json");
	/* The mean of rates, which is not the rate of the mean. */
	aie_cells_average(&cells, &made.run, false);
	assert_cells(&cells, "kind=average runtime=600.5 gmacs=234.277465667915 "
	                     "utilization=1.46423416042447 file=t.json");
	aie_cells_average(&cells, &made.run, true);
	assert_cells(&cells, "kind=average runtime=600.500 gmacs=234.277 utilization=146.4 % "
	                     "file=t.json");
	aie_cells_free(&cells);
	made_free(&made);
}

static void clock_of(void **state)
{
	struct aie_work work = {.clock = {5, 4}};
	struct buf got = {0};

	(void)state;
	aie_work_clock(&work, &got);
	buf_char(&got, ' ');
	work.clock = (struct aie_factor){4, 3};
	aie_work_clock(&work, &got);
	assert_buf(&got, "1.25 1.33333333333333");
	buf_free(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_core),
		cmocka_unit_test(of_no_kernel),
		cmocka_unit_test(of_all_cores),
		cmocka_unit_test(clock_of),
	};

	return cmocka_run_group_tests_name("aiecells", tests, NULL, NULL);
}
