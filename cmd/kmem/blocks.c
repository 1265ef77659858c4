#include "blocks.h"

#include "base/mem.h"

#include <stdlib.h>

const char *const block_ends[] = {
	[BLOCK_OPEN] = "open", [BLOCK_FREED] = "freed", [BLOCK_REPLACED] = "replaced"};

/* An event by its address. */
struct use {
	uint64_t addr;
	uint32_t event;
};

static int compare_uses(const void *a, const void *b)
{
	const struct use *x = a;
	const struct use *y = b;
	int order = (x->addr > y->addr) - (x->addr < y->addr);

	return order ? order : (x->event > y->event) - (x->event < y->event);
}

static int compare_blocks(const void *a, const void *b)
{
	const struct block *x = a;
	const struct block *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The events of one address, in the order of time. */
static void follow(struct blocks *blocks, const struct event *event, const struct use *use,
                   size_t count)
{
	const __int128 one = dec_of(1).nano;
	struct block *open = NULL;

	for (size_t i = 0; i < count; i++) {
		int64_t bytes = event[use[i].event].bytes;

		if (open) {
			open->end = use[i].event;
			open->how = bytes > 0 ? BLOCK_REPLACED : BLOCK_FREED;
			blocks->breaks += bytes != -event[open->begin].bytes;
			open = NULL;
		} else if (bytes < 0) {
			blocks->early++;
			blocks->early_bytes.nano -= bytes * one;
		}
		if (bytes > 0) {
			open = &blocks->block[blocks->count++];
			*open = (struct block){.begin = use[i].event, .how = BLOCK_OPEN};
		}
	}
	if (open) {
		blocks->kept++;
		blocks->kept_bytes.nano += event[open->begin].bytes * one;
	}
}

void blocks_find(struct blocks *blocks, const struct events *events)
{
	struct use *use = mem_alloc(events->count + 1, sizeof *use);
	size_t allocs = 0;
	size_t end;

	for (size_t i = 0; i < events->count; i++) {
		use[i] = (struct use){events->event[i].addr, (uint32_t)i};
		allocs += events->event[i].bytes > 0;
	}
	qsort(use, events->count, sizeof *use, compare_uses);
	*blocks = (struct blocks){.block = mem_alloc(allocs + 1, sizeof *blocks->block)};
	for (size_t i = 0; i < events->count; i = end) {
		for (end = i + 1; end < events->count && use[end].addr == use[i].addr;)
			end++;
		follow(blocks, events->event, use + i, end - i);
	}
	free(use);
	qsort(blocks->block, blocks->count, sizeof *blocks->block, compare_blocks);
}

bool block_is_alive(const struct block *block, size_t count)
{
	return block->begin < count && (block->how == BLOCK_OPEN || block->end >= count);
}

void blocks_free(struct blocks *blocks)
{
	free(blocks->block);
	*blocks = (struct blocks){0};
}
