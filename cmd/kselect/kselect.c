/*
 * kselect - select rows and columns of a stream by expressions.
 *
 *	#ts	dur	name
 *	10	5	gemm
 *	20	90	flash
 * with -w 'dur > 50' -c name,end=ts+dur gives
 *	#name	end
 *	flash	110
 *
 * Memory is constant. With a relative time in -t the input is read twice: a file is reread, and a
 * bit for each of its lines remembers -w; the rows of a pipe wait in a temporary file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/plaintext.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "stream/window.h"
#include "syntax/expr.h"
#include "syntax/lexer.h"

/* Why a row is dropped. */
enum reason { NOT_WANTED, OUTSIDE, CUT, NO_TS, AFTER_N, REASONS };

static const char *const reasons[REASONS] = {
	[NOT_WANTED] = "-w does not hold",
	[OUTSIDE] = "outside the window of -t",
	[CUT] = "parts outside the window, by --clip",
	[NO_TS] = "no ts",
	[AFTER_N] = "after the first rows of -n",
};
BALANCE_FITS(reasons);

/* A column of -c, -a or -x. */
struct item {
	struct buf name;
	bool computed; /* by expr; else the input's column of this name */
	struct expr expr;
};

struct items {
	const char *flag; /* the option for messages: -c */
	struct item *item;
	size_t count;
	size_t cap;
	struct strmap names; /* names of the items, in their order */
};

/* A column of the output: computed by the item, or copied from the input. */
struct column {
	struct item *item;
	int from; /* KEV_NONE: clipped, which the input does not have */
};

struct state {
	struct opts opts;
	struct kev_reader *in; /* the one at hand */
	struct kev_writer out;
	struct balance balance;
	/* Options. */
	struct items wanted;  /* -w: conditions without a name */
	struct items chosen;  /* -c */
	struct items added;   /* -a */
	struct items dropped; /* -x */
	struct window window; /* -t */
	size_t first;         /* -n; SIZE_MAX: all rows */
	bool clip;
	bool uses_times;
	bool has_unit; /* a time with a unit */
	/* The layout. */
	struct column *column;
	size_t columns_count;
	struct str *names;
	size_t written;
	uint64_t no_ts;
	/* The part of a row in the window, as text. */
	int clipped_column; /* its index in the input */
	struct buf ts;
	struct buf dur;
	struct buf clipped;
	/* Fields left empty, as a number is missing. */
	uint64_t empty;
	char first_empty[200]; /* where */
	struct buf text;
};

enum { CLIP = OPT_LONG };

static const struct opt opts[] = {
	{'w', "where", "EXPR", "keep the rows for which EXPR holds; several must all hold"},
	{'t', "time", "FROM,TO", "keep the rows that reach into this window; +10ms: from the start"},
	{CLIP, "clip", NULL, "cut rows at the ends of this window; clipped: the time that was cut"},
	{'n', "first", "N", "keep the first N rows"},
	{'c', "columns", "COL[=EXPR],...", "write these columns, copied or computed, in this order"},
	{'a', "add", "COL=EXPR,...", "add computed columns, or replace columns of these names"},
	{'x', "drop", "COL,...", "drop these columns"},
};

static const struct opt_usage usage = {"[-w EXPR] [-t FROM,TO [--clip]] [-n N] [-c COL[=EXPR],...] "
                                       "[-a COL=EXPR,...] [-x COL,...] [FILE...]",
                                       "Select rows and columns of a stream by expressions.", opts,
                                       sizeof opts / sizeof *opts};

/* --- options -------------------------------------------------------------- */

static void compile(struct item *item, const struct opts *o, struct str text)
{
	item->computed = true;
	if (!expr_compile(&item->expr, text))
		opts_fail("%s: %s", o->flag, item->expr.error);
}

static struct item *add_item(struct items *items)
{
	items->item = mem_grow(items->item, &items->cap, items->count + 1, sizeof *items->item);
	items->item[items->count] = (struct item){0};
	return &items->item[items->count++];
}

static void add_condition(struct state *st)
{
	struct item *item = add_item(&st->wanted);

	compile(item, &st->opts, str_of(st->opts.arg));
	if (!item->expr.is_condition)
		opts_fail("-w: '%s' is not a condition; compare it with something, as in dur > 0",
		          st->opts.arg);
}

