/*
 * marks - recorded waits: which stream waited for which event, and what a synchronization waited
 * for, by the rows of category cuda_sync.
 *
 * A mark belongs to a device. Its correlation is that of its call, wait_on_stream the stream on
 * which the event was recorded, and wait_on_cuda_event_record_corr_id the correlation of the call
 * that recorded it. Mark `Stream Wait Event` makes its stream wait; other marks tell what a call
 * that synchronizes waited for: an event, a stream, or with stream -1 the whole device.
 *
 * A question takes log n steps. Memory: some 60 bytes for each mark; 8 for each row of a device,
 * and if calls waited for events 32 more; 32 while marks are prepared.
 */
#ifndef MARKS_H
#define MARKS_H

#include "devrows.h"

struct mark {
	size_t file;
	uint32_t device;
	uint32_t stream;
	uint32_t on;   /* stream of the event; DEVROWS_NONE */
	uint32_t call; /* correlations by their number in launches; DEVROWS_NONE */
	uint32_t record;
	uint32_t key; /* in keys: what decides between marks of one call */
	bool whole;   /* it is of the whole device */
	bool is_wait; /* it makes its stream wait */
};

struct marks_wait;

/* Starts with devrows set, all else 0. */
struct marks {
	struct devrows *devrows;
	int name;
	int pid;
	int tid;
	int stream;
	int on;
	int record;
	struct mark *item; /* after marks_build those that are no waits, by their call */
	size_t count;
	size_t cap;
	struct strmap keys;
	struct buf key;
	bool *waits; /* by number of a file: it has a row `Stream Wait Event` that names its event */
	size_t files;
	uint64_t nameless;   /* rows `Stream Wait Event` without the columns that name an event */
	uint64_t unrecorded; /* rows `Stream Wait Event` with these columns, but without an event */
	/* After marks_build. */
	struct marks_wait *wait; /* by stream and launch */
	size_t wait_count;
	struct devrows_index streams; /* rows by stream */
	struct dec *earliest;         /* the earliest launch of each range of streams */
};

void marks_columns(struct marks *marks, const struct kev_reader *in);

/* Adds the row at hand, which has the category cuda_sync. */
void marks_add(struct marks *marks, const struct kev_reader *in, size_t file);

/* After devrows_sort. */
void marks_build(struct marks *marks);

static inline bool marks_file_waits(const struct marks *marks, size_t file)
{
	return file < marks->files && marks->waits[file];
}

/*
 * The last row before row `limit` in the order for which the stream of a row waited since the
 * launch before its launch; DEVROWS_NONE.
 */
uint32_t marks_waited(const struct marks *marks, const struct devrow *row, size_t limit);

/* The mark of a call by its correlation; NULL if it has none. */
const struct mark *marks_of(const struct marks *marks, uint32_t call);

/*
 * The last row of this device before row `limit` for which the call of the mark waited;
 * DEVROWS_NONE.
 */
uint32_t marks_synchronized(const struct marks *marks, const struct mark *mark, uint32_t device,
                            size_t limit);

void marks_free(struct marks *marks);

#endif
