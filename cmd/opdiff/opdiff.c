/*
 * opdiff - compare a predicted forward pass with the measured one, kernel type by kernel type.
 *
 *	opdiff predicted.kev measured.kev
 * gives
 *	#kernel_type	tc_funcs	tc_total_us	tc_count	prof_per_fwd_us	...
 *	MatMulV2	aten.mm.default	273.7	12	184.5	...
 *
 * Memory grows with the kernel types, and with the distinct collectives of the measured stream.
 */
#include <stdlib.h>

#include "answer/damage.h"
#include "answer/table.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "compare/gate.h"
#include "compare/passes.h"
#include "stream/kev.h"

#include "ops.h"

#define TITLE " — TC vs Profiling per-forward\n\n"

struct state {
	struct opts opts;
	size_t passes; /* --passes */
	size_t first;  /* -n; 0 if it was not given */
	enum form form;
	bool chinese;
	const char *name;
	struct gate gate; /* --fail-over */
	struct kev_writer out;
	struct passes in;
	int func;     /* column of the prediction; may be KEV_NONE */
	bool swapped; /* the measurement has the columns of opmap's output */
	struct ops ops;
	struct buf scratch;
};

enum { PASSES = OPT_LONG, LANG, NAME, FAIL_OVER };

static const struct opt opts[] = {
	{PASSES, "passes", "N", "number of forward passes in the profile (default: 1)"},
	{'k', "key", "COL,...", "columns to join by (default: type)"},
	{'n', "first", "N", "print the first N rows, and one for the rest (-r, -M: default: 15)"},
	OPT_FORMS,
	{NAME, "name", "NAME", "name of the comparison for -r, -j, -M (default: the predicted trace)"},
	{LANG, "lang", "en|zh", "language of the titles and of status (default: en)"},
	{FAIL_OVER, "fail-over", "[COL:]LIMIT",
     "exit 3 if the total error is above LIMIT, such as 5% or 30us"},
};

static const struct opt_usage usage = {
	"[--passes=N] [-k COL,...] [-n N] [-r | -j | -M] [--fail-over=[COL:]LIMIT]\n"
	"              PREDICTED MEASURED",
	"Compare a predicted forward pass with the measured one, kernel type by kernel type.", opts,
	sizeof opts / sizeof *opts};

/* --- columns of the answer ----------------------------------------------- */

/* Those after the keys; from TC_TOTAL to SHARE they are figures. */
enum column {
	TC_FUNCS,
	TC_TOTAL,
	TC_COUNT,
	PROF,
	PROF_COUNT,
	ERROR,
	COUNT_ERROR,
	SHARE,
	STATUS,
	COLUMNS
};

static const struct {
	const char *name;     /* in a stream and in JSON */
	const char *title[2]; /* in a table: English, Chinese; NULL if it is not in there */
} answer_column[COLUMNS] = {
	[TC_FUNCS] = {"tc_funcs", {NULL, NULL}},
	[TC_TOTAL] = {"tc_total_us", {"TC(us)", "TC(μs)"}},
	[TC_COUNT] = {"tc_count", {"TC count", "TC次数"}},
	[PROF] = {"prof_per_fwd_us", {"Prof(us)", "Prof(μs)"}},
	[PROF_COUNT] = {"prof_count", {"Prof count", "Prof次数"}},
	[ERROR] = {"error_pct", {"error", "延迟误差"}},
	[COUNT_ERROR] = {"count_error_pct", {"count error", "次数误差"}},
	[SHARE] = {"prof_share_pct", {"Prof share", "Prof占比"}},
	[STATUS] = {"status", {"status", "状态"}},
};

static bool is_figure(size_t column)
{
	return column >= TC_TOTAL && column <= SHARE;
}

/* The name that a column to join by has in the answer. */
static struct str key_name(struct str column)
{
	return str_equal(column, STR("type")) ? STR("kernel_type") : column;
}

