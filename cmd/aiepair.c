/*
 * aiepair - kernels, iterations and throughput of AMD AI Engine tiles.
 *
 *	##process	0	core_trace for tile0,2
 *	100			INSTR_EVENT_0		B	0	0
 *	500			INSTR_EVENT_1		E	0	1
 * gives a row for each iteration of each tile:
 *	#tile	pid	iteration	phase	kernels	avg	min	max	span	first_start	...
 *	tile0,2	0	0	warmup	1	400	400	400	400	100	...
 *
 * Memory grows with the events of kernels and stalls: at most 32 bytes for each.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "aietrace.h"
#include "balance.h"
#include "folder.h"
#include "json.h"
#include "jsonw.h"
#include "kev.h"
#include "mem.h"
#include "replace.h"
#include "report.h"
#include "strmap.h"
#include "table.h"

enum { DIGITS = 15, PLACES = 3 }; /* of quotients: what a double keeps; what people read */

enum reason { OTHER, NO_TS, NOT_CORE, UNNAMED, REASONS };

static const char *const reasons[REASONS] = {
	[OTHER] = "another event",
	[NO_TS] = "no ts",
	[NOT_CORE] = "of no core",
	[UNNAMED] = "of a process without a name",
};

/* Options with a number behind them: whole ones, of which those up to ITERATIONS are needed, ... */
enum number { M, K, N, ROW, COL, WARMUP, ITERATIONS, TILE_M, TILE_K, TILE_N, PEAK_MACS, NUMBERS };
/* ... and fractions. */
enum factor { CLOCK, STALL_FACTOR, DUP_GAP, OUTLIER_LO, OUTLIER_HI, FACTORS };

enum { OPT_NUMBER = OPT_LONG, OPT_FACTOR = OPT_NUMBER + NUMBERS, OPT_OTHER = OPT_FACTOR + FACTORS };
enum { OPT_HWID = OPT_OTHER, OPT_PAIR, OPT_END, OPT_AGGREGATE };

enum column {
	KIND,
	TILE,
	PID,
	ITERATION,
	PHASE,
	KERNELS,
	AVG,
	MIN,
	MAX,
	SPAN,
	FIRST_START,
	LAST_END,
	RUNTIME,
	GMACS,
	UTILIZATION,
	BAR,
	SOURCE,
	COLUMNS
};

/* As they are named in the stream, and in what people read where that differs. */
static const struct {
	const char *name;
	const char *title;
	bool right;
} column[COLUMNS] = {
	[KIND] = {"kind", NULL, false},
	[TILE] = {"tile", "Tile", false},
	[PID] = {"pid", NULL, false},
	[ITERATION] = {"iteration", "Iter", true},
	[PHASE] = {"phase", "Phase", false},
	[KERNELS] = {"kernels", "Kernels", true},
	[AVG] = {"avg", "Avg cycles", true},
	[MIN] = {"min", "Min", true},
	[MAX] = {"max", "Max", true},
	[SPAN] = {"span", "Total span", true},
	[FIRST_START] = {"first_start", NULL, true},
	[LAST_END] = {"last_end", NULL, true},
	[RUNTIME] = {"runtime", "Cycles", true},
	[GMACS] = {"gmacs", "GMAC/s", true},
	[UTILIZATION] = {"utilization", "of peak", true},
	[BAR] = {NULL, "", false},
	[SOURCE] = {"file", NULL, false},
};

struct layout {
	enum column at[COLUMNS];
	size_t count;
};

/* Work done by the cycle: r cycles make a rate of work / (per * r). */
struct rate {
	__int128 work;
	int64_t per;
};

/* A trace, and what its cores have in common. */
struct run {
	const struct aie_trace *trace;
	size_t from; /* iterations [from, to) are in the performance window of every core */
	size_t to;
	size_t best;
	size_t worst;
	int64_t longest; /* span of any iteration of any core */
};

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	enum form form;
	bool aggregate;
	bool given[NUMBERS];
	size_t number[NUMBERS];
	struct aie_factor factor[FACTORS];
	const char *hwid;
	const char *folder; /* -o */
	struct aie_rules rules;
	size_t expected;       /* iterations */
	struct rate core_rate; /* in GMAC/s, of one core, */
	struct rate rate;      /* and of all; */
	struct rate of_peak;   /* the part of the peak that either is */
	struct aie_traces traces;
	struct run *run; /* as traces.trace */
	int dur;
	uint64_t no_ts;
	struct buf unit; /* that the stream named, other than cycles */
	struct strmap damages;
	struct buf cell[COLUMNS]; /* of the row being written */
	struct table table;       /* -r, -M */
	struct table_column head[COLUMNS];
	struct buf scratch;
};

