#include "wall/threads.h"

#include "base/die.h"
#include "base/mem.h"
#include "syntax/sortkey.h"

#include <stdlib.h>

enum { NAMES = 1 << 28 }; /* the names that threads_row.name has room for */

/* --- rows ------------------------------------------------------------------- */

void threads_columns(struct threads *threads, struct kev_reader *in)
{
	static const char *const names[THREADS_COLUMNS] = {
		[THREADS_TS] = "ts",   [THREADS_DUR] = "dur", [THREADS_NAME] = "name",
		[THREADS_PID] = "pid", [THREADS_TID] = "tid",
	};

	for (size_t i = 0; i < THREADS_COLUMNS; i++)
		kev_need(in, str_of(names[i]), &threads->column[i]);
}

void threads_warn(const struct threads *threads, const char *file)
{
	if (threads->no_time)
		warn("%s%srows of the host without ts or dur, skipped: %llu", file ? file : "",
		     file ? ": " : "", (unsigned long long)threads->no_time);
	if (threads->negative)
		warn("%s%srows of the host with a negative dur, skipped: %llu", file ? file : "",
		     file ? ": " : "", (unsigned long long)threads->negative);
}

enum rowkind_rank threads_rank(const struct threads *threads, enum rowkind kind, struct str cat)
{
	struct threads_ignored *ignored = threads->ignored;
	enum rowkind_rank rank = rowkind_rank(kind, cat);
	size_t at;

	if (ignored->words.count == 0 || rank == ROWKIND_IN_NOTHING)
		return rank;
	at = strmap_find(&ignored->words.set, cat);
	if (at == STRMAP_NONE)
		return rank;
	if (!ignored->seen)
		ignored->seen = mem_zero(ignored->words.count, sizeof *ignored->seen);
	ignored->seen[at] = true;
	return ROWKIND_IN_NOTHING;
}

void threads_warn_ignored(const struct threads_ignored *ignored)
{
	char cat[QUOTE_MAX];

	for (size_t i = 0; i < ignored->words.count; i++) {
		struct str word = ignored->words.item[i];
		bool of_host = rowkind_rank(rowkind_of(word, STR("")), word) != ROWKIND_IN_NOTHING;

		if (!of_host && (!ignored->seen || !ignored->seen[i]))
			warn("--ignore: no row of the host has the category %s", quote(cat, word.s, word.n));
	}
}

void threads_ignored_free(struct threads_ignored *ignored)
{
	words_free(&ignored->words);
	free(ignored->seen);
	*ignored = (struct threads_ignored){0};
}

static struct str field(const struct threads *threads, const struct kev_reader *in,
                        enum threads_column column)
{
	return in->field[threads->column[column]];
}

/* Sets the span of a row; false if it is not usable. */
static bool read_span(const struct threads *threads, struct kev_reader *in, struct interval *span,
                      bool *negative)
{
	struct dec ts;
	struct dec dur;
	bool timed = kev_number(in, threads->column[THREADS_TS], &ts);

	*negative = false;
	if (!kev_number(in, threads->column[THREADS_DUR], &dur) || !timed)
		return false;
	*negative = dur.nano < 0;
	if (!interval_from(ts, dur, span))
		kev_error(in, "the times are too large to add");
	return !*negative;
}

/* A key: the bytes of the number of a file, and a text. */
static struct str put_key(struct buf *key, size_t file, struct str text)
{
	key->len = 0;
	buf_bytes(key, (const char *)&file, sizeof file);
	buf_str(key, text);
	return buf_view(key);
}

static uint32_t add_thread(struct threads *threads, struct str key, size_t file, struct str pid)
{
	bool new;
	size_t number = strmap_add(&threads->keys, key, &new);

	if (!new)
		return (uint32_t)number;
	threads->item = mem_grow(threads->item, &threads->cap, number + 1, sizeof *threads->item);
	threads->item[number] = (struct thread){.count = 0};
	threads->item[number].process =
		(uint32_t)strmap_add(&threads->processes, put_key(&threads->text, file, pid), NULL);
	return (uint32_t)number;
}

