#include "hist.h"

#include "base/mem.h"

#include "colours.h"
#include "legend.h"

#include <stdlib.h>

#define MOST ((__int128)(((unsigned __int128)-1) >> 1))

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

/* The bins: bin i contains the values from edge[i] to below edge[i + 1]. */
struct bins {
	size_t count;
	struct dec *edge;
	struct dec *sum; /* sum of each bin for each shown group, one group after the other */
};

static __int128 floor_of(__int128 a, __int128 b)
{
	return a / b - (a % b < 0);
}

/* Whether values are in at most LINEAR bins of this width. */
static bool are_few(struct dec least, struct dec most, __int128 width)
{
	__int128 bins;

	return !__builtin_sub_overflow(floor_of(most.nano, width), floor_of(least.nano, width),
	                               &bins) &&
	       bins < LINEAR;
}

/* The least width of 1, 2 or 5 times a power of ten that gives at most LINEAR bins. */
static __int128 round_width(struct dec least, struct dec most)
{
	static const int steps[] = {1, 2, 5};

	for (__int128 power = 1;; power *= 10)
		for (size_t i = 0; i < 3; i++)
			if (are_few(least, most, steps[i] * power))
				return steps[i] * power;
}

static void linear_bins(struct bins *bins, struct dec least, struct dec most)
{
	__int128 width = round_width(least, most);
	__int128 first = floor_of(least.nano, width);

	bins->count = (size_t)(floor_of(most.nano, width) - first + 1);
	bins->edge = mem_alloc(bins->count + 1, sizeof *bins->edge);
	for (size_t i = 0; i <= bins->count; i++)
		if (__builtin_mul_overflow(first + (__int128)i, width, &bins->edge[i].nano))
			bins->edge[i].nano = first + (__int128)i < 0 ? -MOST : MOST;
}

/* The largest power of ten of which all values are multiples. */
static __int128 resolution_of(const struct hist *hist)
{
	__int128 power = 1;

	while (power < MOST / 10 && hist->value[0].value.nano % (power * 10) == 0)
		power *= 10;
	for (size_t i = 1; i < hist->count; i++)
		while (hist->value[i].value.nano % power)
			power /= 10;
	return power;
}

/* The first multiple of the resolution in this bin of all bins from 10^-9 on; MOST at most. */
static struct dec edge_of(unsigned bin, __int128 resolution)
{
	/* Powers of 10^(1/8), times 10^9. */
	static const int64_t part[PER_DECADE] = {1000000000, 1333521432, 1778279410, 2371373706,
	                                         3162277660, 4216965034, 5623413252, 7498942093};
	__int128 edge = part[bin % PER_DECADE];
	unsigned decade = bin / PER_DECADE;

	for (; decade > 9; decade--)
		if (__builtin_mul_overflow(edge, 10, &edge))
			return (struct dec){MOST};
	for (; decade < 9; decade++)
		edge = (edge + 9) / 10;
	if (edge > MOST - resolution)
		return (struct dec){MOST};
	return (struct dec){(edge + resolution - 1) / resolution * resolution};
}

/* Bins without a multiple of the resolution do not exist: whole numbers have none from 1.3 to 1.8.
 */
static void log_bins(struct bins *bins, struct dec least, struct dec most, __int128 resolution)
{
	unsigned bin = 0;
	size_t cap = 0;

	while (dec_compare(edge_of(bin + 1, resolution), least) <= 0 &&
	       edge_of(bin + 1, resolution).nano < MOST)
		bin++;
	do {
		struct dec edge = edge_of(bin++, resolution);

		if (bins->edge && dec_compare(edge, bins->edge[bins->count]) == 0)
			continue;
		bins->count += bins->edge != NULL;
		bins->edge = mem_grow(bins->edge, &cap, bins->count + 1, sizeof *bins->edge);
		bins->edge[bins->count] = edge;
	} while (bins->count == 0 || (dec_compare(bins->edge[bins->count], most) <= 0 &&
	                              bins->edge[bins->count].nano < MOST));
}

static struct bins bins_of(const struct hist *hist)
{
	struct dec least = hist->value[0].value;
	struct dec most = least;
	struct bins bins = {0};

