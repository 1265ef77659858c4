/*
 * kgroup - groups kernel events by columns: counts, exact sums, quantiles.
 *
 *	#ts	dur	type
 *	0	10	MatMul
 *	10	30	MatMul
 * gives
 *	#type	count	total	mean	min	max	share
 *	MatMul	2	40	20	10	30	100
 *
 * If no row has a dur, the rows are counted alone: so rows without dur have groups of their own,
 * until one with a dur comes.
 *
 * Memory grows with the groups, and with -q also with the distinct durations of each.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "kernel/hostrows.h"
#include "stream/balance.h"
#include "stream/hint.h"
#include "stream/kev.h"
#include "stream/partial.h"
#include "stream/ranks.h"
#include "syntax/sortkey.h"

#include "figures.h"

/* Why a row is dropped. */
enum reason { NO_DUR, REASONS };

static const char *const reasons[REASONS] = {"no dur"};
BALANCE_FITS(reasons);

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct words keys;
	struct words quantiles; /* normalised percents */
	size_t first;           /* -n; SIZE_MAX: all groups */
	struct str sort;        /* the name of a column; empty: total, descending */
	bool descending;
	struct str of;       /* --of; empty: dur */
	struct str who;      /* --who; empty: none */
	struct words whos;   /* its columns */
	size_t digits;       /* --digits; 0: exact */
	bool squares;        /* a figure needs the sums of squares */
	bool write_partials; /* -p */
	bool merge;          /* -m */
	bool check_ranks;    /* --ranks */
	struct figures figures;
	/* The input. */
	struct partial partial;
	struct ranks ranks;
	int *key_columns;
	int dur; /* dur, or the column of --of */
	int who_column;
	int cat; /* KEV_NONE if it is missing or a key */
	struct groups groups;
	struct groups bare; /* groups of rows without dur, while no row has a dur */
	/* For warnings. */
	uint64_t rows;
	uint64_t no_dur;
	int cause;    /* column of klaunch: the first kernel of a device has neither gap nor cause */
	bool *filled; /* by key: a row has a value */
	struct hostrows host; /* beside kernels */
	struct buf key;
	struct buf scratch;
};

/* The optional figures come last: figures_want takes their options by name. */
enum { SORT = OPT_LONG, OF, SUM, WHO, DIGITS, RANKS, CUMULATIVE, STD };

static const struct opt opts[] = {
	{'k', "key", "COL,...", "group by these columns (default: type)"},
	{'q', "quantiles", "PERCENT,...", "add exact quantiles, as columns p50 and so on"},
	{'n', "first", "N", "print the first N groups, and one line for the rest"},
	{SORT, "sort", "[-]COL", "sort by this column; -COL: descending (default: -total)"},
	{OF, "of", "COL", "group this column instead of dur"},
	{SUM, "sum", "COL,...", "add the sums of these columns"},
	{CUMULATIVE, "cumulative", NULL, "add the share so far, in the order of the table"},
	{STD, "std", NULL, "add the standard deviation, as column std"},
	{WHO, "who", "COL", "add the values of COL in the rows of min and max, as min_COL, max_COL"},
	{DIGITS, "digits", "N", "round durations to N significant digits for the quantiles"},
	{'p', "partial", NULL, "write a partial table, for -m"},
	{'m', "merge", NULL, "merge partial tables"},
	{RANKS, "ranks", "[=LIST]",
     "report ranks that are missing or came twice (default: ##worldSize)"},
};

static const struct opt_usage usage = {
	"[-k COL,...] [-q PERCENT,...] [-n N] [--sort=[-]COL] [--of=COL] [--sum=COL,...]\n"
	"              [--cumulative] [--std] [--who=COL] [--digits=N] [-p] [-m] [--ranks[=LIST]] "
	"[FILE...]",
	"Group kernel events by columns: counts, exact sums, quantiles.", opts,
	sizeof opts / sizeof *opts};

/* --- options -------------------------------------------------------------- */

static void set_figures(struct state *st)
{
	figures_set(&st->figures, &st->quantiles, &st->partial.sums, &st->whos);
	st->squares = figures_of_squares(&st->figures) != NULL;
}

static void check_words(const struct state *st, const char *flag, const struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		if (figures_take(&st->figures, words->item[i]) ||
		    (words != &st->keys && words_have(&st->keys, words->item[i])))
			opts_fail("%s: the table has another column '%s'", flag, words->item[i].s);
	opts_distinct(flag, words);
}