/* Rows of one thread mostly follow each other. */
static uint32_t find_thread(struct threads *threads, const struct kev_reader *in, size_t file)
{
	struct str pid = field(threads, in, THREADS_PID);
	struct str tid = field(threads, in, THREADS_TID);
	struct str last = buf_view(&threads->last);
	size_t at = sizeof file;

	if (last.n == at + pid.n + 1 + tid.n && memcmp(last.s, &file, at) == 0) {
		/* The columns stand side by side, mostly. */
		if (tid.s == pid.s + pid.n + 1 && memcmp(last.s + at, pid.s, pid.n + 1 + tid.n) == 0)
			return threads->last_number;
		if (memcmp(last.s + at, pid.s, pid.n) == 0 && last.s[at + pid.n] == '\t' &&
		    memcmp(last.s + at + pid.n + 1, tid.s, tid.n) == 0)
			return threads->last_number;
	}
	put_key(&threads->last, file, pid);
	buf_char(&threads->last, '\t');
	buf_str(&threads->last, tid);
	threads->last_number = add_thread(threads, buf_view(&threads->last), file, pid);
	return threads->last_number;
}

static inline int compare_rows(const struct threads_row *x, const struct threads_row *y)
{
	int order = dec_compare(x->start, y->start);

	if (order == 0)
		order = dec_compare(y->end, x->end);
	if (order == 0)
		order = (int)x->rank - (int)y->rank;
	return order ? order : (x->input > y->input) - (x->input < y->input);
}

static uint32_t add_name(struct threads *threads, struct str name)
{
	size_t number = strmap_add(&threads->names, name, NULL);

	if (number >= NAMES)
		die("more than %d names of rows of the host", NAMES);
	return (uint32_t)number % NAMES;
}

void threads_add(struct threads *threads, struct kev_reader *in, size_t file, enum rowkind kind,
                 enum rowkind_rank rank)
{
	struct threads_row row = {.name = 0};
	struct interval span;
	struct thread *thread;
	uint32_t number;
	bool negative;

	if (!read_span(threads, in, &span, &negative)) {
		threads->negative += negative;
		threads->no_time += !negative;
		return;
	}
	row.name = add_name(threads, field(threads, in, THREADS_NAME)) & (NAMES - 1);
	row.rank = (unsigned)rank & 7;
	row.call = rowkind_is_call(kind, true);
	row.start = span.start;
	row.end = span.end;
	number = find_thread(threads, in, file);
	thread = &threads->item[number];
	if (thread->count >= THREADS_NONE)
		die("more than 4 billion rows of one thread");
	row.input = (uint32_t)thread->count;
	thread->row = mem_grow(thread->row, &thread->cap, thread->count + 1, sizeof *thread->row);
	thread->mixed |= thread->count && compare_rows(&thread->row[thread->count - 1], &row) > 0;
	thread->calls |= rank >= ROWKIND_IN_OPERATOR;
	if (thread->count == 0 || dec_compare(row.end, thread->end) > 0)
		thread->end = row.end;
	thread->row[thread->count++] = row;
	threads->rows++;
}

/* --- the way out ---------------------------------------------------------------- */

/*
 * A row on the way out from the row at hand: its level is its place in the stack, from 1. Level 0
 * is outside of all rows. `far` is the level that its row's far has.
 */
struct way {
	uint32_t row;
	uint32_t far;
};

/*
 * Rows come in runs that are in order: one for each kind that the profiler writes, often. They are
 * sorted by their indices: runs side by side are merged until one is left.
 */
struct runs {
	const struct threads_row *row;
	uint32_t *order;  /* indices of rows */
	uint32_t *merged; /* room for the first of two runs */
	uint32_t *start;  /* the starts of the runs, and the end of the last */
	size_t count;
};

static bool is_before(const struct runs *runs, uint32_t a, uint32_t b)
{
	return compare_rows(&runs->row[a], &runs->row[b]) < 0;
}

/* The first place in [low, high), which is in order, of a row that is not before this one; high. */
static size_t place_in(const struct runs *runs, size_t low, size_t high, uint32_t row)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before(runs, runs->order[middle], row))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Merges two runs. What is in its place already at both ends, often nearly all, stays there. */
static void merge(const struct runs *runs, size_t low, size_t middle, size_t high)
{
	uint32_t *order = runs->order;
	size_t count;

	low = place_in(runs, low, middle, order[middle]);
	if (low == middle)
		return;
	high = place_in(runs, middle, high, order[middle - 1]);
	count = middle - low;
	memcpy(runs->merged, order + low, count * sizeof *order);
	for (size_t i = 0; i < count;) {
		bool second = middle < high && is_before(runs, order[middle], runs->merged[i]);

		order[low++] = second ? order[middle++] : runs->merged[i++];
	}
}

