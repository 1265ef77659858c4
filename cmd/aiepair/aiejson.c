#include "aiejson.h"

#include <errno.h>
#include <unistd.h>

#include "answer/jsonw.h"
#include "answer/table.h"
#include "base/plaintext.h"
#include "io/folder.h"
#include "io/replace.h"
#include "json/json.h"

#include "aiecells.h"

/* Writes to standard output, or the text of a file. */
struct writer {
	const struct aie_answer *answer;
	struct output *out;
	struct jsonw json;
	struct aie_cells cells;
	struct buf text;
};

static struct writer writer_to(const struct aie_answer *answer, struct output *out)
{
	return (struct writer){
		.answer = answer, .out = out, .json = {.out = &out->buf}, .cells = {.work = answer->work}};
}

static void writer_free(struct writer *to)
{
	aie_cells_free(&to->cells);
	buf_free(&to->text);
}

/* --- members ------------------------------------------------------------- */

static void put_text(struct writer *to, const char *key, const char *text)
{
	if (text)
		jsonw_text(&to->json, key, str_of(text));
	else
		jsonw_raw(&to->json, key, STR("null"));
}

/* A number. */
static void put_cell(struct writer *to, const char *key, enum aie_column column)
{
	struct str text = aie_cells_get(&to->cells, column);

	jsonw_raw(&to->json, key, text.n ? text : STR("null"));
}

/* Without a mismatch null, or in an array nothing. */
static void put_mismatch(struct writer *to, const char *key, const struct aie_core *core)
{
	to->text.len = 0;
	if (aie_work_mismatch(to->answer->work, core, &to->text))
		jsonw_text(&to->json, key, buf_view(&to->text));
	else if (key)
		jsonw_raw(&to->json, key, STR("null"));
}

/* From the cells, as the next function. */
static void put_rate(struct writer *to)
{
	put_cell(to, "gmacs_per_second", AIE_GMACS);
	if (to->answer->work->given[AIE_PEAK_MACS])
		put_cell(to, "utilization", AIE_UTILIZATION);
}

/* The runtime and rate, and the index unless it is the average. */
static void put_common(struct writer *to, const char *key)
{
	jsonw_object(&to->json, key);
	if (aie_cells_get(&to->cells, AIE_ITERATION).n)
		put_cell(to, "iteration_index", AIE_ITERATION);
	put_cell(to, "runtime_cycles", AIE_RUNTIME);
	put_rate(to);
	jsonw_end_object(&to->json);
}

/* The numbers [from, to). */
static void put_numbers(struct writer *to, const char *key, size_t from, size_t end)
{
	jsonw_array(&to->json, key);
	for (size_t i = from; i < end; i++)
		jsonw_count(&to->json, NULL, i);
	jsonw_end_array(&to->json);
}

/* --- a tile -------------------------------------------------------------- */

static void put_iteration(struct writer *to, const struct aie_run *run, const struct aie_core *core,
                          size_t i)
{
	aie_cells_iteration(&to->cells, run, core, i, false);
	jsonw_object(&to->json, NULL);
	put_cell(to, "num_kernels", AIE_KERNELS);
	put_cell(to, "avg_duration_cycles", AIE_AVG);
	put_cell(to, "min_duration_cycles", AIE_MIN);
	put_cell(to, "max_duration_cycles", AIE_MAX);
	put_cell(to, "total_span_cycles", AIE_SPAN);
	put_cell(to, "first_start", AIE_FIRST_START);
	put_cell(to, "last_end", AIE_LAST_END);
	put_rate(to);
	put_cell(to, "iteration_index", AIE_ITERATION);
	jsonw_text(&to->json, "phase", aie_cells_get(&to->cells, AIE_PHASE));
	jsonw_end_object(&to->json);
	output_drain(to->out);
}

static void put_tile(struct writer *to, const struct aie_run *run, const struct aie_core *core)
{
	const struct aie_work *work = to->answer->work;
	const struct aie_tile *tile = core->tile;
	size_t end = tile->iterations < work->expected ? tile->iterations : work->expected;
	struct jsonw *w = &to->json;

	jsonw_object(w, NULL);
	if (json_is_number(core->pid))
		jsonw_raw(w, "pid", core->pid);
	else
		jsonw_text(w, "pid", core->pid);
	jsonw_text(w, "tile_name", core->name);
	if (tile->iterations) {
		to->text.len = 0;
		dec_print(&to->text, tile->median);
		jsonw_raw(w, "median_kernel_duration_cycles", buf_view(&to->text));
		jsonw_count(w, "lock_stall_boundary_count", tile->stall_ends.count);
	}
	jsonw_count(w, "detected_total_iterations", tile->iterations);
	jsonw_count(w, "expected_total_iterations", work->expected);
	put_mismatch(to, "mismatch_note", core);
	jsonw_array(w, "iterations");
	for (size_t i = 0; i < tile->iterations; i++)
		put_iteration(to, run, core, i);
	jsonw_end_array(w);
	put_numbers(to, "performance_window", work->number[AIE_WARMUP], end);
	jsonw_end_object(w);
	output_drain(to->out);
}

