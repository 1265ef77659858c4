#include "syntax/tsv.h"

#include <stdint.h>
#include <stdio.h>

#include "base/simd.h"

enum { CHUNK = 1 << 18, LINE_MAX_BYTES = 1 << 28 };

static bool begin(struct tsv_reader *r, bool opened)
{
	r->avx2 = simd_has_avx2();
	if (!opened)
		snprintf(r->error, sizeof r->error, "%s", r->in.error);
	return opened;
}

bool tsv_open(struct tsv_reader *r, const char *path)
{
	*r = (struct tsv_reader){0};
	return begin(r, input_open(&r->in, path));
}

bool tsv_again(struct tsv_reader *r)
{
	*r = (struct tsv_reader){.in = r->in};
	return begin(r, input_again(&r->in));
}

static int fail(struct tsv_reader *r, const char *what)
{
	r->line++;
	snprintf(r->error, sizeof r->error, "%s", what);
	return -1;
}

/* Reads more text into the window: > 0, 0 at the end, < 0 as tsv_next. */
static int refill(struct tsv_reader *r)
{
	struct buf *window = &r->window;
	ssize_t got;

	if (r->exhausted)
		return 0;
	window->len -= r->at;
	if (r->at && window->len)
		memmove(window->data, window->data + r->at, window->len);
	r->at = 0;
	if (window->len > LINE_MAX_BYTES)
		return fail(r, "a line exceeds 256 MiB");
	/* Only a long line makes it larger. */
	if (window->cap - window->len < CHUNK / 4)
		buf_reserve(window, window->len < CHUNK ? CHUNK : window->len);
	got = input_read(&r->in, window->data + window->len, window->cap - window->len);
	r->exhausted = got <= 0;
	if (got > 0)
		window->len += (size_t)got;
	return got > 0;
}

/* Gives n bytes as the line; they and the newline, if there is one, are read. */
static void give_line(struct tsv_reader *r, size_t n, bool ended)
{
	r->text = (struct str){r->window.data + r->at, n};
	r->at += n + ended;
	if (n && r->text.s[n - 1] == '\r')
		r->text.n--;
	r->line++;
}

int tsv_next(struct tsv_reader *r)
{
	size_t seen = 0; /* bytes of the line that are searched already */
	const char *end;
	size_t n;

	if (r->error[0])
		return -1;
	for (;;) {
		size_t have = r->window.len - r->at;
		int more;

		end = have > seen ? memchr(r->window.data + r->at + seen, '\n', have - seen) : NULL;
		if (end)
			break;
		seen = have;
		more = refill(r);
		if (more < 0)
			return more;
		if (more == 0)
			break;
	}
	if (!end) {
		/* The text after the last newline of a broken input is not a line. */
		if (r->in.error[0])
			return fail(r, r->in.error);
		if (r->window.len == r->at)
			return 0;
		r->unended = true;
		n = r->window.len - r->at;
	} else {
		n = (size_t)(end - (r->window.data + r->at));
	}
	give_line(r, n, end != NULL);
	return 1;
}

void tsv_close(struct tsv_reader *r)
{
	input_close(&r->in);
	buf_free(&r->window);
}

/* A bit for each tab in the 64 bytes of text from `at` on, or up to its end. */
static inline uint64_t tabs_of(struct str text, size_t at)
{
	size_t left = text.n - at;
	char padded[SIMD_BLOCK];

	if (left >= SIMD_BLOCK)
		return simd_bits(text.s + at, '\t');
	/* The last 64 bytes once more, as nothing may be read after them. */
	if (text.n >= SIMD_BLOCK)
		return simd_bits(text.s + text.n - SIMD_BLOCK, '\t') >> (SIMD_BLOCK - left);
	memset(padded, 0, sizeof padded);
	memcpy(padded, text.s, text.n);
	return simd_bits(padded, '\t');
}

size_t tsv_split(struct str line, struct str *fields, size_t max)
{
	size_t begin = 0;
	size_t count = 0;

	for (size_t at = 0; at < line.n; at += 64) {
		for (uint64_t tabs = tabs_of(line, at); tabs; tabs &= tabs - 1) {
			size_t tab = at + (unsigned)__builtin_ctzll(tabs);

			if (count < max)
				fields[count] = (struct str){line.s + begin, tab - begin};
			count++;
			begin = tab + 1;
		}
	}
	if (count < max)
		fields[count] = (struct str){line.s + begin, line.n - begin};
	return count + 1;
}

typedef uint64_t bits_fn(const char *, unsigned char);

/*
 * Gives the line and its fields if the window has the whole line and one block more. Otherwise
 * returns false; fields may have changed.
 */
