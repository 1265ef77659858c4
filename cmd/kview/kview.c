/*
 * kview - shows rows to people, as aligned text, Markdown or a table of HTML, which is a part of a
 * page, and gives them to other tools, as plain TSV, CSV or JSON lines.
 *
 *	#ts	dur	name	cat
 *	0	10.25	MatMul	kernel
 *	10	3	Add	kernel
 * gives
 *	cat: kernel
 *
 *	ts (us)  dur (us)  name
 *	-------------------------
 *	      0     10.25  MatMul
 *	     10      3.00  Add
 *
 * For people, the first 1,000 rows are held in memory, and further rows in a temporary file. If the
 * width is limited, memory also grows with the distinct long texts. For other tools memory is
 * constant.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "answer/damage.h"
#include "answer/width.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "io/spool.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "stream/times.h"

#include "fit.h"
#include "views.h"

/* Why a row is dropped. */
enum reason { PAST_N, REASONS };

static const char *const reasons[REASONS] = {"past -n"};
BALANCE_FITS(reasons);

enum { MOST_DIGITS = 9, KEPT_IN_MEMORY = 1000 };

/*
 * The rows of a table: the first ones in memory, all others in a spool, so that a small input needs
 * no temporary file.
 */
struct kept {
	struct buf text; /* text of the rows in memory */
	size_t *ends;    /* end of each row in text */
	size_t ends_cap;
	size_t in_memory;
	bool spooled; /* spool is open: there are more */
	struct spool spool;
	size_t next;
};

struct column {
	struct str name; /* the column's name, whose bytes it owns */
	int at;          /* its index in the input */
	size_t places;   /* places after the point; SIZE_MAX: as the shape of the column has them */
	char unit[sizeof "cycles"]; /* unit of its rows: a later ##unit is of other rows */
	struct fit_column shown;
};

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	const struct view *view;
	struct words chosen; /* -c */
	size_t first;        /* -n; SIZE_MAX: all rows */
	size_t limit;        /* width to print; SIZE_MAX: any */
	bool heading;
	const char *unit_below; /* the unit of times, if a line below the table has it; else NULL */
	/* The layout. */
	struct column *columns;
	size_t count;
	int dur;
	bool any_layout;
	bool new_units; /* a ##unit or ##of line came after the columns line */
	/* The table at hand. */
	uint64_t rows;       /* rows of this layout */
	uint64_t rows_shown; /* rows that are printed */
	struct kept kept;
	bool of_other;  /* ##of: totals are not of durations */
	int operand;    /* number of the file that has the ##of line */
	uint64_t heads; /* heads in this file up to the ##of line */
	/* The shown columns. */
	struct table_column *titles;
	struct str *names;
	size_t *shown; /* their indexes */
	size_t shown_count;
	size_t *widths;
	struct str *cells;
	struct buf text; /* cells of a row */
	struct buf damages;
	struct jsonw json;
	struct buf scratch;
	struct buf plain;
	struct buf number;
};

enum { WIDTH = OPT_LONG, TSV_FORM, CSV_FORM, HTML_FORM };

static const struct opt opts[] = {
	{'c', "columns", "COL[:DIGITS],...", "show these columns, with so many places after the point"},
	{'n', "first", "N", "show the first N rows"},
	{WIDTH, "width", "N", "use at most N columns of text (default: those of the terminal)"},
	{TSV_FORM, "tsv", NULL, "write TSV with one header line, without # and ##"},
	{CSV_FORM, "csv", NULL, "write CSV"},
	{'j', "json", NULL, "write JSON, an object in each line"},
	{'M', "markdown", NULL, "write a Markdown table"},
	{HTML_FORM, "html", NULL, "write an HTML table, as a part of a page"},
	{'H', "no-head", NULL, "leave out the heading"},
};

static const struct opt_usage usage = {
	"[-c COL[:DIGITS],...] [-n N] [--width=N] [--tsv | --csv | -j | -M | --html]\n"
	"             [FILE...]",
	"Show rows as an aligned table, or convert them to TSV, CSV, JSON, Markdown or HTML.", opts,
	sizeof opts / sizeof *opts};