/* Merges the first run with the second, the third with the fourth, and so on. */
static void merge_pairs(struct runs *runs)
{
	size_t kept = 0;

	for (size_t i = 0; i < runs->count; i += 2) {
		if (i + 1 < runs->count)
			merge(runs, runs->start[i], runs->start[i + 1], runs->start[i + 2]);
		runs->start[kept++] = runs->start[i];
	}
	runs->start[kept] = runs->start[runs->count];
	runs->count = kept;
}

/* Moves the row order[i] to place i, for each i. */
static void move_rows(struct threads_row *row, uint32_t *order, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct threads_row first = row[i];
		size_t at = i;

		if (order[i] == i)
			continue;
		for (;;) {
			size_t from = order[at];

			order[at] = (uint32_t)at;
			if (from == i)
				break;
			row[at] = row[from];
			at = from;
		}
		row[at] = first;
	}
}

static void sort_rows(struct thread *thread)
{
	size_t count = thread->count;
	size_t cap = 0;
	struct runs runs = {.row = thread->row};

	runs.start = mem_grow(runs.start, &cap, 1, sizeof *runs.start);
	for (size_t i = 0; i < count; i++) {
		if (i && compare_rows(&thread->row[i - 1], &thread->row[i]) < 0)
			continue;
		runs.start = mem_grow(runs.start, &cap, runs.count + 2, sizeof *runs.start);
		runs.start[runs.count++] = (uint32_t)i;
	}
	runs.start[runs.count] = (uint32_t)count;
	runs.order = mem_alloc(count, sizeof *runs.order);
	runs.merged = mem_alloc(count, sizeof *runs.merged);
	for (size_t i = 0; i < count; i++)
		runs.order[i] = (uint32_t)i;
	while (runs.count > 1)
		merge_pairs(&runs);
	move_rows(thread->row, runs.order, count);
	free(runs.start);
	free(runs.order);
	free(runs.merged);
}

/* The levels of far are those of a skew binary list: log n steps lead to any level. */
static void build_thread(struct thread *thread)
{
	struct way *way = NULL;
	size_t cap = 0;
	uint32_t level = 0;

	if (thread->mixed)
		sort_rows(thread);
	way = mem_grow(way, &cap, 1, sizeof *way);
	way[0] = (struct way){THREADS_NONE, 0};
	for (size_t i = 0; i < thread->count; i++) {
		struct threads_row *row = &thread->row[i];
		uint32_t far;

		while (level && dec_compare(thread->row[way[level].row].end, row->end) <= 0)
			level--;
		far = way[level].far;
		far = level - far == far - way[far].far ? way[far].far : level;
		row->outer = way[level].row;
		row->far = way[far].row;
		way = mem_grow(way, &cap, level + 2, sizeof *way);
		way[++level] = (struct way){(uint32_t)i, far};
	}
	free(way);
}

uint32_t threads_open(const struct thread *thread, uint32_t from, struct dec time)
{
	while (from != THREADS_NONE && dec_compare(thread->row[from].end, time) <= 0) {
		uint32_t far = thread->row[from].far;

		from = far != THREADS_NONE && dec_compare(thread->row[far].end, time) <= 0
		           ? far
		           : thread->row[from].outer;
	}
	return from;
}

/* --- threads in their order ------------------------------------------------------- */

struct sorted {
	uint32_t process;
	uint32_t number;
	struct str key; /* its tid, by syntax/sortkey */
	struct str tid;
};

static int compare_threads(const void *a, const void *b)
{
	const struct sorted *x = a;
	const struct sorted *y = b;

	int order = (x->process > y->process) - (x->process < y->process);

	if (order == 0)
		order = str_compare(x->key, y->key);
	/* 1 and 01 are two threads. */
	return order ? order : str_compare(x->tid, y->tid);
}

