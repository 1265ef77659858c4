/*
 * kplot - makes a picture of rows, by gnuplot.
 *
 *	#name	count	total	share
 *	gemm	2	30	75
 *	norm	5	10	25
 * gives, with bars, a picture with a bar for each row; with --script its beginning is
 *	set encoding utf8
 *
 * Memory grows with the rows that are shown.
 */
#include <stddef.h>
#include <stdlib.h>

#include "answer/damage.h"
#include "base/mem.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "stream/times.h"
#include "stream/window.h"

#include "bars.h"
#include "flame.h"
#include "gnuplot.h"
#include "hist.h"
#include "lanelabel.h"
#include "lanes.h"
#include "points.h"

/* Why a row is dropped. */
enum reason { NO_NUMBER, METADATA, OUTSIDE, REASONS };

static const char *const reasons[REASONS] = {"without a number that the picture needs",
                                             "of metadata", "outside the window of -t"};
BALANCE_FITS(reasons);

/* A column of the input. */
struct column {
	struct str name;
	int at;
};

struct state;

/* A kind of picture: the first operand. */
struct kind {
	const char *word;
	const char *no_x; /* why it has no -x; NULL if it has one */
	size_t most_y;    /* columns of -y */
	bool log;         /* --log is for it */
	bool window;      /* -t is for it */
	size_t shown;     /* where the number of its rows is, a size_t: offsetof(struct state, …) */
	/* Finds the columns of a layout; records an error if one is missing. */
	void (*columns)(struct state *st);
	/* Adds a row; REASONS, or the reason why it is not shown. */
	enum reason (*row)(struct state *st);
	/* Called after the last row; NULL: there is nothing to do. */
	void (*settle)(struct state *st);
	/* Appends the default title, without the source. */
	void (*title)(const struct state *st, struct buf *title);
	/* Appends the script; false if a sum or a distance is too large, which is this error. */
	bool (*script)(struct state *st, struct script_frame frame, struct buf *script);
	const char *too_large;
	/* Warns of what the script does not show. NULL: it shows all. */
	void (*warn)(const struct state *st);
	void (*free)(struct state *st);
};

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	const struct kind *kind;
	const char *path; /* -o */
	const char *title;
	bool log;
	bool stack;
	bool script;
	struct window window; /* -t */
	struct words x;       /* -x: one or none */
	struct words y;       /* -y */
	struct words key;     /* -k: one or none */
	/* The input. */
	struct column x_column;
	struct column *y_columns;
	size_t y_count;
	struct column key_column; /* at: KEV_NONE if rows have no groups */
	int dur;
	int ph;
	int name;
	int idle;
	bool of_other;
	struct buf source; /* name of the first ##source */
	uint64_t sources;
	struct lanelabel_tracks tracks;
	struct buf damages;
	struct buf no_group; /* what a legend shows for an empty field of the groups */
	union {              /* the picture of the kind */
		struct bars bars;
		struct flame flame;
		struct hist hist;
		struct lanes lanes;
		struct points points;
	};
	struct buf text;
	struct buf name_text;
	struct buf scratch;
};

enum { LOG = OPT_LONG, STACK, TITLE, SCRIPT };

static const struct opt opts[] = {
	{'x', "x", "COL", "the column of the horizontal axis"},
	{'y', "y", "COL,...", "the columns of the values; of a timeline, those that make a lane"},
	{'k', "key", "COL", "the column of the names of bars, of stacks, or of groups"},
	{'t', "time", "FROM,TO", "timeline: only this window; +10ms: from the start"},
	{'o', "output", "FILE", "write the picture to FILE.svg, FILE.png or FILE.pdf"},
	{LOG, "log", NULL, "hist, xy: a logarithmic axis"},
	{STACK, "stack", NULL, "bars: one for each row, of the values after each other"},
	{TITLE, "title", "T", "the title (default: what is shown, and its source)"},
	{SCRIPT, "script", NULL, "write the script for gnuplot instead of running it"},
};

