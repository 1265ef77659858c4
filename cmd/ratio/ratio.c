/*
 * ratio - print M6, the predicted time of a forward pass over the measured one.
 *
 *	ratio predicted.kev measured.kev
 * gives
 *	#m6_ratio	empirical_hit_us	real_per_fwd_us	...
 *	1.02297785923	975.214	953.309	...
 *
 * Memory grows with the distinct collectives of the measured stream.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer/damage.h"
#include "answer/table.h"
#include "base/plaintext.h"
#include "compare/passes.h"
#include "io/folder.h"
#include "stream/kev.h"

struct state {
	struct opts opts;
	struct words sources; /* -S, sorted */
	enum form form;
	const char *json_file; /* --json-output; NULL: none */
	struct kev_writer out;
	struct passes in;
	struct dec hit;     /* predicted */
	struct dec compute; /* measured */
	struct dec hcom;
	struct dec compute_negative; /* the negative part, as by dec_sum */
	struct dec hcom_negative;
	struct dec hit_negative;
};

enum { JSON_OUTPUT = OPT_LONG };

static const struct opt opts[] = {
	{'S', "source", "SOURCE,...", "sources that count (default: MEASURED,INTERPOLATED)"},
	OPT_FORMS,
	{JSON_OUTPUT, "json-output", "FILE", "also write JSON to this file"},
};

static const struct opt_usage usage = {
	"[-S SOURCE,...] [-r | -j | -M] [--json-output=FILE] PREDICTED MEASURED",
	"Print M6, the predicted time of a forward pass over the measured one.", opts,
	sizeof opts / sizeof *opts};

/* --- writing ------------------------------------------------------------- */

enum field { RATIO, HIT, REAL, COMPUTE, HCOM, FILTER, TC_TRACE, PROF_TRACE, FIELDS };

static const char *const names[FIELDS] = {
	[RATIO] = "m6_ratio",
	[HIT] = "empirical_hit_us",
	[REAL] = "real_per_fwd_us",
	[COMPUTE] = "selected_fwd_compute_us",
	[HCOM] = "selected_fwd_hcom_us",
	[FILTER] = "source_filter",
	[TC_TRACE] = "tc_trace",
	[PROF_TRACE] = "prof_trace",
};

static void join(struct buf *out, const struct words *words, const char *between)
{
	for (size_t i = 0; i < words->count; i++) {
		buf_text(out, i ? between : "");
		buf_str(out, words->item[i]);
	}
}

static void write_tsv(struct state *st, const struct buf texts[FIELDS])
{
	struct str heads[FIELDS];

	for (size_t i = 0; i < FIELDS; i++)
		heads[i] = str_of(names[i]);
	kev_columns(&st->out, heads, FIELDS);
	for (size_t i = 0; i < FIELDS; i++)
		kev_field(&st->out, buf_view(&texts[i]));
	kev_row_end(&st->out);
}

static void write_json(struct state *st, struct buf *out, const struct buf texts[FIELDS])
{
	struct jsonw w = {.out = out};

	jsonw_object(&w, NULL);
	for (size_t i = 0; i < FIELDS; i++) {
		if (i == FILTER) {
			jsonw_array(&w, names[i]);
			for (size_t j = 0; j < st->sources.count; j++)
				jsonw_text(&w, NULL, st->sources.item[j]);
			jsonw_end_array(&w);
		} else if (i < FILTER) {
			jsonw_figure(&w, names[i], buf_view(&texts[i]));
		} else {
			jsonw_text(&w, names[i], buf_view(&texts[i]));
		}
	}
	damage_json(&w, &st->in.damages);
	side_missing_json(&w, st->in.side);
	jsonw_end_object(&w);
}

static void write_json_file(struct state *st, const struct buf texts[FIELDS])
{
	struct buf json = {0};
	char error[256];

	write_json(st, &json, texts);
	if (!folder_put(st->json_file, buf_view(&json), error))
		kev_die(&st->out, st->json_file, 0, "%s", error);
	buf_free(&json);
}

