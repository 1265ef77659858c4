#include "stream/partial.h"

#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>

enum {
	MOST_VIAS = 100,    /* different ##via lines that are written */
	SQUARE_PLACES = 18, /* decimal places of a sum of squares */
};

const char *const partial_columns[PARTIAL_COLUMNS] = {
	[PARTIAL_COUNT] = "count", [PARTIAL_TOTAL] = "total",     [PARTIAL_MIN] = "min",
	[PARTIAL_MAX] = "max",     [PARTIAL_SQUARES] = "squares", [PARTIAL_VALUES] = "values",
};

/* --- metadata ------------------------------------------------------------- */

/* Takes the parts of a metadata line as words, once; later returns false if they differ. */
static bool take_words(struct partial *partial, struct str value, struct words *words, bool known)
{
	size_t count = value.n ? tsv_split(value, NULL, 0) : 0;
	struct str *parts = mem_alloc(count, sizeof *parts);
	bool equal = !known || count == words->count;

	tsv_split(value, parts, count);
	for (size_t i = 0; i < count && equal; i++) {
		struct str word = tsv_text(parts[i], &partial->scratch);

		if (!known)
			words_put(words, word);
		else
			equal = str_equal(word, words->item[i]);
	}
	free(parts);
	return equal;
}

/* Facts that many ranks have in common: each such line is written once. */
static bool is_common(struct str key)
{
	return str_equal(key, STR("device")) || str_equal(key, STR("deviceProp")) ||
	       str_equal(key, STR("platform")) || str_equal(key, STR("unit")) ||
	       str_equal(key, STR("worldSize")) || str_equal(key, STR("via"));
}

/* Counts the ##via lines that an earlier merge left out. False if the line is another one. */
static bool add_left_out(struct partial *partial, struct str value)
{
	static const struct str before = STR("# ");
	static const struct str after = STR(" more lines");
	uint64_t count;

	if (!str_starts(value, before) || !str_ends(value, after) || value.n < before.n + after.n ||
	    !str_whole((struct str){value.s + before.n, value.n - before.n - after.n}, &count))
		return false;
	partial->vias_left_out += count;
	return true;
}

/* True if the line was there before, or is one ##via line too many. */
static bool is_repeated(struct partial *partial, const struct kev_reader *in)
{
	bool via = str_equal(in->key, STR("via"));
	struct buf *line = &partial->scratch;
	bool added;

	if (via && add_left_out(partial, in->value))
		return true;
	line->len = 0;
	buf_str(line, in->key);
	buf_char(line, '\t');
	buf_str(line, in->value);
	if (via && partial->vias == MOST_VIAS) {
		added = strmap_find(&partial->lines, buf_view(line)) == STRMAP_NONE;
		partial->vias_left_out += added;
		return true;
	}
	strmap_add(&partial->lines, buf_view(line), &added);
	partial->vias += via && added;
	return !added;
}

void partial_write_vias(const struct partial *partial, struct kev_writer *out)
{
	struct buf text = {0};

	if (partial->vias_left_out == 0)
		return;
	buf_format(&text, "# %llu more lines", (unsigned long long)partial->vias_left_out);
	kev_meta(out, "via", (struct str[]){buf_view(&text)}, 1);
	buf_free(&text);
}

bool partial_metadata(struct partial *partial, struct kev_reader *in)
{
	if (is_common(in->key))
		return is_repeated(partial, in);
	/* A table has no ts. */
	if (str_equal(in->key, STR("baseTimeNanoseconds")))
		return true;
	if (str_equal(in->key, STR("group"))) {
		partial_end(partial, in);
		partial->next_group = true;
		if (!take_words(partial, in->value, &partial->keys, partial->keys_known) &&
		    !partial->keys_chosen)
			kev_misuse(in, "the partials are grouped by different columns; choose some with -k");
		partial->keys_known = true;
		return true;
	}
	if (str_equal(in->key, STR("quantiles"))) {
		if (!take_words(partial, in->value, &partial->quantiles, partial->quantiles.count > 0) &&
		    !partial->quantiles_chosen)
			kev_misuse(in, "the partials have different quantiles; choose some with -q");
		return true;
	}
	if (str_equal(in->key, STR("sum"))) {
		words_free(&partial->next_sums);
		take_words(partial, in->value, &partial->next_sums, false);
		return true;
	}
	if (str_equal(in->key, STR("who"))) {
		partial->next_who.len = 0;
		tsv_unescape(&partial->next_who, in->value);
		return true;
	}
	if (str_equal(in->key, STR("digits"))) {
		uint64_t digits;

		if (!str_whole(in->value, &digits) || digits == 0 || digits > INT_MAX)
			kev_error(in, "##digits: the value is not a number of digits");
		else
			partial->next_digits = digits;
		return true;
	}
	if (str_equal(in->key, STR("of"))) {
		partial->next_of.len = 0;
		tsv_unescape(&partial->next_of, in->value);
		return true;
	}
	return false;
}

