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
#include <stdlib.h>

#include "aie/aiecells.h"
#include "aie/aiejson.h"
#include "answer/table.h"
#include "base/mem.h"
#include "base/strmap.h"
#include "stream/balance.h"
#include "stream/kev.h"

enum reason { OTHER, NO_TS, NOT_CORE, UNNAMED, REASONS };

static const char *const reasons[REASONS] = {
	[OTHER] = "another event",
	[NO_TS] = "no ts",
	[NOT_CORE] = "of no core",
	[UNNAMED] = "of a process without a name",
};

/* Options with a fraction behind them; those with a whole number are aierun.h's. */
enum factor { CLOCK, STALL_FACTOR, DUP_GAP, OUTLIER_LO, OUTLIER_HI, FACTORS };

enum {
	OPT_NUMBER = OPT_LONG,
	OPT_FACTOR = OPT_NUMBER + AIE_NUMBERS,
	OPT_OTHER = OPT_FACTOR + FACTORS
};
enum { OPT_HWID = OPT_OTHER, OPT_PAIR, OPT_END, OPT_AGGREGATE };

struct layout {
	enum aie_column at[AIE_COLUMNS];
	size_t count;
};

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
	struct buf unit; /* that the stream named, other than cycles */
	struct strmap damages;
	struct aie_cells cells; /* of the row being written */
	struct table table;     /* -r, -M */
	struct table_column head[AIE_COLUMNS];
	struct buf scratch;
};

