/*
 * opdiff - a predicted forward pass against the measured one, kernel type by kernel type.
 *
 *	opdiff predicted.kev measured.kev
 * gives
 *	#kernel_type	tc_funcs	tc_total_us	tc_count	prof_per_fwd_us	...
 *	MatMulV2	aten.mm.default	273.7	12	184.5	...
 *
 * Memory grows with the kernel types, and with the distinct collectives of the measured
 * stream.
 */
#include <stdlib.h>

#include "answer/table.h"
#include "base/mem.h"
#include "base/strmap.h"
#include "compare/passes.h"
#include "stream/kev.h"

enum { FUNCS = 3 }; /* so many are named */

/* A kernel type, or whatever -k joins by, on both sides. */
struct op {
	struct dec tc;
	uint64_t tc_count;
	uint64_t misses; /* of tc_count */
	size_t func[FUNCS];
	size_t funcs;
	struct dec prof; /* of all passes */
	uint64_t prof_count;
};

struct state {
	struct opts opts;
	size_t passes; /* --passes */
	size_t first;  /* -n; 0 if it was not given */
	enum form form;
	bool chinese;
	const char *name;
	struct dec limit;       /* --fail-over, */
	const char *limit_text; /* NULL if it was not given */
	struct kev_writer out;
	struct passes in;
	int func;     /* the predicted stream's column; may be KEV_NONE */
	bool swapped; /* the measurement has the columns of opmap's output */
	struct strmap op_keys;
	struct op *op; /* by number in op_keys */
	size_t op_cap;
	struct strmap funcs;
	struct buf key;
	struct buf scratch;
};

enum { PASSES = OPT_LONG, LANG, NAME, FAIL_OVER };

static const struct opt opts[] = {
	{PASSES, "passes", "N", "the profile is of N forward passes (1)"},
	{'k', "key", "COL,...", "the columns to join by (type)"},
	{'n', "first", "N", "the first N rows, and one for the rest (-r, -M: 15)"},
	{'r', "report", NULL, "a table for people"},
	{'j', "json", NULL, "JSON"},
	{'M', "markdown", NULL, "a Markdown table"},
	{NAME, "name", "NAME", "what -r, -j and -M call the comparison (the predicted trace)"},
	{LANG, "lang", "en|zh", "the language of titles and of status (en)"},
	{FAIL_OVER, "fail-over", "PCT", "exit 3 where the total error is more, in percent"},
};

static const struct opt_usage usage = {
	"[--passes=N] [-k COL,...] [-n N] [-r | -j | -M] [--fail-over=PCT] PREDICTED MEASURED",
	"A predicted forward pass against the measured one, kernel type by kernel type.", opts,
	sizeof opts / sizeof *opts};

/* --- the table's columns ------------------------------------------------- */

/* Figures of a row, behind its keys and its functions. */
enum figure { TC_TOTAL, TC_COUNT, PROF, PROF_COUNT, ERROR, COUNT_ERROR, SHARE, FIGURES };

static const char *const figure_names[FIGURES] = {
	[TC_TOTAL] = "tc_total_us",  [TC_COUNT] = "tc_count", [PROF] = "prof_per_fwd_us",
	[PROF_COUNT] = "prof_count", [ERROR] = "error_pct",   [COUNT_ERROR] = "count_error_pct",
	[SHARE] = "prof_share_pct",
};

static const char *const figure_titles[2][FIGURES] = {
	{"TC(us)", "TC count", "Prof(us)", "Prof count", "error", "count error", "Prof share"},
	{"TC(μs)", "TC次数", "Prof(μs)", "Prof次数", "延迟误差", "次数误差", "Prof占比"},
};

static const char *const status_titles[2] = {"status", "状态"};

