#include "lanes.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
	WIDTH = 1400,
	PIXELS = 1150, /* width of the lanes, about */
	LANE = 34,
	SUB_LANE = 20,
	KEYS = 14, /* classes that the key lists */
};

struct lanes_event {
	struct dec ts;
	struct dec dur;
	size_t lane;
	size_t class;
	size_t number; /* number of the row: its place among equals */
};

void lanes_add(struct lanes *lanes, struct str lane, struct str class, struct dec ts,
               struct dec dur)
{
	lanes->event = mem_grow(lanes->event, &lanes->cap, lanes->count + 1, sizeof *lanes->event);
	lanes->event[lanes->count] = (struct lanes_event){
		.ts = ts,
		.dur = dur,
		.lane = strmap_add(&lanes->lanes, lane, NULL),
		.class = strmap_add(&lanes->classes, class, NULL),
		.number = lanes->count,
	};
	lanes->count++;
}

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
	bool open;
};

/* The state of drawing a lane. */
struct drawing {
	struct lanes *lanes;
	struct dec origin;
	struct dec pixel;
	struct buf *classes; /* the boxes of each class, as data */
	struct dec *times;   /* the time of each class, for the key */
	struct script_axis axis;
	double top[LANES_MOST + 1]; /* top of each lane, in pixels */
	unsigned depth[LANES_MOST];
	struct box box[LANES_DEEPEST];
};

static void put_box(struct drawing *d, size_t lane, unsigned depth)
{
	struct box *box = &d->box[depth];
	double low = d->top[lane] + 4 + depth * (double)SUB_LANE;
	struct dec to = box->to;

	if (!box->open)
		return;
	if (to.nano - box->from.nano < d->pixel.nano)
		to.nano = box->from.nano + d->pixel.nano;
	script_box(&d->classes[box->class], box->from, to, &d->axis, low,
	           low + (d->depth[lane] > 1 ? SUB_LANE - 3 : LANE - 8));
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
		if (dec_compare(event->dur, box->longest) > 0) {
			box->longest = event->dur;
			box->class = event->class;
		}
		return;
	}
	put_box(d, event->lane, depth);
	*box = (struct box){from, to, event->dur, event->class, true};
}

/* Ends of the events that are open in a lane. */
struct open {
	__int128 end[LANES_DEEPEST];
	unsigned count;
	size_t lane;
};

/* The depth of an event among the open ones; LANES_DEEPEST if it is too deep. */
static unsigned depth_of(struct open *open, const struct lanes_event *event)
{
	if (event->lane != open->lane)
		*open = (struct open){.lane = event->lane};
	while (open->count && open->end[open->count - 1] <= event->ts.nano)
		open->count--;
	if (open->count == LANES_DEEPEST)
		return LANES_DEEPEST;
	open->end[open->count] = event->ts.nano + event->dur.nano;
	return open->count++;
}

/* Lays out the lanes: how deep each is. Returns their number. */
static size_t lay_out(struct drawing *d)
{
	struct lanes *lanes = d->lanes;
	struct open open = {.lane = SIZE_MAX};
	size_t shown = lanes->lanes.count < LANES_MOST ? lanes->lanes.count : LANES_MOST;

	for (size_t i = 0; i < lanes->count; i++) {
		const struct lanes_event *event = &lanes->event[i];
		unsigned depth = depth_of(&open, event);

		if (event->lane < shown && depth < LANES_DEEPEST && depth + 1 > d->depth[event->lane])
			d->depth[event->lane] = depth + 1;
	}
	for (size_t i = 0; i < shown; i++)
		d->top[i + 1] = d->top[i] + (d->depth[i] > 1 ? 8 + d->depth[i] * SUB_LANE : LANE);
	return shown;
}

static void draw_all(struct drawing *d, size_t shown)
{
	struct lanes *lanes = d->lanes;
	struct open open = {.lane = SIZE_MAX};

	for (size_t i = 0; i < lanes->count; i++) {
		const struct lanes_event *event = &lanes->event[i];
		unsigned depth = depth_of(&open, event);

		if (event->lane >= shown)
			lanes->further++;
		else if (depth == LANES_DEEPEST)
			lanes->deeper++;
		else
			draw(d, event, depth);
		dec_add(&d->times[event->class], event->dur);
		if (i + 1 == lanes->count || lanes->event[i + 1].lane != event->lane)
			for (unsigned j = 0; j < LANES_DEEPEST && event->lane < shown; j++)
				put_box(d, event->lane, j);
	}
}

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

