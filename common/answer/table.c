#include "answer/table.h"

#include "answer/shorten.h"
#include "answer/width.h"
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/plaintext.h"

void table_cell(struct table *table, struct str text)
{
	table->ends = mem_grow(table->ends, &table->cells_cap, table->cells + 1, sizeof *table->ends);
	plaintext_put(&table->text, text);
	table->ends[table->cells++] = table->text.len;
}

static struct str cell(const struct table *table, size_t i)
{
	size_t begin = i ? table->ends[i - 1] : 0;

	return (struct str){table->text.data + begin, table->ends[i] - begin};
}

static void spaces(struct buf *line, size_t n)
{
	while (n--)
		buf_char(line, ' ');
}

void table_print_row(const struct table_column *columns, size_t count, const size_t *widths,
                     const struct str *row, struct output *out)
{
	struct buf line = {0};

	for (size_t i = 0; i < count; i++) {
		size_t width = width_of(row[i]);
		size_t pad = width < widths[i] ? widths[i] - width : 0;

		spaces(&line, i ? 2 : 0);
		spaces(&line, columns[i].right ? pad : 0);
		plaintext_put(&line, row[i]); /* a title may not be plain yet */
		spaces(&line, columns[i].right ? 0 : pad);
	}
	while (line.len && line.data[line.len - 1] == ' ')
		line.len--;
	output_str(out, buf_view(&line));
	output_char(out, '\n');
	buf_free(&line);
}

/* The width of a column, as `measure` gives the widths of its texts. */
static size_t width_of_column(const struct table *table, size_t column,
                              size_t (*measure)(struct str text))
{
	size_t widest = measure(str_of(table->columns[column].title));

	for (size_t i = column; i < table->cells; i += table->count) {
		size_t width = measure(cell(table, i));

		if (width > widest)
			widest = width;
	}
	return widest;
}

/* The titles or, from the cell at `at` on, a row. */
static void fill_row(const struct table *table, struct str *row, size_t at)
{
	for (size_t i = 0; i < table->count; i++)
		row[i] = at == SIZE_MAX ? str_of(table->columns[i].title) : cell(table, at + i);
}

void table_print_head(const struct table_column *columns, size_t count, const size_t *widths,
                      struct output *out)
{
	struct str *titles = mem_alloc(count, sizeof *titles);
	size_t rule = 2 * (count - 1);

	for (size_t i = 0; i < count; i++) {
		titles[i] = str_of(columns[i].title);
		rule += widths[i];
	}
	table_print_row(columns, count, widths, titles, out);
	while (rule--)
		output_char(out, '-');
	output_char(out, '\n');
	free(titles);
}

bool table_are_sides(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == '1' && *b == '2' && strcmp(a + 1, b + 1) == 0;
}

/* --- a table in a report ------------------------------------------------------ */

enum { REPORT_WIDTH = 100, TEXT_WIDTH = 32, LEAST_GAIN = 3 };

/* How a column of a report is shown. */
struct place {
	size_t width;
	size_t title_cut;     /* bytes of its title on the first line, if there are two */
	bool left_out;        /* the table is too wide */
	bool filled;          /* a cell is not empty */
	struct shorten texts; /* its long texts, if they are shortened */
};

/* The width of the table if texts are cut to `texts`. */
static size_t width_of_report(const struct table *table, const struct place *places, size_t texts)
{
	size_t width = 0;

	for (size_t i = 0; i < table->count; i++) {
		bool is_cut = !table->columns[i].right && places[i].width > texts;

		if (!places[i].left_out)
			width += (is_cut ? texts : places[i].width) + (width ? 2 : 0);
	}
	return width;
}

/* The width of a title in two lines, cut after a _ or at a blank where this is narrowest. */
static size_t cut_title(struct str title, size_t *cut)
{
	size_t best = width_of(title);

	*cut = 0;
	for (size_t i = 1; i < title.n; i++) {
		size_t first = width_of((struct str){title.s, i});
		size_t second = width_of((struct str){title.s + i, title.n - i});
		size_t width = first > second ? first : second;

		if (title.s[i - 1] != '_' && title.s[i - 1] != ' ')
			continue;
		if (width < best) {
			best = width;
			*cut = i;
		}
	}
	return best;
}

