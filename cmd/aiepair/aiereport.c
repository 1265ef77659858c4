#include "aiereport.h"

#include "answer/table.h"
#include "base/plaintext.h"

struct layout {
	enum aie_column at[AIE_COLUMNS];
	size_t count;
};

struct report {
	const struct aie_answer *answer;
	struct output *out;
	enum form form;
	struct layout layout;   /* layout of the table being written */
	struct aie_cells cells; /* cells of the row being written */
	struct table table;     /* unless it is a stream */
	struct table_column head[AIE_COLUMNS];
	struct buf text;
};

static struct report report_of(const struct aie_answer *answer, enum form form)
{
	return (struct report){
		.answer = answer, .out = &answer->out->out, .form = form, .cells = {.work = answer->work}};
}

static void report_free(struct report *report)
{
	aie_cells_free(&report->cells);
	table_free(&report->table);
	buf_free(&report->text);
}

/* --- tables --------------------------------------------------------------- */

static void begin_stream(struct report *report)
{
	struct str names[AIE_COLUMNS];

	for (size_t i = 0; i < report->layout.count; i++)
		names[i] = str_of(aie_headings[report->layout.at[i]].name);
	kev_columns(report->answer->out, names, report->layout.count);
}

static void begin_table(struct report *report)
{
	table_free(&report->table);
	report->table = (struct table){.columns = report->head, .count = report->layout.count};
	for (size_t i = 0; i < report->layout.count; i++) {
		const struct aie_heading *heading = &aie_headings[report->layout.at[i]];
		bool title = report->form == FORM_REPORT && heading->title;

		report->head[i] =
			(struct table_column){title ? heading->title : heading->name, heading->right};
	}
}

static void begin(struct report *report, const struct layout *layout)
{
	report->layout = *layout;
	if (report->form == FORM_TSV)
		begin_stream(report);
	else
		begin_table(report);
}

/* Writes the row that stands in the cells. */
static void put_row(struct report *report)
{
	for (size_t i = 0; i < report->layout.count; i++) {
		struct str text = aie_cells_get(&report->cells, report->layout.at[i]);

		if (report->form == FORM_TSV)
			kev_field(report->answer->out, text);
		else
			table_cell(&report->table, text);
	}
	if (report->form == FORM_TSV)
		kev_row_end(report->answer->out);
}

static void put_tile(struct report *report, const struct aie_run *run, const struct aie_core *core)
{
	for (size_t i = 0; i < core->tile->iterations; i++) {
		aie_cells_iteration(&report->cells, run, core, i, report->form == FORM_REPORT);
		put_row(report);
	}
}

static void put_common(struct report *report, const struct aie_run *run)
{
	bool people = report->form == FORM_REPORT;

	for (size_t i = run->from; i < run->to; i++) {
		aie_cells_common(&report->cells, run, "iteration", i, people);
		put_row(report);
	}
	if (run->from == run->to)
		return;
	aie_cells_average(&report->cells, run, people);
	put_row(report);
	aie_cells_common(&report->cells, run, "best", run->best, people);
	put_row(report);
	aie_cells_common(&report->cells, run, "worst", run->worst, people);
	put_row(report);
}

/* The damages of wrong usage, or the others, below their title. False if there are none. */
static bool put_damages_of(struct report *report, bool usage, const char *before,
                           void (*put)(struct buf *out, struct str text))
{
	const struct strmap *damages = report->answer->damages;
	const struct strmap *misuses = report->answer->misuses;
	bool begun = false;

	for (size_t i = 0; i < damages->count; i++) {
		struct str damage = strmap_key(damages, i);

		if ((misuses && strmap_find(misuses, damage) != STRMAP_NONE) != usage)
			continue;
		if (!begun)
			output_format(report->out, "%s%s:\n\n", before,
			              usage ? "Wrong usage, so the figures are no answer"
			                    : "The input is damaged, and the figures with it");
		begun = true;
		put(&report->out->buf, damage);
		output_char(report->out, '\n');
	}
	return begun;
}

/* For readers of figures without a head. */
static void put_damages(struct report *report, const char *before,
                        void (*put)(struct buf *out, struct str text))
{
	bool begun = put_damages_of(report, true, before, put);

	put_damages_of(report, false, begun ? "\n" : before, put);
}

static struct layout rows_layout(const struct aie_answer *answer, bool aggregate)
{
	static const struct layout tiles = {{AIE_TILE, AIE_PID, AIE_ITERATION, AIE_PHASE, AIE_KERNELS,
	                                     AIE_AVG, AIE_MIN, AIE_MAX, AIE_SPAN, AIE_FIRST_START,
	                                     AIE_LAST_END, AIE_GMACS},
	                                    12};
	static const struct layout common = {{AIE_KIND, AIE_ITERATION, AIE_RUNTIME, AIE_GMACS}, 4};
	struct layout layout = aggregate ? common : tiles;

	if (answer->work->given[AIE_PEAK_MACS])
		layout.at[layout.count++] = AIE_UTILIZATION;
	if (answer->files)
		layout.at[layout.count++] = AIE_SOURCE;
	return layout;
}

