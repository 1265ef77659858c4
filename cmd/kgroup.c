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
 * Memory grows with the groups; with -q, and with -p after -q, also with the
 * distinct durations.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "stream/balance.h"
#include "stream/group.h"
#include "stream/kev.h"

/* Columns of the table behind the keys, before the quantiles. */
enum figure { COUNT, TOTAL, MEAN, MIN, MAX, SHARE, FIGURES };

static const char *const figure_names[FIGURES] = {"count", "total", "mean", "min", "max", "share"};

/* Columns of a partial behind the keys. */
enum partial { P_COUNT, P_TOTAL, P_MIN, P_MAX, P_VALUES, PARTIALS };

static const char *const partial_names[PARTIALS] = {"count", "total", "min", "max", "values"};

/* Why a row does not count. */
enum reason { NO_DUR, REASONS };

static const char *const reasons[REASONS] = {"no dur"};

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct words keys;
	struct words quantiles; /* normalised percents */
	size_t first;           /* -n; SIZE_MAX for all */
	const char *sort;       /* a column's name */
	bool ascending;
	bool write_partials; /* -p */
	bool merge;          /* -m */
	/* The layout of the input. */
	int *key_columns;
	int dur;
	int partial[PARTIALS];
	/* What the partials say of themselves. */
	struct words said_keys;
	struct words said_quantiles;
	bool keys_said;
	bool keys_given; /* by -k */
	bool no_values;  /* one of them has no values */
	char *no_values_file;
	struct groups groups;
	struct dec total;
	uint64_t no_dur;
	struct buf key;
	struct buf scratch;
	struct buf text;
};

enum { SORT = OPT_LONG };

static const struct opt opts[] = {
	{'k', "key", "COL,...", "the columns to group by (type)"},
	{'q', "quantiles", "PERCENT,...", "add exact quantiles, as columns p50 and so on"},
	{'n', "first", "N", "the first N groups, and one line for the rest"},
	{SORT, "sort", "[-]COL", "sort by this column of the table, - before it: ascending (total)"},
	{'p', "partial", NULL, "write a partial table, for -m"},
	{'m', "merge", NULL, "the input is partial tables: merge them"},
};

static const struct opt_usage usage = {
	"[-k COL,...] [-q PERCENT,...] [-n N] [--sort=[-]COL] [-p] [-m] [FILE...]",
	"Groups kernel events by columns: counts, exact sums, quantiles.", opts,
	sizeof opts / sizeof *opts};

/* --- options and what partials say --------------------------------------- */

static void normalise_quantiles(struct words *words, const struct words *given)
{
	for (size_t i = 0; i < given->count; i++) {
		struct str text = given->item[i];
		struct buf normal = {0};
		struct dec percent;

		if (dec_parse(text, &percent) != DEC_OK || percent.nano < 0 ||
		    dec_compare(percent, dec_of(100)) > 0)
			opts_fail("-q: '%s' is not a percentage from 0 to 100", text.s);
		dec_print(&normal, percent);
		if (words_have(words, buf_view(&normal)))
			opts_fail("-q: '%s' twice", text.s);
		buf_char(&normal, '\0');
		words_add(words, normal.data);
		buf_free(&normal);
	}
}

/* A key may not be named like another column, of a table or of a partial. */
static bool is_taken(struct str name, const struct words *quantiles)
{
	bool taken = str_equal(name, str_of(partial_names[P_VALUES]));

	for (size_t i = 0; i < FIGURES; i++)
		taken |= str_equal(name, str_of(figure_names[i]));
	for (size_t i = 0; i < quantiles->count; i++)
		taken |= name.n && name.s[0] == 'p' &&
		         str_equal((struct str){name.s + 1, name.n - 1}, quantiles->item[i]);
	return taken;
}

static void check_keys(const struct words *keys, const struct words *quantiles)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (is_taken(keys->item[i], quantiles))
			opts_fail("-k: '%s' is a column of the table already", keys->item[i].s);
		for (size_t j = 0; j < i; j++)
			if (str_equal(keys->item[i], keys->item[j]))
				opts_fail("-k: '%s' twice", keys->item[i].s);
	}
}

static bool words_equal(const struct words *a, const struct words *b)
{
	bool equal = a->count == b->count;

	for (size_t i = 0; equal && i < a->count; i++)
		equal = str_equal(a->item[i], b->item[i]);
	return equal;
}