static void set_keys(struct words *keys)
{
	if (keys->count == 0)
		words_add(keys, "type");
	for (size_t i = 0; i < keys->count; i++) {
		struct str name = keys->item[i];
		bool taken = str_equal(name, STR("kernel_type"));

		for (size_t j = 0; j < COLUMNS; j++)
			taken |= str_equal(name, str_of(answer_column[j].name));
		if (taken)
			opts_fail("-k: '%s' is a column of the table already", name.s);
	}
	opts_distinct("-k", keys);
}

/* --- reading ------------------------------------------------------------- */

static void columns(struct state *st)
{
	const struct kev_reader *in = passes_reader(&st->in);
	int func = kev_column(in, STR("func"));

	if (st->in.at == MEASURED) {
		st->swapped |= func != KEV_NONE && kev_column(in, STR("status")) != KEV_NONE;
		return;
	}
	st->func = func == KEV_NONE ? kev_column(in, STR("name")) : func;
}

static void predicted(struct state *st)
{
	struct op *op = ops_get(&st->ops, passes_key(&st->in));

	passes_add(&st->in, &op->tc, &op->tc_negative);
	op->tc_count++;
	op->misses += !st->in.hit;
	ops_add_func(&st->ops, op, kev_text(passes_reader(&st->in), st->func, &st->scratch));
}

static void measured(struct state *st)
{
	struct op *op = ops_get(&st->ops, passes_key(&st->in));

	passes_add(&st->in, &op->prof, &op->prof_negative);
	op->prof_count++;
}

/* --- figures ------------------------------------------------------------- */

/*
 * Rows of a stream are exact, or have 12 digits; people and JSON get the places. A denominator of
 * 0, as when nothing was measured, makes 0; one below 0 makes nothing.
 */
static void put_quotient(const struct state *st, struct buf *out, struct dec numerator,
                         struct dec denominator, int shift, int places)
{
	const struct dec one = dec_of(1);

	if (denominator.nano < 0)
		return;
	if (denominator.nano == 0) {
		numerator = dec_of(0);
		denominator = one;
	}
	if (st->form != FORM_TSV)
		dec_quotient_fixed(out, numerator, denominator, shift, places);
	else if (dec_compare(denominator, one) == 0 && shift == 0)
		dec_print(out, numerator);
	else
		dec_quotient(out, numerator, denominator, shift);
}

static void put_figures(struct state *st, const struct op *op, struct dec total_prof,
                        struct buf cell[COLUMNS])
{
	const struct dec one = dec_of(1);
	struct dec passes = {(__int128)st->passes * one.nano};
	struct dec prof_count = dec_of((int64_t)op->prof_count);

	put_quotient(st, &cell[TC_TOTAL], op->tc, one, 0, 1);
	put_quotient(st, &cell[TC_COUNT], dec_of((int64_t)op->tc_count), one, 0, 0);
	put_quotient(st, &cell[PROF], op->prof, passes, 0, 1);
	put_quotient(st, &cell[PROF_COUNT], prof_count, passes, 0, 0);
	put_quotient(st, &cell[ERROR], op->error, op->prof, 2, 1);
	put_quotient(st, &cell[COUNT_ERROR], op->count_error, prof_count, 2, 1);
	put_quotient(st, &cell[SHARE], op->prof, total_prof, 2, 1);
}

static const char *status_of(const struct state *st, const struct op *op)
{
	if (op->tc_count == 0)
		return st->chinese ? "TC未建模" : "UNMODELED";
	if (op->misses == 0)
		return "HIT";
	return op->misses == op->tc_count ? "MISS" : "PARTIAL";
}

/* --- writing ------------------------------------------------------------- */

struct answer {
	struct dec total_prof;
	struct table table; /* table of a report or Markdown */
	struct jsonw json;
	struct buf cell[COLUMNS]; /* cells of the row at hand */
};

