/*
 * ratio - M6: the predicted time of a forward pass over the measured one.
 *
 *	ratio predicted.kev measured.kev
 * gives
 *	#m6_ratio	empirical_hit_us	real_per_fwd_us	...
 *	1.02297785923	975.214	953.309	...
 *
 * Memory grows with the distinct collectives of the measured stream.
 */
#include <stdlib.h>

#include "answer/table.h"
#include "base/strmap.h"
#include "compare/side.h"
#include "kernel/collective.h"
#include "kernel/kernel.h"
#include "stream/kev.h"

/* Why a row of either side does not count. */
enum reason { SOURCE, NO_TYPE, NO_DUR, AICPU, NO_TS, DUPLICATE, REASONS };

static const char *const reasons[SIDES][REASONS] = {
	[PREDICTED] = {[SOURCE] = "another source", [NO_TYPE] = "no type", [NO_DUR] = "no dur above 0"},
	[MEASURED] = {[NO_TYPE] = "no type",
                  [NO_DUR] = "no dur",
                  [AICPU] = "AicpuKernel",
                  [NO_TS] = "a collective without ts",
                  [DUPLICATE] = "the same collective again"},
};

struct state {
	struct opts opts;
	struct kev_writer out;
	struct words filter; /* -S, sorted */
	enum form form;
	struct side side[SIDES];
	/* Columns of the prediction. */
	int dur;
	int type;
	int source;
	struct collective_columns at; /* of the measurement */
	struct collectives collectives;
	struct dec hit;     /* predicted */
	struct dec compute; /* measured */
	struct dec hcom;
	struct strmap predicted_sources; /* of all rows of the prediction */
	struct buf damages;              /* a line each, for the report */
	struct buf key;
	struct buf scratch;
};

static const struct opt opts[] = {
	{'S', "source", "SOURCE,...", "sources that count (MEASURED,INTERPOLATED)"},
	{'r', "report", NULL, "a report for people"},
	{'j', "json", NULL, "JSON"},
	{'M', "markdown", NULL, "a Markdown table"},
};

static const struct opt_usage usage = {
	"[-S SOURCE,...] [-r | -j | -M] PREDICTED MEASURED",
	"M6: the predicted time of a forward pass over the measured one.", opts,
	sizeof opts / sizeof *opts};

/* --- reading ------------------------------------------------------------- */

static bool columns(struct state *st, enum side_of which)
{
	struct kev_reader *in = &st->side[which].in;

	if (which == MEASURED)
		return collective_find(&st->at, in);
	return kev_need(in, STR("dur"), &st->dur) && kev_need(in, STR("type"), &st->type) &&
	       kev_need(in, STR("source"), &st->source);
}

static void add(struct side *side, struct dec *sum, struct dec dur)
{
	if (!dec_add(sum, dur))
		kev_error(&side->in, "dur: the sum is too large");
}

/* A row of the prediction counts where its source says that it was looked up, not computed. */
static void predicted(struct state *st, struct side *side)
{
	struct kev_reader *in = &side->in;
	struct str text = in->field[st->dur];
	struct dec dur = {0};
	bool has_dur = kev_number(in, st->dur, &dur);

	balance_in(&side->balance, text);
	strmap_add(&st->predicted_sources, kev_text(in, st->source, &st->scratch), NULL);
	if (!words_have(&st->filter, kev_text(in, st->source, &st->scratch))) {
		balance_drop(&side->balance, SOURCE, text);
	} else if (in->field[st->type].n == 0) {
		side_lacks(side, MISSING_KEY, in->tsv.line);
		balance_drop(&side->balance, NO_TYPE, text);
	} else if (!has_dur || dur.nano <= 0) {
		/* A predicted 0 (a view) is ordinary; a row without dur is not. */
		if (!has_dur)
			side_lacks(side, MISSING_DUR, in->tsv.line);
		balance_drop(&side->balance, NO_DUR, text);
	} else {
		add(side, &st->hit, dur);
		balance_out(&side->balance, text);
	}
}

static struct str text_of(struct state *st, struct dec dur)
{
	st->scratch.len = 0;
	dec_print(&st->scratch, dur);
	return buf_view(&st->scratch);
}

/* A kernel, or of a collective the longest record. */
static void count_measured(struct side *side, struct collective record, struct str text,
                           struct dec *sum)
{
	if (record.has_dur) {
		add(side, sum, record.dur);
		balance_out(&side->balance, text);
	} else {
		side_lacks(side, MISSING_DUR, record.line);
		balance_drop(&side->balance, NO_DUR, text);
	}
}

