#include "collminima.h"

#include "base/mem.h"

#include <stdlib.h>

/* --- clocks ----------------------------------------------------------------- */

static int compare_ends(const void *a, const void *b)
{
	const struct collalign_point *x = a;
	const struct collalign_point *y = b;
	int order = dec_compare(x->end, y->end);

	return order ? order : dec_compare(x->offset, y->offset);
}

static int compare_offsets(const void *a, const void *b)
{
	const struct collalign_point *x = a;
	const struct collalign_point *y = b;

	return dec_compare(x->offset, y->offset);
}

/* The point of the median end, and the median offset; sorts by offset. */
static struct collalign_point median_of(struct collalign_point *point, size_t count)
{
	struct collalign_point median = {.end = point[(count - 1) / 2].end};

	qsort(point, count, sizeof *point, compare_offsets);
	median.offset = point[(count - 1) / 2].offset;
	return median;
}

bool collalign_measure(struct collalign_point *point, size_t count, struct collalign *align)
{
	size_t half = count / 2;
	struct collalign_point first;
	struct collalign_point second;

	*align = (struct collalign){.offset = {0}};
	qsort(point, count, sizeof *point, compare_ends);
	if (half) {
		first = median_of(point, half);
		second = median_of(point + half, count - half);
		align->change = second.offset;
		align->time = second.end;
		if (!dec_subtract(&align->change, first.offset) || !dec_subtract(&align->time, first.end))
			return false;
	}
	align->offset = median_of(point, count).offset;
	return true;
}

/* --- rows ------------------------------------------------------------------- */

/* A held row: the number of its layout and its place in texts. */
struct collminima_row {
	size_t layout;
	size_t text;
	size_t length;
};

/* Finds a collective by its number. Its wait needs all ranks, or, with a number, some ranks. */
static const struct coll *find(struct collminima *minima, const struct collrows *rows,
                               const struct collrows_row *row)
{
	struct coll like;
	struct str id;
	size_t at;

	if (row->joined || !minima->waits[row->kind])
		return NULL;
	collrows_part(rows, row, &like, &id);
	at = colltable_find(minima->table, &like, id);
	if (at == STRMAP_NONE || minima->table->coll[at].state == COLLSTATE_UNMATCHED) {
		minima->lost++;
		return NULL;
	}
	minima->found++;
	return &minima->table->coll[at];
}

/* --- waits ------------------------------------------------------------------ */

/* The layout of the output: the columns of the input, and two more. */
void collminima_columns(struct collminima *minima, struct kev_reader *in)
{
	static const char *const added[] = {"kind", "wait"};

	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		if (kev_column(in, str_of(added[i])) != KEV_NONE)
			kev_misuse(in, "--minima: the stream has a column '%s' already", added[i]);
	kev_layout(in, &minima->text);
	buf_text(&minima->text, "\tkind\twait");
	minima->layout = strmap_add(&minima->layouts, buf_view(&minima->text), NULL);
}

void collminima_hold(struct collminima *minima, const struct kev_reader *in)
{
	struct collminima_row *row;

	minima->row = mem_grow(minima->row, &minima->cap, minima->count + 1, sizeof *minima->row);
	row = &minima->row[minima->count++];
	*row = (struct collminima_row){.layout = minima->layout, .text = minima->texts.len};
	for (size_t i = 0; i < in->columns_count; i++) {
		if (i)
			buf_char(&minima->texts, '\t');
		buf_str(&minima->texts, in->field[i]);
	}
	row->length = minima->texts.len - row->text;
}

static bool wait_of(struct collminima *minima, const struct collrows *rows,
                    const struct collrows_row *row, struct dec *wait)
{
	const struct coll *coll = find(minima, rows, row);

	*wait = row->end;
	return coll && dec_subtract(wait, row->ts) && dec_subtract(wait, coll->min);
}

void collminima_write(struct collminima *minima, const struct collrows *rows,
                      struct kev_writer *out)
{
	size_t *at = mem_alloc(rows->count, sizeof *at); /* by number: the place in row[] */

	for (size_t i = 0; i < rows->count; i++)
		at[rows->row[i].number] = i;
	for (size_t i = 0; i < rows->count; i++) {
		const struct collminima_row *held = &minima->row[i];
		const struct collrows_row *row = &rows->row[at[i]];
		struct dec wait;

		kev_columns_of(out, strmap_key(&minima->layouts, held->layout));
		kev_field_raw(out, (struct str){minima->texts.data + held->text, held->length});
		kev_field_raw(out, str_of(collkind_names[row->kind]));
		if (wait_of(minima, rows, row, &wait))
			kev_field_dec(out, wait);
		else
			kev_field_raw(out, STR(""));
		kev_row_end(out);
	}
	free(at);
	minima->count = 0;
	minima->texts.len = 0;
}

/* --- the clock of each rank ------------------------------------------------- */

static void find_reference(struct collminima *minima)
{
	const struct colltable *table = minima->table;

	minima->referenced = true;
	minima->reference = UINT64_MAX;
	for (size_t i = 0; i < table->keys.count; i++)
		if (minima->waits[table->coll[i].kind] && table->coll[i].low_rank < minima->reference)
			minima->reference = table->coll[i].low_rank;
}

static bool write_clock(struct collminima *minima, uint64_t rank, struct collalign_point *points,
                        size_t count, struct kev_writer *out)
{
	static const char *const names[] = {"rank", "collectives", "offset", "drift"};
	struct str columns[4];
	struct collalign align;

	for (size_t i = 0; i < 4; i++)
		columns[i] = str_of(names[i]);
	kev_columns(out, columns, 4);
	kev_field_count(out, rank);
	kev_field_count(out, count);
	minima->text.len = 0;
	if (count == 0) {
		kev_field_raw(out, STR(""));
	} else {
		if (!collalign_measure(points, count, &align))
			return false;
		kev_field_dec(out, align.offset);
		if (align.time.nano > 0)
			dec_quotient(&minima->text, align.change, align.time, 6);
	}
	kev_field_raw(out, buf_view(&minima->text));
	kev_row_end(out);
	return true;
}

bool collminima_clocks(struct collminima *minima, const struct collrows *rows,
                       struct kev_writer *out)
{
	struct collalign_point *points = mem_alloc(rows->count, sizeof *points);
	size_t count = 0;
	bool good = true;

	if (!minima->referenced)
		find_reference(minima);
	/* Settled rows are in the order of ranks. */
	for (size_t i = 0; i < rows->count && good; i++) {
		const struct collrows_row *row = &rows->row[i];
		const struct coll *coll = find(minima, rows, row);

		if (coll && coll->low_rank == minima->reference) {
			points[count] = (struct collalign_point){row->end, row->end};
			good = dec_subtract(&points[count++].offset, coll->end_low);
		}
		if (i + 1 < rows->count && row[1].rank == row->rank)
			continue;
		good = good && write_clock(minima, row->rank, points, count, out);
		count = 0;
	}
	free(points);
	return good;
}

void collminima_free(struct collminima *minima)
{
	strmap_free(&minima->layouts);
	free(minima->row);
	buf_free(&minima->texts);
	buf_free(&minima->text);
}