static struct str key_text(struct state *st, struct str key, size_t index)
{
	return tsv_text(tsv_field(key, index), &st->scratch);
}

static void write_tsv(struct state *st, const struct buf cell[COLUMNS], struct str key)
{
	for (size_t i = 0; i < st->in.keys.count; i++)
		kev_field_raw(&st->out, tsv_field(key, i));
	for (size_t i = 0; i < COLUMNS; i++)
		kev_field(&st->out, buf_view(&cell[i]));
	kev_row_end(&st->out);
}

static void write_json(struct state *st, struct jsonw *w, const struct buf cell[COLUMNS],
                       struct str key)
{
	jsonw_object(w, NULL);
	for (size_t i = 0; i < st->in.keys.count; i++)
		jsonw_text(w, key_name(st->in.keys.item[i]).s, key_text(st, key, i));
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i == SHARE)
			continue;
		if (is_figure(i))
			jsonw_figure(w, answer_column[i].name, buf_view(&cell[i]));
		else
			jsonw_text(w, answer_column[i].name, buf_view(&cell[i]));
	}
	jsonw_end_object(w);
}

static void write_cells(struct state *st, struct table *table, const struct buf cell[COLUMNS],
                        struct str key)
{
	for (size_t i = 0; i < st->in.keys.count; i++)
		table_cell(table, key_text(st, key, i));
	for (size_t i = TC_TOTAL; i < COLUMNS; i++) {
		st->scratch.len = 0;
		buf_str(&st->scratch, buf_view(&cell[i]));
		buf_text(&st->scratch, i >= ERROR && is_figure(i) && cell[i].len ? "%" : "");
		table_cell(table, buf_view(&st->scratch));
	}
}

static void write_row(struct state *st, struct answer *to, struct str key, const struct op *op,
                      const char *status)
{
	for (size_t i = 0; i < COLUMNS; i++)
		to->cell[i].len = 0;
	ops_put_funcs(&st->ops, op, &to->cell[TC_FUNCS]);
	put_figures(st, op, to->total_prof, to->cell);
	buf_text(&to->cell[STATUS], status);
	if (st->form == FORM_TSV)
		write_tsv(st, to->cell, key);
	else if (st->form == FORM_JSON)
		write_json(st, &to->json, to->cell, key);
	else
		write_cells(st, &to->table, to->cell, key);
}

/* A row of all ops or of the other ops: a label in place of the first key. */
static void write_sum(struct state *st, struct answer *to, const char *label, const struct op *sum)
{
	struct buf key = {0};

	buf_text(&key, label);
	for (size_t i = 1; i < st->in.keys.count; i++)
		buf_char(&key, '\t');
	write_row(st, to, buf_view(&key), sum, "");
	buf_free(&key);
}

static void begin_tsv(struct state *st)
{
	size_t keys = st->in.keys.count;
	struct str *names = mem_alloc(keys + COLUMNS, sizeof *names);

	for (size_t i = 0; i < keys; i++)
		names[i] = key_name(st->in.keys.item[i]);
	for (size_t i = 0; i < COLUMNS; i++)
		names[keys + i] = str_of(answer_column[i].name);
	kev_columns(&st->out, names, keys + COLUMNS);
	free(names);
}

static void begin_table(struct state *st, struct table *table)
{
	size_t count = 0;
	struct table_column *columns = mem_alloc(st->in.keys.count + COLUMNS, sizeof *columns);

	for (size_t i = 0; i < st->in.keys.count; i++)
		columns[count++] = (struct table_column){key_name(st->in.keys.item[i]).s, false};
	for (size_t i = TC_TOTAL; i < COLUMNS; i++)
		columns[count++] = (struct table_column){answer_column[i].title[st->chinese], is_figure(i)};
	*table = (struct table){.columns = columns, .count = count};
}

static struct str title_of(const struct state *st)
{
	return st->name ? str_of(st->name) : side_source(&st->in.side[PREDICTED]);
}

