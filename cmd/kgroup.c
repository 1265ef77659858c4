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
 * Memory grows with the groups, and with -q also with the distinct durations of each.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "kernel/kclass.h"
#include "stream/balance.h"
#include "stream/group.h"
#include "stream/kev.h"
#include "stream/partial.h"
#include "stream/ranks.h"

/* The columns of the table after the key, before the quantiles. */
enum figure { COUNT, TOTAL, MEAN, MIN, MAX, SHARE, FIGURES };

static const char *const figure_names[FIGURES] = {"count", "total", "mean", "min", "max", "share"};

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
	const char *sort;       /* the name of a column */
	bool ascending;
	bool write_partials; /* -p */
	bool merge;          /* -m */
	bool check_ranks;    /* --ranks */
	/* The input. */
	struct partial partial;
	struct ranks ranks;
	int *key_columns;
	int dur;
	int cat; /* KEV_NONE if it is missing or a key */
	struct groups groups;
	struct dec total;
	/* For warnings. */
	uint64_t rows;
	uint64_t no_dur;
	bool *filled;    /* by key: a row has a value */
	bool kernels;    /* a row has the cat of kernels, */
	struct buf host; /* and this is a cat of others beside them */
	struct buf key;
	struct buf scratch;
};

enum { SORT = OPT_LONG, RANKS };

static const struct opt opts[] = {
	{'k', "key", "COL,...", "group by these columns (default: type)"},
	{'q', "quantiles", "PERCENT,...", "add exact quantiles, as columns p50 and so on"},
	{'n', "first", "N", "print the first N groups, and one line for the rest"},
	{SORT, "sort", "[-]COL", "sort by this column; -COL: ascending (default: total)"},
	{'p', "partial", NULL, "write a partial table, for -m"},
	{'m', "merge", NULL, "merge partial tables"},
	{RANKS, "ranks", "[=LIST]",
     "report ranks that are missing or came twice (default: ##worldSize)"},
};

static const struct opt_usage usage = {
	"[-k COL,...] [-q PERCENT,...] [-n N] [--sort=[-]COL] [-p] [-m] [--ranks[=LIST]] "
	"[FILE...]",
	"Group kernel events by columns: counts, exact sums, quantiles.", opts,
	sizeof opts / sizeof *opts};

/* --- options -------------------------------------------------------------- */

static bool is_percent(struct str text)
{
	struct dec percent;

	return dec_parse(text, &percent) == DEC_OK && percent.nano >= 0 &&
	       dec_compare(percent, dec_of(100)) <= 0;
}

static void normalise_quantiles(struct words *words, const struct words *given)
{
	for (size_t i = 0; i < given->count; i++) {
		struct str text = given->item[i];
		struct buf normal = {0};
		struct dec percent;

		if (!is_percent(text))
			opts_fail("-q: '%s' is not a percentage from 0 to 100", text.s);
		dec_parse(text, &percent);
		dec_print(&normal, percent);
		if (words_have(words, buf_view(&normal)))
			opts_fail("-q: '%s' is given twice", text.s);
		buf_char(&normal, '\0');
		words_add(words, normal.data);
		buf_free(&normal);
	}
}

/* True if another column, of a table or of a partial, has this name: then a key cannot. */
static bool is_taken(struct str name, const struct words *quantiles)
{
	bool taken = str_equal(name, str_of(partial_columns[PARTIAL_VALUES]));

	for (size_t i = 0; i < FIGURES; i++)
		taken |= str_equal(name, str_of(figure_names[i]));
	for (size_t i = 0; i < quantiles->count; i++)
		taken |= name.n && name.s[0] == 'p' &&
		         str_equal((struct str){name.s + 1, name.n - 1}, quantiles->item[i]);
	return taken;
}

static void check_keys(const struct words *keys, const struct words *quantiles)
{
	for (size_t i = 0; i < keys->count; i++)
		if (is_taken(keys->item[i], quantiles))
			opts_fail("-k: the table has another column '%s'", keys->item[i].s);
	opts_distinct("-k", keys);
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

	if (st->check_ranks)
		ranks_item(&st->ranks, &st->in, KEV_META);
	if (st->merge && partial_metadata(&st->partial, &st->in))
		return;
	if ((thread || process) && !words_have(&st->keys, STR("tid")) &&
	    (thread || !words_have(&st->keys, STR("pid"))))
		return;
	kev_pass_meta(&st->out, &st->in);
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
	else if (partial_is_layout(&st->in))
		kev_error(&st->in, "this is a partial table, not a stream of rows; read it with -m");
	else
		kev_need(&st->in, STR("dur"), &st->dur);
}

