/*
 * ksort - sort the rows of a stream by columns; its head stays on top.
 *
 *	#ts	dur	name
 *	20	1	gemm
 *	3.5	2	norm
 * gives the second row first, as 3.5 is below 20.
 *
 * Rows go through sort(1), each after a key: its values, encoded (syntax/sortkey), and its number,
 * so that equal rows stay in their order. With -n, a heap holds the first N rows instead.
 *
 * Memory: metadata after the first row, and the layouts; sort(1) takes up to 1 GiB, then disk. With
 * -n: N rows.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "io/sorter.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "syntax/sortkey.h"

enum { KEY_END = '\t' }; /* before the row: no byte of a key is that small */

enum reason { PAST_N, REASONS };

static const char *const reasons[REASONS] = {"after the first N"};
BALANCE_FITS(reasons);

struct key_column {
	struct str name;
	bool descending;
	int at;
};

/* The rows from this number on have this layout. */
struct span {
	uint64_t row;
	size_t layout;
};

/* A row of the heap. */
struct held {
	struct buf key;
	struct buf row;
	struct buf dur;
};

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct key_column *keys;
	size_t keys_count;
	int dur;
	int file;
	struct strmap layouts; /* as kev_layout gives them */
	struct span *spans;
	size_t spans_count;
	size_t spans_cap;
	size_t out_layout; /* layout of the output, by number in layouts */
	uint64_t rows;
	size_t place;     /* place of the last row without the column file; 0: there is none */
	bool interleaved; /* such rows are of several sources */
	bool sorting;     /* sort(1) runs */
	struct sorter sorter;
	size_t first;      /* -n; 0: all rows */
	struct held *heap; /* the last row of the order on top */
	size_t heap_count;
	size_t heap_cap;
	struct buf later; /* metadata after the first row */
	struct buf key;
	struct buf scratch;
};

static const struct opt opts[] = {
	{'k', "key", "[-]COL,...", "sort by these columns; -COL: descending (default: ts)"},
	{'n', "first", "N", "print the first N rows"},
};

static const struct opt_usage usage = {
	"[-k [-]COL,...] [-n N] [FILE...]",
	"Sort the rows of a stream by columns; its head stays on top.", opts,
	sizeof opts / sizeof *opts};

/* --- metadata and columns ------------------------------------------------------ */

/* Lines after the first row go to the end. */
static void metadata(struct state *st)
{
	kev_pass_meta(&st->out, &st->in);
	if (st->rows)
		buf_str(&st->later, kev_take_back(&st->out));
}

static void put_layout(struct state *st, size_t layout)
{
	if (layout != st->out_layout)
		kev_columns_of(&st->out, strmap_key(&st->layouts, layout));
	st->out_layout = layout;
}

static void columns(struct state *st)
{
	size_t layout;

	for (size_t i = 0; i < st->keys_count; i++)
		if (!kev_need(&st->in, st->keys[i].name, &st->keys[i].at))
			return;
	st->dur = kev_column(&st->in, STR("dur"));
	st->file = kev_column(&st->in, STR("file"));
	kev_layout(&st->in, &st->scratch);
	layout = strmap_add(&st->layouts, buf_view(&st->scratch), NULL);
	/* At once, so that the next program fails early. */
	if (st->rows == 0)
		put_layout(st, layout);
	if (st->spans_count && st->spans[st->spans_count - 1].layout == layout)
		return;
	st->spans = mem_grow(st->spans, &st->spans_cap, st->spans_count + 1, sizeof *st->spans);
	st->spans[st->spans_count++] = (struct span){st->rows, layout};
}

/* The layout of the row with this number: the last span that begins before it. */
static size_t layout_of(const struct state *st, uint64_t row)
{
	size_t low = 0;
	size_t high = st->spans_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (st->spans[middle].row <= row)
			low = middle;
		else
			high = middle;
	}
	return st->spans[low].layout;
}

/* --- rows ------------------------------------------------------------------------ */

static struct str dur_of(const struct state *st)
{
	return st->dur == KEV_NONE ? STR("") : st->in.field[st->dur];
}

static _Noreturn void fail_with(struct state *st, const char *why)
{
	sorter_close(&st->sorter);
	kev_die(&st->out, "sort(1)", 0, "%s", why);
}

static _Noreturn void fail_sort(struct state *st)
{
	fail_with(st, st->sorter.error);
}

static void sort_row(struct state *st)
{
	if (!st->sorting && !sorter_open(&st->sorter))
		fail_sort(st);
	st->sorting = true;
	sortkey_put_number(&st->key, st->rows);
	buf_char(&st->key, KEY_END);
	if (!sorter_put(&st->sorter, buf_view(&st->key), st->in.tsv.text))
		fail_sort(st);
	balance_out(&st->balance, dur_of(st));
}

static bool is_before(const struct held *a, const struct held *b)
{
	return str_compare(buf_view(&a->key), buf_view(&b->key)) < 0;
}

static void swap(struct held *a, struct held *b)
{
	struct held held = *a;

	*a = *b;
	*b = held;
}

/* Puts the row at i in its place below. */
static void sift_down(struct state *st, size_t i)
{
	for (size_t child = 2 * i + 1; child < st->heap_count; i = child, child = 2 * i + 1) {
		if (child + 1 < st->heap_count && is_before(&st->heap[child], &st->heap[child + 1]))
			child++;
		if (!is_before(&st->heap[i], &st->heap[child]))
			return;
		swap(&st->heap[i], &st->heap[child]);
	}
}

