#include "colltable.h"

#include "base/mem.h"

#include <stdlib.h>

const char *const collby_names[COLLBYS] = {
	[COLLBY_ID] = "id", [COLLBY_SEQ] = "seq", [COLLBY_HCOM] = "hcom", [COLLBY_ORDER] = "order"};

/* The columns of a partial: first the columns of both kinds of rows. */
enum column {
	WHAT,
	GROUP,
	BY,
	KIND,
	SIZE,
	COUNT,
	TOTAL,
	/* columns of a collective */
	ID,
	SEQ,
	BYTES_MIN,
	BYTES_MAX,
	SPLIT,
	RANKS,
	MIN,
	MIN_RANK,
	MAX,
	MAX_RANK,
	END_MIN,
	END_MAX,
	END_LOW,
	LOW_RANK,
	/* columns of a member */
	RANK,
	HASH,
	FIRST,
	LAST,
	COLUMNS
};

static const char *const names[COLUMNS] = {
	[WHAT] = "what",
	[GROUP] = "group",
	[BY] = "by",
	[KIND] = "kind",
	[SIZE] = "size",
	[COUNT] = "count",
	[TOTAL] = "total",
	[ID] = "id",
	[SEQ] = "seq",
	[BYTES_MIN] = "bytes_min",
	[BYTES_MAX] = "bytes_max",
	[SPLIT] = "split",
	[RANKS] = "ranks",
	[MIN] = "min",
	[MIN_RANK] = "min_rank",
	[MAX] = "max",
	[MAX_RANK] = "max_rank",
	[END_MIN] = "end_min",
	[END_MAX] = "end_max",
	[END_LOW] = "end_low",
	[LOW_RANK] = "low_rank",
	[RANK] = "rank",
	[HASH] = "hash",
	[FIRST] = "first",
	[LAST] = "last",
};

static const struct str what_collective = {"collective", 10};
static const struct str what_member = {"member", 6};