static struct group *row_group(struct state *st)
{
	return groups_get(&st->groups,
	                  kev_key(&st->in, st->key_columns, st->keys.count, &st->key, &st->scratch));
}

/* Notes what warn_of_rows needs. */
static void look_at_row(struct state *st)
{
	struct str cat = st->cat == KEV_NONE ? STR("") : st->in.field[st->cat];

	st->rows++;
	for (size_t i = 0; i < st->keys.count; i++)
		st->filled[i] |= st->in.field[st->key_columns[i]].n > 0;
	if (str_equal(cat, STR("kernel")) || str_equal(cat, STR("Kernel")))
		st->kernels = true;
	else if (st->host.len == 0 && kclass_is_host(cat))
		buf_str(&st->host, cat);
}

/* A row of a partial. */
static void merge_row(struct state *st)
{
	struct str total = st->in.field[st->partial.column[PARTIAL_TOTAL]];

	st->rows++;
	balance_in(&st->balance, total);
	partial_row(&st->partial, &st->in, row_group(st));
	balance_out(&st->balance, total);
}

static void row(struct state *st)
{
	struct str text = st->in.field[st->dur];
	struct dec dur;
	struct group *group;

	look_at_row(st);
	balance_in(&st->balance, text);
	if (!kev_number(&st->in, st->dur, &dur)) {
		if (st->opts.strict)
			kev_error(&st->in, "dur is missing");
		st->no_dur++;
		balance_drop(&st->balance, NO_DUR, text);
		return;
	}
	group = row_group(st);
	if (!group_add(group, dur, 1))
		kev_error(&st->in, "dur: the sum is too large");
	if (st->quantiles.count)
		group_add_value(group, dur, 1);
	balance_out(&st->balance, text);
}

/* --- the table ----------------------------------------------------------- */

/* The sort column: its kind, and its index among those of that kind. */
struct order {
	const struct groups *groups;
	enum { BY_KEY, BY_FIGURE, BY_QUANTILE } by;
	size_t index;
	bool ascending;
};

struct line {
	size_t group;
	struct str key;      /* all its fields */
	struct str sort_key; /* the field to sort by */
	struct dec sort_value;
	const struct order *order;
};

/* Numbers by value, before all texts; texts by their bytes. */
static int compare_texts(struct str a, struct str b)
{
	struct dec x;
	struct dec y;
	bool a_number = dec_parse(a, &x) <= DEC_ROUNDED;
	bool b_number = dec_parse(b, &y) <= DEC_ROUNDED;

	if (a_number && b_number && dec_compare(x, y) != 0)
		return dec_compare(x, y);
	if (a_number != b_number)
		return a_number ? -1 : 1;
	return str_compare(a, b);
}

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left;
	const struct line *b = right;
	const struct order *order = a->order;
	const struct group *ga = &order->groups->group[a->group];
	const struct group *gb = &order->groups->group[b->group];
	int result;

	if (order->by == BY_KEY)
		result = compare_texts(a->sort_key, b->sort_key);
	else if (order->by == BY_FIGURE && order->index == MEAN)
		result = group_compare_means(ga, gb);
	else if (order->by == BY_FIGURE && order->index == COUNT)
		result = (ga->count > gb->count) - (ga->count < gb->count);
	else
		result = dec_compare(a->sort_value, b->sort_value);
	if (result)
		return order->ascending ? result : -result;
	return str_compare(a->key, b->key);
}

static struct order find_order(const struct state *st)
{
	struct order order = {
		.groups = &st->groups, .by = BY_FIGURE, .index = TOTAL, .ascending = st->ascending};
	struct str name = str_of(st->sort);

	for (size_t i = 0; i < FIGURES; i++) {
		if (str_equal(name, str_of(figure_names[i]))) {
			order.index = i;
			return order;
		}
	}
	for (size_t i = 0; i < st->keys.count; i++) {
		if (str_equal(name, st->keys.item[i])) {
			order.by = BY_KEY;
			order.index = i;
			return order;
		}
	}
	for (size_t i = 0; name.n && name.s[0] == 'p' && i < st->quantiles.count; i++) {
		if (str_equal((struct str){name.s + 1, name.n - 1}, st->quantiles.item[i])) {
			order.by = BY_QUANTILE;
			order.index = i;
			return order;
		}
	}
	opts_fail("--sort: the table has no column '%s'", st->sort);
}

