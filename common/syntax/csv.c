#include "syntax/csv.h"

#include "base/mem.h"
#include "base/simd.h"
#include "io/magic.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 18 };

/* A field without its quotes. */
struct csv_plain {
	struct str text;
	uint64_t record; /* the number of its record: what is of another one is not known yet */
};

static bool begin(struct csv_reader *r, bool open)
{
	r->avx2 = simd_has_avx2();
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
	return fail(r, true, "a record exceeds --max-field bytes; is a quote never closed?");
}

/* Reads more text into the window; false at the end. */
static bool refill(struct csv_reader *r)
{
	struct buf *window = &r->window;
	ssize_t got;

	if (r->exhausted)
		return false;
	window->len -= r->at;
	if (r->at && window->len)
		memmove(window->data, window->data + r->at, window->len);
	r->at = 0;
	/* Only a long line makes it larger. */
	if (window->cap - window->len < CHUNK / 4)
		buf_reserve(window, window->len < CHUNK ? CHUNK : window->len);
	/* A whole block can be read at any of its bytes. */
	got = input_read(&r->in, window->data + window->len, window->cap - window->len - SIMD_BLOCK);
	r->exhausted = got <= 0;
	if (got > 0)
		window->len += (size_t)got;
	return got > 0;
}

/* Makes room for the ends of n more fields and returns the place of the first. */
static size_t *more_fields(struct csv_reader *r, size_t n)
{
	if (r->count + n > r->end_cap)
		r->end = mem_grow(r->end, &r->end_cap, r->count + n, sizeof *r->end);
	return r->end + r->count;
}

/* --- nearly all records, 64 bytes at a time -------------------------------- */

enum quick { UNSETTLED, MORE, FOUND };

/*
 * Adds a field that ends at offset `from` and the place of each bit; returns the place after the
 * last. It writes eight at a time, more than there are, as a branch for each would often be
 * mispredicted.
 */
SIMD_INLINE size_t *add_ends(struct csv_reader *r, size_t from, uint64_t bits)
{
	const uint64_t last = (uint64_t)1 << (SIMD_BLOCK - 1);
	size_t *end = more_fields(r, SIMD_BLOCK);

	r->count += (unsigned)__builtin_popcountll(bits);
	for (; bits; end += 8)
		for (unsigned i = 0; i < 8; i++, bits &= bits - 1)
			end[i] = from + (unsigned)__builtin_ctzll(bits | last);
	return r->end + r->count;
}

/*
 * Finds the record at the cursor and its fields if each of its quotes opens at the start of a
 * field, closes, or belongs to a doubled pair. MORE: the record is longer than the window.
 */
SIMD_INLINE enum quick find_quickly(struct csv_reader *r, size_t *n, size_t *whole,
                                    uint64_t bits(const char *text, unsigned char c),
                                    uint64_t parity(uint64_t bits))
{
	const char *text = buf_view(&r->window).s + r->at;
	size_t have = r->window.len - r->at;
	uint64_t in_quotes = 0;  /* all ones if the block begins inside of quotes */
	uint64_t after_mark = 1; /* 1 if its first byte follows a quote, a comma or a newline */
	uint64_t lines = 0;

	r->count = 0;
	for (size_t i = 0; i < have; i += SIMD_BLOCK) {
		uint64_t known = simd_low(have - i);
		uint64_t quotes = bits(text + i, '"') & known;
		uint64_t newlines = bits(text + i, '\n') & known;
		uint64_t ends = bits(text + i, ',') & known;
		uint64_t marks = quotes | newlines | ends;
		uint64_t quoted = parity(quotes) ^ in_quotes;
		uint64_t stop = newlines & ~quoted;
		uint64_t passed = stop ? stop ^ (stop - 1) : ~(uint64_t)0; /* the bytes of the record */
		size_t *end;

		if (quotes & quoted & passed & ~(marks << 1 | after_mark))
			return UNSETTLED;
		if (newlines & quoted & passed)
			lines += (unsigned)__builtin_popcountll(newlines & quoted & passed);
		end = add_ends(r, i, (ends | newlines) & ~quoted & passed);
		if (stop) {
			*n = end[-1];
			*whole = *n + 1;
			if (*n && text[*n - 1] == '\r')
				end[-1] = --*n;
			if (*whole > r->max_record)
				return UNSETTLED;
			r->next_line += lines + 1;
			return FOUND;
		}
		in_quotes = 0 - (quoted >> 63);
		after_mark = marks >> 63;
	}
	return MORE;
}