/* Puts titles that are wider than their columns on two lines. */
static void cut_titles(const struct table *table, struct place *places)
{
	for (size_t i = 0; i < table->count; i++) {
		size_t values = 0;
		size_t title;
		size_t cut;

		for (size_t at = i; at < table->cells; at += table->count)
			if (width_of(cell(table, at)) > values)
				values = width_of(cell(table, at));
		places[i].filled = values > 0;
		if (values >= places[i].width)
			continue;
		title = cut_title(str_of(table->columns[i].title), &cut);
		title = values > title ? values : title;
		if (places[i].width - title < LEAST_GAIN)
			continue;
		places[i].title_cut = cut;
		places[i].width = title;
	}
}

static bool is_spare(const struct table *table, size_t column)
{
	return column < 64 && table->spare >> column & 1;
}

/* Whether it is the first side of a comparison, and the second is left out. */
static bool is_half(const struct table *table, const struct place *places, size_t column)
{
	for (size_t i = column + 1; i < table->count; i++)
		if (places[i].left_out &&
		    table_are_sides(table->columns[column].title, table->columns[i].title))
			return true;
	return false;
}

/* Makes the widest text narrower, until the table fits or no text is wider than the least. */
static void shorten_texts(const struct table *table, struct place *places)
{
	size_t width = width_of_report(table, places, SIZE_MAX);

	while (width > REPORT_WIDTH) {
		struct place *widest = NULL;

		for (size_t i = 0; i < table->count; i++)
			if (!places[i].left_out && !table->columns[i].right &&
			    (!widest || places[i].width > widest->width))
				widest = &places[i];
		if (!widest || widest->width <= SHORTEN_LEAST)
			return;
		widest->width--;
		width--;
	}
}

/* Decides how wide the columns are; returns whether titles have two lines. */
static bool place_columns(const struct table *table, struct place *places)
{
	bool two_lines = false;

	for (size_t i = 0; i < table->count; i++)
		places[i].width = width_of_column(table, i, width_of);
	if (table->any_width || width_of_report(table, places, SIZE_MAX) <= REPORT_WIDTH)
		return false;
	cut_titles(table, places);
	for (size_t i = table->count; i-- > 1;)
		if (width_of_report(table, places, SIZE_MAX) > REPORT_WIDTH)
			places[i].left_out = !places[i].filled;
	for (size_t i = table->count; i-- > 1;)
		if (is_spare(table, i) && (is_half(table, places, i) ||
		                           width_of_report(table, places, TEXT_WIDTH) > REPORT_WIDTH))
			places[i].left_out = true;
	shorten_texts(table, places);
	for (size_t i = table->count; i-- > 1;)
		if (width_of_report(table, places, SIZE_MAX) > REPORT_WIDTH)
			places[i].left_out = true;
	for (size_t i = 0; i < table->count; i++)
		two_lines |= !places[i].left_out && places[i].title_cut;
	return two_lines;
}

/* Gathers the texts of a column that do not fit. */
static void shorten_column(const struct table *table, struct place *places, size_t column)
{
	struct place *place = &places[column];

	if (table->columns[column].right || place->left_out)
		return;
	for (size_t at = column; at < table->cells; at += table->count)
		shorten_add(&place->texts, cell(table, at));
	if (place->width >= SHORTEN_LEAST)
		shorten_fit(&place->texts, place->width);
}

/* The columns that are not left out: what of them is printed in a line. */
struct report_line {
	struct table_column *columns;
	size_t *widths;
	struct str *texts;
	size_t count;
};

/* The titles, or those on the first of two lines. */
static void fill_titles(struct report_line *line, const struct place *places, size_t count,
                        const struct table *table, bool first)
{
	line->count = 0;
	for (size_t i = 0; i < count; i++) {
		struct str title = str_of(table->columns[i].title);
		size_t cut = places[i].title_cut;

		if (places[i].left_out)
			continue;
		line->columns[line->count] = table->columns[i];
		line->widths[line->count] = places[i].width;
		line->columns[line->count].title = title.s + cut;
		line->texts[line->count++] = first ? (struct str){title.s, cut} : title;
	}
}

