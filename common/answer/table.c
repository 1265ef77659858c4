#include "answer/table.h"

#include <stdint.h>
#include <stdlib.h>

#include "answer/report.h"
#include "base/mem.h"

void table_cell(struct table *table, struct str text)
{
	table->ends = mem_grow(table->ends, &table->cells_cap, table->cells + 1, sizeof *table->ends);
	buf_str(&table->text, text);
	table->ends[table->cells++] = table->text.len;
}

static struct str cell(const struct table *table, size_t i)
{
	size_t begin = i ? table->ends[i - 1] : 0;

	return (struct str){table->text.data + begin, table->ends[i] - begin};
}

/* Unicode's East Asian Width, W and F, in its large blocks. */
static bool wide(uint32_t c)
{
	static const uint32_t blocks[][2] = {
		{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
		{0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
		{0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
	};

	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		if (c >= blocks[i][0] && c <= blocks[i][1])
			return true;
	}
	return false;
}

/* Columns of a terminal that text takes; a byte that is no UTF-8 takes one. */
static size_t width_of(struct str text)
{
	size_t width = 0;

	for (size_t i = 0; i < text.n;) {
		unsigned char c = (unsigned char)text.s[i++];
		int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
		uint32_t code = more ? c & (0x3fU >> more) : c;

		for (; more && i < text.n && (text.s[i] & 0xc0) == 0x80; more--)
			code = code << 6 | (text.s[i++] & 0x3f);
		width += wide(code) ? 2 : 1;
	}
	return width;
}

/* Characters that report_markdown_row writes with a backslash before them. */
static size_t escapes_of(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.n; i++)
		count += text.s[i] == '|' || text.s[i] == '\\';
	return count;
}

static void spaces(struct buf *line, size_t n)
{
	while (n--)
		buf_char(line, ' ');
}

static void print_row(const struct table *table, struct output *out, const struct str *row,
                      const size_t *widths)
{
	struct buf line = {0};

	for (size_t i = 0; i < table->count; i++) {
		size_t pad = widths[i] - width_of(row[i]);

		spaces(&line, i ? 2 : 0);
		spaces(&line, table->columns[i].right ? pad : 0);
		for (size_t j = 0; j < row[i].n; j++)
			buf_char(&line, (unsigned char)row[i].s[j] < ' ' ? ' ' : row[i].s[j]);
		spaces(&line, table->columns[i].right ? 0 : pad);
	}
	while (line.len && line.data[line.len - 1] == ' ')
		line.len--;
	output_str(out, buf_view(&line));
	output_char(out, '\n');
	buf_free(&line);
}

/* How wide a column is; with `escaped`, as Markdown's cells are written. */
static size_t width_of_column(const struct table *table, size_t column, bool escaped)
{
	size_t widest = width_of(str_of(table->columns[column].title));

	for (size_t i = column; i < table->cells; i += table->count) {
		struct str text = cell(table, i);
		size_t width = width_of(text) + (escaped ? escapes_of(text) : 0);

		if (width > widest)
			widest = width;
	}
	return widest;
}

void table_print(const struct table *table, struct output *out)
{
	size_t *widths = mem_alloc(table->count, sizeof *widths);
	struct str *row = mem_alloc(table->count, sizeof *row);
	size_t rule = 2 * (table->count - 1);

	for (size_t i = 0; i < table->count; i++) {
		row[i] = str_of(table->columns[i].title);
		widths[i] = width_of_column(table, i, false);
		rule += widths[i];
	}
	print_row(table, out, row, widths);
	while (rule--)
		output_char(out, '-');
	output_char(out, '\n');
	for (size_t at = 0; at + table->count <= table->cells; at += table->count) {
		for (size_t i = 0; i < table->count; i++)
			row[i] = cell(table, at + i);
		print_row(table, out, row, widths);
	}
	free(row);
	free(widths);
}

void table_markdown(const struct table *table, struct output *out)
{
	struct str *row = mem_alloc(table->count, sizeof *row);

	for (size_t i = 0; i < table->count; i++)
		row[i] = str_of(table->columns[i].title);
	report_markdown_row(out, row, table->count);
	output_char(out, '|');
	for (size_t i = 0; i < table->count; i++)
		output_text(out, table->columns[i].right ? " ---: |" : " --- |");
	output_char(out, '\n');
	for (size_t at = 0; at + table->count <= table->cells; at += table->count) {
		for (size_t i = 0; i < table->count; i++)
			row[i] = cell(table, at + i);
		report_markdown_row(out, row, table->count);
	}
	free(row);
}

/* A row of Markdown whose cells are filled up to their columns' widths. */
static void padded_row(const struct table *table, struct output *out, struct str *row,
                       const size_t *widths, char fill)
{
	struct buf text = {0};
	size_t at = 0;

	for (size_t i = 0; i < table->count; i++) {
		size_t start = text.len;

		buf_str(&text, row[i]);
		for (size_t pad = width_of(row[i]) + escapes_of(row[i]); pad < widths[i]; pad++)
			buf_char(&text, fill);
		row[i].n = text.len - start;
	}
	for (size_t i = 0; i < table->count; i++) {
		row[i].s = text.data + at;
		at += row[i].n;
	}
	report_markdown_row(out, row, table->count);
	buf_free(&text);
}

void table_markdown_padded(const struct table *table, struct output *out)
{
	size_t *widths = mem_alloc(table->count, sizeof *widths);
	struct str *row = mem_alloc(table->count, sizeof *row);

	for (size_t i = 0; i < table->count; i++) {
		row[i] = str_of(table->columns[i].title);
		widths[i] = width_of_column(table, i, true);
	}
	padded_row(table, out, row, widths, ' ');
	for (size_t i = 0; i < table->count; i++)
		row[i] = STR("");
	padded_row(table, out, row, widths, '-');
	for (size_t at = 0; at + table->count <= table->cells; at += table->count) {
		for (size_t i = 0; i < table->count; i++)
			row[i] = cell(table, at + i);
		padded_row(table, out, row, widths, ' ');
	}
	free(row);
	free(widths);
}

void table_free(struct table *table)
{
	buf_free(&table->text);
	free(table->ends);
	table->ends = NULL;
	table->cells = table->cells_cap = 0;
}
