#include "marks.h"

#include "base/mem.h"

#include <stdlib.h>

/* A wait of a stream, at the launch after it. */
struct marks_wait {
	uint32_t stream;
	uint32_t row; /* what it waits for */
	struct dec launch;
};

/* --- rows -------------------------------------------------------------------- */

void marks_columns(struct marks *marks, const struct kev_reader *in)
{
	marks->name = kev_column(in, STR("name"));
	marks->pid = kev_column(in, STR("pid"));
	marks->tid = kev_column(in, STR("tid"));
	marks->stream = kev_column(in, STR("stream"));
	marks->on = kev_column(in, STR("wait_on_stream"));
	marks->record = kev_column(in, STR("wait_on_cuda_event_record_corr_id"));
}

static struct str field(const struct kev_reader *in, int column)
{
	return column == KEV_NONE ? STR("") : in->field[column];
}

static uint32_t correlation(struct marks *marks, size_t file, struct str id)
{
	return launches_is_linked(id) ? (uint32_t)launches_id(marks->devrows->launches, file, id)
	                              : DEVROWS_NONE;
}

/* Fields that decide between marks of one call, so that their order in the input does not. */
static uint32_t put_key(struct marks *marks, const struct kev_reader *in, struct str stream)
{
	struct buf *key = &marks->key;

	key->len = 0;
	buf_str(key, field(in, marks->pid));
	buf_char(key, '\t');
	buf_str(key, field(in, marks->tid));
	buf_char(key, '\t');
	buf_str(key, stream);
	buf_char(key, '\t');
	buf_str(key, field(in, marks->on));
	buf_char(key, '\t');
	buf_str(key, field(in, marks->record));
	return (uint32_t)strmap_add(&marks->keys, buf_view(key), NULL);
}

static bool is_stream(struct str stream)
{
	return stream.n && !str_equal(stream, STR("-1"));
}

void marks_add(struct marks *marks, const struct kev_reader *in, size_t file)
{
	struct devrows *devrows = marks->devrows;
	struct str stream = field(in, marks->stream);
	struct str on = field(in, marks->on);
	struct mark mark = {.file = file, .device = devrows_device(devrows, in, file)};
	int id = devrows->launches->column[LAUNCH_CORRELATION];

	if (stream.n == 0)
		stream = field(in, marks->tid);
	mark.is_wait = str_equal(field(in, marks->name), STR("Stream Wait Event"));
	mark.whole = !is_stream(stream);
	mark.stream = devrows_stream(devrows, mark.device, stream);
	mark.on = is_stream(on) ? devrows_stream(devrows, mark.device, on) : DEVROWS_NONE;
	mark.call = correlation(marks, file, field(in, id));
	mark.record = correlation(marks, file, field(in, marks->record));
	mark.key = put_key(marks, in, stream);
	marks->waits = mem_grow_zero(marks->waits, &marks->files, file + 1, sizeof *marks->waits);
	/* A wait for an unknown event tells nothing, so others may be inferred. */
	if (mark.is_wait && mark.on != DEVROWS_NONE && mark.record != DEVROWS_NONE)
		marks->waits[file] = true;
	else if (mark.is_wait && marks->on != KEV_NONE && marks->record != KEV_NONE)
		marks->unrecorded++;
	else
		marks->nameless += mark.is_wait;
	if (mark.call == DEVROWS_NONE)
		return;
	marks->item = mem_grow(marks->item, &marks->cap, marks->count + 1, sizeof *marks->item);
	marks->item[marks->count++] = mark;
}

/* --- rows by stream and launch -------------------------------------------------- */

/* A row of a device with a launch. */
struct launched {
	uint32_t stream;
	uint32_t row;
	struct dec time;
};

/* All of them, by stream, then by launch, then in the order of rows. */
struct launched_rows {
	struct launched *item;
	size_t count;
};