/* The parts of a metadata line, taken over once; false where they then differ. */
static bool take_words(struct state *st, struct words *said, bool known)
{
	struct words now = {0};
	struct str rest = st->in.value;

	while (rest.n) {
		const char *tab = memchr(rest.s, '\t', rest.n);
		struct str part = {rest.s, tab ? (size_t)(tab - rest.s) : rest.n};

		st->scratch.len = 0;
		tsv_unescape(&st->scratch, part);
		now.item = mem_grow(now.item, &now.cap, now.count + 1, sizeof *now.item);
		now.item[now.count++] =
			(struct str){mem_string(st->scratch.data, st->scratch.len), st->scratch.len};
		rest.s += part.n + (tab != NULL);
		rest.n -= part.n + (tab != NULL);
	}
	if (known)
		return words_equal(said, &now);
	*said = now;
	return true;
}

/* --- input --------------------------------------------------------------- */

/* A metadata line: passed on, but for what this table says anew or no more speaks of. */
static bool metadata(struct state *st)
{
	struct str key = st->in.key;

	if (st->merge && str_equal(key, STR("group"))) {
		bool same = take_words(st, &st->said_keys, st->keys_said);

		st->keys_said = true;
		if (!same && !st->keys_given)
			kev_error(&st->in, "partials grouped by different columns: say which with -k");
		return !st->in.error[0];
	}
	if (st->merge && str_equal(key, STR("quantiles"))) {
		if (!take_words(st, &st->said_quantiles, st->said_quantiles.count) &&
		    st->quantiles.count == 0)
			kev_error(&st->in, "partials with different quantiles: say which with -q");
		return !st->in.error[0];
	}
	/* Names of processes and threads that no row of the table has. */
	if (str_equal(key, STR("thread")) && !words_have(&st->keys, STR("tid")))
		return true;
	if (str_equal(key, STR("process")) && !words_have(&st->keys, STR("pid")) &&
	    !words_have(&st->keys, STR("tid")))
		return true;
	kev_pass_meta(&st->out, &st->in);
	return true;
}

/* -m without -k: the keys that the partials name, else the columns before their count. */
static void keys_of_partials(struct state *st)
{
	if (st->keys_said) {
		st->keys = st->said_keys;
		return;
	}
	for (size_t i = 0; i < st->in.columns_count; i++) {
		struct str name = st->in.column[i];

		if (str_equal(name, STR("count")))
			break;
		st->keys.item =
			mem_grow(st->keys.item, &st->keys.cap, st->keys.count + 1, sizeof *st->keys.item);
		st->keys.item[st->keys.count++] = (struct str){mem_string(name.s, name.n), name.n};
	}
}

static bool columns(struct state *st)
{
	if (st->merge && st->keys.count == 0)
		keys_of_partials(st);
	st->key_columns = mem_resize(st->key_columns, st->keys.count, sizeof *st->key_columns);
	for (size_t i = 0; i < st->keys.count; i++)
		if (!kev_need(&st->in, st->keys.item[i], &st->key_columns[i]))
			return false;
	if (!st->merge)
		return kev_need(&st->in, STR("dur"), &st->dur);
	for (size_t i = 0; i < P_VALUES; i++)
		if (!kev_need(&st->in, str_of(partial_names[i]), &st->partial[i]))
			return false;
	if (kev_column(&st->in, STR("mean")) != KEV_NONE && !st->keys_said) {
		kev_error(&st->in, "a finished table, and no partial: kgroup -p writes those");
		return false;
	}
	st->partial[P_VALUES] = kev_column(&st->in, str_of(partial_names[P_VALUES]));
	if (st->partial[P_VALUES] == KEV_NONE && !st->no_values) {
		st->no_values = true;
		st->no_values_file = mem_string(st->in.file, strlen(st->in.file));
	}
	return true;
}

static struct str row_key(struct state *st)
{
	return kev_key(&st->in, st->key_columns, st->keys.count, &st->key, &st->scratch);
}

static bool too_large(struct state *st)
{
	kev_error(&st->in, "dur: the sum is too large");
	return false;
}

static bool event(struct state *st)
{
	struct str text = st->in.field[st->dur];
	struct dec dur;
	struct group *group;

	balance_in(&st->balance, text);
	if (!kev_number(&st->in, st->dur, &dur)) {
		if (st->opts.strict && !st->in.error[0])
			kev_error(&st->in, "dur: a row without one");
		st->no_dur++;
		balance_drop(&st->balance, NO_DUR, text);
		return !st->in.error[0];
	}
	group = groups_get(&st->groups, row_key(st));
	if (!group_add(group, dur, 1))
		return too_large(st);
	if (st->quantiles.count)
		group_add_value(group, dur, 1);
	balance_out(&st->balance, text);
	return true;
}

