#include "labels.h"

#include "base/mem.h"

#include <stddef.h>
#include <stdlib.h>

struct label {
	size_t device; /* first, for the table */
	size_t number;
	size_t track;
	uint64_t count;
	struct dec total;
	struct dec alone;
	struct dec time; /* its union, for the table */
};

struct labels_device {
	size_t *label; /* by track */
	size_t tracks;
	size_t cap;
};

static struct labels_device *device_of(struct labels *labels, size_t number)
{

	labels->device =
		mem_grow_zero(labels->device, &labels->device_cap, number + 1, sizeof *labels->device);
	return &labels->device[number];
}

size_t labels_of(struct labels *labels, size_t device, struct str label)
{
	size_t name;
	bool new;

	labels->text.len = 0;
	buf_format(&labels->text, "%zu\t", device);
	buf_str(&labels->text, label);
	name = strmap_add(&labels->names, buf_view(&labels->text), &new);
	if (new) {
		struct labels_device *of = device_of(labels, device);

		labels->item = mem_grow(labels->item, &labels->cap, name + 1, sizeof *labels->item);
		labels->item[name] =
			(struct label){.device = device, .number = name, .track = of->tracks++};
		of->label = mem_grow(of->label, &of->cap, of->tracks, sizeof *of->label);
		of->label[of->tracks - 1] = name;
	}
	return labels->item[name].track;
}

static struct label *label_at(struct labels *labels, size_t device, size_t track)
{
	return &labels->item[labels->device[device].label[track]];
}

void labels_count(struct labels *labels, size_t device, size_t track, struct dec dur)
{
	struct label *label = label_at(labels, device, track);

	label->count++;
	label->total.nano += dur.nano;
}

void labels_alone(struct labels *labels, size_t device, size_t track, struct dec time)
{
	label_at(labels, device, track)->alone.nano += time.nano;
}

void labels_free(struct labels *labels)
{
	for (size_t i = 0; i < labels->device_cap; i++)
		free(labels->device[i].label);
	free(labels->device);
	free(labels->item);
	strmap_free(&labels->names);
	buf_free(&labels->text);
	*labels = (struct labels){0};
}

/* --- table ------------------------------------------------------------------- */

const char *const labels_names[LABELS_COLUMNS] = {
	[LABELS_NAME] = "label",  [LABELS_UNION] = "union", [LABELS_ALONE] = "alone",
	[LABELS_SHARE] = "share", [LABELS_COUNT] = "count", [LABELS_TOTAL] = "total",
};

struct context {
	const struct labels *labels;
	const struct busy *busy;
};

static struct str name_of(const struct labels *labels, const struct label *label)
{
	struct str name = strmap_key(&labels->names, label->number);
	size_t device = tsv_field(name, 0).n + 1;

	return (struct str){name.s + device, name.n - device};
}

static void put_name(struct sheet *sheet, const void *row, int which)
{
	const struct context *context = sheet->context;

	(void)which;
	buf_str(&sheet->cell, name_of(context->labels, row));
}

static void put_share(struct sheet *sheet, const void *row, int which)
{
	const struct context *context = sheet->context;
	const struct label *label = row;
	struct dec busy = context->busy[label->device].busy;

	(void)which;
	if (busy.nano)
		dec_quotient_digits(&sheet->cell, label->time, busy, 2, sheet->people ? 4 : 12);
}

struct sorted {
	const struct labels *labels;
	struct label label;
};

/* The longest first. */
static int compare(const void *a, const void *b)
{
	const struct sorted *x = a;
	const struct sorted *y = b;
	int order = dec_compare(y->label.time, x->label.time);

	return order ? order
	             : str_compare(name_of(x->labels, &x->label), name_of(y->labels, &y->label));
}

static void write_device(const struct labels *labels, const struct busy *busy, size_t number,
                         struct sheet *sheet)
{
	const struct labels_device *device = &labels->device[number];
	struct sorted *sorted = mem_alloc(device->tracks, sizeof *sorted);

	for (size_t i = 0; i < device->tracks; i++) {
		sorted[i] = (struct sorted){labels, labels->item[device->label[i]]};
		sorted[i].label.time = intervals_busy(&busy->intervals, i);
	}
	qsort(sorted, device->tracks, sizeof *sorted, compare);
	for (size_t i = 0; i < device->tracks; i++)
		if (sorted[i].label.count)
			sheet_row(sheet, &sorted[i].label);
	free(sorted);
}

void labels_write(const struct labels *labels, const char *column, const struct busy *busy,
                  struct devices_table *table)
{
	const struct context context = {labels, busy};
	struct sheet_column columns[LABELS_COLUMNS] = {
		[LABELS_UNION] = {"", 0, devices_put_field, offsetof(struct label, time)},
		[LABELS_ALONE] = {"", 0, devices_put_field, offsetof(struct label, alone)},
		[LABELS_SHARE] = {"", 0, put_share, 0},
		[LABELS_COUNT] = {"", 0, sheet_put_count, offsetof(struct label, count)},
		[LABELS_TOTAL] = {"", 0, devices_put_field, offsetof(struct label, total)},
	};

	for (int i = 0; i < LABELS_COLUMNS; i++) {
		columns[i].title = labels_names[i];
		columns[i].kind = SHEET_NUMBER;
	}
	columns[LABELS_NAME] = (struct sheet_column){column, SHEET_NAME, put_name, 0};
	devices_table_begin(table, "Labels", columns, LABELS_COLUMNS, &context);
	for (size_t i = 0; i < table->devices->order_count; i++) {
		size_t device = table->devices->order[i];

		write_device(labels, &busy[device], device, &table->sheet);
	}
	devices_table_end(table);
}
