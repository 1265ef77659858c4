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

#include "balance.h"
#include "json.h"
#include "kernel.h"
#include "kev.h"
#include "mem.h"
#include "report.h"
#include "strmap.h"

/* Why a row of either side does not count. */
enum reason { SOURCE, NO_TYPE, NO_TIME, AICPU, DUPLICATE, REASONS };

enum side_of { PREDICTED, MEASURED, SIDES };

static const char *const reasons[SIDES][REASONS] = {
	[PREDICTED] =
		{[SOURCE] = "another source", [NO_TYPE] = "no type", [NO_TIME] = "no dur above 0"},
	[MEASURED] = {[NO_TYPE] = "no type",
                  [NO_TIME] = "no ts or dur",
                  [AICPU] = "AicpuKernel",
                  [DUPLICATE] = "the same collective again"},
};

struct side {
	const char *title;
	struct kev_reader in;
	struct balance balance;
	struct buf sources; /* of the ##source lines, commas between them */
	uint64_t no_time;
	int ts;
	int dur;
	int type;
	int source;
	int pid;
	int file;
};

struct state {
	struct opts opts;
	struct kev_writer out;
	struct words filter; /* -S, sorted */
	enum { TSV, REPORT, JSON, MARKDOWN } form;
	struct side side[SIDES];
	struct strmap collectives;
	struct dec *longest; /* of each, by number */
	size_t longest_cap;
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

static bool columns(struct state *st, struct side *side)
{
	struct kev_reader *in = &side->in;

	side->pid = kev_column(in, STR("pid"));
	side->file = kev_column(in, STR("file"));
	if (!kev_need(in, STR("dur"), &side->dur) || !kev_need(in, STR("type"), &side->type))
		return false;
	if (side == &st->side[PREDICTED])
		return kev_need(in, STR("source"), &side->source);
	return kev_need(in, STR("ts"), &side->ts);
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
	struct str text = in->field[side->dur];
	struct dec dur = {0};
	bool has_dur = kev_number(in, side->dur, &dur);

	balance_in(&side->balance, text);
	strmap_add(&st->predicted_sources, kev_text(in, side->source, &st->scratch), NULL);
	if (!words_have(&st->filter, kev_text(in, side->source, &st->scratch))) {
		balance_drop(&side->balance, SOURCE, text);
	} else if (in->field[side->type].n == 0) {
		balance_drop(&side->balance, NO_TYPE, text);
	} else if (!has_dur || dur.nano <= 0) {
		/* A predicted 0 (a view) is ordinary; a row without dur is not. */
		side->no_time += !has_dur;
		balance_drop(&side->balance, NO_TIME, text);
	} else {
		add(side, &st->hit, dur);
		balance_out(&side->balance, text);
	}
}

/* A record of a collective: of equal ones the longest counts. */
static void collective(struct state *st, struct side *side, struct dec dur)
{
	struct str text = side->in.field[side->dur];
	bool new;
	size_t key = strmap_add(&st->collectives, buf_view(&st->key), &new);
	struct dec more = dur;

	st->longest = mem_grow(st->longest, &st->longest_cap, key + 1, sizeof *st->longest);
	if (new) {
		st->longest[key] = dur;
		add(side, &st->hcom, dur);
		balance_out(&side->balance, text);
		return;
	}
	if (!dec_subtract(&more, st->longest[key]))
		kev_error(&side->in, "dur: the sum is too large");
	if (more.nano > 0) {
		add(side, &st->hcom, more);
		add(side, &side->balance.out.time, more);
		st->scratch.len = 0;
		dec_print(&st->scratch, st->longest[key]);
		text = buf_view(&st->scratch);
		st->longest[key] = dur;
	}
	balance_drop(&side->balance, DUPLICATE, text);
}

static void measured(struct state *st, struct side *side)
{
	struct kev_reader *in = &side->in;
	struct str text = in->field[side->dur];
	struct str type = in->field[side->type];
	const struct str none = {"", 0};
	struct dec ts = {0};
	struct dec dur = {0};
	bool has_time = kev_number(in, side->ts, &ts);

	has_time &= kev_number(in, side->dur, &dur);
	balance_in(&side->balance, text);
	if (in->error[0])
		return;
	if (type.n == 0) {
		balance_drop(&side->balance, NO_TYPE, text);
	} else if (kernel_kind(type) == KERNEL_AICPU) {
		balance_drop(&side->balance, AICPU, text);
	} else if (!has_time) {
		side->no_time++;
		balance_drop(&side->balance, NO_TIME, text);
	} else if (kernel_kind(type) == KERNEL_HCOM) {
		kernel_hcom_key(&st->key, in->field[side->ts], type,
		                side->pid == KEV_NONE ? none : in->field[side->pid],
		                side->file == KEV_NONE ? none : in->field[side->file]);
		collective(st, side, dur);
	} else {
		add(side, &st->compute, dur);
		balance_out(&side->balance, text);
	}
}

static bool metadata(struct state *st, struct side *side)
{
	struct kev_reader *in = &side->in;

	if (str_equal(in->key, STR("source"))) {
		if (side->sources.len)
			buf_char(&side->sources, ',');
		tsv_unescape(&side->sources, in->value);
	}
	if (str_equal(in->key, STR("unit")) && !str_equal(in->value, STR("us"))) {
		char unit[QUOTE_MAX];

		kev_error(in, "unit: %s, where M6 is of times in us",
		          quote(unit, in->value.s, in->value.n));
		return false;
	}
	if (str_equal(in->key, STR("damaged"))) {
		buf_text(&st->damages, side->title);
		buf_text(&st->damages, ": ");
		tsv_unescape(&st->damages, buf_view(&in->damage_file));
		buf_text(&st->damages, ": ");
		tsv_unescape(&st->damages, buf_view(&in->damage_what));
		buf_char(&st->damages, '\n');
	}
	/* The tables of names are of no use beside a single row. */
	if (!str_equal(in->key, STR("process")) && !str_equal(in->key, STR("thread")))
		kev_pass_meta(&st->out, in);
	return true;
}

static void read_side(struct state *st, enum side_of which)
{
	struct side *side = &st->side[which];
	struct kev_reader *in = &side->in;
	enum kev_item item;

	while ((item = kev_next(in)) > KEV_END) {
		if (item == KEV_META) {
			metadata(st, side);
		} else if (item == KEV_COLUMNS) {
			columns(st, side);
		} else if (which == PREDICTED) {
			predicted(st, side);
		} else {
			measured(st, side);
		}
		if (st->opts.strict && side->no_time && !in->error[0])
			kev_error(in, "a row without ts or dur");
		if (in->error[0])
			break;
	}
	if (in->error[0])
		kev_fail(&st->out, in);
	if (side->no_time)
		warn("rows of %s without %s, not counted: %llu", side->title,
		     which == PREDICTED ? "dur" : "ts or dur", (unsigned long long)side->no_time);
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

/* Where the rows of a side came from: its ##source lines, else the file that was read. */
static struct str source_of(const struct side *side)
{
	return side->sources.len ? buf_view(&side->sources) : str_of(side->in.file);
}

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
	struct buf *out = &st->out.out.buf;

	buf_text(out, "{\n");
	for (size_t i = 0; i < FIELDS; i++) {
		buf_text(out, i ? ",\n  " : "  ");
		json_quote(out, str_of(names[i]));
		buf_text(out, ": ");
		if (i == FILTER) {
			buf_char(out, '[');
			for (size_t j = 0; j < st->filter.count; j++) {
				buf_text(out, j ? ", " : "");
				json_quote(out, st->filter.item[j]);
			}
			buf_char(out, ']');
		} else if (i < FILTER) {
			buf_str(out, buf_view(&texts[i]));
		} else {
			json_quote(out, buf_view(&texts[i]));
		}
	}
	if (st->damages.len) {
		struct str rest = {st->damages.data, st->damages.len};

		buf_text(out, ",\n  \"damaged\": [");
		while (rest.n) {
			size_t n = (size_t)((char *)memchr(rest.s, '\n', rest.n) - rest.s);

			json_quote(out, (struct str){rest.s, n});
			rest.s += n + 1;
			rest.n -= n + 1;
			buf_text(out, rest.n ? ", " : "");
		}
		buf_char(out, ']');
	}
	buf_text(out, "\n}\n");
}

static void write_markdown(struct state *st, const struct buf texts[FIELDS])
{
	struct output *out = &st->out.out;
	struct str cells[] = {STR("field"), STR("value")};

	report_markdown_row(out, cells, 2);
	report_markdown_rule(out, 2, true);
	for (size_t i = 0; i < FIELDS; i++) {
		cells[0] = str_of(names[i]);
		cells[1] = buf_view(&texts[i]);
		report_markdown_row(out, cells, 2);
	}
	if (st->damages.len) {
		output_text(out, "\n**The input is damaged, and the figures with it:**\n\n");
		output_str(out, buf_view(&st->damages));
	}
}

/* "  title:   1,234.5 us", and where it is wanted "  (1.2 ms)". */
static void report_line(struct state *st, const char *title, struct dec us, bool ms)
{
	struct output *out = &st->out.out;

	output_format(out, "%-21s", title);
	report_number(out, us, 1, 12);
	output_text(out, " us");
	if (ms) {
		struct buf text = {0};
		struct dec in_ms = {0};

		/* Rounded here, so that printing it with commas rounds nothing more. */
		dec_quotient_fixed(&text, us, dec_of(1000), 0, 1);
		dec_parse(buf_view(&text), &in_ms);
		output_text(out, " (");
		report_number(out, in_ms, 1, 0);
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
	if (st->damages.len) {
		output_text(out, "\nThe input is damaged, and the figures with it:\n");
		output_str(out, buf_view(&st->damages));
	}
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
	join(&texts[FILTER], &st->filter, st->form == REPORT ? ", " : ",");
	buf_str(&texts[TC_TRACE], source_of(&st->side[PREDICTED]));
	buf_str(&texts[PROF_TRACE], source_of(&st->side[MEASURED]));

	switch (st->form) {
	case TSV:
		write_tsv(st, texts);
		break;
	case REPORT:
		write_report(st, texts, real);
		break;
	case JSON:
		write_json(st, texts);
		break;
	case MARKDOWN:
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
	struct state st = {.form = TSV};
	static const char *const titles[SIDES] = {"the prediction", "the measurement"};
	static const char *const rows[SIDES] = {"predicted rows", "measured rows"};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'S':
			opts_words(&st.opts, &st.filter);
			break;
		case 'r':
			st.form = REPORT;
			break;
		case 'j':
			st.form = JSON;
			break;
		case 'M':
			st.form = MARKDOWN;
			break;
		}
	}
	if (st.opts.operands_count != SIDES)
		opts_fail("two streams are needed: PREDICTED and MEASURED");
	for (size_t i = 0; i < st.filter.count; i++)
		st.filter.item[i] = str_trim(st.filter.item[i]);
	if (st.filter.count == 0)
		words_add(&st.filter, "MEASURED,INTERPOLATED");
	qsort(st.filter.item, st.filter.count, sizeof *st.filter.item, compare_words);

	kev_writer_init(&st.out, &st.opts);
	/* A report has no head; what is damaged it says in its own words. */
	st.opts.no_head |= st.form != TSV;
	for (int i = 0; i < SIDES; i++) {
		struct side *side = &st.side[i];

		side->title = titles[i];
		side->balance = (struct balance){.on = st.opts.verbose,
		                                 .unit = "us",
		                                 .what = rows[i],
		                                 .reasons = reasons[i],
		                                 .reasons_count = REASONS};
		kev_open(&side->in, &st.opts.operands[i], 1);
		side->in.one_unit = true;
		read_side(&st, (enum side_of)i);
	}
	finish(&st);
	for (int i = 0; i < SIDES; i++)
		kev_close(&st.side[i].in);
	return kev_finish(&st.out);
}
