#include "legend.h"

#include "answer/width.h"
#include "base/plaintext.h"

enum {
	NAME = 40, /* columns of a name, at most */
	SWATCH = 16,
	GAP = 6,     /* between a swatch and its name */
	COLUMN = 8,  /* pixels of a character, about: its font is the viewer's choice */
	BETWEEN = 14 /* after a name */
};

struct legend legend_fit(const struct legend_entry *entry, size_t count, unsigned width,
                         size_t rows)
{
	struct legend legend = {.entry = entry, .count = count, .shown = count};
	struct buf plain = {0};
	size_t widest = 0;
	size_t cells;

	for (size_t i = 0; i < count; i++) {
		size_t columns = width_of(entry[i].name);

		widest = columns > widest ? columns : widest;
		plain.len = 0;
		plaintext_put(&plain, entry[i].name);
		shorten_add(&legend.names, buf_view(&plain));
	}
	buf_free(&plain);
	shorten_fit(&legend.names, NAME);
	legend.cell = SWATCH + GAP + BETWEEN + COLUMN * (unsigned)(widest < NAME ? widest : NAME);
	legend.columns = width / legend.cell ? width / legend.cell : 1;
	if (legend.columns > count)
		legend.columns = count ? count : 1;
	cells = legend.columns * rows;
	if (count > cells)
		legend.shown = cells - 1;
	legend.rows = ((count < cells ? count : cells) + legend.columns - 1) / legend.columns;
	return legend;
}

static void put_place(struct buf *script, const struct script_frame *frame, unsigned x, unsigned y)
{
	buf_format(script, "screen %.4f, screen %.4f", (double)x / frame->width,
	           1 - (double)y / frame->height);
}

static void put_cell(const struct legend *legend, size_t number, const struct script_frame *frame,
                     unsigned x, unsigned y, struct buf *script)
{
	struct buf text = {0};
	struct str name = {0};

	if (number == legend->shown) {
		buf_format(&text, "and %zu more", legend->count - legend->shown);
		name = buf_view(&text);
	} else {
		buf_text(script, "set object rectangle from ");
		put_place(script, frame, x, y + 4);
		buf_text(script, " to ");
		put_place(script, frame, x + SWATCH, y + 14);
		buf_format(script, " fillcolor rgb %s fillstyle solid noborder\n",
		           legend->entry[number].colour);
		plaintext_put(&text, legend->entry[number].name);
		name = shorten_get(&legend->names, buf_view(&text));
	}
	buf_text(script, "set label ");
	script_label(script, name, NAME);
	buf_text(script, " at ");
	put_place(script, frame, x + SWATCH + GAP, y + 9);
	buf_text(script, " left\n");
	buf_free(&text);
}

void legend_put(const struct legend *legend, const struct script_frame *frame, unsigned left,
                unsigned top, struct buf *script)
{
	size_t cells = legend->shown + (legend->shown < legend->count);

	for (size_t i = 0; i < cells; i++)
		put_cell(legend, i, frame, left + legend->cell * (unsigned)(i % legend->columns),
		         top + LEGEND_ROW * (unsigned)(i / legend->columns), script);
}

void legend_free(struct legend *legend)
{
	shorten_free(&legend->names);
}
