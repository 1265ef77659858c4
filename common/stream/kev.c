#include "stream/kev.h"

#include "base/mem.h"
#include "base/plaintext.h"
#include "stream/hint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *const kev_core[KEV_CORE] = {"ts", "dur", "type", "name",  "cat",
                                        "ph", "pid", "tid",  "source"};

/* --- reading ------------------------------------------------------------- */

void kev_open(struct kev_reader *r, const struct opts *opts)
{
	*r = (struct kev_reader){.opts = opts, .operands_end = opts->operands_count};
}

void kev_open_operand(struct kev_reader *r, const struct opts *opts, int operand)
{
	*r = (struct kev_reader){.opts = opts, .operand = operand, .operands_end = operand + 1};
}

void kev_open_next(struct kev_reader *r, const struct opts *opts, int operand)
{
	bool before = r->before || r->opened;
	bool rounded = r->rounded;

	kev_open_operand(r, opts, operand);
	r->before = before;
	r->others = before || operand + 1 < opts->operands_count;
	r->rounded = rounded;
}

/* Records an error, if it is the first. */
static void fail(struct kev_reader *r, bool misused, const char *format, va_list args)
{
	if (r->error[0])
		return;
	plaintext_format(r->error, sizeof r->error, format, args);
	r->misused = misused;
	r->error_line = r->tsv.line;
}

enum kev_item kev_error(struct kev_reader *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail(r, false, format, args);
	va_end(args);
	return KEV_FAILED;
}

enum kev_item kev_misuse(struct kev_reader *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail(r, true, format, args);
	va_end(args);
	return KEV_FAILED;
}

/* Sets the layout to the names of the line, without its #; NULL: to the core columns. */
static enum kev_item set_columns(struct kev_reader *r, const struct str *line)
{
	struct buf *text = &r->columns_text;
	struct str implied[KEV_CORE];
	bool same = line && r->columns_line && str_equal(buf_view(&r->columns_raw), *line);
	size_t count = KEV_CORE;

	r->columns_known = true;
	r->layout_rows = false;
	r->layouts++;
	r->columns_line = line ? r->tsv.line : 0;
	if (same) /* columns are equal in most files after the first */
		return KEV_COLUMNS;
	text->len = r->columns_raw.len = 0;
	strmap_clear(&r->columns);
	if (line)
		count = tsv_split(*line, NULL, 0);
	r->column = mem_resize(r->column, count, sizeof *r->column);
	r->field = mem_resize(r->field, count, sizeof *r->field);
	r->columns_count = count;
	if (line) {
		tsv_split(*line, r->field, count);
		buf_reserve(text, line->n); /* without room, text could move under column[] */
		buf_str(&r->columns_raw, *line);
	} else {
		for (size_t i = 0; i < KEV_CORE; i++)
			implied[i] = str_of(kev_core[i]);
		memcpy(r->field, implied, sizeof implied);
		buf_reserve(text, 64);
	}
	for (size_t i = 0; i < count; i++) {
		size_t start = text->len;
		char name[QUOTE_MAX];
		bool new;

		tsv_unescape(text, r->field[i]);
		r->column[i] = (struct str){text->data + start, text->len - start};
		strmap_add(&r->columns, r->column[i], &new);
		if (!new)
			return kev_error(r, "two columns are named %s",
			                 quote(name, r->column[i].s, r->column[i].n));
	}
	return KEV_COLUMNS;
}

/* A ##damaged line of the stream. */
static void note_damage(struct kev_reader *r)
{
	const char *tab = memchr(r->value.s, '\t', r->value.n);
	struct str file = {r->value.s, tab ? (size_t)(tab - r->value.s) : r->value.n};
	struct str what = tab ? (struct str){tab + 1, r->value.n - file.n - 1} : STR("damaged");

	r->damages++;
	r->damage_is_usage = str_ends(what, STR("\tusage"));
	if (r->damage_is_usage)
		what.n -= strlen("\tusage");
	r->damage_file.len = 0;
	r->damage_what.len = 0;
	buf_str(&r->damage_file, file);
	buf_str(&r->damage_what, what);
}

/* Damage of the file being read, on this line (0: anywhere), as the ##damaged line that reports it.
 */