static struct dec quantile(const struct state *st, struct group *group, size_t index)
{
	struct dec percent = {0};

	dec_parse(st->quantiles.item[index], &percent);
	return group_quantile(group, percent);
}

static struct line *sorted_lines(struct state *st, const struct order *order)
{
	size_t count = st->groups.keys.count;
	struct line *lines = mem_alloc(count, sizeof *lines);

	for (size_t i = 0; i < count; i++) {
		struct group *group = &st->groups.group[i];
		struct line *line = &lines[i];

		*line = (struct line){.group = i, .key = strmap_key(&st->groups.keys, i), .order = order};
		line->sort_value = group->total;
		/* Shares have the order of the totals, reversed if the sum of all is below 0. */
		if (order->by == BY_FIGURE && order->index == SHARE && st->total.nano < 0)
			line->sort_value.nano = -line->sort_value.nano;
		if (order->by == BY_KEY)
			line->sort_key = tsv_field(line->key, order->index);
		else if (order->by == BY_QUANTILE)
			line->sort_value = quantile(st, group, order->index);
		else if (order->index == MIN)
			line->sort_value = group->min;
		else if (order->index == MAX)
			line->sort_value = group->max;
	}
	qsort(lines, count, sizeof *lines, compare_lines);
	return lines;
}

static void put_quotient(struct state *st, struct dec numerator, struct dec denominator, int shift)
{
	st->scratch.len = 0;
	if (denominator.nano == 0)
		buf_char(&st->scratch, '0');
	else
		dec_quotient(&st->scratch, numerator, denominator, shift);
	kev_field_raw(&st->out, buf_view(&st->scratch));
}

static void put_figures(struct state *st, struct group *group)
{
	struct dec count = {(__int128)group->count * dec_of(1).nano};

	kev_field_count(&st->out, group->count);
	kev_field_dec(&st->out, group->total);
	put_quotient(st, group->total, count, 0);
	partial_write_range(&st->out, group);
	put_quotient(st, group->total, st->total, 2);
	for (size_t i = 0; i < st->quantiles.count; i++)
		kev_field_dec(&st->out, quantile(st, group, i));
	kev_row_end(&st->out);
}

/* The key is its fields with tabs between them; a partial can have no keys. */
static void put_key(struct state *st, struct str key)
{
	if (st->keys.count)
		kev_field_raw(&st->out, key);
}

static void put_columns(struct state *st)
{
	struct buf quantiles = {0}; /* the bytes of their names */
	struct str *names = mem_alloc(st->keys.count + FIGURES + st->quantiles.count, sizeof *names);
	size_t count = 0;

	for (size_t i = 0; i < st->keys.count; i++)
		names[count++] = st->keys.item[i];
	for (size_t i = 0; i < FIGURES; i++)
		names[count++] = str_of(figure_names[i]);
	for (size_t i = 0; i < st->quantiles.count; i++)
		buf_reserve(&quantiles, quantiles.cap + st->quantiles.item[i].n + 1);
	for (size_t i = 0; i < st->quantiles.count; i++) {
		size_t start = quantiles.len;

		buf_char(&quantiles, 'p');
		buf_str(&quantiles, st->quantiles.item[i]);
		names[count++] = (struct str){quantiles.data + start, quantiles.len - start};
	}
	kev_columns(&st->out, names, count);
	buf_free(&quantiles);
	free(names);
}

/* The groups after the first N of -n, as one. */
static void put_others(struct state *st, const struct line *lines, size_t from)
{
	struct group others = {0};

	for (size_t i = from; i < st->groups.keys.count; i++)
		if (!group_merge(&others, &st->groups.group[lines[i].group]))
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

	if (st->merge && st->keys.count == 0)
		st->keys = partial->keys;
	if (st->merge && st->quantiles.count == 0)
		st->quantiles = partial->quantiles;
	for (size_t i = 0; i < partial->quantiles.count; i++)
		if (!is_percent(partial->quantiles.item[i]))
			kev_die(&st->out, st->in.file, 0, "##quantiles: '%s' is not a percentage from 0 to 100",
			        partial->quantiles.item[i].s);
	if (st->merge && st->quantiles.count && partial->without_values)
		kev_die(&st->out, partial->without_values, 0,
		        "this partial has no values, which -q needs; write it with kgroup -p -q");
	for (size_t i = 0; i < st->keys.count; i++)
		if (is_taken(st->keys.item[i], &st->quantiles))
			kev_die(&st->out, st->in.file, 0, "the key '%s' has the name of another column",
			        st->keys.item[i].s);
}

