#include "collrows.h"

#include "base/mem.h"
#include "wall/launches.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const names[COLLROWS_COLUMNS] = {
	[COLLROWS_TS] = "ts",
	[COLLROWS_DUR] = "dur",
	[COLLROWS_NAME] = "name",
	[COLLROWS_PID] = "pid",
	[COLLROWS_TID] = "tid",
	[COLLROWS_CORRELATION] = "correlation",
	[COLLROWS_COLLECTIVE] = "Collective name",
	[COLLROWS_DTYPE] = "dtype",
	[COLLROWS_IN] = "In msg nelems",
	[COLLROWS_OUT] = "Out msg nelems",
	[COLLROWS_IN_SPLIT] = "In split size",
	[COLLROWS_OUT_SPLIT] = "Out split size",
	[COLLROWS_SIZE] = "Group size",
	[COLLROWS_GROUP] = "Process Group Name",
	[COLLROWS_MEMBERS] = "Process Group Ranks",
	[COLLROWS_SEQ] = "Seq",
	[COLLROWS_ID] = "Comms Id",
	[COLLROWS_DIMS] = "Input Dims",
	[COLLROWS_TYPES] = "Input type",
};

void collrows_columns(struct collrows *rows, struct kev_reader *in)
{
	for (size_t i = 0; i < COLLROWS_COLUMNS; i++)
		rows->column[i] = kev_column(in, str_of(names[i]));
	for (size_t i = 0; i <= COLLROWS_NAME; i++)
		kev_need(in, str_of(names[i]), &rows->column[i]);
	rows->rank = KEV_NONE;
	if (rows->rank_column.n)
		kev_need_for(in, "--rank-column: ", rows->rank_column, &rows->rank);
	kinds_columns(&rows->kinds, in);
}

void collrows_metadata(struct collrows *rows, const struct kev_reader *in)
{
	kinds_metadata(&rows->kinds, in);
}

/* --- a row ------------------------------------------------------------------ */

static struct str text_of(struct collrows *rows, const struct kev_reader *in,
                          enum collrows_column column)
{
	return kev_text(in, rows->column[column], &rows->text[column]);
}

/* Several values as one key, with the rank before them: ids of two ranks differ. */
static struct str key_of(struct collrows *rows, uint64_t rank, struct str a, struct str b)
{
	rows->key.len = 0;
	buf_format(&rows->key, "%" PRIu64 "\t", rank);
	buf_str(&rows->key, a);
	buf_char(&rows->key, '\t');
	buf_str(&rows->key, b);
	return buf_view(&rows->key);
}

static void host_row(struct collrows *rows, struct kev_reader *in, uint64_t rank, struct dec ts,
                     struct dec dur)
{
	static const struct str prefix = STR("nccl:");
	struct str name = text_of(rows, in, COLLROWS_NAME);
	struct str id = text_of(rows, in, COLLROWS_CORRELATION);
	struct buf thread = {0};

	if (!str_starts(name, prefix) && !launches_is_linked(id))
		return;
	buf_str(&thread,
	        key_of(rows, rank, text_of(rows, in, COLLROWS_PID), text_of(rows, in, COLLROWS_TID)));
	if (str_starts(name, prefix)) {
		struct annotated_span annotation = {.start = ts, .end = ts};

		dec_add(&annotation.end, dur);
		annotation.kind = collkind_of((struct str){name.s + prefix.n, name.n - prefix.n});
		annotation.sized = !collkind_by_output(annotation.kind) &&
		                   collkind_tensor(text_of(rows, in, COLLROWS_DIMS),
		                                   text_of(rows, in, COLLROWS_TYPES), &annotation.bytes);
		annotated_annotate(&rows->annotated, buf_view(&thread), &annotation);
	} else {
		annotated_add(&rows->annotated, key_of(rows, rank, id, STR("")), buf_view(&thread), ts);
	}
	buf_free(&thread);
}

/* hcom_allReduce__868_3_1: kind, group, number. */
static bool take_hcom(struct collrows *rows, struct collrows_row *row, struct str name)
{
	static const struct str prefix = STR("hcom_");
	struct str rest = {name.s + prefix.n, name.n - prefix.n};
	struct buf group = {0};
	const char *underscores;
	const char *number;

	if (!str_starts(name, prefix))
		return false;
	row->kind = (uint8_t)collkind_of(rest);
	underscores = memchr(rest.s, '_', rest.n);
	if (!underscores || underscores + 1 == rest.s + rest.n || underscores[1] != '_')
		return true;
	rest = (struct str){underscores + 2, rest.n - (size_t)(underscores + 2 - rest.s)};
	number = memchr(rest.s, '_', rest.n);
	if (!number)
		return true;
	buf_text(&group, "hcom ");
	buf_bytes(&group, rest.s, (size_t)(number - rest.s));
	row->group = colltable_group(rows->table, buf_view(&group));
	buf_free(&group);
	rest = (struct str){number + 1, rest.n - (size_t)(number + 1 - rest.s)};
	row->by = COLLBY_HCOM;
	row->id = strmap_add(&rows->ids, rest, NULL);
	number = memchr(rest.s, '_', rest.n);
	row->ordered =
		str_whole((struct str){rest.s, number ? (size_t)(number - rest.s) : rest.n}, &row->seq);
	return true;
}

