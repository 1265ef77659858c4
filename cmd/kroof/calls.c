#include "calls.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

typedef unsigned __int128 u128;

/* --- rows as lines of sort(1) -------------------------------------------------- */

enum { WORD = 16, LINE = 8 * WORD }; /* hexadecimal digits */

static void put_word(char **at, uint64_t word)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = WORD; i-- > 0; word >>= 4)
		(*at)[i] = digits[word & 15];
	*at += WORD;
}

/* Writes a time as a text whose order is the order of times. */
static void put_time(char **at, struct dec time)
{
	u128 bits = (u128)time.nano ^ (u128)1 << 127;

	put_word(at, (uint64_t)(bits >> 64));
	put_word(at, (uint64_t)bits);
}

/* False if the text is not of put_word. */
static bool take_word(struct str *text, uint64_t *word)
{
	*word = 0;
	if (text->n < WORD)
		return false;
	for (int i = 0; i < WORD; i++) {
		char c = text->s[i];
		bool letter = c >= 'a' && c <= 'f';

		if (!letter && !(c >= '0' && c <= '9'))
			return false;
		*word = *word << 4 | (uint64_t)(letter ? c - 'a' + 10 : c - '0');
	}
	text->s += WORD;
	text->n -= WORD;
	return true;
}

static bool take_time(struct str *text, struct dec *time)
{
	uint64_t high;
	uint64_t low;

	if (!take_word(text, &high) || !take_word(text, &low))
		return false;
	time->nano = (__int128)(((u128)high << 64 | low) ^ (u128)1 << 127);
	return true;
}

static bool fail(struct calls *calls, const char *why)
{
	snprintf(calls->error, sizeof calls->error, "sort(1): %s", why);
	return false;
}

static bool spill_row(struct calls *calls, const struct calls_row *row)
{
	char text[LINE];
	char *at = text;

	put_word(&at, row->group);
	put_word(&at, row->source);
	put_word(&at, row->id);
	put_time(&at, row->start);
	put_time(&at, row->end);
	put_word(&at, row->label);
	return sorter_put(&calls->sorter, (struct str){text, LINE}, STR("")) ||
	       fail(calls, calls->sorter.error);
}

static bool spill(struct calls *calls)
{
	if (!calls->spilled && !sorter_open(&calls->sorter))
		return fail(calls, calls->sorter.error);
	calls->spilled = true;
	for (size_t i = 0; i < calls->count; i++)
		if (!spill_row(calls, &calls->row[i]))
			return false;
	calls->count = 0;
	return true;
}

bool calls_add(struct calls *calls, const struct calls_row *row)
{
	if (calls->count == (calls->held ? calls->held : CALLS_HELD) && !spill(calls))
		return false;
	calls->row = mem_grow(calls->row, &calls->cap, calls->count + 1, sizeof *calls->row);
	calls->row[calls->count++] = *row;
	return true;
}

/* --- rows in order --------------------------------------------------------------- */

static int compare_words(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
	const struct calls_row *x = a;
	const struct calls_row *y = b;
	int order = compare_words(x->group, y->group);

	if (order == 0)
		order = compare_words(x->source, y->source);
	if (order == 0)
		order = compare_words(x->id, y->id);
	if (order == 0)
		order = dec_compare(x->start, y->start);
	return order ? order : dec_compare(x->end, y->end);
}

static bool begin(struct calls *calls)
{
	calls->sorted = true;
	if (!calls->spilled) {
		if (calls->count)
			qsort(calls->row, calls->count, sizeof *calls->row, compare);
		return true;
	}
	return spill(calls) && (sorter_turn(&calls->sorter) || fail(calls, calls->sorter.error));
}

/* As calls_next, for rows. */
static int next_row(struct calls *calls, struct calls_row *row)
{
	struct str line;
	int got;

	if (calls->ended)
		return 0;
	if (!calls->spilled) {
		calls->ended = calls->at == calls->count;
		if (calls->ended)
			return 0;
		*row = calls->row[calls->at++];
		return 1;
	}
	got = sorter_next(&calls->sorter, &line);
	calls->ended = got <= 0;
	if (got < 0)
		fail(calls, calls->sorter.error);
	if (got <= 0)
		return got;
	if (!take_word(&line, &row->group) || !take_word(&line, &row->source) ||
	    !take_word(&line, &row->id) || !take_time(&line, &row->start) ||
	    !take_time(&line, &row->end) || !take_word(&line, &row->label)) {
		fail(calls, "has changed the lines");
		return -1;
	}
	return 1;
}

static bool is_same_call(const struct calls_row *a, const struct calls_row *b)
{
	return a->group == b->group && a->source == b->source && a->id == b->id;
}

static bool is_label_before(const struct calls *calls, uint64_t a, uint64_t b)
{
	return a != b && str_compare(strmap_key(calls->labels, a), strmap_key(calls->labels, b)) < 0;
}

int calls_next(struct calls *calls, struct calls_call *call)
{
	struct calls_row row;
	struct dec end;
	int got = 1;

	if (!calls->sorted && !begin(calls))
		return -1;
	if (!calls->has_next && (got = next_row(calls, &calls->next)) <= 0)
		return got;
	row = calls->next;
	*call = (struct calls_call){.group = row.group, .label = row.label, .rows = 1};
	call->time.nano = call->busy.nano = row.end.nano - row.start.nano;
	end = row.end;
	while ((got = next_row(calls, &row)) > 0 && is_same_call(&row, &calls->next)) {
		struct dec from = dec_compare(row.start, end) > 0 ? row.start : end;

		call->rows++;
		call->busy.nano += row.end.nano - row.start.nano;
		if (dec_compare(row.start, calls->next.start) == 0 &&
		    is_label_before(calls, row.label, call->label))
			call->label = row.label;
		if (dec_compare(row.end, from) <= 0)
			continue;
		call->time.nano += row.end.nano - from.nano;
		end = row.end;
	}
	calls->next = row;
	calls->has_next = got > 0;
	return got < 0 ? got : 1;
}

void calls_free(struct calls *calls)
{
	sorter_close(&calls->sorter);
	free(calls->row);
	*calls = (struct calls){0};
}