static const struct opt opts[] = {
	{OPT_NUMBER + M, "M", "N", "rows of the product that an iteration computes"},
	{OPT_NUMBER + K, "K", "N", "its inner dimension"},
	{OPT_NUMBER + N, "N", "N", "its columns"},
	{OPT_NUMBER + ROW, "row", "N", "rows of tiles that share the work"},
	{OPT_NUMBER + COL, "col", "N", "columns of tiles"},
	{OPT_NUMBER + WARMUP, "warmup", "N", "iterations that come first and do not count"},
	{OPT_NUMBER + ITERATIONS, "iterations", "N", "iterations behind them, which count"},
	{OPT_NUMBER + TILE_M, "m", "N",
     "M of one kernel: like --k, --n and --hwid, to be told in JSON"},
	{OPT_NUMBER + TILE_K, "k", "N", "K of one kernel"},
	{OPT_NUMBER + TILE_N, "n", "N", "N of one kernel"},
	{OPT_HWID, "hwid", "NAME", "what the trace was taken on"},
	{OPT_FACTOR + CLOCK, "clock", "GHZ", "the clock of the tiles (1.25)"},
	{OPT_NUMBER + PEAK_MACS, "peak-macs", "N",
     "MACs a cycle and core at best (64): adds utilization"},
	{OPT_PAIR, "pair", "WAY", "pair an end with the first begin left (greedy), or the latest"},
	{OPT_END, "end", "EDGE", "a kernel lasts to the end of its INSTR_EVENT_1, or to its begin"},
	{OPT_FACTOR + STALL_FACTOR, "stall-factor", "X", "a stall of X kernels parts iterations (20)"},
	{OPT_FACTOR + DUP_GAP, "dup-gap", "X", "events closer than X kernels are one (0.25)"},
	{OPT_FACTOR + OUTLIER_LO, "outlier-lo", "X", "leave out kernels under X medians (1/3)"},
	{OPT_FACTOR + OUTLIER_HI, "outlier-hi", "X", "leave out kernels over X medians (3)"},
	{OPT_AGGREGATE, "aggregate", NULL, "the iterations of all tiles together"},
	{'o', "output", "DIR", "also write a set of JSON and Markdown files there"},
	{'r', "report", NULL, "a report for people"},
	{'j', "json", NULL, "JSON"},
	{'M', "markdown", NULL, "a Markdown table"},
};

static const struct opt_usage usage = {
	"--M=N --K=N --N=N --row=N --col=N --warmup=N --iterations=N [OPTION...] [FILE...]",
	"Kernels, iterations and throughput of AMD AI Engine tiles.", opts, sizeof opts / sizeof *opts};

/* --- reading ------------------------------------------------------------- */

static void metadata(struct state *st)
{
	struct kev_reader *in = &st->in;
	bool process = str_equal(in->key, STR("process"));

	aie_traces_meta(&st->traces, in);
	if (str_equal(in->key, STR("unit")) && !str_equal(in->value, STR("cycles"))) {
		st->unit.len = 0;
		buf_str(&st->unit, in->value);
	} else if (str_equal(in->key, STR("damaged"))) {
		st->scratch.len = 0;
		tsv_unescape(&st->scratch, buf_view(&in->damage_file));
		buf_text(&st->scratch, ": ");
		tsv_unescape(&st->scratch, buf_view(&in->damage_what));
		strmap_add(&st->damages, buf_view(&st->scratch), NULL);
	}
	/* Names stay where a column pid is written. */
	if (!str_equal(in->key, STR("thread")) && !(process && st->aggregate))
		kev_pass_meta(&st->out, in);
}

static bool columns(struct state *st)
{
	st->dur = kev_column(&st->in, STR("dur"));
	return aie_traces_columns(&st->traces, &st->in);
}

/* False on an error, said in st->in.error. */
static bool row(struct state *st)
{
	struct kev_reader *in = &st->in;
	const struct str none = {"", 0}; /* a begin or an end has no duration */
	enum aie_row what = aie_traces_row(&st->traces, in);
	struct str dur = what != AIE_OTHER || st->dur == KEV_NONE ? none : in->field[st->dur];

	balance_in(&st->balance, dur);
	if (what == AIE_OTHER)
		balance_drop(&st->balance, OTHER, dur);
	if (what == AIE_NO_TS) {
		balance_drop(&st->balance, NO_TS, none);
		st->no_ts++;
		if (st->opts.strict)
			kev_error(in, "ts: a row without one");
	}
	return !in->error[0];
}

/* --- pairing ------------------------------------------------------------- */

static size_t iterations_of(const struct run *run, size_t c)
{
	return run->trace->core[c].tile->iterations;
}

/* By their rates; that of a runtime of 0 is 0. */
static bool faster(int64_t a, int64_t b)
{
	return a && (!b || a < b);
}

static void find_common(const struct state *st, struct run *run)
{
	const struct aie_trace *trace = run->trace;

	run->from = st->number[WARMUP];
	run->to = trace->cores ? st->expected : 0;
	for (size_t c = 0; c < trace->cores; c++) {
		if (iterations_of(run, c) < run->to)
			run->to = iterations_of(run, c);
	}
	if (run->to < run->from)
		run->to = run->from;
	run->best = run->worst = run->from;
	for (size_t i = run->from; i < run->to; i++) {
		int64_t cycles = aie_runtime(trace, i);

		if (faster(cycles, aie_runtime(trace, run->best)))
			run->best = i;
		if (faster(aie_runtime(trace, run->worst), cycles))
			run->worst = i;
	}
}

static void pair(struct state *st)
{
	st->run = mem_zero(st->traces.count, sizeof *st->run);
	for (size_t r = 0; r < st->traces.count; r++) {
		struct run *run = &st->run[r];

		run->trace = &st->traces.trace[r];
		for (size_t c = 0; c < run->trace->cores; c++) {
			struct aie_tile *tile = run->trace->core[c].tile;

			aie_pair(tile, &st->rules);
			for (size_t i = 0; i < tile->iterations; i++) {
				if (aie_span(tile, i) > run->longest)
					run->longest = aie_span(tile, i);
			}
		}
		find_common(st, run);
	}
}

/* --- figures ------------------------------------------------------------- */

/* How a quotient is written: for programs, for people, for people as a part of the whole. */
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

/* The numerator and denominator of a rate: their quotient is what counts, so any unit will do. */
static struct dec above(struct rate rate)
{
	return (struct dec){rate.work};
}

static struct dec below(struct rate rate, int64_t cycles)
{
	return (struct dec){(__int128)rate.per * cycles};
}

/* No cycles, no rate: 0. */
static void put_rate(struct buf *out, struct rate rate, int64_t cycles, enum style style)
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
 * The mean of the rates of the common iterations. Their denominators differ, so
 * they are added with some 18 digits before the point and nine behind.
 */