/* --- the layout -------------------------------------------------------------- */

static struct str copy_of(struct str text)
{
	return (struct str){mem_string(text.s, text.n), text.n};
}

/* A ##of line is of one stream: the next one begins without. */
static void see_stream(struct state *st)
{
	if (st->in.operand == st->operand && st->in.heads == st->heads)
		return;
	st->operand = st->in.operand;
	st->heads = st->in.heads;
	st->of_other = false;
}

/* Sets what is known of a column before its first row. */
static void know(struct state *st, struct column *column)
{
	snprintf(column->unit, sizeof column->unit, "%s",
	         times_unit(&st->in, column->name, st->of_other));
	column->shown.answer = st->chosen.count || fit_is_answer(&st->in, column->name);
}

/* COL[:DIGITS]: a column of that whole name goes first. */
static void choose(struct state *st, struct str item, struct column *column)
{
	size_t n = item.n;
	char digit = n ? item.s[n - 1] : '\0';

	*column = (struct column){.name = item, .places = SIZE_MAX};
	if (kev_column(&st->in, item) == KEV_NONE && n > 2 && item.s[n - 2] == ':' && digit >= '0' &&
	    digit <= '0' + MOST_DIGITS) {
		column->name.n = n - 2;
		column->places = (size_t)(digit - '0');
	}
	kev_need(&st->in, column->name, &column->at);
	column->name = copy_of(column->name);
}

/* The columns that -c chooses. */
static void choose_all(struct state *st, struct column *columns)
{
	struct strmap names = {0};

	for (size_t i = 0; i < st->chosen.count; i++) {
		bool new;

		choose(st, st->chosen.item[i], &columns[i]);
		strmap_add(&names, columns[i].name, &new);
		if (!new)
			opts_fail("-c: '%s' is given twice", columns[i].name.s);
	}
	strmap_free(&names);
}

/* The columns to be shown of the layout of the input. */
static struct column *columns_of(struct state *st, size_t *count)
{
	struct column *columns;

	*count = st->chosen.count ? st->chosen.count : st->in.columns_count;
	columns = mem_zero(*count, sizeof *columns);
	if (st->chosen.count)
		choose_all(st, columns);
	for (size_t i = 0; st->chosen.count == 0 && i < *count; i++)
		columns[i] =
			(struct column){.name = copy_of(st->in.column[i]), .at = (int)i, .places = SIZE_MAX};
	for (size_t i = 0; i < *count; i++)
		know(st, &columns[i]);
	return columns;
}

static void free_columns(struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free((char *)columns[i].name.s);
		fit_free(&columns[i].shown);
	}
	free(columns);
}

static bool same_names(const struct state *st, const struct column *columns, size_t count)
{
	if (count != st->count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!str_equal(columns[i].name, st->columns[i].name))
			return false;
	return true;
}

/* The text, or its number with the places that the user asked for. */
static struct str rounded(struct state *st, struct column *column, struct str text)
{
	st->number.len = 0;
	if (column->places == SIZE_MAX || text.n == 0 ||
	    !shape_round(&column->shown.shape, &st->number, text, column->places))
		return text;
	return buf_view(&st->number);
}

/* --- rows for other tools ----------------------------------------------------- */

static void put_header(struct state *st)
{
	struct buf *out = &st->out.out.buf;

	for (size_t i = 0; i < st->count; i++) {
		if (i)
			buf_char(out, st->view->between);
		st->view->text(out, st->columns[i].name);
	}
	buf_char(out, '\n');
}

static struct str cell_text(struct state *st, struct column *column)
{
	return rounded(st, column, kev_text(&st->in, column->at, &st->scratch));
}

static void put_line(struct state *st)
{
	struct buf *out = &st->out.out.buf;
	size_t begin = out->len;

	for (size_t i = 0; i < st->count; i++) {
		if (i)
			buf_char(out, st->view->between);
		st->view->text(out, cell_text(st, &st->columns[i]));
	}
	if (out->len == begin && st->view->blank)
		buf_text(out, st->view->blank);
	buf_char(out, '\n');
}

