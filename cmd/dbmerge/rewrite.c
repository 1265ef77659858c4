#include "rewrite.h"

#include "base/mem.h"
#include "io/replace.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool fail(struct rewrite *rw, const char *what)
{
	snprintf(rw->error, sizeof rw->error, "%s", what);
	return false;
}

/* The text of a column of the row in rw->line. */
static struct str text(struct rewrite *rw, int column)
{
	return newrows_text(&rw->line, column, &rw->decoded);
}

/* --- cells --------------------------------------------------------------- */

/* Notes the place of a column, -1: none, unless its name is known. Returns whether it is new. */
static bool note_column(struct rewrite *rw, struct str name, int at)
{
	bool added;
	size_t number = strmap_add(&rw->names, name, &added);

	rw->column = mem_grow(rw->column, &rw->column_cap, number + 1, sizeof *rw->column);
	if (added)
		rw->column[number] = at;
	return added;
}

/* Adds the columns of an added row that the file lacks, apart from counters. */
static void add_columns_of(struct rewrite *rw, uint32_t new_row)
{
	struct csvfile_layout *to = &rw->merge->layout;
	const struct newrows_layout *layout;

	newrows_fetch(rw->merge->rows, new_row, &rw->line);
	layout = rw->line.layout;
	for (size_t j = 0; j < layout->count; j++)
		if ((int)j != layout->op && text(rw, (int)j).n &&
		    note_column(rw, layout->name[j], (int)to->count))
			csvfile_layout_insert(to, to->count, layout->name[j]);
}

static void find_columns(struct rewrite *rw)
{
	struct merge *m = rw->merge;

	for (size_t i = 0; i < m->layout.count; i++)
		note_column(rw, buf_view(&m->layout.column[i].name), (int)i);
	/* As in an update: a file gets no counters that it lacks. */
	for (int i = SCHEMA_COUNTER; i < SCHEMA_COLUMNS; i++)
		note_column(rw, m->schema->name[i], -1);
	for (size_t i = 0; i < m->added_count; i++)
		if (!m->deleted[m->csv.count + i])
			add_columns_of(rw, m->added[i]);
	for (int i = 0; i < SCHEMA_COLUMNS; i++)
		rw->to[i] = csvfile_layout_find(&m->layout, m->schema->name[i]);
}

/* Sets a cell, unless it is set already, text is empty, or the column is missing (at < 0). */
static void set_cell(struct csvfile_layout *layout, int at, struct str text)
{
	if (at >= 0 && text.n)
		csvfile_layout_set(layout, (size_t)at, text);
}

/* Sets the cell of a column from the row in rw->line. */
static void set_new_cell(struct rewrite *rw, size_t column)
{
	size_t number = strmap_find(&rw->names, rw->line.layout->name[column]);

	if (number != STRMAP_NONE)
		set_cell(&rw->merge->layout, rw->column[number], text(rw, (int)column));
}

/* Sets the cells of all updates of a row, the latest first, then the cells of an added row. */
static void set_cells(struct rewrite *rw, uint32_t number)
{
	struct merge *m = rw->merge;
	const struct newrows_layout *layout;

	for (uint32_t i = m->last_update[number]; i; i = m->update[i - 1].before) {
		newrows_fetch(m->rows, m->update[i - 1].new_row, &rw->line);
		layout = rw->line.layout;
		for (int j = SCHEMA_AVERAGE; j < SCHEMA_COLUMNS; j++)
			set_cell(&m->layout, rw->to[j], text(rw, layout->column[j]));
	}
	if (number < m->csv.count)
		return;
	newrows_fetch(m->rows, m->added[number - m->csv.count], &rw->line);
	layout = rw->line.layout;
	for (size_t j = 0; j < layout->count; j++)
		if ((int)j != layout->op)
			set_new_cell(rw, j);
}

/* Sets the cells of a row of the file that will differ. Returns whether any will. */
static bool change_row(struct rewrite *rw, uint32_t number)
{
	struct merge *m = rw->merge;

	if (!m->last_update[number])
		return false;
	set_cells(rw, number);
	/* Spaces around a cell do not count here, as they do not for an `updated` line. */
	return csvfile_layout_differs(&m->layout, &m->csv, number);
}

static bool is_changed(struct rewrite *rw)
{
	struct merge *m = rw->merge;
	bool changed = !m->exists || m->migrated;
	size_t rows = m->csv.count + m->added_count;

	for (uint32_t i = 0; i < rows && !changed; i++)
		changed = i < m->csv.count ? m->deleted[i] || change_row(rw, i) : !m->deleted[i];
	csvfile_layout_unset(&m->layout);
	return changed;
}

bool rewrite_begin(struct rewrite *rw, struct merge *merge)
{
	const char *error = merge->rows->lines.error;

	*rw = (struct rewrite){.merge = merge};
	find_columns(rw);
	rw->changed = is_changed(rw);
	return !*error || fail(rw, error);
}

/* --- writing ------------------------------------------------------------- */

static void put_row(struct rewrite *rw, uint32_t number)
{
	struct merge *m = rw->merge;
	struct csvfile_layout *layout = &m->layout;

	if (number < m->csv.count && m->deleted[number]) {
		csvfile_drop_row(&rw->text, &m->csv, layout, number);
	} else if (number < m->csv.count) {
		change_row(rw, number);
		set_cell(layout, rw->to[EP_SIZE], buf_view(&m->ep_size));
		csvfile_put_row(&rw->text, &m->csv, layout, number);
	} else if (!m->deleted[number]) {
		set_cells(rw, number);
		csvfile_put_new_row(&rw->text, &m->csv, layout);
	}
}

bool rewrite_file(struct rewrite *rw, int folder, const char *name)
{
	struct merge *m = rw->merge;
	const char *error = m->rows->lines.error;
	size_t rows = m->csv.count + m->added_count;
	struct stat old;

	rw->linked = fstatat(folder, name, &old, AT_SYMLINK_NOFOLLOW) == 0 && old.st_nlink > 1;
	csvfile_put_header(&rw->text, &m->csv, &m->layout);
	for (uint32_t i = 0; i < rows; i++)
		put_row(rw, i);
	csvfile_put_rest(&rw->text, &m->csv);
	/* A row that could not be read back is empty in the text. */
	return *error ? fail(rw, error) : replace_file(folder, name, buf_view(&rw->text), rw->error);
}

void rewrite_free(struct rewrite *rw)
{
	strmap_free(&rw->names);
	free(rw->column);
	newrows_line_free(&rw->line);
	buf_free(&rw->text);
	buf_free(&rw->decoded);
}