static void put_table(struct state *st, const struct line *lines)
{
	size_t count = st->groups.keys.count;

	if (st->write_partials)
		partial_write_head(&st->out, &st->keys, &st->quantiles);
	else
		put_columns(st);
	for (size_t i = 0; i < count && i < st->first; i++) {
		struct group *group = &st->groups.group[lines[i].group];

		put_key(st, lines[i].key);
		if (st->write_partials)
			partial_write(&st->partial, &st->out, group, st->quantiles.count > 0);
		else
			put_figures(st, group);
	}
	if (count > st->first)
		put_others(st, lines, st->first);
}

/* What is silently not what the user wants. */
static void warn_of_rows(const struct state *st)
{
	bool can_name =
		kev_column(&st->in, STR("name")) != KEV_NONE && !words_have(&st->keys, STR("name"));

	if (st->rows == 0 && st->out.status == STATUS_OK)
		warn("there are no rows, so the table is empty");
	for (size_t i = 0; i < st->keys.count && st->rows && !st->merge; i++)
		if (!st->filled[i])
			warn("%s is empty in all rows (%llu); choose other columns with -k%s",
			     st->keys.item[i].s, (unsigned long long)st->rows,
			     can_name ? ", such as name" : "");
	if (st->kernels && st->host.len)
		warn(
			"kernels are in one table with rows of the host or annotations (cat %.*s); leave these "
			"out with trace2tsv -c kernel, or add cat to -k",
			(int)st->host.len, st->host.data);
	if (st->no_dur)
		warn("rows without dur, not counted: %llu", (unsigned long long)st->no_dur);
}

static void finish(struct state *st)
{
	struct order order;
	struct line *lines;

	warn_of_rows(st);
	if (st->check_ranks && !ranks_report(&st->ranks, &st->out))
		kev_die(&st->out, "ranks", 0,
		        "no input has a ##worldSize line; list the ranks, as in --ranks=0-7");
	settle_columns(st);
	partial_write_vias(&st->partial, &st->out);
	for (size_t i = 0; i < st->groups.keys.count; i++)
		if (!dec_add(&st->total, st->groups.group[i].total))
			kev_die(&st->out, st->in.file, 0, "the sum of all groups is too large");
	order = find_order(st);
	lines = sorted_lines(st, &order);
	put_table(st, lines);
	free(lines);
	st->balance.unit = kev_unit(&st->in);
	balance_print(&st->balance);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS},
	                   .first = SIZE_MAX,
	                   .sort = "total"};
	struct words quantiles = {0};
	enum kev_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'k':
			opts_words(&st.opts, &st.keys);
			break;
		case 'q':
			opts_words(&st.opts, &quantiles);
			break;
		case 'n':
			st.first = opts_number(&st.opts, 1);
			break;
		case SORT:
			st.ascending = st.opts.arg[0] == '-';
			st.sort = st.opts.arg + st.ascending;
			break;
		case 'p':
			st.write_partials = true;
			break;
		case 'm':
			st.merge = true;
			break;
		case RANKS:
			want_ranks(&st);
			break;
		}
	}
	normalise_quantiles(&st.quantiles, &quantiles);
	if (st.keys.count == 0 && !st.merge)
		words_add(&st.keys, "type");
	st.partial.keys_chosen = st.keys.count > 0;
	st.partial.quantiles_chosen = st.quantiles.count > 0;
	check_keys(&st.keys, &st.quantiles);
	if (st.write_partials && st.first != SIZE_MAX)
		opts_fail("-n and -p exclude each other: a partial has all groups");
	if (!st.merge)
		find_order(&st); /* fails before the input is read if --sort is wrong */
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
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	groups_free(&st.groups);
	partial_free(&st.partial);
	ranks_free(&st.ranks);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
