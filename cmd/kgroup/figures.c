#include "figures.h"

#include "base/mem.h"
#include "stream/partial.h"
#include "syntax/sortkey.h"
#include "syntax/tsv.h"

#include <stdlib.h>

/* A row of the table below, or the figure of columns with names of their own. */
struct figure {
	const char *name;
	bool optional; /* the option of this name adds it */
	bool squares;  /* it needs sums of squares */
	bool bare;     /* groups without durations have it */
	/* Writes the value of a group. */
	void (*put)(struct figures *figures, const struct figures_column *column, struct group *group,
	            struct kev_writer *out);
	/*
	 * For sorting: a value, false if the group has no value; a comparison; or a text. The others
	 * are NULL.
	 */
	bool (*value)(const struct figures *figures, const struct figures_column *column,
	              struct group *group, struct dec *value);
	int (*compare)(const struct figures *figures, const struct group *a, const struct group *b);
	struct str (*text)(const struct figures_column *column, const struct group *group);
};

/* --- the figures ------------------------------------------------------------------ */

static struct dec decimal_of(uint64_t count)
{
	return (struct dec){(__int128)count * dec_of(1).nano};
}

static void put_quotient(struct figures *figures, struct dec numerator, struct dec denominator,
                         int shift, struct kev_writer *out)
{
	figures->scratch.len = 0;
	if (denominator.nano == 0)
		buf_char(&figures->scratch, '0');
	else
		dec_quotient(&figures->scratch, numerator, denominator, shift);
	kev_field_raw(out, buf_view(&figures->scratch));
}

static void put_count(struct figures *figures, const struct figures_column *column,
                      struct group *group, struct kev_writer *out)
{
	(void)figures;
	(void)column;
	kev_field_count(out, group->count);
}

static bool count_value(const struct figures *figures, const struct figures_column *column,
                        struct group *group, struct dec *value)
{
	(void)figures;
	(void)column;
	*value = decimal_of(group->count);
	return true;
}

static void put_mean(struct figures *figures, const struct figures_column *column,
                     struct group *group, struct kev_writer *out)
{
	(void)column;
	put_quotient(figures, group->total, decimal_of(group->count), 0, out);
}

static int compare_means(const struct figures *figures, const struct group *a,
                         const struct group *b)
{
	(void)figures;
	return group_compare_means(a, b);
}

static void put_share(struct figures *figures, const struct figures_column *column,
                      struct group *group, struct kev_writer *out)
{
	(void)column;
	put_quotient(figures, group->total, figures->total, 2, out);
}

/*
 * Shares have the order of the totals, reversed if the sum of all is below 0. If the sum is 0, all
 * shares are equal.
 */
static int compare_shares(const struct figures *figures, const struct group *a,
                          const struct group *b)
{
	int result = dec_compare(a->total, b->total);

	if (figures->total.nano == 0)
		return 0;
	return figures->total.nano < 0 ? -result : result;
}

static void put_cumulative(struct figures *figures, const struct figures_column *column,
                           struct group *group, struct kev_writer *out)
{
	(void)column;
	if (!dec_add(&figures->so_far, group->total))
		kev_die(out, "cumulative", 0, "the sum is too large");
	put_quotient(figures, figures->so_far, figures->total, 2, out);
}

static void put_std(struct figures *figures, const struct figures_column *column,
                    struct group *group, struct kev_writer *out)
{
	(void)column;
	figures->scratch.len = 0;
	group_put_deviation(group, &figures->scratch);
	kev_field_raw(out, buf_view(&figures->scratch));
}

static int compare_stds(const struct figures *figures, const struct group *a, const struct group *b)
{
	(void)figures;
	return group_compare_deviations(a, b);
}

static bool total_value(const struct figures *figures, const struct figures_column *column,
                        struct group *group, struct dec *value)
{
	(void)figures;
	(void)column;
	*value = group->total;
	return true;
}

static bool min_value(const struct figures *figures, const struct figures_column *column,
                      struct group *group, struct dec *value)
{
	(void)figures;
	(void)column;
	*value = group->min;
	return !group->unranged;
}

static bool max_value(const struct figures *figures, const struct figures_column *column,
                      struct group *group, struct dec *value)
{
	(void)figures;
	(void)column;
	*value = group->max;
	return !group->unranged;
}

static bool quantile_value(const struct figures *figures, const struct figures_column *column,
                           struct group *group, struct dec *value)
{
	(void)figures;
	*value = group_quantile(group, column->percent);
	return true;
}

