#include "fit.h"

#include "answer/table.h"
#include "answer/width.h"
#include "base/mem.h"

#include <stdlib.h>

void fit_choose(struct fit_column *const *columns, size_t count)
{
	size_t shown = 0;
	size_t filled = 0;

	for (size_t i = 0; i < count; i++) {
		const struct shape *shape = &columns[i]->shape;

		columns[i]->fate = !shape->filled ? FIT_EMPTY : shape->several ? FIT_SHOWN : FIT_ONE;
		shown += columns[i]->fate == FIT_SHOWN;
		filled += columns[i]->fate != FIT_EMPTY;
	}
	for (size_t i = 0; shown == 0 && i < count; i++)
		if (filled == 0 || columns[i]->fate == FIT_ONE)
			columns[i]->fate = FIT_SHOWN;
}

/* Columns for which people look at a table; some count only beside another column. */
static const struct {
	const char *name;
	const char *beside; /* NULL: any table */
} answers[] = {
	{"ts", "dur"},          {"dur", "ts"},           {"name", "ts"},     {"type", "ts"},
	{"step", "ts"},         {"phase", "ts"},         {"layer", "ts"},    {"cpu_op", "ts"},
	{"op", "ts"},           {"before", "ts"},        {"after", "ts"},    {"gap", NULL},
	{"cause", NULL},        {"total", "share"},      {"count", "share"}, {"share", NULL},
	{"cumulative", NULL},   {"busy", NULL},          {"verdict", NULL},  {"change", NULL},
	{"comm_exposed", NULL}, {"total1", "verdict"},   {"status", NULL},   {"total1", "kernel"},
	{"peak_share", NULL},   {"total2", "verdict"},   {"bound", NULL},    {"total2", "kernel"},
	{"late_share", NULL},   {"late", NULL},          {"wait", NULL},     {"busbw", NULL},
	{"m6_ratio", NULL},     {"saves", NULL},         {"severity", NULL}, {"events", NULL},
	{"error_pct", NULL},    {"total", "peak_share"},
};

bool fit_is_answer(const struct kev_reader *reader, struct str name)
{
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
		if (str_equal(name, str_of(answers[i].name)) &&
		    (!answers[i].beside || kev_column(reader, str_of(answers[i].beside)) != KEV_NONE))
			return true;
	return false;
}

/* The width of a column whose texts are cut to `texts`; a column of numbers keeps its width. */
static size_t cut_width(const struct fit_column *column, size_t texts)
{
	size_t least = width_of(str_of(column->title));

	if (least < texts)
		least = texts;
	return shape_is_number(&column->shape) || column->width < least ? column->width : least;
}

/* The width of the shown columns, with two spaces after each. */
static size_t used_by(struct fit_column *const *columns, size_t count, size_t texts)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (columns[i]->fate == FIT_SHOWN)
			used += cut_width(columns[i], texts) + 2;
	return used;
}

/* The end of the keys: columns before the first answer, or else those up to the first text. */
static size_t end_of_keys(struct fit_column *const *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (columns[i]->answer)
			return i;
	for (size_t i = 0; i < count; i++)
		if (columns[i]->fate == FIT_SHOWN && columns[i]->shape.words)
			return i + 1;
	return 0;
}

/*
 * Leaves out columns from `begin` on that are no answers, the last ones, until the texts fit. Both
 * sides of a comparison stay, or none.
 */
static void leave_out_others(struct fit_column *const *columns, size_t begin, size_t count,
                             size_t limit, size_t texts)
{
	size_t used;

	for (size_t i = begin; i < count; i++)
		if (columns[i]->fate == FIT_SHOWN && !columns[i]->answer)
			columns[i]->fate = FIT_NO_ROOM;
	used = used_by(columns, count, texts);
	for (size_t i = begin, n; i < count; i += n) {
		size_t more = cut_width(columns[i], texts) + 2;

		n = 1;
		if (columns[i]->fate != FIT_NO_ROOM)
			continue;
		if (i + 1 < count && columns[i + 1]->fate == FIT_NO_ROOM &&
		    table_are_sides(columns[i]->title, columns[i + 1]->title)) {
			more += cut_width(columns[i + 1], texts) + 2;
			n = 2;
		}
		if (used > limit + 2 || more > limit + 2 - used)
			return;
		used += more;
		for (size_t k = 0; k < n; k++)
			columns[i + k]->fate = FIT_SHOWN;
	}
}

/* Leaves out columns before `end`, from the last one on, until the others fit; keeps the first. */
static void leave_out_last(struct fit_column *const *columns, size_t end, size_t count,
                           size_t limit)
{
	size_t used = used_by(columns, count, SHORTEN_LEAST);
	size_t first = 0;
	bool pair = false; /* the other side of the column is left out */

	while (first < count && columns[first]->fate != FIT_SHOWN)
		first++;
	for (size_t i = end; (pair || used > limit + 2) && i-- > first + 1;) {
		if (columns[i]->fate != FIT_SHOWN)
			continue;
		columns[i]->fate = FIT_NO_ROOM;
		used -= cut_width(columns[i], SHORTEN_LEAST) + 2;
		pair = table_are_sides(columns[i - 1]->title, columns[i]->title);
	}
}

static bool wants_more(const struct fit_column *column, size_t width)
{
	return column->fate == FIT_SHOWN && width < column->width;
}

/* The least width of a column that wants more; SIZE_MAX if none does. */
static size_t narrowest(struct fit_column *const *columns, size_t count, const size_t *widths)
{
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < count; i++)
		if (wants_more(columns[i], widths[i]) && widths[i] < least)
			least = widths[i];
	return least;
}

/* Gives texts the room that is left: equal widths to all that could take more. */
static void share_room(struct fit_column *const *columns, size_t count, size_t *widths, size_t room)
{
	size_t least;

	while (room && (least = narrowest(columns, count, widths)) != SIZE_MAX) {
		for (size_t i = 0; i < count && room; i++) {
			if (widths[i] == least && wants_more(columns[i], widths[i])) {
				widths[i]++;
				room--;
			}
		}
	}
}

void fit_narrow(struct fit_column *const *columns, size_t count, size_t limit)
{
	size_t *widths = mem_zero(count, sizeof *widths);
	size_t keys = end_of_keys(columns, count);
	size_t texts = limit / 5 * 2;
	size_t used;

	leave_out_others(columns, keys, count, limit, texts > SHORTEN_LEAST ? texts : SHORTEN_LEAST);
	leave_out_last(columns, keys, count, limit);
	leave_out_last(columns, count, count, limit);
	for (size_t i = 0; i < count; i++)
		widths[i] = cut_width(columns[i], SHORTEN_LEAST);
	used = used_by(columns, count, SHORTEN_LEAST);
	share_room(columns, count, widths, used < limit + 2 ? limit + 2 - used : 0);
	for (size_t i = 0; i < count; i++) {
		struct fit_column *column = columns[i];

		column->width = widths[i];
		if (column->fate == FIT_SHOWN)
			shorten_fit(&column->texts, widths[i] > SHORTEN_LEAST ? widths[i] : SHORTEN_LEAST);
	}
	free(widths);
}

void fit_free(struct fit_column *column)
{
	free(column->title);
	shape_free(&column->shape);
	shorten_free(&column->texts);
}