static const struct opt_usage usage = {
	"bars|flame|hist|timeline|xy [-x COL] [-y COL,...] [-k COL] [-t FROM,TO] [--log]\n"
	"             [--stack] [--title=T] [--script] -o FILE.svg|.png|.pdf [FILE...]",
	"Make a picture of rows, by gnuplot.", opts, sizeof opts / sizeof *opts};

/* --- columns ---------------------------------------------------------------- */

static struct str copy_of(struct str text)
{
	return (struct str){mem_string(text.s, text.n), text.n};
}

/* A column that the picture needs: the one chosen, or this. */
static void need(struct state *st, const struct words *chosen, struct str name,
                 struct column *column)
{
	if (!column->name.s)
		column->name = copy_of(chosen->count ? chosen->item[0] : name);
	kev_need(&st->in, column->name, &column->at);
}

static void need_values(struct state *st, const char *name)
{
	if (st->y_count == 0) {
		if (st->y.count == 0 && name)
			words_put(&st->y, str_of(name));
		st->y_count = st->y.count;
		st->y_columns = mem_zero(st->y_count + 1, sizeof *st->y_columns);
	}
	for (size_t i = 0; i < st->y_count; i++) {
		st->y_columns[i].name = st->y.item[i];
		kev_need(&st->in, st->y.item[i], &st->y_columns[i].at);
	}
}

/* The groups: the chosen column, or else classes, or else, for `names`, names; or none. */
static void find_key(struct state *st, bool names)
{
	struct column *key = &st->key_column;

	if (st->key.count) {
		need(st, &st->key, STR(""), key);
		return;
	}
	key->name = STR("op");
	key->at = kev_column(&st->in, key->name);
	if (key->at == KEV_NONE && names) {
		key->name = STR("name");
		key->at = kev_column(&st->in, key->name);
	}
}

static const char *unit_of(const struct state *st, struct str name)
{
	return times_unit(&st->in, name, st->of_other);
}

static struct str key_of(struct state *st)
{
	return kev_text(&st->in, st->key_column.at, &st->scratch);
}

/* What a legend shows for an empty field of the groups: "(no op)". */
static struct str no_group(struct state *st)
{
	st->no_group.len = 0;
	buf_text(&st->no_group, "(no ");
	buf_str(&st->no_group, st->key_column.name);
	buf_char(&st->no_group, ')');
	return buf_view(&st->no_group);
}

/* The unit that all values share; empty if their units differ. */
static const char *unit_of_values(const struct state *st)
{
	const char *unit = unit_of(st, st->y.item[0]);

	for (size_t i = 1; i < st->y_count; i++)
		if (strcmp(unit, unit_of(st, st->y.item[i])) != 0)
			return "";
	return unit;
}

static void put_names(const struct state *st, struct buf *title)
{
	for (size_t i = 0; i < st->y_count; i++) {
		buf_text(title, i ? ", " : "");
		buf_str(title, st->y.item[i]);
	}
}

static void warn_not_positive(uint64_t count)
{
	if (count)
		warn("--log: values of 0 or below, not shown: %llu", (unsigned long long)count);
}

/* --- bars ------------------------------------------------------------------------ */

static void bars_columns(struct state *st)
{
	need(st, &st->key, st->in.column[0], &st->key_column);
	need_values(st, "total");
}

static enum reason bars_row(struct state *st)
{
	struct dec value[BARS_VALUES];

	for (size_t i = 0; i < st->y_count; i++)
		if (!kev_number(&st->in, st->y_columns[i].at, &value[i]) ||
		    (st->stack && value[i].nano < 0))
			return NO_NUMBER;
	st->bars.values = st->y_count;
	bars_add(&st->bars, key_of(st), value);
	return REASONS;
}

static void bars_title(const struct state *st, struct buf *title)
{
	put_names(st, title);
	buf_text(title, " by ");
	buf_str(title, st->key_column.name);
}