/* What a column to join by is called in the answer. */
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
		bool taken = str_equal(name, STR("kernel_type")) || str_equal(name, STR("tc_funcs")) ||
		             str_equal(name, STR("status"));

		for (size_t j = 0; j < FIGURES; j++)
			taken |= str_equal(name, str_of(figure_names[j]));
		if (taken)
			opts_fail("-k: '%s' is a column of the table already", name.s);
		for (size_t j = 0; j < i; j++)
			if (str_equal(name, keys->item[j]))
				opts_fail("-k: '%s' twice", name.s);
	}
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

static struct op *op_of(struct state *st, struct str key)
{
	bool new;
	size_t number = strmap_add(&st->op_keys, key, &new);

	st->op = mem_grow(st->op, &st->op_cap, number + 1, sizeof *st->op);
	if (new)
		st->op[number] = (struct op){0};
	return &st->op[number];
}

/* Notes the function that the row comes of, if there is room for one more. */
static void add_func(struct state *st, struct op *op)
{
	struct str func = kev_text(passes_reader(&st->in), st->func, &st->scratch);
	size_t number;

	if (str_starts(func, STR("torch.ops.")))
		func = (struct str){func.s + 10, func.n - 10};
	if (op->funcs == FUNCS || func.n == 0)
		return;
	number = strmap_add(&st->funcs, func, NULL);
	for (size_t i = 0; i < op->funcs; i++)
		if (op->func[i] == number)
			return;
	op->func[op->funcs++] = number;
}

static void predicted(struct state *st)
{
	struct op *op = op_of(st, passes_key(&st->in));

	passes_add(&st->in, &op->tc);
	op->tc_count++;
	op->misses += !st->in.hit;
	add_func(st, op);
}

static void measured(struct state *st)
{
	struct op *op = op_of(st, passes_key(&st->in));

	passes_add(&st->in, &op->prof);
	op->prof_count++;
}

/* --- figures ------------------------------------------------------------- */

/* What a row of the answer shows, as text. */
struct row {
	struct str key; /* escaped, tabs between its fields */
	struct buf funcs;
	struct buf figure[FIGURES];
	const char *status;
};

/* The figures of programs are exact, or have 12 digits; those of people and of -j one place. */
static bool is_exact(const struct state *st)
{
	return st->form == FORM_TSV;
}

/* Of what is not above 0 there is no percentage: 0, as where nothing was measured. */
static void put_quotient(const struct state *st, struct buf *out, struct dec numerator,
                         struct dec denominator, int shift, int places)
{
	const struct dec none = {0};
	const struct dec one = dec_of(1);

	out->len = 0;
	if (denominator.nano <= 0) {
		numerator = none;
		denominator = one;
	}
	if (!is_exact(st))
		dec_quotient_fixed(out, numerator, denominator, shift, places);
	else if (dec_compare(denominator, one) == 0 && shift == 0)
		dec_print(out, numerator);
	else
		dec_quotient(out, numerator, denominator, shift);
}

/* x of each pass, for as many passes as the profile is of. */
static struct dec of_all_passes(struct state *st, struct dec x)
{
	if (__builtin_mul_overflow(x.nano, (__int128)st->passes, &x.nano))
		kev_die(&st->out, st->in.side[MEASURED].in.file, 0,
		        "dur: the sum of all passes is too large");
	return x;
}

/* predicted - measured, both of all passes. */
static struct dec difference(struct state *st, struct dec predicted, struct dec measured)
{
	if (!dec_subtract(&predicted, measured))
		kev_die(&st->out, st->in.side[MEASURED].in.file, 0, "dur: the difference is too large");
	return predicted;
}

static struct dec dec_of_count(uint64_t count)
{
	return (struct dec){(__int128)count * dec_of(1).nano};
}

static struct dec error_of(struct state *st, const struct op *op)
{
	return difference(st, of_all_passes(st, op->tc), op->prof);
}

