#include "collsheet.h"

#include "base/mem.h"
#include "wall/devices.h"

#include <stddef.h>
#include <stdlib.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static void put_quotient(struct sheet *sheet, struct dec a, struct dec b, int shift)
{
	if (b.nano == 0)
		return;
	if (sheet->people)
		dec_quotient_fixed(&sheet->cell, a, b, shift, 2);
	else
		dec_quotient(&sheet->cell, a, b, shift);
}

/* --- by kind ---------------------------------------------------------------- */

struct line {
	enum collkind kind;
	bool sized;
	bool uneven; /* ranks move different numbers of bytes */
	bool whole;
	bool waits;
	bool one_rank; /* a partial view: the transfer takes at most the total */
	uint64_t bytes;
	uint64_t size;
	uint64_t count; /* collectives */
	uint64_t rows;
	struct dec total;
	struct dec min;
	struct dec transfer; /* the sum of the least durations; of unmatched rows of one rank, total */
	struct dec wait;
	struct dec skew;
};

enum cell { KIND, BYTES, RANKS, COUNT, TRANSFER, WAIT, SKEW, ALGBW, BUSBW };

/* In GB/s, of 10^9 bytes, from bytes and us; times a factor. */
static void put_bandwidth(struct sheet *sheet, const struct line *line, uint64_t numerator,
                          uint64_t denominator)
{
	__int128 bytes = dec_of(1).nano;
	__int128 time;

	if (!line->sized || line->transfer.nano <= 0 ||
	    __builtin_mul_overflow(bytes, (__int128)line->bytes, &bytes) ||
	    __builtin_mul_overflow(bytes, (__int128)line->count, &bytes) ||
	    __builtin_mul_overflow(bytes, (__int128)numerator, &bytes) ||
	    __builtin_mul_overflow(line->transfer.nano, (__int128)denominator, &time))
		return;
	put_quotient(sheet, (struct dec){bytes}, (struct dec){time}, -3);
}

static void put_line(struct sheet *sheet, const void *row, int which)
{
	const struct line *line = row;
	bool matched = line->whole && line->waits;
	uint64_t numerator = 1;
	uint64_t denominator = 1;

	switch ((enum cell)which) {
	case KIND:
		buf_text(&sheet->cell, collkind_names[line->kind]);
		break;
	case BYTES:
		if (line->sized)
			sheet_count(sheet, line->bytes);
		break;
	case RANKS:
		if (line->size)
			sheet_count(sheet, line->size);
		break;
	case COUNT:
		if (line->whole)
			sheet_count(sheet, line->count);
		break;
	case TRANSFER:
		if (matched)
			devices_put_time(sheet, line->transfer);
		break;
	case WAIT:
		if (matched)
			devices_put_time(sheet, line->wait);
		break;
	case SKEW:
		if (matched)
			devices_put_time(sheet, line->skew);
		break;
	case ALGBW:
		if (matched || line->one_rank)
			put_bandwidth(sheet, line, 1, 1);
		break;
	case BUSBW:
		if ((matched || (line->one_rank && line->size > 1)) && !line->uneven &&
		    collkind_factor(line->kind, line->size, &numerator, &denominator))
			put_bandwidth(sheet, line, numerator, denominator);
		break;
	}
}

struct lines {
	struct strmap keys;
	struct line *line;
	size_t cap;
};

static struct line *line_of(struct lines *lines, const struct line *like)
{
	struct buf key = {0};
	bool added;
	size_t at;

	buf_format(&key, "%d %d %d %d %llu %llu", like->kind, like->sized, like->uneven, like->whole,
	           (unsigned long long)like->bytes, (unsigned long long)like->size);
	at = strmap_add(&lines->keys, buf_view(&key), &added);
	buf_free(&key);
	lines->line = mem_grow(lines->line, &lines->cap, at + 1, sizeof *lines->line);
	if (added)
		lines->line[at] = *like;
	return &lines->line[at];
}

/* What the ranks of a whole collective waited: total less count times the least. */
static bool wait_of(const struct coll *coll, struct dec *wait)
{
	struct dec least = {0};

	*wait = coll->total;
	return !__builtin_mul_overflow(coll->min.nano, (__int128)coll->count, &least.nano) &&
	       dec_subtract(wait, least);
}

