#include "slices.h"

#include "base/mem.h"

#include <stdlib.h>

/* What ran in a slice. */
struct slice {
	struct dec busy;
	struct dec comm;
};

/* Its slices begin with that in which it was first busy. */
struct slices_device {
	__int128 first;
	struct slice *item;
	size_t count;
	size_t cap;
};

/* The number of the slice that has this time; number 0 begins at 0. */
static __int128 number_of(const struct slices *slices, struct dec time)
{
	__int128 number = time.nano / slices->length.nano;

	return time.nano % slices->length.nano < 0 ? number - 1 : number;
}

static struct dec start_of(const struct slices *slices, __int128 number)
{
	return (struct dec){number * slices->length.nano};
}

static struct slices_device *device_of(struct slices *slices, size_t number)
{

	slices->device =
		mem_grow_zero(slices->device, &slices->device_cap, number + 1, sizeof *slices->device);
	return &slices->device[number];
}

/* The slice of this number, not before the last one; NULL if there are too many. */
static struct slice *slice_of(struct slices *slices, struct slices_device *device, __int128 number)
{
	__int128 count;
	size_t before = device->count;

	if (device->count == 0)
		device->first = number;
	count = number - device->first + 1;
	if (slices->count + (unsigned __int128)count - before > SLICES_MAX) {
		slices->count = SLICES_MAX + 1;
		return NULL;
	}
	if (count > (__int128)before) {
		device->count = (size_t)count;
		device->item = mem_grow(device->item, &device->cap, device->count, sizeof *device->item);
		memset(device->item + before, 0, (device->count - before) * sizeof *device->item);
		slices->count += device->count - before;
	}
	return &device->item[count - 1];
}

void slices_add(struct slices *slices, size_t device, const struct interval_stretch *stretch)
{
	struct slices_device *of = device_of(slices, device);
	struct dec at = stretch->span.start;

	while (stretch->busy && dec_compare(at, stretch->span.end) < 0) {
		__int128 now = number_of(slices, at);
		struct slice *slice = slice_of(slices, of, now);
		struct dec end = start_of(slices, now + 1);

		if (!slice)
			return;
		if (dec_compare(stretch->span.end, end) < 0)
			end = stretch->span.end;
		slice->busy.nano += end.nano - at.nano;
		if (stretch->mask >> KIND_COMM & 1)
			slice->comm.nano += end.nano - at.nano;
		at = end;
	}
}

void slices_free(struct slices *slices)
{
	for (size_t i = 0; i < slices->device_cap; i++)
		free(slices->device[i].item);
	free(slices->device);
	*slices = (struct slices){0};
}

/* --- table ------------------------------------------------------------------- */

const char *const slices_names[SLICES_COLUMNS] = {"busy", "comm"};

struct row {
	struct devices_event event;
	struct slice slice;
};

static void put_share(struct sheet *sheet, const void *row, int which)
{
	const struct slices *slices = sheet->context;
	const struct row *of = row;
	struct dec time = which ? of->slice.comm : of->slice.busy;

	dec_quotient_digits(&sheet->cell, time, slices->length, 2, sheet->people ? 4 : 12);
}

/* The first slice of a device, and the one after its last. */
static void range_of(const struct slices *slices, const struct busy *busy, __int128 *first,
                     __int128 *end)
{
	*first = number_of(slices, busy_figure(busy, BUSY_FIRST));
	*end = number_of(slices, (struct dec){busy_figure(busy, BUSY_LAST).nano - 1}) + 1;
	if (*end == *first)
		++*end;
	if (busy->count == 0) /* without a launch, all of them */
		*end = *first;
}

static bool are_few(const struct slices *slices, const struct busy *busy,
                    const struct devices *devices)
{
	unsigned __int128 count = 0;

	if (slices->count > SLICES_MAX)
		return false;
	for (size_t i = 0; i < devices->order_count && count <= SLICES_MAX; i++) {
		__int128 first;
		__int128 end;

		range_of(slices, &busy[devices->order[i]], &first, &end);
		count += (unsigned __int128)(end - first);
	}
	return count <= SLICES_MAX;
}

static void write_device(const struct slices *slices, const struct busy *busy, struct sheet *sheet)
{
	static const struct slices_device none;
	const struct slices_device *device =
		busy->device < slices->device_cap ? &slices->device[busy->device] : &none;
	__int128 first;
	__int128 end;

	range_of(slices, busy, &first, &end);
	for (__int128 i = first; i < end; i++) {
		struct row row = {.event = {busy->device, {start_of(slices, i), start_of(slices, i + 1)}}};

		if (i >= device->first && i - device->first < (__int128)device->count)
			row.slice = device->item[i - device->first];
		sheet_row(sheet, &row);
	}
}

bool slices_write(const struct slices *slices, const struct busy *busy, struct devices_table *table)
{
	const struct sheet_column columns[SLICES_COLUMNS] = {
		{slices_names[0], SHEET_NUMBER, put_share, 0},
		{slices_names[1], SHEET_NUMBER, put_share, 1},
	};
	const struct devices *devices = table->devices;

	if (!are_few(slices, busy, devices))
		return false;
	table->event = "slice";
	devices_table_begin(table, "Slices", columns, SLICES_COLUMNS, slices);
	for (size_t i = 0; i < devices->order_count; i++)
		write_device(slices, &busy[devices->order[i]], &table->sheet);
	devices_table_end(table);
	return true;
}
