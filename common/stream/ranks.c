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

static void sort(struct rank_range *range, size_t count)
{
	if (count)
		qsort(range, count, sizeof *range, compare_ranges);
}

/* Joins ranges that touch; they are sorted. */
static void join(struct rank_range *range, size_t *ranges_count)
{
	size_t count = 0;

	if (*ranges_count == 0)
		return;
	for (size_t i = 1; i < *ranges_count; i++) {
		if (range[i].first > range[count].last + 1)
			range[++count] = range[i];
		else if (range[i].last > range[count].last)
			range[count].last = range[i].last;
	}
	*ranges_count = count + 1;
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

/* Appends the ranges of a list. */
static bool parse_list(const char *list, struct rank_range **range, size_t *count, size_t *cap)
{
	struct words words = {0};
	bool good = words_add(&words, list);

	for (size_t i = 0; good && i < words.count; i++) {
		*range = mem_grow(*range, cap, *count + 1, sizeof **range);
		good = parse_range(words.item[i], &(*range)[*count]);
		*count += good;
	}
	words_free(&words);
	return good;
}

bool ranks_want(struct ranks *ranks, const char *list)
{
	bool good = parse_list(list, &ranks->wanted, &ranks->wanted_count, &ranks->wanted_cap);

	sort(ranks->wanted, ranks->wanted_count);
	join(ranks->wanted, &ranks->wanted_count);
	return good;
}

/* --- sources --------------------------------------------------------------- */

static void add_seen(struct ranks *ranks, uint64_t rank)
{
	struct rank_range *last = ranks->seen_count ? &ranks->seen[ranks->seen_count - 1] : NULL;

	if (last && rank == last->last + 1) {
		last->last = rank;
		return;
	}
	ranks->seen =
		mem_grow(ranks->seen, &ranks->seen_cap, ranks->seen_count + 1, sizeof *ranks->seen);
	ranks->seen[ranks->seen_count++] = (struct rank_range){rank, rank};
}

static void end_source(struct ranks *ranks)
{
	if (!ranks->any)
		return;
	if (ranks->known) {
		add_seen(ranks, ranks->rank);
	} else if (!ranks->listed && ranks->unknown_count++ < SHOWN) {
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
	ranks->listed = false;
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

static void add_listed(struct ranks *ranks, struct kev_reader *in)
{
	char text[QUOTE_MAX];
	struct buf list = {0};

	buf_str(&list, in->value);
	buf_char(&list, '\0');
	if (memchr(in->value.s, '\0', in->value.n) ||
	    !parse_list(list.data, &ranks->seen, &ranks->seen_count, &ranks->seen_cap))
		kev_error(in, "##ranks: %s is not a list of ranks", quote(text, in->value.s, in->value.n));
	ranks->listed = true;
	buf_free(&list);
}

bool ranks_takes(const struct kev_reader *in)
{
	return str_equal(in->key, STR("source")) || str_equal(in->key, STR("sources")) ||
	       str_equal(in->key, STR("rank")) || str_equal(in->key, STR("ranks"));
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
		sources_add(&ranks->sources, buf_view(&ranks->name));
	} else if (str_equal(in->key, STR("sources"))) {
		if (!sources_add_line(&ranks->sources, in->value))
			kev_error(in, "##sources: a count and a name are expected");
	} else if (str_equal(in->key, STR("ranks"))) {
		add_listed(ranks, in);
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
	uint64_t end = 0;  /* after the last rank so far */
	uint64_t next = 0; /* after the last rank of twice */

	sort(ranks->seen, ranks->seen_count);
	for (size_t i = 0; i < ranks->seen_count; i++) {
		struct rank_range range = ranks->seen[i];
		uint64_t first = range.first > next ? range.first : next;
		uint64_t last = range.last < end ? range.last + 1 : end; /* after it */

		if (first < last) {
			add_range(&twice, first, last - 1);
			next = last;
		}
		if (range.last >= end)
			end = range.last + 1;
	}
	join(ranks->seen, &ranks->seen_count);
	report(out, &twice, "ranks that came more than once");
}

/* Adds the ranks of some ranges that are not in others; both are joined. */
static void add_difference(struct text *text, const struct rank_range *some, size_t some_count,
                           const struct rank_range *others, size_t others_count)
{
	size_t at = 0;

	for (size_t i = 0; i < some_count; i++) {
		uint64_t first = some[i].first;

		while (at < others_count && others[at].last < first)
			at++;
		for (; at < others_count && others[at].first <= some[i].last; at++) {
			if (others[at].first > first)
				add_range(text, first, others[at].first - 1);
			first = others[at].last + 1;
			if (first > some[i].last)
				break; /* the range may go on in the next one */
		}
		if (first <= some[i].last)
			add_range(text, first, some[i].last);
	}
}

static void report_differences(const struct ranks *ranks, struct kev_writer *out)
{
	struct text missing = {0};
	struct text other = {0};

	add_difference(&missing, ranks->wanted, ranks->wanted_count, ranks->seen, ranks->seen_count);
	add_difference(&other, ranks->seen, ranks->seen_count, ranks->wanted, ranks->wanted_count);
	report(out, &missing, "ranks missing");
	report(out, &other, "ranks that should not be there");
}

static void write_seen(const struct ranks *ranks, struct kev_writer *out)
{
	struct buf list = {0};

	for (size_t i = 0; i < ranks->seen_count; i++) {
		const struct rank_range *range = &ranks->seen[i];

		buf_format(&list, "%s%" PRIu64, i ? "," : "", range->first);
		if (range->last > range->first)
			buf_format(&list, "-%" PRIu64, range->last);
	}
	if (list.len)
		kev_meta(out, "ranks", (struct str[]){buf_view(&list)}, 1);
	buf_free(&list);
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
	sources_write(&ranks->sources, out);
	report_twice(ranks, out);
	write_seen(ranks, out);
	report_differences(ranks, out);
	report_unknown(ranks, out);
	return true;
}

void ranks_free(struct ranks *ranks)
{
	free(ranks->wanted);
	free(ranks->seen);
	sources_free(&ranks->sources);
	buf_free(&ranks->unknown);
	buf_free(&ranks->name);
	buf_free(&ranks->scratch);
}