static void put_object(struct state *st)
{
	st->view->begin(&st->json);
	for (size_t i = 0; i < st->count; i++)
		st->view->cell(&st->json, st->columns[i].name, cell_text(st, &st->columns[i]));
	st->view->end(&st->json);
}

static void put_row(struct state *st)
{
	if (st->view->begin)
		put_object(st);
	else
		put_line(st);
	output_drain(&st->out.out);
}

/* --- rows for people: first they are kept -------------------------------------- */

static bool put_kept(struct kept *kept, struct str text)
{
	if (kept->in_memory < KEPT_IN_MEMORY) {
		kept->ends = mem_grow(kept->ends, &kept->ends_cap, kept->in_memory + 1, sizeof *kept->ends);
		buf_str(&kept->text, text);
		kept->ends[kept->in_memory++] = kept->text.len;
		return true;
	}
	if (!kept->spooled && !spool_open(&kept->spool))
		return false;
	kept->spooled = true;
	return spool_put(&kept->spool, "", 0, text);
}

static void rewind_kept(struct kept *kept)
{
	kept->next = 0;
	if (kept->spooled && !spool_rewind(&kept->spool))
		die("%s", kept->spool.error);
}

/* The next kept row, split into `count` fields; false after the last. */
static bool next_kept(struct kept *kept, struct str *fields, size_t count)
{
	struct str line;
	char no_head;
	int more = 0;

	if (kept->next < kept->in_memory) {
		size_t begin = kept->next ? kept->ends[kept->next - 1] : 0;

		line = (struct str){kept->text.data + begin, kept->ends[kept->next++] - begin};
		more = 1;
	} else if (kept->spooled) {
		more = spool_next(&kept->spool, &no_head, 0, &line);
	}
	if (more < 0)
		die("%s", kept->spool.error);
	if (more > 0)
		tsv_split(line, fields, count);
	return more > 0;
}

static void free_kept(struct kept *kept)
{
	buf_free(&kept->text);
	free(kept->ends);
	if (kept->spooled)
		spool_close(&kept->spool);
	*kept = (struct kept){0};
}

static struct str plain_of(struct state *st, struct str text)
{
	st->plain.len = 0;
	plaintext_put(&st->plain, text);
	return buf_view(&st->plain);
}

static void keep_row(struct state *st)
{
	st->text.len = 0;
	for (size_t i = 0; i < st->count; i++) {
		struct column *column = &st->columns[i];
		struct str text = kev_text(&st->in, column->at, &st->scratch);

		shape_see(&column->shown.shape, text);
		if (st->limit != SIZE_MAX && column->shown.shape.words)
			shorten_add(&column->shown.texts, plain_of(st, text));
		if (i)
			buf_char(&st->text, '\t');
		buf_str(&st->text, st->in.field[column->at]);
	}
	if (!put_kept(&st->kept, buf_view(&st->text)))
		die("%s", st->kept.spool.error);
}

/* --- the table ----------------------------------------------------------------- */

static char *title_of(struct state *st, const struct column *column, bool unit)
{
	struct str name = plain_of(st, column->name);
	struct buf title = {0};

	buf_str(&title, name);
	if (*column->unit && unit)
		buf_format(&title, " (%s)", column->unit);
	buf_char(&title, '\0');
	return title.data;
}

/* A value as it is shown; good until the next one. */
static struct str shown_text(struct state *st, struct column *column, struct str field)
{
	struct str text = rounded(st, column, tsv_text(field, &st->scratch));

	if (!shape_is_number(&column->shown.shape))
		return plain_of(st, text);
	if (column->places != SIZE_MAX)
		return text;
	st->plain.len = 0;
	shape_put(&column->shown.shape, &st->plain, text);
	return buf_view(&st->plain);
}

