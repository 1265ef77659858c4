#include "aiecells.h"

enum { DIGITS = 15, PLACES = 3 }; /* significant digits of quotients, and places for people */

const struct aie_heading aie_headings[AIE_COLUMNS] = {
	[AIE_KIND] = {"kind", NULL, false},
	[AIE_TILE] = {"tile", "Tile", false},
	[AIE_PID] = {"pid", NULL, false},
	[AIE_ITERATION] = {"iteration", "Iter", true},
	[AIE_PHASE] = {"phase", "Phase", false},
	[AIE_KERNELS] = {"kernels", "Kernels", true},
	[AIE_AVG] = {"mean", "Avg cycles", true},
	[AIE_MIN] = {"min", "Min", true},
	[AIE_MAX] = {"max", "Max", true},
	[AIE_SPAN] = {"span", "Total span", true},
	[AIE_FIRST_START] = {"first_start", NULL, true},
	[AIE_LAST_END] = {"last_end", NULL, true},
	[AIE_RUNTIME] = {"runtime", "Cycles", true},
	[AIE_GMACS] = {"gmacs", "GMAC/s", true},
	[AIE_UTILIZATION] = {"utilization", "of peak", true},
	[AIE_BAR] = {NULL, "", false},
	[AIE_SOURCE] = {"file", NULL, false},
};

/* --- figures ------------------------------------------------------------- */

/* How a quotient is written: for programs, for people, for people as a percentage. */
enum style { EXACT, PLAIN, PERCENT };

static void put_quotient(struct buf *out, struct dec numerator, struct dec denominator, int shift,
                         enum style style)
{
	switch (style) {
	case EXACT:
		dec_quotient_digits(out, numerator, denominator, shift, DIGITS);
		break;
	case PLAIN:
		dec_quotient_fixed(out, numerator, denominator, shift, PLACES);
		break;
	case PERCENT:
		dec_quotient_fixed(out, numerator, denominator, shift + 2, 1);
		buf_text(out, " %");
		break;
	}
}

/* The numerator and denominator of a rate, in any unit: only their quotient counts. */
static struct dec above(struct aie_rate rate)
{
	return (struct dec){rate.work};
}

static struct dec below(struct aie_rate rate, int64_t cycles)
{
	return (struct dec){(__int128)rate.per * cycles};
}

/* The rate is 0 over no cycles. */
static void put_rate(struct buf *out, struct aie_rate rate, int64_t cycles, enum style style)
{
	if (cycles)
		put_quotient(out, above(rate), below(rate, cycles), 0, style);
	else
		put_quotient(out, dec_of(0), dec_of(1), 0, style);
}

static int bits(__int128 x)
{
	int n = 0;

	for (; x; x >>= 1)
		n++;
	return n;
}

/*
 * The mean of the rates of the common iterations. Their denominators differ, so they are added with
 * some 18 digits before the point and nine after it.
 */
static void put_mean_rate(struct buf *out, const struct aie_run *run, struct aie_rate rate,
                          enum style style)
{
	int64_t best = aie_run_runtime(run, run->best);
	int shift = 18 - (bits(rate.work) - bits(below(rate, best ? best : 1).nano)) * 3 / 10;
	struct buf text = {0};
	struct dec sum = {0};

	for (size_t i = run->from; i < run->to; i++) {
		int64_t cycles = aie_run_runtime(run, i);
		struct dec scaled = {0};

		text.len = 0;
		if (cycles)
			dec_quotient_fixed(&text, above(rate), below(rate, cycles), shift, 9);
		dec_parse(buf_view(&text), &scaled);
		dec_add(&sum, scaled);
	}
	put_quotient(out, sum, dec_of((int64_t)(run->to - run->from)), -shift, style);
	buf_free(&text);
}

static void put_mean_runtime(struct buf *out, const struct aie_run *run, enum style style)
{
	struct dec sum = {0};

	for (size_t i = run->from; i < run->to; i++)
		dec_add(&sum, dec_of(aie_run_runtime(run, i)));
	put_quotient(out, sum, dec_of((int64_t)(run->to - run->from)), 0, style);
}

void aie_work_clock(const struct aie_work *work, struct buf *out)
{
	put_quotient(out, dec_of(work->clock.numerator), dec_of(work->clock.denominator), 0, EXACT);
}

