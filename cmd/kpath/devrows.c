#include "devrows.h"

#include "base/die.h"
#include "base/mem.h"

#include <stdlib.h>

const char *const devrows_copied[DEVROWS_COPIED] = {"step",   "phase", "step_name", "layer",
                                                    "cpu_op", "op",    "stream"};

enum { COPIED_STREAM = DEVROWS_COPIED - 1 };

/* --- rows -------------------------------------------------------------------- */

void devrows_columns(struct devrows *devrows, const struct kev_reader *in)
{
	devrows->pid = kev_column(in, STR("pid"));
	devrows->tid = kev_column(in, STR("tid"));
	devrows->name = kev_column(in, STR("name"));
	for (size_t i = 0; i < DEVROWS_COPIED; i++)
		devrows->copied[i] = kev_column(in, str_of(devrows_copied[i]));
}

static struct str field(const struct kev_reader *in, int column)
{
	return column == KEV_NONE ? STR("") : in->field[column];
}

/* A key: the bytes of a number, and a text. */
static struct str put_key(struct buf *key, size_t number, struct str text)
{
	key->len = 0;
	buf_bytes(key, (const char *)&number, sizeof number);
	buf_str(key, text);
	return buf_view(key);
}

uint32_t devrows_device(struct devrows *devrows, const struct kev_reader *in, size_t file)
{
	struct str key = put_key(&devrows->key, file, field(in, devrows->pid));
	bool new;
	size_t number = strmap_add(&devrows->places, key, &new);

	devrows->device =
		mem_grow_zero(devrows->device, &devrows->device_cap, number + 1, sizeof *devrows->device);
	if (new)
		devrows->device[number].file = file;
	return (uint32_t)number;
}

uint32_t devrows_stream(struct devrows *devrows, uint32_t device, struct str stream)
{
	return (uint32_t)strmap_add(&devrows->streams, put_key(&devrows->key, device, stream), NULL);
}

static uint32_t put_text(struct devrows *devrows, struct str text)
{
	return (uint32_t)strmap_add(&devrows->texts, text, NULL);
}

/* Keeps what names the launch of the row: its correlation, and what kcontext says. */
static void put_launched(struct devrows *devrows, struct kev_reader *in, struct devrow *row)
{
	struct buf *launched = &devrows->launched;
	struct launch_fields fields;

	row->text = launched->len;
	launches_fields(devrows->launches, in, &fields);
	buf_str(launched, fields.correlation);
	buf_char(launched, '\t');
	buf_str(launched, fields.ts);
	buf_char(launched, '\t');
	buf_str(launched, fields.dur);
	buf_char(launched, '\t');
	buf_str(launched, fields.tid);
	row->text_size = (uint32_t)(launched->len - row->text);
}

static struct str launched_of(const struct devrows *devrows, const struct devrow *row)
{
	return (struct str){devrows->launched.data + row->text, row->text_size};
}

void devrows_add(struct devrows *devrows, struct kev_reader *in, size_t file,
                 const struct interval *span, bool copy, uint32_t group)
{
	struct devrow row = {.start = span->start, .end = span->end, .copy = copy, .group = group};
	struct str stream = field(in, devrows->copied[COPIED_STREAM]);
	size_t call = launches_by_correlation(devrows->launches, in, file);

	if (devrows->count >= DEVROWS_NONE)
		die("more than 4 billion rows of devices");
	row.device = devrows_device(devrows, in, file);
	row.stream = devrows_stream(devrows, row.device, stream.n ? stream : field(in, devrows->tid));
	row.name = put_text(devrows, field(in, devrows->name));
	row.tid = put_text(devrows, field(in, devrows->tid));
	for (size_t i = 0; i < DEVROWS_COPIED; i++)
		row.copied[i] = put_text(devrows, field(in, devrows->copied[i]));
	row.call = call == LAUNCHES_NONE ? DEVROWS_NONE : (uint32_t)call;
	put_launched(devrows, in, &row);
	devrows->row = mem_grow(devrows->row, &devrows->cap, devrows->count + 1, sizeof *devrows->row);
	devrows->row[devrows->count++] = row;
}

/* --- their order ------------------------------------------------------------- */

struct sorted {
	const struct devrows *devrows;
	const struct devrow *row;
};

static int compare_texts(const struct devrows *devrows, uint32_t a, uint32_t b)
{
	return a == b ? 0 : str_compare(devrows_text(devrows, a), devrows_text(devrows, b));
}