static enum kev_item own_damage(struct kev_reader *r, uint64_t line, struct str what)
{
	struct buf *value = &r->damage_value;

	r->damage_is_usage = false;
	r->damage_file.len = 0;
	r->damage_what.len = 0;
	kev_put_plain(&r->damage_file, str_of(r->file));
	if (line)
		buf_format(&r->damage_what, "line %llu: ", (unsigned long long)line);
	kev_put_plain(&r->damage_what, what);
	value->len = 0;
	buf_str(value, buf_view(&r->damage_file));
	buf_char(value, '\t');
	buf_str(value, buf_view(&r->damage_what));
	r->key = STR("damaged");
	r->has_value = true;
	r->value = buf_view(value);
	return KEV_META;
}

static enum kev_item set_unit(struct kev_reader *r, struct str unit)
{
	char before[QUOTE_MAX];
	char now[QUOTE_MAX];
	bool differs = r->unit.len && !str_equal(buf_view(&r->unit), unit);

	if (differs && r->one_unit)
		return kev_misuse(r, "unit: %s here, %s before: times of different units cannot be added",
		                  quote(now, unit.s, unit.n), quote(before, r->unit.data, r->unit.len));
	r->units_differ |= differs;
	r->unit.len = 0;
	buf_str(&r->unit, unit);
	return KEV_META;
}

/* --- sources --------------------------------------------------------------- */

/* Rows of several sources between which nothing tells. */
static void check_sources(struct kev_reader *r)
{
	if (r->by_source && r->interleaved && r->unnamed_rows)
		kev_misuse(r, "rows of several files were sorted together, and no column shows their file; "
		              "give it with -f of trace2tsv or csv2tsv");
}

/* The first row after a columns line. sort(1) puts the ends of writers before all rows. */
static void begin_rows(struct kev_reader *r)
{
	size_t sources = r->place - r->file_place;

	if (!r->file_rows && sources > 1 && r->writers.count && r->writers_open == 0)
		r->interleaved = true;
	r->file_rows = r->layout_rows = true;
	r->unnamed_rows |= kev_column(r, STR("file")) == KEV_NONE;
	check_sources(r);
}

/* --- ends of writers ------------------------------------------------------ */

/* The names of writers; so many are no pipe any more, and count as one. */
enum { WRITERS_MAX = 1000 };

static void count_end(struct kev_reader *r, struct str writer, bool reached)
{
	bool full = r->writers.count >= WRITERS_MAX && strmap_find(&r->writers, writer) == STRMAP_NONE;
	bool added;
	size_t number = strmap_add(&r->writers, full ? STR("others") : writer, &added);
	struct kev_ends *ends;

	r->ends = mem_grow(r->ends, &r->ends_cap, number + 1, sizeof *r->ends);
	ends = &r->ends[number];
	if (added)
		*ends = (struct kev_ends){0};
	r->writers_open -= ends->promised > ends->reached;
	if (reached)
		ends->reached++;
	else
		ends->promised++;
	r->writers_open += ends->promised > ends->reached;
}

/*
 * True if a ##kev line has nothing to go with: of streams that have ends, each has one, and a
 * columns line. Others may lack both, but not all that is to follow a head. By counts alone, as the
 * lines may be sorted.
 */
static bool has_head_alone(const struct kev_reader *r, uint64_t promised, uint64_t reached)
{
	if (r->heads <= promised || r->heads <= reached || r->heads <= r->damages)
		return false;
	return promised ? r->heads > r->layouts : r->layouts == 0;
}

/* At the end of a file that could be read: sets text to what is missing. False: nothing is. */
static bool is_unfinished(const struct kev_reader *r, struct buf *text)
{
	struct kev_ends all = {0};
	uint64_t missing = 0;
	struct str first = {0};
	char name[QUOTE_MAX];

	text->len = 0;
	for (size_t i = 0; i < r->writers.count; i++) {
		const struct kev_ends *ends = &r->ends[i];

		all.promised += ends->promised;
		all.reached += ends->reached;
		if (ends->promised <= ends->reached)
			continue;
		missing += ends->promised - ends->reached;
		if (!first.s)
			first = strmap_key(&r->writers, i);
	}
	if (missing == 1)
		buf_format(text,
		           "the output of %s has no end; the program was killed or the stream was cut",
		           quote(name, first.s, first.n));
	else if (missing)
		buf_format(
			text,
			"%llu outputs have no end, the first of %s; programs were killed or the stream was "
			"cut",
			(unsigned long long)missing, quote(name, first.s, first.n));
	else if (has_head_alone(r, all.promised, all.reached))
		buf_text(text, "a stream ends after its head, before a columns line");
	return text->len > 0;
}

