#include "blockrows.h"

#include "base/mem.h"

#include "allocator.h"

#include <stdlib.h>

enum added { FILE_NAME, DEVICE, BYTES, END, ADDED };

/* The input's columns of these names are not written: of the allocator, and of this table. */
static const char *const left_out[] = {
	"Bytes",     "Addr",   "Total Allocated", "Total Reserved", "Device Type",
	"Device Id", "Ev Idx", "device",          "bytes",          "end",
	"file"};

static bool is_left_out(struct str name)
{
	for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
		if (str_equal(name, str_of(left_out[i])))
			return true;
	return false;
}

static int place_of(const struct blockrows *rows, struct str name)
{
	for (size_t i = 0; i < rows->columns.count; i++)
		if (str_equal(rows->columns.item[i], name))
			return (int)i;
	return KEV_NONE;
}

void blockrows_columns(struct blockrows *rows, const struct kev_reader *in)
{
	struct blockrows_layout layout = {.count = in->columns_count};

	for (int i = 0; i < KEV_CORE; i++)
		words_put_once(&rows->columns, str_of(kev_core[i]));
	layout.place = mem_alloc(layout.count + 1, sizeof *layout.place);
	for (size_t i = 0; i < layout.count; i++) {
		rows->has_file |= str_equal(in->column[i], STR("file"));
		layout.place[i] = KEV_NONE;
		if (is_left_out(in->column[i]))
			continue;
		words_put_once(&rows->columns, in->column[i]);
		layout.place[i] = place_of(rows, in->column[i]);
	}
	rows->layout =
		mem_grow(rows->layout, &rows->layouts_cap, rows->layouts + 1, sizeof *rows->layout);
	rows->layout[rows->layouts++] = layout;
}

size_t blockrows_hold(struct blockrows *rows, const struct kev_reader *in)
{
	size_t place = rows->rows.len;

	buf_format(&rows->rows, "%zu\t", rows->layouts - 1);
	for (size_t i = 0; i < in->columns_count; i++) {
		buf_str(&rows->rows, in->field[i]);
		buf_char(&rows->rows, i + 1 < in->columns_count ? '\t' : '\n');
	}
	return place;
}

/* Takes the field at the front of a row. */
static struct str take_field(struct str *rest)
{
	size_t n = 0;

	while (rest->s[n] != '\t' && rest->s[n] != '\n')
		n++;
	*rest = (struct str){rest->s + n + 1, rest->n - n - 1};
	return (struct str){rest->s - n - 1, n};
}

/* Sets the cells to the fields of a row that is held. */
static void take_row(struct blockrows *rows, size_t place)
{
	struct str rest = {rows->rows.data + place, rows->rows.len - place};
	uint64_t number = 0;

	str_whole(take_field(&rest), &number);
	for (size_t i = 0; i < rows->layout[number].count; i++) {
		struct str field = take_field(&rest);
		int to = rows->layout[number].place[i];

		if (to != KEV_NONE)
			rows->cell[to] = field;
	}
}

/* --- the table ------------------------------------------------------------------ */

/* The cells of a column of the input, by place. */
static void put_cell(struct sheet *sheet, const void *row, int which)
{
	const struct blockrows *rows = sheet->context;
	const struct blockrow *of = row;

	switch (which) {
	case KEV_TS:
		if (of->held)
			dec_print(&sheet->cell, of->ts);
		break;
	case KEV_DUR:
		if (of->held)
			dec_print(&sheet->cell, of->dur);
		break;
	case KEV_NAME:
		buf_text(&sheet->cell, of->end ? "block" : "before");
		break;
	case KEV_CAT:
		buf_text(&sheet->cell, "memory_block");
		break;
	case KEV_PH:
		buf_text(&sheet->cell, "X");
		break;
	case KEV_PID:
		tsv_unescape(&sheet->cell, of->pid);
		break;
	default:
		tsv_unescape(&sheet->cell, rows->cell[which]);
	}
}

static void put_added(struct sheet *sheet, const void *row, int which)
{
	const struct blockrow *of = row;

	switch ((enum added)which) {
	case FILE_NAME:
		tsv_unescape(&sheet->cell, of->file);
		break;
	case DEVICE:
		tsv_unescape(&sheet->cell, of->device);
		break;
	case BYTES:
		allocator_put_bytes(sheet, of->bytes);
		break;
	case END:
		buf_text(&sheet->cell, of->end ? of->end : "");
		break;
	case ADDED:
		break;
	}
}

/* Columns that tell who owns a block: a report that is too wide leaves out others first. */
static bool is_owner(struct str name)
{
	return str_equal(name, STR("step")) || str_equal(name, STR("cpu_op")) ||
	       str_equal(name, STR("module"));
}

void blockrows_begin(struct blockrows *rows, bool several, struct kev_writer *out, enum form form,
                     struct jsonw *json)
{
	static const char *const titles[ADDED] = {"file", "device", "bytes", "end"};
	size_t count = 0;

	rows->cell = mem_zero(rows->columns.count + 1, sizeof *rows->cell);
	rows->shown = mem_alloc(rows->columns.count + ADDED, sizeof *rows->shown);
	for (size_t i = 0; i < rows->columns.count; i++) {
		unsigned kind = i == KEV_TS || i == KEV_DUR ? SHEET_NUMBER : SHEET_NAME;

		/* A report shows what differs between the rows. */
		if (i == KEV_TYPE || i == KEV_CAT || i == KEV_PH || i == KEV_SOURCE)
			kind |= SHEET_WIDE;
		if (i == KEV_TID || (i >= KEV_CORE && !is_owner(rows->columns.item[i])))
			kind |= SHEET_SPARE;
		rows->shown[count++] =
			(struct sheet_column){rows->columns.item[i].s, kind, put_cell, (int)i};
		if (i == KEV_SOURCE && (several || rows->has_file))
			rows->shown[count++] =
				(struct sheet_column){titles[FILE_NAME], SHEET_NAME, put_added, FILE_NAME};
	}
	for (int i = DEVICE; i < ADDED; i++)
		rows->shown[count++] =
			(struct sheet_column){titles[i], i == BYTES ? SHEET_NUMBER : SHEET_TEXT, put_added, i};
	sheet_begin(&rows->sheet, out, form, json, "Blocks", rows->shown, count);
	rows->sheet.context = rows;
}

void blockrows_row(struct blockrows *rows, const struct blockrow *row)
{
	for (size_t i = 0; i < rows->columns.count; i++)
		rows->cell[i] = STR("");
	if (row->held)
		take_row(rows, row->place);
	sheet_row(&rows->sheet, row);
}

void blockrows_end(struct blockrows *rows)
{
	sheet_end(&rows->sheet);
	free(rows->shown);
	free(rows->cell);
	rows->shown = NULL;
	rows->cell = NULL;
}

void blockrows_free(struct blockrows *rows)
{
	for (size_t i = 0; i < rows->layouts; i++)
		free(rows->layout[i].place);
	free(rows->layout);
	words_free(&rows->columns);
	buf_free(&rows->rows);
	*rows = (struct blockrows){0};
}