struct words partial_keys(struct partial *partial, const struct kev_reader *in)
{
	struct words *keys = &partial->column_keys;
	struct str count = str_of(partial_columns[PARTIAL_COUNT]);

	if (partial->keys_known)
		return partial->keys;
	if (keys->count == 0)
		for (size_t i = 0; i < in->columns_count && !str_equal(in->column[i], count); i++)
			words_put(keys, in->column[i]);
	return *keys;
}

/* --- the sums of other columns ---------------------------------------------- */

void partial_find_sums(struct partial *partial, struct kev_reader *in)
{
	partial->sum_column =
		mem_resize(partial->sum_column, partial->sums.count, sizeof *partial->sum_column);
	for (size_t i = 0; i < partial->sums.count; i++)
		kev_need(in, partial->sums.item[i], &partial->sum_column[i]);
}

void partial_add_sums(const struct partial *partial, struct kev_reader *in, struct group *group)
{
	struct dec value;

	for (size_t i = 0; i < partial->sums.count; i++)
		if (kev_number(in, partial->sum_column[i], &value) &&
		    !group_add_sum(group, i, partial->sums.count, value))
			kev_error(in, "%s: the sum is too large", partial->sums.item[i].s);
}

/* --- rows ----------------------------------------------------------------- */

bool partial_is_layout(const struct partial *partial, const struct kev_reader *in)
{
	if (partial->next_group)
		return true;
	for (size_t i = 0; i < PARTIAL_NEEDED; i++)
		if (kev_column(in, str_of(partial_columns[i])) == KEV_NONE)
			return false;
	return kev_column(in, STR("mean")) == KEV_NONE && kev_column(in, STR("dur")) == KEV_NONE;
}

static bool equal_words(const struct words *a, const struct words *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++)
		if (!str_equal(a->item[i], b->item[i]))
			return false;
	return a->count == b->count;
}

/* Compares ##of and ##sum before this layout with those before the first. */
static void check_heading(struct partial *partial, struct kev_reader *in)
{
	if (partial->layout_known && !str_equal(buf_view(&partial->of), buf_view(&partial->next_of)))
		kev_misuse(in, "the partials are of different columns (--of); merge them one by one");
	if (partial->layout_known && !partial->sums_chosen &&
	    !equal_words(&partial->sums, &partial->next_sums))
		kev_misuse(in, "the partials have different sums; choose some with --sum");
	if (partial->layout_known && !str_equal(buf_view(&partial->who), buf_view(&partial->next_who)))
		kev_misuse(in, "the partials have different columns of --who; write them alike");
	if (!(partial->digits_chosen && partial->next_digits == 0) &&
	    (partial->layout_known || partial->digits_chosen) &&
	    partial->digits != partial->next_digits)
		kev_misuse(in, "the partials have different --digits; write them alike");
	if (!partial->layout_known) {
		buf_str(&partial->who, buf_view(&partial->next_who));
		if (!partial->digits_chosen)
			partial->digits = partial->next_digits;
		buf_str(&partial->of, buf_view(&partial->next_of));
		for (size_t i = 0; i < partial->next_sums.count && !partial->sums_chosen; i++)
			words_put(&partial->sums, partial->next_sums.item[i]);
	}
	partial->layout_known = true;
	partial->next_of.len = 0;
	partial->next_who.len = 0;
	partial->next_digits = 0;
	partial->next_group = false;
	words_free(&partial->next_sums);
}

void partial_end(struct partial *partial, struct kev_reader *in)
{
	if (partial->next_group && partial->layout_known)
		check_heading(partial, in);
}

void partial_who_names(struct words *names, struct str who)
{
	static const char *const ends[] = {"min_", "max_"};

	for (size_t i = 0; i < 2; i++) {
		struct buf name = {0};

		buf_text(&name, ends[i]);
		buf_str(&name, who);
		words_put(names, buf_view(&name));
		buf_free(&name);
	}
}

/* The columns of ##who in this layout. */
static void find_who(struct partial *partial, struct kev_reader *in)
{
	struct words names = {0};

	if (partial->who.len == 0)
		return;
	partial_who_names(&names, buf_view(&partial->who));
	kev_need(in, names.item[0], &partial->column[PARTIAL_MIN_WHO]);
	kev_need(in, names.item[1], &partial->column[PARTIAL_MAX_WHO]);
	words_free(&names);
}

