#include "answer/sheet.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/plaintext.h"

enum { NAME_SHOWN = 100 }; /* bytes of a name in Markdown; a report has its own width */

/* A title as a key of JSON: "Same kernels" is "same_kernels". */
static void open_array(struct sheet *sheet)
{
	for (const char *c = sheet->title; *c; c++) {
		bool upper = *c >= 'A' && *c <= 'Z';

		buf_char(&sheet->cell, *c == ' ' ? '_' : (char)(upper ? *c - 'A' + 'a' : *c));
	}
	jsonw_key_array(sheet->json, buf_view(&sheet->cell));
}

static unsigned kind_of(const struct sheet_column *column)
{
	return column->kind & SHEET_KIND;
}

static bool is_left_out(const struct sheet *sheet, const struct sheet_column *column)
{
	if (sheet->form == FORM_TSV)
		return column->kind & SHEET_ORIGINAL;
	return column->kind & SHEET_STREAM || (sheet->form == FORM_REPORT && column->kind & SHEET_WIDE);
}

static void put_columns(struct sheet *sheet)
{
	struct str *names = mem_alloc(sheet->count, sizeof *names);
	size_t count = 0;

	for (size_t i = 0; i < sheet->count; i++)
		if (!is_left_out(sheet, &sheet->columns[i]))
			names[count++] = str_of(sheet->columns[i].title);
	kev_columns(sheet->out, names, count);
	free(names);
}

static void begin_table(struct sheet *sheet)
{
	uint64_t spare = 0;
	size_t count = 0;

	sheet->shown = mem_alloc(sheet->count, sizeof *sheet->shown);
	for (size_t i = 0; i < sheet->count; i++) {
		const struct sheet_column *column = &sheet->columns[i];

		if (is_left_out(sheet, column))
			continue;
		if (column->kind & SHEET_SPARE && count < 64)
			spare |= (uint64_t)1 << count;
		sheet->shown[count++] =
			(struct table_column){column->title, kind_of(column) == SHEET_NUMBER};
	}
	sheet->table = (struct table){.columns = sheet->shown, .count = count, .spare = spare};
}

void sheet_begin(struct sheet *sheet, struct kev_writer *out, enum form form, struct jsonw *json,
                 const char *title, const struct sheet_column *columns, size_t count)
{
	*sheet = (struct sheet){.title = title,
	                        .columns = columns,
	                        .count = count,
	                        .form = form,
	                        .people = form == FORM_REPORT || form == FORM_MARKDOWN,
	                        .out = out,
	                        .json = json};
	if (form == FORM_TSV)
		put_columns(sheet);
	else if (form == FORM_JSON)
		open_array(sheet);
	else
		begin_table(sheet);
}

static void put_list(struct sheet *sheet, const struct sheet_column *column, const void *row)
{
	jsonw_array(sheet->json, column->title);
	column->put(sheet, row, column->which);
	jsonw_end_array(sheet->json);
}

static void put_cell(struct sheet *sheet, const struct sheet_column *column, const void *row)
{
	struct str text;
	char name[NAME_SHOWN + 1];

	sheet->cell.len = 0;
	column->put(sheet, row, column->which);
	text = buf_view(&sheet->cell);
	if (sheet->form == FORM_TSV) {
		kev_field(sheet->out, text);
	} else if (sheet->people) {
		if (kind_of(column) == SHEET_NAME && sheet->form != FORM_REPORT)
			text = (struct str){name, plaintext_fit(name, sizeof name, text)};
		table_cell(&sheet->table, text);
	} else if (kind_of(column) == SHEET_NUMBER) {
		jsonw_figure(sheet->json, column->title, text);
	} else {
		jsonw_known(sheet->json, column->title, text);
	}
}

void sheet_row(struct sheet *sheet, const void *row)
{
	if (sheet->form == FORM_JSON)
		jsonw_object(sheet->json, NULL);
	for (size_t i = 0; i < sheet->count; i++) {
		const struct sheet_column *column = &sheet->columns[i];

		if (kind_of(column) == SHEET_LIST)
			put_list(sheet, column, row);
		else if (!is_left_out(sheet, column))
			put_cell(sheet, column, row);
	}
	if (sheet->form == FORM_TSV) {
		kev_row_end(sheet->out);
	} else if (sheet->form == FORM_JSON) {
		jsonw_end_object(sheet->json);
		output_drain(&sheet->out->out);
	}
}

void sheet_count(struct sheet *sheet, uint64_t count)
{
	buf_format(&sheet->cell, "%llu", (unsigned long long)count);
}

const void *sheet_field(const void *row, int field)
{
	int pointer = field >> 16;

	if (pointer)
		row = *(const void *const *)((const char *)row + pointer);
	return (const char *)row + (field & 0xffff);
}

void sheet_put_text(struct sheet *sheet, const void *row, int field)
{
	const struct str *text = sheet_field(row, field);

	buf_str(&sheet->cell, *text);
}

void sheet_put_count(struct sheet *sheet, const void *row, int field)
{
	const uint64_t *count = sheet_field(row, field);

	sheet_count(sheet, *count);
}

void sheet_put_dec(struct sheet *sheet, const void *row, int field)
{
	const struct dec *number = sheet_field(row, field);

	dec_print(&sheet->cell, *number);
}

void sheet_end(struct sheet *sheet)
{
	struct output *out = &sheet->out->out;

	if (sheet->form == FORM_REPORT) {
		output_format(out, "\n%s\n\n", sheet->title);
		table_print(&sheet->table, out);
	} else if (sheet->form == FORM_MARKDOWN) {
		output_format(out, "\n## %s\n\n", sheet->title);
		table_markdown(&sheet->table, out);
	} else if (sheet->form == FORM_JSON) {
		jsonw_end_array(sheet->json);
	}
	table_free(&sheet->table);
	free(sheet->shown);
	buf_free(&sheet->cell);
}
