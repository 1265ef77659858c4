#include "hist.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	PER_DECADE = 8,
	LINEAR = 50, /* bins, at most */
	SHOWN = 5,   /* groups, and the rest */
};

struct hist_value {
	struct dec value;
	struct dec weight;
	size_t group;
};

void hist_add(struct hist *hist, struct str group, struct dec value, struct dec weight)
{
	if (hist->log && value.nano <= 0) {
		hist->not_positive++;
		return;
	}
	hist->value = mem_grow(hist->value, &hist->cap, hist->count + 1, sizeof *hist->value);
	hist->value[hist->count++] =
		(struct hist_value){value, weight, strmap_add(&hist->groups, group, NULL)};
}

/* The bins: their number, and how a value finds its own. */
struct bins {
	bool log;
	long first; /* with log: eighths of a decade, from 10^-9 */
	size_t count;
	struct dec least;
	struct dec width; /* without log */
	struct dec *sum;  /* sum of each bin for each shown group, one group after the other */
};

/* Powers of ten are exact in a double, so that these begin a bin. */
static long eighth(struct dec value)
{
	return (long)floor(PER_DECADE * log10((double)value.nano));
}

static __int128 floor_of(__int128 a, __int128 b)
{
	return a / b - (a % b < 0);
}

/* The least width of 1, 2 or 5 times a power of ten that gives at most LINEAR bins. */
static struct dec round_width(struct dec least, struct dec most)
{
	static const int steps[] = {1, 2, 5};

	for (__int128 power = 1;; power *= 10)
		for (size_t i = 0; i < 3; i++)
			if (floor_of(most.nano, steps[i] * power) - floor_of(least.nano, steps[i] * power) <
			    LINEAR)
				return (struct dec){steps[i] * power};
}

static struct bins bins_of(const struct hist *hist)
{
	struct dec least = hist->value[0].value;
	struct dec most = least;
	struct bins bins = {
		.log = hist->log,
	};

	for (size_t i = 1; i < hist->count; i++) {
		if (dec_compare(hist->value[i].value, least) < 0)
			least = hist->value[i].value;
		if (dec_compare(hist->value[i].value, most) > 0)
			most = hist->value[i].value;
	}
	bins.least = least;
	if (bins.log) {
		bins.first = eighth(least);
		bins.count = (size_t)(eighth(most) - bins.first + 1);
		return bins;
	}
	bins.width = round_width(least, most);
	bins.least.nano = floor_of(least.nano, bins.width.nano) * bins.width.nano;
	bins.count =
		(size_t)(floor_of(most.nano, bins.width.nano) - floor_of(least.nano, bins.width.nano) + 1);
	return bins;
}

static size_t bin_of(const struct bins *bins, struct dec value)
{
	__int128 at = bins->log ? eighth(value) - bins->first
	                        : (value.nano - bins->least.nano) / bins->width.nano;

	return (size_t)at;
}

/* Groups by their sums, the largest first. */
struct ranked {
	struct dec sum;
	size_t group;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left;
	const struct ranked *b = right;
	int order = dec_compare(b->sum, a->sum);

	return order ? order : (a->group > b->group) - (a->group < b->group);
}

/*
 * For each group, its place among the shown groups; SHOWN for the rest. NULL if a sum is too large.
 */
static size_t *places(const struct hist *hist, struct ranked **ranked)
{
	size_t count = hist->groups.count;
	size_t *place = mem_alloc(count, sizeof *place);

	*ranked = mem_zero(count, sizeof **ranked);
	for (size_t i = 0; i < count; i++)
		(*ranked)[i].group = i;
	for (size_t i = 0; i < hist->count; i++) {
		if (!dec_add(&(*ranked)[hist->value[i].group].sum, hist->value[i].weight)) {
			free(place);
			return NULL;
		}
	}
	qsort(*ranked, count, sizeof **ranked, compare_ranked);
	for (size_t i = 0; i < count; i++)
		place[(*ranked)[i].group] = i < SHOWN ? i : SHOWN;
	return place;
}

static bool fill(const struct hist *hist, struct bins *bins, const size_t *place)
{
	bins->sum = mem_zero(bins->count * (SHOWN + 1), sizeof *bins->sum);
	for (size_t i = 0; i < hist->count; i++) {
		const struct hist_value *value = &hist->value[i];
		size_t at = place[value->group] * bins->count + bin_of(bins, value->value);

		if (!dec_add(&bins->sum[at], value->weight))
			return false;
	}
	return true;
}

/* The edge before a bin, on the axis of values. */
static void put_edge(struct buf *script, const struct bins *bins, size_t bin,
                     const struct script_axis *axis)
{
	struct dec edge = bins->least;

	if (bins->log) {
		buf_format(script, "%.9g", pow(10, (double)(bins->first + (long)bin) / PER_DECADE - 9));
		return;
	}
	edge.nano += bins->width.nano * (__int128)bin;
	script_value(script, edge, axis);
}