static void measured(struct state *st, struct side *side)
{
	struct kev_reader *in = &side->in;
	struct str text = in->field[st->at.dur];
	struct str type = in->field[st->at.type];
	struct dec ts = {0};
	struct collective record = {.line = in->tsv.line};
	struct collective dropped;
	bool has_ts = kev_number(in, st->at.ts, &ts);

	record.has_dur = kev_number(in, st->at.dur, &record.dur);
	balance_in(&side->balance, text);
	if (in->error[0])
		return;
	if (type.n == 0) {
		side_lacks(side, MISSING_KEY, record.line);
		balance_drop(&side->balance, NO_TYPE, text);
	} else if (kernel_kind(type) == KERNEL_AICPU) {
		balance_drop(&side->balance, AICPU, text);
	} else if (kernel_kind(type) == KERNEL_HCOM && !has_ts) {
		side_lacks(side, MISSING_TS, record.line);
		balance_drop(&side->balance, NO_TS, text);
	} else if (kernel_kind(type) == KERNEL_HCOM) {
		collective_key(&st->at, in, &st->key);
		if (collectives_add(&st->collectives, buf_view(&st->key), record, &dropped))
			balance_drop(&side->balance, DUPLICATE, text_of(st, dropped.dur));
	} else {
		count_measured(side, record, text, &st->compute);
	}
}

/* Of each collective what is known only now: its longest record. */
static void collectives(struct state *st, struct side *side)
{
	for (size_t i = 0; i < st->collectives.keys.count; i++) {
		struct collective record = st->collectives.kept[i];

		count_measured(side, record, text_of(st, record.dur), &st->hcom);
	}
}

static void read_side(struct state *st, enum side_of which)
{
	struct side *side = &st->side[which];
	struct kev_reader *in = &side->in;
	enum kev_item item;

	while ((item = kev_next(in)) > KEV_END) {
		if (item == KEV_META) {
			side_metadata(side, &st->out, &st->damages);
		} else if (item == KEV_COLUMNS) {
			columns(st, which);
		} else if (which == PREDICTED) {
			predicted(st, side);
		} else {
			measured(st, side);
		}
		if (in->error[0])
			break;
	}
	if (which == MEASURED && !in->error[0])
		collectives(st, side);
	if (in->error[0])
		kev_fail(&st->out, in);
	side_missing_warn(side);
}

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

static void write_json(struct state *st, const struct buf texts[FIELDS])
{
	struct jsonw w = {.out = &st->out.out.buf};

	jsonw_object(&w, NULL);
	for (size_t i = 0; i < FIELDS; i++) {
		if (i == FILTER) {
			jsonw_array(&w, names[i]);
			for (size_t j = 0; j < st->filter.count; j++)
				jsonw_text(&w, NULL, st->filter.item[j]);
			jsonw_end_array(&w);
		} else if (i < FILTER) {
			jsonw_raw(&w, names[i], buf_view(&texts[i]));
		} else {
			jsonw_text(&w, names[i], buf_view(&texts[i]));
		}
	}
	side_damages_json(&w, &st->damages);
	side_missing_json(&w, st->side);
	jsonw_end_object(&w);
}

static void write_markdown(struct state *st, const struct buf texts[FIELDS])
{
	struct output *out = &st->out.out;
	struct str cells[] = {STR("field"), STR("value")};

	table_markdown_row(&out->buf, cells, 2);
	table_markdown_rule(&out->buf, 2, true);
	for (size_t i = 0; i < FIELDS; i++) {
		cells[0] = str_of(names[i]);
		cells[1] = buf_view(&texts[i]);
		table_markdown_row(&out->buf, cells, 2);
	}
	side_damages_markdown(out, &st->damages);
	side_missing_markdown(out, st->side);
}

/* "  title:   1,234.5 us", and where it is wanted "  (1.2 ms)". */
static void report_line(struct state *st, const char *title, struct dec us, bool ms)
{
	struct output *out = &st->out.out;

	output_format(out, "%-21s", title);
	table_number(out, us, 1, 12);
	output_text(out, " us");
	if (ms) {
		struct buf text = {0};
		struct dec in_ms = {0};

		/* Rounded here, so that printing it with commas rounds nothing more. */
		dec_quotient_fixed(&text, us, dec_of(1000), 0, 1);
		dec_parse(buf_view(&text), &in_ms);
		output_text(out, " (");
		table_number(out, in_ms, 1, 0);
		output_text(out, " ms)");
		buf_free(&text);
	}
	output_char(out, '\n');
}