static bool put_bars(struct state *st, struct script_frame frame, struct buf *script)
{
	for (size_t i = 0; i < st->y_count; i++)
		st->bars.title[i] = st->y.item[i];
	st->bars.unit = unit_of_values(st);
	st->bars.classes = str_equal(st->key_column.name, STR("op"));
	st->bars.stack = st->stack;
	st->bars.shares = st->y_count == 1 && bars_are_parts(st->y.item[0]);
	return bars_script(&st->bars, frame, script);
}

static void free_bars(struct state *st)
{
	bars_free(&st->bars);
}

/* --- flame ----------------------------------------------------------------------- */

/* The stacks of the host and the own time of each call in them, or else the stacks of kernels. */
static void flame_columns(struct state *st)
{
	struct kev_reader *in = &st->in;

	if (st->key.count == 0 && kev_column(in, STR("stack")) == KEV_NONE) {
		if (kev_column(in, STR("python_stack")) == KEV_NONE) {
			kev_misuse(in, "column 'stack' is missing; kcpu --stacks adds it, and kcontext "
			               "--stacks python_stack");
			return;
		}
		words_add(&st->key, "python_stack");
	}
	need(st, &st->key, STR("stack"), &st->key_column);
	need_values(st, str_equal(st->key_column.name, STR("stack")) &&
	                        kev_column(in, STR("self")) != KEV_NONE
	                    ? "self"
	                    : "dur");
	st->name = kev_column(in, STR("name"));
	st->idle = kev_column(in, STR("kind"));
}

static enum reason flame_row(struct state *st)
{
	struct str stack = key_of(st);
	struct str name = kev_text(&st->in, st->name, &st->name_text);
	struct dec width;

	if (!kev_number(&st->in, st->y_columns[0].at, &width) || width.nano < 0)
		return NO_NUMBER;
	if (stack.n == 0 && st->idle != KEV_NONE)
		stack = flame_idle(st->in.field[st->idle]);
	flame_add(&st->flame, stack, name, width);
	return REASONS;
}

static void flame_title(const struct state *st, struct buf *title)
{
	put_names(st, title);
	buf_text(title, " by ");
	buf_str(title, st->key_column.name);
}

static bool put_flame(struct state *st, struct script_frame frame, struct buf *script)
{
	st->flame.title = st->y.item[0];
	st->flame.unit = unit_of(st, st->y.item[0]);
	return flame_script(&st->flame, frame, script);
}

static void warn_flame(const struct state *st)
{
	const struct flame *flame = &st->flame;
	struct buf sum = {0};

	if (flame->narrow) {
		dec_print(&sum, flame->narrow_total);
		warn("frames narrower than a pixel, not shown: %zu of %zu, %.*s%s%s", flame->narrow,
		     flame->frames.count, (int)sum.len, sum.data, *flame->unit ? " " : "", flame->unit);
		buf_free(&sum);
	}
	if (flame->deeper)
		warn("rows with more than %d frames, cut there: %llu", FLAME_DEEPEST,
		     (unsigned long long)flame->deeper);
}

static void free_flame(struct state *st)
{
	flame_free(&st->flame);
}

/* --- hist ------------------------------------------------------------------------ */

static void hist_columns(struct state *st)
{
	st->hist.log = st->log;
	need(st, &st->x, STR("dur"), &st->x_column);
	need_values(st, NULL);
	find_key(st, false);
}

static enum reason hist_row(struct state *st)
{
	struct dec value;
	struct dec weight = dec_of(1);

	if (!kev_number(&st->in, st->x_column.at, &value) ||
	    (st->y_count && !kev_number(&st->in, st->y_columns[0].at, &weight)))
		return NO_NUMBER;
	hist_add(&st->hist, key_of(st), value, weight);
	return REASONS;
}

static void hist_title(const struct state *st, struct buf *title)
{
	buf_text(title, st->y_count ? "sum of " : "rows");
	put_names(st, title);
	buf_text(title, " by ");
	buf_str(title, st->x_column.name);
}

static bool put_hist(struct state *st, struct script_frame frame, struct buf *script)
{
	st->hist.title = st->x_column.name;
	st->hist.unit = unit_of(st, st->x_column.name);
	st->hist.no_group = no_group(st);
	if (st->y_count) {
		st->hist.weight_title = st->y.item[0];
		st->hist.weight_unit = unit_of(st, st->y.item[0]);
	}
	return hist_script(&st->hist, frame, script);
}