static void sort_threads(struct threads *threads)
{
	size_t count = threads->keys.count;
	struct sorted *sorted = mem_alloc(count + 1, sizeof *sorted);
	struct buf *keys = mem_zero(count + 1, sizeof *keys);

	for (size_t i = 0; i < count; i++) {
		struct str tid = threads_tid(threads, &threads->item[i]);

		sortkey_put(&keys[i], tsv_text(tid, &threads->text), false);
		sorted[i] = (struct sorted){threads->item[i].process, (uint32_t)i, buf_view(&keys[i]), tid};
	}
	qsort(sorted, count, sizeof *sorted, compare_threads);
	threads->order = mem_alloc(count + 1, sizeof *threads->order);
	threads->first = mem_alloc(threads->processes.count + 1, sizeof *threads->first);
	for (size_t i = 0; i < count; i++) {
		threads->order[i] = sorted[i].number;
		if (i == 0 || sorted[i].process != sorted[i - 1].process)
			threads->first[sorted[i].process] = (uint32_t)i;
	}
	threads->first[threads->processes.count] = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		buf_free(&keys[i]);
	free(keys);
	free(sorted);
}

void threads_build(struct threads *threads)
{
	for (size_t i = 0; i < threads->keys.count; i++)
		build_thread(&threads->item[i]);
	sort_threads(threads);
}

const struct thread *threads_find(struct threads *threads, size_t file, struct str track)
{
	size_t number = strmap_find(&threads->keys, put_key(&threads->text, file, track));

	return number == STRMAP_NONE ? NULL : &threads->item[number];
}

const struct thread *threads_by_tid(const struct threads *threads, size_t file, struct str tid)
{
	const struct thread *found = NULL;

	for (size_t i = 0; i < threads->keys.count; i++) {
		struct str key = strmap_key(&threads->keys, i);

		if (memcmp(key.s, &file, sizeof file) != 0 ||
		    !str_equal(threads_tid(threads, &threads->item[i]), tid))
			continue;
		if (found)
			return NULL;
		found = &threads->item[i];
	}
	return found;
}

uint32_t threads_process(struct threads *threads, size_t file, struct str pid)
{
	size_t number = strmap_find(&threads->processes, put_key(&threads->text, file, pid));

	return number == STRMAP_NONE ? THREADS_NONE : (uint32_t)number;
}

/* A field of the key of a thread. */
static struct str key_field(const struct threads *threads, const struct thread *thread, size_t at)
{
	struct str key = strmap_key(&threads->keys, (size_t)(thread - threads->item));
	size_t file = sizeof(size_t);

	return tsv_field((struct str){key.s + file, key.n - file}, at);
}

struct str threads_pid(const struct threads *threads, const struct thread *thread)
{
	return key_field(threads, thread, 0);
}

struct str threads_tid(const struct threads *threads, const struct thread *thread)
{
	return key_field(threads, thread, 1);
}

struct str threads_name(const struct threads *threads, const struct threads_row *row)
{
	return strmap_key(&threads->names, row->name);
}

/* --- questions -------------------------------------------------------------------- */

size_t threads_place(const struct thread *thread, const struct interval *span,
                     enum rowkind_rank rank)
{
	const struct threads_row sought = {
		.start = span->start, .end = span->end, .rank = (unsigned)rank & 7};
	size_t low = 0;
	size_t high = thread->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct threads_row *row = &thread->row[middle];
		int order = dec_compare(row->start, sought.start);

		if (order == 0)
			order = dec_compare(sought.end, row->end);
		if (order == 0)
			order = (int)row->rank - (int)sought.rank;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void put_name(struct buf *out, struct str name)
{
	size_t start = out->len;

	buf_str(out, name);
	buf_replace(out, start, ';', ':');
}

size_t threads_fold(struct threads *threads, const struct thread *thread, size_t place,
                    struct dec time, struct buf *out)
{
	size_t count = 0;

