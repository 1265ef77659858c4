/*
 * ranges - the user's own ranges of a trace, such as record_function and NVTX, and those that are
 * open at a time.
 *
 * A range is open from its start up to, but not at, its end; a range of no or negative duration is
 * never open. Ranges can overlap in any way.
 *
 * Building takes n log n steps; a question log n, and for each open range log n again. Memory: some
 * 50 bytes for each range, and the distinct names; in a process with ranges on more than 16 threads
 * up to 130 more for each range that is not within another one. Times are exact.
 */
#ifndef RANGES_H
#define RANGES_H

#include "base/dec.h"
#include "base/strmap.h"

#include <stdint.h>

#define RANGES_NONE UINT32_MAX
#define RANGES_SEVERAL (RANGES_NONE - 1)

/* If more ranges are open, the innermost are written: each row would repeat all of them. */
enum { RANGES_MOST = 1000 };

/* Starts as {0}. */
struct ranges {
	struct range *all; /* by thread, start and end, once built */
	size_t count;
	size_t cap;
	struct strmap names;
	uint32_t *name_of_rank; /* names in the order of their bytes, once built */
	uint32_t *first;        /* by thread: its first range in all, once built */
	size_t threads;
	uint32_t *process; /* by thread: its process */
	size_t process_cap;
	struct range_owner *owners; /* threads with ranges, by process, once built */
	size_t owners_count;
	struct range_change *changes; /* by process and time; if it has many such threads */
	size_t changes_count;
};

/*
 * Adds a range; the caller numbers threads and processes. A ";" in the name becomes ":". False, and
 * nothing added, if its end is too large.
 */
bool ranges_add(struct ranges *ranges, uint32_t thread, uint32_t process, struct dec start,
                struct dec dur, struct str name);

/* After the last range. */
void ranges_build(struct ranges *ranges);

/* Whether a range is open on this thread. */
bool ranges_on_thread(const struct ranges *ranges, uint32_t thread, struct dec time);

/*
 * The only thread of this process that has an open range; RANGES_NONE without such a thread,
 * RANGES_SEVERAL if there are several.
 */
uint32_t ranges_in_process(const struct ranges *ranges, uint32_t process, struct dec time);

/*
 * Appends the open ranges of a thread, separated by ";": by start, then the longer range first,
 * then by name. *last is the last of them, empty if none is open. False if more than RANGES_MOST
 * are open; the first of them are then missing.
 */
bool ranges_fold(const struct ranges *ranges, uint32_t thread, struct dec time, struct buf *out,
                 struct str *last);

void ranges_free(struct ranges *ranges);

#endif
