/*
 * idindex - finds the record with an id in an array of records.
 *
 * Ids are those of an input, which may choose any: small ones that count up index a table, others
 * are hashed with a seed. Memory: 4 to 16 bytes for each record.
 */
#ifndef IDINDEX_H
#define IDINDEX_H

#include "base/hash.h"

#include <stdbool.h>

#define IDINDEX_NONE UINT32_MAX

struct idindex {
	struct hash_seed seed;
	uint32_t *slots; /* number of a record + 1; 0: free */
	size_t slots_count;
	bool direct; /* the slot of an id is the id */
	const char *records;
	size_t size;
};

/*
 * Indexes `count` records of `size` bytes, fewer than IDINDEX_NONE, which begin with an int64_t,
 * the id. Of several with one id the last is found, as in a map of protobuf. The records must stay.
 */
void idindex_build(struct idindex *index, const void *records, size_t size, size_t count);

uint32_t idindex_hashed(const struct idindex *index, int64_t id); /* for idindex_find */

/* The number of the record with this id, or IDINDEX_NONE. */
static inline uint32_t idindex_find(const struct idindex *index, int64_t id)
{
	if (index->direct)
		return (uint64_t)id < index->slots_count ? index->slots[id] - 1 : IDINDEX_NONE;
	return idindex_hashed(index, id);
}

void idindex_free(struct idindex *index);

#endif