SIMD_INLINE bool split_window(struct tsv_reader *r, struct str *fields, size_t max, size_t *count,
                              bits_fn *bits)
{
	const char *line = r->window.data + r->at;
	size_t have = r->window.len - r->at;
	const char *begin = line; /* first byte of the field */
	size_t n = 0;

	for (const char *at = line; have >= SIMD_BLOCK; at += SIMD_BLOCK, have -= SIMD_BLOCK) {
		uint64_t tabs = bits(at, '\t');
		uint64_t ends = bits(at, '\n');

		/* Those of this line: below the lowest end. */
		for (tabs &= (ends & -ends) - 1; tabs; tabs &= tabs - 1) {
			const char *tab = at + (unsigned)__builtin_ctzll(tabs);

			if (n < max)
				fields[n] = (struct str){begin, (size_t)(tab - begin)};
			n++;
			begin = tab + 1;
		}
		if (!ends)
			continue;
		give_line(r, (size_t)(at + __builtin_ctzll(ends) - line), true);
		if (n < max)
			fields[n] = (struct str){begin, (size_t)(r->text.s + r->text.n - begin)};
		*count = n + 1;
		return true;
	}
	return false;
}

static bool split_by_bits(struct tsv_reader *r, struct str *fields, size_t max, size_t *count)
{
	return split_window(r, fields, max, count, simd_bits);
}

SIMD_AVX2 static bool split_by_avx2(struct tsv_reader *r, struct str *fields, size_t max,
                                    size_t *count)
{
	return split_window(r, fields, max, count, simd_bits_avx2);
}

int tsv_next_split(struct tsv_reader *r, struct str *fields, size_t max, size_t *count)
{
	int got;

	if (!r->error[0] && (r->avx2 ? split_by_avx2 : split_by_bits)(r, fields, max, count))
		return 1;
	got = tsv_next(r);
	if (got > 0)
		*count = tsv_split(r->text, fields, max);
	return got;
}

/* The letter after the backslash for a byte that must be escaped; 0 for other bytes. */
static char escape_of(char c)
{
	switch (c) {
	case '\t':
		return 't';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\\':
		return '\\';
	case '\0':
		return '0';
	default:
		return 0;
	}
}

/* Whether one of eight bytes may need an escape: it is below 0x20, or a backslash. */
static inline bool may_need_escape(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t backslash = word ^ ones * '\\';

	/* A byte that is less than what is subtracted borrows, which sets its high bit. */
	return (((word - ones * 0x20) | (backslash - ones)) & ~word & ones << 7) != 0;
}

/* Copies text if it certainly needs no escape, else returns false. `to` may change in any case. */
static inline bool copy_plain(char *to, struct str text)
{
	uint32_t low;
	uint32_t high;

	if (text.n >= 8) {
		uint64_t last = str_word(text.s + text.n - 8);

		for (size_t i = 0; i + 8 < text.n; i += 8) {
			uint64_t word = str_word(text.s + i);

			if (may_need_escape(word))
				return false;
			memcpy(to + i, &word, sizeof word);
		}
		memcpy(to + text.n - 8, &last, sizeof last);
		return !may_need_escape(last);
	}
	if (text.n >= 4) {
		memcpy(&low, text.s, sizeof low);
		memcpy(&high, text.s + text.n - 4, sizeof high);
		memcpy(to, &low, sizeof low);
		memcpy(to + text.n - 4, &high, sizeof high);
		return !may_need_escape((uint64_t)high << 32 | low);
	}
	for (size_t i = 0; i < text.n; i++) {
		if ((unsigned char)text.s[i] < 0x20 || text.s[i] == '\\')
			return false;
		to[i] = text.s[i];
	}
	return true;
}

char *tsv_put(char *to, struct str text)
{
	if (copy_plain(to, text))
		return to + text.n;
	for (size_t i = 0; i < text.n; i++) {
		char letter = escape_of(text.s[i]);

		if (letter)
			*to++ = '\\';
		*to++ = letter ? letter : text.s[i];
	}
	return to;
}

struct str tsv_field(struct str line, size_t index)
{
	for (;; index--) {
		const char *tab = memchr(line.s, '\t', line.n);
		struct str field = {line.s, tab ? (size_t)(tab - line.s) : line.n};

		if (index == 0 || !tab)
			return field;
		line.s += field.n + 1;
		line.n -= field.n + 1;
	}
}

void tsv_escape(struct buf *out, struct str text)
{
	char *to = buf_reserve(out, 2 * text.n);

	out->len = (size_t)(tsv_put(to, text) - out->data);
}

void tsv_unescape(struct buf *out, struct str field)
{
	char *to = buf_reserve(out, field.n);
	const char *escape = field.n ? memchr(field.s, '\\', field.n) : NULL;
	size_t plain = escape ? (size_t)(escape - field.s) : field.n;

	if (plain)
		memcpy(to, field.s, plain);
	to += plain;
	for (size_t i = plain; i < field.n; i++) {
		static const char from[] = "tnr\\0#";
		static const char byte[] = "\t\n\r\\\0#";
		char c = field.s[i];

		if (c == '\\' && i + 1 < field.n && field.s[i + 1]) {
			const char *known = strchr(from, field.s[i + 1]);

			if (known) {
				c = byte[known - from];
				i++;
			}
		}
		*to++ = c;
	}
	out->len = (size_t)(to - out->data);
}

struct str tsv_text(struct str field, struct buf *scratch)
{
	if (!field.n || !memchr(field.s, '\\', field.n))
		return field;
	scratch->len = 0;
	tsv_unescape(scratch, field);
	return buf_view(scratch);
}
