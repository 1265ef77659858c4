#include "lanes.h"

#include "answer/shorten.h"
#include "answer/width.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "syntax/sortkey.h"
#include "syntax/tsv.h"

#include "boxname.h"
#include "colours.h"
#include "legend.h"

#include <stdlib.h>

enum {
	WIDTH = 1400,
	RIGHT = 24, /* margin, in pixels */
	LANE = 34,
	SUB_LANE = 20,
	LABEL = 40,      /* columns of the label of a lane, at most */
	COLUMN = 8,      /* pixels of a character in it, about */
	LEGEND_ROWS = 4, /* at most */
};

struct lanes_event {
	struct dec ts;
	struct dec dur;
	size_t lane;
	size_t class;
	size_t name;
	size_t number; /* number of the row: its place among equals */
};

void lanes_add(struct lanes *lanes, struct str lane, struct str class, struct str name,
               struct dec ts, struct dec dur)
{
	lanes->event = mem_grow(lanes->event, &lanes->cap, lanes->count + 1, sizeof *lanes->event);
	lanes->event[lanes->count] = (struct lanes_event){
		.ts = ts,
		.dur = dur,
		.lane = strmap_add(&lanes->lanes, lane, NULL),
		.class = strmap_add(&lanes->classes, class, NULL),
		.name = strmap_add(&lanes->names, name, NULL),
		.number = lanes->count,
	};
	lanes->count++;
}

bool lanes_clip(struct lanes *lanes, const struct window *window,
                void (*drop)(void *to, struct dec dur), void *to)
{
	size_t kept = 0;

	if (!window_ends(window, &lanes->ends))
		return false;
	for (size_t i = 0; i < lanes->count; i++) {
		struct lanes_event event = lanes->event[i];
		struct dec end = event.ts;

		if (!dec_add(&end, event.dur))
			return false;
		if (!window_holds(&lanes->ends, event.ts, end)) {
			drop(to, event.dur);
			continue;
		}
		window_clip(&lanes->ends, &event.ts, &end);
		event.dur.nano = end.nano - event.ts.nano;
		lanes->event[kept++] = event;
	}
	lanes->count = kept;
	return true;
}

/* --- the order of lanes --------------------------------------------------------- */

struct place {
	struct buf key; /* the fields of the lane, as sortkey orders them */
	size_t lane;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left;
	const struct place *b = right;
	size_t n = a->key.len < b->key.len ? a->key.len : b->key.len;
	int order = memcmp(a->key.data, b->key.data, n);

	return order ? order : (a->lane > b->lane) - (a->lane < b->lane);
}

static void put_key(struct buf *key, struct str lane)
{
	struct buf field = {0};

	while (lane.s) {
		const char *tab = memchr(lane.s, '\t', lane.n);
		size_t n = tab ? (size_t)(tab - lane.s) : lane.n;

		field.len = 0;
		tsv_unescape(&field, (struct str){lane.s, n});
		sortkey_put(key, buf_view(&field), false);
		lane = tab ? (struct str){tab + 1, lane.n - n - 1} : (struct str){0};
	}
	buf_free(&field);
}

/*
 * Numbers the lanes of the events from above: by the values of their fields. Returns the labels in
 * this order, and their number.
 */
static struct str *sort_lanes(struct lanes *lanes, size_t *count)
{
	size_t all = lanes->lanes.count;
	struct place *place = mem_zero(all, sizeof *place);
	size_t *rank = mem_alloc(all, sizeof *rank);
	struct str *labels = mem_zero(all, sizeof *labels);

	*count = 0;
	memset(rank, 0xff, all * sizeof *rank);
	for (size_t i = 0; i < lanes->count; i++) {
		size_t lane = lanes->event[i].lane;

		if (rank[lane] != SIZE_MAX)
			continue;
		rank[lane] = *count;
		place[*count].lane = lane;
		put_key(&place[(*count)++].key, strmap_key(&lanes->lanes, lane));
	}
	qsort(place, *count, sizeof *place, compare_places);
	for (size_t i = 0; i < *count; i++) {
		rank[place[i].lane] = i;
		labels[i] = lanes->labels[place[i].lane];
		buf_free(&place[i].key);
	}
	for (size_t i = 0; i < lanes->count; i++)
		lanes->event[i].lane = rank[lanes->event[i].lane];
	free(place);
	free(rank);
	return labels;
}