/* --- a run --------------------------------------------------------------- */

/* The iterations that its cores have in common. */
static void put_aggregate(struct writer *to, const char *key, const struct aie_run *run)
{
	struct jsonw *w = &to->json;

	jsonw_object(w, key);
	if (run->from == run->to) {
		put_text(to, "note", aie_run_why_none(run));
		jsonw_end_object(w);
		return;
	}
	put_numbers(to, "iterations_considered", run->from, run->to);
	jsonw_count(w, "count", run->to - run->from);
	aie_cells_average(&to->cells, run, false);
	put_common(to, "average");
	aie_cells_common(&to->cells, run, "best", run->best, false);
	put_common(to, "best");
	aie_cells_common(&to->cells, run, "worst", run->worst, false);
	put_common(to, "worst");
	jsonw_array(w, "per_iteration");
	for (size_t i = run->from; i < run->to; i++) {
		aie_cells_common(&to->cells, run, "iteration", i, false);
		put_common(to, NULL);
	}
	jsonw_end_array(w);
	put_text(to, "note", "of the iterations in the performance window of every core");
	jsonw_end_object(w);
}

static void put_work(struct writer *to)
{
	static const struct {
		const char *key;
		enum aie_number number;
	} numbers[] = {{"M", AIE_M},           {"K", AIE_K},
	               {"N", AIE_N},           {"m", AIE_TILE_M},
	               {"k", AIE_TILE_K},      {"n", AIE_TILE_N},
	               {"rows", AIE_ROWS},     {"cols", AIE_COLS},
	               {"warmup", AIE_WARMUP}, {"iterations", AIE_ITERATIONS}};
	const struct aie_work *work = to->answer->work;

	put_text(to, "hwid", work->hwid);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (work->given[numbers[i].number])
			jsonw_count(&to->json, numbers[i].key, work->number[numbers[i].number]);
		else
			jsonw_raw(&to->json, numbers[i].key, STR("null"));
	}
}

/* The options and input of a run; folder is NULL if nothing is written to one. */
static void put_index(struct writer *to, const struct aie_run *run, const char *folder)
{
	const struct strmap *damages = to->answer->damages;
	struct jsonw *w = &to->json;

	put_work(to);
	jsonw_text(w, "input_path", run->trace->file);
	put_text(to, "output_dir", folder);
	to->text.len = 0;
	aie_work_clock(to->answer->work, &to->text);
	jsonw_raw(w, "clock_GHz", buf_view(&to->text));
	jsonw_array(w, "notes");
	for (size_t c = 0; c < run->trace->cores; c++)
		put_mismatch(to, NULL, &run->trace->core[c]);
	jsonw_end_array(w);
	to->text.len = 0;
	if (folder && aie_run_has_iterations(run))
		buf_format(&to->text, "%s/details.md", folder);
	jsonw_known(w, "details_md", buf_view(&to->text));
	if (damages->count) {
		jsonw_array(w, "damaged");
		for (size_t i = 0; i < damages->count; i++)
			jsonw_text(w, NULL, strmap_key(damages, i));
		jsonw_end_array(w);
	}
}