/* The columns of an option's argument. */
static void add_columns(struct state *st, struct items *items)
{
	const struct opts *o = &st->opts;
	struct str list = str_of(o->arg);
	struct str text;
	struct str expr;

	while (lexer_item(&list, &text)) {
		struct item *item = add_item(items);
		char quoted[QUOTE_MAX];
		bool added;

		quote(quoted, text.s, text.n);
		if (!lexer_assignment(text, &item->name, &expr))
			opts_fail("%s: %s: only =EXPR can follow a name in braces", o->flag, quoted);
		if (item->name.len == 0)
			opts_fail("%s: a column has no name", o->flag);
		strmap_add(&items->names, buf_view(&item->name), &added);
		if (!added)
			opts_fail("%s: %s is given twice", o->flag,
			          quote(quoted, item->name.data, item->name.len));
		if (expr.s && items == &st->dropped)
			opts_fail("%s: %s: a column to drop has no =", o->flag, quoted);
		if (expr.s)
			compile(item, o, expr);
		else if (items == &st->added)
			opts_fail("%s: %s has no =EXPR; -c copies columns", o->flag, quoted);
	}
}

static void set_window(struct state *st)
{
	if (!window_read(&st->window, str_of(st->opts.arg)))
		opts_fail(WINDOW_USAGE, st->opts.arg);
}

static void note_times(struct state *st, const struct items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		const struct expr *e = &items->item[i].expr;

		st->has_unit |= e->has_unit;
		for (size_t k = 0; k < e->columns_count; k++)
			st->uses_times |=
				str_equal(e->column[k].name, STR("ts")) || str_equal(e->column[k].name, STR("dur"));
	}
}

/* An operand such as dur>100 is a condition without -w, if no file has its name. */
static void refuse_conditions(const struct state *st)
{
	for (int i = 0; i < st->opts.operands_count; i++) {
		const char *operand = st->opts.operands[i];
		struct stat file;

		if (strpbrk(operand, "<>=!~") && stat(operand, &file) != 0)
			opts_fail("'%s' is not a file; a condition needs -w", operand);
	}
}

static void settle(struct state *st)
{
	if (st->chosen.count && st->dropped.count)
		opts_fail("-c and -x exclude each other: -c already leaves out all other columns");
	if (st->clip && !window_is_given(&st->window))
		opts_fail("--clip cuts rows at the window of -t FROM,TO, which is missing");
	note_times(st, &st->wanted);
	note_times(st, &st->chosen);
	note_times(st, &st->added);
	st->has_unit |= st->window.has_unit;
	st->uses_times |= st->has_unit || window_is_given(&st->window);
	st->balance.on = st->opts.verbose;
}

/* --- columns ------------------------------------------------------------- */

static bool changes_columns(const struct state *st)
{
	return st->chosen.count || st->added.count || st->dropped.count || st->clip;
}

/* Whether this is the column clipped, which --clip adds. */
static bool is_new(const struct state *st, struct str name)
{
	return st->clip && st->clipped_column == KEV_NONE && str_equal(name, STR("clipped"));
}

static void bind(struct state *st, struct items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		struct expr *e = &items->item[i].expr;

		for (size_t k = 0; k < e->columns_count; k++) {
			struct expr_column *column = &e->column[k];

			if (is_new(st, column->name))
				kev_misuse(st->in,
				           "column 'clipped' is added by this --clip; use it in the next kselect");
			else
				kev_need_or(st->in, column->name,
				            column->compared ? "; a text needs double quotes" : "", &column->index);
		}
	}
}

static void put_column(struct state *st, struct str name, struct item *item)
{
	struct column *column = &st->column[st->columns_count];

	*column = (struct column){.item = item && item->computed ? item : NULL, .from = KEV_NONE};
	if (!column->item && !is_new(st, name))
		kev_need(st->in, name, &column->from);
	st->names[st->columns_count++] = name;
}

