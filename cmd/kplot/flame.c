#include "flame.h"

#include "base/mem.h"

#include "boxname.h"
#include "colours.h"

#include <stdlib.h>

enum {
	WIDTH = 1400,
	LEFT = 16, /* margins, in pixels */
	RIGHT = 24,
	MARGIN = 6, /* beside a name */
	LEVEL = 18, /* height of a frame, with the gap above it */
	ALL = 0,    /* the frame of all rows, as a place in total */
};

/* The key of a frame: bytes, without padding. */
struct flame_place {
	size_t below; /* the frame below it, as a place in total */
	size_t name;
};

static size_t frame_of(struct flame *flame, size_t below, struct str name)
{
	struct flame_place place = {below, strmap_add(&flame->names, name, NULL)};
	struct str key = {(const char *)&place, sizeof place};
	bool added;
	size_t frame = strmap_add(&flame->frames, key, &added) + 1;

	flame->total = mem_grow(flame->total, &flame->total_cap, frame + 1, sizeof *flame->total);
	if (added)
		flame->total[frame] = (struct dec){0};
	return frame;
}

/* The frames of a row, each with a ; at its end. */
static void put_path(struct buf *path, struct str stack, struct str name)
{
	size_t start;

	path->len = 0;
	buf_str(path, stack);
	if (stack.n)
		buf_char(path, ';');
	start = path->len;
	buf_str(path, name);
	buf_replace(path, start, ';', ':');
	if (name.n)
		buf_char(path, ';');
}

/* The highest frame of the path, as a place in total; what it shares with the row before is known.
 */
static size_t climb(struct flame *flame)
{
	const struct buf *path = &flame->path;
	size_t same = 0;
	size_t depth = 0;
	size_t at;

	while (same < path->len && same < flame->last.len && path->data[same] == flame->last.data[same])
		same++;
	while (depth < flame->depth && flame->end[depth] < same)
		depth++;
	at = depth ? flame->end[depth - 1] + 1 : 0;
	while (at < path->len && depth < FLAME_DEEPEST) {
		size_t end = at;

		while (path->data[end] != ';')
			end++;
		flame->frame[depth] = frame_of(flame, depth ? flame->frame[depth - 1] : ALL,
		                               (struct str){path->data + at, end - at});
		flame->end[depth++] = end;
		at = end + 1;
	}
	flame->deeper += at < path->len;
	flame->depth = depth;
	return depth ? flame->frame[depth - 1] : ALL;
}

void flame_add(struct flame *flame, struct str stack, struct str name, struct dec width)
{
	struct buf before = flame->last;
	size_t top;

	if (width.nano == 0)
		return;
	if (!flame->total) {
		flame->total = mem_grow(NULL, &flame->total_cap, 1, sizeof *flame->total);
		flame->total[ALL] = (struct dec){0};
	}
	put_path(&flame->path, stack, name);
	top = climb(flame);
	/* Frames hold their own rows until the last row; no sum is larger than all. */
	if (!dec_add(&flame->all, width))
		flame->too_large = true;
	else
		dec_add(&flame->total[top], width);
	flame->last = flame->path;
	flame->path = before;
	flame->count++;
}

struct str flame_idle(struct str kind)
{
	if (str_equal(kind, STR("nothing")))
		return STR("(nothing)");
	return str_equal(kind, STR("unlinked")) ? STR("(unlinked)") : STR("");
}

/* --- drawing ----------------------------------------------------------------------- */

struct frame {
	struct flame_place place;
	size_t rank;   /* place of its name among all names, sorted */
	size_t number; /* place in total */
};