	for (size_t i = 1; i < hist->count; i++) {
		if (dec_compare(hist->value[i].value, least) < 0)
			least = hist->value[i].value;
		if (dec_compare(hist->value[i].value, most) > 0)
			most = hist->value[i].value;
	}
	if (hist->log)
		log_bins(&bins, least, most, resolution_of(hist));
	else
		linear_bins(&bins, least, most);
	return bins;
}

static size_t bin_of(const struct bins *bins, struct dec value)
{
	size_t from = 0;
	size_t to = bins->count;

	while (to - from > 1) {
		size_t middle = from + (to - from) / 2;

		if (dec_compare(bins->edge[middle], value) <= 0)
			from = middle;
		else
			to = middle;
	}
	return from;
}

/* Groups by their sums, the largest first. */
struct ranked {
	struct dec sum;
	struct dec negative; /* the negative part of sum, as by dec_sum */
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
		struct ranked *to = &(*ranked)[hist->value[i].group];

		if (!dec_sum(&to->sum, &to->negative, hist->value[i].weight, (struct dec){0})) {
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

/* The stacks of a bin: sums above 0 are piled up, sums below 0 down. */
struct stack {
	struct dec up;
	struct dec down;
};

/* Whether the group has a box. */
static bool put_group(const struct bins *bins, size_t group, struct stack *stack,
                      const struct script_axis *x, const struct script_axis *y, struct buf *script)
{
	bool any = false;

	buf_format(script, "$d%zu << END\n", group);
	for (size_t i = 0; i < bins->count; i++) {
		struct dec sum = bins->sum[group * bins->count + i];
		struct dec *end = sum.nano > 0 ? &stack[i].up : &stack[i].down;

		if (sum.nano == 0)
			continue;
		any = true;
		script_value(script, bins->edge[i], x);
		buf_char(script, ' ');
		script_value(script, bins->edge[i + 1], x);
		buf_char(script, ' ');
		script_value(script, *end, y);
		buf_char(script, ' ');
		dec_add(end, sum);
		script_value(script, *end, y);
		buf_char(script, '\n');
	}
	buf_text(script, "END\n");
	return any;
}

/* The ends of the highest and the lowest stack. */
static struct stack highest(const struct bins *bins)
{
	struct stack ends = {0};

	for (size_t i = 0; i < bins->count; i++) {
		struct stack stack = {0};

		for (size_t group = 0; group <= SHOWN; group++) {
			struct dec sum = bins->sum[group * bins->count + i];

			dec_add(sum.nano > 0 ? &stack.up : &stack.down, sum);
		}
		if (dec_compare(stack.up, ends.up) > 0)
			ends.up = stack.up;
		if (dec_compare(stack.down, ends.down) < 0)
			ends.down = stack.down;
	}
	return ends;
}

/* The groups that have a box, for the legend; their number. */
static size_t put_groups(const struct hist *hist, const struct bins *bins,
                         const struct ranked *ranked, const struct script_axis *x,
                         const struct script_axis *y, struct legend_entry *entry,
                         struct buf *others, struct buf *data, struct buf *plot)
{
	size_t groups = hist->groups.count < SHOWN ? hist->groups.count : SHOWN + 1;
	struct stack *stack = mem_zero(bins->count, sizeof *stack);
	size_t shown = 0;
	struct strmap names = {0};
	const char **colours;

	for (size_t i = 0; i < groups && i < SHOWN; i++)
		strmap_add(&names, strmap_key(&hist->groups, ranked[i].group), NULL);
	colours = colours_of(&names);
	buf_format(others, "(%zu others)", hist->groups.count - (groups > SHOWN ? SHOWN : 0));
	for (size_t i = 0; i < groups; i++) {
		struct str name = i < SHOWN ? strmap_key(&hist->groups, ranked[i].group) : buf_view(others);

		if (!put_group(bins, i, stack, x, y, data))
			continue;
		entry[shown].name = name.n ? name : hist->no_group;
		entry[shown].colour = i == SHOWN                               ? colour_of_rest()
		                      : hist->groups.count == 1 && name.n == 0 ? colour_by_number(0)
		                                                               : colours[i];
		buf_format(plot, "%s$d%zu using 1:3:1:2:3:4 with boxxyerror linecolor rgb %s",
		           shown ? ", " : "plot ", i, entry[shown].colour);
		shown++;
	}
	free(stack);
	free(colours);
	strmap_free(&names);
	return shown;
}

/* Below three decades, powers of ten alone would be few tics: 1, 2, 5, 10, 20, or else both ends.
 */
static void put_log_tics(const struct bins *bins, const struct script_axis *x, struct buf *script)
{
	struct dec least = bins->edge[0];
	struct dec most = bins->edge[bins->count];
	const char *between = "set xtics (";

	if (most.nano / 1000 >= least.nano)
		return;
	for (__int128 power = 1; power <= most.nano; power *= 10) {
		for (int i = 0; i < 3; i++) {
			struct dec tic = {power * (i == 0 ? 1 : i == 1 ? 2 : 5)};

			if (dec_compare(tic, least) < 0 || dec_compare(tic, most) > 0)
				continue;
			buf_text(script, between);
			script_value(script, tic, x);
			between = ", ";
		}
		if (power > MOST / 50)
			break;
	}
	if (*between == ',') {
		buf_text(script, ")\n");
		return;
	}
	buf_text(script, between);
	script_value(script, least, x);
	buf_text(script, ", ");
	script_value(script, most, x);
	buf_text(script, ")\n");
}

static void put_axes(const struct hist *hist, const struct bins *bins, struct stack ends,
                     const struct script_axis *x, const struct script_axis *y, struct buf *script)
{
	struct buf title = {0};

	buf_format(script, "set border 3\nset grid ytics\nset yrange [%s:%s]\nset xrange [",
	           ends.down.nano < 0 ? "*" : "0",
	           ends.up.nano > 0     ? "*"
	           : ends.down.nano < 0 ? "0"
	                                : "1");
	script_value(script, bins->edge[0], x);
	buf_char(script, ':');
	script_value(script, bins->edge[bins->count], x);
	buf_text(script, "]\n");
	if (hist->log) {
		buf_text(script, "set logscale x\nset format x '%g'\n");
		put_log_tics(bins, x, script);
	}
	script_axis_label(script, 'x', hist->title, x);
	if (hist->weight_title.n) {
		buf_text(&title, "sum of ");
		buf_str(&title, hist->weight_title);
	} else {
		buf_text(&title, "rows");
	}
	script_axis_label(script, 'y', buf_view(&title), y);
	buf_free(&title);
}

static void put_script(const struct hist *hist, struct script_frame frame, const struct bins *bins,
                       const struct ranked *ranked, struct buf *script)
{
	struct stack ends = highest(bins);
	struct dec largest = {ends.up.nano > -ends.down.nano ? ends.up.nano : -ends.down.nano};
	struct script_axis x = hist->log ? (struct script_axis){hist->unit, dec_of(1)}
	                                 : script_axis(hist->unit, bins->edge[bins->count]);
	struct script_axis y = script_axis(hist->weight_title.n ? hist->weight_unit : "", largest);
	struct legend_entry entry[SHOWN + 1];
	struct legend legend = {0};
	struct buf others = {0};
	struct buf data = {0};
	struct buf plot = {0};
	size_t shown = put_groups(hist, bins, ranked, &x, &y, entry, &others, &data, &plot);

	frame.width = 1000;
	frame.height = 480;
	if (hist->groups.count > 1) {
		legend = legend_fit(entry, shown, 1, SHOWN + 1);
		frame.right = legend.cell + 16;
	}
	script_begin(script, &frame);
	put_axes(hist, bins, ends, &x, &y, script);
	legend_put(&legend, &frame, frame.width - frame.right + 16, script_top(&frame), script);
	buf_str(script, buf_view(&data));
	buf_text(script, shown ? "" : "plot 0 linecolor rgb '#888888'"); /* all sums are 0 */
	buf_str(script, buf_view(&plot));
	buf_char(script, '\n');
	legend_free(&legend);
	buf_free(&others);
	buf_free(&data);
	buf_free(&plot);
}

bool hist_script(const struct hist *hist, struct script_frame frame, struct buf *script)
{
	struct ranked *ranked;
	size_t *place = places(hist, &ranked);
	struct bins bins = bins_of(hist);
	bool good = place && fill(hist, &bins, place);

	if (good)
		put_script(hist, frame, &bins, ranked, script);
	free(bins.edge);
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
