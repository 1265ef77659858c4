#include "script.h"

#include "answer/width.h"
#include "base/plaintext.h"

#include <string.h>

enum picture script_picture(const char *path)
{
	static const char *const ends[PICTURES] = {".svg", ".png", ".pdf"};
	size_t i = 0;

	while (i < PICTURES && !str_ends(str_of(path), str_of(ends[i])))
		i++;
	return (enum picture)i;
}

static void put_quoted(struct buf *script, struct str text, size_t columns, bool tic)
{
	struct buf plain = {0};
	size_t n;

	plaintext_put(&plain, text);
	n = width_of(buf_view(&plain)) <= columns ? plain.len
	                                          : width_cut(buf_view(&plain), columns - 1);
	buf_char(script, '\'');
	for (size_t i = 0; i < n; i++) {
		/*
		 * Not '', which gnuplot takes for a quote only within a text, and not twice in a row. Nor
		 * "'": gnuplot would expand macros after it, such as @GPVAL_PWD, as if the text were over.
		 */
		if (plain.data[i] == '\'')
			buf_text(script, "'.\"\\047\".'");
		/* gnuplot puts > into an SVG as it is, where ]]> is no XML. */
		else if (i >= 2 && memcmp(plain.data + i - 2, "]]>", 3) == 0)
			buf_text(script, "\\x3e");
		else
			buf_char(script, plain.data[i]);
		if (tic && plain.data[i] == '%')
			buf_char(script, '%');
	}
	buf_text(script, n < plain.len ? "…'" : "'");
	buf_free(&plain);
}

void script_label(struct buf *script, struct str text, size_t columns)
{
	put_quoted(script, text, columns, false);
}

void script_tic(struct buf *script, struct str text, size_t columns)
{
	put_quoted(script, text, columns, true);
}

static void put_terminal(struct buf *script, const struct script_frame *frame)
{
	switch (frame->picture) {
	case PICTURE_PNG:
		buf_format(script,
		           "set terminal pngcairo noenhanced size %u,%u font 'DejaVu Sans,10' "
		           "background '#ffffff'\n",
		           frame->width, frame->height);
		break;
	case PICTURE_PDF: /* 96 pixels are an inch */
		buf_format(script,
		           "set terminal pdfcairo noenhanced size %.3fin,%.3fin font 'DejaVu Sans,8' "
		           "background '#ffffff'\n",
		           frame->width / 96.0, frame->height / 96.0);
		break;
	default:
		buf_format(script,
		           "set terminal svg noenhanced size %u,%u font 'sans-serif,13' "
		           "background '#ffffff'\n",
		           frame->width, frame->height);
	}
}

unsigned script_top(const struct script_frame *frame)
{
	if (frame->title.n || frame->damage.n)
		return 44;
	return frame->key ? 34 : 14;
}

void script_begin(struct buf *script, const struct script_frame *frame)
{
	struct buf title = {0};

	buf_text(script, "set encoding utf8\n");
	put_terminal(script, frame);
	buf_str(&title, frame->title);
	if (frame->damage.n) {
		buf_text(&title, title.len ? " - " : "");
		buf_text(&title, frame->misused ? "wrong usage: " : "damaged input: ");
		buf_str(&title, frame->damage);
	}
	if (title.len) {
		buf_text(script, "set label ");
		script_label(script, buf_view(&title), frame->width / 8);
		buf_format(script, " at screen %.4f, screen %.4f left font ',%u'\n", 16.0 / frame->width,
		           1 - 20.0 / frame->height, frame->picture == PICTURE_SVG ? 15 : 11);
	}
	buf_format(script, "set tmargin at screen %.4f\n",
	           1 - (double)script_top(frame) / frame->height);
	if (frame->bottom)
		buf_format(script, "set bmargin at screen %.4f\n", (double)frame->bottom / frame->height);
	if (frame->left)
		buf_format(script, "set lmargin at screen %.4f\n", (double)frame->left / frame->width);
	if (frame->right)
		buf_format(script, "set rmargin at screen %.4f\n", 1 - (double)frame->right / frame->width);
	buf_text(script, "set border 1 linecolor rgb '#888888'\n"
	                 "set tics nomirror textcolor rgb '#333333'\n"
	                 "set grid xtics linetype 1 linecolor rgb '#e4e4e4'\n"
	                 "set style fill solid noborder\n"
	                 "unset key\n");
	buf_free(&title);
}

struct script_axis script_axis(const char *unit, struct dec largest)
{
	if (strcmp(unit, "us") == 0 && dec_compare(largest, dec_of(10000000)) >= 0)
		return (struct script_axis){"s", dec_of(1000000)};
	if (strcmp(unit, "us") == 0 && dec_compare(largest, dec_of(10000)) >= 0)
		return (struct script_axis){"ms", dec_of(1000)};
	return (struct script_axis){unit, dec_of(1)};
}

void script_value(struct buf *script, struct dec value, const struct script_axis *axis)
{
	dec_quotient(script, value, axis->divisor, 0);
}

void script_axis_label(struct buf *script, char which, struct str name,
                       const struct script_axis *axis)
{
	struct buf text = {0};

	buf_str(&text, name);
	if (axis && *axis->unit)
		buf_format(&text, name.n ? " (%s)" : "%s", axis->unit);
	buf_format(script, "set %clabel ", which);
	script_label(script, buf_view(&text), 80);
	buf_char(script, '\n');
	buf_free(&text);
}

void script_box(struct buf *script, struct dec from, struct dec to, const struct script_axis *axis,
                double low, double high)
{
	script_value(script, from, axis);
	buf_char(script, ' ');
	script_value(script, to, axis);
	buf_format(script, " %g %g\n", low, high);
}