static void set_sort(struct state *st)
{
	st->sort = sortkey_column(str_of(st->opts.arg), &st->descending);
	if (st->sort.n == 0)
		opts_fail("--sort: no column is named");
}

static void want_ranks(struct state *st)
{
	st->check_ranks = true;
	if (st->opts.arg && !ranks_want(&st->ranks, st->opts.arg))
		opts_fail("--ranks: '%s' is not a list of ranks, such as 0-7,9", st->opts.arg);
}

/* --- input ----------------------------------------------------------------- */

/* Passes a line on, unless this table rewrites it, or has no rows that it is about. */
static void metadata(struct state *st)
{
	struct str key = st->in.key;
	bool thread = str_equal(key, STR("thread"));
	bool process = str_equal(key, STR("process"));

	if (st->check_ranks) {
		ranks_item(&st->ranks, &st->in, KEV_META);
		if (ranks_takes(&st->in))
			return;
	}
	if (st->merge && partial_metadata(&st->partial, &st->in))
		return;
	if (str_equal(key, STR("group")))
		kev_misuse(&st->in, "this is a partial table, not a stream of rows; read it with -m");
	/* A table that is grouped once more has these. */
	if (str_equal(key, STR("of")) || str_equal(key, STR("digits")))
		return;
	/* The first partial has these lines only if they are of its key, which is not known yet. */
	if ((thread || process) && st->keys.count && !words_have(&st->keys, STR("tid")) &&
	    (thread || !words_have(&st->keys, STR("pid"))))
		return;
	kev_pass_meta(&st->out, &st->in);
}

/* dur may be missing: then rows are counted. */
static void value_columns(struct state *st)
{
	st->dur = kev_column(&st->in, STR("dur"));
	if (st->of.n)
		kev_need(&st->in, st->of, &st->dur);
	st->cause = str_equal(st->of, STR("gap")) ? kev_column(&st->in, STR("cause")) : KEV_NONE;
	if (st->who.n)
		kev_need(&st->in, st->who, &st->who_column);
	partial_find_sums(&st->partial, &st->in);
}

static void columns(struct state *st)
{
	if (st->check_ranks)
		ranks_item(&st->ranks, &st->in, KEV_COLUMNS);
	if (st->merge && st->keys.count == 0)
		st->keys = partial_keys(&st->partial, &st->in);
	st->key_columns = mem_resize(st->key_columns, st->keys.count, sizeof *st->key_columns);
	if (!st->filled)
		st->filled = mem_zero(st->keys.count, sizeof *st->filled);
	st->cat = words_have(&st->keys, STR("cat")) ? KEV_NONE : kev_column(&st->in, STR("cat"));
	for (size_t i = 0; i < st->keys.count; i++)
		kev_need(&st->in, st->keys.item[i], &st->key_columns[i]);
	if (st->merge)
		partial_layout(&st->partial, &st->in);
	else if (partial_is_layout(&st->partial, &st->in))
		kev_misuse(&st->in, "this is a partial table, not a stream of rows; read it with -m");
	else
		value_columns(st);
}

static struct group *row_group(struct state *st, struct groups *groups)
{
	struct group *group = NULL;

	/* A field that is a key needs no look at its escapes: kev_key has written them. */
	if (st->keys.count == 1)
		group = groups_find(groups, st->in.field[*st->key_columns]);
	if (group)
		return group;
	return groups_get(groups,
	                  kev_key(&st->in, st->key_columns, st->keys.count, &st->key, &st->scratch));
}

/* Notes what warn_of_rows needs. */
static void look_at_row(struct state *st)
{
	st->rows++;
	for (size_t i = 0; i < st->keys.count; i++)
		st->filled[i] |= st->in.field[st->key_columns[i]].n > 0;
	if (st->cat != KEV_NONE && st->dur != KEV_NONE && st->in.field[st->dur].n)
		hostrows_add(&st->host, st->in.field[st->cat]);
}

/* A row has a dur: those without it do not count any more. */
static void leave_bare(struct state *st)
{
	if (st->bare.keys.count)
		groups_free(&st->bare);
}

/* A row of a partial. */
static void merge_row(struct state *st)
{
	struct str total = st->in.field[st->partial.column[PARTIAL_TOTAL]];
	struct str count = st->in.field[st->partial.column[PARTIAL_COUNT]];
	bool bare = partial_is_bare(&st->partial, &st->in);
	uint64_t rows;

	st->rows++;
	balance_in(&st->balance, total);
	if (bare) {
		balance_drop(&st->balance, NO_DUR, total);
		st->no_dur += str_whole(count, &rows) ? rows : 0;
	}
	if (bare && st->groups.keys.count)
		return;
	partial_row(&st->partial, &st->in, row_group(st, bare ? &st->bare : &st->groups));
	if (bare)
		return;
	leave_bare(st);
	balance_out(&st->balance, total);
}