	while (place) {
		uint32_t row = threads_open(thread, (uint32_t)place - 1, time);

		if (row == THREADS_NONE)
			break;
		threads->open =
			mem_grow(threads->open, &threads->open_cap, count + 1, sizeof *threads->open);
		threads->open[count++] = row;
		place = row;
	}
	for (size_t i = count; i-- > 0;) {
		put_name(out, threads_name(threads, &thread->row[threads->open[i]]));
		if (i)
			buf_char(out, ';');
	}
	return count;
}

struct threads_walk threads_walk(const struct thread *thread, const struct interval *span)
{
	struct threads_walk walk = {thread, span->start, span->end, 0};
	size_t low = 0;
	size_t high = thread ? thread->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dec_compare(thread->row[middle].start, span->start) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	walk.next = low;
	return walk;
}

static uint32_t innermost(const struct threads_walk *walk, struct dec time)
{
	return walk->next ? threads_open(walk->thread, (uint32_t)walk->next - 1, time) : THREADS_NONE;
}

/* The rows that begin at this time, or before it, have begun. */
static void begin_rows(struct threads_walk *walk, struct dec time)
{
	const struct thread *thread = walk->thread;

	while (walk->next < thread->count && dec_compare(thread->row[walk->next].start, time) <= 0)
		walk->next++;
}

bool threads_next(struct threads_walk *walk, struct threads_segment *segment)
{
	const struct thread *thread = walk->thread;
	struct dec end = walk->end;

	if (dec_compare(walk->at, walk->end) >= 0)
		return false;
	*segment = (struct threads_segment){{walk->at, end}, THREADS_NONE};
	walk->at = end;
	if (!thread)
		return true;
	begin_rows(walk, segment->span.start);
	segment->row = innermost(walk, segment->span.start);
	if (segment->row != THREADS_NONE && dec_compare(thread->row[segment->row].end, end) < 0)
		end = thread->row[segment->row].end;
	/* A row that begins and is not innermost, such as a row of dur 0, does not end the segment. */
	while (walk->next < thread->count && dec_compare(thread->row[walk->next].start, end) < 0) {
		struct dec begin = thread->row[walk->next].start;

		begin_rows(walk, begin);
		if (innermost(walk, begin) != segment->row)
			end = begin;
	}
	segment->span.end = walk->at = end;
	return true;
}

static bool is_within(uint32_t row, size_t first)
{
	return row != THREADS_NONE && row >= first;
}

/*
 * The last end of the rows with index in [first, next), all of which have ended. A row of dur 0 is
 * never open, so its end is none.
 */
static struct dec last_end(const struct thread *thread, size_t first, size_t next)
{
	while (next > first) {
		const struct threads_row *row = &thread->row[next - 1];

		/* Outward from the last row, each row ends later. */
		while (is_within(row->outer, first))
			row = &thread->row[is_within(row->far, first) ? row->far : row->outer];
		if (dec_compare(row->start, row->end) < 0)
			return row->end;
		next = (size_t)(row - thread->row);
	}
	return THREADS_EARLIEST;
}

struct threads_segment threads_before(const struct thread *thread, struct dec time)
{
	/* Times are whole numbers of the unit of dec. */
	const struct interval just = {{time.nano - 1}, time};
	struct threads_walk walk = threads_walk(thread, &just);
	struct threads_segment segment = {{THREADS_EARLIEST, time}, THREADS_NONE};
	size_t first = 0;
	struct dec end;

	if (!thread)
		return segment;
	segment.row = innermost(&walk, just.start);
	if (segment.row != THREADS_NONE) {
		segment.span.start = thread->row[segment.row].start;
		first = segment.row + (size_t)1;
	}
	end = last_end(thread, first, walk.next);
	if (dec_compare(segment.span.start, end) < 0)
		segment.span.start = end;
	return segment;
}

/* --- a second look ---------------------------------------------------------------- */

/* Gives the time up to `until` to the rows that are innermost, of those up to `from`. */
static void give_time(struct thread *thread, uint32_t from, struct dec at, struct dec until,
                      bool bounded)
{
	uint32_t row;

	while ((!bounded || dec_compare(at, until) < 0) &&
	       (row = threads_open(thread, from, at)) != THREADS_NONE) {
		struct dec end = thread->row[row].end;

		if (bounded && dec_compare(until, end) < 0)
			end = until;
		thread->self[row].nano += end.nano - at.nano;
		at = end;
	}
}

static void set_self(struct thread *thread)
{
	const struct dec none = {0};

	thread->self = mem_zero(thread->count + 1, sizeof *thread->self);
	for (size_t i = 0; i < thread->count; i++) {
		bool last = i + 1 == thread->count;

		give_time(thread, (uint32_t)i, thread->row[i].start, last ? none : thread->row[i + 1].start,
		          !last);
	}
}

/* The ends of the rows that are open, the first on top. */
struct ends {
	struct dec *item;
	size_t count;
	size_t cap;
};

static void push(struct ends *ends, struct dec end)
{
	size_t at = ends->count++;

	ends->item = mem_grow(ends->item, &ends->cap, ends->count, sizeof *ends->item);
	for (; at && dec_compare(end, ends->item[(at - 1) / 2]) < 0; at = (at - 1) / 2)
		ends->item[at] = ends->item[(at - 1) / 2];
	ends->item[at] = end;
}

static void pop(struct ends *ends)
{
	struct dec last = ends->item[--ends->count];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < ends->count && dec_compare(ends->item[child + 1], ends->item[child]) < 0)
			child++;
		if (child >= ends->count || dec_compare(last, ends->item[child]) <= 0)
			break;
		ends->item[at] = ends->item[child];
		at = child;
	}
	if (ends->count)
		ends->item[at] = last;
}