void aie_json_write(const struct aie_answer *answer, bool tiles)
{
	struct writer to = writer_to(answer, &answer->out->out);
	struct jsonw *w = &to.json;

	jsonw_object(w, NULL);
	jsonw_array(w, "runs");
	for (size_t r = 0; r < answer->count; r++) {
		const struct aie_run *run = &answer->runs[r];

		jsonw_object(w, NULL);
		put_index(&to, run, NULL);
		if (tiles) {
			jsonw_array(w, "tiles");
			for (size_t c = 0; c < run->trace->cores; c++)
				put_tile(&to, run, &run->trace->core[c]);
			jsonw_end_array(w);
		}
		put_aggregate(&to, "aggregate", run);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_end_object(w);
	writer_free(&to);
}

/* --- files --------------------------------------------------------------- */

static void check_names(const struct aie_answer *answer, const struct aie_run *run)
{
	struct strmap names = {0};
	char name[QUOTE_MAX];

	strmap_add(&names, STR("index"), NULL);
	strmap_add(&names, STR("aggregate_perf"), NULL);
	for (size_t c = 0; c < run->trace->cores; c++) {
		struct str tile = run->trace->core[c].name;
		bool new;

		if (!folder_is_name(tile))
			kev_die(answer->out, run->trace->file.s, 0,
			        "-o: a tile is named %s, which is not a file name",
			        quote(name, tile.s, tile.n));
		strmap_add(&names, tile, &new);
		if (!new)
			kev_die(answer->out, run->trace->file.s, 0,
			        "-o: a tile is named %s, and another file has that name",
			        quote(name, tile.s, tile.n));
	}
	strmap_free(&names);
}

/* Text between tags of HTML, in which Markdown has no escapes. */
static void put_html(struct buf *out, struct str text)
{
	struct buf plain = {0};

	plaintext_put(&plain, text);
	for (size_t i = 0; i < plain.len; i++) {
		if (plain.data[i] == '<')
			buf_text(out, "&lt;");
		else if (plain.data[i] == '&')
			buf_text(out, "&amp;");
		else
			buf_char(out, plain.data[i]);
	}
	buf_free(&plain);
}

static void put_details(struct writer *to, const struct aie_run *run)
{
	static const enum aie_column columns[] = {AIE_TILE,    AIE_ITERATION, AIE_PHASE,
	                                          AIE_KERNELS, AIE_AVG,       AIE_MIN,
	                                          AIE_MAX,     AIE_SPAN,      AIE_GMACS};
	enum { COUNT = sizeof columns / sizeof *columns };
	const struct aie_work *work = to->answer->work;
	struct buf *out = &to->out->buf;
	struct str cells[COUNT];

	buf_text(out, "<details><summary><strong>");
	if (work->hwid) {
		buf_char(out, '[');
		put_html(out, str_of(work->hwid));
		buf_text(out, "] ");
	}
	buf_format(out, "M=%zu K=%zu N=%zu</strong></summary>\n\n", work->number[AIE_M],
	           work->number[AIE_K], work->number[AIE_N]);
	for (size_t i = 0; i < COUNT; i++)
		cells[i] = str_of(aie_headings[columns[i]].title);
	table_markdown_row(out, cells, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		buf_text(out, aie_headings[columns[i]].right ? "| ---: " : "| --- ");
	buf_text(out, "|\n");
	for (size_t c = 0; c < run->trace->cores; c++) {
		for (size_t i = 0; i < aie_run_iterations(run, c); i++) {
			aie_cells_iteration(&to->cells, run, &run->trace->core[c], i, true);
			for (size_t j = 0; j < COUNT; j++)
				cells[j] = aie_cells_get(&to->cells, columns[j]);
			table_markdown_row(out, cells, COUNT);
		}
	}
	buf_text(out, "\n</details>\n");
}

/* The folder of a run. */
struct target {
	const char *path;
	int folder;
};

/* Makes a file of the text written so far. */
static void write_file(struct writer *to, struct target target, const char *name)
{
	char error[REPLACE_ERROR];

	if (!replace_file(target.folder, name, buf_view(&to->out->buf), error))
		kev_die(to->answer->out, target.path, 0, "%s: %s", name, error);
	to->out->buf.len = 0;
	to->json.more = false;
}

static void write_tile(struct writer *to, const struct aie_run *run, size_t c, struct target target)
{
	const struct aie_core *core = &run->trace->core[c];
	struct buf name = {0};

	buf_str(&name, core->name);
	buf_text(&name, ".json");
	buf_char(&name, '\0');
	put_tile(to, run, core);
	write_file(to, target, name.data);
	buf_free(&name);
}

static void write_files(const struct aie_answer *answer, const struct aie_run *run,
                        const char *path)
{
	struct output text = {.fd = -1};
	struct writer to = writer_to(answer, &text);
	char error[256];
	struct target target = {path, folder_to_fill(path, error)};

	if (target.folder < 0)
		kev_die(answer->out, path, 0, "%s", error);
	for (size_t c = 0; c < run->trace->cores; c++)
		write_tile(&to, run, c, target);
	if (aie_run_has_iterations(run)) {
		put_details(&to, run);
		write_file(&to, target, "details.md");
	}
	put_aggregate(&to, NULL, run);
	write_file(&to, target, "aggregate_perf.json");
	jsonw_object(&to.json, NULL);
	put_index(&to, run, path);
	jsonw_end_object(&to.json);
	write_file(&to, target, "index.json");
	if (!replace_sync(target.folder))
		kev_die(answer->out, path, 0, "cannot be flushed to the disk: %s", strerror(errno));
	close(target.folder);
	writer_free(&to);
	buf_free(&text.buf);
}

void aie_json_folder(const struct aie_answer *answer, const char *path)
{
	bool several = answer->count > 1;
	char error[256];
	int whole = -1;

	for (size_t r = 0; r < answer->count; r++)
		check_names(answer, &answer->runs[r]);
	/* Holds the folder around the runs, so that all of them come from one program. */
	if (several)
		whole = folder_to_fill(path, error);
	if (several && whole < 0)
		kev_die(answer->out, path, 0, "%s", error);
	for (size_t r = 0; r < answer->count; r++) {
		struct buf name = {0};

		buf_text(&name, path);
		if (several)
			buf_format(&name, "/run%zu", r);
		buf_char(&name, '\0');
		write_files(answer, &answer->runs[r], name.data);
		buf_free(&name);
	}
	if (several)
		close(whole);
}