static void fill_cells(struct report_line *line, const struct place *places,
                       const struct table *table, size_t at)
{
	line->count = 0;
	for (size_t i = 0; i < table->count; i++)
		if (!places[i].left_out)
			line->texts[line->count++] = shorten_get(&places[i].texts, cell(table, at + i));
}

/* Names the columns that are left out and not empty. */
static void name_left_out(const struct table *table, const struct place *places, struct output *out)
{
	bool any = false;

	for (size_t i = 0; i < table->count; i++) {
		if (!places[i].left_out || !places[i].filled)
			continue;
		output_text(out, any ? ", " : "\nno room for: ");
		plaintext_put(&out->buf, str_of(table->columns[i].title));
		any = true;
	}
	if (any)
		output_char(out, '\n');
}

void table_print(const struct table *table, struct output *out)
{
	struct place *places = mem_zero(table->count, sizeof *places);
	struct report_line line = {.columns = mem_alloc(table->count, sizeof *line.columns),
	                           .widths = mem_alloc(table->count, sizeof *line.widths),
	                           .texts = mem_alloc(table->count, sizeof *line.texts)};
	bool two_lines = place_columns(table, places);

	for (size_t i = 0; i < table->count; i++)
		shorten_column(table, places, i);
	fill_titles(&line, places, table->count, table, two_lines);
	if (two_lines)
		table_print_row(line.columns, line.count, line.widths, line.texts, out);
	table_print_head(line.columns, line.count, line.widths, out);
	for (size_t at = 0; at + table->count <= table->cells; at += table->count) {
		fill_cells(&line, places, table, at);
		table_print_row(line.columns, line.count, line.widths, line.texts, out);
	}
	name_left_out(table, places, out);
	for (size_t i = 0; i < table->count; i++)
		shorten_free(&places[i].texts);
	free(places);
	free(line.columns);
	free(line.widths);
	free(line.texts);
}

void table_free(struct table *table)
{
	buf_free(&table->text);
	free(table->ends);
	table->ends = NULL;
	table->cells = table->cells_cap = 0;
}

/* --- Markdown --------------------------------------------------------------- */

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/*
 * Whether the character at i is only itself in Markdown, if all others of the text are, too. What
 * could begin a list, a heading, a link, an address, an emphasis or a reference on GitHub is not.
 */
static bool is_itself(struct str text, size_t i)
{
	char c = text.s[i];
	char before = i ? text.s[i - 1] : ' ';
	char after = i + 1 < text.n ? text.s[i + 1] : ' ';

	switch (c) {
	case ' ':
		return before != ' ';
	case '.':
		return str_is_digit(before) && str_is_digit(after);
	case ':':
		return after == ' ';
	case '_':
		return is_alnum(before) && is_alnum(after);
	case '-': /* a list, or a number; GH-1 */
	case '+':
		return str_is_digit(after) == (i == 0);
	case ')': /* 1) begins a list */
		return !str_is_digit(text.s[0]);
	case ']':
		return after != '(' && after != '[' && after != ':';
	case '[':
	case '>':
	case '=':
		return i > 0;
	default:
		return is_alnum(c) || (unsigned char)c >= 0x80 || str_has_byte(STR(",;%(/\"'?"), c);
	}
}

static bool has_markup(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!is_itself(text, i))
			return true;
	return false;
}

static size_t longest_run(struct str text, char c)
{
	size_t longest = 0;
	size_t run = 0;

	for (size_t i = 0; i < text.n; i++) {
		run = text.s[i] == c ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/* A code span, in which Markdown has no markup; of a cell only the bar must be escaped. */
static void put_code(struct buf *out, struct str text, bool cell)
{
	size_t fence = longest_run(text, '`') + 1;
	char first = text.s[0];
	char last = text.s[text.n - 1];
	bool pad = first == '`' || last == '`' || (first == ' ' && last == ' ');

	for (size_t i = 0; i < fence; i++)
		buf_char(out, '`');
	spaces(out, pad);
	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] == '|' && cell)
			buf_char(out, '\\');
		buf_char(out, text.s[i]);
	}
	spaces(out, pad);
	for (size_t i = 0; i < fence; i++)
		buf_char(out, '`');
}