static const char *of_name(const struct state *st)
{
	return st->of.n ? st->of.s : "dur";
}

/* A row without dur, which counts if there is no other. */
static void bare_row(struct state *st)
{
	struct group *group;
	bool first = st->cause != KEV_NONE && st->in.field[st->cause].n == 0;

	if (st->opts.strict && !first)
		kev_error(&st->in, "%s is missing", of_name(st));
	st->no_dur += !first;
	balance_drop(&st->balance, NO_DUR, STR(""));
	if (st->groups.keys.count)
		return;
	group = row_group(st, &st->bare);
	group->count++;
	group->unranged = true;
	partial_add_sums(&st->partial, &st->in, group);
}

static void row(struct state *st)
{
	struct str text = st->dur == KEV_NONE ? STR("") : st->in.field[st->dur];
	struct dec dur;
	struct group *group;

	look_at_row(st);
	balance_in(&st->balance, text);
	if (!kev_number(&st->in, st->dur, &dur)) {
		bare_row(st);
		return;
	}
	leave_bare(st);
	group = row_group(st, &st->groups);
	if (st->who.n) {
		struct str who = kev_text(&st->in, st->who_column, &st->scratch);

		group_add_who(group, dur, who, dur, who);
	}
	if (!group_add(group, dur, 1))
		kev_error(&st->in, "%s: the sum is too large", of_name(st));
	if (st->quantiles.count)
		durations_add(&group->durations, st->digits ? dec_round(dur, (int)st->digits) : dur, 1);
	if (st->squares)
		group_add_square(group, dur);
	partial_add_sums(&st->partial, &st->in, group);
	balance_out(&st->balance, text);
}

/* --- the table ----------------------------------------------------------- */

static _Noreturn void fail_sort(const struct state *st)
{
	struct nearest nearest = nearest_to(st->sort);

	for (size_t i = 0; i < st->figures.count; i++)
		if (figures_find(&st->figures, st->figures.column[i].name))
			nearest_try(&nearest, st->figures.column[i].name);
	for (size_t i = 0; i < st->keys.count; i++)
		nearest_try(&nearest, st->keys.item[i]);
	if (nearest.found.s)
		opts_fail("--sort: the table has no column '%s'; did you mean '%.*s'?", st->sort.s,
		          (int)nearest.found.n, nearest.found.s);
	opts_fail("--sort: the table has no column '%s'", st->sort.s);
}

/* Without --sort the largest total comes first; of counts alone, the largest count. */
static struct figures_order find_order(const struct state *st)
{
	struct str name = st->sort;
	struct figures_order order = {.descending = name.n == 0 || st->descending};

	if (name.n == 0)
		name = st->figures.counts_alone ? STR("count") : STR("total");
	order.column = figures_find(&st->figures, name);
	order.key = order.column ? STRMAP_NONE : strmap_find(&st->keys.set, name);
	if (!order.column && order.key == STRMAP_NONE)
		fail_sort(st);
	return order;
}

/* The key is its fields with tabs between them; a partial can have no keys. */
static void put_key(struct state *st, struct str key)
{
	if (st->keys.count)
		kev_field_raw(&st->out, key);
}

static void put_columns(struct state *st)
{
	struct words names = {0};

	for (size_t i = 0; i < st->keys.count; i++)
		words_put(&names, st->keys.item[i]);
	for (size_t i = 0; i < st->figures.count; i++)
		words_put(&names, st->figures.column[i].name);
	if (st->of.n)
		kev_meta(&st->out, "of", &st->of, 1);
	if (st->digits)
		partial_write_digits(&st->out, st->digits);
	kev_columns(&st->out, names.item, names.count);
	words_free(&names);
}

static void put_figures(struct state *st, struct group *group)
{
	figures_put(&st->figures, group, &st->out);
	kev_row_end(&st->out);
}

/* The groups after the first N of -n, as one. */
static void put_others(struct state *st, const size_t *lines, size_t from)
{
	struct group others = {0};

	for (size_t i = from; i < st->groups.keys.count; i++)
		if (!group_merge(&others, &st->groups.group[lines[i]]))
			kev_die(&st->out, st->in.file, 0, "the sum of the groups past -n is too large");
	kev_field(&st->out, STR("(others)"));
	for (size_t i = 1; i < st->keys.count; i++)
		kev_field_raw(&st->out, STR(""));
	put_figures(st, &others);
	group_free(&others);
}

