#include "aierun.h"

#include "base/opt.h"

/* --- the work ------------------------------------------------------------ */

/* The work of an iteration is M K N MACs, shared by all tiles; GHz make it billions a second. */
static void set_rates(struct aie_work *work)
{
	const size_t *number = work->number;
	__int128 macs;
	__int128 by_clock;
	int64_t tiles;
	int64_t per;
	int64_t peak;

	if (__builtin_mul_overflow(number[AIE_M], (__int128)number[AIE_K], &macs) ||
	    __builtin_mul_overflow(macs, number[AIE_N], &macs) ||
	    __builtin_mul_overflow(macs, work->clock.numerator, &by_clock) ||
	    __builtin_mul_overflow(number[AIE_ROWS], number[AIE_COLS], &tiles))
		opts_fail("--M, --K, --N or --row, --col: the product is too large");
	tiles = tiles ? tiles : 1;
	if (__builtin_mul_overflow(tiles, work->clock.denominator, &per) ||
	    __builtin_mul_overflow(tiles, number[AIE_PEAK_MACS], &peak))
		opts_fail("--row, --col: there are too many tiles");
	work->core_rate = (struct aie_rate){by_clock, per};
	work->rate = (struct aie_rate){by_clock, work->clock.denominator};
	work->of_peak = (struct aie_rate){macs, peak};
}

void aie_work_set(struct aie_work *work)
{
	if (__builtin_add_overflow(work->number[AIE_WARMUP], work->number[AIE_ITERATIONS],
	                           &work->expected))
		opts_fail("--warmup, --iterations: the sum is too large");
	set_rates(work);
}

const char *aie_work_phase(const struct aie_work *work, size_t i)
{
	if (i < work->number[AIE_WARMUP])
		return "warmup";
	return i < work->expected ? "perf" : "extra";
}

bool aie_work_mismatch(const struct aie_work *work, const struct aie_core *core, struct buf *out)
{
	size_t found = core->tile->iterations;

	if (found && found == work->expected)
		return false;
	buf_format(out, "%zu iterations found, %zu expected: ", found, work->expected);
	if (found == 0)
		buf_text(out, "there is no kernel");
	else if (found < work->expected)
		buf_text(out, "continuing with those found");
	else
		buf_format(out, "those after the first %zu are labelled extra", work->expected);
	return true;
}

/* --- a trace ------------------------------------------------------------- */

size_t aie_run_iterations(const struct aie_run *run, size_t c)
{
	return run->trace->core[c].tile->iterations;
}

bool aie_run_has_iterations(const struct aie_run *run)
{
	for (size_t c = 0; c < run->trace->cores; c++) {
		if (aie_run_iterations(run, c))
			return true;
	}
	return false;
}

int64_t aie_run_runtime(const struct aie_run *run, size_t i)
{
	const struct aie_trace *trace = run->trace;
	int64_t longest = 0;

	for (size_t c = 0; c < trace->cores; c++) {
		int64_t span = aie_span(trace->core[c].tile, i);

		longest = span > longest ? span : longest;
	}
	return longest;
}

const char *aie_run_why_none(const struct aie_run *run)
{
	return run->trace->cores ? "no iteration is in the performance window of every core"
	                         : "there is no core";
}

/* By their rates; over no cycles a rate is 0. */
static bool faster(int64_t a, int64_t b)
{
	return a && (!b || a < b);
}

static void find_common(struct aie_run *run, const struct aie_work *work)
{
	size_t cores = run->trace->cores;

	run->from = work->number[AIE_WARMUP];
	run->to = cores ? work->expected : 0;
	for (size_t c = 0; c < cores; c++) {
		if (aie_run_iterations(run, c) < run->to)
			run->to = aie_run_iterations(run, c);
	}
	if (run->to < run->from)
		run->to = run->from;
	run->best = run->worst = run->from;
	for (size_t i = run->from; i < run->to; i++) {
		int64_t cycles = aie_run_runtime(run, i);

		if (faster(cycles, aie_run_runtime(run, run->best)))
			run->best = i;
		if (faster(aie_run_runtime(run, run->worst), cycles))
			run->worst = i;
	}
}

void aie_run_pair(struct aie_run *run, const struct aie_trace *trace, const struct aie_rules *rules,
                  const struct aie_work *work)
{
	*run = (struct aie_run){.trace = trace};
	for (size_t c = 0; c < trace->cores; c++) {
		struct aie_tile *tile = trace->core[c].tile;

		aie_pair(tile, rules);
		for (size_t i = 0; i < tile->iterations; i++) {
			if (aie_span(tile, i) > run->longest)
				run->longest = aie_span(tile, i);
		}
	}
	find_common(run, work);
}