static void write_markdown(struct state *st, const struct buf texts[FIELDS])
{
	struct output *out = &st->out.out;
	struct str cells[] = {STR("field"), STR("value")};

	table_markdown_row(&out->buf, cells, 2);
	table_markdown_rule(&out->buf, 2, true);
	for (size_t i = 0; i < FIELDS; i++) {
		cells[0] = str_of(names[i]);
		cells[1] = i == RATIO && texts[i].len == 0 ? STR("none") : buf_view(&texts[i]);
		table_markdown_row(&out->buf, cells, 2);
	}
	damage_markdown(out, &st->in.damages);
	side_missing_markdown(out, st->in.side);
}

static void put_text(struct output *out, const char *title, const struct buf *text)
{
	output_text(out, title);
	plaintext_put(&out->buf, buf_view(text));
	output_char(out, '\n');
}

static void put_time(struct output *out, const char *title, struct dec us)
{
	output_format(out, "%-22s", title);
	table_number(out, us, 1, 12);
	output_text(out, " us");
}

/* " (1.2 ms)". Rounded once: printing with commas then has nothing left to round. */
static void put_ms(struct output *out, struct dec us)
{
	struct buf text = {0};
	struct dec ms = {0};

	dec_quotient_fixed(&text, us, dec_of(1000), 0, 1);
	dec_parse(buf_view(&text), &ms);
	output_text(out, " (");
	table_number(out, ms, 1, 0);
	output_text(out, " ms)");
	buf_free(&text);
}

/* A 0 must not pass for an answer. */
static bool has_ratio(const struct state *st, struct dec real)
{
	return real.nano > 0 && st->in.side[PREDICTED].balance.out.rows;
}

static void put_times(struct state *st, struct dec real)
{
	struct output *out = &st->out.out;

	put_time(out, "\nEmpirical HIT total:", st->hit);
	put_ms(out, st->hit);
	put_time(out, "\nReal per-fwd:", real);
	put_ms(out, real);
	put_time(out, "\n  Compute:", st->compute);
	put_time(out, "\n  hcom:", st->hcom);
	output_char(out, '\n');
}

static void write_report(struct state *st, const struct buf texts[FIELDS], struct dec real)
{
	static const char rule[] = "============================================================\n";
	struct output *out = &st->out.out;
	struct buf m6 = {0};

	output_format(out, "%sM6: Empirical E2E Prediction Ratio\n%s\n", rule, rule);
	put_text(out, "TC trace:      ", &texts[TC_TRACE]);
	put_text(out, "Prof trace:    ", &texts[PROF_TRACE]);
	put_text(out, "Source filter: ", &texts[FILTER]);
	put_times(st, real);
	if (has_ratio(st, real))
		dec_quotient_fixed(&m6, st->hit, real, 0, 3);
	else
		buf_text(&m6, "none");
	output_format(out, "\nM6 = %.*s (Empirical / Real)\n", (int)m6.len, m6.data);
	buf_free(&m6);
	damage_report(out, &st->in.damages);
	side_missing_report(out, st->in.side);
}

