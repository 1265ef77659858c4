#include "perfdb/rewrite.h"

#include "io/replace.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static bool fail(struct rewrite *rw, const char *what)
{
	snprintf(rw->error, sizeof rw->error, "%s", what);
	return false;
}

/* The text of the row in rw->line in one of its columns. */
static struct str text(struct rewrite *rw, int column)
{
	return newrows_text(&rw->line, column, &rw->decoded);
}

/* --- cells --------------------------------------------------------------- */

/* Adds the columns of added rows that the file lacks. */
static void add_columns(struct rewrite *rw)
{
	struct merge *m = rw->merge;

	for (size_t i = 0; i < m->added_count; i++) {
		const struct newrows_layout *layout;

		if (m->deleted[m->csv.count + i])
			continue;
		newrows_fetch(m->rows, m->added[i], &rw->line);
		layout = rw->line.layout;
		for (size_t j = 0; j < layout->count; j++)
			if ((int)j != layout->op && text(rw, (int)j).n &&
			    csvfile_layout_find(&m->layout, layout->name[j]) < 0)
				csvfile_layout_insert(&m->layout, m->layout.count, layout->name[j]);
	}
	for (int i = 0; i < SCHEMA_COLUMNS; i++)
		rw->to[i] = csvfile_layout_find(&m->layout, m->schema->name[i]);
}

/* Sets a cell, unless it is set already, text is empty, or the column is missing (at < 0). */
static void set_cell(struct csvfile_layout *layout, int at, struct str text)
{
	struct csvfile_column *column = layout->column + at;

	if (at < 0 || column->set || text.n == 0)
		return;
	column->set = true;
	column->value.len = 0;
	buf_str(&column->value, text);
}

/* Sets the cells of all updates of a row, the latest first, then those of an added row. */
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
			set_cell(&m->layout, csvfile_layout_find(&m->layout, layout->name[j]),
			         text(rw, (int)j));
}

/* Sets the cells of a row of the file that will differ. Returns whether any will. */
static bool change_row(struct rewrite *rw, uint32_t number)
{
	struct merge *m = rw->merge;
	bool changed = false;

	if (!m->last_update[number])
		return false;
	set_cells(rw, number);
	csvfile_split(&m->csv, number);
	for (size_t i = 0; i < m->layout.count; i++) {
		struct csvfile_column *column = &m->layout.column[i];
		struct str old;

		if (!column->set)
			continue;
		rw->old.len = 0;
		/* Spaces around a cell do not count here, as they do not for an `updated` line. */
		old = str_trim(csvfile_cell(&m->csv, column->from, &rw->old));
		column->set = !str_equal(buf_view(&column->value), old);
		changed |= column->set;
	}
	return changed;
}

static bool is_changed(struct rewrite *rw)
{
	struct merge *m = rw->merge;
	bool changed = !m->exists || m->migrated;
	size_t rows = m->csv.count + m->added_count;

	for (uint32_t i = 0; i < rows && !changed; i++)
		changed = i < m->csv.count ? m->deleted[i] || change_row(rw, i) : !m->deleted[i];
	for (size_t i = 0; i < m->layout.count; i++)
		m->layout.column[i].set = false;
	return changed;
}

bool rewrite_begin(struct rewrite *rw, struct merge *merge)
{
	const char *error = merge->rows->lines.error;

	*rw = (struct rewrite){.merge = merge};
	add_columns(rw);
	rw->changed = is_changed(rw);
	return !*error || fail(rw, error);
}

/* --- writing ------------------------------------------------------------- */

static void put_row(struct rewrite *rw, uint32_t number)
{
	struct merge *m = rw->merge;
	struct csvfile_layout *layout = &m->layout;

	if (number < m->csv.count && m->deleted[number]) {
		csvfile_drop_row(&rw->piece, &m->csv, layout, number);
	} else if (number < m->csv.count) {
		change_row(rw, number);
		set_cell(layout, rw->to[EP_SIZE], buf_view(&m->ep_size));
		csvfile_put_row(&rw->piece, &m->csv, layout, number);
	} else if (!m->deleted[number]) {
		set_cells(rw, number);
		csvfile_put_new_row(&rw->piece, &m->csv, layout);
	}
}

static void write_piece(struct rewrite *rw, struct replace *to)
{
	replace_write(to, buf_view(&rw->piece));
	rw->piece.len = 0;
}

bool rewrite_file(struct rewrite *rw, int folder, const char *name)
{
	struct merge *m = rw->merge;
	const char *error = m->rows->lines.error;
	size_t rows = m->csv.count + m->added_count;
	struct replace to = {0};
	struct stat old;

	rw->linked = fstatat(folder, name, &old, AT_SYMLINK_NOFOLLOW) == 0 && old.st_nlink > 1;
	replace_begin(&to, folder, name);
	csvfile_put_header(&rw->piece, &m->csv, &m->layout);
	for (uint32_t i = 0; i < rows; i++) {
		put_row(rw, i);
		write_piece(rw, &to);
	}
	csvfile_put_rest(&rw->piece, &m->csv);
	write_piece(rw, &to);
	/* A row that could not be read back was written empty: the file must not be replaced. */
	if (*error && !to.error[0])
		snprintf(to.error, sizeof to.error, "%s", error);
	return replace_commit(&to) || fail(rw, to.error);
}

void rewrite_free(struct rewrite *rw)
{
	newrows_line_free(&rw->line);
	buf_free(&rw->piece);
	buf_free(&rw->decoded);
	buf_free(&rw->old);
}