/* The columns of the output; columns of -a replace columns of their name, or follow. */
static void choose_columns(struct state *st)
{
	for (size_t i = 0; i < st->chosen.count; i++)
		put_column(st, buf_view(&st->chosen.item[i].name), &st->chosen.item[i]);
	for (size_t i = 0; i < st->in->columns_count && !st->chosen.count; i++)
		if (strmap_find(&st->dropped.names, st->in->column[i]) == STRMAP_NONE)
			put_column(st, st->in->column[i], NULL);
	if (is_new(st, STR("clipped")) && !st->chosen.count &&
	    strmap_find(&st->dropped.names, STR("clipped")) == STRMAP_NONE)
		put_column(st, STR("clipped"), NULL);
}

static void add_columns_to(struct state *st)
{
	struct strmap before = {0};

	for (size_t i = 0; i < st->columns_count; i++)
		strmap_add(&before, st->names[i], NULL);
	for (size_t i = 0; i < st->added.count; i++) {
		struct item *item = &st->added.item[i];
		size_t place = strmap_find(&before, buf_view(&item->name));

		if (place == STRMAP_NONE)
			put_column(st, buf_view(&item->name), item);
		else
			st->column[place].item = item;
	}
	strmap_free(&before);
}

static void lay_out(struct state *st)
{
	size_t most = st->in->columns_count + st->chosen.count + st->added.count + 1;
	int column;

	st->column = mem_resize(st->column, most, sizeof *st->column);
	st->names = mem_resize(st->names, most, sizeof *st->names);
	st->columns_count = 0;
	for (size_t i = 0; i < st->dropped.count; i++)
		if (!is_new(st, buf_view(&st->dropped.item[i].name)))
			kev_need(st->in, buf_view(&st->dropped.item[i].name), &column);
	choose_columns(st);
	if (st->added.count)
		add_columns_to(st);
	if (st->columns_count == 0)
		kev_misuse(st->in, "-x drops all columns");
}

/* Finds all columns, so that the first look already reports a missing one. */
static void columns(struct state *st)
{
	st->clipped_column = kev_column(st->in, STR("clipped"));
	bind(st, &st->wanted);
	bind(st, &st->chosen);
	bind(st, &st->added);
	window_columns(&st->window, st->in);
	if (changes_columns(st))
		lay_out(st);
}

static void put_columns(struct state *st)
{
	if (st->in->error[0])
		return;
	if (changes_columns(st))
		kev_columns(&st->out, st->names, st->columns_count);
	else
		kev_columns(&st->out, st->in->column, st->in->columns_count);
}

/* --- rows ---------------------------------------------------------------- */

/* Reports what the evaluation of an expression ran into; name: a column, or -w. */
static void check(struct state *st, struct expr *e, struct str name)
{
	struct kev_reader *in = st->in;
	char text[QUOTE_MAX];

	if (e->error[0]) {
		plaintext_fit(text, sizeof text, name);
		kev_error(in, "%s: %s", text, e->error);
	}
	if (e->rounded)
		kev_warn_rounded(in, e->column[e->rounded_column].index);
	e->rounded = false;
}

static bool is_wanted(struct state *st)
{
	for (size_t i = 0; i < st->wanted.count; i++) {
		struct expr *e = &st->wanted.item[i].expr;
		bool holds = expr_holds(e, st->in->field);

		if (e->error[0] || e->rounded)
			check(st, e, STR("-w"));
		if (!holds)
			return false;
	}
	return true;
}

/* The reason to drop the row, REASONS to keep it. */
static enum reason reason_of(struct state *st)
{
	enum window_place place = window_place(&st->window, st->in);

	if (place == WINDOW_OUTSIDE)
		return OUTSIDE;
	if (place == WINDOW_NO_TS) {
		st->no_ts++;
		if (st->opts.strict)
			kev_error(st->in, "ts is missing");
		return NO_TS;
	}
	return st->written == st->first ? AFTER_N : REASONS;
}

/* A computed field that is empty, because a part of it is not a number. */
static void note_empty(struct state *st, const struct item *item)
{
	const struct kev_reader *in = st->in;
	char name[QUOTE_MAX];

	plaintext_fit(name, sizeof name, buf_view(&item->name));
	if (st->opts.strict)
		kev_error(st->in, "%s: a part of the expression is not a number", name);
	if (st->empty++ == 0)
		snprintf(st->first_empty, sizeof st->first_empty, "%s in line %llu of %.80s", name,
		         (unsigned long long)in->tsv.line, in->file);
}

