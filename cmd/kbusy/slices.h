/*
 * slices - how much of each slice of time a device was busy, and communicating.
 *
 * Slices begin at whole multiples of their length, so slices of all devices begin together. Memory:
 * 32 bytes for each of at most SLICES_MAX slices of all devices.
 */
#ifndef SLICES_H
#define SLICES_H

#include "wall/busy.h"
#include "wall/devices.h"

enum { SLICES_MAX = 1000000 };

struct slices_device;

/* Starts with length set, all else 0. */
struct slices {
	struct dec length; /* above 0 */
	uint64_t count;
	struct slices_device *device;
	size_t device_cap;
};

/* A stretch of a device, with the kinds of `busy` as tracks; by time. */
void slices_add(struct slices *slices, size_t device, const struct interval_stretch *stretch);

/* The columns of their table after those of events and devices. */
enum { SLICES_COLUMNS = 2 };
extern const char *const slices_names[SLICES_COLUMNS];

/*
 * From the slice in which the first row of a device begins to that in which its last one ends.
 * Returns false, and writes nothing, if there are more than SLICES_MAX. busy by device, after
 * busy_finish.
 */
bool slices_write(const struct slices *slices, const struct busy *busy,
                  struct devices_table *table);

void slices_free(struct slices *slices);

#endif