static void note_file(char **first, const struct kev_reader *in)
{
	if (!*first)
		*first = mem_string(in->file, strlen(in->file));
}

void partial_layout(struct partial *partial, struct kev_reader *in)
{
	int *column = partial->column;

	if (kev_column(in, str_of(partial_columns[PARTIAL_COUNT])) == KEV_NONE &&
	    kev_column(in, str_of(partial_columns[PARTIAL_TOTAL])) == KEV_NONE)
		kev_misuse(in, "this is a stream of rows, not a partial; write partials with kgroup -p");
	for (size_t i = 0; i < PARTIAL_NEEDED; i++)
		kev_need(in, str_of(partial_columns[i]), &column[i]);
	if (kev_column(in, STR("mean")) != KEV_NONE && !words_have(&partial->keys, STR("mean")))
		kev_misuse(in, "this is a finished table, not a partial; write partials with kgroup -p");
	for (size_t i = PARTIAL_SQUARES; i < PARTIAL_COLUMNS; i++)
		column[i] = kev_column(in, str_of(partial_columns[i]));
	if (column[PARTIAL_VALUES] == KEV_NONE)
		note_file(&partial->without_values, in);
	if (column[PARTIAL_SQUARES] == KEV_NONE)
		note_file(&partial->without_squares, in);
	else
		partial->squares = true;
	check_heading(partial, in);
	find_who(partial, in);
	partial_find_sums(partial, in);
}

/* Adds "DUR:COUNT,DUR:COUNT". False if it is not that, or does not make up count. */
static bool add_values(struct group *group, struct str text, uint64_t count, size_t digits)
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
		    !str_whole((struct str){colon + 1, pair.n - dur_text.n - 1}, &n) ||
		    __builtin_add_overflow(sum, n, &sum))
			return false;
		durations_add(&group->durations, digits ? dec_round(dur, (int)digits) : dur, n);
		text.s += pair.n + (comma != NULL);
		text.n -= pair.n + (comma != NULL);
	}
	return sum == count;
}

/* Adds the sum of squares. False if it is missing, or if these values cannot have it. */
static bool add_squares(struct group *part, struct str text)
{
	struct wide squares;

	if (!wide_parse(text, SQUARE_PLACES, &squares))
		return false;
	group_add_squares(part, squares);
	return group_squares_fit(part);
}

bool partial_is_bare(const struct partial *partial, const struct kev_reader *in)
{
	for (size_t i = PARTIAL_TOTAL; i < PARTIAL_NEEDED; i++)
		if (in->field[partial->column[i]].n)
			return false;
	return true;
}

/* Adds what was read, with the values of ##who. False if a sum is too large. */
static bool merge_part(struct partial *partial, const struct kev_reader *in, struct group *group,
                       const struct group *part, bool bare)
{
	if (partial->who.len && !bare && !part->unranged) {
		struct buf text = {0};

		group_add_who(group, part->min,
		              kev_text(in, partial->column[PARTIAL_MIN_WHO], &partial->scratch), part->max,
		              kev_text(in, partial->column[PARTIAL_MAX_WHO], &text));
		buf_free(&text);
	}
	return group_merge(group, part);
}

void partial_row(struct partial *partial, struct kev_reader *in, struct group *group)
{
	const int *column = partial->column;
	bool bare = partial_is_bare(partial, in);
	struct str count = in->field[column[PARTIAL_COUNT]];
	struct group part = {0};
	bool has_min = kev_number(in, column[PARTIAL_MIN], &part.min);
	bool has_max = kev_number(in, column[PARTIAL_MAX], &part.max);
	char found[QUOTE_MAX];

	partial_end(partial, in);
	/* Tables of profilers may lack both. */
	part.unranged = !has_min || !has_max;
	if (!str_whole(count, &part.count) || part.count == 0)
		kev_error(in, "count: %s is not a count", quote(found, count.s, count.n));
	else if (!kev_number(in, column[PARTIAL_TOTAL], &part.total) && !bare)
		kev_error(in, "total is missing");
	else if (!bare && column[PARTIAL_SQUARES] != KEV_NONE &&
	         !add_squares(&part, in->field[column[PARTIAL_SQUARES]]))
		kev_error(in, "squares: %s is not a sum of squares of these values",
		          quote(found, in->field[column[PARTIAL_SQUARES]].s,
		                in->field[column[PARTIAL_SQUARES]].n));
	else if (!merge_part(partial, in, group, &part, bare))
		kev_error(in, "total: the sum is too large");
	else if (!bare && column[PARTIAL_VALUES] != KEV_NONE) {
		struct str values = in->field[column[PARTIAL_VALUES]];

		if (!add_values(group, values, part.count, partial->digits))
			kev_error(in, "values: %s does not list %llu durations",
			          quote(found, values.s, values.n), (unsigned long long)part.count);
	}
	partial_add_sums(partial, in, group);
	group_free(&part);
}

