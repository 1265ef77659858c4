#include "idindex.h"

#include "base/mem.h"

#include <stdlib.h>

static int64_t id_of(const struct idindex *index, size_t number)
{
	int64_t id;

	memcpy(&id, index->records + number * index->size, sizeof id);
	return id;
}

/* The slot of an id, or the free one in which it belongs. */
static uint32_t *slot_of(const struct idindex *index, int64_t id)
{
	size_t mask = index->slots_count - 1;
	size_t at = (size_t)hash_number(index->seed, (uint64_t)id) & mask;

	while (index->slots[at] && id_of(index, index->slots[at] - 1) != id)
		at = (at + 1) & mask;
	return index->slots + at;
}

void idindex_build(struct idindex *index, const void *records, size_t size, size_t count)
{
	uint64_t most = 0;

	idindex_free(index);
	*index = (struct idindex){.records = records, .size = size};
	for (size_t i = 0; i < count; i++) {
		uint64_t id = (uint64_t)id_of(index, i);

		most = id > most ? id : most;
	}
	index->direct = most < 4 * (uint64_t)count;
	index->slots_count = (size_t)most + 1;
	if (!index->direct) {
		index->seed = hash_seed();
		for (index->slots_count = 1; index->slots_count < 2 * count;)
			index->slots_count *= 2;
	}
	index->slots = mem_zero(index->slots_count, sizeof *index->slots);
	for (size_t i = 0; i < count; i++) {
		int64_t id = id_of(index, i);

		*(index->direct ? index->slots + id : slot_of(index, id)) = (uint32_t)i + 1;
	}
}

uint32_t idindex_hashed(const struct idindex *index, int64_t id)
{
	return index->slots_count ? *slot_of(index, id) - 1 : IDINDEX_NONE;
}

void idindex_free(struct idindex *index)
{
	free(index->slots);
	*index = (struct idindex){0};
}
