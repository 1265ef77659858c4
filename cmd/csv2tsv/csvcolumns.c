#include "csvcolumns.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "stream/kev.h"
#include "stream/partial.h"

#include <stdlib.h>

bool csvcolumns_add(struct csvcolumns *columns, struct str word)
{
	struct csvcolumns_extra extra = {.header = word, .name = word};

	if (words_pair(word, &extra.header, &extra.name) && (extra.header.n == 0 || extra.name.n == 0))
		return false;
	columns->extras =
		mem_resize(columns->extras, columns->extras_count + 1, sizeof *columns->extras);
	columns->extras[columns->extras_count++] = extra;
	return true;
}

static void put(struct csvcolumns *columns, struct str name)
{
	columns->name[columns->count++] = name;
}

static void put_core(struct csvcolumns *columns, const struct csv_layout *layout)
{
	for (size_t i = 0; i < KEV_CORE; i++)
		put(columns, str_of(kev_core[i]));
	if (layout->column[CSV_HOST_TS] >= 0)
		put(columns, STR("host_ts"));
}

/* The rank and the file. */
static void put_own(struct csvcolumns *columns)
{
	if (columns->rank.n)
		put(columns, STR("rank"));
	if (columns->file)
		put(columns, STR("file"));
}

/* The key of a partial table, and its figures. */
static void put_partial(struct csvcolumns *columns, const struct csv_layout *layout)
{
	for (enum csv_content i = CSV_TYPE; i <= CSV_TID; i++)
		if (i == CSV_CAT ? csv_layout_has_cat(layout) : layout->column[i] >= 0)
			put(columns, str_of(csv_content_names[i]));
	put_own(columns);
	columns->key_count = columns->count;
	for (size_t i = 0; i < PARTIAL_NEEDED; i++)
		put(columns, str_of(partial_columns[i]));
}

static bool put_extras(struct csvcolumns *columns, const struct csv_layout *layout,
                       const struct csv_headers *headers)
{
	for (size_t i = 0; i < columns->extras_count; i++) {
		const struct csvcolumns_extra *extra = &columns->extras[i];
		int column = csv_headers_find(headers, extra->header);

		if (column < 0 && !csv_layout_is_counters(layout)) {
			buf_text(&columns->error, "-a: column '");
			plaintext_put(&columns->error, extra->header);
			buf_text(&columns->error, "' is missing");
			return false;
		}
		put(columns, extra->name);
		columns->others[columns->others_count++] = column;
	}
	return true;
}

/* By column of the CSV: whether it is already in the stream, by the format or as an extra. */
static bool *taken_columns(const struct csvcolumns *columns, const struct csv_layout *layout,
                           const struct csv_headers *headers)
{
	bool *taken = mem_zero(headers->count, sizeof *taken);

	for (enum csv_content i = 0; i < CSV_CONTENTS; i++)
		if (layout->column[i] >= 0 && csv_content_is_written(i))
			taken[layout->column[i]] = true;
	for (size_t i = 0; i < columns->others_count; i++)
		if (columns->others[i] >= 0)
			taken[columns->others[i]] = true;
	return taken;
}

static void put_all(struct csvcolumns *columns, const struct csv_layout *layout,
                    const struct csv_headers *headers)
{
	bool *taken = taken_columns(columns, layout, headers);

	for (size_t i = 0; i < headers->names.count; i++) {
		struct str name = strmap_key(&headers->names, i);
		int column = headers->column[i];

		/* Spreadsheets add columns without a name at the end. */
		if (name.n == 0 || taken[column])
			continue;
		put(columns, name);
		columns->others[columns->others_count++] = column;
	}
	free(taken);
}

static bool check_names(struct csvcolumns *columns)
{
	struct strmap seen = {0};
	char quoted[QUOTE_MAX];
	bool new = true;

	for (size_t i = 0; i < columns->count && new; i++) {
		struct str name = columns->name[i];

		strmap_add(&seen, name, &new);
		if (!new)
			buf_format(&columns->error, "two columns are named %s; rename one with -a HEADER=COL",
			           quote(quoted, name.s, name.n));
	}
	strmap_free(&seen);
	return new;
}

bool csvcolumns_choose(struct csvcolumns *columns, const struct csv_layout *layout,
                       const struct csv_headers *headers)
{
	bool aggregate = csv_layout_is_aggregate(layout);
	/* A key of five, the figures, host_ts, the rank and the file have room, too. */
	size_t room = KEV_CORE + headers->count + columns->extras_count + 3;

	columns->name = mem_resize(columns->name, room, sizeof *columns->name);
	columns->others = mem_resize(columns->others, room, sizeof *columns->others);
	columns->count = 0;
	columns->key_count = 0;
	columns->others_count = 0;
	columns->error.len = 0;
	if (aggregate)
		put_partial(columns, layout);
	else
		put_core(columns, layout);
	if (!put_extras(columns, layout, headers))
		return false;
	if (columns->all)
		put_all(columns, layout, headers);
	if (!aggregate)
		put_own(columns);
	return check_names(columns);
}

void csvcolumns_free(struct csvcolumns *columns)
{
	free(columns->extras);
	free(columns->name);
	free(columns->others);
	buf_free(&columns->error);
	*columns = (struct csvcolumns){0};
}