static void put_computed(struct state *st, struct item *item)
{
	const struct expr_value *value = expr_value(&item->expr, st->in->field);

	if (item->expr.error[0] || item->expr.rounded)
		check(st, &item->expr, buf_view(&item->name));
	switch (value->kind) {
	case EXPR_NOTHING:
		note_empty(st, item);
		kev_field_raw(&st->out, STR(""));
		break;
	case EXPR_NUMBER:
		st->text.len = 0;
		number_print(&st->text, value->number);
		kev_field_raw(&st->out, buf_view(&st->text));
		break;
	case EXPR_CONDITION:
		kev_field_raw(&st->out, value->holds ? STR("1") : STR("0"));
		break;
	case EXPR_FIELD:
		kev_field_raw(&st->out, value->text);
		break;
	default:
		kev_field(&st->out, value->text);
	}
}

static void put_row(struct state *st)
{
	if (!changes_columns(st)) {
		kev_pass_row(&st->out, st->in);
		return;
	}
	for (size_t i = 0; i < st->columns_count; i++) {
		const struct column *column = &st->column[i];

		if (column->item)
			put_computed(st, column->item);
		else
			kev_field_raw(&st->out, column->from == KEV_NONE ? buf_view(&st->clipped)
			                                                 : st->in->field[column->from]);
	}
	if (!st->in->error[0]) /* with an error, kev_fail takes the row back */
		kev_row_end(&st->out);
}

/* The text of dur, for the balance. */
static struct str dur_of(const struct state *st)
{
	int dur = st->window.dur;

	return dur == KEV_NONE ? STR("") : st->in->field[dur];
}

static struct str text_of(struct buf *text, struct dec value)
{
	text->len = 0;
	dec_print(text, value);
	return buf_view(text);
}

/* Cuts a row at the window: its fields become those of the part inside. */
static void clip_row(struct state *st)
{
	struct kev_reader *in = st->in;
	const struct window *w = &st->window;
	bool is_metadata = str_equal(kev_phase(in, w->ph), STR("M"));
	struct window_ends ends;
	struct dec ts;
	struct dec dur;
	struct dec end;
	struct dec cut;
	struct dec before;

	st->clipped.len = 0;
	if (is_metadata || !window_ends(w, &ends) || !kev_number(in, w->ts, &ts) ||
	    !kev_number(in, w->dur, &dur) || dur.nano < 0)
		return;
	end = ts;
	if (!dec_add(&end, dur)) {
		kev_error(in, "the times are too large to add");
		return;
	}
	window_clip(&ends, &ts, &end);
	cut.nano = dur.nano - (end.nano - ts.nano);
	if (cut.nano == 0)
		return;
	dur.nano -= cut.nano;
	in->field[w->ts] = text_of(&st->ts, ts);
	in->field[w->dur] = text_of(&st->dur, dur);
	if (st->balance.on)
		balance_time(&st->balance.dropped[CUT], text_of(&st->clipped, cut));
	if (st->clipped_column != KEV_NONE && kev_number(in, st->clipped_column, &before) &&
	    !dec_add(&cut, before))
		kev_error(in, "the times are too large to add");
	text_of(&st->clipped, cut);
	if (st->clipped_column != KEV_NONE)
		in->field[st->clipped_column] = buf_view(&st->clipped);
}

static void place_row(struct state *st)
{
	enum reason reason = reason_of(st);

	if (st->in->error[0])
		return;
	if (reason != REASONS) {
		balance_drop(&st->balance, reason, dur_of(st));
		return;
	}
	if (st->clip)
		clip_row(st);
	if (st->in->error[0])
		return;
	st->written++;
	balance_out(&st->balance, dur_of(st));
	put_row(st);
}

/* A row before -t: false if it is dropped. */
static bool take_row(struct state *st)
{
	bool wanted = is_wanted(st);

	balance_in(&st->balance, dur_of(st));
	if (!wanted)
		balance_drop(&st->balance, NOT_WANTED, dur_of(st));
	return wanted;
}

/* --- streams ------------------------------------------------------------- */

/* Times are all there is to a unit: another one is an error if there are any. */
static void check_unit(struct state *st)
{
	if (st->has_unit && str_equal(st->in->key, STR("unit")) && !str_equal(st->in->value, STR("us")))
		kev_misuse(st->in,
		           "unit: times in ns, us, ms or s need a stream in us; leave the units out");
}

