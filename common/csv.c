#include "csv.h"

#include "mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 1 << 18 };

static bool begin(struct csv_reader *r, bool open)
{
	if (!open)
		snprintf(r->error, sizeof r->error, "%s", r->in.error);
	return open;
}

bool csv_open(struct csv_reader *r, const char *path, size_t max_record)
{
	*r = (struct csv_reader){.max_record = max_record, .next_line = 1};
	return begin(r, input_open(&r->in, path));
}

bool csv_open_fd(struct csv_reader *r, int fd, const char *name, size_t max_record)
{
	*r = (struct csv_reader){.max_record = max_record, .next_line = 1};
	return begin(r, input_open_fd(&r->in, fd, name));
}

static int fail(struct csv_reader *r, bool fatal, const char *what)
{
	snprintf(r->error, sizeof r->error, "%s", what);
	r->fatal = fatal;
	return -1;
}

static int fail_long(struct csv_reader *r)
{
	return fail(r, true,
	            "a record of over --max-field bytes: is there a quote that is never closed?");
}

/* More text behind what is left of the window; false at its end. */
static bool refill(struct csv_reader *r)
{
	struct buf *window = &r->window;
	ssize_t got;

	if (r->exhausted)
		return false;
	window->len -= r->at;
	if (window->len)
		memmove(window->data, window->data + r->at, window->len);
	r->at = 0;
	/* A long line doubles it; else it stays as it is. */
	if (window->cap - window->len < CHUNK / 4)
		buf_reserve(window, window->len < CHUNK ? CHUNK : window->len);
	got = input_read(&r->in, window->data + window->len, window->cap - window->len);
	r->exhausted = got <= 0;
	if (got > 0)
		window->len += (size_t)got;
	return got > 0;
}

/*
 * Finds the end of the record at the cursor: the newline outside of quotes. A
 * quote opens only at the start of a field. > 0 found, its length without the
 * line's end in *n, with it in *whole; 0 at the end of the input; < 0 as csv_next.
 */
static int find_record(struct csv_reader *r, size_t *n, size_t *whole)
{
	bool quoted = false;  /* inside of quotes */
	bool opened = false;  /* the field began with one */
	bool at_start = true; /* of a field */
	size_t i = 0;

	for (;;) {
		const char *text = buf_view(&r->window).s + r->at;
		size_t have = r->window.len - r->at;

		for (; i < have; i++) {
			char c = text[i];

			if (quoted) {
				/* A doubled quote closes and opens again: the same for this search. */
				quoted = c != '"';
				r->next_line += c == '\n';
			} else if (c == '"') {
				/* Behind a closing quote another one is the second of a pair. */
				quoted = at_start || (opened && text[i - 1] == '"');
				opened |= at_start;
				at_start = false;
			} else if (c == '\n') {
				r->next_line++;
				*whole = i + 1;
				if (i > r->max_record)
					return fail_long(r);
				*n = i && text[i - 1] == '\r' ? i - 1 : i;
				return 1;
			} else {
				at_start = c == ',';
				opened = false; /* the next quote of the field is none that doubles */
			}
		}
		if (have > r->max_record)
			return fail_long(r);
		if (!refill(r))
			break;
	}
	if (r->in.error[0])
		return fail(r, false, r->in.error);
	if (quoted)
		return fail(r, false, "the file ends inside of quotes");
	*n = *whole = i;
	r->unended = i > 0;
	if (i && r->window.data[r->at + i - 1] == '\r')
		--*n;
	return i ? 1 : 0;
}

static void add_field(struct csv_reader *r, struct str text)
{
	if (r->count == r->field_cap)
		r->field = mem_grow(r->field, &r->field_cap, r->count + 1, sizeof *r->field);
	r->field[r->count++] = text;
}

/* The quoted field at p, its inner quotes halved, in `unquoted` if need be; *p goes behind it. */
static struct str quoted_field(struct buf *unquoted, const char **p, const char *end)
{
	const char *from = ++*p;
	size_t start = unquoted->len;
	const char *quote;