static void put_classes(const struct drawing *d, struct buf *script)
{
	size_t count = d->lanes->classes.count;
	struct ranked *ranked = mem_alloc(count, sizeof *ranked);
	const char *between = "plot ";

	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){d->times[i], i};
	qsort(ranked, count, sizeof *ranked, compare_ranked);
	for (size_t i = 0; i < count; i++) {
		const struct buf *boxes = &d->classes[ranked[i].class];

		if (boxes->len == 0)
			continue;
		buf_format(script, "$d%zu << END\n", i);
		buf_str(script, buf_view(boxes));
		buf_text(script, "END\n");
	}
	for (size_t i = 0, keys = 0; i < count; i++) {
		struct str name = strmap_key(&d->lanes->classes, ranked[i].class);

		if (d->classes[ranked[i].class].len == 0)
			continue;
		buf_format(script, "%s$d%zu using 1:3:1:2:3:4 with boxxyerror linecolor rgb ", between, i);
		script_colour_of(script, name);
		buf_text(script, keys < KEYS ? " title " : " notitle");
		if (keys++ < KEYS)
			script_label(script, name.n ? name : STR("(none)"), 40);
		between = ", ";
	}
	buf_char(script, '\n');
	free(ranked);
}

static void put_lanes(const struct drawing *d, size_t shown, struct buf *script)
{
	buf_text(script, "set ytics scale 0 (");
	for (size_t i = 0; i < shown; i++) {
		buf_text(script, i ? ", " : "");
		script_tic(script, d->lanes->labels[i], 26);
		buf_format(script, " %g", (d->top[i] + d->top[i + 1]) / 2);
	}
	buf_text(script, ")\n");
	for (size_t i = 1; i < shown; i++)
		buf_format(script,
		           "set arrow from graph 0, first %g to graph 1, first %g nohead linecolor rgb "
		           "'#dddddd' back\n",
		           d->top[i], d->top[i]);
}

static void put_script(struct drawing *d, struct script_frame frame, struct dec span, size_t shown,
                       struct buf *script)
{
	struct buf from = {0};

	frame.width = WIDTH;
	frame.left = 230;
	frame.bottom = 110;
	frame.height = 44 + (unsigned)d->top[shown] + frame.bottom;
	script_begin(script, &frame);
	buf_format(script,
	           "set key at screen 0.5, screen %.4f center top horizontal Left reverse maxrows 2\n",
	           50.0 / frame.height);
	buf_text(&from, "time since ts ");
	dec_print(&from, d->origin);
	script_axis_label(script, 'x', buf_view(&from), &d->axis);
	buf_free(&from);
	put_lanes(d, shown, script);
	buf_format(script, "set yrange [%g:0]\nset xrange [0:", d->top[shown]);
	script_value(script, span, &d->axis);
	buf_text(script, "]\n");
	put_classes(d, script);
}

/* The first ts and the time up to the last end; false if they are too far from each other. */
static bool find_span(const struct lanes *lanes, struct dec *origin, struct dec *span)
{
	*origin = lanes->event[0].ts;
	*span = (struct dec){0};
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
	size_t shown;

	if (!find_span(lanes, &d.origin, &span))
		return false;
	qsort(lanes->event, lanes->count, sizeof *lanes->event, compare_events);
	d.pixel.nano = span.nano / PIXELS + 1;
	d.axis = script_axis(lanes->unit, span);
	d.classes = mem_zero(lanes->classes.count, sizeof *d.classes);
	d.times = mem_zero(lanes->classes.count, sizeof *d.times);
	shown = lay_out(&d);
	draw_all(&d, shown);
	if (span.nano == 0)
		span = d.pixel;
	put_script(&d, frame, span, shown, script);
	for (size_t i = 0; i < lanes->classes.count; i++)
		buf_free(&d.classes[i]);
	free(d.classes);
	free(d.times);
	return true;
}

void lanes_free(struct lanes *lanes)
{
	strmap_free(&lanes->lanes);
	strmap_free(&lanes->classes);
	free(lanes->event);
}