static void begin(struct state *st, struct answer *to)
{
	if (st->form == FORM_TSV) {
		begin_tsv(st);
	} else if (st->form == FORM_JSON) {
		to->json.out = &st->out.out.buf;
		jsonw_object(&to->json, NULL);
		jsonw_key_array(&to->json, title_of(st));
	} else {
		begin_table(st, &to->table);
	}
}

static void end_json(struct state *st, struct jsonw *w)
{
	jsonw_end_array(w);
	damage_json(w, &st->in.damages);
	side_missing_json(w, st->in.side);
	jsonw_end_object(w);
}

static void end_report(struct state *st, const struct table *table)
{
	struct output *out = &st->out.out;

	plaintext_put(&out->buf, title_of(st));
	output_text(out, TITLE);
	table_print(table, out);
	damage_report(out, &st->in.damages);
	side_missing_report(out, st->in.side);
}

static void end_markdown(struct state *st, const struct table *table)
{
	struct output *out = &st->out.out;

	if (st->name) {
		output_text(out, "## ");
		table_markdown_text(&out->buf, title_of(st));
		output_text(out, TITLE);
	}
	table_markdown(table, out);
	damage_markdown(out, &st->in.damages);
	side_missing_markdown(out, st->in.side);
}

static void end(struct state *st, struct answer *to)
{
	if (st->form == FORM_JSON)
		end_json(st, &to->json);
	else if (st->form == FORM_REPORT)
		end_report(st, &to->table);
	else if (st->form == FORM_MARKDOWN)
		end_markdown(st, &to->table);
	free((void *)to->table.columns);
	table_free(&to->table);
	for (size_t i = 0; i < COLUMNS; i++)
		buf_free(&to->cell[i]);
}

/* The sum of the ops from number `from` on. */
static struct op sum_from(struct state *st, size_t from)
{
	struct op sum;

	if (!ops_sum(&st->ops, from, &sum))
		kev_die(&st->out, st->in.side[MEASURED].in.file, 0, "%s", st->ops.error);
	return sum;
}

/* All rows, or the first rows and one row for the rest; tables end with a row for all. */
static void write_answer(struct state *st, const struct op *total)
{
	bool is_table = st->form == FORM_REPORT || st->form == FORM_MARKDOWN;
	size_t count = st->ops.keys.count;
	size_t first = st->first ? st->first : is_table ? 15 : count;
	struct op rest = sum_from(st, first);
	struct answer to = {.total_prof = total->prof};

	begin(st, &to);
	for (size_t i = 0; i < count && i < first; i++) {
		const struct op *op = &st->ops.op[i];

		write_row(st, &to, op->key, op, status_of(st, op));
	}
	if (count > first)
		write_sum(st, &to, "(others)", &rest);
	if (is_table)
		write_sum(st, &to, "TOTAL", total);
	end(st, &to);
}

/* --- the end ------------------------------------------------------------- */

/* |error| > limit, or |error| / measured > limit / 100, exactly; measured is above 0. */
static bool is_over(struct state *st, const struct op *total)
{
	__int128 left = total->error.nano < 0 ? -total->error.nano : total->error.nano;
	__int128 right = total->prof.nano;

	if (st->gate.kind == GATE_TIME) /* the limit is the time of one pass */
		return !__builtin_mul_overflow(st->gate.value.nano, (__int128)st->passes, &right) &&
		       left > right;
	if (__builtin_mul_overflow(left, dec_of(100).nano, &left) ||
	    __builtin_mul_overflow(right, st->gate.value.nano, &right))
		kev_die(&st->out, st->in.side[MEASURED].in.file, 0,
		        "the totals are too large for --fail-over");
	return left > right;
}