static void warn_hist(const struct state *st)
{
	warn_not_positive(st->hist.not_positive);
}

static void free_hist(struct state *st)
{
	hist_free(&st->hist);
}

/* --- timeline -------------------------------------------------------------------- */

/* The lanes: pid and tid if the user chose nothing else, with file if there is one. */
static void need_lanes(struct state *st)
{
	if (st->y.count == 0) {
		if (kev_column(&st->in, STR("file")) != KEV_NONE)
			words_add(&st->y, "file");
		words_add(&st->y, "pid,tid");
	}
	need_values(st, NULL);
}

static void timeline_columns(struct state *st)
{
	need(st, &st->x, STR("ts"), &st->x_column);
	kev_need(&st->in, STR("dur"), &st->dur);
	st->name = kev_column(&st->in, STR("name"));
	need_lanes(st);
	find_key(st, true);
}

/* Whether the row reaches into the window, if that is known before the last row. */
static bool is_inside(const struct state *st, struct dec ts, struct dec dur)
{
	struct window_ends ends;

	return !window_is_given(&st->window) || window_is_relative(&st->window) ||
	       !window_ends(&st->window, &ends) || !dec_add(&dur, ts) || window_holds(&ends, ts, dur);
}

static enum reason timeline_row(struct state *st)
{
	struct dec ts;
	struct dec dur;

	if (!kev_number(&st->in, st->x_column.at, &ts))
		return NO_NUMBER;
	window_see(&st->window, ts);
	if (!kev_number(&st->in, st->dur, &dur) || dur.nano < 0)
		return NO_NUMBER;
	if (!is_inside(st, ts, dur))
		return OUTSIDE;
	st->text.len = 0;
	for (size_t i = 0; i < st->y_count; i++) {
		if (i)
			buf_char(&st->text, '\t');
		buf_str(&st->text, st->in.field[st->y_columns[i].at]);
	}
	lanes_add(&st->lanes, buf_view(&st->text), key_of(st),
	          kev_text(&st->in, st->name, &st->name_text), ts, dur);
	return REASONS;
}

/* Takes a row that was counted as shown back. */
static void drop_event(void *to, struct dec dur)
{
	struct state *st = to;

	st->text.len = 0;
	dec_print(&st->text, dur);
	st->balance.out.rows--;
	dec_subtract(&st->balance.out.time, dur);
	balance_drop(&st->balance, OUTSIDE, buf_view(&st->text));
}

static void clip_timeline(struct state *st)
{
	if (window_is_given(&st->window) && !lanes_clip(&st->lanes, &st->window, drop_event, st))
		kev_die(&st->out, st->in.file, 0, "the times are too large to add");
}

static void timeline_title(const struct state *st, struct buf *title)
{
	(void)st;
	buf_text(title, "timeline");
}

static bool put_timeline(struct state *st, struct script_frame frame, struct buf *script)
{
	size_t count = st->lanes.lanes.count;
	struct str *labels = mem_zero(count, sizeof *labels);
	bool files = str_equal(st->y.item[0], STR("file"));
	size_t folders = files ? lanelabel_folders(&st->lanes.lanes) : 0;
	bool tracks = st->y_count == 2 && str_equal(st->y.item[0], STR("pid")) &&
	              str_equal(st->y.item[1], STR("tid"));
	bool good;

	for (size_t i = 0; i < count; i++) {
		struct str lane = strmap_key(&st->lanes.lanes, i);

		labels[i] = lanelabel_make(tracks ? &st->tracks : NULL,
		                           (struct str){lane.s + folders, lane.n - folders});
	}
	st->lanes.labels = labels;
	st->lanes.no_class = no_group(st);
	st->lanes.unit = unit_of(st, st->x_column.name);
	good = lanes_script(&st->lanes, frame, script);
	for (size_t i = 0; i < count; i++)
		free((char *)labels[i].s);
	free(labels);
	return good;
}