/* True in a second look at items that were kept, not at a file that is read again. */
static bool from_spool(const struct kev_reader *r)
{
	return r->again && !r->reread;
}

static enum kev_item fail_changed(struct kev_reader *r)
{
	kev_error(r, "changed while it was read; run again when nothing writes to it");
	r->error_line = 0;
	return KEV_FAILED;
}

/* At the end of a look at a file: false, with an error, if the first look saw something else. */
static bool saw_the_same(struct kev_reader *r)
{
	const struct tsv_reader *tsv = &r->tsv;

	if (!r->again) {
		r->first_lines = tsv->line;
		snprintf(r->first_error, sizeof r->first_error, "%s", tsv->error);
		return true;
	}
	if (input_changed(&tsv->in))
		return fail_changed(r) != KEV_FAILED;
	/* If both looks break off at one place, or the second look before, that is damage. */
	if (r->first_error[0] && (!tsv->error[0] || tsv->line > r->first_lines)) {
		kev_error(r, "the first reading broke off (%s); run again", r->first_error);
		r->error_line = 0;
	} else if (!tsv->error[0] && tsv->line != r->first_lines) {
		fail_changed(r);
	}
	return !r->error[0];
}

/* Closes the file. Without a ##unit line its rows were in us. False on an error. */
static bool close_file(struct kev_reader *r)
{
	bool good = !r->file_rows || r->unit_said || set_unit(r, STR("us")) != KEV_FAILED;

	good = good && (from_spool(r) || saw_the_same(r));
	if (!from_spool(r))
		tsv_close(&r->tsv);
	r->open = false;
	return good;
}

/* A ## line, given without the ##. */
static enum kev_item metadata(struct kev_reader *r, struct str line)
{
	const char *tab = memchr(line.s, '\t', line.n);
	char version[QUOTE_MAX];

	r->key = (struct str){line.s, tab ? (size_t)(tab - line.s) : line.n};
	r->has_value = tab != NULL;
	r->value = tab ? (struct str){tab + 1, line.n - r->key.n - 1} : (struct str){"", 0};
	if (str_equal(r->key, STR("kev"))) {
		r->heads++;
		if (str_equal(r->value, STR("1")))
			return KEV_END;
		if (!r->has_value || str_starts(r->value, STR("1\t")))
			return kev_misuse(r,
			                  "the ##kev line was changed; a filter must let ## lines pass, as awk "
			                  "'/^#/ || ...' does, and cut(1) must keep field 2");
		return kev_error(r, "version %s of the stream: this program reads version 1",
		                 quote(version, r->value.s, r->value.n));
	}
	if (str_ends(r->key, STR("#kev")))
		return own_damage(r, r->tsv.line,
		                  STR("a line is cut off, and the next stream joined to it"));
	if (str_equal(r->key, STR("ends")) || str_equal(r->key, STR("end"))) {
		count_end(r, r->value, r->key.n == 3);
		return KEV_END;
	}
	if (str_equal(r->key, STR("unit"))) {
		r->unit_said = true;
		return set_unit(r, r->value);
	}
	if (str_equal(r->key, STR("source")))
		r->place++;
	if (str_equal(r->key, STR("interleaved"))) {
		r->interleaved = true;
		check_sources(r);
	}
	if (str_equal(r->key, STR("via")) && r->via.len == 0)
		buf_str(&r->via, r->value);
	if (str_equal(r->key, STR("damaged")))
		note_damage(r);
	return KEV_META;
}