/* The finalizer of splitmix64. */
uint64_t collrank_hash(uint64_t rank)
{
	uint64_t x = rank + 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* --- keys ------------------------------------------------------------------- */

uint32_t colltable_group(struct colltable *table, struct str group)
{
	return (uint32_t)strmap_add(&table->groups, group, NULL);
}

enum { KEY_HEAD = sizeof(uint32_t) + 2 };

static struct str key_of(struct buf *key, uint32_t group, uint8_t kind, uint8_t by, struct str rest)
{
	key->len = 0;
	buf_bytes(key, (const char *)&group, sizeof group);
	buf_char(key, (char)kind);
	buf_char(key, (char)by);
	buf_str(key, rest);
	return buf_view(key);
}

size_t colltable_find(struct colltable *table, const struct coll *like, struct str id)
{
	return strmap_find(&table->keys, key_of(&table->key, like->group, like->kind, like->by, id));
}

size_t colltable_coll(struct colltable *table, const struct coll *like, struct str id)
{
	bool added;
	size_t number = strmap_add(&table->keys,
	                           key_of(&table->key, like->group, like->kind, like->by, id), &added);

	if (added) {
		table->coll = mem_grow(table->coll, &table->coll_cap, number + 1, sizeof *table->coll);
		table->coll[number] =
			(struct coll){.group = like->group, .kind = like->kind, .by = like->by};
	}
	return number;
}

struct str colltable_id(const struct colltable *table, size_t number)
{
	struct str key = strmap_key(&table->keys, number);

	return (struct str){key.s + KEY_HEAD, key.n - KEY_HEAD};
}

static struct collmember *member_of(struct colltable *table, const struct collmember *like)
{
	struct str rank = {(const char *)&like->rank, sizeof like->rank};
	bool added;
	size_t number = strmap_add(
		&table->member_keys, key_of(&table->key, like->group, like->kind, like->by, rank), &added);

	if (added) {
		table->member =
			mem_grow(table->member, &table->member_cap, number + 1, sizeof *table->member);
		table->member[number] = (struct collmember){
			.group = like->group, .kind = like->kind, .by = like->by, .rank = like->rank};
	}
	return &table->member[number];
}

/* --- merging ---------------------------------------------------------------- */

static void take_larger(uint64_t *a, uint64_t b)
{
	if (b > *a)
		*a = b;
}

static void take_least(struct coll *coll, const struct coll *part)
{
	int by_min = dec_compare(part->min, coll->min);
	int by_max = dec_compare(part->max, coll->max);

	if (by_min < 0 || (by_min == 0 && part->min_rank < coll->min_rank)) {
		coll->min = part->min;
		coll->min_rank = part->min_rank;
	}
	if (by_max > 0 || (by_max == 0 && part->max_rank < coll->max_rank)) {
		coll->max = part->max;
		coll->max_rank = part->max_rank;
	}
	if (dec_compare(part->end_min, coll->end_min) < 0)
		coll->end_min = part->end_min;
	if (dec_compare(part->end_max, coll->end_max) > 0)
		coll->end_max = part->end_max;
	if (part->low_rank < coll->low_rank ||
	    (part->low_rank == coll->low_rank && dec_compare(part->end_low, coll->end_low) < 0)) {
		coll->low_rank = part->low_rank;
		coll->end_low = part->end_low;
	}
}

static void take_bytes(struct coll *coll, const struct coll *part)
{
	if (!part->sized)
		return;
	if (!coll->sized || part->bytes_min < coll->bytes_min)
		coll->bytes_min = part->bytes_min;
	if (!coll->sized || part->bytes_max > coll->bytes_max)
		coll->bytes_max = part->bytes_max;
	coll->sized = true;
}

bool colltable_add(struct colltable *table, const struct coll *part, struct str id)
{
	size_t number = colltable_coll(table, part, id);
	struct coll *coll = &table->coll[number];

	if (coll->count == 0) {
		*coll = *part;
		return true;
	}
	if (__builtin_add_overflow(coll->count, part->count, &coll->count) ||
	    !dec_add(&coll->total, part->total))
		return false;
	take_bytes(coll, part);
	take_least(coll, part);
	take_larger(&coll->size, part->size);
	if (part->ordered && (!coll->ordered || part->seq < coll->seq)) {
		coll->seq = part->seq;
		coll->ordered = true;
	}
	coll->split |= part->split;
	coll->ranks += part->ranks;
	return true;
}

bool colltable_add_member(struct colltable *table, const struct collmember *part)
{
	struct collmember *member = member_of(table, part);

	if (__builtin_add_overflow(member->count, part->count, &member->count) ||
	    !dec_add(&member->total, part->total))
		return false;
	take_larger(&member->size, part->size);
	member->hash += part->hash;
	if (!part->ordered)
		return true;
	if (!member->ordered || part->first < member->first)
		member->first = part->first;
	if (!member->ordered || part->last > member->last)
		member->last = part->last;
	member->ordered = true;
	return true;
}

/* --- reading ---------------------------------------------------------------- */

bool colltable_is_layout(const struct kev_reader *in)
{
	return kev_column(in, str_of(names[WHAT])) != KEV_NONE &&
	       kev_column(in, str_of(names[END_LOW])) != KEV_NONE;
}

void colltable_layout(struct colltable *table, struct kev_reader *in)
{
	if (!colltable_is_layout(in)) {
		kev_misuse(in, "this is not a partial of kcoll; write partials with kcoll -p");
		return;
	}
	if (!table->column)
		table->column = mem_alloc(COLUMNS, sizeof *table->column);
	for (size_t i = 0; i < COLUMNS; i++)
		kev_need(in, str_of(names[i]), &table->column[i]);
}

/* Reading a row: after the first error nothing more is read. */
struct row {
	const struct colltable *table;
	struct kev_reader *in;
	bool bad;
};

static struct str field_of(const struct row *row, enum column column)
{
	return row->in->field[row->table->column[column]];
}

static void fail(struct row *row, enum column column, const char *what)
{
	char text[QUOTE_MAX];
	struct str field = field_of(row, column);

	if (!row->bad)
		kev_error(row->in, "%s: %s is not %s", names[column], quote(text, field.s, field.n), what);
	row->bad = true;
}

static uint64_t whole_of(struct row *row, enum column column, const char *what)
{
	uint64_t number = 0;

	if (!str_whole(field_of(row, column), &number))
		fail(row, column, what);
	return number;
}

/* One that may be missing. */
static bool maybe_whole(struct row *row, enum column column, uint64_t *number)
{
	*number = 0;
	if (field_of(row, column).n == 0)
		return false;
	*number = whole_of(row, column, "a whole number");
	return true;
}

static struct dec time_of(struct row *row, enum column column)
{
	struct dec time = {0};

	if (!row->bad && !kev_number(row->in, row->table->column[column], &time) && !row->in->error[0])
		fail(row, column, "a time");
	row->bad |= row->in->error[0] != '\0';
	return time;
}

/*
 * A duration or a sum of durations. None is below 0, as collrows drops such rows; so whether a sum
 * of them is too large does not depend on the order of the rows.
 */
static struct dec duration_of(struct row *row, enum column column)
{
	struct dec time = time_of(row, column);

	if (time.nano < 0)
		fail(row, column, "a time of at least 0");
	return time;
}

static uint64_t count_of(struct row *row)
{
	uint64_t count = whole_of(row, COUNT, "a count");

	if (count == 0)
		fail(row, COUNT, "a count");
	return count;
}

static enum collby by_of(struct row *row)
{
	for (int i = 0; i < COLLBYS; i++)
		if (str_equal(field_of(row, BY), str_of(collby_names[i])))
			return (enum collby)i;
	fail(row, BY, "id, seq, hcom or order");
	return COLLBY_ORDER;
}

static enum collkind kind_of(struct row *row)
{
	enum collkind kind = COLLKIND_UNKNOWN;

	if (!collkind_parse(field_of(row, KIND), &kind))
		fail(row, KIND, "a kind of collectives");
	return kind;
}

static uint32_t group_of(struct colltable *table, struct row *row)
{
	return colltable_group(table, kev_text(row->in, table->column[GROUP], &table->scratch));
}

static void read_coll(struct colltable *table, struct row *row)
{
	struct coll part = {.group = group_of(table, row),
	                    .kind = (uint8_t)kind_of(row),
	                    .by = (uint8_t)by_of(row),
	                    .count = count_of(row),
	                    .total = duration_of(row, TOTAL),
	                    .split = whole_of(row, SPLIT, "0 or 1") != 0,
	                    .ranks = whole_of(row, RANKS, "a sum of ranks"),
	                    .min = duration_of(row, MIN),
	                    .min_rank = whole_of(row, MIN_RANK, "a rank"),
	                    .max = time_of(row, MAX),
	                    .max_rank = whole_of(row, MAX_RANK, "a rank"),
	                    .end_min = time_of(row, END_MIN),
	                    .end_max = time_of(row, END_MAX),
	                    .end_low = time_of(row, END_LOW),
	                    .low_rank = whole_of(row, LOW_RANK, "a rank")};
	__int128 least;
	bool largest;

	maybe_whole(row, SIZE, &part.size);
	part.ordered = maybe_whole(row, SEQ, &part.seq);
	part.sized = maybe_whole(row, BYTES_MIN, &part.bytes_min);
	largest = maybe_whole(row, BYTES_MAX, &part.bytes_max);
	if (largest != part.sized || part.bytes_max < part.bytes_min)
		fail(row, BYTES_MAX, "a number of at least bytes_min");
	if (dec_compare(part.max, part.min) < 0)
		fail(row, MAX, "a time of at least min");
	if (__builtin_mul_overflow(part.min.nano, (__int128)part.count, &least) ||
	    part.total.nano < least)
		fail(row, TOTAL, "a sum of count times of at least min");
	if (!row->bad &&
	    !colltable_add(table, &part, kev_text(row->in, table->column[ID], &table->scratch)))
		kev_error(row->in, "total: the sum is too large");
}

static void read_member(struct colltable *table, struct row *row)
{
	struct collmember part = {.group = group_of(table, row),
	                          .kind = (uint8_t)kind_of(row),
	                          .by = (uint8_t)by_of(row),
	                          .rank = whole_of(row, RANK, "a rank"),
	                          .count = count_of(row),
	                          .total = duration_of(row, TOTAL),
	                          .hash = whole_of(row, HASH, "a hash")};
	bool last;

	maybe_whole(row, SIZE, &part.size);
	part.ordered = maybe_whole(row, FIRST, &part.first);
	last = maybe_whole(row, LAST, &part.last);
	if (last != part.ordered || part.last < part.first)
		fail(row, LAST, "a number of at least first");
	if (!row->bad && !colltable_add_member(table, &part))
		kev_error(row->in, "total: the sum is too large");
}

void colltable_row(struct colltable *table, struct kev_reader *in)
{
	struct row row = {table, in, in->error[0] != '\0'};

	if (str_equal(field_of(&row, WHAT), what_collective))
		read_coll(table, &row);
	else if (str_equal(field_of(&row, WHAT), what_member))
		read_member(table, &row);
	else
		fail(&row, WHAT, "collective or member");
}

/* --- order ------------------------------------------------------------------ */

/* A row with what it is sorted by. */
struct place {
	struct str group;
	struct str id;   /* id of the collective */
	uint64_t number; /* it as a number, or the rank */
	bool text;       /* it is not a number */
	uint8_t kind;
	uint8_t by;
	size_t at;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
	const struct place *x = a;
	const struct place *y = b;
	int order = str_compare(x->group, y->group);

	if (order == 0)
		order = compare_numbers(x->by, y->by);
	if (order == 0)
		order = compare_numbers(x->text, y->text);
	if (order == 0)
		order = compare_numbers(x->number, y->number);
	if (order == 0)
		order = str_compare(x->id, y->id);
	return order ? order : compare_numbers(x->kind, y->kind);
}

static struct place *sorted_colls(const struct colltable *table)
{
	struct place *places = mem_alloc(table->keys.count, sizeof *places);

	for (size_t i = 0; i < table->keys.count; i++) {
		const struct coll *coll = &table->coll[i];

		places[i] = (struct place){.group = strmap_key(&table->groups, coll->group),
		                           .id = colltable_id(table, i),
		                           .kind = coll->kind,
		                           .by = coll->by,
		                           .at = i};
		places[i].text = !str_whole(places[i].id, &places[i].number);
		if (places[i].text)
			places[i].number = 0;
	}
	if (table->keys.count)
		qsort(places, table->keys.count, sizeof *places, compare);
	return places;
}

static struct place *sorted_members(const struct colltable *table)
{
	struct place *places = mem_alloc(table->member_keys.count, sizeof *places);

	for (size_t i = 0; i < table->member_keys.count; i++) {
		const struct collmember *member = &table->member[i];

		places[i] = (struct place){.group = strmap_key(&table->groups, member->group),
		                           .id = STR(""),
		                           .number = member->rank,
		                           .kind = member->kind,
		                           .by = member->by,
		                           .at = i};
	}
	if (table->member_keys.count)
		qsort(places, table->member_keys.count, sizeof *places, compare);
	return places;
}

/* --- writing ---------------------------------------------------------------- */

static void put_maybe(struct kev_writer *out, bool known, uint64_t number)
{
	if (known)
		kev_field_count(out, number);
	else
		kev_field_raw(out, STR(""));
}

static void put_nothing(struct kev_writer *out, enum column from, enum column to)
{
	for (int i = (int)from; i < (int)to; i++)
		kev_field_raw(out, STR(""));
}

static void put_coll(struct kev_writer *out, const struct colltable *table,
                     const struct place *place)
{
	const struct coll *coll = &table->coll[place->at];

	kev_field_raw(out, what_collective);
	kev_field(out, place->group);
	kev_field_raw(out, str_of(collby_names[coll->by]));
	kev_field_raw(out, str_of(collkind_names[coll->kind]));
	put_maybe(out, coll->size > 0, coll->size);
	kev_field_count(out, coll->count);
	kev_field_dec(out, coll->total);
	kev_field(out, place->id);
	put_maybe(out, coll->ordered, coll->seq);
	put_maybe(out, coll->sized, coll->bytes_min);
	put_maybe(out, coll->sized, coll->bytes_max);
	kev_field_count(out, coll->split);
	kev_field_count(out, coll->ranks);
	kev_field_dec(out, coll->min);
	kev_field_count(out, coll->min_rank);
	kev_field_dec(out, coll->max);
	kev_field_count(out, coll->max_rank);
	kev_field_dec(out, coll->end_min);
	kev_field_dec(out, coll->end_max);
	kev_field_dec(out, coll->end_low);
	kev_field_count(out, coll->low_rank);
	put_nothing(out, RANK, COLUMNS);
	kev_row_end(out);
}

static void put_member(struct kev_writer *out, const struct colltable *table,
                       const struct place *place)
{
	const struct collmember *member = &table->member[place->at];

	kev_field_raw(out, what_member);
	kev_field(out, place->group);
	kev_field_raw(out, str_of(collby_names[member->by]));
	kev_field_raw(out, str_of(collkind_names[member->kind]));
	put_maybe(out, member->size > 0, member->size);
	kev_field_count(out, member->count);
	kev_field_dec(out, member->total);
	put_nothing(out, ID, RANK);
	kev_field_count(out, member->rank);
	kev_field_count(out, member->hash);
	put_maybe(out, member->ordered, member->first);
	put_maybe(out, member->ordered, member->last);
	kev_row_end(out);
}

void colltable_write(struct colltable *table, struct kev_writer *out)
{
	struct place *colls = sorted_colls(table);
	struct place *members = sorted_members(table);
	struct str column[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++)
		column[i] = str_of(names[i]);
	kev_columns(out, column, COLUMNS);
	for (size_t i = 0; i < table->keys.count; i++)
		put_coll(out, table, &colls[i]);
	for (size_t i = 0; i < table->member_keys.count; i++)
		put_member(out, table, &members[i]);
	free(colls);
	free(members);
}

void colltable_free(struct colltable *table)
{
	strmap_free(&table->groups);
	strmap_free(&table->keys);
	free(table->coll);
	strmap_free(&table->member_keys);
	free(table->member);
	free(table->column);
	buf_free(&table->key);
	buf_free(&table->scratch);
}