static void make_figures(struct state *st, const struct op *op, struct dec total_prof,
                         struct buf figure[FIGURES])
{
	const struct dec one = dec_of(1);
	struct dec passes = dec_of_count(st->passes);
	struct dec tc_count = dec_of_count(op->tc_count);
	struct dec prof_count = dec_of_count(op->prof_count);
	struct dec count_error = difference(st, of_all_passes(st, tc_count), prof_count);

	put_quotient(st, &figure[TC_TOTAL], op->tc, one, 0, 1);
	put_quotient(st, &figure[TC_COUNT], tc_count, one, 0, 0);
	put_quotient(st, &figure[PROF], op->prof, passes, 0, 1);
	put_quotient(st, &figure[PROF_COUNT], prof_count, passes, 0, 0);
	put_quotient(st, &figure[ERROR], error_of(st, op), op->prof, 2, 1);
	put_quotient(st, &figure[COUNT_ERROR], count_error, prof_count, 2, 1);
	put_quotient(st, &figure[SHARE], op->prof, total_prof, 2, 1);
}

static const char *status_of(const struct state *st, const struct op *op)
{
	if (op->tc_count == 0)
		return st->chinese ? "TC未建模" : "UNMODELED";
	if (op->misses == 0)
		return "HIT";
	return op->misses == op->tc_count ? "MISS" : "PARTIAL";
}

/* Sums of several kernel types have no functions and no status. */
static void add_op(struct state *st, struct op *sum, const struct op *op)
{
	if (!dec_add(&sum->tc, op->tc) || !dec_add(&sum->prof, op->prof))
		kev_die(&st->out, st->in.side[MEASURED].in.file, 0, "dur: the sum of all is too large");
	sum->tc_count += op->tc_count;
	sum->prof_count += op->prof_count;
}

/* --- the order ----------------------------------------------------------- */

struct line {
	struct str key;
	const struct op *op;
	struct dec larger; /* of both totals, of all passes */
};

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left;
	const struct line *b = right;
	int order = dec_compare(b->larger, a->larger);

	return order ? order : str_compare(a->key, b->key);
}

/* Gives how many there are: a collective may have left an op for a longer record's. */
static size_t sort_lines(struct state *st, struct line *lines)
{
	size_t count = 0;

	for (size_t i = 0; i < st->op_keys.count; i++) {
		const struct op *op = &st->op[i];
		struct dec tc = of_all_passes(st, op->tc);

		if (op->tc_count || op->prof_count)
			lines[count++] = (struct line){strmap_key(&st->op_keys, i), op,
			                               dec_compare(tc, op->prof) > 0 ? tc : op->prof};
	}
	qsort(lines, count, sizeof *lines, compare_lines);
	return count;
}

/* --- writing ------------------------------------------------------------- */

/* What is written to, by form. */
struct answer {
	struct table table;
	struct jsonw json;
};

static void write_tsv(struct state *st, const struct row *row)
{
	for (size_t i = 0; i < st->in.keys.count; i++)
		kev_field_raw(&st->out, tsv_field(row->key, i));
	kev_field(&st->out, buf_view(&row->funcs));
	for (size_t i = 0; i < FIGURES; i++)
		kev_field_raw(&st->out, buf_view(&row->figure[i]));
	kev_field(&st->out, str_of(row->status));
	kev_row_end(&st->out);
}

static struct str key_text(struct state *st, struct str key, size_t index)
{
	return tsv_text(tsv_field(key, index), &st->scratch);
}

static void write_json(struct state *st, struct jsonw *w, const struct row *row)
{
	jsonw_object(w, NULL);
	for (size_t i = 0; i < st->in.keys.count; i++)
		jsonw_text(w, key_name(st->in.keys.item[i]).s, key_text(st, row->key, i));
	jsonw_text(w, "tc_funcs", buf_view(&row->funcs));
	for (size_t i = 0; i < SHARE; i++)
		jsonw_raw(w, figure_names[i], buf_view(&row->figure[i]));
	jsonw_text(w, "status", str_of(row->status));
	jsonw_end_object(w);
}