	/* The closing quote is there: find_record saw to it. */
	while ((quote = memchr(*p, '"', (size_t)(end - *p))) != NULL) {
		*p = quote + 1;
		if (*p == end || **p != '"') {
			const char *tail = *p;
			const char *comma = memchr(tail, ',', (size_t)(end - tail));

			*p = comma ? comma : end;
			/* Nothing to halve, nothing behind the quote: the text as it stands. */
			if (unquoted->len == start && *p == tail)
				return (struct str){from, (size_t)(quote - from)};
			buf_bytes(unquoted, from, (size_t)(quote - from));
			buf_bytes(unquoted, tail, (size_t)(*p - tail));
			break;
		}
		buf_bytes(unquoted, from, (size_t)(*p - from));
		from = ++*p;
	}
	return (struct str){unquoted->data + start, unquoted->len - start};
}

static void split_record(struct csv_reader *r, struct str record)
{
	const char *p = record.s;
	const char *end = record.s + record.n;

	r->unquoted.len = 0;
	buf_reserve(&r->unquoted, record.n); /* so that it does not move under the fields */
	for (;;) {
		if (p < end && *p == '"') {
			add_field(r, quoted_field(&r->unquoted, &p, end));
		} else {
			const char *comma = memchr(p, ',', (size_t)(end - p));

			add_field(r, (struct str){p, (size_t)((comma ? comma : end) - p)});
			p = comma ? comma : end;
		}
		if (p == end)
			return;
		p++;
	}
}

int csv_next(struct csv_reader *r)
{
	size_t n;
	size_t whole;

	if (r->error[0])
		return -1;
	if (!r->begun) {
		r->begun = true;
		while (r->window.len < 256 && refill(r))
			;
		if (input_lfs_pointer(buf_view(&r->window))) {
			r->line = 1;
			return fail(r, true, "a Git LFS pointer, not the CSV itself: get it with git lfs pull");
		}
		r->bom = str_starts(buf_view(&r->window), STR("\xef\xbb\xbf"));
		r->at = r->bom ? 3 : 0;
	}
	for (;;) {
		bool blank;
		int found;

		r->line = r->next_line;
		found = find_record(r, &n, &whole);
		if (found <= 0)
			return found;
		r->record = (struct str){r->window.data + r->at, n};
		r->end_n = whole - n;
		r->at += whole;
		blank = str_trim(r->record).n == 0;
		r->count = 0;
		if (!blank)
			split_record(r, r->record);
		if (!blank || r->blanks)
			return 1;
	}
}

struct str csv_rest(struct csv_reader *r, size_t first, struct buf *scratch)
{
	scratch->len = 0;
	for (size_t i = first; i < r->count; i++) {
		if (i > first)
			buf_char(scratch, ',');
		buf_str(scratch, r->field[i]);
	}
	return buf_view(scratch);
}

void csv_close(struct csv_reader *r)
{
	input_close(&r->in);
	buf_free(&r->window);
	buf_free(&r->unquoted);
	free(r->field);
	r->field = NULL;
}

size_t csv_split(struct str record, struct str *fields, size_t max)
{
	const char *p = record.s;
	const char *end = record.s + record.n;

	for (size_t count = 0;; p++) {
		const char *from = p;

		if (p < end && *p == '"') {
			do {
				p = memchr(p + 1, '"', (size_t)(end - p - 1));
				p = p ? p + 1 : end;
			} while (p < end && *p == '"');
		}
		p = memchr(p, ',', (size_t)(end - p));
		p = p ? p : end;
		if (count < max)
			fields[count] = (struct str){from, (size_t)(p - from)};
		count++;
		if (p == end)
			return count;
	}
}

struct str csv_unquote(struct str field, struct buf *scratch)
{
	const char *p = field.s;

	if (field.n == 0 || *p != '"')
		return field;
	buf_reserve(scratch, field.n);
	return quoted_field(scratch, &p, field.s + field.n);
}

void csv_quote(struct buf *out, struct str text, bool always)
{
	bool quotes = always || str_has_byte(text, ',') || str_has_byte(text, '"') ||
	              str_has_byte(text, '\n') || str_has_byte(text, '\r');

	buf_text(out, quotes ? "\"" : "");
	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] == '"')
			buf_char(out, '"');
		buf_char(out, text.s[i]);
	}
	buf_text(out, quotes ? "\"" : "");
}