static void sift_up(struct state *st, size_t i)
{
	for (; i && is_before(&st->heap[(i - 1) / 2], &st->heap[i]); i = (i - 1) / 2)
		swap(&st->heap[i], &st->heap[(i - 1) / 2]);
}

static void set_held(struct state *st, struct held *held)
{
	held->key.len = held->row.len = held->dur.len = 0;
	buf_str(&held->key, buf_view(&st->key));
	sortkey_put_number(&held->key, st->rows);
	buf_str(&held->row, st->in.tsv.text);
	if (st->balance.on)
		buf_str(&held->dur, dur_of(st));
}

/* Keeps the row if it is among the first N so far. */
static void hold_row(struct state *st)
{
	struct held *heap;

	if (st->heap_count == st->first) {
		heap = st->heap;
		/* This row is later than all held rows, so it comes after rows of equal values. */
		if (str_compare(buf_view(&st->key),
		                (struct str){heap->key.data, heap->key.len - SORTKEY_NUMBER}) >= 0) {
			balance_drop(&st->balance, PAST_N, dur_of(st));
			return;
		}
		balance_drop(&st->balance, PAST_N, buf_view(&heap->dur));
		set_held(st, heap);
		sift_down(st, 0);
		return;
	}
	st->heap = mem_grow(st->heap, &st->heap_cap, st->heap_count + 1, sizeof *st->heap);
	heap = &st->heap[st->heap_count++];
	*heap = (struct held){0};
	set_held(st, heap);
	sift_up(st, st->heap_count - 1);
}

static void row(struct state *st)
{
	st->key.len = 0;
	for (size_t i = 0; i < st->keys_count; i++)
		sortkey_put(&st->key, kev_text(&st->in, st->keys[i].at, &st->scratch),
		            st->keys[i].descending);
	balance_in(&st->balance, dur_of(st));
	if (st->first)
		hold_row(st);
	else
		sort_row(st);
	st->rows++;
	if (st->file != KEV_NONE)
		return;
	st->interleaved |= st->place && st->place != st->in.place;
	st->place = st->in.place;
}

/* --- the output -------------------------------------------------------------------- */

static void put_row(struct state *st, uint64_t number, struct str row)
{
	put_layout(st, layout_of(st, number));
	kev_field_raw(&st->out, row);
	kev_row_end(&st->out);
}

static void put_held(struct state *st)
{
	size_t count = st->heap_count;

	while (st->heap_count > 1) {
		swap(&st->heap[0], &st->heap[--st->heap_count]);
		sift_down(st, 0);
	}
	for (size_t i = 0; i < count; i++) {
		struct held *held = &st->heap[i];

		balance_out(&st->balance, buf_view(&held->dur));
		put_row(st, sortkey_number(held->key.data + held->key.len - SORTKEY_NUMBER),
		        buf_view(&held->row));
		buf_free(&held->key);
		buf_free(&held->row);
		buf_free(&held->dur);
	}
	free(st->heap);
}

static void put_sorted(struct state *st)
{
	struct str line;
	int got = sorter_turn(&st->sorter) ? 1 : -1;

	while (got > 0 && (got = sorter_next(&st->sorter, &line)) > 0) {
		const char *end = memchr(line.s, KEY_END, line.n);
		uint64_t row =
			end && end - line.s > SORTKEY_NUMBER ? sortkey_number(end - SORTKEY_NUMBER) : st->rows;

		if (row >= st->rows)
			fail_with(st, "has changed the lines");
		put_row(st, row, (struct str){end + 1, (size_t)(line.s + line.n - end) - 1});
	}
	if (got < 0)
		fail_sort(st);
	sorter_close(&st->sorter);
}

static void finish(struct state *st)
{
	if (st->interleaved)
		kev_meta(&st->out, "interleaved", NULL, 0);
	put_held(st);
	if (st->sorting)
		put_sorted(st);
	output_str(&st->out.out, buf_view(&st->later));
	st->balance.unit = kev_unit(&st->in);
	balance_print(&st->balance);
}

static void set_keys(struct state *st, const struct words *words)
{
	struct words names = {0};

	st->keys = mem_alloc(words->count, sizeof *st->keys);
	st->keys_count = words->count;
	for (size_t i = 0; i < words->count; i++) {
		struct key_column *key = &st->keys[i];

		key->name = sortkey_column(words->item[i], &key->descending);
		words_put(&names, key->name);
	}
	opts_distinct("-k", &names);
	words_free(&names);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS},
	                   .out_layout = STRMAP_NONE};
	struct words keys = {0};
	enum kev_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		if (letter == 'k')
			opts_words(&st.opts, &keys);
		else
			st.first = opts_number(&st.opts, 1);
	}
	if (keys.count == 0)
		words_add(&keys, "ts");
	set_keys(&st, &keys);
	st.balance.on = st.opts.verbose;

	kev_open(&st.in, &st.opts);
	st.in.one_unit = true;
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			metadata(&st);
		else if (item == KEV_COLUMNS)
			columns(&st);
		else
			row(&st);
	}
	if (item == KEV_FAILED) {
		sorter_close(&st.sorter);
		kev_fail(&st.out, &st.in);
	}
	finish(&st);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