static bool sum_value(const struct figures *figures, const struct figures_column *column,
                      struct group *group, struct dec *value)
{
	const struct dec *sum = group_sum(group, column->index);

	(void)figures;
	*value = sum ? *sum : dec_of(0);
	return sum != NULL;
}

static struct str who_text(const struct figures_column *column, const struct group *group)
{
	if (!group->who || group->unranged)
		return STR("");
	return buf_view(column->index ? &group->who->max : &group->who->min);
}

static void put_who(struct figures *figures, const struct figures_column *column,
                    struct group *group, struct kev_writer *out)
{
	(void)figures;
	kev_field(out, who_text(column, group));
}

/*
 * The figures that have one column, in the order of the table. A figure without `put` writes its
 * value, or nothing.
 */
static const struct figure known[] = {
	{.name = "count", .bare = true, .put = put_count, .value = count_value},
	{.name = "total", .value = total_value},
	{.name = "mean", .put = put_mean, .compare = compare_means},
	{.name = "min", .value = min_value},
	{.name = "max", .value = max_value},
	{.name = "share", .put = put_share, .compare = compare_shares},
	{.name = "cumulative", .optional = true, .put = put_cumulative},
	{.name = "std", .optional = true, .squares = true, .put = put_std, .compare = compare_stds},
};

/* The figures whose columns follow, with names that the user chooses. */
static const struct figure quantile = {.value = quantile_value};
static const struct figure sum = {.bare = true, .value = sum_value};
static const struct figure who = {.put = put_who, .text = who_text};

enum { KNOWN = sizeof known / sizeof *known };

_Static_assert(KNOWN <= 64, "figures.wanted has a bit for each");

/* --- which columns --------------------------------------------------------------- */

static bool is_wanted(const struct figures *figures, size_t number)
{
	return !known[number].optional || figures->wanted >> number & 1;
}

void figures_want(struct figures *figures, const char *name)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (known[i].optional && strcmp(known[i].name, name) == 0)
			figures->wanted |= (uint64_t)1 << i;
}

const char *figures_of_squares(const struct figures *figures)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (known[i].squares && is_wanted(figures, i))
			return known[i].name;
	return NULL;
}

void figures_want_squares(struct figures *figures)
{
	for (size_t i = 0; i < KNOWN && !figures_of_squares(figures); i++)
		if (known[i].squares)
			figures->wanted |= (uint64_t)1 << i;
}

static struct figures_column *add(struct figures *figures, const struct figure *figure,
                                  size_t index, struct str name)
{
	struct figures_column *column;

	figures->column =
		mem_grow(figures->column, &figures->cap, figures->count + 1, sizeof *figures->column);
	column = &figures->column[figures->count++];
	words_put(&figures->names, name);
	*column = (struct figures_column){
		.name = figures->names.item[figures->count - 1], .figure = figure, .index = index};
	return column;
}

void figures_set(struct figures *figures, const struct words *quantiles, const struct words *sums,
                 const struct words *whos)
{
	words_free(&figures->names);
	figures->count = 0;
	for (size_t i = 0; i < KNOWN; i++)
		if (is_wanted(figures, i))
			add(figures, &known[i], 0, str_of(known[i].name));
	for (size_t i = 0; i < quantiles->count; i++) {
		struct figures_column *column;
		struct buf name = {0};

		buf_char(&name, 'p');
		buf_str(&name, quantiles->item[i]);
		column = add(figures, &quantile, i, buf_view(&name));
		dec_parse(quantiles->item[i], &column->percent);
		buf_free(&name);
	}
	for (size_t i = 0; i < sums->count; i++)
		add(figures, &sum, i, sums->item[i]);
	for (size_t i = 0; i < whos->count; i++)
		add(figures, &who, i, whos->item[i]);
}

bool figures_take(const struct figures *figures, struct str name)
{
	if (str_equal(name, str_of(partial_columns[PARTIAL_VALUES])) ||
	    str_equal(name, str_of(partial_columns[PARTIAL_SQUARES])))
		return true;
	for (size_t i = 0; i < figures->count; i++)
		if (figures->column[i].figure != &sum && str_equal(figures->column[i].name, name))
			return true;
	return false;
}

bool figures_percent(struct str text)
{
	struct dec percent;

	return dec_parse(text, &percent) == DEC_OK && percent.nano >= 0 &&
	       dec_compare(percent, dec_of(100)) <= 0;
}