/* --- boxes ------------------------------------------------------------------------- */

static int compare_events(const void *left, const void *right)
{
	const struct lanes_event *a = left;
	const struct lanes_event *b = right;
	int order = (a->lane > b->lane) - (a->lane < b->lane);

	if (!order)
		order = dec_compare(a->ts, b->ts);
	if (!order)
		order = dec_compare(b->dur, a->dur);
	return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* A box that may still grow. */
struct box {
	struct dec from;
	struct dec to;
	struct dec longest; /* duration of the longest event in it */
	size_t class;       /* class of the longest event */
	size_t name;        /* name of all its events; STRMAP_NONE: they have several */
	bool open;
};

/* The state of drawing a lane. */
struct drawing {
	struct lanes *lanes;
	const struct script_frame *frame;
	size_t count;       /* lanes */
	size_t shown;       /* lanes */
	struct str *labels; /* labels of the lanes, from above */
	struct dec origin;
	struct dec pixel;
	struct buf *classes;  /* the boxes of each class, as data */
	struct dec *times;    /* the time of each class, for the key */
	const char **colours; /* the colour of each class */
	struct buf names;     /* names in boxes */
	struct script_axis axis;
	double top[LANES_MOST + 1]; /* top of each lane, in pixels */
	unsigned depth[LANES_MOST];
	struct box box[LANES_DEEPEST];
};

/* The name in a box of so many pixels, or a shorter one, if there is room. */
static void put_name(struct drawing *d, const struct box *box, __int128 pixels, double middle)
{
	struct str class = strmap_key(&d->lanes->classes, box->class);
	struct boxname name = {
		.name = box->name == STRMAP_NONE ? class : strmap_key(&d->lanes->names, box->name),
		.other = class,
		.colour = d->colours[box->class],
		.picture = d->frame->picture,
	};

	boxname_put(&d->names, &name, pixels, box->from, middle, &d->axis);
}

static void put_box(struct drawing *d, size_t lane, unsigned depth)
{
	struct box *box = &d->box[depth];
	double low = d->top[lane] + 4 + depth * (double)SUB_LANE;
	double high = low + (d->depth[lane] > 1 ? SUB_LANE - 3 : LANE - 8);
	struct dec to = box->to;

	if (!box->open)
		return;
	if (to.nano - box->from.nano < d->pixel.nano)
		to.nano = box->from.nano + d->pixel.nano;
	script_box(&d->classes[box->class], box->from, to, &d->axis, low, high);
	put_name(d, box, (to.nano - box->from.nano) / d->pixel.nano, (low + high) / 2);
	box->open = false;
}

/*
 * Whether an event goes into the open box: no pixel is between them, and they are of one class or
 * fit in a pixel.
 */
static bool merges(const struct drawing *d, const struct box *box, const struct lanes_event *event,
                   struct dec from, struct dec to)
{
	return box->open && from.nano - box->to.nano < d->pixel.nano &&
	       (box->class == event->class || to.nano - box->from.nano < d->pixel.nano);
}

static void draw(struct drawing *d, const struct lanes_event *event, unsigned depth)
{
	struct dec from = {event->ts.nano - d->origin.nano};
	struct dec to = {from.nano + event->dur.nano};
	struct box *box = &d->box[depth];

	if (merges(d, box, event, from, to)) {
		d->lanes->merged++;
		if (to.nano > box->to.nano)
			box->to = to;
		if (box->name != event->name)
			box->name = STRMAP_NONE;
		if (dec_compare(event->dur, box->longest) > 0) {
			box->longest = event->dur;
			box->class = event->class;
		}
		return;
	}
	put_box(d, event->lane, depth);
	*box = (struct box){from, to, event->dur, event->class, event->name, true};
}

/* The end of the last event of each depth in a lane. */
struct open {
	__int128 end[LANES_DEEPEST];
	unsigned count; /* depths in use so far */
	size_t lane;
};

/* The lowest depth that is free when an event begins; LANES_DEEPEST if there is none. */
static unsigned depth_of(struct open *open, const struct lanes_event *event)
{
	unsigned depth = 0;

	if (event->lane != open->lane)
		*open = (struct open){.lane = event->lane};
	while (depth < open->count && open->end[depth] > event->ts.nano)
		depth++;
	if (depth == LANES_DEEPEST)
		return LANES_DEEPEST;
	if (depth == open->count)
		open->count++;
	open->end[depth] = event->ts.nano + event->dur.nano;
	return depth;
}

/* Lays out the lanes: how deep each is. */
static void lay_out(struct drawing *d)
{
	struct lanes *lanes = d->lanes;
	struct open open = {.lane = SIZE_MAX};

	d->shown = d->count < LANES_MOST ? d->count : LANES_MOST;
	for (size_t i = 0; i < lanes->count; i++) {
		const struct lanes_event *event = &lanes->event[i];
		unsigned depth = depth_of(&open, event);

		if (event->lane < d->shown && depth < LANES_DEEPEST && depth + 1 > d->depth[event->lane])
			d->depth[event->lane] = depth + 1;
	}
	for (size_t i = 0; i < d->shown; i++)
		d->top[i + 1] = d->top[i] + (d->depth[i] > 1 ? 8 + d->depth[i] * SUB_LANE : LANE);
}

static void draw_all(struct drawing *d)
{
	struct lanes *lanes = d->lanes;
	struct open open = {.lane = SIZE_MAX};

	for (size_t i = 0; i < lanes->count; i++) {
		const struct lanes_event *event = &lanes->event[i];
		unsigned depth = depth_of(&open, event);

		if (event->lane >= d->shown)
			lanes->further++;
		else if (depth == LANES_DEEPEST)
			lanes->deeper++;
		else
			draw(d, event, depth);
		dec_add(&d->times[event->class], event->dur);
		if (i + 1 == lanes->count || lanes->event[i + 1].lane != event->lane)
			for (unsigned j = 0; j < LANES_DEEPEST && event->lane < d->shown; j++)
				put_box(d, event->lane, j);
	}
}

/* --- the script ---------------------------------------------------------------------- */

/* A class and its time, for the key. */
struct ranked {
	struct dec time;
	size_t class;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left;
	const struct ranked *b = right;
	int order = dec_compare(b->time, a->time);

	return order ? order : (a->class > b->class) - (a->class < b->class);
}

/* The classes with a box, the longest time first; entry has room for all classes. */
static size_t put_classes(const struct drawing *d, struct legend_entry *entry, struct buf *data,
                          struct buf *plot)
{
	size_t count = d->lanes->classes.count;
	struct ranked *ranked = mem_alloc(count, sizeof *ranked);
	size_t shown = 0;

	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){d->times[i], i};
	qsort(ranked, count, sizeof *ranked, compare_ranked);
	for (size_t i = 0; i < count; i++) {
		struct str name = strmap_key(&d->lanes->classes, ranked[i].class);
		const struct buf *boxes = &d->classes[ranked[i].class];

		if (boxes->len == 0)
			continue;
		entry[shown] =
			(struct legend_entry){name.n ? name : d->lanes->no_class, d->colours[ranked[i].class]};
		buf_format(data, "$d%zu << END\n", shown);
		buf_str(data, buf_view(boxes));
		buf_text(data, "END\n");
		buf_format(plot, "%s$d%zu using 1:3:1:2:3:4 with boxxyerror linecolor rgb %s",
		           shown ? ", " : "plot ", shown, entry[shown].colour);
		shown++;
	}
	buf_char(plot, '\n');
	free(ranked);
	return shown;
}