static bool add_line(struct lines *lines, const struct collmatch *match, const struct coll *coll)
{
	bool waits = match->waits[coll->kind];
	const struct collmatch_group *group = &match->group[collmatch_at(coll->group, coll->by)];
	struct line like = {.kind = (enum collkind)coll->kind,
	                    .sized = coll->sized,
	                    .uneven = coll->split || coll->bytes_min != coll->bytes_max,
	                    .whole = coll->state == COLLSTATE_WHOLE,
	                    .waits = waits,
	                    .one_rank = waits && match->one_rank,
	                    .bytes = coll->bytes_max,
	                    .size = waits ? group->size : coll->size,
	                    .min = coll->min};
	struct line *line = line_of(lines, &like);
	struct dec transfer = line->one_rank && !line->whole ? coll->total : coll->min;
	struct dec skew = coll->max;
	struct dec wait;

	line->count++;
	line->rows += coll->count;
	if (dec_compare(coll->min, line->min) < 0)
		line->min = coll->min;
	if (!dec_add(&line->total, coll->total) || !wait_of(coll, &wait) ||
	    !dec_add(&line->transfer, transfer) || !dec_add(&line->wait, wait) ||
	    !dec_subtract(&skew, coll->min))
		return false;
	if (dec_compare(skew, line->skew) > 0)
		line->skew = skew;
	return true;
}

/* The largest total first. */
static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a;
	const struct line *y = b;
	int order = dec_compare(y->total, x->total);

	if (order == 0)
		order = (int)x->kind - (int)y->kind;
	if (order == 0)
		order = compare_numbers(x->bytes, y->bytes);
	if (order == 0)
		order = compare_numbers(x->size, y->size);
	if (order == 0)
		order = x->sized - y->sized;
	if (order == 0)
		order = x->uneven - y->uneven;
	return order ? order : x->whole - y->whole;
}

bool collsheet_kinds(const struct collmatch *match, struct kev_writer *out, enum form form,
                     struct jsonw *json)
{
	static const struct sheet_column columns[] = {
		{"kind", SHEET_TEXT, put_line, KIND},
		{"bytes", SHEET_NUMBER, put_line, BYTES},
		{"ranks", SHEET_NUMBER, put_line, RANKS},
		{"count", SHEET_NUMBER, put_line, COUNT},
		{"rows", SHEET_NUMBER, sheet_put_count, offsetof(struct line, rows)},
		{"total", SHEET_NUMBER, devices_put_field, offsetof(struct line, total)},
		{"min", SHEET_NUMBER, devices_put_field, offsetof(struct line, min)},
		{"transfer", SHEET_NUMBER, put_line, TRANSFER},
		{"wait", SHEET_NUMBER, put_line, WAIT},
		{"skew_max", SHEET_NUMBER, put_line, SKEW},
		{"algbw", SHEET_NUMBER, put_line, ALGBW},
		{"busbw", SHEET_NUMBER, put_line, BUSBW},
	};
	struct lines lines = {.cap = 0};
	struct sheet sheet;
	bool good = true;

	for (size_t i = 0; i < match->table->keys.count && good; i++)
		good = add_line(&lines, match, &match->table->coll[i]);
	if (good && lines.keys.count)
		qsort(lines.line, lines.keys.count, sizeof *lines.line, compare_lines);
	if (good) {
		sheet_begin(&sheet, out, form, json, "Collectives", columns,
		            sizeof columns / sizeof *columns);
		for (size_t i = 0; i < lines.keys.count; i++)
			sheet_row(&sheet, &lines.line[i]);
		sheet_end(&sheet);
	}
	strmap_free(&lines.keys);
	free(lines.line);
	return good;
}

/* --- by rank ---------------------------------------------------------------- */

struct rank {
	uint64_t rank;
	uint64_t collectives;
	uint64_t matched;
	uint64_t late;
	bool partly;
	struct dec total;
	struct dec caused;
	struct dec least; /* the sum of the least durations of its collectives */
};

enum rank_cell { LATE, LATE_SHARE, CAUSED, RANK_WAIT, WAIT_SHARE };

static struct dec dec_count(uint64_t count)
{
	return (struct dec){(__int128)count * dec_of(1).nano};
}