static enum quick quick_by_bits(struct csv_reader *r, size_t *n, size_t *whole)
{
	return find_quickly(r, n, whole, simd_bits, simd_parity);
}

SIMD_AVX2 static enum quick quick_by_avx2(struct csv_reader *r, size_t *n, size_t *whole)
{
	return find_quickly(r, n, whole, simd_bits_avx2, simd_parity_avx2);
}

static enum quick quick_record(struct csv_reader *r, size_t *n, size_t *whole)
{
	return (r->avx2 ? quick_by_avx2 : quick_by_bits)(r, n, whole);
}

/* How far a record that is longer than the window was looked at, in blocks. */
struct look {
	size_t at;
	uint64_t in_quotes; /* as in quick_record, before the block */
	uint64_t after_mark;
};

/*
 * Whether quick_record has an answer now. Looks at each block of the record once, as a slow pipe
 * gives few bytes at a time.
 */
static bool is_answered(const struct csv_reader *r, struct look *look)
{
	const char *text = r->window.data + r->at;
	size_t have = r->window.len - r->at;

	for (;; look->at += SIMD_BLOCK) {
		const char *block = text + look->at;
		uint64_t known = look->at < have ? simd_low(have - look->at) : 0;
		uint64_t quotes = simd_bits(block, '"') & known;
		uint64_t newlines = simd_bits(block, '\n') & known;
		uint64_t marks = quotes | newlines | (simd_bits(block, ',') & known);
		uint64_t quoted = simd_parity(quotes) ^ look->in_quotes;

		if ((newlines & ~quoted) || (quotes & quoted & ~(marks << 1 | look->after_mark)))
			return true;
		if (have < look->at + SIMD_BLOCK)
			return false;
		look->in_quotes = 0 - (quoted >> 63);
		look->after_mark = marks >> 63;
	}
}

/* --- any record, byte by byte --------------------------------------------- */

/*
 * Finds the end of the record at the cursor, the newline outside of quotes. A quote opens only at
 * the start of a field. > 0 if found, with its length in *whole, and in *n without the end of its
 * line; 0 at the end of the input; < 0 as csv_next.
 */