/* The labels of the lanes, shortened; returns the margin that they need, in pixels. */
static unsigned put_labels(const struct drawing *d, struct buf *script)
{
	struct shorten names = {0};
	struct buf *plain = mem_zero(d->shown, sizeof *plain);
	size_t widest = 0;

	for (size_t i = 0; i < d->shown; i++) {
		plaintext_put(&plain[i], d->labels[i]);
		shorten_add(&names, buf_view(&plain[i]));
	}
	shorten_fit(&names, LABEL);
	buf_text(script, "set ytics scale 0 (");
	for (size_t i = 0; i < d->shown; i++) {
		struct str label = shorten_get(&names, buf_view(&plain[i]));
		size_t width = width_of(label);

		widest = width > widest ? width : widest;
		buf_text(script, i ? ", " : "");
		script_tic(script, label, LABEL);
		buf_format(script, " %g", (d->top[i] + d->top[i + 1]) / 2);
		buf_free(&plain[i]);
	}
	buf_text(script, ")\n");
	free(plain);
	shorten_free(&names);
	return 40 + COLUMN * (unsigned)widest;
}

static void put_axes(const struct drawing *d, struct dec span, struct buf *script)
{
	struct buf from = {0};

	buf_text(&from, "time since ts ");
	dec_print(&from, d->origin);
	script_axis_label(script, 'x', buf_view(&from), &d->axis);
	buf_free(&from);
	for (size_t i = 1; i < d->shown; i++)
		buf_format(script,
		           "set arrow from graph 0, first %g to graph 1, first %g nohead linecolor rgb "
		           "'#dddddd' back\n",
		           d->top[i], d->top[i]);
	buf_format(script, "set yrange [%g:0]\nset xrange [0:", d->top[d->shown]);
	script_value(script, span, &d->axis);
	buf_text(script, "]\n");
}