static void put_rank(struct sheet *sheet, const void *row, int which)
{
	const struct rank *rank = row;
	struct dec wait = rank->total;
	bool known = !rank->partly && dec_subtract(&wait, rank->least);

	switch ((enum rank_cell)which) {
	case LATE:
		if (rank->matched)
			sheet_count(sheet, rank->late);
		break;
	case LATE_SHARE:
		put_quotient(sheet, dec_count(rank->late), dec_count(rank->matched), 2);
		break;
	case CAUSED:
		if (rank->matched)
			devices_put_time(sheet, rank->caused);
		break;
	case RANK_WAIT:
		if (known)
			devices_put_time(sheet, wait);
		break;
	case WAIT_SHARE:
		if (known)
			put_quotient(sheet, wait, rank->total, 2);
		break;
	}
}

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a;
	const struct rank *y = b;

	return compare_numbers(x->rank, y->rank);
}

struct rank_table {
	struct rank *rank;
	size_t count;
};

static struct rank *find_rank(const struct rank_table *table, uint64_t rank)
{
	const struct rank key = {.rank = rank};

	return table->count
	           ? bsearch(&key, table->rank, table->count, sizeof *table->rank, compare_ranks)
	           : NULL;
}

/* The ranks that have a collective that waits. */
static struct rank_table list_ranks(const struct collmatch *match)
{
	const struct colltable *table = match->table;
	struct rank_table ranks = {mem_alloc(table->member_keys.count, sizeof *ranks.rank), 0};
	size_t count = 0;

	for (size_t i = 0; i < table->member_keys.count; i++)
		if (match->waits[table->member[i].kind])
			ranks.rank[count++] = (struct rank){.rank = table->member[i].rank};
	if (count)
		qsort(ranks.rank, count, sizeof *ranks.rank, compare_ranks);
	for (size_t i = 0; i < count; i++)
		if (ranks.count == 0 || ranks.rank[ranks.count - 1].rank != ranks.rank[i].rank)
			ranks.rank[ranks.count++] = ranks.rank[i];
	return ranks;
}

/* The members of a group are by rank: its least durations count once for each. */
static bool add_members(const struct collmatch *match, const struct rank_table *ranks)
{
	const struct collmember *members = match->table->member;
	size_t groups = match->table->groups.count * COLLBYS;

	for (size_t g = 0; g < groups; g++) {
		const struct collmatch_group *group = &match->group[g];

		for (size_t i = group->member_at; i < group->member_end; i++) {
			const struct collmember *member = &members[match->member[i]];
			struct rank *rank = find_rank(ranks, member->rank);
			bool first =
				i == group->member_at || members[match->member[i - 1]].rank != member->rank;

			rank->collectives += member->count;
			rank->matched += first ? group->wholes : 0;
			rank->partly |= !group->whole;
			if (!dec_add(&rank->total, member->total) ||
			    (first && !dec_add(&rank->least, group->least)))
				return false;
		}
	}
	return true;
}

static bool add_late(const struct collmatch *match, const struct rank_table *ranks)
{
	for (size_t i = 0; i < match->table->keys.count; i++) {
		const struct coll *coll = &match->table->coll[i];
		struct rank *rank = find_rank(ranks, coll->min_rank);
		struct dec wait;

		if (!match->waits[coll->kind] || coll->state != COLLSTATE_WHOLE || !rank)
			continue;
		rank->late++;
		if (!wait_of(coll, &wait) || !dec_add(&rank->caused, wait))
			return false;
	}
	return true;
}

bool collsheet_knows_rows(const struct collmatch *match)
{
	for (size_t i = 0; i < match->table->keys.count; i++) {
		const struct coll *coll = &match->table->coll[i];

		if (match->waits[coll->kind] && coll->state != COLLSTATE_UNMATCHED &&
		    !match->group[collmatch_at(coll->group, coll->by)].whole)
			return true;
	}
	return false;
}

bool collsheet_ranks(const struct collmatch *match, struct kev_writer *out, enum form form,
                     struct jsonw *json, bool *partly)
{
	static const struct sheet_column columns[] = {
		{"rank", SHEET_NUMBER, sheet_put_count, offsetof(struct rank, rank)},
		{"collectives", SHEET_NUMBER, sheet_put_count, offsetof(struct rank, collectives)},
		{"late", SHEET_NUMBER, put_rank, LATE},
		{"late_share", SHEET_NUMBER, put_rank, LATE_SHARE},
		{"caused", SHEET_NUMBER, put_rank, CAUSED},
		{"wait", SHEET_NUMBER, put_rank, RANK_WAIT},
		{"wait_share", SHEET_NUMBER, put_rank, WAIT_SHARE},
	};
	struct rank_table ranks = list_ranks(match);
	bool good = add_members(match, &ranks) && add_late(match, &ranks);
	struct sheet sheet;