/* Records an error if the first line shows that this is a file of another kind. */
static bool is_no_stream(struct kev_reader *r)
{
	struct str line = r->tsv.text;

	if (r->tsv.line != 1)
		return false;
	if (str_starts(line, STR("SQLite format 3")))
		kev_misuse(r, "this is an SQLite database, not a kev stream; convert it with sqlite2tsv");
	else if (str_has_byte(line, '\t'))
		return false;
	else if (line.n && (*line.s == '{' || *line.s == '['))
		kev_misuse(r, "this is JSON, not a kev stream; convert it with trace2tsv");
	else if (str_has_byte(line, ','))
		kev_misuse(r, "this is CSV, not a kev stream; convert it with csv2tsv");
	else if (!r->tsv.unended)
		kev_misuse(r, "this is not a kev stream; convert JSON with trace2tsv, CSV with csv2tsv");
	return r->error[0] != '\0';
}

/*
 * A short row, at the end of a stream whose writer did not end, was cut off, even if a filter has
 * given it a newline since. Takes its error back.
 */
static bool is_cut_row(struct kev_reader *r, size_t count)
{
	if (count > r->columns_count || !r->writers_open || from_spool(r) || tsv_next(&r->tsv) != 0)
		return false;
	r->error[0] = '\0';
	r->cut = r->tsv.unended = true;
	return true;
}

/* In a second look at a file: a row that was not kept. */
static bool was_left_out(const struct kev_reader *r)
{
	uint64_t byte = r->tsv.line / 8;

	return r->again && !from_spool(r) &&
	       (byte >= r->kept_lines.len ||
	        !((unsigned char)r->kept_lines.data[byte] >> r->tsv.line % 8 & 1));
}

/* The item of a row; KEV_END if the row is not wanted. */
static enum kev_item row(struct kev_reader *r)
{
	bool left_out = was_left_out(r);
	const char *fields;
	size_t count;

	/* Whether the last row was cut shows in its fields. */
	if (left_out && r->tsv.line != r->first_lines) {
		r->file_rows = true;
		return KEV_END;
	}
	count = r->fields ? r->fields : tsv_split(r->tsv.text, r->field, r->columns_count);
	fields = count == 1 ? "field" : "fields";
	if (count == r->columns_count) {
		if (!r->layout_rows)
			begin_rows(r);
		return left_out ? KEV_END : KEV_ROW;
	}
	if (r->tsv.unended && count < r->columns_count) {
		r->cut = true; /* not a row: the next item reports the damage */
		return KEV_END;
	}
	if (r->columns_line)
		kev_error(r, "%zu %s, but the columns line (line %llu) names %zu", count, fields,
		          (unsigned long long)r->columns_line, r->columns_count);
	else
		kev_error(r,
		          "%zu %s, but a stream without a columns line has the %zu core columns of kev(5)",
		          count, fields, r->columns_count);
	return is_cut_row(r, count) ? KEV_END : KEV_FAILED;
}

/* --- a second look -------------------------------------------------------- */

enum { FEW_ROWS = 1000 }; /* are written to a spool whatever their part of a file is */

/* The next kept line; returns as tsv_next. */
static int next_kept(struct kev_reader *r)
{
	int got = r->kept ? spool_next(&r->spool, &r->tsv.line, sizeof r->tsv.line, &r->tsv.text) : 0;

	if (got < 0)
		kev_error(r, "%s", r->spool.error);
	return got;
}

static void keep_line(struct kev_reader *r)
{
	struct buf *lines = &r->kept_lines;
	size_t byte = (size_t)(r->tsv.line / 8);

	if (byte >= lines->len) {
		memset(buf_reserve(lines, byte + 1 - lines->len), 0, byte + 1 - lines->len);
		lines->len = byte + 1;
	}
	lines->data[byte] = (char)(lines->data[byte] | 1 << r->tsv.line % 8);
}

/* Writes the item to the spool. False, with its error, if it cannot. */
static bool spool_item(struct kev_reader *r, enum kev_item item)
{
	struct str text = r->tsv.text;
	struct buf line = {0};
	bool good;

	if (item == KEV_COLUMNS) {
		kev_put_columns(&line, r->column, r->columns_count);
	} else if (item == KEV_META) {
		buf_text(&line, "##");
		buf_str(&line, r->key);
		buf_text(&line, r->has_value ? "\t" : "");
		buf_str(&line, r->value);
	}
	if (item != KEV_ROW)
		text = buf_view(&line);
	r->kept = r->kept || spool_open(&r->spool);
	good = r->kept && spool_put(&r->spool, &r->tsv.line, sizeof r->tsv.line, text);
	buf_free(&line);
	return good;
}