/* A whole number of 64 bits. */
static bool parse_count(struct str text, uint64_t *count)
{
	*count = 0;
	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] < '0' || text.s[i] > '9' ||
		    __builtin_mul_overflow(*count, (uint64_t)10, count) ||
		    __builtin_add_overflow(*count, (uint64_t)(text.s[i] - '0'), count))
			return false;
	}
	return text.n > 0;
}

/* "DUR:COUNT,DUR:COUNT": adds them to group; false where they are not, or do not make up count. */
static bool add_values(struct group *group, struct str text, uint64_t count)
{
	uint64_t sum = 0;

	while (text.n) {
		const char *comma = memchr(text.s, ',', text.n);
		struct str pair = {text.s, comma ? (size_t)(comma - text.s) : text.n};
		const char *colon = memchr(pair.s, ':', pair.n);
		struct str dur_text = {pair.s, colon ? (size_t)(colon - pair.s) : 0};
		struct dec dur;
		uint64_t n;

		if (!colon || dec_parse(dur_text, &dur) != DEC_OK ||
		    !parse_count((struct str){colon + 1, pair.n - dur_text.n - 1}, &n) ||
		    __builtin_add_overflow(sum, n, &sum))
			return false;
		group_add_value(group, dur, n);
		text.s += pair.n + (comma != NULL);
		text.n -= pair.n + (comma != NULL);
	}
	return sum == count;
}

static bool partial(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str count = in->field[st->partial[P_COUNT]];
	struct str values =
		st->partial[P_VALUES] == KEV_NONE ? STR("") : in->field[st->partial[P_VALUES]];
	struct group part = {0};
	struct group *group;
	char found[QUOTE_MAX];

	balance_in(&st->balance, in->field[st->partial[P_TOTAL]]);
	if (!parse_count(count, &part.count) || part.count == 0) {
		kev_error(in, "count: %s is no count", quote(found, count.s, count.n));
		return false;
	}
	if (!kev_number(in, st->partial[P_TOTAL], &part.total) ||
	    !kev_number(in, st->partial[P_MIN], &part.min) ||
	    !kev_number(in, st->partial[P_MAX], &part.max)) {
		if (!in->error[0])
			kev_error(in, "total, min or max: a partial without it");
		return false;
	}
	group = groups_get(&st->groups, row_key(st));
	if (!group_merge(group, &part))
		return too_large(st);
	if (st->partial[P_VALUES] != KEV_NONE && !add_values(group, values, part.count)) {
		kev_error(in, "values: %s does not list %.*s durations", quote(found, values.s, values.n),
		          (int)count.n, count.s);
		return false;
	}
	balance_out(&st->balance, in->field[st->partial[P_TOTAL]]);
	return true;
}

/* --- the table ----------------------------------------------------------- */

/* How two rows compare by the sort column: its kind, and for a key its place. */
struct order {
	const struct groups *groups;
	enum { BY_KEY, BY_FIGURE, BY_QUANTILE } by;
	size_t index;
	bool ascending;
};

struct line {
	size_t group;
	struct str key;      /* all key fields */
	struct str sort_key; /* the one to sort by */
	struct dec sort_value;
	const struct order *order;
};

/* Numbers by value and before texts, texts by their bytes. */
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
		/* A share has the order of its total, or the reverse where all of them is below 0. */
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

static void put_dec(struct state *st, struct dec value)
{
	st->text.len = 0;
	dec_print(&st->text, value);
	kev_field_raw(&st->out, buf_view(&st->text));
}

static void put_count(struct state *st, uint64_t count)
{
	st->text.len = 0;
	buf_format(&st->text, "%llu", (unsigned long long)count);
	kev_field_raw(&st->out, buf_view(&st->text));
}

static void put_quotient(struct state *st, struct dec numerator, struct dec denominator, int shift)
{
	st->text.len = 0;
	if (denominator.nano == 0)
		buf_char(&st->text, '0');
	else
		dec_quotient(&st->text, numerator, denominator, shift);
	kev_field_raw(&st->out, buf_view(&st->text));
}

static void put_figures(struct state *st, struct group *group)
{
	struct dec count = {(__int128)group->count * dec_of(1).nano};

	put_count(st, group->count);
	put_dec(st, group->total);
	put_quotient(st, group->total, count, 0);
	put_dec(st, group->min);
	put_dec(st, group->max);
	put_quotient(st, group->total, st->total, 2);
	for (size_t i = 0; i < st->quantiles.count; i++)
		put_dec(st, quantile(st, group, i));
	kev_row_end(&st->out);
}

