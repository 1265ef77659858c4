#include "answer/sheet.h"

enum { NAME_SHOWN = 100 };

/* A title as a key of JSON: "Same kernels" is "same_kernels". */
static void open_array(struct sheet *sheet)
{
	for (const char *c = sheet->title; *c; c++) {
		bool upper = *c >= 'A' && *c <= 'Z';

		buf_char(&sheet->cell, *c == ' ' ? '_' : (char)(upper ? *c - 'A' + 'a' : *c));
	}
	jsonw_key_array(sheet->json, buf_view(&sheet->cell));
	sheet->cell.len = 0;
}

void sheet_begin(struct sheet *sheet, struct kev_writer *out, enum form form, struct jsonw *json,
                 const char *title, const struct table_column *columns, size_t count,
                 unsigned left_out)
{
	*sheet = (struct sheet){.title = title,
	                        .columns = columns,
	                        .count = count,
	                        .form = form,
	                        .people = form == FORM_REPORT || form == FORM_MARKDOWN,
	                        .left_out = form == FORM_REPORT ? left_out : 0,
	                        .out = out,
	                        .json = json};
	sheet->table.columns = sheet->shown;
	for (size_t i = 0; i < count; i++)
		if (!(sheet->left_out >> i & 1))
			sheet->shown[sheet->table.count++] = columns[i];
	if (form == FORM_TSV) {
		struct str names[SHEET_COLUMNS];

		for (size_t i = 0; i < count; i++)
			names[i] = str_of(columns[i].title);
		kev_columns(out, names, count);
	} else if (form == FORM_JSON) {
		open_array(sheet);
	}
}

static void json_cell(struct sheet *sheet, struct str text)
{
	const struct table_column *column = &sheet->columns[sheet->at];

	if (sheet->at == 0)
		jsonw_object(sheet->json, NULL);
	if (column->right)
		jsonw_figure(sheet->json, column->title, text);
	else
		jsonw_known(sheet->json, column->title, text);
}

void sheet_text(struct sheet *sheet, struct str text)
{
	if (sheet->form == FORM_TSV)
		kev_field(sheet->out, text);
	else if (sheet->form == FORM_JSON)
		json_cell(sheet, text);
	else if (!(sheet->left_out >> sheet->at & 1))
		table_cell(&sheet->table, text);
	sheet->at = (sheet->at + 1) % sheet->count;
	sheet->cell.len = 0;
}

void sheet_name(struct sheet *sheet, struct str name)
{
	if (sheet->people && name.n > NAME_SHOWN)
		name.n = NAME_SHOWN;
	sheet_text(sheet, name);
}

void sheet_cell(struct sheet *sheet)
{
	sheet_text(sheet, buf_view(&sheet->cell));
}

void sheet_count(struct sheet *sheet, uint64_t count)
{
	buf_format(&sheet->cell, "%llu", (unsigned long long)count);
	sheet_cell(sheet);
}

void sheet_row_end(struct sheet *sheet)
{
	if (sheet->form == FORM_TSV) {
		kev_row_end(sheet->out);
	} else if (sheet->form == FORM_JSON) {
		jsonw_end_object(sheet->json);
		output_drain(&sheet->out->out);
	}
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
	buf_free(&sheet->cell);
}