static void check_limit(struct state *st, const struct op *total)
{
	bool is_short = total->error.nano < 0;
	struct dec error = {is_short ? -total->error.nano : total->error.nano};
	struct buf text = {0};

	if (!st->gate.text || !is_over(st, total))
		return;
	dec_quotient_digits(&text, error, total->prof, 2, 3);
	warn("the prediction is %.*s %% too %s, more than --fail-over=%s", (int)text.len, text.data,
	     is_short ? "short" : "long", st->gate.text);
	st->out.status = status_worse(st->out.status, STATUS_LIMIT);
	buf_free(&text);
}

/* A few rows without a type are a fault of the input, all rows are one of the key. */
static void check_keys(struct state *st)
{
	for (int i = 0; i < SIDES; i++) {
		const struct side *side = &st->in.side[i];
		const struct tally *dropped = side->balance.dropped;
		uint64_t others =
			side->balance.in.rows - dropped[PASSES_NO_KEY].rows - dropped[PASSES_NO_KERNEL].rows;

		if (dropped[PASSES_NO_KEY].rows && others == 0)
			warn("%s is empty in all rows of %s; opdiff -k joins other columns, such as name",
			     st->in.key_names.data, side->title);
	}
}

static void check_answer(struct state *st, const struct op *total)
{
	bool joined = false;

	for (size_t i = 0; i < st->ops.keys.count; i++)
		joined |= st->ops.op[i].tc_count && st->ops.op[i].prof_count;
	check_keys(st);
	if (st->swapped)
		warn("the measurement has the columns of opmap's output; was it given first?");
	if (!joined && total->tc_count && total->prof_count)
		warn("no key is in both streams");
	if (total->tc_count == 0)
		warn("no row of the prediction counts, so there is nothing to compare");
	if (total->prof.nano <= 0)
		warn("the measured total is %s0, so there is no error in percent",
		     total->prof.nano < 0 ? "below " : "");
	else
		check_limit(st, total);
	if (total->tc_count == 0 || total->prof.nano <= 0)
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

static void finish(struct state *st)
{
	struct op total;

	if (!ops_sort(&st->ops, st->passes))
		kev_die(&st->out, st->in.side[MEASURED].in.file, 0, "%s", st->ops.error);
	total = sum_from(st, 0);
	write_answer(st, &total);
	check_answer(st, &total);
}

static void set_name(struct state *st)
{
	st->name = st->opts.arg;
	if (strcmp(st->name, "damaged") == 0 || strcmp(st->name, "missing") == 0)
		opts_fail("--name: '%s' is a member of the JSON already", st->name);
}

static void read_fail_over(struct state *st)
{
	static const char *const names[] = {"error_pct"};

	gate_need_one(st->gate.text, &st->opts);
	st->gate = gate_read(&st->opts);
	gate_column(&st->gate, &st->opts, names, 1);
	gate_need_unit(&st->gate, &st->opts);
}

int main(int argc, char **argv)
{
	struct state st = {.passes = 1};
	enum passes_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case PASSES:
			st.passes = opts_number(&st.opts, 1);
			break;
		case 'k':
			opts_words(&st.opts, &st.in.keys);
			break;
		case 'n':
			st.first = opts_number(&st.opts, 1);
			break;
		case NAME:
			set_name(&st);
			break;
		case LANG:
			st.chinese = opts_second(&st.opts, "en", "zh");
			break;
		case FAIL_OVER:
			read_fail_over(&st);
			break;
		default:
			opts_form(letter, &st.form);
		}
	}
	set_keys(&st.in.keys);

	kev_writer_init(&st.out, &st.opts);
	st.in.out = &st.out;
	passes_open(&st.in, &st.opts, st.form);
	while ((item = passes_next(&st.in)) > PASSES_END) {
		if (item == PASSES_COLUMNS)
			columns(&st);
		else if (item == PASSES_PREDICTED)
			predicted(&st);
		else
			measured(&st);
	}
	if (item == PASSES_FAILED)
		kev_fail(&st.out, passes_reader(&st.in));
	finish(&st);
	passes_close(&st.in);
	return kev_finish(&st.out);
}
