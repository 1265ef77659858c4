#include "json/jsontext.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "json/scan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What is read in whole blocks ends in the pad. */
static void put_pad(struct jsontext *text)
{
	memset(text->window + text->end, text->pad, SCAN_BLOCK);
}

static void make_room(struct jsontext *text, size_t n)
{
	text->window = mem_grow(text->window, &text->cap, text->end + n + SCAN_BLOCK, 1);
}

static bool opened(struct jsontext *text, bool good)
{
	if (!good)
		snprintf(text->error, sizeof text->error, "%s", text->in.error);
	return good;
}

bool jsontext_open(struct jsontext *text, const char *path)
{
	return opened(text, input_open(&text->in, path));
}

bool jsontext_again(struct jsontext *text)
{
	return opened(text, input_again(&text->in));
}

void jsontext_begin(struct jsontext *text, struct str head, const char *item, char pad)
{
	*text = (struct jsontext){.in = text->in, .item = item, .pad = pad};
	make_room(text, head.n + 2 * (size_t)JSONTEXT_READ);
	if (head.n)
		memcpy(text->window, head.s, head.n);
	text->end = head.n;
	put_pad(text);
}

void jsontext_close(struct jsontext *text)
{
	input_close(&text->in);
	free(text->window);
	text->window = NULL;
}

bool jsontext_refill(struct jsontext *text, size_t keep)
{
	ssize_t got;

	if (text->exhausted || text->fenced)
		return false;
	if (keep && text->cap - text->end < JSONTEXT_READ + SCAN_BLOCK) {
		memmove(text->window, text->window + keep, text->end - keep);
		text->base += keep;
		text->at -= keep;
		text->end -= keep;
	}
	make_room(text, JSONTEXT_READ);
	got = text->read ? text->read(text->from, text->window + text->end, JSONTEXT_READ)
	                 : input_read(&text->in, text->window + text->end, JSONTEXT_READ);
	if (got > 0)
		text->end += (size_t)got;
	else
		text->exhausted = true;
	put_pad(text);
	return got > 0;
}

void jsontext_skip_mark(struct jsontext *text)
{
	while (text->end < 3 && jsontext_refill(text, 0))
		;
	if (text->end >= 3 && memcmp(text->window, "\xef\xbb\xbf", 3) == 0)
		text->at = 3;
}

/* --- errors -------------------------------------------------------------- */

bool jsontext_fail(struct jsontext *text, uint64_t offset, const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	plaintext_format(what, sizeof what, format, args);
	va_end(args);
	if (text->number)
		snprintf(text->error, sizeof text->error, "byte %" PRIu64 " (%s %" PRIu64 "): %s", offset,
		         text->item, text->number, what);
	else
		snprintf(text->error, sizeof text->error, "byte %" PRIu64 ": %s", offset, what);
	return false;
}

bool jsontext_cut(struct jsontext *text, uint64_t offset, const char *what)
{
	text->cut = true;
	/* In a fence the text is whole, and the input may belong to a thread that reads ahead. */
	if (!text->fenced && text->in.error[0])
		return jsontext_fail(text, offset, "%s is cut off: %s", what, text->in.error);
	return jsontext_fail(text, offset, "%s is cut off: the text ends at byte %" PRIu64, what,
	                     text->base + text->end);
}

bool jsontext_expected(struct jsontext *text, const char *expected)
{
	char found[QUOTE_MAX];
	uint32_t code;
	int c = jsontext_peek(text);
	struct str rest;
	size_t n;

	if (c < 0)
		return jsontext_cut(text, jsontext_offset(text), expected);
	/* The window may end within a character of several bytes. */
	while (c >= 0xc2 && text->end - text->at < 4 && jsontext_refill(text, text->at))
		;
	rest = jsontext_rest(text);
	n = plaintext_character(rest, &code);
	return jsontext_fail(text, jsontext_offset(text), "%s expected, %s found", expected,
	                     quote(found, rest.s, n ? n : 1));
}

bool jsontext_lost(struct jsontext *text)
{
	size_t n = strlen(text->error);

	snprintf(text->error + n, sizeof text->error - n,
	         "; reading ends here, as no further %s is found", text->item);
	return false;
}