static void put_partial(struct state *st, struct group *group)
{
	put_count(st, group->count);
	put_dec(st, group->total);
	put_dec(st, group->min);
	put_dec(st, group->max);
	if (st->quantiles.count) {
		group_sort_values(group);
		st->text.len = 0;
		for (size_t i = 0; i < group->values_count; i++) {
			if (i)
				buf_char(&st->text, ',');
			dec_print(&st->text, group->values[i].dur);
			buf_format(&st->text, ":%llu", (unsigned long long)group->values[i].count);
		}
		kev_field_raw(&st->out, buf_view(&st->text));
	}
	kev_row_end(&st->out);
}

static void put_key(struct state *st, struct str key)
{
	for (size_t i = 0; i < st->keys.count; i++)
		kev_field_raw(&st->out, tsv_field(key, i));
}

static void put_columns(struct state *st)
{
	size_t figures =
		st->write_partials ? P_VALUES + (st->quantiles.count > 0) : FIGURES + st->quantiles.count;
	struct str *names = mem_alloc(st->keys.count + figures, sizeof *names);
	struct buf quantiles = {0};
	size_t count = 0;

	for (size_t i = 0; i < st->keys.count; i++)
		names[count++] = st->keys.item[i];
	for (size_t i = 0; i < figures; i++) {
		if (st->write_partials)
			names[count++] = str_of(partial_names[i]);
		else if (i < FIGURES)
			names[count++] = str_of(figure_names[i]);
	}
	for (size_t i = 0; i < st->quantiles.count; i++)
		buf_reserve(&quantiles, quantiles.cap + st->quantiles.item[i].n + 1);
	for (size_t i = 0; !st->write_partials && i < st->quantiles.count; i++) {
		size_t start = quantiles.len;

		buf_char(&quantiles, 'p');
		buf_str(&quantiles, st->quantiles.item[i]);
		names[count++] = (struct str){quantiles.data + start, quantiles.len - start};
	}
	kev_columns(&st->out, names, count);
	buf_free(&quantiles);
	free(names);
}

/* The groups past -n, as one. */
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

static void finish(struct state *st)
{
	size_t count = st->groups.keys.count;
	struct order order;
	struct line *lines;

	if (st->no_dur)
		warn("rows without dur, not counted: %llu", (unsigned long long)st->no_dur);
	if (st->merge && st->keys.count == 0)
		st->keys = st->said_keys;
	if (st->merge && st->quantiles.count == 0)
		st->quantiles = st->said_quantiles;
	if (st->merge && st->quantiles.count && st->no_values)
		kev_die(&st->out, st->no_values_file, 0,
		        "a partial without values, which -q needs: write it with kgroup -p -q");
	for (size_t i = 0; i < st->keys.count; i++)
		if (is_taken(st->keys.item[i], &st->quantiles))
			kev_die(&st->out, st->in.file, 0, "the key '%s' and another column have one name",
			        st->keys.item[i].s);
	for (size_t i = 0; i < count; i++)
		if (!dec_add(&st->total, st->groups.group[i].total))
			kev_die(&st->out, st->in.file, 0, "the sum of all groups is too large");

	order = find_order(st);
	lines = sorted_lines(st, &order);
	if (st->write_partials) {
		kev_meta(&st->out, "group", st->keys.item, st->keys.count);
		if (st->quantiles.count)
			kev_meta(&st->out, "quantiles", st->quantiles.item, st->quantiles.count);
	}
	put_columns(st);
	for (size_t i = 0; i < count && i < st->first; i++) {
		put_key(st, lines[i].key);
		if (st->write_partials)
			put_partial(st, &st->groups.group[lines[i].group]);
		else
			put_figures(st, &st->groups.group[lines[i].group]);
	}
	if (count > st->first)
		put_others(st, lines, st->first);
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
		}
	}
	normalise_quantiles(&st.quantiles, &quantiles);
	if (st.keys.count == 0 && !st.merge)
		words_add(&st.keys, "type");
	st.keys_given = st.keys.count > 0;
	check_keys(&st.keys, &st.quantiles);
	if (st.write_partials && st.first != SIZE_MAX)
		opts_fail("-n with -p: a partial holds all groups");
	if (!st.merge)
		find_order(&st); /* a wrong --sort shows before the input is read */
	st.balance.on = st.opts.verbose;

	kev_open(&st.in, st.opts.operands, st.opts.operands_count);
	st.in.one_unit = true;
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META      ? !metadata(&st)
		    : item == KEV_COLUMNS ? !columns(&st)
		    : st.merge            ? !partial(&st)
		                          : !event(&st))
			kev_fail(&st.out, &st.in);
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	groups_free(&st.groups);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