static void write_report(struct state *st, const struct buf texts[FIELDS], struct dec real)
{
	static const char rule[] = "============================================================\n";
	struct output *out = &st->out.out;
	struct buf m6 = {0};

	output_text(out, rule);
	output_text(out, "M6: Empirical E2E Prediction Ratio\n");
	output_text(out, rule);
	output_text(out, "\nTC trace:      ");
	output_str(out, buf_view(&texts[TC_TRACE]));
	output_text(out, "\nProf trace:    ");
	output_str(out, buf_view(&texts[PROF_TRACE]));
	output_text(out, "\nSource filter: ");
	output_str(out, buf_view(&texts[FILTER]));
	output_text(out, "\n\n");
	report_line(st, "Empirical HIT total:", st->hit, true);
	report_line(st, "Real per-fwd:", real, true);
	report_line(st, "  Compute:", st->compute, false);
	report_line(st, "  hcom:", st->hcom, false);
	if (real.nano && st->side[PREDICTED].balance.out.rows)
		dec_quotient_fixed(&m6, st->hit, real, 0, 3);
	else
		buf_text(&m6, "none");
	output_format(out, "\nM6 = %.*s (Empirical / Real)\n", (int)m6.len, m6.data);
	buf_free(&m6);
	side_damages_report(out, &st->damages);
	side_missing_report(out, st->side);
}

/* Why nothing of the prediction counts; a 0 must not pass for an answer. */
static void explain_nothing(struct state *st)
{
	struct strmap *sources = &st->predicted_sources;
	struct buf list = {0};
	struct buf filter = {0};

	for (size_t i = 0; i < sources->count; i++) {
		struct str source = strmap_key(sources, i);

		buf_text(&list, i ? ", " : "");
		buf_str(&list, source.n ? source : STR("(none)"));
	}
	join(&filter, &st->filter, ",");
	if (sources->count == 0)
		warn("the prediction has no rows: there is no ratio");
	else
		warn("no row of the prediction counts: it has the sources %.*s, and -S wants %.*s with a "
		     "type and a dur above 0%s",
		     (int)list.len, list.data, (int)filter.len, filter.data,
		     sources->count == 1 && strmap_key(sources, 0).n == 0
		         ? "; was the measurement given first?"
		         : "");
	buf_free(&list);
	buf_free(&filter);
	st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

static void finish(struct state *st)
{
	struct buf texts[FIELDS] = {{0}};
	struct dec real = st->compute;

	if (!dec_add(&real, st->hcom))
		kev_die(&st->out, st->side[MEASURED].in.file, 0, "dur: the sum is too large");
	if (real.nano)
		dec_quotient(&texts[RATIO], st->hit, real, 0);
	else
		buf_char(&texts[RATIO], '0');
	dec_print(&texts[HIT], st->hit);
	dec_print(&texts[REAL], real);
	dec_print(&texts[COMPUTE], st->compute);
	dec_print(&texts[HCOM], st->hcom);
	join(&texts[FILTER], &st->filter, st->form == FORM_REPORT ? ", " : ",");
	buf_str(&texts[TC_TRACE], side_source(&st->side[PREDICTED]));
	buf_str(&texts[PROF_TRACE], side_source(&st->side[MEASURED]));

	switch (st->form) {
	case FORM_TSV:
		write_tsv(st, texts);
		break;
	case FORM_REPORT:
		write_report(st, texts, real);
		break;
	case FORM_JSON:
		write_json(st, texts);
		break;
	case FORM_MARKDOWN:
		write_markdown(st, texts);
		break;
	}
	for (size_t i = 0; i < FIELDS; i++)
		buf_free(&texts[i]);
	if (real.nano == 0) {
		warn("the measured total is 0: there is no ratio to it");
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
	}
	if (st->side[PREDICTED].balance.out.rows == 0)
		explain_nothing(st);
	balance_print(&st->side[PREDICTED].balance);
	balance_print(&st->side[MEASURED].balance);
}

static int compare_words(const void *a, const void *b)
{
	return str_compare(*(const struct str *)a, *(const struct str *)b);
}

int main(int argc, char **argv)
{
	struct state st = {0};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		if (!opts_form(letter, &st.form))
			opts_words(&st.opts, &st.filter);
	}
	for (size_t i = 0; i < st.filter.count; i++)
		st.filter.item[i] = str_trim(st.filter.item[i]);
	if (st.filter.count == 0)
		words_add(&st.filter, "MEASURED,INTERPOLATED");
	qsort(st.filter.item, st.filter.count, sizeof *st.filter.item, compare_words);

	kev_writer_init(&st.out, &st.opts);
	/* A report has no head; what is damaged it says in its own words. */
	st.opts.no_head |= st.form != FORM_TSV;
	sides_open(st.side, &st.opts, "M6");
	for (int i = 0; i < SIDES; i++) {
		st.side[i].balance.reasons = reasons[i];
		st.side[i].balance.reasons_count = REASONS;
		/* It is by their type that rows are chosen. */
		st.side[i].missing[MISSING_KEY].ordinary = true;
		read_side(&st, (enum side_of)i);
	}
	finish(&st);
	for (int i = 0; i < SIDES; i++)
		side_close(&st.side[i]);
	return kev_finish(&st.out);
}