/* The spool is no good, as it failed or holds too much. A pipe has nothing else. */
static void leave_spool(struct kev_reader *r)
{
	r->reread = r->tsv.in.start >= 0;
	if (!r->reread)
		kev_error(r, "%s", r->spool.error);
	else if (r->kept)
		spool_close(&r->spool);
	r->kept = r->kept && !r->reread;
}

/*
 * Whether more than a quarter of a file is kept. Reading the whole file again takes less time than
 * writing so much.
 */
static bool are_many(const struct kev_reader *r)
{
	return r->kept_rows > FEW_ROWS && r->kept_rows > r->tsv.line / 4;
}

void kev_keep(struct kev_reader *r, enum kev_item item)
{
	bool is_file = r->tsv.in.start >= 0;

	if (r->again || r->error[0])
		return;
	if (is_file && item == KEV_ROW) {
		keep_line(r);
		r->kept_rows++;
	}
	if (r->reread)
		return;
	if ((is_file && are_many(r)) || !spool_item(r, item))
		leave_spool(r);
}

void kev_again(struct kev_reader *r)
{
	if (r->kept && !spool_rewind(&r->spool))
		leave_spool(r);
	r->again = true;
	r->operand--;
}

/* --- items ---------------------------------------------------------------- */

/*
 * Damage of a file that cannot be opened, and of the files after it with the same reason: partial
 * tables of a lost node may be thousands. The last file is left for an error if no file can be
 * opened.
 */
static enum kev_item unopened(struct kev_reader *r)
{
	int first = r->operand;
	int end = r->operands_end - (!r->opened && !r->others);
	uint64_t line = r->tsv.line;
	struct buf what = {0};
	enum kev_item item;

	buf_text(&what, r->tsv.error);
	while (r->operand < end && !r->ahead) {
		r->ahead = tsv_open(&r->tsv, r->opts->operands[r->operand]);
		if (!r->ahead && !str_equal(str_of(r->tsv.error), buf_view(&what)))
			break;
		r->operand += !r->ahead;
	}
	if (r->operand - first > 1)
		buf_format(&what, "; nor can the next %d files, up to %s", r->operand - first,
		           opts_name(r->opts, r->opts->operands[r->operand - 1]));
	else if (r->operand > first)
		buf_format(&what, "; nor can %s", opts_name(r->opts, r->opts->operands[first]));
	item = own_damage(r, line, buf_view(&what));
	buf_free(&what);
	return item;
}

/* Opens the next file. KEV_END if it is open. */
static enum kev_item open_file(struct kev_reader *r)
{
	const char *path = r->opts->operands[r->operand++];

	r->file = opts_name(r->opts, path);
	if (r->ahead) {
		r->ahead = false;
	} else if (!from_spool(r) && !(r->again ? tsv_again(&r->tsv) : tsv_open(&r->tsv, path))) {
		bool last = r->operand == r->operands_end;

		if (r->again || r->opts->strict || (last && !r->opened && !r->others))
			return kev_error(r, "%s", r->tsv.error);
		return unopened(r);
	}
	r->open = r->opened = true;
	if (r->again && !from_spool(r) && input_changed(&r->tsv.in))
		return fail_changed(r);
	r->columns_known = r->cut = r->file_rows = r->unit_said = false;
	r->layout_rows = r->interleaved = r->unnamed_rows = false;
	r->place = r->file_place = r->again ? r->file_place : r->place + 1;
	r->heads = r->layouts = r->damages = r->writers_open = 0;
	r->via.len = 0;
	strmap_clear(&r->writers);
	return KEV_END;
}

/* After the last line of a file, by the result of tsv_next. KEV_END: it was whole. */
static enum kev_item end_file(struct kev_reader *r, int got)
{
	if (!close_file(r) || r->error[0])
		return KEV_FAILED;
	if (from_spool(r))
		return KEV_END; /* damage of the input was kept, too */
	if (got < 0)
		return own_damage(r, r->tsv.line, str_of(r->tsv.error));
	/* A program that did not start leaves an empty stream. */
	if (r->tsv.line == 0)
		return own_damage(r, 0, STR("the stream is empty; it should at least have a head"));
	if (is_unfinished(r, &r->scratch))
		return own_damage(r, 0, buf_view(&r->scratch));
	return KEV_END;
}

