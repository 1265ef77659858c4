/*
 * allocator - the allocators of a stream: each process has one for each of its devices, in a file.
 *
 * Memory: see events.h and blocks.h, and 8 bytes for each event whose row is held.
 */
#ifndef ALLOCATOR_H
#define ALLOCATOR_H

#include "answer/sheet.h"
#include "base/strmap.h"
#include "wall/devices.h"

#include "blocks.h"
#include "totals.h"

struct allocator {
	size_t source;    /* its file, by number in struct devices */
	struct buf order; /* allocators are in the order of these keys */
	struct str pid;   /* escaped, as name; known after allocators_sort */
	struct str name;  /* the device, such as cuda:1 */
	struct events events;
	bool no_addr;  /* a row has no address */
	size_t *place; /* by row of an event: the place of its row in blockrows */
	size_t place_cap;
	struct totals totals;
	struct blocks blocks;
};

/* An allocator in the order of the output. */
struct allocators_sorted {
	struct allocator *allocator;
};

/* The allocator of the last event, as its row names it; most rows name that of the row before. */
struct allocators_last {
	bool known;
	size_t source;
	struct buf pid;
	int64_t type;
	int64_t id;
	size_t number;
};

/* Starts as {0}. */
struct allocators {
	struct strmap names; /* number of the file, pid, device; escaped, tabs between */
	struct allocator *item;
	size_t cap;
	struct allocators_last last;
	struct allocators_sorted *sorted; /* after allocators_sort; names.count of them */
	struct buf text;
	struct buf scratch;
};

/*
 * The allocator of the row at hand of files: pid is escaped, type and id are Device Type and Device
 * Id (EVENTS_NONE: unknown). Valid until the next call.
 */
struct allocator *allocators_of(struct allocators *allocators, const struct devices *files,
                                struct str pid, int64_t type, int64_t id);

/* After the last row: by name of the file, then pid, type and id. */
void allocators_sort(struct allocators *allocators);

void allocators_free(struct allocators *allocators);

/* The cell of a column file, pid or device of an allocator. */
enum allocator_key { ALLOCATOR_FILE, ALLOCATOR_PID, ALLOCATOR_DEVICE };
void allocator_put_key(struct sheet *sheet, const struct allocator *allocator,
                       const struct devices *files, enum allocator_key key);

/* A cell of bytes. */
void allocator_put_bytes(struct sheet *sheet, struct dec bytes);

#endif