static void write_cells(struct state *st, struct table *table, const struct row *row)
{
	for (size_t i = 0; i < st->in.keys.count; i++)
		table_cell(table, key_text(st, row->key, i));
	for (size_t i = 0; i < FIGURES; i++) {
		st->scratch.len = 0;
		buf_str(&st->scratch, buf_view(&row->figure[i]));
		if (i >= ERROR)
			buf_char(&st->scratch, '%');
		table_cell(table, buf_view(&st->scratch));
	}
	table_cell(table, str_of(row->status));
}

static void write_row(struct state *st, struct answer *to, struct row *row, const struct op *op,
                      struct dec total_prof)
{
	make_figures(st, op, total_prof, row->figure);
	if (st->form == FORM_TSV)
		write_tsv(st, row);
	else if (st->form == FORM_JSON)
		write_json(st, &to->json, row);
	else
		write_cells(st, &to->table, row);
}

static void begin_tsv(struct state *st)
{
	size_t count = 0;
	struct str *names = mem_alloc(st->in.keys.count + FIGURES + 2, sizeof *names);

	for (size_t i = 0; i < st->in.keys.count; i++)
		names[count++] = key_name(st->in.keys.item[i]);
	names[count++] = STR("tc_funcs");
	for (size_t i = 0; i < FIGURES; i++)
		names[count++] = str_of(figure_names[i]);
	names[count++] = STR("status");
	kev_columns(&st->out, names, count);
	free(names);
}