/* The last line had no newline, and was given if it is whole. */
static enum kev_item end_cut_file(struct kev_reader *r)
{
	if (!close_file(r))
		return KEV_FAILED;
	r->tsv.unended = false;
	return own_damage(r, r->tsv.line,
	                  r->cut ? STR("the last line is cut off and was left out")
	                         : STR("the last line has no newline; it may be cut off"));
}

/* Reads a line as tsv_next does. It is most likely a row; few are kept for a second look. */
static int next_line(struct kev_reader *r)
{
	r->fields = 0;
	if (from_spool(r))
		return next_kept(r);
	if (r->again || !r->columns_known)
		return tsv_next(&r->tsv);
	return tsv_next_split(&r->tsv, r->field, r->columns_count, &r->fields);
}

/* The line at hand. KEV_END: it gives no item. */
static enum kev_item line(struct kev_reader *r)
{
	struct str text = r->tsv.text;
	enum kev_item item;

	/* A writer that promised an end ends in another line, so this one is cut, whatever it is. */
	if (r->tsv.unended && r->writers_open) {
		r->cut = true;
		return KEV_END;
	}
	if (text.n && *text.s == '#')
		return str_starts(text, STR("##")) ? metadata(r, (struct str){text.s + 2, text.n - 2})
		                                   : set_columns(r, &(struct str){text.s + 1, text.n - 1});
	if (r->columns_known)
		return row(r);
	if (is_no_stream(r))
		return KEV_FAILED;
	item = set_columns(r, NULL);
	r->columns_due = item == KEV_COLUMNS;
	return item;
}

/* True if the line at hand was split and is a row, as most are: no need for the looks of line(). */
static bool is_plain_row(const struct kev_reader *r)
{
	return r->fields && r->fields == r->columns_count && *r->tsv.text.s != '#' && !r->tsv.unended;
}

enum kev_item kev_next(struct kev_reader *r)
{
	enum kev_item item = KEV_END;

	while (item == KEV_END) {
		if (r->error[0])
			return KEV_FAILED;
		if (r->columns_due) {
			r->columns_due = false;
			item = row(r);
		} else if (!r->open) {
			if (r->operand == r->operands_end)
				return KEV_END;
			item = open_file(r);
		} else if (r->tsv.unended) {
			item = end_cut_file(r);
		} else {
			int got = next_line(r);

			if (got > 0 && is_plain_row(r)) {
				if (!r->layout_rows)
					begin_rows(r);
				return KEV_ROW;
			}
			item = got > 0 ? line(r) : end_file(r, got);
		}
	}
	return item;
}

const char *kev_unit(const struct kev_reader *r)
{
	return str_equal(buf_view(&r->unit), STR("cycles")) ? "cycles" : "us";
}

int kev_column(const struct kev_reader *r, struct str name)
{
	size_t number = strmap_find(&r->columns, name);

	return number == STRMAP_NONE ? KEV_NONE : (int)number;
}

bool kev_is_of(const struct kev_reader *r, struct str program)
{
	struct str via = buf_view(&r->via);

	return str_starts(via, program) && (via.n == program.n || via.s[program.n] == ' ');
}

/* advice: what may help besides. */
static bool need(struct kev_reader *r, const char *option, struct str name, const char *advice,
                 int *column)
{
	struct buf text = {0};
	char quoted[QUOTE_MAX];

	*column = kev_column(r, name);
	if (*column != KEV_NONE)
		return true;
	if (r->error[0])
		return false;
	buf_format(&text, "%scolumn %s is missing", option, quote(quoted, name.s, name.n));
	if (!r->columns_line)
		buf_text(&text, ": a stream without a columns line has only the core columns of kev(5)");
	hint_column(&text, r, name);
	/* "did you mean 'name'? a text needs ..." */
	buf_text(&text, advice + (advice[0] == ';' && str_ends(buf_view(&text), STR("?"))));
	kev_misuse(r, "%.*s", (int)text.len, text.data);
	buf_free(&text);
	return false;
}