/* The labels come first, since they decide how wide the lanes are. */
static void put_script(struct drawing *d, struct script_frame *frame, struct dec span,
                       struct buf *script)
{
	struct legend_entry *entry = mem_alloc(d->lanes->classes.count, sizeof *entry);
	struct legend legend;
	struct buf labels = {0};
	struct buf data = {0};
	struct buf plot = {0};

	d->frame = frame;
	lay_out(d);
	frame->width = WIDTH;
	frame->right = RIGHT;
	frame->left = put_labels(d, &labels);
	d->pixel.nano = span.nano / (WIDTH - RIGHT - frame->left) + 1;
	draw_all(d);
	legend = legend_fit(entry, put_classes(d, entry, &data, &plot), WIDTH - RIGHT - frame->left,
	                    LEGEND_ROWS);
	frame->bottom = 64 + LEGEND_ROW * (unsigned)legend.rows;
	frame->height = script_top(frame) + (unsigned)d->top[d->shown] + frame->bottom;
	script_begin(script, frame);
	put_axes(d, span.nano ? span : d->pixel, script);
	buf_str(script, buf_view(&labels));
	legend_put(&legend, frame, frame->left, frame->height - frame->bottom + 56, script);
	buf_str(script, buf_view(&d->names));
	buf_str(script, buf_view(&data));
	buf_str(script, buf_view(&plot));
	buf_free(&labels);
	buf_free(&data);
	buf_free(&plot);
	legend_free(&legend);
	free(entry);
}

/*
 * The first ts and the time up to the last end, or the window if it has both ends; false if they
 * are too far from each other.
 */
static bool find_span(const struct lanes *lanes, struct dec *origin, struct dec *span)
{
	const struct window_ends *ends = &lanes->ends;

	*span = (struct dec){0};
	if (ends->has_from && ends->has_to && dec_compare(ends->to, ends->from) > 0) {
		*origin = ends->from;
		*span = ends->to;
		return dec_subtract(span, *origin);
	}
	*origin = lanes->event[0].ts;
	for (size_t i = 0; i < lanes->count; i++)
		if (dec_compare(lanes->event[i].ts, *origin) < 0)
			*origin = lanes->event[i].ts;
	for (size_t i = 0; i < lanes->count; i++) {
		struct dec end = lanes->event[i].ts;

		if (!dec_subtract(&end, *origin) || !dec_add(&end, lanes->event[i].dur))
			return false;
		if (dec_compare(end, *span) > 0)
			*span = end;
	}
	return true;
}

bool lanes_script(struct lanes *lanes, struct script_frame frame, struct buf *script)
{
	struct drawing d = {.lanes = lanes};
	struct dec span;

	if (!find_span(lanes, &d.origin, &span))
		return false;
	d.labels = sort_lanes(lanes, &d.count);
	qsort(lanes->event, lanes->count, sizeof *lanes->event, compare_events);
	d.axis = script_axis(lanes->unit, span);
	d.classes = mem_zero(lanes->classes.count, sizeof *d.classes);
	d.times = mem_zero(lanes->classes.count, sizeof *d.times);
	d.colours = colours_of(&lanes->classes);
	put_script(&d, &frame, span, script);
	for (size_t i = 0; i < lanes->classes.count; i++)
		buf_free(&d.classes[i]);
	free(d.classes);
	free(d.times);
	free(d.colours);
	free(d.labels);
	buf_free(&d.names);
	return true;
}

void lanes_free(struct lanes *lanes)
{
	strmap_free(&lanes->lanes);
	strmap_free(&lanes->classes);
	strmap_free(&lanes->names);
	free(lanes->event);
}