static void put_mean_rate(struct buf *out, const struct run *run, struct rate rate,
                          enum style style)
{
	int64_t best = aie_runtime(run->trace, run->best);
	int shift = 18 - (bits(rate.work) - bits(below(rate, best ? best : 1).nano)) * 3 / 10;
	struct buf text = {0};
	struct dec sum = {0};

	for (size_t i = run->from; i < run->to; i++) {
		int64_t cycles = aie_runtime(run->trace, i);
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

static void put_mean_runtime(struct buf *out, const struct run *run, enum style style)
{
	struct dec sum = {0};

	for (size_t i = run->from; i < run->to; i++)
		dec_add(&sum, dec_of(aie_runtime(run->trace, i)));
	put_quotient(out, sum, dec_of((int64_t)(run->to - run->from)), 0, style);
}

static const char *phase(const struct state *st, size_t i)
{
	if (i < st->number[WARMUP])
		return "warmup";
	return i < st->expected ? "perf" : "extra";
}

/* Why the iterations of a tile are not those expected; false where they are. */
static bool put_mismatch(const struct state *st, struct buf *out, const struct aie_core *core)
{
	size_t found = core->tile->iterations;

	if (found && found == st->expected)
		return false;
	buf_format(out, "%zu iterations found, %zu expected: ", found, st->expected);
	if (found == 0)
		buf_text(out, "there is no kernel");
	else if (found < st->expected)
		buf_text(out, "going on with those that were found");
	else
		buf_format(out, "those past the first %zu are labelled extra", st->expected);
	return true;
}

/* Whether a core has iterations. */
static bool has_rows(const struct run *run)
{
	for (size_t c = 0; c < run->trace->cores; c++) {
		if (iterations_of(run, c))
			return true;
	}
	return false;
}

/* Why a run without common iterations has none. */
static const char *no_aggregate(const struct run *run)
{
	return run->trace->cores ? "no iteration is in the performance window of every core"
	                         : "there is no core";
}

/* --- rows ---------------------------------------------------------------- */

static const struct layout details = {{TILE, ITERATION, PHASE, KERNELS, AVG, MIN, MAX, SPAN, GMACS},
                                      9};
static const struct layout of_tile = {
	{ITERATION, PHASE, KERNELS, AVG, MIN, MAX, SPAN, GMACS, UTILIZATION, BAR}, 10};
static const struct layout of_all = {{KIND, ITERATION, RUNTIME, GMACS, UTILIZATION, BAR}, 6};

/* The columns of the stream. */
static struct layout stream_layout(const struct state *st)
{
	static const struct layout tiles = {
		{TILE, PID, ITERATION, PHASE, KERNELS, AVG, MIN, MAX, SPAN, FIRST_START, LAST_END, GMACS},
		12};
	static const struct layout common = {{KIND, ITERATION, RUNTIME, GMACS}, 4};
	struct layout layout = st->aggregate ? common : tiles;

	if (st->given[PEAK_MACS])
		layout.at[layout.count++] = UTILIZATION;
	if (st->traces.files)
		layout.at[layout.count++] = SOURCE;
	return layout;
}

static void clear_cells(struct state *st)
{
	for (size_t i = 0; i < COLUMNS; i++)
		st->cell[i].len = 0;
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

/* Fills the cells for an iteration of a core. */
static void fill_iteration(struct state *st, const struct run *run, const struct aie_core *core,
                           size_t i, bool exact)
{
	struct aie_iteration it = aie_iteration(core->tile, i);
	struct buf *cell = st->cell;

	clear_cells(st);
	buf_str(&cell[TILE], core->name);
	buf_str(&cell[PID], core->pid);
	buf_format(&cell[ITERATION], "%zu", i);
	buf_text(&cell[PHASE], phase(st, i));
	buf_format(&cell[KERNELS], "%zu", it.kernels);
	put_quotient(&cell[AVG], dec_of(it.total), dec_of(it.kernels ? (int64_t)it.kernels : 1), 0,
	             exact ? EXACT : PLAIN);
	put_cycles(&cell[MIN], it.min);
	put_cycles(&cell[MAX], it.max);
	put_cycles(&cell[SPAN], it.span);
	if (it.kernels) {
		put_cycles(&cell[FIRST_START], it.first_start);
		put_cycles(&cell[LAST_END], it.last_end);
	}
	put_rate(&cell[GMACS], st->core_rate, it.span, exact ? EXACT : PLAIN);
	put_rate(&cell[UTILIZATION], st->of_peak, it.span, exact ? EXACT : PERCENT);
	put_bar(&cell[BAR], it.span, run->longest);
	buf_str(&cell[SOURCE], run->trace->file);
}

/* The same for one that all cores have. */
static void fill_common(struct state *st, const struct run *run, const char *kind, size_t i,
                        bool exact)
{
	int64_t cycles = aie_runtime(run->trace, i);
	struct buf *cell = st->cell;

	clear_cells(st);
	buf_text(&cell[KIND], kind);
	buf_format(&cell[ITERATION], "%zu", i);
	put_cycles(&cell[RUNTIME], cycles);
	put_rate(&cell[GMACS], st->rate, cycles, exact ? EXACT : PLAIN);
	put_rate(&cell[UTILIZATION], st->of_peak, cycles, exact ? EXACT : PERCENT);
	put_bar(&cell[BAR], cycles, run->longest);
	buf_str(&cell[SOURCE], run->trace->file);
}

static void fill_average(struct state *st, const struct run *run, bool exact)
{
	struct buf *cell = st->cell;

	clear_cells(st);
	buf_text(&cell[KIND], "average");
	put_mean_runtime(&cell[RUNTIME], run, exact ? EXACT : PLAIN);
	put_mean_rate(&cell[GMACS], run, st->rate, exact ? EXACT : PLAIN);
	put_mean_rate(&cell[UTILIZATION], run, st->of_peak, exact ? EXACT : PERCENT);
	buf_str(&cell[SOURCE], run->trace->file);
}

/* The table that -r or -M prints begins. */
static void begin_table(struct state *st, const struct layout *layout)
{
	table_free(&st->table);
	st->table = (struct table){.columns = st->head, .count = layout->count};
	for (size_t i = 0; i < layout->count; i++) {
		enum column c = layout->at[i];
		bool title = st->form == FORM_REPORT && column[c].title;

		st->head[i] =
			(struct table_column){title ? column[c].title : column[c].name, column[c].right};
	}
}

static void write_head(struct state *st, const struct layout *layout)
{
	struct str names[COLUMNS];

	for (size_t i = 0; i < layout->count; i++)
		names[i] = str_of(column[layout->at[i]].name);
	if (st->form == FORM_TSV)
		kev_columns(&st->out, names, layout->count);
	else
		begin_table(st, layout);
}

static void write_cells(struct state *st, const struct layout *layout)
{
	for (size_t i = 0; i < layout->count; i++) {
		struct str text = buf_view(&st->cell[layout->at[i]]);

		if (st->form == FORM_TSV)
			kev_field(&st->out, text);
		else
			table_cell(&st->table, text);
	}
	if (st->form == FORM_TSV)
		kev_row_end(&st->out);
}

static void write_common(struct state *st, const struct run *run, const struct layout *layout,
                         bool exact)
{
	for (size_t i = run->from; i < run->to; i++) {
		fill_common(st, run, "iteration", i, exact);
		write_cells(st, layout);
	}
	if (run->from == run->to)
		return;
	fill_average(st, run, exact);
	write_cells(st, layout);
	fill_common(st, run, "best", run->best, exact);
	write_cells(st, layout);
	fill_common(st, run, "worst", run->worst, exact);
	write_cells(st, layout);
}

static void write_tiles(struct state *st, const struct run *run, const struct layout *layout)
{
	for (size_t c = 0; c < run->trace->cores; c++) {
		const struct aie_core *core = &run->trace->core[c];

		for (size_t i = 0; i < core->tile->iterations; i++) {
			fill_iteration(st, run, core, i, true);
			write_cells(st, layout);
		}
	}
}

/* A text of the trace for a terminal: its control bytes are not passed on. */
static void print_name(struct output *out, struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		output_char(out, (unsigned char)name.s[i] < ' ' ? ' ' : name.s[i]);
}

/* What a reader of figures without a head must know. */
static void write_damages(struct state *st, const char *before)
{
	struct output *out = &st->out.out;

	if (st->damages.count)
		output_format(out, "%sThe input is damaged, and the figures with it:\n\n", before);
	for (size_t i = 0; i < st->damages.count; i++) {
		print_name(out, strmap_key(&st->damages, i));
		output_char(out, '\n');
	}
}

/* The default, and -M. */
static void write_table(struct state *st)
{
	struct layout layout = stream_layout(st);

	write_head(st, &layout);
	for (size_t r = 0; r < st->traces.count; r++) {
		if (st->aggregate)
			write_common(st, &st->run[r], &layout, true);
		else
			write_tiles(st, &st->run[r], &layout);
	}
	if (st->form == FORM_MARKDOWN) {
		table_markdown(&st->table, &st->out.out);
		write_damages(st, "\n");
	}
}

/* --- the report ---------------------------------------------------------- */

static void report_head(struct state *st, const struct run *run)
{
	struct output *out = &st->out.out;
	const size_t *number = st->number;
	struct buf *text = &st->scratch;

	text->len = 0;
	put_quotient(text, dec_of(st->factor[CLOCK].numerator), dec_of(st->factor[CLOCK].denominator),
	             0, EXACT);
	print_name(out, run->trace->file);
	output_format(out, "\nM=%zu K=%zu N=%zu on %zu x %zu tiles", number[M], number[K], number[N],
	              number[ROW], number[COL]);
	if (st->hwid) {
		output_text(out, " of ");
		print_name(out, str_of(st->hwid));
	}
	output_format(out, ", %.*s GHz, %zu MACs a cycle and core at best\n", (int)text->len,
	              text->data, number[PEAK_MACS]);
	output_format(out, "iterations: %zu of warmup, %zu that count\n\n", number[WARMUP],
	              number[ITERATIONS]);
}

static void report_tile(struct state *st, const struct run *run, const struct aie_core *core)
{
	struct output *out = &st->out.out;
	const struct aie_tile *tile = core->tile;
	struct buf *text = &st->scratch;

	print_name(out, core->name);
	output_text(out, ", pid ");
	print_name(out, core->pid);
	text->len = 0;
	if (tile->iterations) {
		buf_format(text, ": %zu kernels, median ", tile->starts.count);
		dec_print(text, tile->median);
		buf_text(text, " cycles,");
	} else {
		buf_text(text, ": no kernel");
	}
	output_str(out, buf_view(text));
	output_format(out, " of %zu begins and %zu ends\n", tile->all_starts, tile->all_ends);
	text->len = 0;
	if (put_mismatch(st, text, core)) {
		buf_char(text, '\n');
		output_str(out, buf_view(text));
	}
	begin_table(st, &of_tile);
	for (size_t i = 0; i < tile->iterations; i++) {
		fill_iteration(st, run, core, i, false);
		write_cells(st, &of_tile);
	}
	if (tile->iterations)
		table_print(&st->table, out);
	output_char(out, '\n');
}

static void report_common(struct state *st, const struct run *run)
{
	struct output *out = &st->out.out;

	if (run->from == run->to) {
		output_format(out, "All tiles: %s\n\n", no_aggregate(run));
		return;
	}
	output_text(out, "All tiles, an iteration as long as in the slowest of them\n");
	begin_table(st, &of_all);
	write_common(st, run, &of_all, false);
	table_print(&st->table, out);
	output_char(out, '\n');
}

/* Which tiles have how many iterations, where that is not the same in all. */
static void report_difference(struct state *st, const struct run *run)
{
	struct output *out = &st->out.out;
	bool same = true;

	for (size_t c = 1; c < run->trace->cores; c++)
		same &= iterations_of(run, c) == iterations_of(run, 0);
	if (same)
		return;
	output_text(out, "The tiles have not all the same number of iterations: those of one index may "
	                 "not belong together.\n");
	for (size_t c = 0; c < run->trace->cores; c++) {
		size_t iterations = iterations_of(run, c);
		bool told = false;

		for (size_t d = 0; d < c; d++)
			told |= iterations_of(run, d) == iterations;
		if (told)
			continue;
		output_format(out, "%zu in ", iterations);
		print_name(out, run->trace->core[c].name);
		for (size_t d = c + 1; d < run->trace->cores; d++) {
			if (iterations_of(run, d) != iterations)
				continue;
			output_text(out, "; ");
			print_name(out, run->trace->core[d].name);
		}
		output_char(out, '\n');
	}
	output_char(out, '\n');
}

static void write_report(struct state *st)
{
	for (size_t r = 0; r < st->traces.count; r++) {
		const struct run *run = &st->run[r];

		report_head(st, run);
		for (size_t c = 0; c < run->trace->cores && !st->aggregate; c++)
			report_tile(st, run, &run->trace->core[c]);
		report_common(st, run);
		report_difference(st, run);
	}
	write_damages(st, "");
}

/* --- JSON ---------------------------------------------------------------- */

/* A cell, whose text is a number, or null where it is empty. */
static void json_cell(const struct state *st, struct jsonw *w, const char *key, enum column c)
{
	struct str text = buf_view(&st->cell[c]);

	jsonw_raw(w, key, text.n ? text : STR("null"));
}

static void json_text(struct jsonw *w, const char *key, const char *text)
{
	if (text)
		jsonw_text(w, key, str_of(text));
	else
		jsonw_raw(w, key, STR("null"));
}

static void json_mismatch(struct state *st, struct jsonw *w, const char *key,
                          const struct aie_core *core)
{
	st->scratch.len = 0;
	if (put_mismatch(st, &st->scratch, core))
		jsonw_text(w, key, buf_view(&st->scratch));
	else if (key)
		jsonw_raw(w, key, STR("null"));
}

static void json_iteration(struct state *st, struct jsonw *w, const struct run *run,
                           const struct aie_core *core, size_t i)
{
	fill_iteration(st, run, core, i, true);
	jsonw_object(w, NULL);
	json_cell(st, w, "num_kernels", KERNELS);
	json_cell(st, w, "avg_duration_cycles", AVG);
	json_cell(st, w, "min_duration_cycles", MIN);
	json_cell(st, w, "max_duration_cycles", MAX);
	json_cell(st, w, "total_span_cycles", SPAN);
	json_cell(st, w, "first_start", FIRST_START);
	json_cell(st, w, "last_end", LAST_END);
	json_cell(st, w, "gmacs_per_second", GMACS);
	if (st->given[PEAK_MACS])
		json_cell(st, w, "utilization", UTILIZATION);
	json_cell(st, w, "iteration_index", ITERATION);
	jsonw_text(w, "phase", buf_view(&st->cell[PHASE]));
	jsonw_end_object(w);
	if (w->out == &st->out.out.buf) /* -j: nothing of it need be held */
		output_drain(&st->out.out);
}

static void json_tile(struct state *st, struct jsonw *w, const struct run *run,
                      const struct aie_core *core)
{
	const struct aie_tile *tile = core->tile;

	jsonw_object(w, NULL);
	if (json_is_number(core->pid))
		jsonw_raw(w, "pid", core->pid);
	else
		jsonw_text(w, "pid", core->pid);
	jsonw_text(w, "tile_name", core->name);
	if (tile->iterations) {
		st->scratch.len = 0;
		dec_print(&st->scratch, tile->median);
		jsonw_raw(w, "median_kernel_duration_cycles", buf_view(&st->scratch));
		jsonw_count(w, "lock_stall_boundary_count", tile->stall_ends.count);
	}
	jsonw_count(w, "detected_total_iterations", tile->iterations);
	jsonw_count(w, "expected_total_iterations", st->expected);
	json_mismatch(st, w, "mismatch_note", core);
	jsonw_array(w, "iterations");
	for (size_t i = 0; i < tile->iterations; i++)
		json_iteration(st, w, run, core, i);
	jsonw_end_array(w);
	jsonw_array(w, "performance_window");
	for (size_t i = st->number[WARMUP]; i < tile->iterations && i < st->expected; i++)
		jsonw_count(w, NULL, i);
	jsonw_end_array(w);
	jsonw_end_object(w);
}

/* The runtime and rate in the cells; of one iteration also which it is. */
static void json_common(struct state *st, struct jsonw *w, const char *key)
{
	jsonw_object(w, key);
	if (st->cell[ITERATION].len)
		json_cell(st, w, "iteration_index", ITERATION);
	json_cell(st, w, "runtime_cycles", RUNTIME);
	json_cell(st, w, "gmacs_per_second", GMACS);
	if (st->given[PEAK_MACS])
		json_cell(st, w, "utilization", UTILIZATION);
	jsonw_end_object(w);
}

static void json_aggregate(struct state *st, struct jsonw *w, const char *key,
                           const struct run *run)
{
	jsonw_object(w, key);
	if (run->from == run->to) {
		json_text(w, "note", no_aggregate(run));
		jsonw_end_object(w);
		return;
	}
	jsonw_array(w, "iterations_considered");
	for (size_t i = run->from; i < run->to; i++)
		jsonw_count(w, NULL, i);
	jsonw_end_array(w);
	jsonw_count(w, "count", run->to - run->from);
	fill_average(st, run, true);
	json_common(st, w, "average");
	fill_common(st, run, "best", run->best, true);
	json_common(st, w, "best");
	fill_common(st, run, "worst", run->worst, true);
	json_common(st, w, "worst");
	jsonw_array(w, "per_iteration");
	for (size_t i = run->from; i < run->to; i++) {
		fill_common(st, run, "iteration", i, true);
		json_common(st, w, NULL);
	}
	jsonw_end_array(w);
	json_text(w, "note", "of the iterations in the performance window of every core");
	jsonw_end_object(w);
}

/* Members that tell what a run is; folder is NULL where nothing is written to one. */
static void json_index(struct state *st, struct jsonw *w, const struct run *run, const char *folder)
{
	static const struct {
		const char *key;
		enum number number;
	} numbers[] = {{"M", M},           {"K", K},
	               {"N", N},           {"m", TILE_M},
	               {"k", TILE_K},      {"n", TILE_N},
	               {"rows", ROW},      {"cols", COL},
	               {"warmup", WARMUP}, {"iterations", ITERATIONS}};
	struct buf details_md = {0};

	json_text(w, "hwid", st->hwid);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (st->given[numbers[i].number])
			jsonw_count(w, numbers[i].key, st->number[numbers[i].number]);
		else
			jsonw_raw(w, numbers[i].key, STR("null"));
	}
	jsonw_text(w, "input_path", run->trace->file);
	json_text(w, "output_dir", folder);
	st->scratch.len = 0;
	put_quotient(&st->scratch, dec_of(st->factor[CLOCK].numerator),
	             dec_of(st->factor[CLOCK].denominator), 0, EXACT);
	jsonw_raw(w, "clock_GHz", buf_view(&st->scratch));
	jsonw_array(w, "notes");
	for (size_t c = 0; c < run->trace->cores; c++)
		json_mismatch(st, w, NULL, &run->trace->core[c]);
	jsonw_end_array(w);
	if (folder && has_rows(run))
		buf_format(&details_md, "%s/details.md%c", folder, '\0');
	json_text(w, "details_md", details_md.data);
	buf_free(&details_md);
	if (st->damages.count) {
		jsonw_array(w, "damaged");
		for (size_t i = 0; i < st->damages.count; i++)
			jsonw_text(w, NULL, strmap_key(&st->damages, i));
		jsonw_end_array(w);
	}
}

static void write_json(struct state *st)
{
	struct jsonw w = {.out = &st->out.out.buf};

	jsonw_object(&w, NULL);
	jsonw_array(&w, "runs");
	for (size_t r = 0; r < st->traces.count; r++) {
		const struct run *run = &st->run[r];

		jsonw_object(&w, NULL);
		json_index(st, &w, run, NULL);
		if (!st->aggregate) {
			jsonw_array(&w, "tiles");
			for (size_t c = 0; c < run->trace->cores; c++) {
				json_tile(st, &w, run, &run->trace->core[c]);
				output_drain(&st->out.out);
			}
			jsonw_end_array(&w);
		}
		json_aggregate(st, &w, "aggregate", run);
		jsonw_end_object(&w);
	}
	jsonw_end_array(&w);
	jsonw_end_object(&w);
}

/* --- files --------------------------------------------------------------- */

static void check_names(struct state *st, const struct run *run)
{
	struct strmap names = {0};
	char name[QUOTE_MAX];

	strmap_add(&names, STR("index"), NULL);
	strmap_add(&names, STR("aggregate_perf"), NULL);
	for (size_t c = 0; c < run->trace->cores; c++) {
		struct str tile = run->trace->core[c].name;
		bool new;

		if (!folder_is_name(tile))
			kev_die(&st->out, run->trace->file.s, 0, "-o: a tile is named %s, which no file can be",
			        quote(name, tile.s, tile.n));
		strmap_add(&names, tile, &new);
		if (!new)
			kev_die(&st->out, run->trace->file.s, 0,
			        "-o: a tile is named %s, and another file has that name",
			        quote(name, tile.s, tile.n));
	}
	strmap_free(&names);
}

static void write_file(struct state *st, int folder, const char *path, const char *name,
                       struct buf *text)
{
	struct replace file;

	replace_begin(&file, folder, name);
	replace_write(&file, buf_view(text));
	if (!replace_commit(&file))
		kev_die(&st->out, path, 0, "%s: %s", name, file.error);
	text->len = 0;
}

static void put_details(struct state *st, struct buf *out, const struct run *run)
{
	struct str cells[COLUMNS];

	buf_text(out, "<details><summary><strong>");
	if (st->hwid)
		buf_format(out, "[%s] ", st->hwid);
	buf_format(out, "M=%zu K=%zu N=%zu</strong></summary>\n\n", st->number[M], st->number[K],
	           st->number[N]);
	for (size_t i = 0; i < details.count; i++)
		cells[i] = str_of(column[details.at[i]].title);
	report_markdown_cells(out, cells, details.count);
	for (size_t i = 0; i < details.count; i++)
		buf_text(out, column[details.at[i]].right ? "| ---: " : "| --- ");
	buf_text(out, "|\n");
	for (size_t c = 0; c < run->trace->cores; c++) {
		for (size_t i = 0; i < iterations_of(run, c); i++) {
			fill_iteration(st, run, &run->trace->core[c], i, false);
			for (size_t j = 0; j < details.count; j++)
				cells[j] = buf_view(&st->cell[details.at[j]]);
			report_markdown_cells(out, cells, details.count);
		}
	}
	buf_text(out, "\n</details>\n");
}

/* The files of a run; index.json comes last, so that where it is, all are. */
static void write_files(struct state *st, const struct run *run, const char *path)
{
	struct buf text = {0};
	struct jsonw w = {.out = &text};
	char error[256];
	int folder = folder_to_fill(path, error);

	if (folder < 0)
		kev_die(&st->out, path, 0, "%s", error);
	for (size_t c = 0; c < run->trace->cores; c++) {
		struct buf name = {0};

		buf_str(&name, run->trace->core[c].name);
		buf_text(&name, ".json");
		buf_char(&name, '\0');
		json_tile(st, &w, run, &run->trace->core[c]);
		w.more = false;
		write_file(st, folder, path, name.data, &text);
		buf_free(&name);
	}
	if (has_rows(run)) {
		put_details(st, &text, run);
		write_file(st, folder, path, "details.md", &text);
	}
	json_aggregate(st, &w, NULL, run);
	w.more = false;
	write_file(st, folder, path, "aggregate_perf.json", &text);
	jsonw_object(&w, NULL);
	json_index(st, &w, run, path);
	jsonw_end_object(&w);
	write_file(st, folder, path, "index.json", &text);
	if (!replace_sync(folder))
		kev_die(&st->out, path, 0, "cannot be flushed to the disk: %s", strerror(errno));
	close(folder);
	buf_free(&text);
}

/* -o: several runs have a folder each in it, as their files would have the same names. */
static void write_folder(struct state *st)
{
	for (size_t r = 0; r < st->traces.count; r++)
		check_names(st, &st->run[r]);
	for (size_t r = 0; r < st->traces.count; r++) {
		struct buf path = {0};

		buf_text(&path, st->folder);
		if (st->traces.count > 1)
			buf_format(&path, "/run%zu", r);
		buf_char(&path, '\0');
		write_files(st, &st->run[r], path.data);
		buf_free(&path);
	}
}

/* --- the end ------------------------------------------------------------- */

/* A table of other iterations than one thinks should not go unnoticed. */
static void warn_of_mismatches(const struct state *st)
{
	struct buf first = {0};
	size_t cores = 0;
	size_t wrong = 0;

	for (size_t r = 0; r < st->traces.count; r++) {
		const struct run *run = &st->run[r];

		for (size_t c = 0; c < run->trace->cores; c++) {
			char name[QUOTE_MAX];

			cores++;
			if (iterations_of(run, c) == st->expected)
				continue;
			if (wrong++ == 0)
				buf_format(&first, "%s has %zu",
				           quote(name, run->trace->core[c].name.s, run->trace->core[c].name.n),
				           iterations_of(run, c));
		}
	}
	if (wrong)
		warn("tiles with another number of iterations than the %zu expected: %zu of %zu; %.*s",
		     st->expected, wrong, cores, (int)first.len, first.data);
	buf_free(&first);
}

/* Of a trace that lost events, pairing in turn finds too few kernels. */
static void warn_of_losses(const struct state *st)
{
	for (size_t r = 0; r < st->traces.count && !st->rules.latest; r++) {
		const struct run *run = &st->run[r];

		for (size_t c = 0; c < run->trace->cores; c++) {
			const struct aie_core *core = &run->trace->core[c];
			const struct aie_tile *tile = core->tile;
			size_t fewer = tile->all_starts < tile->all_ends ? tile->all_starts : tile->all_ends;
			char name[QUOTE_MAX];

			if (tile->starts.count >= fewer - fewer / 10)
				continue;
			warn("%s: %zu kernels are left of %zu begins and %zu ends; where events are lost, "
			     "--pair=latest finds the kernels that are whole",
			     quote(name, core->name.s, core->name.n), tile->starts.count, tile->all_starts,
			     tile->all_ends);
		}
	}
}

/* Whether there is anything to write. */
static bool has_answer(const struct state *st)
{
	for (size_t r = 0; r < st->traces.count; r++) {
		if (st->aggregate ? st->run[r].from < st->run[r].to : has_rows(&st->run[r]))
			return true;
	}
	return false;
}

static void check(struct state *st)
{
	uint64_t unnamed = st->traces.unnamed_rows;
	char unit[QUOTE_MAX];
	size_t cores = 0;

	for (size_t r = 0; r < st->traces.count; r++)
		cores += st->run[r].trace->cores;
	if (st->no_ts)
		warn("rows without ts, not counted: %llu", (unsigned long long)st->no_ts);
	if (st->traces.files && st->traces.renamed && st->traces.count > 1)
		kev_die(&st->out, st->in.file, 0,
		        "a process of one ##source has two names: were the head lines of several traces "
		        "sorted? sort -s keeps their order");
	if (unnamed && st->opts.strict)
		kev_die(&st->out, st->in.file, 0, "rows of processes without a name: %llu",
		        (unsigned long long)unnamed);
	if (unnamed)
		warn("rows of processes without a name, not counted: %llu", (unsigned long long)unnamed);
	if (cores && st->unit.len)
		kev_die(&st->out, st->in.file, 0,
		        "unit: %s, where the times of AI Engines are cycles: trace2tsv -u cycles",
		        quote(unit, st->unit.data, st->unit.len));
	for (size_t r = 0; r < st->traces.count && cores; r++) {
		if (st->traces.trace[r].cores == 0)
			warn("%s: no process is called core_trace", st->traces.trace[r].file.s);
	}
	if (cores == 0)
		warn("no process is called core_trace: its ##process lines name the cores of a trace");
	warn_of_losses(st);
	warn_of_mismatches(st);
	if (cores && !has_answer(st))
		warn("%s", st->aggregate ? "no iteration is in the performance window of every core"
		                         : "no core has a kernel");
	if (!has_answer(st))
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

static void finish(struct state *st)
{
	if (!st->traces.instructions)
		kev_die(&st->out, st->in.file, 0,
		        "no begin or end of an INSTR_EVENT: trace2tsv -p BEM writes them");
	aie_traces_find(&st->traces);
	pair(st);
	check(st);
	if (st->folder)
		write_folder(st);
	switch (st->form) {
	case FORM_TSV:
	case FORM_MARKDOWN:
		write_table(st);
		break;
	case FORM_REPORT:
		write_report(st);
		break;
	case FORM_JSON:
		write_json(st);
		break;
	}
	st->balance.out.rows = st->traces.core_rows;
	st->balance.dropped[NOT_CORE].rows = st->traces.other_rows;
	st->balance.dropped[UNNAMED].rows = st->traces.unnamed_rows;
	balance_print(&st->balance);
}

/* --- options ------------------------------------------------------------- */

static void number_option(struct state *st, enum number number)
{
	bool from_0 = number >= ROW && number <= ITERATIONS;

	st->number[number] = opts_number(&st->opts, from_0 ? 0 : 1);
	st->given[number] = true;
}

static void factor_option(struct state *st, enum factor factor)
{
	const char *arg = st->opts.arg;

	if (!aie_factor_parse(str_of(arg), &st->factor[factor]) ||
	    (factor == CLOCK && st->factor[factor].numerator == 0))
		opts_fail("%s: '%s' is not a number such as 0.25 or 1/3, %s and below a million",
		          st->opts.flag, arg, factor == CLOCK ? "above 0" : "0 or above");
}

/* Whether the option's word is the second of the two that it knows. */
static bool second_word(const struct opts *o, const char *first, const char *second)
{
	if (strcmp(o->arg, first) != 0 && strcmp(o->arg, second) != 0)
		opts_fail("%s: '%s' is neither %s nor %s", o->flag, o->arg, first, second);
	return strcmp(o->arg, second) == 0;
}

static void option(struct state *st, int letter)
{
	if (letter >= OPT_NUMBER && letter < OPT_FACTOR) {
		number_option(st, (enum number)(letter - OPT_NUMBER));
		return;
	}
	if (letter >= OPT_FACTOR && letter < OPT_OTHER) {
		factor_option(st, (enum factor)(letter - OPT_FACTOR));
		return;
	}
	switch (letter) {
	case OPT_HWID:
		st->hwid = st->opts.arg;
		break;
	case OPT_PAIR:
		st->rules.latest = second_word(&st->opts, "greedy", "latest");
		break;
	case OPT_END:
		st->traces.to_begin = second_word(&st->opts, "end", "begin");
		break;
	case OPT_AGGREGATE:
		st->aggregate = true;
		break;
	case 'o':
		if (!*st->opts.arg)
			opts_fail("-o: '' names nothing");
		st->folder = st->opts.arg;
		break;
	default:
		opts_form(letter, &st->form);
	}
}

/* The work of an iteration is M K N MACs, shared by all tiles; GHz make it billions a second. */
static void set_rates(struct state *st)
{
	const struct aie_factor *clock = &st->factor[CLOCK];
	const size_t *number = st->number;
	__int128 macs;
	__int128 work;
	int64_t tiles;
	int64_t per;
	int64_t peak;

	if (__builtin_mul_overflow(number[M], (__int128)number[K], &macs) ||
	    __builtin_mul_overflow(macs, number[N], &macs) ||
	    __builtin_mul_overflow(macs, clock->numerator, &work) ||
	    __builtin_mul_overflow(number[ROW], number[COL], &tiles))
		opts_fail("--M, --K, --N or --row, --col: the product is too large");
	tiles = tiles ? tiles : 1;
	if (__builtin_mul_overflow(tiles, clock->denominator, &per) ||
	    __builtin_mul_overflow(tiles, number[PEAK_MACS], &peak))
		opts_fail("--row, --col: there are too many tiles");
	st->core_rate = (struct rate){work, per};
	st->rate = (struct rate){work, clock->denominator};
	st->of_peak = (struct rate){macs, peak};
}

static void set_options(struct state *st)
{
	for (size_t i = 0; i <= ITERATIONS; i++) {
		if (!st->given[i])
			opts_fail("--%s is needed", opts[i].name);
	}
	if (__builtin_add_overflow(st->number[WARMUP], st->number[ITERATIONS], &st->expected))
		opts_fail("--warmup, --iterations: the sum is too large");
	set_rates(st);
	st->rules.stall_factor = st->factor[STALL_FACTOR];
	st->rules.dup_gap = st->factor[DUP_GAP];
	st->rules.outlier_lo = st->factor[OUTLIER_LO];
	st->rules.outlier_hi = st->factor[OUTLIER_HI];
}

int main(int argc, char **argv)
{
	struct state st = {
		.balance = {.unit = "cycles", .what = "rows", .reasons = reasons, .reasons_count = REASONS},
		.number = {[PEAK_MACS] = 64},
		.factor = {[CLOCK] = {5, 4},
	               [STALL_FACTOR] = {20, 1},
	               [DUP_GAP] = {1, 4},
	               [OUTLIER_LO] = {1, 3},
	               [OUTLIER_HI] = {3, 1}},
	};
	enum kev_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0)
		option(&st, letter);
	set_options(&st);
	st.balance.on = st.opts.verbose;
	/* A report has no head; what is damaged it says in its own words. */
	st.opts.no_head |= st.form != FORM_TSV;

	kev_open(&st.in, st.opts.operands, st.opts.operands_count);
	st.in.one_unit = true;
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			metadata(&st);
		else if (item == KEV_COLUMNS ? !columns(&st) : !row(&st))
			kev_fail(&st.out, &st.in);
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
