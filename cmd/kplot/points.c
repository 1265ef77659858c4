#include "points.h"

#include "base/mem.h"

#include <stdlib.h>

enum { LINE = 200, KEYS = 14, COLOURS = 8 };

struct points_point {
	struct dec x;
	struct dec y;
	size_t series;
	size_t number; /* number of the row: its place among equals */
};

void points_add(struct points *points, struct str series, struct dec x, struct dec y)
{
	if (points->log && y.nano <= 0) {
		points->not_positive++;
		return;
	}
	points->point = mem_grow(points->point, &points->cap, points->count + 1, sizeof *points->point);
	points->point[points->count] =
		(struct points_point){x, y, strmap_add(&points->series, series, NULL), points->count};
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

/* A line joins the points of a series that are few and have an x of their own each. */
static bool is_line(const struct points *points, size_t from, size_t to)
{
	if (to - from > LINE || points->relative)
		return false;
	for (size_t i = from + 1; i < to; i++)
		if (dec_compare(points->point[i - 1].x, points->point[i].x) == 0)
			return false;
	return true;
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

/* Writes the data of each series; returns where the next one begins. */
static size_t put_series(const struct points *points, size_t from, struct dec least,
                         const struct script_axis *x, const struct script_axis *y,
                         struct buf *script)
{
	size_t series = points->point[from].series;
	size_t i = from;

	buf_format(script, "$d%zu << END\n", series);
	for (; i < points->count && points->point[i].series == series; i++) {
		struct dec place = points->point[i].x;

		dec_subtract(&place, least);
		script_value(script, place, x);
		buf_char(script, ' ');
		script_value(script, points->point[i].y, y);
		buf_char(script, '\n');
	}
	buf_text(script, "END\n");
	return i;
}

static void put_plot(const struct points *points, const bool *lines, struct buf *script)
{
	bool classes = points->series.count > 1;

	for (size_t i = 0; i < points->series.count; i++)
		classes &= script_class_colour(strmap_key(&points->series, i)) != NULL;
	for (size_t i = 0; i < points->series.count; i++) {
		struct str name = strmap_key(&points->series, i);

		buf_format(script, "%s$d%zu with %s pointtype 7 pointsize %s linecolor rgb ",
		           i ? ", " : "plot ", i, lines[i] ? "linespoints linewidth 2" : "points",
		           lines[i] ? "0.7" : "0.4");
		if (classes || points->series.count > COLOURS)
			script_colour_of(script, name);
		else
			buf_text(script, script_colour(i));
		buf_text(script, i < KEYS ? " title " : " notitle");
		if (i < KEYS)
			script_label(script, name.n ? name : STR("(none)"), 40);
	}
	buf_char(script, '\n');
}

bool points_script(struct points *points, struct script_frame frame, struct buf *script)
{
	struct range range;
	struct script_axis x;
	struct script_axis y;
	bool *lines;
	struct buf title = {0};

	if (!find_range(points, &range))
		return false;
	x = script_axis(points->x_unit, range.most_x);
	y = script_axis(points->y_unit, range.most_y);
	qsort(points->point, points->count, sizeof *points->point, compare_points);
	frame.width = 1000;
	frame.height = 480;
	script_begin(script, &frame);
	buf_text(script, "set border 3\nset grid ytics\n");
	buf_text(script,
	         points->series.count > 1 ? "set key outside right top Left reverse\n" : "unset key\n");
	if (points->log)
		buf_text(script, "set logscale y\nset format y '%g'\n");
	else if (range.least_y.nano == 0)
		buf_text(script, "set yrange [0:*]\n");
	buf_str(&title, points->x_title);
	if (points->relative) {
		buf_text(&title, " since ");
		dec_print(&title, range.least);
	}
	script_axis_label(script, 'x', buf_view(&title), &x);
	script_axis_label(script, 'y', points->y_title, &y);
	lines = mem_zero(points->series.count, sizeof *lines);
	for (size_t from = 0; from < points->count;) {
		size_t to = put_series(points, from, range.least, &x, &y, script);

		lines[points->point[from].series] = is_line(points, from, to);
		from = to;
	}
	put_plot(points, lines, script);
	free(lines);
	buf_free(&title);
	return true;
}

void points_free(struct points *points)
{
	strmap_free(&points->series);
	free(points->point);
}
