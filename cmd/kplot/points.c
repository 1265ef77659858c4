#include "points.h"

#include "base/mem.h"

#include "colours.h"
#include "legend.h"

#include <stdlib.h>

enum { LINE = 200, LEGEND_ROWS = 20 };

struct points_point {
	struct dec x;
	struct dec y;
	size_t series; /* number of the group * columns + number of the column */
	size_t number; /* number of the row: its place among equals */
};

void points_add(struct points *points, struct str group, size_t column, struct dec x, struct dec y)
{
	size_t number;

	if (points->log && y.nano <= 0) {
		points->not_positive++;
		return;
	}
	number = strmap_add(&points->groups, group, NULL);
	points->point = mem_grow(points->point, &points->cap, points->count + 1, sizeof *points->point);
	points->point[points->count] =
		(struct points_point){x, y, number * points->columns + column, points->count};
	points->count++;
}

static int compare_points(const void *left, const void *right)
{
	const struct points_point *a = left;
	const struct points_point *b = right;
	int order = (a->series > b->series) - (a->series < b->series);

	if (!order)
		order = dec_compare(a->x, b->x);
	return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* The points of a group and a column: a part of all points, once they are sorted. */
struct series {
	size_t from;
	size_t to;
};

/* The largest series first. */
static int compare_series(const void *left, const void *right)
{
	const struct series *a = left;
	const struct series *b = right;
	size_t n = a->to - a->from;
	size_t m = b->to - b->from;

	return n != m ? (n < m) - (n > m) : (a->from > b->from) - (a->from < b->from);
}

static struct series *find_series(const struct points *points, size_t *count)
{
	struct series *series = mem_alloc(points->groups.count * points->columns, sizeof *series);

	*count = 0;
	for (size_t i = 0; i < points->count; i++) {
		if (i == 0 || points->point[i].series != points->point[i - 1].series)
			series[(*count)++].from = i;
		series[*count - 1].to = i + 1;
	}
	qsort(series, *count, sizeof *series, compare_series);
	return series;
}

/*
 * How a series is drawn. A line joins points that are few and have an x of their own each. Lines
 * through many points would be one area.
 */
static const char *style_of(const struct points *points, const struct series *series)
{
	const struct points_point *point = &points->point[series->from];
	size_t count = series->to - series->from;

	if (points->relative && points->column[point->series % points->columns].held)
		return "steps linewidth 1.5";
	if (count > LINE)
		return "points pointsize 0.8";
	for (size_t i = 1; i < count; i++)
		if (dec_compare(point[i - 1].x, point[i].x) == 0)
			return "points pointsize 0.8";
	return "linespoints linewidth 2 pointsize 0.7";
}

struct range {
	struct dec least;
	struct dec most_x;
	struct dec least_y;
	struct dec most_y;
};

static bool find_range(const struct points *points, struct range *range)
{
	*range = (struct range){points->point[0].x, points->point[0].x, {0}, {0}};
	for (size_t i = 0; i < points->count; i++) {
		const struct points_point *point = &points->point[i];

		if (dec_compare(point->x, range->least) < 0)
			range->least = point->x;
		if (dec_compare(point->x, range->most_x) > 0)
			range->most_x = point->x;
		if (dec_compare(point->y, range->most_y) > 0)
			range->most_y = point->y;
		if (dec_compare(point->y, range->least_y) < 0)
			range->least_y = point->y;
	}
	if (!points->relative)
		range->least = (struct dec){0};
	return dec_subtract(&range->most_x, range->least);
}

static void put_data(const struct points *points, const struct series *series, struct dec least,
                     const struct script_axis *x, const struct script_axis *y, struct buf *script)
{
	for (size_t i = series->from; i < series->to; i++) {
		struct dec place = points->point[i].x;

		dec_subtract(&place, least);
		script_value(script, place, x);
		buf_char(script, ' ');
		script_value(script, points->point[i].y, y);
		buf_char(script, '\n');
	}
}

/* The group and, if there are several, the column. */
static struct str name_of(const struct points *points, size_t series, struct buf *text)
{
	struct str group = strmap_key(&points->groups, series / points->columns);
	bool grouped = points->groups.count > 1 || group.n;

	text->len = 0;
	if (grouped)
		buf_str(text, group.n ? group : points->no_group);
	if (points->columns > 1) {
		buf_text(text, grouped ? ": " : "");
		buf_str(text, points->column[series % points->columns].title);
	}
	return buf_view(text);
}

/* The columns of a group have its colour, and other marks. */
static const char *colour_of_series(const struct points *points, const char *const *colours,
                                    size_t series)
{
	struct str group = strmap_key(&points->groups, series / points->columns);

	return points->groups.count == 1 && group.n == 0 ? colour_by_number(series)
	                                                 : colours[series / points->columns];
}

static void put_axes(const struct points *points, const struct range *range,
                     const struct script_axis *x, const struct script_axis *y, struct buf *script)
{
	struct buf title = {0};

	buf_text(script, "set border 3\nset grid ytics\n");
	if (points->log)
		buf_text(script, "set logscale y\nset format y '%g'\n");
	else if (range->least_y.nano == 0)
		buf_text(script, "set yrange [0:*]\n");
	buf_str(&title, points->x_title);
	if (points->relative) {
		buf_text(&title, " since ");
		dec_print(&title, range->least);
	}
	script_axis_label(script, 'x', buf_view(&title), x);
	script_axis_label(script, 'y', points->columns == 1 ? points->column[0].title : STR(""), y);
	buf_free(&title);
}

static void put_script(const struct points *points, struct script_frame frame,
                       const struct range *range, const struct series *series, size_t count,
                       struct buf *script)
{
	static const int marks[] = {7, 5, 9, 11, 13, 6, 4, 8};
	struct script_axis x = script_axis(points->x_unit, range->most_x);
	struct script_axis y = script_axis(points->y_unit, range->most_y);
	struct legend_entry *entry = mem_alloc(count, sizeof *entry);
	struct buf *names = mem_zero(count, sizeof *names);
	const char **colours = colours_of(&points->groups);
	struct legend legend = {0};

	for (size_t i = 0; i < count; i++) {
		size_t number = points->point[series[i].from].series;

		entry[i].name = name_of(points, number, &names[i]);
		entry[i].colour = colour_of_series(points, colours, number);
	}
	frame.width = 1000;
	frame.height = 480;
	if (count > 1) {
		legend = legend_fit(entry, count, 1, LEGEND_ROWS);
		frame.right = legend.cell + 16;
	}
	script_begin(script, &frame);
	put_axes(points, range, &x, &y, script);
	legend_put(&legend, &frame, frame.width - frame.right + 16, script_top(&frame), script);
	for (size_t i = 0; i < count; i++) {
		buf_format(script, "$d%zu << END\n", i);
		put_data(points, &series[i], range->least, &x, &y, script);
		buf_text(script, "END\n");
	}
	for (size_t i = 0; i < count; i++) {
		size_t column = points->point[series[i].from].series % points->columns;

		buf_format(script, "%s$d%zu with %s", i ? ", " : "plot ", i, style_of(points, &series[i]));
		buf_format(script, " pointtype %d dashtype %zu linecolor rgb %s", marks[column % 8],
		           points->groups.count > 1 ? column % 5 + 1 : 1, entry[i].colour);
		buf_free(&names[i]);
	}
	buf_char(script, '\n');
	legend_free(&legend);
	free(colours);
	free(names);
	free(entry);
}

bool points_script(struct points *points, struct script_frame frame, struct buf *script)
{
	struct range range;
	struct series *series;
	size_t count;

	if (!find_range(points, &range))
		return false;
	qsort(points->point, points->count, sizeof *points->point, compare_points);
	series = find_series(points, &count);
	put_script(points, frame, &range, series, count, script);
	free(series);
	return true;
}

void points_free(struct points *points)
{
	strmap_free(&points->groups);
	free(points->point);
}