static void warn_timeline(const struct state *st)
{
	if (st->lanes.merged)
		warn("events closer than a pixel, merged into others: %llu of %zu",
		     (unsigned long long)st->lanes.merged, st->lanes.count);
	if (st->lanes.deeper)
		warn("events nested deeper than %d, not shown: %llu", LANES_DEEPEST,
		     (unsigned long long)st->lanes.deeper);
	if (st->lanes.further)
		warn("events of lanes after the first %d, not shown: %llu", LANES_MOST,
		     (unsigned long long)st->lanes.further);
}

static void free_timeline(struct state *st)
{
	lanes_free(&st->lanes);
}

/* --- xy -------------------------------------------------------------------------- */

static void xy_columns(struct state *st)
{
	st->points.log = st->log;
	need(st, &st->x, STR("ts"), &st->x_column);
	need_values(st, "dur");
	find_key(st, false);
}

static enum reason xy_row(struct state *st)
{
	struct dec x;
	struct dec y;
	bool any = false;

	if (!kev_number(&st->in, st->x_column.at, &x))
		return NO_NUMBER;
	st->points.columns = st->y_count;
	for (size_t i = 0; i < st->y_count; i++) {
		if (!kev_number(&st->in, st->y_columns[i].at, &y))
			continue;
		points_add(&st->points, key_of(st), i, x, y);
		any = true;
	}
	return any ? REASONS : NO_NUMBER;
}

static void xy_title(const struct state *st, struct buf *title)
{
	put_names(st, title);
	buf_text(title, " over ");
	buf_str(title, st->x_column.name);
}

static bool put_xy(struct state *st, struct script_frame frame, struct buf *script)
{
	struct str x = st->x_column.name;
	struct points_column *columns = mem_zero(st->y_count, sizeof *columns);
	bool good;

	for (size_t i = 0; i < st->y_count; i++) {
		columns[i].title = st->y.item[i];
		columns[i].held = *unit_of(st, st->y.item[i]) == '\0'; /* a time is of its own row */
	}
	st->points.column = columns;
	st->points.no_group = no_group(st);
	st->points.x_title = x;
	st->points.x_unit = unit_of(st, x);
	st->points.y_unit = unit_of_values(st);
	st->points.relative = str_equal(x, STR("ts")) || str_equal(x, STR("launch_ts"));
	good = points_script(&st->points, frame, script);
	free(columns);
	return good;
}

static void warn_xy(const struct state *st)
{
	warn_not_positive(st->points.not_positive);
}

static void free_xy(struct state *st)
{
	points_free(&st->points);
}

/* --- the kinds ------------------------------------------------------------------- */