static int compare_fields(const struct devrows *devrows, const struct devrow *x,
                          const struct devrow *y)
{
	int order = 0;

	if (x->stream != y->stream)
		order = str_compare(strmap_key(&devrows->streams, x->stream),
		                    strmap_key(&devrows->streams, y->stream));
	if (order == 0)
		order = compare_texts(devrows, x->tid, y->tid);
	for (size_t i = 0; order == 0 && i < DEVROWS_COPIED; i++)
		order = compare_texts(devrows, x->copied[i], y->copied[i]);
	if (order == 0)
		order = str_compare(launched_of(devrows, x), launched_of(devrows, y));
	return order ? order : x->copy - y->copy;
}

static int compare_rows(const void *a, const void *b)
{
	const struct devrows *devrows = ((const struct sorted *)a)->devrows;
	const struct devrow *x = ((const struct sorted *)a)->row;
	const struct devrow *y = ((const struct sorted *)b)->row;
	int order = (x->device > y->device) - (x->device < y->device);

	if (order == 0)
		order = dec_compare(x->end, y->end);
	if (order == 0)
		order = dec_compare(x->start, y->start);
	if (order == 0)
		order = compare_texts(devrows, x->name, y->name);
	return order ? order : compare_fields(devrows, x, y);
}

static void sort_rows(struct devrows *devrows)
{
	size_t count = devrows->count;
	struct sorted *sorted = mem_alloc(count + 1, sizeof *sorted);
	struct devrow *row = mem_alloc(count + 1, sizeof *row);

	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct sorted){devrows, &devrows->row[i]};
	qsort(sorted, count, sizeof *sorted, compare_rows);
	for (size_t i = 0; i < count; i++)
		row[i] = *sorted[i].row;
	free(sorted);
	free(devrows->row);
	devrows->row = row;
	devrows->cap = count + 1;
	for (size_t i = 0; i < count; i++) {
		struct devrows_device *device = &devrows->device[row[i].device];

		if (i == 0 || row[i].device != row[i - 1].device)
			device->first = i;
		device->end = i + 1;
	}
}

/* --- their launches ---------------------------------------------------------- */

static size_t number_of(uint32_t number)
{
	return number == DEVROWS_NONE ? LAUNCHES_NONE : number;
}

/* The launch by the correlation, else the one that the row names itself. */
static size_t find_launch(struct devrows *devrows, const struct devrow *row, bool several)
{
	struct launches *launches = devrows->launches;
	size_t number = number_of(row->call);
	struct str text[4];
	struct launch_fields fields;

	if (several)
		number = launches_choose(launches, number, row->device);
	if (launches_at(launches, number))
		return number;
	tsv_split(launched_of(devrows, row), text, 4);
	fields = (struct launch_fields){text[0], text[1], text[2], text[3]};
	number = launches_named(launches, devrows->device[row->device].file, &fields);
	return launches_at(launches, number) ? number : LAUNCHES_NONE;
}

static void find_launches(struct devrows *devrows, bool hosts)
{
	struct launches *launches = devrows->launches;
	bool several = launches->others.count > 0;

	for (size_t i = 0; several && i < devrows->count; i++)
		launches_own(launches, number_of(devrows->row[i].call), devrows->row[i].device);
	for (size_t i = 0; i < devrows->count; i++) {
		struct devrow *row = &devrows->row[i];
		size_t number = hosts ? find_launch(devrows, row, several) : LAUNCHES_NONE;

		row->launch = number == LAUNCHES_NONE ? DEVROWS_NONE : (uint32_t)number;
	}
}

/* --- what was before them ----------------------------------------------------- */

struct begun {
	struct dec start;
	uint32_t row;
};

