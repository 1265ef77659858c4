/*
 * aiepair - kernels, iterations and throughput of AMD AI Engine tiles.
 *
 *	##process	0	core_trace for tile0,2
 *	100			INSTR_EVENT_0		B	0	0
 *	500			INSTR_EVENT_1		E	0	1
 * gives a row for each iteration of each tile:
 *	#tile	pid	iteration	phase	kernels	mean	min	max	span	first_start	...
 *	tile0,2	0	0	warmup	1	400	400	400	400	100	...
 *
 * Memory grows with the events of kernels and stalls: at most 32 bytes for each.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "stream/balance.h"
#include "stream/kev.h"

#include "aiejson.h"
#include "aiereport.h"

enum reason { OTHER, NO_TS, NOT_CORE, UNNAMED, REASONS };

static const char *const reasons[REASONS] = {
	[OTHER] = "another event",
	[NO_TS] = "no ts",
	[NOT_CORE] = "of no core",
	[UNNAMED] = "of a process without a name",
};
BALANCE_FITS(reasons);

/* Options whose argument is a factor; those with a whole number are in aierun.h. */
enum factor { CLOCK, STALL_FACTOR, DUP_GAP, OUTLIER_LO, OUTLIER_HI, FACTORS };

enum {
	OPT_NUMBER = OPT_LONG,
	OPT_FACTOR = OPT_NUMBER + AIE_NUMBERS,
	OPT_OTHER = OPT_FACTOR + FACTORS
};
enum { OPT_HWID = OPT_OTHER, OPT_PAIR, OPT_END, OPT_AGGREGATE };

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	enum form form;
	bool aggregate;
	struct aie_work work;
	struct aie_factor factor[FACTORS];
	const char *folder; /* -o */
	struct aie_rules rules;
	struct aie_traces traces;
	struct aie_run *run; /* as traces.trace */
	int dur;
	uint64_t no_ts;
	struct buf unit; /* unit of the stream, if it is not cycles */
	struct strmap damages;
	struct strmap misuses; /* damages of wrong usage */
	struct buf scratch;
};

static const struct opt opts[] = {
	{OPT_NUMBER + AIE_M, "M", "N", "rows of the product that an iteration computes"},
	{OPT_NUMBER + AIE_K, "K", "N", "inner dimension of the product"},
	{OPT_NUMBER + AIE_N, "N", "N", "columns of the product"},
	{OPT_NUMBER + AIE_ROWS, "row", "N", "rows of tiles that share the work"},
	{OPT_NUMBER + AIE_COLS, "col", "N", "columns of tiles that share the work"},
	{OPT_NUMBER + AIE_WARMUP, "warmup", "N", "iterations at the beginning that do not count"},
	{OPT_NUMBER + AIE_ITERATIONS, "iterations", "N", "iterations after the warmup, which count"},
	{OPT_NUMBER + AIE_TILE_M, "m", "N", "M of one kernel; --m, --k, --n appear in JSON only"},
	{OPT_NUMBER + AIE_TILE_K, "k", "N", "K of one kernel"},
	{OPT_NUMBER + AIE_TILE_N, "n", "N", "N of one kernel"},
	{OPT_HWID, "hwid", "NAME", "the hardware, for JSON and reports"},
	{OPT_FACTOR + CLOCK, "clock", "GHZ", "clock of the tiles (default: 1.25)"},
	{OPT_NUMBER + AIE_PEAK_MACS, "peak-macs", "N",
     "add utilization: MACs per cycle and core at best (default: 64)"},
	{OPT_PAIR, "pair", "greedy|latest", "pair ends with begins by this way (default: greedy)"},
	{OPT_END, "end", "end|begin", "end a kernel at this edge of INSTR_EVENT_1 (default: end)"},
	{OPT_FACTOR + STALL_FACTOR, "stall-factor", "X",
     "stalls of at least X median kernels end an iteration (default: 20)"},
	{OPT_FACTOR + DUP_GAP, "dup-gap", "X",
     "events closer than X median kernels are one event (default: 0.25)"},
	{OPT_FACTOR + OUTLIER_LO, "outlier-lo", "X",
     "leave out kernels shorter than X medians (default: 1/3)"},
	{OPT_FACTOR + OUTLIER_HI, "outlier-hi", "X",
     "leave out kernels longer than X medians (default: 3)"},
	{OPT_AGGREGATE, "aggregate", NULL, "print the iterations that all tiles have in common"},
	{'o', "output", "DIR", "also write a set of JSON and Markdown files to DIR"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"--M=N --K=N --N=N --row=N --col=N --warmup=N --iterations=N [OPTION...] [FILE...]",
	"Print the kernels, iterations and throughput of AMD AI Engine tiles.", opts,
	sizeof opts / sizeof *opts};

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
		if (in->damage_is_usage)
			strmap_add(&st->misuses, buf_view(&st->scratch), NULL);
	}
	/* Names of processes explain the column pid, which --aggregate does not print. */
	if (!str_equal(in->key, STR("thread")) && !(process && st->aggregate))
		kev_pass_meta(&st->out, in);
}