static void pass(struct state *st)
{
	enum kev_item item;

	while ((item = kev_next(st->in)) > KEV_END) {
		if (item == KEV_META) {
			check_unit(st);
			kev_pass_meta(&st->out, st->in);
		} else if (item == KEV_COLUMNS) {
			columns(st);
			put_columns(st);
		} else if (st->written == st->first) {
			balance_in(&st->balance, dur_of(st));
			balance_drop(&st->balance, AFTER_N, dur_of(st));
		} else if (take_row(st)) {
			place_row(st);
		}
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, st->in);
}

/* The first look at a stream, for the smallest ts; keeps the rows that -w wants. */
static void learn(struct state *st)
{
	enum kev_item item;

	while ((item = kev_next(st->in)) > KEV_END) {
		if (item == KEV_META) {
			check_unit(st);
			if (st->in->opened)
				kev_keep(st->in, item);
			else
				kev_pass_meta(&st->out, st->in);
		} else if (item == KEV_COLUMNS) {
			columns(st);
			kev_keep(st->in, item);
		} else {
			window_learn(&st->window, st->in);
			if (take_row(st))
				kev_keep(st->in, item);
		}
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, st->in);
}

static void write(struct state *st)
{
	enum kev_item item;

	while ((item = kev_next(st->in)) > KEV_END) {
		if (item == KEV_META) {
			kev_pass_meta(&st->out, st->in);
		} else if (item == KEV_COLUMNS) {
			columns(st);
			put_columns(st);
		} else {
			place_row(st);
		}
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, st->in);
}

/* Each stream has a reader, because all of them are learned before the first is written. */
static void look_twice(struct state *st)
{
	int count = st->opts.operands_count;
	struct kev_reader *all = mem_alloc((size_t)count, sizeof *all);
	const struct kev_reader *before = NULL; /* one that was opened */

	for (int i = 0; i < count; i++) {
		st->in = &all[i];
		kev_open_operand(st->in, &st->opts, i);
		st->in->others = before || i + 1 < count;
		st->in->one_unit = true;
		st->in->rounded = before && before->rounded;
		learn(st);
		if (before && st->in->opened && strcmp(kev_unit(before), kev_unit(st->in)) != 0)
			kev_die_misuse(
				&st->out, st->in->file, 0,
				"unit: '%s' here, '%s' before: times of different units cannot be compared",
				kev_unit(st->in), kev_unit(before));
		if (st->in->opened)
			before = st->in;
	}
	for (int i = 0; i < count; i++) {
		st->in = &all[i];
		if (st->in->opened) {
			kev_again(st->in);
			write(st);
		}
		kev_close(st->in);
	}
	st->balance.unit = kev_unit(before);
	free(all);
}

static void look_once(struct state *st)
{
	struct kev_reader *in = mem_alloc(1, sizeof *in);

	st->in = in;
	kev_open(in, &st->opts);
	in->one_unit = st->uses_times;
	pass(st);
	st->balance.unit = in->units_differ ? NULL : kev_unit(in);
	kev_close(in);
	free(in);
}

static void finish(struct state *st)
{
	if (st->no_ts)
		warn("rows without ts, dropped: %llu", (unsigned long long)st->no_ts);
	if (st->empty)
		warn(
			"fields left empty, because a part of the expression is not a number: %llu, the first: "
			"%s",
			(unsigned long long)st->empty, st->first_empty);
	balance_print(&st->balance);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS},
	                   .first = SIZE_MAX};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'w':
			add_condition(&st);
			break;
		case 't':
			set_window(&st);
			break;
		case CLIP:
			st.clip = true;
			break;
		case 'n':
			st.first = opts_number(&st.opts, 1);
			break;
		case 'c':
			add_columns(&st, &st.chosen);
			break;
		case 'a':
			add_columns(&st, &st.added);
			break;
		case 'x':
			add_columns(&st, &st.dropped);
			break;
		}
	}
	settle(&st);
	refuse_conditions(&st);
	kev_writer_init(&st.out, &st.opts);
	if (window_is_relative(&st.window))
		look_twice(&st);
	else
		look_once(&st);
	finish(&st);
	return kev_finish(&st.out);
}
