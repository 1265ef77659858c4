#include "stream/sources.h"

#include "base/mem.h"
#include "syntax/tsv.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	MOST_PATTERNS = 100,
	MOST_SPANS = 16,  /* numbers in a name; later ones are text */
	MOST_DIGITS = 18, /* digits in a number; a longer one is text */
};

static const struct str others = STR("(others)");

/* A number as it is written: 007 has the width 3. */
struct number {
	uint64_t value;
	int width;
};

/* The smallest and the largest number at a place. */
struct span {
	struct number low;
	struct number high;
};

struct source_pattern {
	uint64_t count;
	size_t spans_count;
	struct span span[MOST_SPANS];
};

/* Takes digits off the front of text. False, with text as it was, if there are none, or too many.
 */
static bool take_number(struct str *text, struct number *number)
{
	size_t n = 0;

	while (n < text->n && str_is_digit(text->s[n]))
		n++;
	if (n == 0 || n > MOST_DIGITS)
		return false;
	number->width = (int)n;
	str_whole((struct str){text->s, n}, &number->value);
	*text = (struct str){text->s + n, text->n - n};
	return true;
}

static bool take_text(struct str *text, struct str wanted)
{
	if (!str_starts(*text, wanted))
		return false;
	*text = (struct str){text->s + wanted.n, text->n - wanted.n};
	return true;
}

/* {0..7} */
static bool take_span(struct str *text, struct span *span)
{
	struct str rest = *text;

	if (!take_text(&rest, STR("{")) || !take_number(&rest, &span->low) ||
	    !take_text(&rest, STR("..")) || !take_number(&rest, &span->high) ||
	    !take_text(&rest, STR("}")))
		return false;
	*text = rest;
	return true;
}

/* A name that could look like a pattern, or has the mark of a number, is all text. */
static void take_as_text(struct buf *shape, struct source_pattern *pattern, struct str name)
{
	shape->len = 0;
	pattern->spans_count = 0;
	buf_str(shape, name);
}

/* Sets shape to the text with a NUL for each number, and the spans to the numbers. */
static void read_shape(struct buf *shape, struct source_pattern *pattern, struct str name,
                       bool is_pattern)
{
	struct str rest = name;

	shape->len = 0;
	pattern->spans_count = 0;
	while (rest.n) {
		bool room = pattern->spans_count < MOST_SPANS;
		struct span span;

		if (room && take_number(&rest, &span.low)) {
			span.high = span.low;
		} else if (!room || !is_pattern || !take_span(&rest, &span)) {
			if (*rest.s == '{' || *rest.s == '\0') {
				take_as_text(shape, pattern, name);
				return;
			}
			/* The digits that are left of a long number begin none. */
			do {
				buf_char(shape, *rest.s);
				rest = (struct str){rest.s + 1, rest.n - 1};
			} while (rest.n && str_is_digit(rest.s[-1]) && str_is_digit(*rest.s));
			continue;
		}
		pattern->span[pattern->spans_count++] = span;
		buf_char(shape, '\0');
	}
}

static void widen(struct span *span, const struct span *other)
{
	if (other->low.value < span->low.value)
		span->low = other->low;
	if (other->high.value > span->high.value)
		span->high = other->high;
}

static void add(struct sources *sources, struct str name, uint64_t count, bool is_pattern)
{
	struct source_pattern fresh = {.count = count};
	struct source_pattern *pattern;
	size_t number;
	bool added;

	read_shape(&sources->shape, &fresh, name, is_pattern);
	number = strmap_find(&sources->shapes, buf_view(&sources->shape));
	if (number == STRMAP_NONE && sources->shapes.count == MOST_PATTERNS) {
		sources->others += count;
		return;
	}
	number = strmap_add(&sources->shapes, buf_view(&sources->shape), &added);
	sources->pattern =
		mem_grow(sources->pattern, &sources->cap, number + 1, sizeof *sources->pattern);
	pattern = &sources->pattern[number];
	if (added) {
		*pattern = fresh;
		return;
	}
	pattern->count += count;
	/* Their numbers differ only if one has a NUL, and so is all text in the shape of others. */
	for (size_t i = 0; i < pattern->spans_count && i < fresh.spans_count; i++)
		widen(&pattern->span[i], &fresh.span[i]);
}

void sources_add(struct sources *sources, struct str name)
{
	add(sources, name, 1, false);
}

bool sources_add_line(struct sources *sources, struct str value)
{
	const char *tab = memchr(value.s, '\t', value.n);
	struct buf scratch = {0};
	struct str name;
	uint64_t count;

	if (!tab || !str_whole((struct str){value.s, (size_t)(tab - value.s)}, &count) || count == 0)
		return false;
	name = tsv_text((struct str){tab + 1, (size_t)(value.s + value.n - tab) - 1}, &scratch);
	if (str_equal(name, others))
		sources->others += count;
	else
		add(sources, name, count, count > 1);
	buf_free(&scratch);
	return true;
}

/* --- output ---------------------------------------------------------------- */

static void put_number(struct buf *text, struct number number)
{
	buf_format(text, "%0*" PRIu64, number.width, number.value);
}

static void put_span(struct buf *text, const struct span *span)
{
	if (span->low.value == span->high.value) {
		put_number(text, span->low);
		return;
	}
	buf_char(text, '{');
	put_number(text, span->low);
	buf_text(text, "..");
	put_number(text, span->high);
	buf_char(text, '}');
}

static void put_name(struct buf *text, struct str shape, const struct source_pattern *pattern)
{
	size_t at = 0;

	for (size_t i = 0; i < shape.n; i++) {
		if (shape.s[i] == '\0' && at < pattern->spans_count)
			put_span(text, &pattern->span[at++]);
		else
			buf_char(text, shape.s[i]);
	}
}

static void write_line(struct kev_writer *out, uint64_t count, struct str name)
{
	struct buf number = {0};

	buf_format(&number, "%" PRIu64, count);
	kev_meta(out, "sources", (struct str[]){buf_view(&number), name}, 2);
	buf_free(&number);
}

void sources_write(const struct sources *sources, struct kev_writer *out)
{
	struct buf name = {0};

	for (size_t i = 0; i < sources->shapes.count; i++) {
		name.len = 0;
		put_name(&name, strmap_key(&sources->shapes, i), &sources->pattern[i]);
		write_line(out, sources->pattern[i].count, buf_view(&name));
	}
	if (sources->others)
		write_line(out, sources->others, others);
	buf_free(&name);
}

void sources_free(struct sources *sources)
{
	strmap_free(&sources->shapes);
	free(sources->pattern);
	buf_free(&sources->shape);
}