static void columns(struct state *st)
{
	st->dur = kev_column(&st->in, STR("dur"));
	aie_traces_columns(&st->traces, &st->in);
}

static void row(struct state *st)
{
	const struct str none = {"", 0}; /* a begin or an end has no duration */
	enum aie_row what = aie_traces_row(&st->traces, &st->in);
	struct str dur = what != AIE_OTHER || st->dur == KEV_NONE ? none : st->in.field[st->dur];

	balance_in(&st->balance, dur);
	if (what == AIE_OTHER)
		balance_drop(&st->balance, OTHER, dur);
	if (what == AIE_NO_TS) {
		balance_drop(&st->balance, NO_TS, none);
		st->no_ts++;
		if (st->opts.strict)
			kev_error(&st->in, "a row without ts");
	}
}

/* --- the end ------------------------------------------------------------- */

/* The figures are of other iterations than the user expects. */
static void warn_of_mismatches(const struct state *st)
{
	struct buf first = {0};
	size_t cores = 0;
	size_t wrong = 0;

	for (size_t r = 0; r < st->traces.count; r++) {
		const struct aie_run *run = &st->run[r];

		for (size_t c = 0; c < run->trace->cores; c++) {
			char name[QUOTE_MAX];

			cores++;
			if (aie_run_iterations(run, c) == st->work.expected)
				continue;
			if (wrong++ == 0)
				buf_format(&first, "%s has %zu",
				           quote(name, run->trace->core[c].name.s, run->trace->core[c].name.n),
				           aie_run_iterations(run, c));
		}
	}
	if (wrong)
		warn("tiles with an unexpected number of iterations: %zu of %zu; %.*s, expected: %zu",
		     wrong, cores, (int)first.len, first.data, st->work.expected);
	buf_free(&first);
}

/* In a trace that lost events, greedy pairing finds too few kernels. */
static void warn_of_losses(const struct state *st)
{
	for (size_t r = 0; r < st->traces.count && !st->rules.latest; r++) {
		const struct aie_run *run = &st->run[r];

		for (size_t c = 0; c < run->trace->cores; c++) {
			const struct aie_core *core = &run->trace->core[c];
			const struct aie_tile *tile = core->tile;
			size_t fewer = tile->all_starts < tile->all_ends ? tile->all_starts : tile->all_ends;
			char name[QUOTE_MAX];

			if (tile->starts.count >= fewer - fewer / 10)
				continue;
			warn("%s: %zu kernels are left of %zu begins and %zu ends; if events are lost, "
			     "--pair=latest finds the complete kernels",
			     quote(name, core->name.s, core->name.n), tile->starts.count, tile->all_starts,
			     tile->all_ends);
		}
	}
}

