/*
 * busy - one device's time: how long it was busy with what, and how long idle.
 *
 * Intervals have a track: a kind of work, or a label of the caller's. Of kinds, the time by each
 * set of kinds that ran at once is known; so compute + exposed comm + exposed copy + idle = span.
 * All is exact. Memory: 32 bytes for each interval; if they come sorted, only what is open.
 */
#ifndef BUSY_H
#define BUSY_H

#include "wall/interval.h"
#include "wall/kind.h"

struct busy_listener {
	void *arg;
	/* If not NULL: for an idle interval, and for each stretch from the first busy one. */
	void (*gap)(void *arg, size_t device, const struct interval *span);
	void (*stretch)(void *arg, size_t device, const struct interval_stretch *stretch);
	struct dec micro; /* idle intervals of at least this count as macro */
	bool sorted;      /* intervals come by their start */
};

/* Starts with device and listener set, all else 0. */
struct busy {
	size_t device; /* first; its number, for the listener, which must outlive it */
	const struct busy_listener *listener;
	uint64_t count;
	uint64_t unlinked;         /* the caller's */
	uint64_t negative;         /* rows that end before they begin */
	struct dec total;          /* sum of all durations, negative durations included */
	struct dec negative_total; /* sum of the durations below 0, as by dec_sum */
	struct dec first;
	struct dec last;
	struct dec latest_start;
	struct intervals intervals;
	struct interval_set *sets; /* by track */
	size_t sets_count;
	size_t sets_cap;
	bool begun; /* something was busy, from begin to end */
	struct dec begin;
	struct dec end;
	struct dec with[1 << KIND_COUNT]; /* time by the set of kinds that ran */
	struct dec busy;
	struct dec idle;
	struct dec idle_macro;
};

enum busy_result { BUSY_OK, BUSY_TOO_LARGE, BUSY_NOT_SORTED };

/* Adds a row. A row that ends before it begins ends at ts, but its dur counts in total. */
enum busy_result busy_add(struct busy *busy, size_t track, struct dec ts, struct dec dur);

/* After the last row, before a question. */
void busy_finish(struct busy *busy);

/* What is known then, in the order of the columns of kbusy. */
enum busy_figure {
	BUSY_BUSY,
	BUSY_COMM_EXPOSED, /* without compute */
	BUSY_SPAN,
	BUSY_IDLE,
	BUSY_COPY_EXPOSED,  /* without compute and comm */
	BUSY_COMPUTE_UNION, /* then comm and copy */
	BUSY_COMM_UNION,
	BUSY_COPY_UNION,
	BUSY_COMM_HIDDEN,
	BUSY_TOTAL,
	BUSY_COUNT,
	BUSY_UNLINKED,
	BUSY_IDLE_MICRO,
	BUSY_IDLE_MACRO,
	BUSY_FIRST,
	BUSY_LAST,
	BUSY_FIGURES
};

extern const char *const busy_names[BUSY_FIGURES];

struct dec busy_figure(const struct busy *busy, enum busy_figure figure);

void busy_free(struct busy *busy);

#endif