static const struct kind kinds[] = {
	{.word = "bars",
     .no_x = "bars have names, chosen by -k, and values, chosen by -y",
     .most_y = BARS_VALUES,
     .columns = bars_columns,
     .row = bars_row,
     .shown = offsetof(struct state, bars.count),
     .title = bars_title,
     .script = put_bars,
     .too_large = "the sum of the values is too large",
     .free = free_bars},
	{.word = "flame",
     .no_x = "a flame graph has stacks, chosen by -k, and widths, chosen by -y",
     .most_y = 1,
     .columns = flame_columns,
     .row = flame_row,
     .shown = offsetof(struct state, flame.count),
     .title = flame_title,
     .script = put_flame,
     .too_large = "the sum of the values is too large",
     .warn = warn_flame,
     .free = free_flame},
	{.word = "hist",
     .most_y = 1,
     .log = true,
     .columns = hist_columns,
     .row = hist_row,
     .shown = offsetof(struct state, hist.count),
     .title = hist_title,
     .script = put_hist,
     .too_large = "the sum of the values is too large",
     .warn = warn_hist,
     .free = free_hist},
	{.word = "timeline",
     .most_y = SIZE_MAX,
     .window = true,
     .columns = timeline_columns,
     .row = timeline_row,
     .settle = clip_timeline,
     .shown = offsetof(struct state, lanes.count),
     .title = timeline_title,
     .script = put_timeline,
     .too_large = "the times are too large to add",
     .warn = warn_timeline,
     .free = free_timeline},
	{.word = "xy",
     .most_y = SIZE_MAX,
     .log = true,
     .columns = xy_columns,
     .row = xy_row,
     .shown = offsetof(struct state, points.count),
     .title = xy_title,
     .script = put_xy,
     .too_large = "the values of -x are too far apart",
     .warn = warn_xy,
     .free = free_xy},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* "hist and xy": the words of the kinds, or of the kinds with --log. */
static const char *words_of_kinds(struct buf *out, bool with_log, const char *last)
{
	size_t left = 0;

	for (size_t i = 0; i < KINDS; i++)
		left += kinds[i].log || !with_log;
	for (size_t i = 0; i < KINDS; i++) {
		if (with_log && !kinds[i].log)
			continue;
		buf_text(out, kinds[i].word);
		buf_text(out, --left == 0 ? "" : left == 1 ? last : ", ");
	}
	buf_char(out, '\0');
	return out->data;
}

/* --- rows ------------------------------------------------------------------------ */

static void columns(struct state *st)
{
	struct kev_reader *in = &st->in;

	st->dur = kev_column(in, STR("dur"));
	st->ph = kev_column(in, STR("ph"));
	st->kind->columns(st);
}

static void row(struct state *st)
{
	struct str dur = st->dur == KEV_NONE ? STR("") : st->in.field[st->dur];
	enum reason reason = METADATA;

	balance_in(&st->balance, dur);
	if (!str_equal(kev_phase(&st->in, st->ph), STR("M")))
		reason = st->kind->row(st);
	if (reason == REASONS)
		balance_out(&st->balance, dur);
	else
		balance_drop(&st->balance, reason, dur);
	if (st->opts.strict && st->balance.dropped[NO_NUMBER].rows && !st->in.error[0])
		kev_error(&st->in, "a number that the picture needs is missing");
}

static void metadata(struct state *st)
{
	struct kev_reader *in = &st->in;

	if (str_equal(in->key, STR("source")) && st->sources++ == 0)
		tsv_unescape(&st->source, in->value);
	/* The axis is that of all files. */
	if (str_equal(in->key, STR("of")) && !str_equal(in->value, STR("dur")))
		st->of_other = true;
	if (str_equal(in->key, STR("process")))
		lanelabel_name(&st->tracks, in->value, 1);
	if (str_equal(in->key, STR("thread")))
		lanelabel_name(&st->tracks, in->value, 2);
	if (str_equal(in->key, STR("damaged")))
		damage_note(&st->damages, NULL, in);
	kev_note_damage(&st->out, in);
}

/* --- the picture ---------------------------------------------------------------- */

/* "total by name - T.json.gz" */
static void put_title(struct state *st, struct buf *title)
{
	if (st->title) {
		buf_text(title, st->title);
		return;
	}
	st->kind->title(st, title);
	if (st->sources == 1) {
		size_t from = st->source.len;

		while (from && st->source.data[from - 1] != '/')
			from--;
		buf_text(title, " - ");
		buf_bytes(title, st->source.data + from, st->source.len - from);
	} else if (st->sources) {
		buf_format(title, " - %llu files", (unsigned long long)st->sources);
	}
}

/* What the picture does not show as it is. */
static void warn_of_rows(const struct state *st)
{
	if (st->balance.dropped[NO_NUMBER].rows)
		warn("rows without a number that the picture needs, not shown: %llu",
		     (unsigned long long)st->balance.dropped[NO_NUMBER].rows);
	if (st->kind->warn)
		st->kind->warn(st);
}

static void write_picture(const struct state *st, struct str script, struct str title)
{
	struct buf error = {0};

	if (!gnuplot_write(st->path, script, title, &error))
		die("%.*s", (int)error.len, error.data);
}

static void finish(struct state *st)
{
	struct buf title = {0};
	struct buf script = {0};
	struct buf damage = {0};
	size_t shown;
	struct script_frame frame = {.picture = st->path ? script_picture(st->path) : PICTURE_SVG};

	st->balance.unit = st->in.units_differ ? NULL : kev_unit(&st->in);
	if (st->kind->settle)
		st->kind->settle(st);
	memcpy(&shown, (const char *)st + st->kind->shown, sizeof shown);
	if (shown == 0) {
		warn_of_rows(st);
		warn("there are no rows to show, so there is no picture");
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
		balance_print(&st->balance);
		return;
	}
	put_title(st, &title);
	if (st->damages.len)
		frame.misused = damage_first(&st->damages, &damage);
	frame.title = buf_view(&title);
	frame.damage = buf_view(&damage);
	if (!st->kind->script(st, frame, &script))
		kev_die(&st->out, st->in.file, 0, "%s", st->kind->too_large);
	warn_of_rows(st);
	if (st->script)
		output_str(&st->out.out, buf_view(&script));
	else
		write_picture(st, buf_view(&script), frame.title);
	balance_print(&st->balance);
	buf_free(&title);
	buf_free(&script);
	buf_free(&damage);
}

/* --- options ---------------------------------------------------------------------- */

static void check_options(struct state *st)
{
	const char *word = st->opts.operands[0];
	struct buf list = {0};

	for (size_t i = 0; i < KINDS; i++)
		if (strcmp(word, kinds[i].word) == 0)
			st->kind = &kinds[i];
	if (!st->kind)
		opts_fail("the first word is %s, not '%s'", words_of_kinds(&list, false, " or "), word);
	if (st->path && script_picture(st->path) == PICTURES)
		opts_fail("-o: '%s' does not end in .svg, .png or .pdf", st->path);
	if (!st->path && !st->script)
		opts_fail("-o FILE.svg, FILE.png or FILE.pdf is needed");
	if (st->x.count > 1 || st->key.count > 1)
		opts_fail("%s: one column is needed", st->x.count > 1 ? "-x" : "-k");
	if (st->kind->no_x && st->x.count)
		opts_fail("-x: %s", st->kind->no_x);
	if (st->kind->most_y == 1 && st->y.count > 1)
		opts_fail("-y: one column is needed");
	if (st->y.count > st->kind->most_y)
		opts_fail("-y: at most %zu columns", st->kind->most_y);
	if (st->log && !st->kind->log)
		opts_fail("--log is for %s", words_of_kinds(&list, true, " and "));
	if (st->stack && strcmp(word, "bars") != 0)
		opts_fail("--stack is for bars");
	if (window_is_given(&st->window) && !st->kind->window)
		opts_fail("-t is for timeline; give the others the rows of kselect -t");
	opts_distinct("-y", &st->y);
}

int main(int argc, char **argv)
{
	static char dash[] = "-";
	static char *standard_input[] = {dash};
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	enum kev_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'x':
			opts_words(&st.opts, &st.x);
			break;
		case 'y':
			opts_words(&st.opts, &st.y);
			break;
		case 'k':
			opts_words(&st.opts, &st.key);
			break;
		case 't':
			if (!window_read(&st.window, str_of(st.opts.arg)))
				opts_fail(WINDOW_USAGE, st.opts.arg);
			break;
		case 'o':
			st.path = st.opts.arg;
			break;
		case LOG:
			st.log = true;
			break;
		case STACK:
			st.stack = true;
			break;
		case TITLE:
			st.title = st.opts.arg;
			break;
		case SCRIPT:
			st.script = true;
			break;
		}
	}
	check_options(&st);
	st.balance.on = st.opts.verbose;
	st.opts.no_head = true; /* a script has no ## lines */
	st.opts.operands++;
	if (--st.opts.operands_count == 0) {
		st.opts.operands = standard_input;
		st.opts.operands_count = 1;
	}

	kev_open(&st.in, &st.opts);
	st.in.one_unit = true;
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			metadata(&st);
		else if (item == KEV_COLUMNS)
			columns(&st);
		else
			row(&st);
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	st.kind->free(&st);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
