#include "answer/shorten.h"

#include "answer/width.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

static const struct str ellipsis = {"…", sizeof "…" - 1};

void shorten_add(struct shorten *names, struct str name)
{
	if (name.n > SHORTEN_LEAST && width_of(name) > SHORTEN_LEAST)
		strmap_add(&names->names, name, NULL);
}

/* A name, for sorting. */
struct name {
	struct str text;
	size_t number;
	size_t common; /* bytes of its beginning that its nearest relative has, too */
};

static int compare_names(const void *a, const void *b)
{
	return str_compare(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static bool continues_character(char c)
{
	return (c & 0xc0) == 0x80;
}

/* Whole characters that both begin with, in bytes. */
static size_t common_beginning(struct str a, struct str b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.s[n] == b.s[n])
		n++;
	while (n &&
	       ((n < a.n && continues_character(a.s[n])) || (n < b.n && continues_character(b.s[n]))))
		n--;
	return n;
}

/* In order of bytes, the nearest relative of a name stands beside it. */
static struct name *relatives(const struct shorten *names)
{
	size_t count = names->names.count;
	struct name *sorted = mem_zero(count, sizeof *sorted);

	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct name){.text = strmap_key(&names->names, i), .number = i};
	qsort(sorted, count, sizeof *sorted, compare_names);
	for (size_t i = 1; i < count; i++) {
		size_t common = common_beginning(sorted[i - 1].text, sorted[i].text);

		sorted[i].common = common;
		if (common > sorted[i - 1].common)
			sorted[i - 1].common = common;
	}
	return sorted;
}

/* The place one character before `at`. */
static size_t character_before(struct str text, size_t at)
{
	if (at)
		at--;
	while (at && continues_character(text.s[at]))
		at--;
	return at;
}

/* Where the end of text that fits in so many columns begins. */
static size_t end_that_fits(struct str text, size_t columns)
{
	size_t at = text.n;
	size_t width = 0;

	while (at) {
		size_t before = character_before(text, at);

		width += width_of((struct str){text.s + before, at - before});
		if (width > columns)
			break;
		at = before;
	}
	return at;
}

/* Appends a name that is too wide, shortened. */
static void put_short(struct buf *out, const struct name *name, size_t width)
{
	struct str text = name->text;
	size_t head = width_cut(text, width * 3 / 5);
	size_t from = character_before(text, name->common);
	size_t room = width - 1 - width * 3 / 5;
	size_t last = end_that_fits(text, room);

	from = from < last ? from : last;
	if (from <= head) {
		buf_bytes(out, text.s, width_cut(text, width - 1));
		buf_str(out, ellipsis);
		return;
	}
	buf_bytes(out, text.s, head);
	buf_str(out, ellipsis);
	text = (struct str){text.s + from, text.n - from};
	buf_bytes(out, text.s, width_cut(text, room));
}

/* What is shown so far, and how often each was wanted: the next number for it. */
struct shown {
	struct strmap texts;
	size_t *wanted;
	size_t cap;
};

static bool is_new(struct shown *shown, struct str text, size_t *number)
{
	bool new;

	*number = strmap_add(&shown->texts, text, &new);
	shown->wanted = mem_grow(shown->wanted, &shown->cap, *number + 1, sizeof *shown->wanted);
	if (new)
		shown->wanted[*number] = 1;
	return new;
}

/* Appends what is shown, after `start`, with a number if another name has equal text there. */
static void make_different(struct shown *shown, struct buf *out, size_t start, size_t width)
{
	struct buf numbered = {0};
	size_t first;
	size_t number;

	if (is_new(shown, (struct str){out->data + start, out->len - start}, &first))
		return;
	do {
		char end[32] = "";
		int n = snprintf(end, sizeof end, "~%zu", ++shown->wanted[first]);
		struct str text = {out->data + start, out->len - start};

		numbered.len = 0;
		buf_bytes(&numbered, text.s, width_cut(text, width - (size_t)n));
		buf_text(&numbered, end);
	} while (!is_new(shown, buf_view(&numbered), &number));
	out->len = start;
	buf_str(out, buf_view(&numbered));
	buf_free(&numbered);
}

void shorten_fit(struct shorten *names, size_t width)
{
	struct name *sorted = relatives(names);
	size_t count = names->names.count;
	struct shown shown = {0};
	size_t number;

	names->text.len = 0;
	names->beginnings = mem_resize(names->beginnings, count, sizeof *names->beginnings);
	names->ends = mem_resize(names->ends, count, sizeof *names->ends);
	for (size_t i = 0; i < count; i++)
		if (width_of(sorted[i].text) <= width)
			is_new(&shown, sorted[i].text, &number);
	for (size_t i = 0; i < count; i++) {
		size_t start = names->text.len;

		if (width_of(sorted[i].text) <= width) {
			buf_str(&names->text, sorted[i].text);
		} else {
			put_short(&names->text, &sorted[i], width);
			make_different(&shown, &names->text, start, width);
		}
		names->beginnings[sorted[i].number] = start;
		names->ends[sorted[i].number] = names->text.len;
	}
	strmap_free(&shown.texts);
	free(shown.wanted);
	free(sorted);
}

struct str shorten_get(const struct shorten *names, struct str name)
{
	size_t number = strmap_find(&names->names, name);
	size_t start;

	if (number == STRMAP_NONE || !names->ends)
		return name;
	start = names->beginnings[number];
	return (struct str){names->text.data + start, names->ends[number] - start};
}

void shorten_free(struct shorten *names)
{
	strmap_free(&names->names);
	buf_free(&names->text);
	free(names->beginnings);
	free(names->ends);
	*names = (struct shorten){0};
}