static void take_size(struct collrows *rows, const struct kev_reader *in, struct collrows_row *row)
{
	struct str elements = text_of(
		rows, in, collkind_by_output((enum collkind)row->kind) ? COLLROWS_OUT : COLLROWS_IN);
	uint64_t count;

	row->sized = str_whole(elements, &count) &&
	             !__builtin_mul_overflow(count, collkind_element(text_of(rows, in, COLLROWS_DTYPE)),
	                                     &row->bytes) &&
	             (row->bytes > 0 || count == 0);
	if (!row->sized)
		row->bytes = 0;
	row->split = collkind_is_split(text_of(rows, in, COLLROWS_IN_SPLIT)) ||
	             collkind_is_split(text_of(rows, in, COLLROWS_OUT_SPLIT));
}

/* Group and number, by the arguments of PyTorch. */
static void take_group(struct collrows *rows, const struct kev_reader *in, struct collrows_row *row)
{
	struct str id = text_of(rows, in, COLLROWS_ID);
	struct str seq = text_of(rows, in, COLLROWS_SEQ);
	struct buf group = {0};

	buf_str(&group, text_of(rows, in, COLLROWS_GROUP));
	if (rows->column[COLLROWS_MEMBERS] != KEV_NONE && in->field[rows->column[COLLROWS_MEMBERS]].n) {
		buf_text(&group, group.len ? " " : "");
		buf_str(&group, text_of(rows, in, COLLROWS_MEMBERS));
	}
	row->group = colltable_group(rows->table, buf_view(&group));
	buf_free(&group);
	if (!str_whole(text_of(rows, in, COLLROWS_SIZE), &row->size))
		row->size = 0;
	row->ordered = str_whole(seq, &row->seq);
	if (id.n || seq.n) {
		row->by = id.n ? COLLBY_ID : COLLBY_SEQ;
		row->id = strmap_add(&rows->ids, id.n ? id : seq, NULL);
	}
}

static void hold(struct collrows *rows, const struct collrows_row *row)
{
	rows->row = mem_grow(rows->row, &rows->cap, rows->count + 1, sizeof *rows->row);
	rows->row[rows->count] = *row;
	rows->row[rows->count].number = rows->count;
	rows->count++;
}

/* Kind, group and number. False if it is not a collective. */
static bool take(struct collrows *rows, const struct kev_reader *in, struct collrows_row *row)
{
	struct str called = text_of(rows, in, COLLROWS_COLLECTIVE);
	struct str name = text_of(rows, in, COLLROWS_NAME);
	struct str id;

	row->by = COLLBY_ORDER;
	if (called.n == 0 && kinds_of(&rows->kinds, in) != KIND_COMM)
		return false;
	if (called.n == 0 && take_hcom(rows, row, name)) {
		if (row->by == COLLBY_ORDER)
			row->group = colltable_group(rows->table, STR(""));
		return true;
	}
	row->kind = (uint8_t)collkind_of(called.n ? called : name);
	if (called.n && row->kind == COLLKIND_UNKNOWN)
		row->kind = (uint8_t)collkind_of(name);
	take_group(rows, in, row);
	take_size(rows, in, row);
	id = text_of(rows, in, COLLROWS_CORRELATION);
	row->launched = called.n == 0 && launches_is_linked(id);
	if (row->launched)
		row->launch = strmap_add(&rows->launch_ids, key_of(rows, row->rank, id, STR("")), NULL);
	return true;
}

static bool take_rank(struct collrows *rows, struct kev_reader *in, uint64_t *rank)
{
	char text[QUOTE_MAX];
	struct str field;

	*rank = 0;
	if (rows->rank == KEV_NONE)
		return true;
	field = in->field[rows->rank];
	if (str_whole(field, rank) && *rank < UINT64_MAX)
		return true;
	kev_error(in, "%s: %s is not a rank", rows->rank_column.s, quote(text, field.s, field.n));
	return false;
}

enum collrows_answer collrows_add(struct collrows *rows, struct kev_reader *in)
{
	struct collrows_row row = {.by = COLLBY_ORDER};
	struct dec dur = {0};
	bool timed = kev_number(in, rows->column[COLLROWS_TS], &row.ts);