/* The widths that the first rows need. */
static void measure(struct state *st)
{
	struct str *fields = mem_alloc(st->count, sizeof *fields);

	for (size_t i = 0; i < st->count; i++) {
		struct column *column = &st->columns[i];

		free(column->shown.title);
		column->shown.title = title_of(st, column, !st->unit_below);
		column->shown.width = width_of(str_of(column->shown.title));
	}
	rewind_kept(&st->kept);
	for (size_t row = 0; row < KEPT_IN_MEMORY && next_kept(&st->kept, fields, st->count); row++) {
		for (size_t i = 0; i < st->count; i++) {
			struct column *column = &st->columns[i];
			size_t width = width_of(shown_text(st, column, fields[i]));

			if (width > column->shown.width)
				column->shown.width = width;
		}
	}
	free(fields);
}

/* Decides which columns are in the table, and how wide they are; the number without room. */
static size_t choose_columns(struct state *st)
{
	struct fit_column **columns = mem_alloc(st->count, sizeof(struct fit_column *));
	size_t left_out = 0;

	measure(st);

	for (size_t i = 0; i < st->count; i++)
		columns[i] = &st->columns[i].shown;
	fit_choose(columns, st->count);
	if (st->limit != SIZE_MAX)
		fit_narrow(columns, st->count, st->limit);
	free((void *)columns);
	for (size_t i = 0; i < st->count; i++)
		left_out += st->columns[i].shown.fate == FIT_NO_ROOM;
	return left_out;
}

/* The unit that all columns of times have; NULL if there is none. */
static const char *common_unit(const struct state *st)
{
	const char *unit = NULL;

	for (size_t i = 0; i < st->count; i++) {
		const char *other = st->columns[i].unit;

		if (unit && *other && strcmp(unit, other) != 0)
			return NULL;
		unit = *other ? other : unit;
	}
	return unit;
}

/* The unit leaves the heading if that makes room for a column. */
static void fit(struct state *st)
{
	const char *unit = common_unit(st);
	size_t left_out;

	st->unit_below = NULL;
	left_out = choose_columns(st);
	if (left_out == 0 || !unit)
		return;
	st->unit_below = unit;
	if (choose_columns(st) < left_out)
		return;
	st->unit_below = NULL;
	choose_columns(st);
}

static void fill_titles(struct state *st)
{
	st->titles = mem_alloc(st->count, sizeof *st->titles);
	st->names = mem_alloc(st->count, sizeof *st->names);
	st->shown = mem_alloc(st->count, sizeof *st->shown);
	st->widths = mem_alloc(st->count, sizeof *st->widths);
	st->cells = mem_alloc(st->count, sizeof *st->cells);
	st->shown_count = 0;
	for (size_t i = 0; i < st->count; i++) {
		const struct column *column = &st->columns[i];

		if (column->shown.fate != FIT_SHOWN)
			continue;
		st->titles[st->shown_count] =
			(struct table_column){column->shown.title, shape_is_number(&column->shown.shape)};
		st->names[st->shown_count] = column->name;
		st->widths[st->shown_count] = column->shown.width;
		st->shown[st->shown_count++] = i;
	}
}

static void free_titles(struct state *st)
{
	free(st->titles);
	free(st->names);
	free(st->shown);
	free(st->widths);
	free(st->cells);
}

/* Sets cells to those of a kept row. */
static void fill_cells(struct state *st, const struct str *fields)
{
	st->text.len = 0;
	for (size_t i = 0; i < st->shown_count; i++) {
		struct column *column = &st->columns[st->shown[i]];
		struct str text = shown_text(st, column, fields[st->shown[i]]);

		if (st->view->fits_width)
			text = shorten_get(&column->shown.texts, text);
		buf_str(&st->text, text);
		st->cells[i].n = text.n;
	}
	for (size_t i = 0, at = 0; i < st->shown_count; i++) {
		st->cells[i].s = st->text.data + at;
		at += st->cells[i].n;
	}
}

/* Text of a view, which may have none. */
static void put_of_view(struct state *st, const char *text)
{
	output_text(&st->out.out, text ? text : "");
}

static void end_item(struct state *st)
{
	put_of_view(st, st->view->item_end);
	output_char(&st->out.out, '\n');
}

enum { ABOVE_LINES = 3 }; /* columns above a table that have a line of their own */

/*
 * Columns of one value stand above the table, where they are seen; in aligned text several share a
 * line if there are many.
 */