static int compare_begun(const void *a, const void *b)
{
	const struct begun *x = a;
	const struct begun *y = b;
	int order = dec_compare(x->start, y->start);

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* The last row so far, in the order, of a stream or a launch. */
struct latest {
	uint32_t device; /* plus 1 */
	uint32_t row;
	bool returned;
};

/* Sets before and mate of the rows of a device. The launches of other devices are old. */
static void find_before(struct devrows *devrows, size_t device, struct begun *begun,
                        uint32_t *stream, struct latest *launch)
{
	size_t first = devrows->device[device].first;
	size_t count = devrows->device[device].end - first;
	size_t known = 0; /* rows with an earlier start */

	for (size_t i = 0; i < count; i++)
		begun[i] = (struct begun){devrows->row[first + i].start, (uint32_t)(first + i)};
	qsort(begun, count, sizeof *begun, compare_begun);
	for (size_t i = 0; i < count; i++) {
		struct devrow *row = &devrows->row[begun[i].row];
		struct latest *latest = row->launch == DEVROWS_NONE ? NULL : &launch[row->launch];

		for (; dec_compare(begun[known].start, row->start) < 0; known++) {
			const struct devrow *old = &devrows->row[begun[known].row];
			uint32_t number = begun[known].row;

			if (stream[old->stream] == DEVROWS_NONE || stream[old->stream] < number)
				stream[old->stream] = number;
			if (old->launch == DEVROWS_NONE)
				continue;
			if (launch[old->launch].row == DEVROWS_NONE || launch[old->launch].row < number)
				launch[old->launch].row = number;
		}
		row->before = stream[row->stream];
		row->mate = DEVROWS_NONE;
		if (!latest)
			continue;
		if (latest->device != device + 1) {
			struct dec end = launch_end(devrows_launch(devrows, row));

			*latest = (struct latest){(uint32_t)device + 1, DEVROWS_NONE,
			                          dec_compare(end, row->start) <= 0};
		}
		row->mate = latest->row;
		row->returned = latest->returned;
	}
}

void devrows_sort(struct devrows *devrows, bool hosts)
{
	struct begun *begun = mem_alloc(devrows->count + 1, sizeof *begun);
	uint32_t *stream = mem_alloc(devrows->streams.count + 1, sizeof *stream);
	struct latest *launch;

	sort_rows(devrows);
	find_launches(devrows, hosts);
	launch = mem_zero(launches_count(devrows->launches) + 1, sizeof *launch);
	memset(stream, 0xff, (devrows->streams.count + 1) * sizeof *stream);
	for (size_t i = 0; i < devrows->places.count; i++)
		find_before(devrows, i, begun, stream, launch);
	free(begun);
	free(stream);
	free(launch);
}

/* --- questions ---------------------------------------------------------------- */

const struct launch *devrows_launch(const struct devrows *devrows, const struct devrow *row)
{
	return launches_at(devrows->launches, number_of(row->launch));
}

struct dec devrows_launched(const struct devrow *row, const struct launch *launch)
{
	return row->returned ? launch_end(launch) : launch->ts;
}

size_t devrows_limit(const struct devrows *devrows, uint32_t device, struct dec time)
{
	size_t low = devrows->device[device].first;
	size_t high = devrows->device[device].end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct devrow *row = &devrows->row[middle];
		int order = dec_compare(row->end, time);

		if (order == 0)
			order = dec_compare(row->start, time);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct str devrows_text(const struct devrows *devrows, uint32_t number)
{
	return strmap_key(&devrows->texts, number);
}

struct str devrows_correlation(const struct devrows *devrows, const struct devrow *row)
{
	return tsv_field(launched_of(devrows, row), 0);
}

struct str devrows_pid(const struct devrows *devrows, uint32_t device)
{
	struct str key = strmap_key(&devrows->places, device);
	size_t file = sizeof(size_t);

	return (struct str){key.s + file, key.n - file};
}

void devrows_free(struct devrows *devrows)
{
	free(devrows->row);
	strmap_free(&devrows->places);
	free(devrows->device);
	strmap_free(&devrows->streams);
	strmap_free(&devrows->texts);
	buf_free(&devrows->launched);
	buf_free(&devrows->key);
	*devrows = (struct devrows){0};
}

/* --- rows by a number --------------------------------------------------------- */

static uint64_t item_of(uint32_t number, size_t row)
{
	return (uint64_t)number << 32 | row;
}

void devrows_index_add(struct devrows_index *index, uint32_t number, size_t row)
{
	index->item = mem_grow(index->item, &index->cap, index->count + 1, sizeof *index->item);
	index->item[index->count++] = item_of(number, row);
}

static int compare_items(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void devrows_index_sort(struct devrows_index *index)
{
	if (index->count)
		qsort(index->item, index->count, sizeof *index->item, compare_items);
}

size_t devrows_index_find(const struct devrows_index *index, uint32_t number, size_t limit)
{
	uint64_t sought = item_of(number, limit);
	size_t low = 0;
	size_t high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->item[middle] < sought)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t devrows_index_last(const struct devrows_index *index, uint32_t number, size_t first,
                            size_t limit)
{
	size_t place = devrows_index_find(index, number, limit);

	if (place == 0 || index->item[place - 1] < item_of(number, first))
		return DEVROWS_NONE;
	return (uint32_t)index->item[place - 1];
}

void devrows_index_free(struct devrows_index *index)
{
	free(index->item);
	*index = (struct devrows_index){0};
}