static int find_record(struct csv_reader *r, size_t *n, size_t *whole)
{
	bool quoted = false;  /* inside of quotes */
	bool opened = false;  /* the field began with one */
	bool at_start = true; /* the field has no byte yet */
	size_t i = 0;

	for (;;) {
		const char *text = buf_view(&r->window).s + r->at;
		size_t have = r->window.len - r->at;

		for (; i < have; i++) {
			char c = text[i];

			if (quoted) {
				/* Here a doubled quote simply closes and opens again. */
				quoted = c != '"';
				r->next_line += c == '\n';
			} else if (c == '"') {
				/* A quote after a closing one is the second of a pair. */
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
				opened = false; /* the next quote of the field is not the second of a pair */
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
		return fail(r, false, "the file ends inside quotes");
	*n = *whole = i;
	r->unended = i > 0;
	if (i && r->window.data[r->at + i - 1] == '\r')
		--*n;
	return i ? 1 : 0;
}

/* The closing quote of the quoted field at p, as a record of a reader has; end if it is missing. */
static const char *closing_quote(const char *p, const char *end)
{
	for (p++; (p = memchr(p, '"', (size_t)(end - p))) != NULL; p += 2)
		if (p + 1 == end || p[1] != '"')
			return p;
	return end;
}

/* The field at *p as it stands; moves *p to the comma after it, or to end. */
static struct str next_field(const char **p, const char *end)
{
	const char *from = *p;
	const char *tail = from < end && *from == '"' ? closing_quote(from, end) : from;
	const char *comma = tail < end ? memchr(tail, ',', (size_t)(end - tail)) : NULL;

	*p = comma ? comma : end;
	return (struct str){from, (size_t)(*p - from)};
}

size_t csv_split(struct str record, struct str *fields, size_t max)
{
	const char *p = record.s;
	const char *end = record.s + record.n;

	for (size_t count = 0;; p++) {
		struct str field = next_field(&p, end);

		if (count < max)
			fields[count] = field;
		count++;
		if (p == end)
			return count;
	}
}

struct str csv_unquote(struct str field, struct buf *scratch)
{
	const char *end = field.s + field.n;
	const char *from = field.s + 1;
	const char *quote;
	const char *pair;
	size_t start = scratch->len;

	if (field.n == 0 || *field.s != '"')
		return field;
	quote = closing_quote(field.s, end);
	pair = memchr(from, '"', (size_t)(quote - from));
	/* No doubled quote, and nothing after the closing one: no copy is needed. */
	if (!pair && quote + 1 >= end)
		return (struct str){from, (size_t)(quote - from)};
	for (; pair; pair = memchr(from, '"', (size_t)(quote - from))) {
		buf_bytes(scratch, from, (size_t)(pair + 1 - from));
		from = pair + 2;
	}
	buf_bytes(scratch, from, (size_t)(quote - from));
	if (quote < end)
		buf_bytes(scratch, quote + 1, (size_t)(end - quote - 1));
	return (struct str){scratch->data + start, scratch->len - start};
}

static void split_record(struct csv_reader *r, struct str record)
{
	const char *p = record.s;
	const char *end = record.s + record.n;

	r->count = 0;
	for (;; p++) {
		next_field(&p, end);
		*more_fields(r, 1) = (size_t)(p - record.s);
		r->count++;
		if (p == end)
			return;
	}
}

/* Finds the record at the cursor and its fields. Returns as find_record. */
static int read_record(struct csv_reader *r, size_t *n, size_t *whole)
{
	enum quick quick = quick_record(r, n, whole);
	int found;

	if (quick == MORE) {
		struct look look = {.after_mark = 1};
		bool answered = false;

		while (!answered && r->window.len - r->at <= r->max_record && refill(r))
			answered = is_answered(r, &look);
		if (answered)
			quick = quick_record(r, n, whole);
	}
	if (quick == FOUND)
		return 1;
	found = find_record(r, n, whole);
	if (found > 0)
		split_record(r, (struct str){r->window.data + r->at, *n});
	return found;
}

int csv_next(struct csv_reader *r)
{
	size_t n;
	size_t whole;

	if (r->error[0])
		return -1;
	if (!r->begun) {
		char what[MAGIC_MAX];

		r->begun = true;
		while (r->window.len < MAGIC_BYTES && refill(r))
			;
		if ((r->only_csv || magic_is_lfs_pointer(buf_view(&r->window))) &&
		    magic_is_foreign(buf_view(&r->window), MAGIC_CSV, what)) {
			r->foreign = r->only_csv;
			r->line = !r->only_csv;
			return fail(r, true, what);
		}
		r->bom = str_starts(buf_view(&r->window), STR("\xef\xbb\xbf"));
		r->at = r->bom ? 3 : 0;
	}
	for (;;) {
		bool blank;
		int found;

		r->line = r->next_line;
		found = read_record(r, &n, &whole);
		if (found <= 0)
			return found;
		r->record = (struct str){r->window.data + r->at, n};
		r->end_n = whole - n;
		r->at += whole;
		blank = str_trim(r->record).n == 0;
		if (blank)
			r->count = 0;
		if (!blank || r->blanks)
			break;
	}
	r->records++;
	r->unquoted.len = 0;
	buf_reserve(&r->unquoted, n); /* without room, unquoted could move under the fields */
	return 1;
}

/* Each field loses its quotes once, so that all together fit into the room of unquoted. */
struct str csv_unquoted(struct csv_reader *r, size_t i, struct str field)
{
	size_t known = r->plain_cap;

	if (i >= known) {
		r->plain = mem_grow(r->plain, &r->plain_cap, i + 1, sizeof *r->plain);
		memset(r->plain + known, 0, (r->plain_cap - known) * sizeof *r->plain);
	}
	if (r->plain[i].record != r->records)
		r->plain[i] = (struct csv_plain){csv_unquote(field, &r->unquoted), r->records};
	return r->plain[i].text;
}

struct str csv_rest(struct csv_reader *r, size_t first, struct buf *scratch)
{
	scratch->len = 0;
	for (size_t i = first; i < r->count; i++) {
		if (i > first)
			buf_char(scratch, ',');
		buf_str(scratch, csv_field(r, i));
	}
	return buf_view(scratch);
}

void csv_close(struct csv_reader *r)
{
	input_close(&r->in);
	buf_free(&r->window);
	buf_free(&r->unquoted);
	free(r->end);
	free(r->plain);
	r->end = NULL;
	r->plain = NULL;
}

bool csv_again(struct csv_reader *r)
{
	bool open;

	csv_close(r);
	open = input_again(&r->in);
	*r = (struct csv_reader){.in = r->in,
	                         .only_csv = r->only_csv,
	                         .blanks = r->blanks,
	                         .max_record = r->max_record,
	                         .next_line = 1};
	return begin(r, open);
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
