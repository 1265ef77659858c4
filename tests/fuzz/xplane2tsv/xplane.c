/*
 * xplane: whatever bytes an XSpace has, its planes are the same from a file and a slow pipe; its
 * events are the same if only what they are is read; texts
 * and places of damage lie in their plane; and of the events of a line those that contain another
 * one are the same when they come in another order.
 */
#include "../fuzz.h"

#include "xplane2tsv/digits.h"
#include "xplane2tsv/nesting.h"
#include "xplane2tsv/xplane.h"
#include "xplane2tsv/xspace.h"

enum { SHOWN = 32 }; /* bytes of a text */

static void show_number(struct buf *out, int64_t number)
{
	char digits[DIGITS_MAX];

	buf_str(out, digits_signed(digits, number));
	buf_char(out, ' ');
}

static void show_text(struct buf *out, const struct xplane *plane, struct str text)
{
	LAW(text.n == 0 ||
	    (text.s >= plane->bytes.s && text.s + text.n <= plane->bytes.s + plane->bytes.n));
	/* Many events may share a long name. */
	show_number(out, (int64_t)text.n);
	buf_str(out, (struct str){text.s, text.n < SHOWN ? text.n : SHOWN});
	buf_char(out, '\n');
}

static void show_event(struct buf *out, const struct xplane *plane, struct xplane_event *event)
{
	const struct xplane_metadata *metadata = xplane_complete(plane, event);
	char digits[DIGITS_MAX];

	show_number(out, event->metadata_id);
	buf_str(out, digits_time(digits, plane->lines->timestamp_ns, event->offset_ps));
	show_number(out, event->dur_ps);
	show_number(out, event->aggregate);
	if (metadata)
		show_text(out, plane, xplane_name(plane, metadata));
	for (int role = 1; role < XPLANE_ROLES; role++) {
		struct xplane_value value = event->value[role];

		if (!(event->has >> role & 1))
			continue;
		LAW(value.role == role && value.kind != XPLANE_NO_VALUE);
		if (value.kind == XPLANE_TEXT)
			show_text(out, plane, (struct str){value.text, value.n});
		else
			show_number(out, (int64_t)value.number);
	}
}

/* The events backwards: equal ones change places, so only others are compared. */
static void law_of_order(const struct nesting *nesting)
{
	struct nesting backwards = {0};

	for (size_t i = nesting->count; i-- > 0;)
		nesting_add(&backwards, nesting->events[i].start, nesting->events[i].dur);
	nesting_find(&backwards);
	for (size_t i = 0; i < nesting->count; i++) {
		size_t j = nesting->count - 1 - i;

		LAW(nesting->events[i].start == backwards.events[j].start);
		if (nesting_contains(nesting, i) != nesting_contains(&backwards, j)) {
			size_t equal = 0;

			for (size_t k = 0; k < nesting->count && equal < 2; k++)
				equal += nesting->events[k].start == nesting->events[i].start &&
				         nesting->events[k].dur == nesting->events[i].dur;
			LAW(equal == 2);
		}
	}
	nesting_free(&backwards);
}

static void show_line(struct buf *out, struct xplane *plane, const struct xplane_line *line,
                      struct nesting *nesting)
{
	struct wire wire = wire_of(line->bytes);
	struct wire skimmed = wire;
	struct xplane_event event;
	struct xplane_event brief;

	show_number(out, line->id);
	show_text(out, plane, line->name);
	show_text(out, plane, line->display_name);
	nesting_clear(nesting);
	while (xplane_next(plane, &wire, &event) > 0) {
		show_event(out, plane, &event);
		LAW(xplane_skim(plane, &skimmed, &brief) > 0 && brief.has == event.has &&
		    brief.metadata_id == event.metadata_id && brief.aggregate == event.aggregate);
		nesting_add(nesting, event.offset_ps, event.dur_ps);
	}
	nesting_find(nesting);
	if (nesting->count < 1 << 7)
		law_of_order(nesting);
}

static void show(struct buf *out)
{
	struct xspace space;
	struct xplane plane = {0};
	struct nesting nesting = {0};
	enum xspace_item item;
	struct str bytes;

	LAW(xspace_open(&space, "-"));
	while ((item = xspace_next(&space, &bytes)) > XSPACE_END) {
		bool good;

		buf_format(out, "item %d\n", (int)item);
		if (item != XSPACE_PLANE) {
			buf_str(out, bytes);
			continue;
		}
		plane.error = NULL;
		good = xplane_read(&plane, bytes);
		for (size_t i = 0; good && i < plane.lines_count; i++)
			show_line(out, &plane, plane.lines + i, &nesting);
		if (plane.error) {
			LAW(plane.error_at >= bytes.s && plane.error_at <= bytes.s + bytes.n);
			xspace_damage(&space, plane.error_at, plane.error);
			buf_text(out, space.error);
		}
	}
	if (item == XSPACE_FAILED)
		buf_text(out, space.error);
	xspace_close(&space);
	xplane_free(&plane);
	nesting_free(&nesting);
}

static void try_input(const uint8_t *data, size_t size)
{
	law_of_pieces((struct str){(const char *)data, size}, show);
}