static void put_group(const struct bins *bins, size_t group, struct dec *below,
                      const struct script_axis *x, const struct script_axis *y, struct buf *script)
{
	buf_format(script, "$d%zu << END\n", group);
	for (size_t i = 0; i < bins->count; i++) {
		struct dec sum = bins->sum[group * bins->count + i];

		if (sum.nano == 0)
			continue;
		put_edge(script, bins, i, x);
		buf_char(script, ' ');
		put_edge(script, bins, i + 1, x);
		buf_char(script, ' ');
		script_value(script, below[i], y);
		buf_char(script, ' ');
		dec_add(&below[i], sum);
		script_value(script, below[i], y);
		buf_char(script, '\n');
	}
	buf_text(script, "END\n");
}

static void put_plot(const struct hist *hist, const struct ranked *ranked, size_t groups,
                     const bool *empty, struct buf *script)
{
	const char *between = "plot ";
	bool classes = true;

	for (size_t i = 0; i < groups && i < SHOWN; i++)
		classes &= script_class_colour(strmap_key(&hist->groups, ranked[i].group)) != NULL;
	for (size_t i = 0; i < groups; i++) {
		const char *colour = i < SHOWN ? script_colour(i) : script_rest_colour();

		if (empty[i])
			continue;
		if (classes && i < SHOWN && groups > 1)
			colour = script_class_colour(strmap_key(&hist->groups, ranked[i].group));
		buf_format(script, "%s$d%zu using 1:3:1:2:3:4 with boxxyerror linecolor rgb %s title ",
		           between, i, colour);
		script_label(script,
		             i < SHOWN ? strmap_key(&hist->groups, ranked[i].group) : STR("(others)"), 60);
		between = ", ";
	}
	buf_char(script, '\n');
}

/* The highest stack. */
static struct dec highest(const struct bins *bins)
{
	struct dec most = {0};

	for (size_t i = 0; i < bins->count; i++) {
		struct dec sum = {0};

		for (size_t group = 0; group <= SHOWN; group++)
			dec_add(&sum, bins->sum[group * bins->count + i]);
		if (dec_compare(sum, most) > 0)
			most = sum;
	}
	return most;
}

static void put_script(const struct hist *hist, struct script_frame frame, const struct bins *bins,
                       const struct ranked *ranked, struct buf *script)
{
	size_t groups = hist->groups.count < SHOWN ? hist->groups.count : SHOWN + 1;
	struct dec *below = mem_zero(bins->count, sizeof *below);
	bool empty[SHOWN + 1];
	struct dec last = bins->least;
	struct buf title = {0};
	struct script_axis x = {hist->unit, dec_of(1)};
	struct script_axis y =
		script_axis(hist->weight_title.n ? hist->weight_unit : "", highest(bins));

	last.nano += bins->width.nano * (__int128)bins->count;
	if (!bins->log)
		x = script_axis(hist->unit, last);
	frame.width = 1000;
	frame.height = 480;
	script_begin(script, &frame);
	buf_text(script, "set border 3\nset grid ytics\nset yrange [0:*]\nset xrange [");
	put_edge(script, bins, 0, &x);
	buf_char(script, ':');
	put_edge(script, bins, bins->count, &x);
	buf_text(script, "]\n");
	buf_text(script,
	         hist->groups.count > 1 ? "set key outside right top Left reverse\n" : "unset key\n");
	buf_text(script, bins->log ? "set logscale x\nset format x '%g'\n" : "");
	script_axis_label(script, 'x', hist->title, &x);
	if (hist->weight_title.n) {
		buf_text(&title, "sum of ");
		buf_str(&title, hist->weight_title);
	} else {
		buf_text(&title, "rows");
	}
	script_axis_label(script, 'y', buf_view(&title), &y);
	buf_free(&title);
	for (size_t i = 0; i < groups; i++) {
		size_t start = script->len;
		char first[32];

		put_group(bins, i, below, &x, &y, script);
		empty[i] = script->len - start ==
		           (size_t)snprintf(first, sizeof first, "$d%zu << END\n", i) + sizeof "END\n" - 1;
	}
	put_plot(hist, ranked, groups, empty, script);
	free(below);
}

bool hist_script(const struct hist *hist, struct script_frame frame, struct buf *script)
{
	struct ranked *ranked;
	size_t *place = places(hist, &ranked);
	struct bins bins = bins_of(hist);
	bool good = place && fill(hist, &bins, place);

	if (good)
		put_script(hist, frame, &bins, ranked, script);
	free(bins.sum);
	free(place);
	free(ranked);
	return good;
}

void hist_free(struct hist *hist)
{
	strmap_free(&hist->groups);
	free(hist->value);
}
