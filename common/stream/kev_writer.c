#include "stream/kev_writer.h"

#include "base/mem.h"
#include "base/plaintext.h"
#include "stream/kev.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { VIA_OPERANDS = 4096 }; /* the most bytes of operands in a ##via line */

void kev_put_columns(struct buf *line, const struct str *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		buf_text(line, i ? "\t" : "#");
		if (i == 0 && names[0].n && names[0].s[0] == '#')
			buf_char(line, '\\'); /* without the backslash it would be metadata */
		tsv_escape(line, names[i]);
	}
}

void kev_put_plain(struct buf *line, struct str text)
{
	struct buf plain = {0};

	plaintext_put(&plain, text);
	tsv_escape(line, buf_view(&plain));
	buf_free(&plain);
}

void kev_writer_init(struct kev_writer *w, const struct opts *opts)
{
	*w = (struct kev_writer){.opts = opts};
	output_init(&w->out, 1, "standard output");
}

/* Begins a line. Drains the buffer before it, so that kev_take_back finds all of the line. */
static void begin_line(struct kev_writer *w)
{
	output_drain(&w->out);
	w->line_at = w->out.buf.len;
}

/* A promise of an end, or the end. */
static void put_end(struct kev_writer *w, const char *key)
{
	buf_format(&w->out.buf, "##%s\t", key);
	tsv_escape(&w->out.buf, str_of(die_program()));
	buf_char(&w->out.buf, '\n');
}

/* Begins a metadata line with "##key"; before the first, writes the ##kev line. */
static bool begin_meta(struct kev_writer *w, struct str key)
{
	if (!w->begun && !w->opts->no_head) {
		buf_text(&w->out.buf, "##kev\t1\n");
		put_end(w, "ends");
	}
	w->begun = true;
	begin_line(w);
	if (w->opts->no_head)
		return false;
	buf_text(&w->out.buf, "##");
	buf_str(&w->out.buf, key);
	return true;
}

void kev_meta(struct kev_writer *w, const char *key, const struct str *values, size_t count)
{
	void (*put)(struct buf *, struct str) =
		strcmp(key, "damaged") == 0 ? kev_put_plain : tsv_escape;

	if (!begin_meta(w, str_of(key)))
		return;
	for (size_t i = 0; i < count; i++) {
		buf_char(&w->out.buf, '\t');
		put(&w->out.buf, values[i]);
	}
	buf_char(&w->out.buf, '\n');
}

void kev_note_damage(struct kev_writer *w, const struct kev_reader *r)
{
	struct buf scratch = {0};
	struct buf file = {0};
	struct buf what = {0};

	if (!str_equal(r->key, STR("damaged")))
		return;
	w->status = status_worse(w->status, r->damage_is_usage ? STATUS_ERROR : STATUS_DAMAGED);
	/* Made plain here, as a NUL in the text would end the message. */
	plaintext_put(&file, tsv_text(buf_view(&r->damage_file), &scratch));
	plaintext_put(&what, tsv_text(buf_view(&r->damage_what), &scratch));
	warn("%.*s: %.*s", (int)file.len, buf_view(&file).s, (int)what.len, buf_view(&what).s);
	buf_free(&scratch);
	buf_free(&file);
	buf_free(&what);
}

/* Passes on the fields of a ##damaged line, which any program may have written. */
static void pass_plain(struct buf *line, struct str value)
{
	const char *tab = memchr(value.s, '\t', value.n);
	struct buf scratch = {0};

	while (tab) {
		size_t n = (size_t)(tab - value.s);

		kev_put_plain(line, tsv_text((struct str){value.s, n}, &scratch));
		buf_char(line, '\t');
		value = (struct str){tab + 1, value.n - n - 1};
		tab = memchr(value.s, '\t', value.n);
	}
	kev_put_plain(line, tsv_text(value, &scratch));
	buf_free(&scratch);
}

void kev_pass_meta(struct kev_writer *w, const struct kev_reader *r)
{
	if (begin_meta(w, r->key)) {
		if (r->has_value)
			buf_char(&w->out.buf, '\t');
		if (str_equal(r->key, STR("damaged")))
			pass_plain(&w->out.buf, r->value);
		else
			buf_str(&w->out.buf, r->value);
		buf_char(&w->out.buf, '\n');
	}
	kev_note_damage(w, r);
}