	*partly = false;
	if (good) {
		sheet_begin(&sheet, out, form, json, "Ranks", columns, sizeof columns / sizeof *columns);
		for (size_t i = 0; i < ranks.count; i++) {
			*partly |= ranks.rank[i].partly;
			sheet_row(&sheet, &ranks.rank[i]);
		}
		sheet_end(&sheet);
	}
	free(ranks.rank);
	return good;
}

/* --- what is not whole ------------------------------------------------------ */

struct unmatched {
	struct str group;
	uint8_t by;
	enum collmatch_why why;
	uint64_t rows;
	const struct collmatch_group *of;
};

static void put_why(struct sheet *sheet, const void *row, int which)
{
	const struct unmatched *unmatched = row;

	(void)which;
	collmatch_put_why(unmatched->of, unmatched->why, &sheet->cell);
}

static int compare_unmatched(const void *a, const void *b)
{
	const struct unmatched *x = a;
	const struct unmatched *y = b;
	int order = str_compare(x->group, y->group);

	if (order == 0)
		order = x->by - y->by;
	return order ? order : (int)x->why - (int)y->why;
}

static size_t list_unmatched(const struct collmatch *match, struct unmatched **list)
{
	const struct strmap *groups = &match->table->groups;
	size_t cap = 0;
	size_t count = 0;

	*list = NULL;
	for (size_t g = 0; g < groups->count * COLLBYS; g++)
		for (int why = 0; why < COLLMATCH_WHYS; why++) {
			const struct collmatch_group *group = &match->group[g];

			if (group->why[why] == 0)
				continue;
			*list = mem_grow(*list, &cap, count + 1, sizeof **list);
			(*list)[count++] =
				(struct unmatched){strmap_key(groups, g / COLLBYS), (uint8_t)(g % COLLBYS),
			                       (enum collmatch_why)why, group->why[why], group};
		}
	if (count)
		qsort(*list, count, sizeof **list, compare_unmatched);
	return count;
}

/* A ##unmatched line, and for damage a ##damaged line, else a warning. */
static void report(struct kev_writer *out, const struct unmatched *unmatched)
{
	char group[QUOTE_MAX];
	struct buf text = {0};
	struct buf rows = {0};

	collmatch_put_why(unmatched->of, unmatched->why, &text);
	buf_format(&rows, "%llu", (unsigned long long)unmatched->rows);
	kev_meta(out, "unmatched", (struct str[]){unmatched->group, buf_view(&rows), buf_view(&text)},
	         3);
	rows.len = 0;
	if (unmatched->group.n)
		buf_format(&rows, "group %s: ", quote(group, unmatched->group.s, unmatched->group.n));
	buf_format(&rows, "rows that are not matched: %llu; ", (unsigned long long)unmatched->rows);
	buf_str(&rows, buf_view(&text));
	buf_char(&rows, '\0');
	if (collmatch_is_damage(unmatched->why))
		kev_damaged(out, "collectives", rows.data);
	else
		warn("%s", rows.data);
	buf_free(&text);
	buf_free(&rows);
}

void collsheet_report(const struct collmatch *match, struct kev_writer *out)
{
	struct unmatched *list;
	size_t count = list_unmatched(match, &list);

	for (size_t i = 0; i < count; i++)
		report(out, &list[i]);
	free(list);
}

void collsheet_unmatched(const struct collmatch *match, struct kev_writer *out, enum form form,
                         struct jsonw *json)
{
	static const struct sheet_column columns[] = {
		{"group", SHEET_NAME, sheet_put_text, offsetof(struct unmatched, group)},
		{"rows", SHEET_NUMBER, sheet_put_count, offsetof(struct unmatched, rows)},
		{"why", SHEET_TEXT, put_why, 0},
	};
	struct unmatched *list;
	size_t count = list_unmatched(match, &list);
	struct sheet sheet;

	if (count || form == FORM_JSON) {
		sheet_begin(&sheet, out, form, json, "Unmatched", columns,
		            sizeof columns / sizeof *columns);
		for (size_t i = 0; i < count; i++)
			sheet_row(&sheet, &list[i]);
		sheet_end(&sheet);
	}
	free(list);
}
