#include "syntax/csvfile.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "base/strmap.h"
#include "syntax/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* --- reading ------------------------------------------------------------- */

static bool fail(struct csvfile *file, uint64_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool fail(struct csvfile *file, uint64_t line, const char *format, ...)
{
	va_list args;

	file->line = line;
	va_start(args, format);
	plaintext_format(file->error, sizeof file->error, format, args);
	va_end(args);
	return false;
}

/* Keeps a name of the header. False if there is one like it. */
static bool take_name(struct csvfile *file, struct str name, struct strmap *known)
{
	bool added = true;

	if (name.n)
		strmap_add(known, name, &added);
	file->column[file->columns_count++] = (struct str){file->names.data + file->names.len, name.n};
	buf_str(&file->names, name);
	return added;
}

static bool take_header(struct csvfile *file, struct csv_reader *csv, struct csvfile_record header)
{
	struct strmap known = {0};
	bool good = true;

	file->header = header;
	file->column = mem_alloc(csv->count, sizeof *file->column);
	buf_reserve(&file->names, csv->record.n); /* so that it does not move under column[] */
	for (size_t i = 0; i < csv->count && good; i++) {
		struct str name = str_trim(csv_field(csv, i));
		char quoted[QUOTE_MAX];

		good = take_name(file, name, &known) ||
		       fail(file, csv->line, "two columns are named %s", quote(quoted, name.s, name.n));
	}
	strmap_free(&known);
	return good;
}

/* The record at hand: its bytes, and the names of the header or the place of a row. */
static bool take_record(struct csvfile *file, struct csv_reader *csv)
{
	struct csvfile_record record = {file->text.len, csv->record.n, csv->end_n};

	/* The end of its line follows in the memory of the reader. */
	buf_bytes(&file->text, csv->record.s, csv->record.n + csv->end_n);
	if (csv->count == 0)
		return true;
	file->may_be_cut = csv->unended;
	if (csv->end_n == 1 && csv->record.s[csv->record.n] == '\r')
		return fail(file, csv->line, "the end of the last line is cut off");
	if (!file->column)
		return take_header(file, csv, record);
	if (csv->unended && csv->count < file->columns_count)
		return fail(file, csv->line, "the last row is cut off");
	file->long_rows += csv->count > file->columns_count;
	file->short_rows += csv->count < file->columns_count;
	file->row = mem_grow(file->row, &file->cap, file->count + 1, sizeof *file->row);
	file->row[file->count++] = record;
	return true;
}

bool csvfile_read(struct csvfile *file, int fd, const char *name)
{
	struct csv_reader csv;
	bool good = true;
	int got = 0;

	*file = (struct csvfile){0};
	if (!csv_open_fd(&csv, fd, name, SIZE_MAX))
		return fail(file, 0, "%s", csv.error);
	csv.blanks = true;
	if (!csv.in.plain)
		good = fail(file, 0, "the file is compressed; decompress it first");
	while (good && (got = csv_next(&csv)) > 0) {
		if (csv.bom && file->text.len == 0)
			buf_text(&file->text, "\xef\xbb\xbf");
		good = take_record(file, &csv);
	}
	if (good && got < 0)
		good = fail(file, csv.line, "%s", csv.error);
	if (good && !file->column)
		good = fail(file, 0, "the file is empty; it should at least have a header");
	csv_close(&csv);
	return good;
}

static struct str text_of(const struct csvfile *file, const struct csvfile_record *record)
{
	return (struct str){file->text.data + record->at, record->n};
}

static void split(struct csvfile *file, const struct csvfile_record *record)
{
	struct str text = text_of(file, record);

	while (file->split != record) {
		file->cells = csv_split(text, file->cell, file->cells_cap);
		if (file->cells <= file->cells_cap)
			file->split = record;
		else
			file->cell = mem_grow(file->cell, &file->cells_cap, file->cells, sizeof *file->cell);
	}
}

void csvfile_split(struct csvfile *file, size_t row)
{
	split(file, &file->row[row]);
}

struct str csvfile_cell(const struct csvfile *file, int column, struct buf *scratch)
{
	if (column < 0 || (size_t)column >= file->cells)
		return STR("");
	return csv_unquote(file->cell[column], scratch);
}

void csvfile_free(struct csvfile *file)
{
	buf_free(&file->text);
	buf_free(&file->names);
	free(file->row);
	free(file->column);
	free(file->cell);
	*file = (struct csvfile){0};
}

/* --- the columns to write ------------------------------------------------ */

int csvfile_layout_find(const struct csvfile_layout *layout, struct str name)
{
	for (size_t i = 0; i < layout->count; i++)
		if (str_equal(buf_view(&layout->column[i].name), name))
			return (int)i;
	return -1;
}

void csvfile_layout_insert(struct csvfile_layout *layout, size_t at, struct str name)
{
	struct csvfile_column *column;

	layout->column =
		mem_grow(layout->column, &layout->cap, layout->count + 1, sizeof *layout->column);
	column = layout->column + at;
	memmove(column + 1, column, (layout->count++ - at) * sizeof *column);
	*column = (struct csvfile_column){.from = -1};
	buf_str(&column->name, name);
	layout->changed = true;
}

void csvfile_layout_move(struct csvfile_layout *layout, size_t from, size_t to)
{
	struct csvfile_column moved = layout->column[from];
	struct csvfile_column *column = layout->column;

	if (from == to)
		return;
	if (from < to)
		memmove(column + from, column + from + 1, (to - from) * sizeof *column);
	else
		memmove(column + to + 1, column + to, (from - to) * sizeof *column);
	column[to] = moved;
	layout->changed = true;
}

void csvfile_layout_remove(struct csvfile_layout *layout, size_t at)
{
	struct csvfile_column *column = layout->column + at;

	buf_free(&column->name);
	buf_free(&column->value);
	memmove(column, column + 1, (--layout->count - at) * sizeof *column);
	layout->changed = true;
}

void csvfile_layout_rename(struct csvfile_layout *layout, size_t at, struct str name)
{
	layout->column[at].name.len = 0;
	buf_str(&layout->column[at].name, name);
	layout->changed = true;
}

void csvfile_layout_of(struct csvfile_layout *layout, const struct csvfile *file)
{
	for (size_t i = 0; i < file->columns_count; i++) {
		csvfile_layout_insert(layout, i, file->column[i]);
		layout->column[i].from = (int)i;
	}
	layout->changed = false;
}

void csvfile_layout_free(struct csvfile_layout *layout)
{
	while (layout->count)
		csvfile_layout_remove(layout, layout->count - 1);
	free(layout->column);
	free(layout->set);
	*layout = (struct csvfile_layout){0};
}

void csvfile_layout_set(struct csvfile_layout *layout, size_t at, struct str value)
{
	struct csvfile_column *column = layout->column + at;

	if (column->set)
		return;
	column->set = true;
	column->value.len = 0;
	buf_str(&column->value, value);
	layout->set = mem_grow(layout->set, &layout->set_cap, layout->set_count + 1, sizeof at);
	layout->set[layout->set_count++] = at;
}

bool csvfile_layout_differs(struct csvfile_layout *layout, struct csvfile *file, size_t row)
{
	struct buf scratch = {0};
	size_t kept = 0;

	csvfile_split(file, row);
	for (size_t i = 0; i < layout->set_count; i++) {
		struct csvfile_column *column = &layout->column[layout->set[i]];

		scratch.len = 0;
		column->set = !str_equal(buf_view(&column->value),
		                         str_trim(csvfile_cell(file, column->from, &scratch)));
		if (column->set)
			layout->set[kept++] = layout->set[i];
	}
	layout->set_count = kept;
	buf_free(&scratch);
	return kept > 0;
}

void csvfile_layout_unset(struct csvfile_layout *layout)
{
	while (layout->set_count)
		layout->column[layout->set[--layout->set_count]].set = false;
}

/* --- writing ------------------------------------------------------------- */

/* The bytes between the record before, if any, and the one at `at`: blank lines, the mark. */
static void put_between(struct buf *out, const struct csvfile *file,
                        const struct csvfile_record *before, size_t at)
{
	size_t from = before ? before->at + before->n + before->end_n : 0;

	buf_bytes(out, file->text.data + from, at - from);
}

static const struct csvfile_record *record_before(const struct csvfile *file, size_t row)
{
	return row ? &file->row[row - 1] : &file->header;
}

/* The line end of the file; in a new file, the line end of Python's csv module. */
static void put_end(struct buf *out, const struct csvfile *file)
{
	const struct csvfile_record *header = &file->header;

	if (header->end_n)
		buf_bytes(out, file->text.data + header->at + header->n, header->end_n);
	else
		buf_text(out, "\r\n");
}

/* The cells of the split record, in the order of the layout, then the cells beyond the columns. */
static void put_cells(struct buf *out, const struct csvfile *file,
                      const struct csvfile_layout *layout, bool header)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct csvfile_column *column = &layout->column[i];
		struct str old = column->from >= 0 && (size_t)column->from < file->cells
		                     ? file->cell[column->from]
		                     : STR("");
		bool renamed = header && (column->from < 0 ||
		                          !str_equal(file->column[column->from], buf_view(&column->name)));

		buf_text(out, i ? "," : "");
		if (renamed || column->set)
			csv_quote(out, buf_view(header ? &column->name : &column->value),
			          old.n && *old.s == '"');
		else
			buf_str(out, old);
	}
	for (size_t i = file->columns_count; i < file->cells; i++) {
		buf_char(out, ',');
		buf_str(out, file->cell[i]);
	}
}