/* Takes the keys and quantiles of the partials, unless the options choose others. */
static void settle_columns(struct state *st)
{
	struct partial *partial = &st->partial;
	const char *squares;

	if (st->merge && st->keys.count == 0)
		st->keys = partial->keys;
	if (st->merge && st->quantiles.count == 0)
		st->quantiles = partial->quantiles;
	for (size_t i = 0; i < partial->quantiles.count; i++)
		if (!figures_percent(partial->quantiles.item[i]))
			kev_die(&st->out, st->in.file, 0, "##quantiles: '%s' is not a percentage from 0 to 100",
			        partial->quantiles.item[i].s);
	if (st->merge && st->quantiles.count && partial->without_values)
		kev_die_misuse(&st->out, partial->without_values, 0,
		               "this partial has no values, which -q needs; write it with kgroup -p -q");
	if (partial->squares)
		figures_want_squares(&st->figures);
	squares = figures_of_squares(&st->figures);
	if (st->merge && squares && partial->without_squares)
		kev_die_misuse(
			&st->out, partial->without_squares, 0,
			"this partial has no squares, which --%s needs; write it with kgroup -p --%s", squares,
			squares);
	if (st->merge && partial->of.len)
		st->of = (struct str){mem_string(partial->of.data, partial->of.len), partial->of.len};
	if (st->merge && partial->who.len) {
		st->who = (struct str){mem_string(partial->who.data, partial->who.len), partial->who.len};
		partial_who_names(&st->whos, st->who);
	}
	if (st->merge)
		st->digits = partial->digits;
	set_figures(st);
	for (size_t i = 0; i < st->keys.count; i++)
		if (figures_take(&st->figures, st->keys.item[i]))
			kev_die_misuse(&st->out, st->in.file, 0, "the key '%s' has the name of another column",
			               st->keys.item[i].s);
	for (size_t i = 0; i < partial->sums.count; i++)
		if (figures_take(&st->figures, partial->sums.item[i]) ||
		    words_have(&st->keys, partial->sums.item[i]))
			kev_die_misuse(&st->out, st->in.file, 0, "the sum '%s' has the name of another column",
			               partial->sums.item[i].s);
}

static void put_table(struct state *st, const size_t *lines)
{
	size_t count = st->groups.keys.count;
	struct partial_shape shape = {.keys = &st->keys,
	                              .quantiles = &st->quantiles,
	                              .sums = &st->partial.sums,
	                              .of = st->of,
	                              .who = st->who,
	                              .digits = st->digits,
	                              .squares = st->squares,
	                              .bare = st->figures.counts_alone};

	if (st->write_partials)
		partial_write_head(&st->out, &shape);
	else
		put_columns(st);
	for (size_t i = 0; i < count && i < st->first; i++) {
		struct group *group = &st->groups.group[lines[i]];

		put_key(st, strmap_key(&st->groups.keys, lines[i]));
		if (st->write_partials)
			partial_write(&st->partial, &st->out, group, &shape);
		else
			put_figures(st, group);
	}
	if (count > st->first)
		put_others(st, lines, st->first);
}

/* A column of the key is empty in all rows. */
static void warn_of_keys(const struct state *st)
{
	bool has_name =
		kev_column(&st->in, STR("name")) != KEV_NONE && !words_have(&st->keys, STR("name"));

	for (size_t i = 0; i < st->keys.count && st->rows && !st->merge; i++) {
		bool can_name = has_name && str_equal(st->keys.item[i], STR("type"));

		if (!st->filled[i])
			warn("%s is empty in all %llu rows%s%s", st->keys.item[i].s,
			     (unsigned long long)st->rows,
			     can_name ? ": -k name?" : "; choose other columns with -k",
			     hint_empty(st->keys.item[i]));
	}
}

/* What is silently not what the user wants. */
static void warn_of_rows(const struct state *st)
{
	if (st->rows == 0 && st->out.status == STATUS_OK)
		warn("there are no rows, so the table is empty");
	warn_of_keys(st);
	hostrows_warn(&st->host);
	if (st->figures.counts_alone)
		warn("no row has %s, so the table has counts alone", of_name(st));
	else if (st->no_dur)
		warn("rows without %s, not counted: %llu", of_name(st), (unsigned long long)st->no_dur);
}

/* No row has a dur: those without it are the table. */
static void take_bare(struct state *st)
{
	struct groups none = st->groups;

	st->figures.counts_alone = true;
	st->groups = st->bare;
	st->bare = none;
	st->balance.out = st->balance.dropped[NO_DUR];
	st->balance.dropped[NO_DUR] = (struct tally){0};
}

