/*
 * labels - the rows of each device by their value in a column: how long each value ran, and how
 * long nothing else did.
 *
 * A label is a track of its device in `busy`. Memory: some 750 bytes for each device and label.
 */
#ifndef LABELS_H
#define LABELS_H

#include "wall/busy.h"
#include "wall/devices.h"

struct label;
struct labels_device;

/* Starts as {0}. */
struct labels {
	struct strmap names; /* number of the device, tab, label */
	struct label *item;  /* by number in names */
	size_t cap;
	struct labels_device *device; /* by number */
	size_t device_cap;
	struct buf text;
};

/* The track of a label on its device. */
size_t labels_of(struct labels *labels, size_t device, struct str label);

/* A row of this track. */
void labels_count(struct labels *labels, size_t device, size_t track, struct dec dur);

/* So long ran this track alone. */
void labels_alone(struct labels *labels, size_t device, size_t track, struct dec time);

/* The columns of their table after those of devices; the first is named like the column. */
enum labels_figure {
	LABELS_NAME,
	LABELS_UNION,
	LABELS_ALONE,
	LABELS_SHARE,
	LABELS_COUNT,
	LABELS_TOTAL,
	LABELS_COLUMNS
};
extern const char *const labels_names[LABELS_COLUMNS];

/* The longest union first; busy by device, after busy_finish. */
void labels_write(const struct labels *labels, const char *column, const struct busy *busy,
                  struct devices_table *table);

void labels_free(struct labels *labels);

#endif