static int compare_frames(const void *left, const void *right)
{
	const struct frame *a = left;
	const struct frame *b = right;
	int order = (a->place.below > b->place.below) - (a->place.below < b->place.below);

	return order ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

struct drawing {
	struct flame *flame;
	struct frame *frame; /* sorted by the frame below, then by name */
	size_t *first;       /* by place in total: the first frame on it; one more at the end */
	struct dec pixel;
	enum picture picture;
	struct script_axis axis;
	size_t levels;
	struct buf boxes;
	struct buf names;
};

/* Sorts the frames, and adds each to the one below it, which came before it. */
static void lay_out(struct drawing *d)
{
	struct flame *flame = d->flame;
	size_t count = flame->frames.count;
	size_t *ranks = strmap_ranks(&flame->names);

	d->frame = mem_alloc(count + 1, sizeof *d->frame);
	d->first = mem_zero(count + 2, sizeof *d->first);
	for (size_t i = count; i-- > 0;) {
		struct frame *frame = &d->frame[i];

		memcpy(&frame->place, strmap_key(&flame->frames, i).s, sizeof frame->place);
		frame->rank = ranks[frame->place.name];
		frame->number = i + 1;
		dec_add(&flame->total[frame->place.below], flame->total[i + 1]);
		d->first[frame->place.below + 1]++;
	}
	for (size_t i = 1; i < count + 2; i++)
		d->first[i] += d->first[i - 1];
	qsort(d->frame, count, sizeof *d->frame, compare_frames);
	free(ranks);
}

static void put_frame(struct drawing *d, size_t level, struct str name, const char *colour,
                      struct dec from, struct dec width)
{
	struct boxname label = {.name = name, .colour = colour, .picture = d->picture};
	struct dec to = {from.nano + width.nano};
	__int128 pixels = width.nano / d->pixel.nano;
	double low = (double)level;

	if (pixels > 2) /* a gap beside the next frame */
		to.nano -= d->pixel.nano;
	buf_format(&d->boxes, "%lu ", strtoul(colour + 2, NULL, 16));
	script_box(&d->boxes, from, to, &d->axis, low, low + 1 - 1.0 / LEVEL);
	boxname_put(&d->names, &label, pixels - MARGIN, from, low + 0.5, &d->axis);
	if (d->levels <= level)
		d->levels = level + 1;
}

/* Frames that are still to be drawn on another one. */
struct open {
	size_t next;
	size_t end;
	struct dec from;
};

static void draw(struct drawing *d)
{
	struct flame *flame = d->flame;
	struct open open[FLAME_DEEPEST + 1] = {{d->first[ALL], d->first[ALL + 1], {0}}};
	size_t depth = 1;
	size_t shown = 0;

	while (depth) {
		struct open *on = &open[depth - 1];
		const struct frame *frame = &d->frame[on->next];
		struct dec from = on->from;
		struct dec width;
		struct str name;

		if (on->next == on->end) {
			depth--;
			continue;
		}
		width = flame->total[frame->number];
		on->next++;
		dec_add(&on->from, width);
		if (width.nano < d->pixel.nano) {
			dec_add(&flame->narrow_total, width);
			continue;
		}
		name = strmap_key(&flame->names, frame->place.name);
		put_frame(d, depth, name, colour_of(name), from, width);
		shown++;
		open[depth++] = (struct open){d->first[frame->number], d->first[frame->number + 1], from};
	}
	flame->narrow = flame->frames.count - shown;
}

static void put_all(struct drawing *d)
{
	struct buf name = {0};

	buf_text(&name, "all: ");
	dec_print(&name, d->flame->all);
	buf_format(&name, "%s%s", *d->flame->unit ? " " : "", d->flame->unit);
	put_frame(d, 0, buf_view(&name), colour_of_rest(), (struct dec){0}, d->flame->all);
	buf_free(&name);
}

bool flame_script(struct flame *flame, struct script_frame frame, struct buf *script)
{
	struct drawing d = {.flame = flame, .picture = frame.picture};

	if (flame->too_large)
		return false;
	d.axis = script_axis(flame->unit, flame->all);
	d.pixel.nano = flame->all.nano / (WIDTH - LEFT - RIGHT) + 1;
	lay_out(&d);
	put_all(&d);
	draw(&d);
	frame.width = WIDTH;
	frame.left = LEFT;
	frame.right = RIGHT;
	frame.bottom = 64;
	frame.height = script_top(&frame) + 4 + LEVEL * (unsigned)d.levels + frame.bottom;
	script_begin(script, &frame);
	script_axis_label(script, 'x', flame->title, &d.axis);
	buf_format(script, "unset ytics\nset yrange [0:%zu]\nset xrange [0:", d.levels);
	script_value(script, flame->all, &d.axis);
	buf_text(script, "]\n");
	buf_str(script, buf_view(&d.names));
	buf_text(script, "$d << END\n");
	buf_str(script, buf_view(&d.boxes));
	buf_text(script, "END\nplot $d using 2:4:2:3:4:5:1 with boxxyerror linecolor rgb variable\n");
	free(d.frame);
	free(d.first);
	buf_free(&d.boxes);
	buf_free(&d.names);
	return true;
}

void flame_free(struct flame *flame)
{
	strmap_free(&flame->names);
	strmap_free(&flame->frames);
	free(flame->total);
	buf_free(&flame->path);
	buf_free(&flame->last);
}
