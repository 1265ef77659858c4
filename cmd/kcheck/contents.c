#include "contents.h"

#include "base/mem.h"

#include <stdlib.h>

static const char category[] = "category";

static struct contents_fact *add(struct contents *contents, const char *name, uint64_t count)
{
	contents->fact =
		mem_grow(contents->fact, &contents->cap, contents->count + 1, sizeof *contents->fact);
	contents->fact[contents->count] = (struct contents_fact){.name = name, .count = count};
	return &contents->fact[contents->count++];
}

/* --- what is counted --------------------------------------------------------- */

static uint64_t streams_of(const struct evidence *evidence)
{
	uint64_t count = 0;

	for (size_t i = 0; i < evidence->places.count; i++)
		count += evidence->place[i].device;
	return count;
}

static void add_links(struct contents *contents, const struct evidence *evidence)
{
	uint64_t correlated = 0;
	uint64_t linked = 0;

	for (size_t i = 0; i < evidence->rows; i++) {
		correlated += evidence->row[i].call != EVIDENCE_NONE;
		linked += evidence_launch_of(evidence, &evidence->row[i]) != NULL;
	}
	add(contents, "correlated", correlated);
	add(contents, "linked", linked);
	if (correlated)
		add(contents, "linked_share", linked)->of = correlated;
}

static int compare(const void *a, const void *b)
{
	const struct contents_fact *x = a;
	const struct contents_fact *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return str_compare(x->category, y->category);
}

void contents_gather(struct contents *contents, const struct evidence *evidence)
{
	const struct groups *categories = &evidence->categories;
	struct contents_fact *span;
	size_t first;

	add(contents, "rows", evidence->all_rows);
	first = contents->count;
	for (size_t i = 0; i < categories->keys.count; i++)
		add(contents, category, categories->group[i].count)->category =
			strmap_key(&categories->keys, i);
	if (categories->keys.count)
		qsort(contents->fact + first, categories->keys.count, sizeof *contents->fact, compare);
	add(contents, "devices", evidence->devices.names.count);
	add(contents, "streams", streams_of(evidence));
	add(contents, "steps", evidence->steps + evidence->numbered.count);
	span = add(contents, "span", 0);
	span->time = evidence_span(evidence);
	span->is_time = true;
	add(contents, "device_rows", evidence->rows);
	add_links(contents, evidence);
}

/* --- output ------------------------------------------------------------------ */

static void put_value(struct buf *text, const struct contents_fact *fact, bool people)
{
	struct dec count = dec_of((int64_t)fact->count);

	if (fact->of)
		dec_quotient_digits(text, count, dec_of((int64_t)fact->of), 2, people ? 4 : 12);
	else if (fact->is_time && people)
		dec_print_fixed(text, fact->time, 3, true);
	else
		dec_print(text, fact->is_time ? fact->time : count);
}

static void write_lines(const struct contents *contents, struct kev_writer *out)
{
	struct buf value = {0};

	for (size_t i = 0; i < contents->count; i++) {
		const struct contents_fact *fact = &contents->fact[i];
		struct str parts[3] = {str_of(fact->name), fact->category};
		size_t count = fact->name == category ? 2 : 1;

		value.len = 0;
		put_value(&value, fact, false);
		parts[count] = buf_view(&value);
		kev_meta(out, "contents", parts, count + 1);
	}
	buf_free(&value);
}

static void put_cell(struct sheet *sheet, const void *row, int which)
{
	const struct contents_fact *fact = row;

	if (which)
		put_value(&sheet->cell, fact, true);
	else if (fact->name != category)
		buf_text(&sheet->cell, fact->name);
	else
		buf_str(&sheet->cell, fact->category.n ? fact->category : STR("(none)"));
}

static void write_table(const struct contents *contents, struct kev_writer *out, enum form form)
{
	static const struct sheet_column columns[] = {{"contents", SHEET_NAME, put_cell, 0},
	                                              {"value", SHEET_NUMBER, put_cell, 1}};
	struct sheet sheet;

	sheet_begin(&sheet, out, form, NULL, "Contents", columns, 2);
	for (size_t i = 0; i < contents->count; i++)
		sheet_row(&sheet, &contents->fact[i]);
	sheet_end(&sheet);
}

enum { CONTENTS, CATEGORY, COUNT, TIME, SHARE };

/* The percentage of a fact is in the row of its count, which is the fact before it. */
static void put_field(struct sheet *sheet, const void *row, int which)
{
	const struct contents_fact *fact = row;

	if (which == CONTENTS)
		buf_text(&sheet->cell, fact->name);
	else if (which == CATEGORY)
		buf_str(&sheet->cell, fact->category);
	else if (which == SHARE && row < sheet->context && fact[1].of)
		put_value(&sheet->cell, &fact[1], false);
	else if ((which == COUNT && !fact->is_time) || (which == TIME && fact->is_time))
		put_value(&sheet->cell, fact, false);
}

void contents_write_rows(const struct contents *contents, struct kev_writer *out)
{
	static const struct sheet_column columns[] = {{"contents", SHEET_NAME, put_field, CONTENTS},
	                                              {"category", SHEET_NAME, put_field, CATEGORY},
	                                              {"count", SHEET_NUMBER, put_field, COUNT},
	                                              {"time", SHEET_NUMBER, put_field, TIME},
	                                              {"share", SHEET_NUMBER, put_field, SHARE}};
	struct sheet sheet;

	sheet_begin(&sheet, out, FORM_TSV, NULL, "Contents", columns, 5);
	sheet.context = &contents->fact[contents->count - 1];
	for (size_t i = 0; i < contents->count; i++)
		if (!contents->fact[i].of)
			sheet_row(&sheet, &contents->fact[i]);
	sheet_end(&sheet);
}

static void write_json(const struct contents *contents, struct jsonw *json)
{
	struct buf value = {0};

	jsonw_object(json, "contents");
	for (size_t i = 0; i < contents->count; i++) {
		const struct contents_fact *fact = &contents->fact[i];
		bool is_category = fact->name == category;

		if (is_category && contents->fact[i - 1].name != category)
			jsonw_object(json, "categories");
		value.len = 0;
		put_value(&value, fact, false);
		jsonw_key_raw(json, is_category ? fact->category : str_of(fact->name), buf_view(&value));
		if (is_category && contents->fact[i + 1].name != category)
			jsonw_end_object(json);
	}
	jsonw_end_object(json);
	buf_free(&value);
}

void contents_write(const struct contents *contents, struct kev_writer *out, enum form form,
                    struct jsonw *json)
{
	if (form == FORM_TSV)
		write_lines(contents, out);
	else if (form == FORM_JSON)
		write_json(contents, json);
	else
		write_table(contents, out, form);
}

void contents_free(struct contents *contents)
{
	free(contents->fact);
	*contents = (struct contents){.count = 0};
}
