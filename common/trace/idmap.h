/*
 * idmap - a set of ids, numbered in the order they came in.
 *
 * As strmap, for what tells rows apart: ids that are whole numbers, as nearly
 * all are, take some 20 bytes each, others what they take in a strmap.
 */
#ifndef IDMAP_H
#define IDMAP_H

#include "base/strmap.h"

#define IDMAP_NONE SIZE_MAX

/* Starts as {0}. */
struct idmap {
	uint64_t *codes; /* by number */
	size_t count;
	size_t cap;
	uint32_t *slots; /* number + 1, 0 where free */
	size_t slots_count;
	struct strmap texts; /* of the ids that are no whole numbers */
};

/*
 * The id's number; *added, which may be NULL, says whether it is new. Ids are
 * equal where their texts are: 7 is not 07.
 */
size_t idmap_add(struct idmap *map, struct str id, bool *added);
size_t idmap_find(const struct idmap *map, struct str id); /* IDMAP_NONE where it is not */

/* Orders ids: whole numbers by their value, the others behind them as they came in. */
uint64_t idmap_order(const struct idmap *map, size_t number);

void idmap_free(struct idmap *map);

#endif