	timed &= kev_number(in, rows->column[COLLROWS_DUR], &dur);
	if (in->error[0] || !take_rank(rows, in, &row.rank))
		return COLLROWS_OTHER;
	row.end = row.ts;
	if (timed && (!dec_add(&row.end, dur))) {
		kev_error(in, "the times are too large to add");
		return COLLROWS_OTHER;
	}
	if (!kinds_is_device(&rows->kinds, in)) {
		if (timed)
			host_row(rows, in, row.rank, row.ts, dur);
		return COLLROWS_HOST;
	}
	if (str_ends(text_of(rows, in, COLLROWS_NAME), STR("AicpuKernel")))
		return COLLROWS_SHADOW;
	if (!take(rows, in, &row))
		return COLLROWS_OTHER;
	if (!timed || dur.nano < 0)
		return COLLROWS_NO_TIME;
	hold(rows, &row);
	return COLLROWS_HELD;
}

/* --- the end of a source ---------------------------------------------------- */

/* Kinds that all ranks of a group call are one sequence; each other kind is a sequence. */
static int sequence_of(const struct collrows_row *row)
{
	return collkind_is_named((enum collkind)row->kind) ? COLLKINDS : row->kind;
}

/* The bytes that all ranks must have; 0 if ranks may differ. */
static uint64_t common_bytes(const struct collrows_row *row)
{
	return row->sized && !row->split && collkind_is_even((enum collkind)row->kind) ? row->bytes : 0;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_times(const struct collrows_row *x, const struct collrows_row *y)
{
	int order = dec_compare(x->ts, y->ts);

	if (order == 0)
		order = dec_compare(x->end, y->end);
	if (order == 0)
		order = compare_numbers(x->kind, y->kind);
	if (order == 0)
		order = compare_numbers(x->bytes, y->bytes);
	return order ? order : compare_numbers(x->number, y->number);
}

static int compare_groups(const struct collrows_row *x, const struct collrows_row *y)
{
	int order = compare_numbers(x->rank, y->rank);

	if (order == 0)
		order = compare_numbers(x->group, y->group);
	return order ? order : compare_numbers(x->by, y->by);
}

static int compare_sequences(const void *a, const void *b)
{
	const struct collrows_row *x = a;
	const struct collrows_row *y = b;
	int order = compare_groups(x, y);

	if (order == 0)
		order = sequence_of(x) - sequence_of(y);
	return order ? order : compare_times(x, y);
}

static int compare(const void *a, const void *b)
{
	const struct collrows_row *x = a;
	const struct collrows_row *y = b;
	int order = compare_groups(x, y);

	if (order == 0 && x->by == COLLBY_ORDER)
		order = sequence_of(x) - sequence_of(y);
	if (order == 0 && x->by != COLLBY_ORDER)
		order = compare_numbers(x->id, y->id);
	if (order == 0 && x->by != COLLBY_ORDER)
		order = compare_numbers(x->kind, y->kind);
	return order ? order : compare_times(x, y);
}

static bool is_same_sequence(const struct collrows_row *a, const struct collrows_row *b)
{
	return a->rank == b->rank && a->group == b->group && a->by == b->by &&
	       sequence_of(a) == sequence_of(b);
}

static bool is_same_collective(const struct collrows_row *a, const struct collrows_row *b)
{
	return a->rank == b->rank && a->group == b->group && a->by == b->by && a->id == b->id &&
	       a->kind == b->kind;
}

/* What the annotation over its launch says. */
static void take_annotation(struct collrows *rows, struct collrows_row *row)
{
	const struct annotated_span *annotation;

	if (!row->launched)
		return;
	annotation = annotated_find(&rows->annotated, strmap_key(&rows->launch_ids, row->launch));
	if (!annotation || annotation->kind == COLLKIND_UNKNOWN)
		return;
	row->kind = (uint8_t)annotation->kind;
	if (!row->sized && annotation->sized) {
		row->sized = true;
		row->bytes = annotation->bytes;
	}
}

/* Sets block of each row; sorts them by time. */
static void find_blocks(struct collrows *rows)
{
	struct dec end = {0};

	qsort(rows->row, rows->count, sizeof *rows->row, compare_sequences);
	for (size_t i = 0; i < rows->count; i++) {
		struct collrows_row *row = &rows->row[i];
		const struct collrows_row *before = i ? row - 1 : NULL;

		if (!before || !is_same_sequence(before, row)) {
			end = row->end;
			continue;
		}
		row->block = before->block + (row->id != before->id && dec_compare(row->ts, end) >= 0);
		if (dec_compare(row->end, end) > 0)
			end = row->end;
	}
}

/* If other rows of the group ran between two rows, these are two collectives with one number. */
static bool is_continued(const struct collrows_row *before, const struct collrows_row *row)
{
	return is_same_collective(before, row) && row->block <= before->block + 1;
}

/* Several rows of a collective are one, from the first start to the last end. False if that is too
 * long. */
static bool join(struct collrows_row *first, struct collrows_row *row)
{
	struct dec dur;

	row->joined = true;
	if (dec_compare(row->end, first->end) > 0)
		first->end = row->end;
	first->split |= row->split;
	if (row->sized && (!first->sized || row->bytes > first->bytes))
		first->bytes = row->bytes;
	first->sized |= row->sized;
	dur = first->end;
	return dec_subtract(&dur, first->ts);
}

/* The number of a row without a number: BYTES:N, the Nth of its kind and bytes. */
static void number(struct collrows *rows, struct collrows_row *row)
{
	uint64_t bytes = common_bytes(row);
	bool added;
	size_t at;

	rows->key.len = 0;
	buf_format(&rows->key, "%" PRIu64 " %u %u %" PRIu64, row->rank, row->group, row->kind, bytes);
	at = strmap_add(&rows->counters, buf_view(&rows->key), &added);
	rows->counted = mem_grow(rows->counted, &rows->counted_cap, at + 1, sizeof *rows->counted);
	if (added)
		rows->counted[at] = 0;
	rows->key.len = 0;
	buf_format(&rows->key, "%" PRIu64 ":%" PRIu64, bytes, rows->counted[at]++);
	row->id = strmap_add(&rows->ids, buf_view(&rows->key), NULL);
}

bool collrows_settle(struct collrows *rows, uint64_t world)
{
	size_t first = 0;
	uint64_t place = 0;
	bool good = true;

	for (size_t i = 0; i < rows->count; i++) {
		take_annotation(rows, &rows->row[i]);
		if (rows->row[i].size == 0)
			rows->row[i].size = world;
	}
	if (rows->count) {
		find_blocks(rows);
		qsort(rows->row, rows->count, sizeof *rows->row, compare);
	}
	for (size_t i = 0; i < rows->count; i++) {
		struct collrows_row *row = &rows->row[i];

		if (row->by != COLLBY_ORDER) {
			if (i && is_continued(&rows->row[i - 1], row))
				good &= join(&rows->row[first], row);
			else
				first = i;
			continue;
		}
		first = i;
		if (i == 0 || !is_same_sequence(&rows->row[i - 1], row))
			place = 0;
		row->place = place++;
		number(rows, row);
	}
	return good;
}

void collrows_part(const struct collrows *rows, const struct collrows_row *row, struct coll *part,
                   struct str *id)
{
	struct dec dur = {row->end.nano - row->ts.nano};

	*part = (struct coll){.group = row->group,
	                      .kind = row->kind,
	                      .by = row->by,
	                      .split = row->split,
	                      .sized = row->sized,
	                      .ordered = row->ordered,
	                      .bytes_min = row->bytes,
	                      .bytes_max = row->bytes,
	                      .size = row->size,
	                      .seq = row->seq,
	                      .count = 1,
	                      .ranks = collrank_hash(row->rank),
	                      .total = dur,
	                      .min = dur,
	                      .max = dur,
	                      .min_rank = row->rank,
	                      .max_rank = row->rank,
	                      .end_min = row->end,
	                      .end_max = row->end,
	                      .end_low = row->end,
	                      .low_rank = row->rank};
	*id = strmap_key(&rows->ids, row->id);
}

static uint64_t sequence_hash(const struct collrows_row *row)
{
	return collrank_hash(collrank_hash(collrank_hash(row->place) + row->kind) + common_bytes(row));
}

bool collrows_merge(struct collrows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct collrows_row *row = &rows->row[i];
		struct collmember member = {.group = row->group,
		                            .kind = row->kind,
		                            .by = row->by,
		                            .ordered = row->ordered,
		                            .rank = row->rank,
		                            .size = row->size,
		                            .count = 1,
		                            .first = row->seq,
		                            .last = row->seq};
		struct coll part;
		struct str id;

		if (row->joined)
			continue;
		collrows_part(rows, row, &part, &id);
		member.total = part.total;
		if (row->by == COLLBY_ORDER)
			member.hash = sequence_hash(row);
		if (!colltable_add(rows->table, &part, id) || !colltable_add_member(rows->table, &member))
			return false;
	}
	return true;
}

void collrows_clear(struct collrows *rows)
{
	annotated_clear(&rows->annotated);
	rows->count = 0;
	strmap_clear(&rows->ids);
	strmap_clear(&rows->launch_ids);
	strmap_clear(&rows->counters);
}

void collrows_free(struct collrows *rows)
{
	kinds_free(&rows->kinds);
	annotated_free(&rows->annotated);
	free(rows->row);
	strmap_free(&rows->ids);
	strmap_free(&rows->launch_ids);
	strmap_free(&rows->counters);
	free(rows->counted);
	for (size_t i = 0; i < COLLROWS_COLUMNS; i++)
		buf_free(&rows->text[i]);
	buf_free(&rows->key);
}