/* --- cells --------------------------------------------------------------- */

static void clear_cells(struct aie_cells *cells)
{
	for (size_t i = 0; i < AIE_COLUMNS; i++)
		cells->cell[i].len = 0;
}

static void put_cycles(struct buf *out, int64_t cycles)
{
	buf_format(out, "%lld", (long long)cycles);
}

static void put_bar(struct buf *out, int64_t cycles, int64_t longest)
{
	const int width = 24;
	__int128 twice = longest ? (__int128)cycles * width * 2 / longest : 0;
	int marks = (int)(twice + 1) / 2;

	for (int i = 0; i < marks || (i == 0 && cycles); i++)
		buf_char(out, '#');
}

void aie_cells_iteration(struct aie_cells *cells, const struct aie_run *run,
                         const struct aie_core *core, size_t i, bool people)
{
	struct aie_iteration it = aie_iteration(core->tile, i);
	const struct aie_work *work = cells->work;
	struct buf *cell = cells->cell;

	clear_cells(cells);
	buf_str(&cell[AIE_TILE], core->name);
	buf_str(&cell[AIE_PID], core->pid);
	buf_format(&cell[AIE_ITERATION], "%zu", i);
	buf_text(&cell[AIE_PHASE], aie_work_phase(work, i));
	buf_format(&cell[AIE_KERNELS], "%zu", it.kernels);
	put_quotient(&cell[AIE_AVG], dec_of(it.total), dec_of(it.kernels ? (int64_t)it.kernels : 1), 0,
	             people ? PLAIN : EXACT);
	put_cycles(&cell[AIE_MIN], it.min);
	put_cycles(&cell[AIE_MAX], it.max);
	put_cycles(&cell[AIE_SPAN], it.span);
	if (it.kernels) {
		put_cycles(&cell[AIE_FIRST_START], it.first_start);
		put_cycles(&cell[AIE_LAST_END], it.last_end);
	}
	put_rate(&cell[AIE_GMACS], work->core_rate, it.span, people ? PLAIN : EXACT);
	put_rate(&cell[AIE_UTILIZATION], work->of_peak, it.span, people ? PERCENT : EXACT);
	put_bar(&cell[AIE_BAR], it.span, run->longest);
	buf_str(&cell[AIE_SOURCE], run->trace->file);
}

void aie_cells_common(struct aie_cells *cells, const struct aie_run *run, const char *kind,
                      size_t i, bool people)
{
	int64_t cycles = aie_run_runtime(run, i);
	const struct aie_work *work = cells->work;
	struct buf *cell = cells->cell;

	clear_cells(cells);
	buf_text(&cell[AIE_KIND], kind);
	buf_format(&cell[AIE_ITERATION], "%zu", i);
	put_cycles(&cell[AIE_RUNTIME], cycles);
	put_rate(&cell[AIE_GMACS], work->rate, cycles, people ? PLAIN : EXACT);
	put_rate(&cell[AIE_UTILIZATION], work->of_peak, cycles, people ? PERCENT : EXACT);
	put_bar(&cell[AIE_BAR], cycles, run->longest);
	buf_str(&cell[AIE_SOURCE], run->trace->file);
}

void aie_cells_average(struct aie_cells *cells, const struct aie_run *run, bool people)
{
	const struct aie_work *work = cells->work;
	struct buf *cell = cells->cell;

	clear_cells(cells);
	buf_text(&cell[AIE_KIND], "average");
	put_mean_runtime(&cell[AIE_RUNTIME], run, people ? PLAIN : EXACT);
	put_mean_rate(&cell[AIE_GMACS], run, work->rate, people ? PLAIN : EXACT);
	put_mean_rate(&cell[AIE_UTILIZATION], run, work->of_peak, people ? PERCENT : EXACT);
	buf_str(&cell[AIE_SOURCE], run->trace->file);
}

struct str aie_cells_get(const struct aie_cells *cells, enum aie_column column)
{
	return buf_view(&cells->cell[column]);
}

void aie_cells_free(struct aie_cells *cells)
{
	for (size_t i = 0; i < AIE_COLUMNS; i++)
		buf_free(&cells->cell[i]);
}
