#include "stream/ranks.h"

#include "base/mem.h"
#include "base/plaintext.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN = 12 }; /* sources in a message */

/* The largest number is left out, so that each rank has a successor. */
static bool parse(struct str text, uint64_t *rank)
{
	return str_whole(text, rank) && *rank < UINT64_MAX;
}

/* --- the wanted ranks ------------------------------------------------------ */

static int compare_ranges(const void *a, const void *b)
{
	const struct rank_range *x = a;
	const struct rank_range *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Sorts the ranges and joins ranges that touch. */
static void join(struct ranks *ranks)
{
	size_t count = 0;

	qsort(ranks->wanted, ranks->wanted_count, sizeof *ranks->wanted, compare_ranges);
	for (size_t i = 1; i < ranks->wanted_count; i++) {
		struct rank_range *last = &ranks->wanted[count];
		const struct rank_range *next = &ranks->wanted[i];

		if (next->first > last->last + 1)
			ranks->wanted[++count] = *next;
		else if (next->last > last->last)
			last->last = next->last;
	}
	ranks->wanted_count = count + 1;
}

/* FIRST or FIRST-LAST */
static bool parse_range(struct str word, struct rank_range *range)
{
	const char *dash = memchr(word.s, '-', word.n);
	struct str first = {word.s, dash ? (size_t)(dash - word.s) : word.n};

	if (!parse(first, &range->first))
		return false;
	range->last = range->first;
	return !dash || (parse((struct str){dash + 1, word.n - first.n - 1}, &range->last) &&
	                 range->last >= range->first);
}

bool ranks_want(struct ranks *ranks, const char *list)
{
	struct words words = {0};
	bool good = words_add(&words, list);

	for (size_t i = 0; good && i < words.count; i++) {
		ranks->wanted = mem_grow(ranks->wanted, &ranks->wanted_cap, ranks->wanted_count + 1,
		                         sizeof *ranks->wanted);
		good = parse_range(words.item[i], &ranks->wanted[ranks->wanted_count]);
		ranks->wanted_count += good;
	}
	words_free(&words);
	if (good)
		join(ranks);
	return good;
}

/* --- sources --------------------------------------------------------------- */

static void end_source(struct ranks *ranks)
{
	if (!ranks->any)
		return;
	if (ranks->known) {
		ranks->seen =
			mem_grow(ranks->seen, &ranks->seen_cap, ranks->seen_count + 1, sizeof *ranks->seen);
		ranks->seen[ranks->seen_count++] = ranks->rank;
	} else if (ranks->unknown_count++ < SHOWN) {
		buf_text(&ranks->unknown, ranks->unknown.len ? ", " : "");
		plaintext_put(&ranks->unknown, buf_view(&ranks->name));
	}
}

static void begin_source(struct ranks *ranks, struct str name, bool named)
{
	/* A ##source line names the file that has begun. */
	if (!named || ranks->named || ranks->known)
		end_source(ranks);
	ranks->any = true;
	ranks->named = named;
	ranks->known = false;
	ranks->name.len = 0;
	buf_str(&ranks->name, name);
}

static void set_world_size(struct ranks *ranks, struct kev_reader *in)
{
	char text[QUOTE_MAX];
	uint64_t size;

	if (!parse(in->value, &size) || size == 0)
		kev_error(in, "##worldSize: %s is not a number of ranks",
		          quote(text, in->value.s, in->value.n));
	else if (ranks->world_size && ranks->world_size != size)
		kev_misuse(in,
		           "##worldSize: %" PRIu64 " here, %" PRIu64
		           " before; list the ranks: --ranks=0-%" PRIu64,
		           size, ranks->world_size, size - 1);
	else
		ranks->world_size = size;
}

void ranks_item(struct ranks *ranks, struct kev_reader *in, enum kev_item item)
{
	if (item == KEV_META && str_equal(in->key, STR("damaged")))
		return; /* the rank may belong to a file that could not be opened */
	if (!ranks->any || ranks->operand != in->operand)
		begin_source(ranks, str_of(in->file), false);
	ranks->operand = in->operand;
	if (item != KEV_META)
		return;
	if (str_equal(in->key, STR("source"))) {
		begin_source(ranks, tsv_text(in->value, &ranks->scratch), true);
	} else if (str_equal(in->key, STR("rank"))) {
		char text[QUOTE_MAX];

		if (ranks->known)
			end_source(ranks); /* its ##source line stands elsewhere, as after sort */
		ranks->known = parse(in->value, &ranks->rank);
		if (!ranks->known)
			kev_error(in, "##rank: %s is not a rank", quote(text, in->value.s, in->value.n));
	} else if (str_equal(in->key, STR("worldSize")) && ranks->wanted_count == 0) {
		set_world_size(ranks, in);
	}
}

/* --- the report ------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

/* A list of ranks as it grows, in order: "3, 5-7". */
struct text {
	struct buf ranges;
	struct rank_range last;
	uint64_t count;
};

static void put_range(struct text *text)
{
	buf_text(&text->ranges, text->ranges.len ? ", " : "");
	buf_format(&text->ranges, "%" PRIu64, text->last.first);
	if (text->last.last > text->last.first)
		buf_format(&text->ranges, "-%" PRIu64, text->last.last);
}

static void add_range(struct text *text, uint64_t first, uint64_t last)
{
	if (text->count && first == text->last.last + 1) {
		text->last.last = last;
	} else {
		if (text->count)
			put_range(text);
		text->last = (struct rank_range){first, last};
	}
	text->count += last - first + 1;
}

static void report(struct kev_writer *out, struct text *text, const char *what)
{
	struct buf line = {0};

	if (text->count) {
		put_range(text);
		buf_format(&line, "%s (%" PRIu64 "): ", what, text->count);
		buf_str(&line, buf_view(&text->ranges));
		buf_char(&line, '\0');
		kev_damaged(out, "ranks", line.data);
	}
	buf_free(&line);
	buf_free(&text->ranges);
}

static void report_unknown(const struct ranks *ranks, struct kev_writer *out)
{
	struct buf line = {0};

	if (ranks->unknown_count) {
		buf_format(&line, "inputs without a rank (%" PRIu64 "): ", ranks->unknown_count);
		buf_str(&line, buf_view(&ranks->unknown));
		buf_text(&line, ranks->unknown_count > SHOWN ? ", ..." : "");
		buf_char(&line, '\0');
		kev_damaged(out, "ranks", line.data);
	}
	buf_free(&line);
}

/* The ranks that came more than once; leaves each once in seen. */
static void report_twice(struct ranks *ranks, struct kev_writer *out)
{
	struct text twice = {0};
	size_t count = 0;

	for (size_t i = 0; i < ranks->seen_count; i++) {
		uint64_t rank = ranks->seen[i];

		if (count && rank == ranks->seen[count - 1]) {
			if (!twice.count || twice.last.last != rank)
				add_range(&twice, rank, rank);
		} else {
			ranks->seen[count++] = rank;
		}
	}
	ranks->seen_count = count;
	report(out, &twice, "ranks that came more than once");
}

/* Walks the seen ranks and the wanted ranges beside each other. */
static void report_differences(const struct ranks *ranks, struct kev_writer *out)
{
	struct text missing = {0};
	struct text other = {0};
	size_t at = 0;

	for (size_t i = 0; i < ranks->wanted_count; i++) {
		struct rank_range range = ranks->wanted[i];

		for (; at < ranks->seen_count && ranks->seen[at] <= range.last; at++) {
			uint64_t rank = ranks->seen[at];

			if (rank < range.first) {
				add_range(&other, rank, rank);
				continue;
			}
			if (rank > range.first)
				add_range(&missing, range.first, rank - 1);
			range.first = rank + 1;
		}
		if (range.first <= range.last)
			add_range(&missing, range.first, range.last);
	}
	for (; at < ranks->seen_count; at++)
		add_range(&other, ranks->seen[at], ranks->seen[at]);
	report(out, &missing, "ranks missing");
	report(out, &other, "ranks that should not be there");
}

bool ranks_report(struct ranks *ranks, struct kev_writer *out)
{
	end_source(ranks);
	ranks->any = false;
	if (ranks->wanted_count == 0) {
		if (ranks->world_size == 0)
			return false;
		ranks->wanted = mem_alloc(1, sizeof *ranks->wanted);
		ranks->wanted[ranks->wanted_count++] = (struct rank_range){0, ranks->world_size - 1};
	}
	if (ranks->seen_count)
		qsort(ranks->seen, ranks->seen_count, sizeof *ranks->seen, compare);
	report_twice(ranks, out);
	report_differences(ranks, out);
	report_unknown(ranks, out);
	return true;
}

void ranks_free(struct ranks *ranks)
{
	free(ranks->wanted);
	free(ranks->seen);
	buf_free(&ranks->unknown);
	buf_free(&ranks->name);
	buf_free(&ranks->scratch);
}