bool kev_need(struct kev_reader *r, struct str name, int *column)
{
	return need(r, "", name, "", column);
}

bool kev_need_for(struct kev_reader *r, const char *option, struct str name, int *column)
{
	return need(r, option, name, "", column);
}

bool kev_need_or(struct kev_reader *r, struct str name, const char *advice, int *column)
{
	return need(r, "", name, advice, column);
}

void kev_layout(const struct kev_reader *r, struct buf *text)
{
	text->len = 0;
	for (size_t i = 0; i < r->columns_count; i++) {
		if (i)
			buf_char(text, '\t');
		tsv_escape(text, r->column[i]);
	}
}

struct str kev_text(const struct kev_reader *r, int column, struct buf *scratch)
{
	return column == KEV_NONE ? STR("") : tsv_text(r->field[column], scratch);
}

struct str kev_key(const struct kev_reader *r, const int *columns, size_t count, struct buf *key,
                   struct buf *scratch)
{
	/* Without a backslash there is no escape to make uniform, such as \# at the start of a row. */
	if (count == 1 && !str_has_byte(r->field[columns[0]], '\\'))
		return r->field[columns[0]];
	key->len = 0;
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_char(key, '\t');
		tsv_escape(key, kev_text(r, columns[i], scratch));
	}
	return buf_view(key);
}

/* The columns of quotients in tables of kevtools; "1" or "2" may follow. */
static bool is_quotient(struct str name)
{
	static const char *const names[] = {"mean",  "std",       "p",          "adjusted", "change",
	                                    "lag",   "tflops",    "gbs",        "algbw",    "busbw",
	                                    "drift", "intensity", "cumulative", "kernels"};

	if (name.n && (name.s[name.n - 1] == '1' || name.s[name.n - 1] == '2'))
		name.n--;
	if (str_ends(name, STR("share")) || str_ends(name, STR("ratio")))
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_equal(name, str_of(names[i])))
			return true;
	return false;
}

/* Whether text has no more digits than a quotient is rounded to, and no exponent: kev(5). */
static bool is_short(struct str text)
{
	size_t digits = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] >= '0' && text.s[i] <= '9')
			digits += digits || text.s[i] != '0';
		else if (text.s[i] != '.' && text.s[i] != '-')
			return false;
	}
	return digits <= DEC_SIGNIFICANT;
}

void kev_warn_rounded(struct kev_reader *r, int column)
{
	char name[QUOTE_MAX];

	if (r->rounded || (is_quotient(r->column[column]) && is_short(r->field[column])))
		return;
	r->rounded = true;
	plaintext_fit(name, sizeof name, r->column[column]);
	warn("%s:%llu: %s: " DEC_ROUNDED_TEXT, r->file, (unsigned long long)r->tsv.line, name);
}

bool kev_number(struct kev_reader *r, int column, struct dec *out)
{
	struct str text = column == KEV_NONE ? STR("") : r->field[column];
	char name[QUOTE_MAX];
	char value[QUOTE_MAX];
	enum dec_result result;

	if (text.n == 0)
		return false;
	result = dec_parse(text, out);
	if (result == DEC_OK || (result == DEC_ROUNDED && r->rounded))
		return true;
	if (result == DEC_ROUNDED) {
		kev_warn_rounded(r, column);
		return true;
	}
	plaintext_fit(name, sizeof name, r->column[column]);
	kev_error(r, "%s: %s is %s", name, quote(value, text.s, text.n),
	          result == DEC_OVERFLOW ? "too large" : "not a number");
	return false;
}

void kev_close(struct kev_reader *r)
{
	if (r->open && !from_spool(r))
		tsv_close(&r->tsv);
	if (r->kept)
		spool_close(&r->spool);
	buf_free(&r->kept_lines);
	free(r->column);
	free(r->field);
	buf_free(&r->columns_text);
	buf_free(&r->columns_raw);
	buf_free(&r->via);
	strmap_free(&r->columns);
	buf_free(&r->unit);
	buf_free(&r->damage_file);
	buf_free(&r->damage_what);
	buf_free(&r->damage_value);
	buf_free(&r->scratch);
	strmap_free(&r->writers);
	free(r->ends);
}