static void finish(struct state *st)
{
	struct figures_order order;
	struct dec negative = {0};
	size_t *lines;

	if (st->bare.keys.count)
		take_bare(st);
	settle_columns(st);
	warn_of_rows(st);
	if (st->check_ranks && !ranks_report(&st->ranks, &st->out))
		kev_die_misuse(&st->out, "ranks", 0,
		               "no input has a ##worldSize line; list the ranks, as in --ranks=0-7");
	partial_write_vias(&st->partial, &st->out);
	for (size_t i = 0; i < st->groups.keys.count; i++)
		if (!dec_sum(&st->figures.total, &negative, st->groups.group[i].total,
		             st->groups.group[i].negative))
			kev_die(&st->out, st->in.file, 0, "the sum of all groups is too large");
	order = find_order(st);
	lines = figures_sort(&st->figures, &st->groups, &order);
	put_table(st, lines);
	free(lines);
	st->balance.unit = kev_unit(&st->in);
	balance_print(&st->balance);
}

static void take_option(struct state *st, int letter, struct words *quantiles)
{
	switch (letter) {
	case 'k':
		opts_words(&st->opts, &st->keys);
		break;
	case 'q':
		opts_words(&st->opts, quantiles);
		break;
	case 'n':
		st->first = opts_number(&st->opts, 1);
		break;
	case SORT:
		set_sort(st);
		break;
	case OF:
		st->of = str_of(st->opts.arg);
		break;
	case SUM:
		opts_words(&st->opts, &st->partial.sums);
		break;
	case WHO:
		st->who = str_of(st->opts.arg);
		break;
	case DIGITS:
		st->digits = opts_number(&st->opts, 1);
		break;
	case 'p':
		st->write_partials = true;
		break;
	case 'm':
		st->merge = true;
		break;
	case RANKS:
		want_ranks(st);
		break;
	default:
		figures_want(&st->figures, st->opts.flag + 2);
	}
}

static void settle_options(struct state *st)
{
	if (st->keys.count == 0 && !st->merge)
		words_add(&st->keys, "type");
	st->partial.keys_chosen = st->keys.count > 0;
	st->partial.quantiles_chosen = st->quantiles.count > 0;
	st->partial.sums_chosen = st->partial.sums.count > 0;
	if (st->who.n)
		partial_who_names(&st->whos, st->who);
	st->partial.digits = st->digits;
	st->partial.digits_chosen = st->digits > 0;
	set_figures(st);
	check_words(st, "-k", &st->keys);
	check_words(st, "--sum", &st->partial.sums);
	if (st->merge && st->who.n)
		opts_fail("--who and -m exclude each other: a partial has its own");
	if (st->digits && !st->merge && st->quantiles.count == 0)
		opts_fail("--digits is for quantiles; add -q");
	if (st->digits > 38)
		opts_fail("--digits: a duration has at most 38 digits");
	if (st->merge && st->of.n)
		opts_fail("--of and -m exclude each other: a partial says what it is of");
	if (str_equal(st->of, STR("dur")))
		st->of = STR("");
	if (st->write_partials && st->first != SIZE_MAX)
		opts_fail("-n and -p exclude each other: a partial has all groups");
	if (st->write_partials && figures_take(&st->figures, STR("cumulative")))
		opts_fail("--cumulative and -p exclude each other: a partial has no order");
	if (!st->merge)
		find_order(st); /* fails before the input is read if --sort is wrong */
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS},
	                   .first = SIZE_MAX};
	struct words quantiles = {0};
	enum kev_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0)
		take_option(&st, letter, &quantiles);
	figures_add_percents(&st.quantiles, &quantiles);
	settle_options(&st);
	st.balance.on = st.opts.verbose;

	kev_open(&st.in, &st.opts);
	st.in.one_unit = true;
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			metadata(&st);
		else if (item == KEV_COLUMNS)
			columns(&st);
		else if (st.merge)
			merge_row(&st);
		else
			row(&st);
	}
	if (st.merge && item == KEV_END)
		partial_end(&st.partial, &st.in);
	if (item == KEV_FAILED || st.in.error[0])
		kev_fail(&st.out, &st.in);
	finish(&st);
	groups_free(&st.groups);
	groups_free(&st.bare);
	figures_free(&st.figures);
	partial_free(&st.partial);
	hostrows_free(&st.host);
	ranks_free(&st.ranks);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
