#include "bars.h"

#include "answer/shorten.h"
#include "base/mem.h"
#include "base/plaintext.h"

#include "colours.h"

#include <stdlib.h>

enum { NAME_WIDTH = 56 };

bool bars_are_parts(struct str name)
{
	static const char *const figures[] = {"mean", "min",   "max",    "std", "share", "cumulative",
	                                      "gap",  "ratio", "median", "low", "high"};
	struct str figure = name;

	if (str_ends(name, STR("1")) || str_ends(name, STR("2")))
		figure.n--;
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		if (str_equal(figure, str_of(figures[i])))
			return false;
	return !str_ends(name, STR("_ratio")) &&
	       !(name.n > 1 && name.s[0] == 'p' && name.s[1] >= '0' && name.s[1] <= '9');
}

void bars_add(struct bars *bars, struct str name, const struct dec *value)
{
	size_t values = bars->values;

	bars->ends = mem_grow(bars->ends, &bars->ends_cap, bars->count + 1, sizeof *bars->ends);
	bars->value =
		mem_grow(bars->value, &bars->value_cap, values * (bars->count + 1), sizeof *bars->value);
	buf_str(&bars->names, name);
	bars->ends[bars->count] = bars->names.len;
	for (size_t i = 0; i < values; i++)
		bars->value[bars->count * values + i] = value[i];
	bars->count++;
}

static struct str name_of(const struct bars *bars, size_t row)
{
	size_t begin = row ? bars->ends[row - 1] : 0;

	return (struct str){bars->names.data + begin, bars->ends[row] - begin};
}

/* The bars that are shown: the first rows, and one for all others. */
struct shown {
	size_t count; /* rows, the one for others included */
	bool others;
	struct dec *value;
	struct dec *end; /* the ends of the rows: the sum of the values if they are stacked */
	struct dec total[BARS_VALUES];
	struct dec negative[BARS_VALUES]; /* the negative parts of total, as by dec_sum */
	struct dec least;
	struct dec most;
};

static bool sum_up(const struct bars *bars, struct shown *shown)
{
	size_t values = bars->values;

	shown->others = bars->count > BARS_MOST;
	shown->count = shown->others ? BARS_MOST : bars->count;
	shown->value = mem_zero(shown->count * values, sizeof *shown->value);
	for (size_t i = 0; i < bars->count * values; i++) {
		size_t row = i / values < shown->count ? i / values : shown->count - 1;
		size_t at = i % values;

		if (!dec_sum(&shown->total[at], &shown->negative[at], bars->value[i], (struct dec){0}))
			return false;
		dec_add(&shown->value[row * values + at], bars->value[i]); /* fits, as a part of total */
	}
	shown->end = mem_zero(shown->count, sizeof *shown->end);
	for (size_t i = 0; i < shown->count * values; i++) {
		struct dec *end = &shown->end[i / values];

		if (bars->stack && !dec_add(end, shown->value[i]))
			return false;
		if (!bars->stack)
			*end = shown->value[i];
		if (dec_compare(*end, shown->most) > 0)
			shown->most = *end;
		if (dec_compare(*end, shown->least) < 0)
			shown->least = *end;
	}
	return true;
}

static void free_shown(struct shown *shown)
{
	free(shown->value);
	free(shown->end);
}

static void put_names(const struct bars *bars, const struct shown *shown, struct buf *script)
{
	struct shorten names = {0};
	struct buf *plain = mem_zero(shown->count, sizeof *plain);

	for (size_t i = 0; i < shown->count; i++) {
		if (shown->others && i + 1 == shown->count)
			buf_format(&plain[i], "(%zu others)", bars->count - i);
		else
			plaintext_put(&plain[i], name_of(bars, i));
		shorten_add(&names, buf_view(&plain[i]));
	}
	shorten_fit(&names, NAME_WIDTH);
	buf_text(script, "set ytics scale 0 (");
	for (size_t i = 0; i < shown->count; i++) {
		buf_text(script, i ? ", " : "");
		script_tic(script, shorten_get(&names, buf_view(&plain[i])), NAME_WIDTH);
		buf_format(script, " %zu", i);
		buf_free(&plain[i]);
	}
	buf_text(script, ")\n");
	free(plain);
	shorten_free(&names);
}

/* The value and its share, at the end of a bar. */
static void put_label(struct buf *script, struct dec value, struct dec total, double place,
                      int places, const struct script_axis *axis)
{
	struct buf text = {0};
	struct dec zero = {0};

	dec_quotient_fixed(&text, value, axis->divisor, 0, places);
	if (total.nano > 0) {
		buf_text(&text, "   ");
		dec_quotient_fixed(&text, value, total, 2, 1);
		buf_text(&text, " %");
	}
	buf_text(script, "set label ");
	script_label(script, buf_view(&text), 80);
	buf_text(script, " at ");
	script_value(script, dec_compare(value, zero) > 0 ? value : zero, axis);
	buf_format(script, ",%g left offset 0.6,0 textcolor rgb '#333333'\n", place);
	buf_free(&text);
}

/*
 * Places after the point that give the largest value four significant digits, and this one two; six
 * at most.
 */
static int places_of(struct dec most, struct dec value, const struct script_axis *axis)
{
	__int128 ten = 10 * axis->divisor.nano;
	__int128 scaled = value.nano < 0 ? -value.nano : value.nano;
	int places = 3;

	for (__int128 limit = ten; places && most.nano >= limit; limit *= 10)
		places--;
	for (int i = 0; i < places && scaled < ten; i++)
		scaled *= 10;
	for (; scaled && scaled < ten && places < 6; scaled *= 10)
		places++;
	return places;
}

