#include "answer/table.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/plaintext.h"

void table_cell(struct table *table, struct str text)
{
	table->ends = mem_grow(table->ends, &table->cells_cap, table->cells + 1, sizeof *table->ends);
	plaintext_put(&table->text, text);
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

/* Columns of a terminal that plain text takes. */
static size_t width_of(struct str text)
{
	size_t width = 0;
	uint32_t code;

	while (text.n) {
		size_t n = plaintext_character(text, &code);

		width += wide(code) ? 2 : 1;
		text.s += n ? n : 1;
		text.n -= n ? n : 1;
	}
	return width;
}

/* The bar that ends a cell, the escape itself, HTML, and the ]( without which [ is no link. */
static bool is_markup(struct str text, size_t at)
{
	char c = text.s[at];

	return c == '|' || c == '\\' || c == '<' ||
	       (c == ']' && at + 1 < text.n && text.s[at + 1] == '(');
}

/* Characters that table_markdown_text writes with a backslash before them. */
static size_t escapes_of(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.n; i++)
		count += is_markup(text, i);
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
		buf_str(&line, row[i]);
		spaces(&line, table->columns[i].right ? 0 : pad);
	}
	while (line.len && line.data[line.len - 1] == ' ')
		line.len--;
	output_str(out, buf_view(&line));
	output_char(out, '\n');
	buf_free(&line);
}

/* The width of a column; with `escaped`, as Markdown's cells are written. */
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

/* The titles or, from the cell at `at` on, a row. */
static void fill_row(const struct table *table, struct str *row, size_t at)
{
	for (size_t i = 0; i < table->count; i++)
		row[i] = at == SIZE_MAX ? str_of(table->columns[i].title) : cell(table, at + i);
}

void table_print(const struct table *table, struct output *out)
{
	size_t *widths = mem_alloc(table->count, sizeof *widths);
	struct str *row = mem_alloc(table->count, sizeof *row);
	size_t rule = 2 * (table->count - 1);

	for (size_t i = 0; i < table->count; i++) {
		widths[i] = width_of_column(table, i, false);
		rule += widths[i];
	}
	fill_row(table, row, SIZE_MAX);
	print_row(table, out, row, widths);
	while (rule--)
		output_char(out, '-');
	output_char(out, '\n');
	for (size_t at = 0; at + table->count <= table->cells; at += table->count) {
		fill_row(table, row, at);
		print_row(table, out, row, widths);
	}
	free(row);
	free(widths);
}

void table_markdown(const struct table *table, struct output *out)
{
	struct str *row = mem_alloc(table->count, sizeof *row);

	fill_row(table, row, SIZE_MAX);
	table_markdown_row(&out->buf, row, table->count);
	output_char(out, '|');
	for (size_t i = 0; i < table->count; i++)
		output_text(out, table->columns[i].right ? " ---: |" : " --- |");
	output_char(out, '\n');
	for (size_t at = 0; at + table->count <= table->cells; at += table->count) {
		fill_row(table, row, at);
		table_markdown_row(&out->buf, row, table->count);
		output_drain(out);
	}
	free(row);
}

/* A row of Markdown whose cells are filled up to the widths of their columns. */
static void padded_row(const struct table *table, struct output *out, const struct str *row,
                       const size_t *widths, char fill)
{
	output_char(out, '|');
	for (size_t i = 0; i < table->count; i++) {
		output_char(out, ' ');
		table_markdown_text(&out->buf, row[i]);
		for (size_t pad = width_of(row[i]) + escapes_of(row[i]); pad < widths[i]; pad++)
			output_char(out, fill);
		output_text(out, " |");
	}
	output_char(out, '\n');
}

void table_markdown_padded(const struct table *table, struct output *out)
{
	size_t *widths = mem_alloc(table->count, sizeof *widths);
	struct str *row = mem_alloc(table->count, sizeof *row);

	for (size_t i = 0; i < table->count; i++)
		widths[i] = width_of_column(table, i, true);
	fill_row(table, row, SIZE_MAX);
	padded_row(table, out, row, widths, ' ');
	for (size_t i = 0; i < table->count; i++)
		row[i] = STR("");
	padded_row(table, out, row, widths, '-');
	for (size_t at = 0; at + table->count <= table->cells; at += table->count) {
		fill_row(table, row, at);
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

/* --- pieces of a report ----------------------------------------------------- */

void table_number(struct output *out, struct dec x, int places, int width)
{
	struct buf text = {0};

	dec_print_fixed(&text, x, places, true);
	for (size_t n = text.len; n < (size_t)width; n++)
		output_char(out, ' ');
	output_str(out, buf_view(&text));
	buf_free(&text);
}

void table_markdown_text(struct buf *out, struct str text)
{
	struct buf plain = {0};

	plaintext_put(&plain, text);
	for (size_t i = 0; i < plain.len; i++) {
		if (is_markup(buf_view(&plain), i))
			buf_char(out, '\\');
		buf_char(out, plain.data[i]);
	}
	buf_free(&plain);
}

void table_markdown_row(struct buf *out, const struct str *cells, size_t count)
{
	buf_char(out, '|');
	for (size_t i = 0; i < count; i++) {
		buf_char(out, ' ');
		table_markdown_text(out, cells[i]);
		buf_text(out, " |");
	}
	buf_char(out, '\n');
}

void table_markdown_rule(struct buf *out, size_t count, bool right)
{
	buf_char(out, '|');
	for (size_t i = 0; i < count; i++)
		buf_text(out, i && right ? " ---: |" : " --- |");
	buf_char(out, '\n');
}