static const struct opt opts[] = {
	{OPT_NUMBER + AIE_M, "M", "N", "rows of the product that an iteration computes"},
	{OPT_NUMBER + AIE_K, "K", "N", "its inner dimension"},
	{OPT_NUMBER + AIE_N, "N", "N", "its columns"},
	{OPT_NUMBER + AIE_ROWS, "row", "N", "rows of tiles that share the work"},
	{OPT_NUMBER + AIE_COLS, "col", "N", "columns of tiles"},
	{OPT_NUMBER + AIE_WARMUP, "warmup", "N", "iterations that come first and do not count"},
	{OPT_NUMBER + AIE_ITERATIONS, "iterations", "N", "iterations behind them, which count"},
	{OPT_NUMBER + AIE_TILE_M, "m", "N",
     "M of one kernel: like --k, --n and --hwid, to be told in JSON"},
	{OPT_NUMBER + AIE_TILE_K, "k", "N", "K of one kernel"},
	{OPT_NUMBER + AIE_TILE_N, "n", "N", "N of one kernel"},
	{OPT_HWID, "hwid", "NAME", "what the trace was taken on"},
	{OPT_FACTOR + CLOCK, "clock", "GHZ", "the clock of the tiles (1.25)"},
	{OPT_NUMBER + AIE_PEAK_MACS, "peak-macs", "N",
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

/* --- rows ---------------------------------------------------------------- */

static const struct layout of_tile = {{AIE_ITERATION, AIE_PHASE, AIE_KERNELS, AIE_AVG, AIE_MIN,
                                       AIE_MAX, AIE_SPAN, AIE_GMACS, AIE_UTILIZATION, AIE_BAR},
                                      10};
static const struct layout of_all = {
	{AIE_KIND, AIE_ITERATION, AIE_RUNTIME, AIE_GMACS, AIE_UTILIZATION, AIE_BAR}, 6};

/* The columns of the stream. */
static struct layout stream_layout(const struct state *st)
{
	static const struct layout tiles = {{AIE_TILE, AIE_PID, AIE_ITERATION, AIE_PHASE, AIE_KERNELS,
	                                     AIE_AVG, AIE_MIN, AIE_MAX, AIE_SPAN, AIE_FIRST_START,
	                                     AIE_LAST_END, AIE_GMACS},
	                                    12};
	static const struct layout common = {{AIE_KIND, AIE_ITERATION, AIE_RUNTIME, AIE_GMACS}, 4};
	struct layout layout = st->aggregate ? common : tiles;

	if (st->work.given[AIE_PEAK_MACS])
		layout.at[layout.count++] = AIE_UTILIZATION;
	if (st->traces.files)
		layout.at[layout.count++] = AIE_SOURCE;
	return layout;
}

/* The table that -r or -M prints begins. */
static void begin_table(struct state *st, const struct layout *layout)
{
	table_free(&st->table);
	st->table = (struct table){.columns = st->head, .count = layout->count};
	for (size_t i = 0; i < layout->count; i++) {
		const struct aie_heading *heading = &aie_headings[layout->at[i]];
		bool title = st->form == FORM_REPORT && heading->title;

		st->head[i] = (struct table_column){title ? heading->title : heading->name, heading->right};
	}
}

static void write_head(struct state *st, const struct layout *layout)
{
	struct str names[AIE_COLUMNS];

	for (size_t i = 0; i < layout->count; i++)
		names[i] = str_of(aie_headings[layout->at[i]].name);
	if (st->form == FORM_TSV)
		kev_columns(&st->out, names, layout->count);
	else
		begin_table(st, layout);
}

static void write_cells(struct state *st, const struct layout *layout)
{
	for (size_t i = 0; i < layout->count; i++) {
		struct str text = aie_cells_get(&st->cells, layout->at[i]);

		if (st->form == FORM_TSV)
			kev_field(&st->out, text);
		else
			table_cell(&st->table, text);
	}
	if (st->form == FORM_TSV)
		kev_row_end(&st->out);
}

static void write_common(struct state *st, const struct aie_run *run, const struct layout *layout,
                         bool people)
{
	for (size_t i = run->from; i < run->to; i++) {
		aie_cells_common(&st->cells, run, "iteration", i, people);
		write_cells(st, layout);
	}
	if (run->from == run->to)
		return;
	aie_cells_average(&st->cells, run, people);
	write_cells(st, layout);
	aie_cells_common(&st->cells, run, "best", run->best, people);
	write_cells(st, layout);
	aie_cells_common(&st->cells, run, "worst", run->worst, people);
	write_cells(st, layout);
}

static void write_tiles(struct state *st, const struct aie_run *run, const struct layout *layout)
{
	for (size_t c = 0; c < run->trace->cores; c++) {
		const struct aie_core *core = &run->trace->core[c];

		for (size_t i = 0; i < core->tile->iterations; i++) {
			aie_cells_iteration(&st->cells, run, core, i, false);
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
			write_common(st, &st->run[r], &layout, false);
		else
			write_tiles(st, &st->run[r], &layout);
	}
	if (st->form == FORM_MARKDOWN) {
		table_markdown(&st->table, &st->out.out);
		write_damages(st, "\n");
	}
}

/* --- the report ---------------------------------------------------------- */

static void report_head(struct state *st, const struct aie_run *run)
{
	struct output *out = &st->out.out;
	const size_t *number = st->work.number;
	struct buf *text = &st->scratch;

	text->len = 0;
	aie_work_clock(&st->work, text);
	print_name(out, run->trace->file);
	output_format(out, "\nM=%zu K=%zu N=%zu on %zu x %zu tiles", number[AIE_M], number[AIE_K],
	              number[AIE_N], number[AIE_ROWS], number[AIE_COLS]);
	if (st->work.hwid) {
		output_text(out, " of ");
		print_name(out, str_of(st->work.hwid));
	}
	output_format(out, ", %.*s GHz, %zu MACs a cycle and core at best\n", (int)text->len,
	              text->data, number[AIE_PEAK_MACS]);
	output_format(out, "iterations: %zu of warmup, %zu that count\n\n", number[AIE_WARMUP],
	              number[AIE_ITERATIONS]);
}

static void report_tile(struct state *st, const struct aie_run *run, const struct aie_core *core)
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
	if (aie_work_mismatch(&st->work, core, text)) {
		buf_char(text, '\n');
		output_str(out, buf_view(text));
	}
	begin_table(st, &of_tile);
	for (size_t i = 0; i < tile->iterations; i++) {
		aie_cells_iteration(&st->cells, run, core, i, true);
		write_cells(st, &of_tile);
	}
	if (tile->iterations)
		table_print(&st->table, out);
	output_char(out, '\n');
}

static void report_common(struct state *st, const struct aie_run *run)
{
	struct output *out = &st->out.out;

	if (run->from == run->to) {
		output_format(out, "All tiles: %s\n\n", aie_run_why_none(run));
		return;
	}
	output_text(out, "All tiles, an iteration as long as in the slowest of them\n");
	begin_table(st, &of_all);
	write_common(st, run, &of_all, true);
	table_print(&st->table, out);
	output_char(out, '\n');
}

/* Which tiles have how many iterations, where that is not the same in all. */
static void report_difference(struct state *st, const struct aie_run *run)
{
	struct output *out = &st->out.out;
	bool same = true;

	for (size_t c = 1; c < run->trace->cores; c++)
		same &= aie_run_iterations(run, c) == aie_run_iterations(run, 0);
	if (same)
		return;
	output_text(out, "The tiles have not all the same number of iterations: those of one index may "
	                 "not belong together.\n");
	for (size_t c = 0; c < run->trace->cores; c++) {
		size_t iterations = aie_run_iterations(run, c);
		bool told = false;

		for (size_t d = 0; d < c; d++)
			told |= aie_run_iterations(run, d) == iterations;
		if (told)
			continue;
		output_format(out, "%zu in ", iterations);
		print_name(out, run->trace->core[c].name);
		for (size_t d = c + 1; d < run->trace->cores; d++) {
			if (aie_run_iterations(run, d) != iterations)
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
		const struct aie_run *run = &st->run[r];

		report_head(st, run);
		for (size_t c = 0; c < run->trace->cores && !st->aggregate; c++)
			report_tile(st, run, &run->trace->core[c]);
		report_common(st, run);
		report_difference(st, run);
	}
	write_damages(st, "");
}

/* --- the end ------------------------------------------------------------- */

/* A table of other iterations than one thinks should not go unnoticed. */
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
		warn("tiles with another number of iterations than the %zu expected: %zu of %zu; %.*s",
		     st->work.expected, wrong, cores, (int)first.len, first.data);
	buf_free(&first);
}

/* Of a trace that lost events, pairing in turn finds too few kernels. */
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
	struct aie_answer answer;

	if (!st->traces.instructions)
		kev_die(&st->out, st->in.file, 0,
		        "no begin or end of an INSTR_EVENT: trace2tsv -p BEM writes them");
	aie_traces_find(&st->traces);
	st->run = mem_zero(st->traces.count, sizeof *st->run);
	for (size_t r = 0; r < st->traces.count; r++)
		aie_run_pair(&st->run[r], &st->traces.trace[r], &st->rules, &st->work);
	answer = (struct aie_answer){&st->out, &st->work, st->run, st->traces.count, &st->damages};
	check(st);
	if (st->folder)
		aie_json_folder(&answer, st->folder);
	switch (st->form) {
	case FORM_TSV:
	case FORM_MARKDOWN:
		write_table(st);
		break;
	case FORM_REPORT:
		write_report(st);
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
			opts_fail("-o: '' names nothing");
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
			opts_fail("--%s is needed", opts[i].name);
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
	st.cells.work = &st.work;
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
