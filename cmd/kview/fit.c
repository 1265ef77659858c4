#include "fit.h"

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

/* The least width of a column; a column of numbers keeps its width. */
static size_t least_width(const struct fit_column *column)
{
	size_t least = width_of(str_of(column->title));

	if (least < SHORTEN_LEAST)
		least = SHORTEN_LEAST;
	return shape_is_number(&column->shape) || column->width < least ? column->width : least;
}

/* Leaves out columns that do not fit even if texts are cut; returns the room that is left. */
static size_t leave_out(struct fit_column *const *columns, size_t count, size_t limit)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		size_t least = least_width(columns[i]) + (used ? 2 : 0);

		if (columns[i]->fate != FIT_SHOWN)
			continue;
		if (used && (least > limit || used > limit - least))
			columns[i]->fate = FIT_NO_ROOM;
		else
			used += least;
	}
	return used < limit ? limit - used : 0;
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

	for (size_t i = 0; i < count; i++)
		widths[i] = least_width(columns[i]);
	share_room(columns, count, widths, leave_out(columns, count, limit));
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
