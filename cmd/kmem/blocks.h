/*
 * blocks - the blocks of memory of a device: from an allocation to the next free of its address.
 *
 * Memory: 16 bytes for each event while blocks_find runs, and then 12 for each allocation.
 */
#ifndef BLOCKS_H
#define BLOCKS_H

#include "events.h"

enum block_end {
	BLOCK_OPEN, /* alive after the last event */
	BLOCK_FREED,
	BLOCK_REPLACED, /* its address was allocated again, without a free */
};

extern const char *const block_ends[];

struct block {
	uint32_t begin; /* its events, by number in events */
	uint32_t end;   /* only if it is not open */
	enum block_end how;
};

/* Starts as {0}. */
struct blocks {
	struct block *block; /* in the order of their events */
	size_t count;
	uint64_t kept; /* blocks that are open */
	struct dec kept_bytes;
	uint64_t early; /* frees of blocks that are older than the trace */
	struct dec early_bytes;
	uint64_t breaks; /* blocks that were replaced, and frees of another size than their block */
};

/* events are sorted, and each has an address. */
void blocks_find(struct blocks *blocks, const struct events *events);

/* Whether the block is alive after so many events. */
bool block_is_alive(const struct block *block, size_t count);

void blocks_free(struct blocks *blocks);

#endif