static void explain_nothing(struct state *st)
{
	struct strmap *sources = &st->in.sources_seen;
	struct buf seen = {0};
	struct buf wanted = {0};
	bool no_source = sources->count == 1 && strmap_key(sources, 0).n == 0;

	for (size_t i = 0; i < sources->count; i++) {
		struct str source = strmap_key(sources, i);

		buf_text(&seen, i ? ", " : "");
		buf_str(&seen, source.n ? source : STR("(none)"));
	}
	join(&wanted, &st->sources, ",");
	if (sources->count == 0)
		warn("the prediction has no rows, so there is no ratio");
	else
		warn("no row of the prediction counts: none has a source of %.*s (-S), a type and a dur "
		     "above 0; its sources are %.*s%s",
		     (int)wanted.len, wanted.data, (int)seen.len, seen.data,
		     no_source ? "; was the measurement given first?" : "");
	buf_free(&seen);
	buf_free(&wanted);
	st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

static void finish(struct state *st)
{
	struct buf texts[FIELDS] = {{0}};
	struct dec real = st->compute;

	if (!dec_add(&real, st->hcom))
		kev_die(&st->out, st->in.side[MEASURED].in.file, 0, "dur: the sum is too large");
	if (has_ratio(st, real))
		dec_quotient(&texts[RATIO], st->hit, real, 0);
	dec_print(&texts[HIT], st->hit);
	dec_print(&texts[REAL], real);
	dec_print(&texts[COMPUTE], st->compute);
	dec_print(&texts[HCOM], st->hcom);
	join(&texts[FILTER], &st->sources, st->form == FORM_REPORT ? ", " : ",");
	buf_str(&texts[TC_TRACE], side_source(&st->in.side[PREDICTED]));
	buf_str(&texts[PROF_TRACE], side_source(&st->in.side[MEASURED]));

	if (st->json_file)
		write_json_file(st, texts);
	switch (st->form) {
	case FORM_TSV:
		write_tsv(st, texts);
		break;
	case FORM_REPORT:
		write_report(st, texts, real);
		break;
	case FORM_JSON:
		write_json(st, &st->out.out.buf, texts);
		break;
	case FORM_MARKDOWN:
		write_markdown(st, texts);
		break;
	}
	for (size_t i = 0; i < FIELDS; i++)
		buf_free(&texts[i]);
	if (real.nano <= 0) {
		warn("the measured total is %s0, so there is no ratio", real.nano < 0 ? "below " : "");
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
	}
	if (st->in.side[PREDICTED].balance.out.rows == 0)
		explain_nothing(st);
}

static bool is_input(const char *operand, const struct stat *file)
{
	struct stat input;
	int status = strcmp(operand, "-") == 0 ? fstat(STDIN_FILENO, &input) : stat(operand, &input);

	return status == 0 && input.st_dev == file->st_dev && input.st_ino == file->st_ino;
}

/* The JSON would replace an input. */
static void check_json_file(const struct state *st)
{
	struct stat file;

	if (!*st->json_file || strcmp(st->json_file, "-") == 0)
		opts_fail("--json-output: '%s' is not the name of a file", st->json_file);
	if (lstat(st->json_file, &file) != 0 || !S_ISREG(file.st_mode))
		return;
	for (int i = 0; i < st->opts.operands_count; i++)
		if (is_input(st->opts.operands[i], &file))
			opts_fail("--json-output: '%s' is an input; give the name of another file",
			          st->json_file);
}

int main(int argc, char **argv)
{
	struct state st = {0};
	enum passes_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		if (letter == JSON_OUTPUT)
			st.json_file = st.opts.arg;
		else if (!opts_form(letter, &st.form))
			opts_set(&st.opts, &st.sources);
	}
	if (st.sources.count == 0)
		words_add(&st.sources, "MEASURED,INTERPOLATED");
	words_sort(&st.sources);
	if (st.json_file)
		check_json_file(&st);

	kev_writer_init(&st.out, &st.opts);
	st.in.out = &st.out;
	st.in.sources = &st.sources;
	words_add(&st.in.keys, "type");
	passes_open(&st.in, &st.opts, st.form);
	while ((item = passes_next(&st.in)) > PASSES_END) {
		if (item == PASSES_PREDICTED)
			passes_add(&st.in, &st.hit, &st.hit_negative);
		else if (item == PASSES_MEASURED && st.in.is_collective)
			passes_add(&st.in, &st.hcom, &st.hcom_negative);
		else if (item == PASSES_MEASURED)
			passes_add(&st.in, &st.compute, &st.compute_negative);
	}
	if (item == PASSES_FAILED)
		kev_fail(&st.out, passes_reader(&st.in));
	finish(&st);
	passes_close(&st.in);
	return kev_finish(&st.out);
}
