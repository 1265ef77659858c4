/*
 * cause - the rows of devices in their order of time: the idle time before each, why it was, and
 * how many rows waited at its start.
 *
 * All rows are held, some 110 bytes each; of --stream also 32 for each that communicates or copies.
 */
#ifndef CAUSE_H
#define CAUSE_H

#include "wall/busy.h"
#include "wall/launches.h"

/* The first that holds. */
enum cause {
	CAUSE_UNKNOWN, /* the first row of a device */
	CAUSE_NONE,    /* there is no gap */
	CAUSE_UNLINKED,
	CAUSE_GRAPH,  /* one launch, which had returned, with the row that ended last */
	CAUSE_SYNC,   /* launched late, after a call that waited until the device was idle */
	CAUSE_HOST,   /* launched late, when the device was idle */
	CAUSE_LAUNCH, /* launched late, by a call that had begun before the gap */
	CAUSE_COMM,   /* launched in time, while another stream communicated */
	CAUSE_COPY,   /* launched in time, while another stream copied */
	CAUSE_OTHER,
	CAUSES
};

extern const char *const cause_names[CAUSES];

struct cause_row {
	struct interval span;
	size_t device;
	size_t stream; /* a number for all devices */
	size_t launch; /* in launches; LAUNCHES_NONE */
	/* After causes_finish. */
	struct dec gap;
	uint64_t queue; /* rows of its stream that were launched and had not begun; if it is launched */
	unsigned char kind;  /* enum kind; set by the caller */
	unsigned char cause; /* enum cause; the row has a gap unless it is CAUSE_UNKNOWN */
	bool leads;          /* it is the first row of its launch */
};

/* Starts with launches, micro and by_stream set, all else 0. */
struct causes {
	const struct launches *launches;
	struct dec micro;      /* a launch before the gap explains a gap below this */
	bool by_stream;        /* gaps are between the rows of a stream, not of its device */
	struct cause_row *row; /* in the order in which they were added */
	size_t count;
	size_t cap;
	struct cause_row **order;
};

void causes_add(struct causes *causes, const struct cause_row *row);

/* After the last row, and launches_finish. */
void causes_finish(struct causes *causes);

void causes_free(struct causes *causes);

#endif