void aie_report_rows(const struct aie_answer *answer, enum form form, bool aggregate)
{
	struct report report = report_of(answer, form);
	struct layout layout = rows_layout(answer, aggregate);

	begin(&report, &layout);
	for (size_t r = 0; r < answer->count; r++) {
		const struct aie_run *run = &answer->runs[r];

		if (aggregate)
			put_common(&report, run);
		for (size_t c = 0; c < run->trace->cores && !aggregate; c++)
			put_tile(&report, run, &run->trace->core[c]);
	}
	if (form == FORM_MARKDOWN) {
		table_markdown(&report.table, report.out);
		put_damages(&report, "\n", table_markdown_text);
	}
	report_free(&report);
}

/* --- the report ----------------------------------------------------------- */

static void put_text(struct report *report, struct str text)
{
	plaintext_put(&report->out->buf, text);
}

static void put_head(struct report *report, const struct aie_run *run)
{
	const struct aie_work *work = report->answer->work;
	const size_t *number = work->number;

	report->text.len = 0;
	aie_work_clock(work, &report->text);
	put_text(report, run->trace->file);
	output_format(report->out, "\nM=%zu K=%zu N=%zu on %zu x %zu tiles", number[AIE_M],
	              number[AIE_K], number[AIE_N], number[AIE_ROWS], number[AIE_COLS]);
	if (work->hwid) {
		output_text(report->out, " of ");
		put_text(report, str_of(work->hwid));
	}
	output_format(report->out, ", %.*s GHz, %zu MACs a cycle and core at best\n",
	              (int)report->text.len, report->text.data, number[AIE_PEAK_MACS]);
	output_format(report->out, "iterations: %zu of warmup, %zu that count\n\n", number[AIE_WARMUP],
	              number[AIE_ITERATIONS]);
}

static void put_tile_head(struct report *report, const struct aie_core *core)
{
	const struct aie_tile *tile = core->tile;
	struct buf *text = &report->text;

	put_text(report, core->name);
	output_text(report->out, ", pid ");
	put_text(report, core->pid);
	text->len = 0;
	if (tile->iterations) {
		buf_format(text, ": %zu kernels, median ", tile->starts.count);
		dec_print(text, tile->median);
		buf_text(text, " cycles,");
	} else {
		buf_text(text, ": no kernel");
	}
	buf_format(text, " of %zu begins and %zu ends\n", tile->all_starts, tile->all_ends);
	if (aie_work_mismatch(report->answer->work, core, text))
		buf_char(text, '\n');
	output_str(report->out, buf_view(text));
}

static void put_tile_table(struct report *report, const struct aie_run *run,
                           const struct aie_core *core)
{
	static const struct layout layout = {{AIE_ITERATION, AIE_PHASE, AIE_KERNELS, AIE_AVG, AIE_MIN,
	                                      AIE_MAX, AIE_SPAN, AIE_GMACS, AIE_UTILIZATION, AIE_BAR},
	                                     10};

	put_tile_head(report, core);
	begin(report, &layout);
	put_tile(report, run, core);
	if (core->tile->iterations)
		table_print(&report->table, report->out);
	output_char(report->out, '\n');
}

static void put_common_table(struct report *report, const struct aie_run *run)
{
	static const struct layout layout = {
		{AIE_KIND, AIE_ITERATION, AIE_RUNTIME, AIE_GMACS, AIE_UTILIZATION, AIE_BAR}, 6};

	if (run->from == run->to) {
		output_format(report->out, "All tiles: %s\n\n", aie_run_why_none(run));
		return;
	}
	output_text(report->out, "All tiles, an iteration as long as in the slowest of them\n");
	begin(report, &layout);
	put_common(report, run);
	table_print(&report->table, report->out);
	output_char(report->out, '\n');
}

/* A line of the tiles that have as many iterations as this tile, the first of them. */
static void put_tiles_like(struct report *report, const struct aie_run *run, size_t first)
{
	size_t iterations = aie_run_iterations(run, first);

	output_format(report->out, "%zu in ", iterations);
	put_text(report, run->trace->core[first].name);
	for (size_t c = first + 1; c < run->trace->cores; c++) {
		if (aie_run_iterations(run, c) != iterations)
			continue;
		output_text(report->out, "; ");
		put_text(report, run->trace->core[c].name);
	}
	output_char(report->out, '\n');
}

/* Which tiles have how many iterations, if they differ. */
static void put_differences(struct report *report, const struct aie_run *run)
{
	bool same = true;

	for (size_t c = 1; c < run->trace->cores; c++)
		same &= aie_run_iterations(run, c) == aie_run_iterations(run, 0);
	if (same)
		return;
	output_text(report->out, "The tiles differ in their number of iterations: iterations of one "
	                         "index may not belong together.\n");
	for (size_t c = 0; c < run->trace->cores; c++) {
		size_t like = 0;

		while (aie_run_iterations(run, like) != aie_run_iterations(run, c))
			like++;
		if (like == c)
			put_tiles_like(report, run, c);
	}
	output_char(report->out, '\n');
}

void aie_report_text(const struct aie_answer *answer, bool aggregate)
{
	struct report report = report_of(answer, FORM_REPORT);

	for (size_t r = 0; r < answer->count; r++) {
		const struct aie_run *run = &answer->runs[r];

		put_head(&report, run);
		for (size_t c = 0; c < run->trace->cores && !aggregate; c++)
			put_tile_table(&report, run, &run->trace->core[c]);
		put_common_table(&report, run);
		put_differences(&report, run);
	}
	put_damages(&report, "", plaintext_put);
	report_free(&report);
}