/* Rows that are nested, as most are, are a stack of ends; the others are in a heap beside it. */
static void set_depth(struct thread *thread)
{
	struct ends nested = {.count = 0};
	struct ends others = {.count = 0};

	for (size_t i = 0; i < thread->count; i++) {
		struct threads_row *row = &thread->row[i];
		struct dec *top;

		while (nested.count && dec_compare(nested.item[nested.count - 1], row->start) <= 0)
			nested.count--;
		while (others.count && dec_compare(others.item[0], row->start) <= 0)
			pop(&others);
		row->depth = (uint32_t)(nested.count + others.count);
		top = nested.count ? &nested.item[nested.count - 1] : NULL;
		if (top && dec_compare(*top, row->end) < 0) {
			push(&others, row->end);
			continue;
		}
		nested.item = mem_grow(nested.item, &nested.cap, nested.count + 1, sizeof *nested.item);
		nested.item[nested.count++] = row->end;
	}
	free(nested.item);
	free(others.item);
}

/* From here on, input is the index of the row that has this number in the input. */
static void rewind_thread(struct thread *thread)
{
	uint32_t *index;

	if (!thread->mixed)
		return;
	index = mem_alloc(thread->count, sizeof *index);
	for (size_t i = 0; i < thread->count; i++)
		index[thread->row[i].input] = (uint32_t)i;
	for (size_t i = 0; i < thread->count; i++)
		thread->row[i].input = index[i];
	free(index);
}

void threads_rewind(struct threads *threads)
{
	for (size_t i = 0; i < threads->keys.count; i++) {
		set_self(&threads->item[i]);
		rewind_thread(&threads->item[i]);
	}
}

void threads_measure(struct threads *threads)
{
	threads_rewind(threads);
	for (size_t i = 0; i < threads->keys.count; i++)
		set_depth(&threads->item[i]);
}

const struct thread *threads_again(struct threads *threads, struct kev_reader *in, size_t file,
                                   enum rowkind_rank rank, size_t *row)
{
	struct str ts = field(threads, in, THREADS_TS);
	struct str dur = field(threads, in, THREADS_DUR);
	struct thread *thread;
	struct dec time;
	uint32_t number;

	/* The first look has read the numbers, so only a sign needs to be looked at. */
	if (rank == ROWKIND_IN_NOTHING || ts.n == 0 || dur.n == 0 ||
	    (dur.s[0] == '-' && kev_number(in, threads->column[THREADS_DUR], &time) && time.nano < 0))
		return NULL;
	number = find_thread(threads, in, file);
	thread = &threads->item[number];
	*row = thread->row[thread->seen++].input;
	return thread;
}

void threads_free(struct threads *threads)
{
	for (size_t i = 0; i < threads->keys.count; i++) {
		free(threads->item[i].row);
		free(threads->item[i].self);
	}
	free(threads->item);
	strmap_free(&threads->names);
	strmap_free(&threads->keys);
	strmap_free(&threads->processes);
	buf_free(&threads->last);
	free(threads->order);
	free(threads->first);
	free(threads->open);
	buf_free(&threads->text);
	*threads = (struct threads){.ignored = threads->ignored};
}
