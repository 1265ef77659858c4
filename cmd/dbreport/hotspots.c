#include "hotspots.h"

#include "base/mem.h"
#include "syntax/csv.h"

#include <stdlib.h>

enum { BAR = 12 }; /* the widest bar, in quarters of an octave */

bool hotspots_far(struct dec microbench, struct dec profiling)
{
	return dec_compare_quotients(microbench, profiling, dec_of(4), dec_of(5)) < 0 ||
	       dec_compare_quotients(microbench, profiling, dec_of(6), dec_of(5)) > 0;
}

void hotspots_add(struct hotspots *hotspots, struct hotspot hotspot)
{
	struct str signature = hotspot.signature;

	hotspot.signature = (struct str){mem_string(signature.s, signature.n), signature.n};
	hotspot.number = hotspots->count;
	hotspots->item =
		mem_grow(hotspots->item, &hotspots->cap, hotspots->count + 1, sizeof *hotspots->item);
	hotspots->item[hotspots->count++] = hotspot;
}

/* --- order --------------------------------------------------------------- */

static void sort_durations(const struct hotspot *h, struct dec *large, struct dec *small)
{
	bool above = dec_compare(h->microbench, h->profiling) > 0;

	*large = above ? h->microbench : h->profiling;
	*small = above ? h->profiling : h->microbench;
}

static int compare(const void *a, const void *b)
{
	const struct hotspot *x = a;
	const struct hotspot *y = b;
	struct dec large[2];
	struct dec small[2];
	int order;

	sort_durations(x, &large[0], &small[0]);
	sort_durations(y, &large[1], &small[1]);
	order = dec_compare_quotients(large[1], small[1], large[0], small[0]);
	if (!order)
		order = dec_compare(y->diff, x->diff);
	if (!order)
		order = str_compare(y->op, x->op);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

void hotspots_sort(struct hotspots *hotspots)
{
	if (hotspots->count)
		qsort(hotspots->item, hotspots->count, sizeof *hotspots->item, compare);
}

/* --- text ---------------------------------------------------------------- */

void hotspots_us(struct buf *out, struct dec us)
{
	dec_print_fixed(out, us, 6, false);
}

void hotspots_ratio(struct buf *out, const struct hotspot *hotspot, int places)
{
	dec_quotient_fixed(out, hotspot->microbench, hotspot->profiling, 0, places);
}

/* How many quarters of an octave the durations are apart, up to one more than BAR. */
static int bar_length(const struct hotspot *hotspot)
{
	static const int64_t steps[] = {1000000, 1189207, 1414214, 1681793}; /* 10^6 * 2^(i/4) */
	struct buf text = {0};
	struct dec large;
	struct dec small;
	struct dec factor = {0};
	int length = 0;

	sort_durations(hotspot, &large, &small);
	dec_quotient_fixed(&text, large, small, 6, 0);
	dec_parse(buf_view(&text), &factor);
	buf_free(&text);
	while (length <= BAR &&
	       dec_compare(factor, dec_of(steps[(length + 1) % 4] << (length + 1) / 4)) >= 0)
		length++;
	return length;
}

void hotspots_bar(struct buf *out, const struct hotspot *hotspot)
{
	bool longer = dec_compare(hotspot->microbench, hotspot->profiling) > 0;
	int length = bar_length(hotspot);

	for (int i = -BAR; i <= BAR; i++) {
		int at = longer ? i : -i;
		char c = '#';

		if (i == 0)
			c = '|';
		else if (at < 1 || at > length)
			c = ' ';
		else if (at == BAR && length > BAR)
			c = longer ? '>' : '<';
		buf_char(out, c);
	}
}

/* A spreadsheet runs a cell that begins like a formula. An apostrophe makes it text. */
static void put_csv_text(struct buf *out, struct str text)
{
	struct buf cell = {0};
	struct dec number;

	if (text.n && str_has_byte(STR("=+-@\t\r\n"), *text.s) &&
	    dec_parse(text, &number) == DEC_NOT_A_NUMBER)
		buf_char(&cell, '\'');
	buf_str(&cell, text);
	csv_quote(out, buf_view(&cell), false);
	buf_free(&cell);
}

void hotspots_csv(struct buf *out, const struct hotspots *hotspots)
{
	buf_text(out,
	         "Operator,CSV Name,MicroBench(us),Profiling(us),Abs Diff(us),MB/Profile,Shape\r\n");
	for (size_t i = 0; i < hotspots->count; i++) {
		const struct hotspot *h = &hotspots->item[i];

		put_csv_text(out, h->op);
		buf_char(out, ',');
		put_csv_text(out, h->csv);
		buf_char(out, ',');
		hotspots_us(out, h->microbench);
		buf_char(out, ',');
		hotspots_us(out, h->profiling);
		buf_char(out, ',');
		hotspots_us(out, h->diff);
		buf_char(out, ',');
		hotspots_ratio(out, h, 6);
		buf_char(out, ',');
		put_csv_text(out, h->signature);
		buf_text(out, "\r\n");
	}
}

void hotspots_free(struct hotspots *hotspots)
{
	for (size_t i = 0; i < hotspots->count; i++)
		free((char *)hotspots->item[i].signature.s);
	free(hotspots->item);
}