/* An argument, after a space and quoted for a shell. */
static void put_argument(struct buf *line, const char *arg)
{
	buf_char(line, ' ');
	if (*arg && strspn(arg, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	                        "_-+=./,:@%^") == strlen(arg)) {
		buf_text(line, arg);
		return;
	}
	buf_char(line, '\'');
	for (; *arg; arg++) {
		if (*arg == '\'')
			buf_text(line, "'\\''");
		else
			buf_char(line, *arg);
	}
	buf_char(line, '\'');
}

/* Writes ##via: the command line. The names of 10,000 partials are not worth a line of 300 KB. */
static void write_via(struct kev_writer *w)
{
	const struct opts *opts = w->opts;
	struct buf line = {0};
	struct str value;
	size_t operands = 0; /* bytes of the operands */
	int operand = 0;
	int left_out = 0;

	buf_text(&line, die_program());
	for (int i = 1; i < opts->argc; i++) {
		size_t before = line.len;

		put_argument(&line, opts->argv[i]);
		if (operand == opts->line_operands_count || opts->argv[i] != opts->line_operands[operand])
			continue;
		operand++;
		operands += line.len - before;
		if (operands > VIA_OPERANDS) {
			line.len = before;
			left_out++;
		}
	}
	if (left_out)
		buf_format(&line, " # and %d more files", left_out);
	value = buf_view(&line);
	kev_meta(w, "via", &value, 1);
	w->via = true;
	buf_free(&line);
}

/* The rows before are whole, and go out. */
static _Noreturn void columns_lost(struct kev_writer *w)
{
	output_flush(&w->out);
	die("-H: the columns change within the stream, so the head is needed");
}

void kev_columns(struct kev_writer *w, const struct str *names, size_t count)
{
	struct buf line = {0};

	kev_put_columns(&line, names, count);
	buf_char(&line, '\n');
	if (w->opts->no_head) {
		if (w->layout.len && !str_equal(buf_view(&line), buf_view(&w->layout)))
			columns_lost(w);
	} else if (!str_equal(buf_view(&line), buf_view(&w->layout))) {
		if (!w->via)
			write_via(w);
		begin_line(w);
		buf_str(&w->out.buf, buf_view(&line));
		/* If a column is missing, the next program can stop the pipe early. */
		output_flush(&w->out);
	}
	buf_free(&w->layout);
	w->layout = line;
}

void kev_columns_of(struct kev_writer *w, struct str layout)
{
	size_t count = tsv_split(layout, NULL, 0);
	struct str *names = mem_alloc(count, sizeof *names);
	struct buf text = {0};

	tsv_split(layout, names, count);
	buf_reserve(&text, layout.n); /* without room, text could move under names[] */
	for (size_t i = 0; i < count; i++) {
		size_t start = text.len;

		tsv_unescape(&text, names[i]);
		names[i] = (struct str){text.data + start, text.len - start};
	}
	kev_columns(w, names, count);
	buf_free(&text);
	free(names);
}

/* Writes the tab before a field, or the escape of a # at the start of the row. */
static void begin_field(struct kev_writer *w, struct str text)
{
	if (w->fields++) {
		buf_char(&w->out.buf, '\t');
		return;
	}
	begin_line(w);
	if (text.n && text.s[0] == '#')
		buf_char(&w->out.buf, '\\');
}

void kev_field(struct kev_writer *w, struct str text)
{
	begin_field(w, text);
	tsv_escape(&w->out.buf, text);
}

void kev_field_raw(struct kev_writer *w, struct str field)
{
	begin_field(w, field);
	buf_str(&w->out.buf, field);
}

void kev_field_dec(struct kev_writer *w, struct dec value)
{
	begin_field(w, STR(""));
	dec_print(&w->out.buf, value);
}

void kev_field_count(struct kev_writer *w, uint64_t count)
{
	char digits[20]; /* digits of 2^64 - 1 */
	size_t at = sizeof digits;

	begin_field(w, STR(""));
	do
		digits[--at] = (char)('0' + count % 10);
	while (count /= 10);
	buf_bytes(&w->out.buf, digits + at, sizeof digits - at);
}

void kev_row_end(struct kev_writer *w)
{
	buf_char(&w->out.buf, '\n');
	w->fields = 0;
}