void figures_add_percents(struct words *percents, const struct words *given)
{
	for (size_t i = 0; i < given->count; i++) {
		struct str text = given->item[i];
		struct buf normal = {0};
		struct dec percent;

		if (!figures_percent(text))
			opts_fail("-q: '%s' is not a percentage from 0 to 100", text.s);
		dec_parse(text, &percent);
		dec_print(&normal, percent);
		if (words_have(percents, buf_view(&normal)))
			opts_fail("-q: '%s' is given twice", text.s);
		words_put(percents, buf_view(&normal));
		buf_free(&normal);
	}
}

/* --- a row ------------------------------------------------------------------------ */

/* Whether the column has no value, as it needs durations. Then its figure looks at no group. */
static bool is_empty(const struct figures *figures, const struct figures_column *column)
{
	return figures->counts_alone && !column->figure->bare;
}

static void put_column(struct figures *figures, const struct figures_column *column,
                       struct group *group, struct kev_writer *out)
{
	const struct figure *figure = column->figure;
	bool empty = is_empty(figures, column);
	struct dec value;

	if (!empty && figure->put)
		figure->put(figures, column, group, out);
	else if (!empty && figure->value(figures, column, group, &value))
		kev_field_dec(out, value);
	else
		kev_field_raw(out, STR(""));
}

void figures_put(struct figures *figures, struct group *group, struct kev_writer *out)
{
	for (size_t i = 0; i < figures->count; i++)
		put_column(figures, &figures->column[i], group, out);
}

/* --- the order of the groups --------------------------------------------------------- */

const struct figures_column *figures_find(const struct figures *figures, struct str name)
{
	for (size_t i = 0; i < figures->count; i++) {
		const struct figures_column *column = &figures->column[i];

		if (str_equal(column->name, name) &&
		    (column->figure->value || column->figure->compare || column->figure->text))
			return column;
	}
	return NULL;
}

struct line {
	size_t number;
	const struct group *group;
	struct str key;      /* the key with all its fields */
	struct buf sort_key; /* if a column of texts is sorted by: the text, from sortkey */
	struct dec value;    /* if a value is */
	bool has_value;
	const struct figures_order *order;
	const struct figures *figures;
};

static int compare_values(const struct line *a, const struct line *b)
{
	const struct figures_column *column = a->order->column;

	if (column && is_empty(a->figures, column))
		return 0;
	if (!column || column->figure->text)
		return str_compare(buf_view(&a->sort_key), buf_view(&b->sort_key));
	if (column->figure->compare)
		return column->figure->compare(a->figures, a->group, b->group);
	if (a->has_value != b->has_value)
		return a->has_value ? 1 : -1;
	return dec_compare(a->value, b->value);
}

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left;
	const struct line *b = right;
	int result = compare_values(a, b);

	if (result)
		return a->order->descending ? -result : result;
	return str_compare(a->key, b->key);
}

/* Sets what the line is compared by, unless its group is compared. */
static void set_value(struct line *line, struct group *group)
{
	const struct figures_column *column = line->order->column;
	struct buf scratch = {0};

	if (!column)
		sortkey_put(&line->sort_key, tsv_text(tsv_field(line->key, line->order->key), &scratch),
		            false);
	else if (column->figure->text)
		sortkey_put(&line->sort_key, column->figure->text(column, group), false);
	else if (column->figure->value && !is_empty(line->figures, column))
		line->has_value = column->figure->value(line->figures, column, group, &line->value);
	if (!line->has_value)
		line->value = dec_of(0);
	buf_free(&scratch);
}

size_t *figures_sort(const struct figures *figures, struct groups *groups,
                     const struct figures_order *order)
{
	size_t count = groups->keys.count;
	struct line *lines = mem_alloc(count, sizeof *lines);
	size_t *numbers = mem_alloc(count, sizeof *numbers);

	for (size_t i = 0; i < count; i++) {
		lines[i] = (struct line){.number = i,
		                         .group = &groups->group[i],
		                         .key = strmap_key(&groups->keys, i),
		                         .order = order,
		                         .figures = figures};
		set_value(&lines[i], &groups->group[i]);
	}
	qsort(lines, count, sizeof *lines, compare_lines);
	for (size_t i = 0; i < count; i++) {
		numbers[i] = lines[i].number;
		buf_free(&lines[i].sort_key);
	}
	free(lines);
	return numbers;
}

void figures_free(struct figures *figures)
{
	free(figures->column);
	words_free(&figures->names);
	buf_free(&figures->scratch);
	*figures = (struct figures){0};
}