static void put_above(struct state *st)
{
	struct output *out = &st->out.out;
	size_t count = 0;
	size_t used = 0; /* columns of text in the line */

	for (size_t i = 0; i < st->count; i++)
		count += st->columns[i].shown.fate == FIT_ONE;
	for (size_t i = 0; i < st->count; i++) {
		struct column *column = &st->columns[i];
		size_t width;
		char *title;

		if (column->shown.fate != FIT_ONE)
			continue;
		title = title_of(st, column, true);
		st->text.len = 0;
		st->view->text(&st->text, str_of(title));
		free(title);
		buf_text(&st->text, ": ");
		st->view->text(&st->text, shown_text(st, column, buf_view(&column->shown.shape.first)));
		width = width_of(buf_view(&st->text));
		if (used && count > ABOVE_LINES && st->view->fits_width && used + 2 + width <= st->limit) {
			output_text(out, "  ");
			used += 2 + width;
		} else {
			if (used)
				end_item(st);
			output_text(out, st->view->item);
			used = width;
		}
		output_str(out, buf_view(&st->text));
	}
	if (count) {
		end_item(st);
		output_char(out, '\n');
	}
}

/* Begins a line below the table, the first one after an empty line. */
static void begin_below(struct state *st, bool *below)
{
	if (!*below)
		output_char(&st->out.out, '\n');
	*below = true;
	output_text(&st->out.out, st->view->item);
}

/* A line that names the columns of this fate; unit: only those with a unit. */
static void name_columns(struct state *st, enum fit_fate fate, const char *what, bool unit,
                         bool *below)
{
	bool any = false;

	for (size_t i = 0; i < st->count; i++) {
		const struct column *column = &st->columns[i];

		if (column->shown.fate != fate || (unit && !*column->unit))
			continue;
		if (!any) {
			begin_below(st, below);
			output_text(&st->out.out, what);
		}
		output_text(&st->out.out, any ? ", " : ": ");
		st->view->text(&st->out.out.buf, column->name);
		any = true;
	}
	if (any)
		end_item(st);
}

static void put_below(struct state *st)
{
	struct output *out = &st->out.out;
	bool below = false;
	char in_unit[sizeof "in cycles"];

	if (st->unit_below) {
		snprintf(in_unit, sizeof in_unit, "in %s", st->unit_below);
		name_columns(st, FIT_SHOWN, in_unit, true, &below);
	}
	if (st->chosen.count && st->rows_shown)
		name_columns(st, FIT_EMPTY, "empty", false, &below);
	name_columns(st, FIT_NO_ROOM, "no room for", false, &below);
	if (st->rows_shown < st->rows) {
		begin_below(st, &below);
		output_format(out, "%llu of %llu rows", (unsigned long long)st->rows_shown,
		              (unsigned long long)st->rows);
		end_item(st);
	}
}

/* Prints the rows of one layout, and forgets them. */
static void put_table(struct state *st)
{
	const struct view *view = st->view;
	struct output *out = &st->out.out;
	struct str *fields = mem_alloc(st->count, sizeof *fields);

	fit(st);
	fill_titles(st);
	put_above(st);
	put_of_view(st, view->open);
	if (st->heading || view->keeps_head)
		view->head(st->titles, st->names, st->shown_count, st->widths, out);
	put_of_view(st, view->body);
	rewind_kept(&st->kept);
	while (next_kept(&st->kept, fields, st->count)) {
		fill_cells(st, fields);
		view->row(st->titles, st->shown_count, st->widths, st->cells, out);
		output_drain(out);
	}
	put_of_view(st, view->close);
	put_below(st);
	free(fields);
	free_titles(st);
	free_kept(&st->kept);
	st->rows = st->rows_shown = 0;
}

/* --- input ----------------------------------------------------------------- */

static void metadata(struct state *st)
{
	see_stream(st);
	st->new_units |= str_equal(st->in.key, STR("of")) || str_equal(st->in.key, STR("unit"));
	if (str_equal(st->in.key, STR("of")))
		st->of_other = !str_equal(st->in.value, STR("dur"));
	if (str_equal(st->in.key, STR("damaged")))
		damage_note(&st->damages, NULL, &st->in);
	kev_note_damage(&st->out, &st->in);
}