/* Whether there is anything to write. */
static bool has_answer(const struct state *st)
{
	for (size_t r = 0; r < st->traces.count; r++) {
		if (st->aggregate ? st->run[r].from < st->run[r].to : aie_run_has_iterations(&st->run[r]))
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
		        "a process of one ##source has two names; if you sorted the head lines of several "
		        "traces, use sort -s, which keeps their order");
	if (unnamed && st->opts.strict)
		kev_die(&st->out, st->in.file, 0, "rows of processes without a name: %llu",
		        (unsigned long long)unnamed);
	if (unnamed)
		warn("rows of processes without a name, not counted: %llu", (unsigned long long)unnamed);
	if (cores && st->unit.len)
		kev_die_misuse(&st->out, st->in.file, 0,
		               "unit: %s; times of AI Engines are in cycles: use trace2tsv -u cycles",
		               quote(unit, st->unit.data, st->unit.len));
	for (size_t r = 0; r < st->traces.count && cores; r++) {
		if (st->traces.trace[r].cores == 0)
			warn("%s: no process name has core_trace", st->traces.trace[r].file.s);
	}
	if (cores == 0)
		warn("no process name has core_trace: there is no core, or its ##process line is lost");
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
	struct aie_answer answer;

	if (!st->traces.phases)
		kev_die_misuse(&st->out, st->in.file, 0,
		               "begins and ends are missing: use trace2tsv -p BEM");
	aie_traces_find(&st->traces);
	st->run = mem_zero(st->traces.count, sizeof *st->run);
	for (size_t r = 0; r < st->traces.count; r++)
		aie_run_pair(&st->run[r], &st->traces.trace[r], &st->rules, &st->work);
	answer = (struct aie_answer){.out = &st->out,
	                             .work = &st->work,
	                             .runs = st->run,
	                             .count = st->traces.count,
	                             .files = st->traces.files,
	                             .damages = &st->damages,
	                             .misuses = &st->misuses};
	check(st);
	if (st->folder)
		aie_json_folder(&answer, st->folder);
	switch (st->form) {
	case FORM_TSV:
	case FORM_MARKDOWN:
		aie_report_rows(&answer, st->form, st->aggregate);
		break;
	case FORM_REPORT:
		aie_report_text(&answer, st->aggregate);
		break;
	case FORM_JSON:
		aie_json_write(&answer, !st->aggregate);
		break;
	}
	st->balance.out.rows = st->traces.core_rows;
	st->balance.dropped[NOT_CORE].rows = st->traces.other_rows;
	st->balance.dropped[UNNAMED].rows = st->traces.unnamed_rows;
	balance_print(&st->balance);
}

/* --- options ------------------------------------------------------------- */

static void number_option(struct state *st, enum aie_number number)
{
	bool from_0 = number >= AIE_ROWS && number <= AIE_ITERATIONS;

	st->work.number[number] = opts_number(&st->opts, from_0 ? 0 : 1);
	st->work.given[number] = true;
}

static void factor_option(struct state *st, enum factor factor)
{
	const char *arg = st->opts.arg;

	if (!aie_factor_parse(str_of(arg), &st->factor[factor]) ||
	    (factor == CLOCK && st->factor[factor].numerator == 0))
		opts_fail("%s: '%s' is not a number such as 0.25 or 1/3, %s and below a million",
		          st->opts.flag, arg, factor == CLOCK ? "above 0" : "0 or above");
}

static void option(struct state *st, int letter)
{
	if (letter >= OPT_NUMBER && letter < OPT_FACTOR) {
		number_option(st, (enum aie_number)(letter - OPT_NUMBER));
		return;
	}
	if (letter >= OPT_FACTOR && letter < OPT_OTHER) {
		factor_option(st, (enum factor)(letter - OPT_FACTOR));
		return;
	}
	switch (letter) {
	case OPT_HWID:
		st->work.hwid = st->opts.arg;
		break;
	case OPT_PAIR:
		st->rules.latest = opts_second(&st->opts, "greedy", "latest");
		break;
	case OPT_END:
		st->traces.to_begin = opts_second(&st->opts, "end", "begin");
		break;
	case OPT_AGGREGATE:
		st->aggregate = true;
		break;
	case 'o':
		if (!*st->opts.arg)
			opts_fail("-o: the name is empty");
		st->folder = st->opts.arg;
		break;
	default:
		opts_form(letter, &st->form);
	}
}

static void set_options(struct state *st)
{
	for (size_t i = 0; i <= AIE_ITERATIONS; i++) {
		if (!st->work.given[i])
			opts_fail("--%s is missing", opts[i].name);
	}
	st->work.clock = st->factor[CLOCK];
	aie_work_set(&st->work);
	st->rules.stall_factor = st->factor[STALL_FACTOR];
	st->rules.dup_gap = st->factor[DUP_GAP];
	st->rules.outlier_lo = st->factor[OUTLIER_LO];
	st->rules.outlier_hi = st->factor[OUTLIER_HI];
}

int main(int argc, char **argv)
{
	struct state st = {
		.balance = {.unit = "cycles", .what = "rows", .reasons = reasons, .reasons_count = REASONS},
		.work = {.number = {[AIE_PEAK_MACS] = 64}},
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
	/* A report has no head; it reports damage in its own words. */
	st.opts.no_head |= st.form != FORM_TSV;

	kev_open(&st.in, &st.opts);
	st.in.one_unit = true;
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			metadata(&st);
		else if (item == KEV_COLUMNS)
			columns(&st);
		else
			row(&st);
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