/* Bars beside a name. */
static size_t bars_of_row(const struct bars *bars)
{
	return bars->stack ? 1 : bars->values;
}

/* The lower edge of a bar of a row. */
static double edge(const struct bars *bars, size_t row, size_t bar)
{
	return (double)row - 0.38 + 0.76 * (double)bar / (double)bars_of_row(bars);
}

/* The colours of the classes of the rows, as numbers that gnuplot reads. The caller frees them. */
static unsigned long *colours_of_rows(const struct bars *bars, const struct shown *shown)
{
	unsigned long *colour = mem_alloc(shown->count + 1, sizeof *colour);
	struct strmap names = {0};
	const char **colours;

	for (size_t row = 0; row < shown->count; row++)
		strmap_add(&names, name_of(bars, row), NULL);
	colours = colours_of(&names);
	for (size_t row = 0; row < shown->count; row++) {
		bool others = shown->others && row + 1 == shown->count;
		size_t name = strmap_find(&names, name_of(bars, row));

		colour[row] = strtoul((others ? colour_of_rest() : colours[name]) + 2, NULL, 16);
	}
	free(colours);
	strmap_free(&names);
	return colour;
}

/* The colours of the columns: those of their names if they are stacked. The caller frees them. */
static const char **colours_of_columns(const struct bars *bars)
{
	struct strmap names = {0};
	const char **colours;

	for (size_t i = 0; i < bars->values; i++)
		strmap_add(&names, bars->title[i], NULL);
	colours = colours_of(&names);
	for (size_t i = 0; i < bars->values && !bars->stack; i++)
		colours[i] = colour_by_number(i);
	strmap_free(&names);
	return colours;
}

/* The box of a value; stacked, it begins at the end of the values before it. */
static void put_box(const struct bars *bars, const struct shown *shown, size_t row, size_t value,
                    struct buf *script, const struct script_axis *axis)
{
	const struct dec *values = &shown->value[row * bars->values];
	struct dec begin = {0};
	struct dec end = values[value];
	size_t bar = bars->stack ? 0 : value;

	for (size_t i = 0; bars->stack && i < value; i++)
		dec_add(&begin, values[i]); /* fits, as a part of shown->end */
	dec_add(&end, begin);
	script_box(script, begin, end, axis, edge(bars, row, bar), edge(bars, row, bar + 1));
}

static void put_boxes(const struct bars *bars, const struct shown *shown, struct buf *script,
                      const struct script_axis *axis)
{
	bool classes = bars->classes && bars->values == 1;
	unsigned long *colour = classes ? colours_of_rows(bars, shown) : NULL;
	const char **columns = colours_of_columns(bars);

	for (size_t i = 0; i < bars->values; i++) {
		buf_format(script, "$d%zu << END\n", i);
		for (size_t row = 0; row < shown->count; row++) {
			if (colour)
				buf_format(script, "%lu ", colour[row]);
			put_box(bars, shown, row, i, script, axis);
		}
		buf_text(script, "END\n");
	}
	buf_text(script, "plot ");
	for (size_t i = 0; i < bars->values; i++) {
		buf_format(script, "%s$d%zu using %s with boxxyerror linecolor rgb %s title ",
		           i ? ", " : "", i, classes ? "2:4:2:3:4:5:1" : "1:3:1:2:3:4",
		           classes ? "variable" : columns[i]);
		script_label(script, bars->title[i], 60);
	}
	buf_char(script, '\n');
	free(columns);
	free(colour);
}

/* The values at the ends of the bars; of stacked values, their sum. */
static void put_labels(const struct bars *bars, const struct shown *shown, struct buf *script,
                       const struct script_axis *axis)
{
	const struct dec *value = bars->stack ? shown->end : shown->value;
	size_t per_row = bars_of_row(bars);

	for (size_t i = 0; i < shown->count; i++)
		for (size_t j = 0; j < per_row; j++)
			put_label(script, value[i * per_row + j],
			          bars->shares ? shown->total[j] : (struct dec){0},
			          (edge(bars, i, j) + edge(bars, i, j + 1)) / 2,
			          places_of(shown->most, value[i * per_row + j], axis), axis);
}

bool bars_script(const struct bars *bars, struct script_frame frame, struct buf *script)
{
	struct shown shown = {0};
	struct script_axis axis;

	if (!sum_up(bars, &shown)) {
		free_shown(&shown);
		return false;
	}
	axis = script_axis(bars->unit, shown.most);
	frame.key = bars->values > 1;
	frame.width = 1000;
	frame.height = script_top(&frame) + 52 + 26 * (unsigned)(shown.count * bars_of_row(bars));
	script_begin(script, &frame);
	if (frame.key)
		buf_format(script, "set key at screen 0.98, screen %.4f right top horizontal\n",
		           1 - 14.0 / frame.height);
	script_axis_label(script, 'x', frame.key ? STR("") : bars->title[0], &axis);
	put_names(bars, &shown, script);
	buf_format(script, "set yrange [%zu.6:-0.6]\nset xrange [", shown.count - 1);
	script_value(script, shown.least, &axis);
	buf_text(script, ":1.25*");
	script_value(script, shown.most.nano > 0 ? shown.most : dec_of(1), &axis);
	buf_text(script, "]\n");
	put_labels(bars, &shown, script, &axis);
	put_boxes(bars, &shown, script, &axis);
	free_shown(&shown);
	return true;
}

void bars_free(struct bars *bars)
{
	buf_free(&bars->names);
	free(bars->ends);
	free(bars->value);
}
