#include "stream/partial.h"

#include "base/mem.h"

#include <stdlib.h>

enum { MOST_VIAS = 100 }; /* different ##via lines that are written */

const char *const partial_columns[PARTIAL_COLUMNS] = {
	[PARTIAL_COUNT] = "count", [PARTIAL_TOTAL] = "total",   [PARTIAL_MIN] = "min",
	[PARTIAL_MAX] = "max",     [PARTIAL_VALUES] = "values",
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

/* Facts that are the same in the partials of many ranks: each line is written once. */
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
		if (!take_words(partial, in->value, &partial->keys, partial->keys_known) &&
		    !partial->keys_chosen)
			kev_error(in, "the partials are grouped by different columns; choose some with -k");
		partial->keys_known = true;
		return true;
	}
	if (str_equal(in->key, STR("quantiles"))) {
		if (!take_words(partial, in->value, &partial->quantiles, partial->quantiles.count > 0) &&
		    !partial->quantiles_chosen)
			kev_error(in, "the partials have different quantiles; choose some with -q");
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

/* --- rows ----------------------------------------------------------------- */

bool partial_is_layout(const struct kev_reader *in)
{
	for (size_t i = 0; i < PARTIAL_VALUES; i++)
		if (kev_column(in, str_of(partial_columns[i])) == KEV_NONE)
			return false;
	return kev_column(in, STR("mean")) == KEV_NONE && kev_column(in, STR("dur")) == KEV_NONE;
}

void partial_layout(struct partial *partial, struct kev_reader *in)
{
	for (size_t i = 0; i < PARTIAL_VALUES; i++)
		kev_need(in, str_of(partial_columns[i]), &partial->column[i]);
	if (kev_column(in, STR("mean")) != KEV_NONE && !partial->keys_known)
		kev_error(in, "this is a finished table, not a partial; write partials with kgroup -p");
	partial->column[PARTIAL_VALUES] = kev_column(in, str_of(partial_columns[PARTIAL_VALUES]));
	if (partial->column[PARTIAL_VALUES] == KEV_NONE && !partial->without_values)
		partial->without_values = mem_string(in->file, strlen(in->file));
}

/* Adds "DUR:COUNT,DUR:COUNT". False if it is not that, or does not make up count. */
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
		    !str_whole((struct str){colon + 1, pair.n - dur_text.n - 1}, &n) ||
		    __builtin_add_overflow(sum, n, &sum))
			return false;
		group_add_value(group, dur, n);
		text.s += pair.n + (comma != NULL);
		text.n -= pair.n + (comma != NULL);
	}
	return sum == count;
}

void partial_row(struct partial *partial, struct kev_reader *in, struct group *group)
{
	const int *column = partial->column;
	struct str count = in->field[column[PARTIAL_COUNT]];
	struct group part = {0};
	char found[QUOTE_MAX];

	/* Tables of profilers may lack both. */
	part.unranged = !kev_number(in, column[PARTIAL_MIN], &part.min) |
	                !kev_number(in, column[PARTIAL_MAX], &part.max);
	if (!str_whole(count, &part.count) || part.count == 0)
		kev_error(in, "count: %s is not a count", quote(found, count.s, count.n));
	else if (!kev_number(in, column[PARTIAL_TOTAL], &part.total))
		kev_error(in, "total is missing");
	else if (!group_merge(group, &part))
		kev_error(in, "total: the sum is too large");
	else if (column[PARTIAL_VALUES] != KEV_NONE) {
		struct str values = in->field[column[PARTIAL_VALUES]];

		if (!add_values(group, values, part.count))
			kev_error(in, "values: %s does not list %llu durations",
			          quote(found, values.s, values.n), (unsigned long long)part.count);
	}
}

/* --- writing -------------------------------------------------------------- */

void partial_write_head(struct kev_writer *out, const struct words *keys,
                        const struct words *quantiles)
{
	size_t columns = quantiles->count ? PARTIAL_COLUMNS : PARTIAL_VALUES;
	struct str *names = mem_alloc(keys->count + columns, sizeof *names);

	kev_meta(out, "group", keys->item, keys->count);
	if (quantiles->count)
		kev_meta(out, "quantiles", quantiles->item, quantiles->count);
	for (size_t i = 0; i < keys->count; i++)
		names[i] = keys->item[i];
	for (size_t i = 0; i < columns; i++)
		names[keys->count + i] = str_of(partial_columns[i]);
	kev_columns(out, names, keys->count + columns);
	free(names);
}

void partial_write_range(struct kev_writer *out, const struct group *group)
{
	if (group->unranged) {
		kev_field(out, STR(""));
		kev_field(out, STR(""));
	} else {
		kev_field_dec(out, group->min);
		kev_field_dec(out, group->max);
	}
}

void partial_write(struct partial *partial, struct kev_writer *out, struct group *group,
                   bool values)
{
	struct buf *text = &partial->scratch;

	kev_field_count(out, group->count);
	kev_field_dec(out, group->total);
	partial_write_range(out, group);
	if (values) {
		group_sort_values(group);
		text->len = 0;
		for (size_t i = 0; i < group->values_count; i++) {
			if (i)
				buf_char(text, ',');
			dec_print(text, group->values[i].dur);
			buf_format(text, ":%llu", (unsigned long long)group->values[i].count);
		}
		kev_field_raw(out, buf_view(text));
	}
	kev_row_end(out);
}

void partial_free(struct partial *partial)
{
	words_free(&partial->keys);
	words_free(&partial->column_keys);
	words_free(&partial->quantiles);
	free(partial->without_values);
	strmap_free(&partial->lines);
	buf_free(&partial->scratch);
}