static int compare_launched(const void *a, const void *b)
{
	const struct launched *x = a;
	const struct launched *y = b;
	int order = (x->stream > y->stream) - (x->stream < y->stream);

	if (order == 0)
		order = dec_compare(x->time, y->time);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static struct launched_rows list_launched(const struct devrows *devrows)
{
	struct launched_rows rows = {mem_alloc(devrows->count + 1, sizeof *rows.item), 0};

	for (size_t i = 0; i < devrows->count; i++) {
		const struct devrow *row = &devrows->row[i];
		const struct launch *launch = devrows_launch(devrows, row);

		if (launch)
			rows.item[rows.count++] = (struct launched){row->stream, (uint32_t)i, launch->ts};
	}
	qsort(rows.item, rows.count, sizeof *rows.item, compare_launched);
	return rows;
}

/* The place of the first row of a stream that was launched at this time or later. */
static size_t find_launched(const struct launched_rows *rows, uint32_t stream, struct dec time)
{
	const struct launched sought = {stream, 0, time};
	size_t low = 0;
	size_t high = rows->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_launched(&rows->item[middle], &sought) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The call of a correlation; NULL if it is not known. */
static const struct launch *call_of(const struct marks *marks, const struct mark *mark,
                                    uint32_t correlation)
{
	struct launches *launches = marks->devrows->launches;
	uint64_t chosen = launches->chosen;
	uint64_t unchosen = launches->unchosen;
	size_t number;

	if (correlation == DEVROWS_NONE)
		return NULL;
	number = launches_choose(launches, correlation, mark->device);
	/* These count rows of devices. */
	launches->chosen = chosen;
	launches->unchosen = unchosen;
	return launches_at(launches, number);
}

/* --- waits of streams ------------------------------------------------------------ */

/* Adds the wait at the launch after its call, if none is at the time of the call. */
static void add_wait(struct marks *marks, const struct mark *mark, const struct launched_rows *rows)
{
	const struct launch *call = call_of(marks, mark, mark->call);
	const struct launch *record = call_of(marks, mark, mark->record);
	const struct launched *event;
	const struct launched *next;
	size_t place;

	if (!call || !record || mark->on == DEVROWS_NONE)
		return;
	place = find_launched(rows, mark->on, record->ts);
	event = place ? &rows->item[place - 1] : NULL;
	next = &rows->item[find_launched(rows, mark->stream, call->ts)];
	if (!event || event->stream != mark->on || next == rows->item + rows->count ||
	    next->stream != mark->stream || dec_compare(next->time, call->ts) == 0)
		return;
	marks->wait[marks->wait_count++] = (struct marks_wait){mark->stream, event->row, next->time};
}

static int compare_waits(const void *a, const void *b)
{
	const struct marks_wait *x = a;
	const struct marks_wait *y = b;
	int order = (x->stream > y->stream) - (x->stream < y->stream);

	if (order == 0)
		order = dec_compare(x->launch, y->launch);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

uint32_t marks_waited(const struct marks *marks, const struct devrow *row, size_t limit)
{
	const struct launch *launch = devrows_launch(marks->devrows, row);
	struct marks_wait sought;
	size_t low = 0;
	size_t high = marks->wait_count;

	if (!launch || high == 0)
		return DEVROWS_NONE;
	sought = (struct marks_wait){row->stream, (uint32_t)limit, launch->ts};
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_waits(&marks->wait[middle], &sought) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || marks->wait[low - 1].stream != row->stream ||
	    dec_compare(marks->wait[low - 1].launch, launch->ts) != 0)
		return DEVROWS_NONE;
	return marks->wait[low - 1].row;
}

/* --- calls that synchronize ------------------------------------------------------- */

static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a;
	const struct mark *y = b;

	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

const struct mark *marks_of(const struct marks *marks, uint32_t call)
{
	size_t low = 0;
	size_t high = marks->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (marks->item[middle].call < call)
			low = middle + 1;
		else
			high = middle;
	}
	return low < marks->count && marks->item[low].call == call ? &marks->item[low] : NULL;
}

/* After all times of rows. */
static const struct dec never = {(__int128)1 << 126};

/* The tree: the leaves are the launches, from the count of streams on; node i has the minimum of
 * nodes 2 i and 2 i + 1. */
static void plant(struct marks *marks)
{
	const struct devrows *devrows = marks->devrows;
	size_t count = marks->streams.count;

	marks->earliest = mem_alloc(2 * count + 1, sizeof *marks->earliest);
	for (size_t i = 0; i < count; i++) {
		const struct devrow *row = &devrows->row[(uint32_t)marks->streams.item[i]];
		const struct launch *launch = devrows_launch(devrows, row);

		marks->earliest[count + i] = launch ? launch->ts : never;
	}
	for (size_t i = count; --i > 0;) {
		const struct dec *two = &marks->earliest[2 * i];

		marks->earliest[i] = two[dec_compare(two[1], two[0]) < 0];
	}
}

static bool is_earlier(const struct marks *marks, size_t node, struct dec time)
{
	return dec_compare(marks->earliest[node], time) < 0;
}

/* The last place in [low, high) of a row that was launched before a time; high if there is none. */
static size_t last_launched(const struct marks *marks, size_t low, size_t high, struct dec time)
{
	size_t count = marks->streams.count;
	size_t right[64]; /* nodes from the right to the left */
	size_t rights = 0;
	size_t left[64]; /* nodes from the left to the right */
	size_t lefts = 0;
	size_t node = 0;

	for (size_t a = low + count, b = high + count; a < b; a /= 2, b /= 2) {
		if (a % 2)
			left[lefts++] = a++;
		if (b % 2)
			right[rights++] = --b;
	}
	for (size_t i = 0; i < rights && !node; i++)
		if (is_earlier(marks, right[i], time))
			node = right[i];
	while (lefts && !node)
		if (is_earlier(marks, left[--lefts], time))
			node = left[lefts];
	if (!node)
		return high;
	while (node < count)
		node = 2 * node + is_earlier(marks, 2 * node + 1, time);
	return node - count;
}

uint32_t marks_synchronized(const struct marks *marks, const struct mark *mark, uint32_t device,
                            size_t limit)
{
	const struct devrows_device *rows = &marks->devrows->device[device];
	const struct launch *record = call_of(marks, mark, mark->record);
	uint32_t stream = mark->on == DEVROWS_NONE ? mark->stream : mark->on;
	size_t low;
	size_t high;
	size_t place;

	if (mark->device != device)
		return DEVROWS_NONE;
	if (mark->on == DEVROWS_NONE && mark->whole)
		return limit > rows->first ? (uint32_t)limit - 1 : DEVROWS_NONE;
	if (mark->on == DEVROWS_NONE || !record)
		return devrows_index_last(&marks->streams, stream, rows->first, limit);
	low = devrows_index_find(&marks->streams, stream, 0);
	high = devrows_index_find(&marks->streams, stream, limit);
	place = last_launched(marks, low, high, record->ts);
	return place == high ? DEVROWS_NONE : (uint32_t)marks->streams.item[place];
}

/* --- all of them ------------------------------------------------------------------ */

static void rank_keys(struct marks *marks)
{
	size_t *rank = strmap_ranks(&marks->keys);

	for (size_t i = 0; i < marks->count; i++)
		marks->item[i].key = (uint32_t)rank[marks->item[i].key];
	free(rank);
}

static void build_waits(struct marks *marks)
{
	struct launched_rows rows = list_launched(marks->devrows);
	size_t kept = 0;

	marks->wait = mem_alloc(marks->count + 1, sizeof *marks->wait);
	for (size_t i = 0; i < marks->count; i++) {
		if (marks->item[i].is_wait)
			add_wait(marks, &marks->item[i], &rows);
		else
			marks->item[kept++] = marks->item[i];
	}
	marks->count = kept;
	qsort(marks->wait, marks->wait_count, sizeof *marks->wait, compare_waits);
	free(rows.item);
}

void marks_build(struct marks *marks)
{
	bool events = false;

	if (marks->count == 0)
		return;
	rank_keys(marks);
	build_waits(marks);
	if (marks->count == 0)
		return;
	qsort(marks->item, marks->count, sizeof *marks->item, compare_marks);
	for (size_t i = 0; i < marks->devrows->count; i++)
		devrows_index_add(&marks->streams, marks->devrows->row[i].stream, i);
	devrows_index_sort(&marks->streams);
	for (size_t i = 0; i < marks->count; i++)
		events |= marks->item[i].on != DEVROWS_NONE && marks->item[i].record != DEVROWS_NONE;
	if (events && marks->streams.count)
		plant(marks);
}

void marks_free(struct marks *marks)
{
	free(marks->item);
	strmap_free(&marks->keys);
	buf_free(&marks->key);
	free(marks->waits);
	free(marks->wait);
	devrows_index_free(&marks->streams);
	free(marks->earliest);
	*marks = (struct marks){0};
}
