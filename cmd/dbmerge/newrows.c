#include "newrows.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
	NAME_BYTES = 240
}; /* bytes of an operator; with prefix and suffix, a file name has up to 255 */

struct newrow {
	uint64_t at; /* in the temporary file */
	uint32_t n;
	uint32_t layout;
	uint32_t next; /* the next row of its operator: number + 1, or 0 */
	uint8_t fate;
};

bool newrows_open(struct newrows *rows)
{
	*rows = (struct newrows){0};
	return spool_open(&rows->lines);
}

void newrows_columns(struct newrows *rows, const struct schema *schema, struct kev_reader *in)
{
	struct newrows_layout *layout;
	int needed;

	rows->layouts =
		mem_grow(rows->layouts, &rows->layouts_cap, rows->layouts_count + 1, sizeof *rows->layouts);
	layout = &rows->layouts[rows->layouts_count++];
	*layout = (struct newrows_layout){.count = in->columns_count};
	layout->name = mem_alloc(in->columns_count, sizeof *layout->name);
	buf_reserve(&layout->text, in->columns_text.len); /* one column may have an empty name */
	buf_str(&layout->text, buf_view(&in->columns_text));
	for (size_t i = 0; i < in->columns_count; i++)
		layout->name[i] = (struct str){
			layout->text.data + (in->column[i].s - in->columns_text.data), in->column[i].n};
	for (int i = 0; i < SCHEMA_COLUMNS; i++)
		layout->column[i] = kev_column(in, schema->name[i]);
	layout->op = kev_column(in, STR("OP Type"));
	if (layout->op == KEV_NONE) {
		kev_misuse(in, "column 'OP Type' is missing; make database rows with opagg");
		return;
	}
	for (int i = 0; i < EP_SIZE; i++)
		if (!kev_need(in, schema->name[i], &needed))
			return;
	kev_need(in, schema->name[SCHEMA_AVERAGE], &needed);
}

bool newrows_names_file(struct str op)
{
	bool good = op.n && op.n <= NAME_BYTES && op.s[0] != '.' && !str_has_byte(op, '/');

	for (size_t i = 0; i < op.n; i++)
		good &= (unsigned char)op.s[i] >= ' ' && op.s[i] != 0x7f;
	return good;
}

/* Puts the last row at the end of the operator's list. */
static void link_row(struct newrows *rows, struct str op)
{
	bool new;
	size_t number = strmap_add(&rows->operators, op, &new);
	struct newrows_operator *of;

	rows->of = mem_grow(rows->of, &rows->of_cap, number + 1, sizeof *rows->of);
	of = &rows->of[number];
	if (new)
		*of = (struct newrows_operator){0};
	if (of->last)
		rows->row[of->last - 1].next = (uint32_t)rows->count;
	else
		of->first = (uint32_t)rows->count;
	of->last = (uint32_t)rows->count;
	of->count++;
}

void newrows_add(struct newrows *rows, struct kev_reader *in)
{
	const struct newrows_layout *layout = &rows->layouts[rows->layouts_count - 1];
	struct str op = signature_operator(kev_text(in, layout->op, &rows->scratch));
	struct str line = in->tsv.text;
	struct dec dur;

	kev_number(in, layout->column[SCHEMA_AVERAGE], &dur);
	if (!in->error[0] && (rows->count >= UINT32_MAX - 1 || line.n > UINT32_MAX))
		kev_error(in, "more than 4 billion rows, or one of 4 GiB");
	if (!in->error[0] && !spool_write(&rows->lines, line.s, line.n))
		kev_error(in, "%s", rows->lines.error);
	if (in->error[0])
		return;
	rows->row = mem_grow(rows->row, &rows->cap, rows->count + 1, sizeof *rows->row);
	rows->row[rows->count++] = (struct newrow){
		.at = rows->size, .n = (uint32_t)line.n, .layout = (uint32_t)(rows->layouts_count - 1)};
	rows->size += line.n;
	link_row(rows, op);
}

uint32_t newrows_first(const struct newrows *rows, struct str op)
{
	size_t number = strmap_find(&rows->operators, op);

	return number == STRMAP_NONE ? 0 : rows->of[number].first;
}

uint32_t newrows_next(const struct newrows *rows, uint32_t i)
{
	return rows->row[i - 1].next;
}

void newrows_fetch(struct newrows *rows, uint32_t number, struct newrows_line *line)
{
	const struct newrow *from = &rows->row[number];
	const char *data = spool_at(&rows->lines, from->at, from->n);
	size_t fields = 0;

	line->layout = &rows->layouts[from->layout];
	line->text.len = 0;
	line->field = mem_grow(line->field, &line->cap, line->layout->count, sizeof *line->field);
	if (data) {
		buf_bytes(&line->text, data, from->n);
		fields = tsv_split(buf_view(&line->text), line->field, line->layout->count);
	}
	for (; fields < line->layout->count; fields++)
		line->field[fields] = STR("");
}

struct str newrows_text(const struct newrows_line *line, int column, struct buf *scratch)
{
	return column == KEV_NONE ? STR("") : str_trim(tsv_text(line->field[column], scratch));
}

void newrows_cells(const struct newrows_line *line, struct str cells[SIGNATURE_CELLS],
                   struct buf scratch[SIGNATURE_CELLS])
{
	for (int i = 0; i < SIGNATURE_CELLS; i++)
		cells[i] = newrows_text(line, line->layout->column[i], &scratch[i]);
}

void newrows_settle(struct newrows *rows, uint32_t number, enum newrows_fate fate)
{
	if (rows->row[number].fate < fate)
		rows->row[number].fate = (uint8_t)fate;
}

enum newrows_fate newrows_fate(const struct newrows *rows, uint32_t number)
{
	return (enum newrows_fate)rows->row[number].fate;
}

void newrows_line_free(struct newrows_line *line)
{
	free(line->field);
	buf_free(&line->text);
	*line = (struct newrows_line){0};
}

void newrows_close(struct newrows *rows)
{
	for (size_t i = 0; i < rows->layouts_count; i++) {
		buf_free(&rows->layouts[i].text);
		free(rows->layouts[i].name);
	}
	free(rows->layouts);
	free(rows->row);
	free(rows->of);
	strmap_free(&rows->operators);
	spool_close(&rows->lines);
	buf_free(&rows->scratch);
}