void kev_row(struct kev_writer *w, const struct str *texts, size_t count)
{
	struct buf *out = &w->out.buf;
	size_t room = count + 1; /* tabs, the newline, the escape of a # */
	char *to;

	begin_line(w);
	for (size_t i = 0; i < count; i++)
		room += 2 * texts[i].n;
	to = buf_reserve(out, room);
	if (texts[0].n && texts[0].s[0] == '#')
		*to++ = '\\';
	for (size_t i = 0; i < count; i++) {
		to = tsv_put(to, texts[i]);
		*to++ = '\t';
	}
	to[-1] = '\n';
	out->len = (size_t)(to - out->data);
}

void kev_pass_row(struct kev_writer *w, const struct kev_reader *r)
{
	begin_line(w);
	buf_str(&w->out.buf, r->tsv.text);
	kev_row_end(w);
}

void kev_pass_row_with(struct kev_writer *w, struct str row, struct str more)
{
	char *to;

	begin_line(w);
	to = buf_reserve(&w->out.buf, row.n + more.n + 2);
	memcpy(to, row.s, row.n);
	to[row.n] = '\t';
	memcpy(to + row.n + 1, more.s, more.n);
	to[row.n + 1 + more.n] = '\n';
	w->out.buf.len += row.n + more.n + 2;
}

struct str kev_take_back(struct kev_writer *w)
{
	struct buf *buf = &w->out.buf;
	size_t at = w->line_at < buf->len ? w->line_at : buf->len; /* less if the line has gone out */
	struct str line = {buf->data + at, buf->len - at};

	buf->len = at;
	return line;
}

void kev_damaged(struct kev_writer *w, const char *file, const char *what)
{
	struct str values[] = {str_of(file), str_of(what)};

	kev_meta(w, "damaged", values, 2);
	warn("%s: %s", file, what);
	w->status = status_worse(w->status, STATUS_DAMAGED);
}

void kev_unopened(struct kev_writer *w, const char *file, const char *what, bool others)
{
	if (!others || w->opts->strict)
		kev_die(w, file, 0, "%s", what);
	kev_damaged(w, file, what);
}

/* An error after which the stream ends, or only a file of several. */
static void report_error(struct kev_writer *w, const char *file, uint64_t line, bool misused,
                         const char *what)
{
	struct buf damage = {0};

	if (line) {
		warn("%s:%llu: %s", file, (unsigned long long)line, what);
		buf_format(&damage, "line %llu: ", (unsigned long long)line);
	} else {
		warn("%s: %s", file, what);
	}
	buf_text(&damage, what);
	if (w->fields)
		kev_take_back(w); /* a row that was begun */
	kev_meta(w, "damaged", (struct str[]){str_of(file), buf_view(&damage), STR("usage")},
	         misused ? 3 : 2);
	w->status = status_worse(w->status, STATUS_ERROR);
	buf_free(&damage);
}

void kev_broken(struct kev_writer *w, const char *file, uint64_t line, const char *what)
{
	report_error(w, file, line, false, what);
}

void kev_misused(struct kev_writer *w, const char *file, uint64_t line, const char *what)
{
	report_error(w, file, line, true, what);
}

static void close_output(struct kev_writer *w)
{
	if (!w->opts->no_head)
		put_end(w, "end");
	output_close(&w->out);
}

/* The message with a NUL at its end. */
static const char *message(const char *format, va_list args)
{
	struct buf text = {0};

	buf_vformat(&text, format, args);
	buf_char(&text, '\0');
	return text.data;
}

/* Ends the program after an error. */
static _Noreturn void end(struct kev_writer *w, const char *file, uint64_t line, bool misused,
                          const char *what)
{
	report_error(w, file, line, misused, what);
	close_output(w);
	exit(STATUS_ERROR);
}

void kev_die(struct kev_writer *w, const char *file, uint64_t line, const char *format, ...)
{
	const char *what;
	va_list args;

	va_start(args, format);
	what = message(format, args);
	va_end(args);
	end(w, file, line, false, what);
}

void kev_die_misuse(struct kev_writer *w, const char *file, uint64_t line, const char *format, ...)
{
	const char *what;
	va_list args;

	va_start(args, format);
	what = message(format, args);
	va_end(args);
	end(w, file, line, true, what);
}

void kev_fail(struct kev_writer *w, const struct kev_reader *r)
{
	end(w, r->file, r->error_line, r->misused, r->error);
}

int kev_finish(struct kev_writer *w)
{
	/* An input without columns and rows needs the line, too. */
	if (!w->via && !w->opts->no_head)
		write_via(w);
	close_output(w);
	return (int)w->status;
}