/* --- writing -------------------------------------------------------------- */

void partial_write_digits(struct kev_writer *out, size_t digits)
{
	struct buf text = {0};

	buf_format(&text, "%zu", digits);
	kev_meta(out, "digits", (struct str[]){buf_view(&text)}, 1);
	buf_free(&text);
}

void partial_write_head(struct kev_writer *out, const struct partial_shape *shape)
{
	const struct words *keys = shape->keys;
	const struct words *sums = shape->sums;
	struct str *names = mem_alloc(keys->count + sums->count + PARTIAL_ALL, sizeof *names);
	struct words who = {0};
	size_t count = 0;

	kev_meta(out, "group", keys->item, keys->count);
	if (shape->of.n)
		kev_meta(out, "of", &shape->of, 1);
	if (sums->count)
		kev_meta(out, "sum", sums->item, sums->count);
	if (shape->who.n)
		kev_meta(out, "who", &shape->who, 1);
	if (shape->digits)
		partial_write_digits(out, shape->digits);
	if (shape->quantiles->count)
		kev_meta(out, "quantiles", shape->quantiles->item, shape->quantiles->count);
	for (size_t i = 0; i < keys->count; i++)
		names[count++] = keys->item[i];
	for (size_t i = 0; i < PARTIAL_NEEDED; i++)
		names[count++] = str_of(partial_columns[i]);
	if (shape->squares)
		names[count++] = str_of(partial_columns[PARTIAL_SQUARES]);
	for (size_t i = 0; i < sums->count; i++)
		names[count++] = sums->item[i];
	if (shape->who.n)
		partial_who_names(&who, shape->who);
	for (size_t i = 0; i < who.count; i++)
		names[count++] = who.item[i];
	if (shape->quantiles->count)
		names[count++] = str_of(partial_columns[PARTIAL_VALUES]);
	kev_columns(out, names, count);
	words_free(&who);
	free(names);
}

static void write_who(struct kev_writer *out, const struct group *group)
{
	bool known = group->who && !group->unranged;

	kev_field(out, known ? buf_view(&group->who->min) : STR(""));
	kev_field(out, known ? buf_view(&group->who->max) : STR(""));
}

/* Both columns are empty if a part of the group has no range. */
static void write_range(struct kev_writer *out, const struct group *group)
{
	if (group->unranged) {
		kev_field(out, STR(""));
		kev_field(out, STR(""));
	} else {
		kev_field_dec(out, group->min);
		kev_field_dec(out, group->max);
	}
}

static void write_sums(struct kev_writer *out, const struct group *group, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct dec *sum = group_sum(group, i);

		if (sum)
			kev_field_dec(out, *sum);
		else
			kev_field_raw(out, STR(""));
	}
}

static void put_values(struct buf *text, struct group *group)
{
	durations_sort(&group->durations);
	for (size_t i = 0; i < group->durations.count; i++) {
		if (i)
			buf_char(text, ',');
		dec_print(text, group->durations.item[i].dur);
		buf_format(text, ":%llu", (unsigned long long)group->durations.item[i].count);
	}
}

void partial_write(struct partial *partial, struct kev_writer *out, struct group *group,
                   const struct partial_shape *shape)
{
	struct buf *text = &partial->scratch;

	kev_field_count(out, group->count);
	if (shape->bare)
		kev_field_raw(out, STR(""));
	else
		kev_field_dec(out, group->total);
	write_range(out, group);
	text->len = 0;
	if (group->squares)
		wide_print(text, *group->squares, SQUARE_PLACES);
	if (shape->squares)
		kev_field_raw(out, buf_view(text));
	write_sums(out, group, shape->sums->count);
	if (shape->who.n)
		write_who(out, group);
	text->len = 0;
	put_values(text, group);
	if (shape->quantiles->count)
		kev_field_raw(out, buf_view(text));
	kev_row_end(out);
}

void partial_free(struct partial *partial)
{
	words_free(&partial->keys);
	words_free(&partial->column_keys);
	words_free(&partial->quantiles);
	free(partial->without_values);
	free(partial->without_squares);
	words_free(&partial->sums);
	words_free(&partial->next_sums);
	buf_free(&partial->of);
	buf_free(&partial->next_of);
	buf_free(&partial->who);
	buf_free(&partial->next_who);
	free(partial->sum_column);
	strmap_free(&partial->lines);
	buf_free(&partial->scratch);
}