static void put_markdown(struct buf *out, struct str text, bool cell)
{
	struct buf plain = {0};
	struct str shown;

	plaintext_put(&plain, text);
	shown = buf_view(&plain);
	if (has_markup(shown) && !(cell && str_equal(shown, STR("-"))))
		put_code(out, shown, cell);
	else
		buf_str(out, shown);
	buf_free(&plain);
}

void table_markdown_text(struct buf *out, struct str text)
{
	put_markdown(out, text, false);
}

void table_html_text(struct buf *out, struct str text)
{
	static const char *const references[][2] = {
		{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}};
	enum { REFERENCES = sizeof references / sizeof *references };
	struct buf plain = {0};

	plaintext_put(&plain, text);
	for (size_t i = 0; i < plain.len; i++) {
		size_t k = 0;

		while (k < REFERENCES && plain.data[i] != *references[k][0])
			k++;
		if (k < REFERENCES)
			buf_text(out, references[k][1]);
		else
			buf_char(out, plain.data[i]);
	}
	buf_free(&plain);
}

static size_t markdown_width(struct str text)
{
	struct buf written = {0};
	size_t width;

	put_markdown(&written, text, true);
	width = width_of(buf_view(&written));
	buf_free(&written);
	return width;
}

void table_markdown_row(struct buf *out, const struct str *cells, size_t count)
{
	buf_char(out, '|');
	for (size_t i = 0; i < count; i++) {
		buf_char(out, ' ');
		put_markdown(out, cells[i], true);
		buf_text(out, " |");
	}
	buf_char(out, '\n');
}

void table_markdown_rule(struct buf *out, size_t count, bool right)
{
	buf_char(out, '|');
	for (size_t i = 0; i < count; i++)
		buf_text(out, i && right ? " ---: |" : " --- |");
	buf_char(out, '\n');
}

void table_markdown_head(const struct table_column *columns, size_t count, struct output *out)
{
	struct str *titles = mem_alloc(count, sizeof *titles);

	for (size_t i = 0; i < count; i++)
		titles[i] = str_of(columns[i].title);
	table_markdown_row(&out->buf, titles, count);
	output_char(out, '|');
	for (size_t i = 0; i < count; i++)
		output_text(out, columns[i].right ? " ---: |" : " --- |");
	output_char(out, '\n');
	free(titles);
}

void table_markdown(const struct table *table, struct output *out)
{
	struct str *row = mem_alloc(table->count, sizeof *row);

	table_markdown_head(table->columns, table->count, out);
	for (size_t at = 0; at + table->count <= table->cells; at += table->count) {
		fill_row(table, row, at);
		table_markdown_row(&out->buf, row, table->count);
		output_drain(out);
	}
	free(row);
}

/* A row of Markdown whose cells are filled up to the widths of their columns. */
static void padded_row(const struct table *table, struct output *out, const struct str *row,
                       const size_t *widths, char fill)
{
	output_char(out, '|');
	for (size_t i = 0; i < table->count; i++) {
		output_char(out, ' ');
		put_markdown(&out->buf, row[i], true);
		for (size_t pad = markdown_width(row[i]); pad < widths[i]; pad++)
			output_char(out, fill);
		output_text(out, " |");
	}
	output_char(out, '\n');
}

void table_markdown_padded(const struct table *table, struct output *out)
{
	size_t *widths = mem_alloc(table->count, sizeof *widths);
	struct str *row = mem_alloc(table->count, sizeof *row);

	for (size_t i = 0; i < table->count; i++)
		widths[i] = width_of_column(table, i, markdown_width);
	fill_row(table, row, SIZE_MAX);
	padded_row(table, out, row, widths, ' ');
	for (size_t i = 0; i < table->count; i++)
		row[i] = STR("");
	padded_row(table, out, row, widths, '-');
	for (size_t at = 0; at + table->count <= table->cells; at += table->count) {
		fill_row(table, row, at);
		padded_row(table, out, row, widths, ' ');
	}
	free(row);
	free(widths);
}

/* --- pieces of a report ----------------------------------------------------- */

void table_number(struct output *out, struct dec x, int places, int width)
{
	struct buf text = {0};

	dec_print_fixed(&text, x, places, true);
	for (size_t n = text.len; n < (size_t)width; n++)
		output_char(out, ' ');
	output_str(out, buf_view(&text));
	buf_free(&text);
}