static void put_record(struct buf *out, struct csvfile *file, const struct csvfile_layout *layout,
                       const struct csvfile_record *record, bool header)
{
	struct str text = text_of(file, record);

	if (layout->changed || (!header && layout->set_count)) {
		split(file, record);
		put_cells(out, file, layout, header);
	} else {
		buf_str(out, text);
	}
	buf_bytes(out, text.s + text.n, record->end_n);
	file->unended = record->end_n == 0;
}

void csvfile_put_header(struct buf *out, struct csvfile *file, const struct csvfile_layout *layout)
{
	if (!file->column) {
		put_cells(out, file, layout, true);
		put_end(out, file);
		return;
	}
	put_between(out, file, NULL, file->header.at);
	put_record(out, file, layout, &file->header, true);
}

void csvfile_put_row(struct buf *out, struct csvfile *file, struct csvfile_layout *layout,
                     size_t row)
{
	put_between(out, file, record_before(file, row), file->row[row].at);
	put_record(out, file, layout, &file->row[row], false);
	csvfile_layout_unset(layout);
}

void csvfile_drop_row(struct buf *out, struct csvfile *file, struct csvfile_layout *layout,
                      size_t row)
{
	put_between(out, file, record_before(file, row), file->row[row].at);
	csvfile_layout_unset(layout);
}

void csvfile_put_new_row(struct buf *out, struct csvfile *file, struct csvfile_layout *layout)
{
	if (file->unended)
		put_end(out, file);
	file->split = NULL;
	file->cells = 0;
	put_cells(out, file, layout, false);
	put_end(out, file);
	file->unended = false;
	csvfile_layout_unset(layout);
}

void csvfile_put_rest(struct buf *out, const struct csvfile *file)
{
	if (file->column)
		put_between(out, file, record_before(file, file->count), file->text.len);
}
