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
	buf_text(script, "set label ");
	script_label(script, buf_view(&title), frame->width / 8);
	buf_format(script, " at screen %.4f, screen %.4f left font ',%u'\n", 16.0 / frame->width,
	           1 - 20.0 / frame->height, frame->picture == PICTURE_SVG ? 15 : 11);
	buf_format(script, "set tmargin at screen %.4f\n", 1 - 44.0 / frame->height);
	if (frame->bottom)
		buf_format(script, "set bmargin at screen %.4f\n", (double)frame->bottom / frame->height);
	if (frame->left)
		buf_format(script, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n",
		           (double)frame->left / frame->width, 1 - 24.0 / frame->width);
	buf_text(script, "set border 1 linecolor rgb '#888888'\n"
	                 "set tics nomirror textcolor rgb '#333333'\n"
	                 "set grid xtics linetype 1 linecolor rgb '#e4e4e4'\n"
	                 "set style fill solid noborder\n");
	buf_free(&title);
}

/* By number, and by name: the frequent classes of kclass come first. */
static const struct {
	const char *colour;
	const char *class;
} palette[] = {
	{"'#4477aa'", "Dense GEMM"},
	{"'#ee6677'", "Attention"},
	{"'#228833'", "MoE GEMM"},
	{"'#ccbb44'", "Elementwise"},
	{"'#66ccee'", "Copy/Memory"},
	{"'#aa3377'", "Collective"},
	{"'#ee8866'", "Activation"},
	{"'#44bb99'", "RMSNorm"},
	{"'#332288'", "Convolution"},
	{"'#882255'", "Reduce"},
	{"'#ddaa33'", "Quantization"},
	{"'#117733'", "Normalization"},
	{"'#aa4499'", "Indexing"},
	{"'#bbcc33'", "MoE Routing"},
	{"'#77aadd'", "KV Cache"},
	{"'#999933'", "Sorting"},
	{"'#44aa99'", "MoE Finalize"},
	{"'#cc3311'", "Softmax"},
	{"'#997700'", "Random"},
	{"'#0077bb'", "RoPE"},
	{"'#555555'", "Optimizer"},
	{"'#eedd88'", "Triton Fused"},
	{"'#bb5566'", "Attention (Prefill)"},
	{"'#ffaabb'", "Attention (Decode)"},
	/* Categories of a trace. */
	{"'#4477aa'", "kernel"},
	{"'#ccbb44'", "cpu_op"},
	{"'#ee8866'", "cuda_runtime"},
	{"'#66ccee'", "gpu_memcpy"},
	{"'#332288'", "gpu_memset"},
	{"'#aa3377'", "user_annotation"},
	{"'#44bb99'", "python_function"},
};

enum { COLOURS = 8 }; /* that are given by number */

const char *script_colour(size_t number)
{
	return palette[number % COLOURS].colour;
}

const char *script_rest_colour(void)
{
	return "'#bbbbbb'";
}

const char *script_class_colour(struct str name)
{
	if (name.n == 0 || str_equal(name, STR("Other")))
		return script_rest_colour();
	for (size_t i = 0; i < sizeof palette / sizeof *palette; i++)
		if (str_equal(name, str_of(palette[i].class)))
			return palette[i].colour;
	return NULL;
}

/* FNV-1a, without a secret, as it must give one colour in each run. */
static uint32_t hash_of(struct str name)
{
	uint32_t hash = 2166136261U;

	for (size_t i = 0; i < name.n; i++)
		hash = (hash ^ (unsigned char)name.s[i]) * 16777619U;
	return hash ^ hash >> 15;
}

/* The part of a channel, 0 to 60, that is full from 60 to 180 degrees and empty from 240 to 360. */
static unsigned ramp(unsigned hue)
{
	return hue < 60 ? hue : hue < 180 ? 60 : hue < 240 ? 240 - hue : 0;
}

void script_colour_of(struct buf *script, struct str name)
{
	static const struct {
		unsigned low;
		unsigned high;
	} shades[] = {{0x55, 0xbb}, {0x44, 0xdd}, {0x88, 0xcc}};
	const char *colour = script_class_colour(name);
	uint32_t hash = hash_of(name);
	unsigned shade = hash / 360 % 3;

	if (colour) {
		buf_text(script, colour);
		return;
	}
	buf_text(script, "'#");
	for (unsigned channel = 0; channel < 3; channel++) {
		unsigned full = shades[shade].high - shades[shade].low;

		buf_format(script, "%02x",
		           shades[shade].low + full * ramp((hash % 360 + 120 * channel) % 360) / 60);
	}
	buf_text(script, "'");
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
