/*
 * gaps - idle intervals of devices, and the names of the rows beside each.
 *
 * First all gaps are added, then sorted, then all rows of the devices offered, in any order.
 * Memory: some 100 bytes for each gap, and the names of rows beside one.
 */
#ifndef GAPS_H
#define GAPS_H

#include "wall/devices.h"

struct gap {
	struct devices_event event;
	struct dec before_ts;
	size_t before; /* names, by number; STRMAP_NONE if there is none */
	size_t after;
};

/* Starts as {0}. */
struct gaps {
	struct gap *item; /* after gaps_sort by device, then by time */
	size_t count;
	size_t cap;
	struct strmap names;
};

#define GAPS_NONE SIZE_MAX

/* The gaps that begin at the end of a row, and end at its start, by index in item; GAPS_NONE. */
struct gaps_beside {
	size_t next;
	size_t last;
};

void gaps_add(struct gaps *gaps, size_t device, const struct interval *span);
void gaps_sort(struct gaps *gaps);

/*
 * A row of a device: it is the one before a gap if it ends at the gap's start, and of several such
 * rows has the largest ts, then name; the one after it if it begins at its end, and has the
 * smallest name. Its span must not end before it begins.
 */
struct gaps_beside gaps_offer(struct gaps *gaps, size_t device, const struct interval *row,
                              struct str name);

/* The index of the first gap of a device; the others follow it. */
size_t gaps_first(const struct gaps *gaps, size_t device);

/* The columns of their table after those of events and devices. */
enum { GAPS_COLUMNS = 2 };
extern const char *const gaps_names[GAPS_COLUMNS];

/* After gaps_sort. */
void gaps_write(const struct gaps *gaps, struct devices_table *table);

void gaps_free(struct gaps *gaps);

#endif