/* The columns are freed with the table. */
static void begin_table(struct state *st, struct table *table)
{
	size_t keys = st->in.keys.count;
	struct table_column *heads = mem_zero(keys + FIGURES + 1, sizeof *heads);

	for (size_t i = 0; i < keys; i++)
		heads[i].title = key_name(st->in.keys.item[i]).s;
	for (size_t i = 0; i < FIGURES; i++)
		heads[keys + i] = (struct table_column){figure_titles[st->chinese][i], true};
	heads[keys + FIGURES].title = status_titles[st->chinese];
	*table = (struct table){.columns = heads, .count = keys + FIGURES + 1};
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

static void end(struct state *st, struct answer *to)
{
	struct output *out = &st->out.out;
	struct str title = title_of(st);

	if (st->form == FORM_JSON) {
		jsonw_end_array(&to->json);
		side_damages_json(&to->json, &st->in.damages);
		side_missing_json(&to->json, st->in.side);
		jsonw_end_object(&to->json);
	} else if (st->form == FORM_REPORT) {
		output_format(out, "%.*s — TC vs Profiling per-forward\n\n", (int)title.n, title.s);
		table_print(&to->table, out);
		side_damages_report(out, &st->in.damages);
		side_missing_report(out, st->in.side);
	} else if (st->form == FORM_MARKDOWN) {
		if (st->name)
			output_format(out, "## %.*s — TC vs Profiling per-forward\n\n", (int)title.n, title.s);
		table_markdown(&to->table, out);
		side_damages_markdown(out, &st->in.damages);
		side_missing_markdown(out, st->in.side);
	}
	if (st->form == FORM_REPORT || st->form == FORM_MARKDOWN) {
		free((void *)to->table.columns);
		table_free(&to->table);
	}
}

static void name_funcs(const struct state *st, const struct op *op, struct buf *out)
{
	out->len = 0;
	for (size_t i = 0; i < op->funcs; i++) {
		buf_text(out, i ? ", " : "");
		buf_str(out, strmap_key(&st->funcs, op->func[i]));
	}
}

/* A row that is of no one key: its label, and empty fields behind it. */
static void write_sum(struct state *st, struct answer *to, struct row *row, const char *label,
                      const struct op *sum, struct dec total_prof)
{
	st->key.len = 0;
	buf_text(&st->key, label);
	for (size_t i = 1; i < st->in.keys.count; i++)
		buf_char(&st->key, '\t');
	row->key = buf_view(&st->key);
	row->funcs.len = 0;
	row->status = "";
	write_row(st, to, row, sum, total_prof);
}

/* All rows, or the first of them and one for the rest; in tables one for all. */
static void write_answer(struct state *st, const struct line *lines, size_t count,
                         const struct op *total)
{
	bool is_table = st->form == FORM_REPORT || st->form == FORM_MARKDOWN;
	size_t first = st->first ? st->first : is_table ? 15 : count;
	struct op rest = {0};
	struct answer to = {0};
	struct row row = {0};

	begin(st, &to);
	for (size_t i = 0; i < count && i < first; i++) {
		row.key = lines[i].key;
		row.status = status_of(st, lines[i].op);
		name_funcs(st, lines[i].op, &row.funcs);
		write_row(st, &to, &row, lines[i].op, total->prof);
	}
	for (size_t i = first; i < count; i++)
		add_op(st, &rest, lines[i].op);
	if (count > first)
		write_sum(st, &to, &row, "(others)", &rest, total->prof);
	if (is_table)
		write_sum(st, &to, &row, "TOTAL", total, total->prof);
	end(st, &to);
	buf_free(&row.funcs);
	for (size_t i = 0; i < FIGURES; i++)
		buf_free(&row.figure[i]);
}

/* --- the end ------------------------------------------------------------- */

/* |error| / measured > limit / 100, exactly; what was measured is above 0. */
static bool is_over(struct state *st, const struct op *total)
{
	struct dec error = error_of(st, total);
	__int128 left = error.nano < 0 ? -error.nano : error.nano;
	__int128 right = total->prof.nano;

	if (__builtin_mul_overflow(left, dec_of(100).nano, &left) ||
	    __builtin_mul_overflow(right, st->limit.nano, &right))
		kev_die(&st->out, st->in.side[MEASURED].in.file, 0,
		        "the totals are too large for --fail-over");
	return left > right;
}

static void note_limit(struct state *st)
{
	st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

/* Where the answer is none, or past what the user set. */
static void judge(struct state *st, const struct op *total)
{
	bool joined = false;

	for (size_t i = 0; i < st->op_keys.count; i++)
		joined |= st->op[i].tc_count && st->op[i].prof_count;
	if (st->swapped)
		warn("the measurement has the columns that opmap adds: was it given first?");
	if (!joined && total->tc_count && total->prof_count)
		warn("no key is on both sides");
	if (total->tc_count == 0) {
		warn("no row of the prediction counts: there is nothing to compare");
		note_limit(st);
	}
	if (total->prof.nano <= 0) {
		warn("the measured total is %s0: there is no error to it",
		     total->prof.nano < 0 ? "below " : "");
		note_limit(st);
	} else if (st->limit_text && is_over(st, total)) {
		struct buf error = {0};

		dec_quotient(&error, error_of(st, total), total->prof, 2);
		warn("the total error is %.*s %%, more than --fail-over=%s", (int)error.len, error.data,
		     st->limit_text);
		buf_free(&error);
		note_limit(st);
	}
}

static void finish(struct state *st)
{
	struct line *lines = mem_alloc(st->op_keys.count, sizeof *lines);
	size_t count = sort_lines(st, lines);
	struct op total = {0};

	for (size_t i = 0; i < count; i++)
		add_op(st, &total, lines[i].op);
	write_answer(st, lines, count, &total);
	free(lines);
	judge(st, &total);
}

static void set_name(struct state *st)
{
	st->name = st->opts.arg;
	if (strcmp(st->name, "damaged") == 0 || strcmp(st->name, "missing") == 0)
		opts_fail("--name: -j says by '%s' what is %s", st->name, st->name);
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
			st.limit = opts_decimal(&st.opts, "a percentage of at least 0");
			st.limit_text = st.opts.arg;
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