static void keep_unit(struct column *column, const char *unit)
{
	if (strcmp(column->unit, unit) != 0)
		column->unit[0] = '\0';
}

/*
 * A filter of several files writes equal columns lines once: the rows below a ##unit or ##of line
 * may be of another unit.
 */
static void keep_units(struct state *st)
{
	for (size_t i = 0; i < st->count; i++)
		keep_unit(&st->columns[i], times_unit(&st->in, st->columns[i].name, st->of_other));
	st->new_units = false;
}

/* Goes on with the rows of an equal layout, perhaps in another order or unit. */
static void continue_layout(struct state *st, const struct column *columns)
{
	for (size_t i = 0; i < st->count; i++) {
		st->columns[i].at = columns[i].at;
		keep_unit(&st->columns[i], columns[i].unit);
	}
}

static void columns(struct state *st)
{
	struct column *columns;
	size_t count;

	see_stream(st);
	st->new_units = false;
	columns = columns_of(st, &count);
	st->dur = kev_column(&st->in, STR("dur"));
	if (st->in.error[0]) {
		free_columns(columns, count);
		return;
	}
	if (st->any_layout && same_names(st, columns, count)) {
		continue_layout(st, columns);
		free_columns(columns, count);
		return;
	}
	if (st->any_layout && st->view->one_header) {
		kev_misuse(&st->in,
		           "the columns change here, but %s has one header; choose columns that all "
		           "rows have with -c",
		           st->view->one_header);
		free_columns(columns, count);
		return;
	}
	if (st->any_layout && st->view->is_table) {
		put_table(st);
		output_char(&st->out.out, '\n');
	}
	free_columns(st->columns, st->count);
	st->columns = columns;
	st->count = count;
	st->any_layout = true;
	if (st->view->one_header && st->heading)
		put_header(st);
}

static void row(struct state *st)
{
	struct str dur = st->dur == KEV_NONE ? STR("") : st->in.field[st->dur];

	if (st->new_units)
		keep_units(st);
	balance_in(&st->balance, dur);
	st->rows++;
	if (st->balance.out.rows >= st->first) {
		balance_drop(&st->balance, PAST_N, dur);
		return;
	}
	balance_out(&st->balance, dur);
	st->rows_shown++;
	if (st->view->is_table)
		keep_row(st);
	else
		put_row(st);
}

static void finish(struct state *st)
{
	if (st->view->is_table && st->any_layout)
		put_table(st);
	if (st->view->damages)
		st->view->damages(&st->out.out, &st->damages);
	st->balance.unit = st->in.units_differ ? NULL : kev_unit(&st->in);
	balance_print(&st->balance);
}

/* The columns of the terminal; SIZE_MAX if standard output is none. */
static size_t terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col)
		return SIZE_MAX;
	return size.ws_col;
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS},
	                   .view = views_find(NULL),
	                   .first = SIZE_MAX,
	                   .limit = SIZE_MAX,
	                   .heading = true};
	enum kev_item item;
	size_t width = 0;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'c':
			opts_words(&st.opts, &st.chosen);
			break;
		case 'n':
			st.first = opts_number(&st.opts, 1);
			break;
		case WIDTH:
			width = opts_number(&st.opts, SHORTEN_LEAST);
			break;
		default:
			st.view = views_find(st.opts.flag);
		}
	}
	st.balance.on = st.opts.verbose;
	st.heading = !st.opts.no_head;
	st.opts.no_head = true; /* no ## lines are written */
	if (width && !st.view->fits_width) {
		views_put_flags(&st.scratch);
		opts_fail("--width is for aligned text, without %.*s", (int)st.scratch.len,
		          st.scratch.data);
	}
	if (st.view->fits_width)
		st.limit = width ? width : terminal_width();

	kev_open(&st.in, &st.opts);
	kev_writer_init(&st.out, &st.opts);
	st.json = (struct jsonw){.out = &st.out.out.buf, .compact = true};
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
	free_columns(st.columns, st.count);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
