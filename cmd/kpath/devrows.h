/*
 * devrows - the rows of devices, in the order in which they ended, and what let each begin.
 *
 * A device is a file and a pid; a stream of it is the column `stream`, else tid. The order of the
 * rows of a device is their end, then ts, then name, then all other fields that a path shows, so it
 * does not depend on the input. The row that ended last, of some, is the last in this order.
 *
 * Sorting takes n log n steps, a question log n. Memory: 112 bytes for each row, and 128 more while
 * they are sorted; its correlation and the fields that name its launch as text; distinct names.
 */
#ifndef DEVROWS_H
#define DEVROWS_H

#include "wall/interval.h"
#include "wall/launches.h"

#define DEVROWS_NONE UINT32_MAX

/* Columns whose fields are kept as numbers: step, phase, step_name, layer, cpu_op, op, stream. */
enum { DEVROWS_COPIED = 7 };
extern const char *const devrows_copied[DEVROWS_COPIED];

struct devrow {
	struct dec start;
	struct dec end;
	uint32_t device;
	uint32_t stream; /* in streams */
	uint32_t group;  /* the caller's; DEVROWS_NONE */
	uint32_t name;   /* in texts, escaped; so are tid and copied */
	uint32_t tid;
	uint32_t copied[DEVROWS_COPIED];
	uint32_t call; /* its correlation, by its number in launches; DEVROWS_NONE */
	/* After devrows_sort. Rows are indices, or DEVROWS_NONE. */
	uint32_t launch; /* in launches; DEVROWS_NONE if it is not known */
	uint32_t before; /* the row of its stream that ended last of those with an earlier start */
	uint32_t mate;   /* the same of the rows with its launch */
	bool returned;   /* its launch had ended when the first row of the launch began */
	bool copy;       /* it copies or sets memory */
	uint32_t text_size;
	size_t text; /* in launched */
};

struct devrows_device {
	size_t file;
	size_t first; /* after devrows_sort: its rows are [first, end) */
	size_t end;
};

/* Starts with launches set, all else 0. */
struct devrows {
	struct launches *launches;
	int tid;
	int name;
	int pid;
	int copied[DEVROWS_COPIED];
	struct devrow *row;
	size_t count;
	size_t cap;
	struct strmap places;          /* devices: file as bytes, pid, escaped */
	struct devrows_device *device; /* by number in places */
	size_t device_cap;
	struct strmap streams; /* device as bytes, stream */
	struct strmap texts;
	struct buf launched; /* correlation, launch_ts, launch_dur and launch_tid of each row */
	struct buf key;
};

/* For each columns line; of a missing column the fields are empty. */
void devrows_columns(struct devrows *devrows, const struct kev_reader *in);

/* The number of the device of the row at hand, of any kind, of a file by its number. */
uint32_t devrows_device(struct devrows *devrows, const struct kev_reader *in, size_t file);

/* The number of a stream of a device. */
uint32_t devrows_stream(struct devrows *devrows, uint32_t device, struct str stream);

/* Adds the row at hand, whose span must not end before it begins. */
void devrows_add(struct devrows *devrows, struct kev_reader *in, size_t file,
                 const struct interval *span, bool copy, uint32_t group);

/* After the last row. `hosts`: there are rows of the host; else no launch is known. */
void devrows_sort(struct devrows *devrows, bool hosts);

/* The launch of a row; NULL if it is not known. */
const struct launch *devrows_launch(const struct devrows *devrows, const struct devrow *row);

/* The time from which on the launch does not keep the row from beginning. */
struct dec devrows_launched(const struct devrow *row, const struct launch *launch);

/* The first row of a device that ended after a time, or at it and began then: all before it ended
 * by this time, and began earlier. */
size_t devrows_limit(const struct devrows *devrows, uint32_t device, struct dec time);

/* The text of a field, escaped; fields of a row; the pid of a device. */
struct str devrows_text(const struct devrows *devrows, uint32_t number);
struct str devrows_correlation(const struct devrows *devrows, const struct devrow *row);
struct str devrows_pid(const struct devrows *devrows, uint32_t device);

void devrows_free(struct devrows *devrows);

/* --- rows by a number -------------------------------------------------------- */

/* Rows by a number, such as that of their stream, and then in their order. Starts as {0}. */
struct devrows_index {
	uint64_t *item;
	size_t count;
	size_t cap;
};

void devrows_index_add(struct devrows_index *index, uint32_t number, size_t row);
void devrows_index_sort(struct devrows_index *index);

/* The place of the first row with this number that is not before row `limit`, or of a later number.
 */
size_t devrows_index_find(const struct devrows_index *index, uint32_t number, size_t limit);

/* The last row with this number in [first, limit); DEVROWS_NONE. */
uint32_t devrows_index_last(const struct devrows_index *index, uint32_t number, size_t first,
                            size_t limit);

void devrows_index_free(struct devrows_index *index);

#endif
