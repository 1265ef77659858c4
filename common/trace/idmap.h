/*
 * idmap - a set of ids, numbered in the order of their arrival: strmap for the ids of rows, nearly
 * all of which are whole numbers.
 *
 * Memory: some 8 bytes for each of whole numbers that count up, and 90 if they are far from each
 * other; another id takes the memory that it takes in strmap, too.
 */
#ifndef IDMAP_H
#define IDMAP_H

#include "base/strmap.h"

#define IDMAP_NONE SIZE_MAX

/* Starts as {0}. */
struct idmap {
	struct hash_seed seed; /* set with the first slots */
	size_t count;
	struct idmap_block *blocks;
	size_t blocks_count;
	size_t blocks_cap;
	size_t last;     /* the block of the id that was added last */
	uint32_t *slots; /* number + 1 of each block; 0: the slot is free */
	size_t slots_count;
	struct strmap texts; /* the other ids */
};

/*
 * The id's number; *added, which may be NULL, is set to whether it is new. Two ids are equal if
 * their texts are: 7 is not 07.
 */
size_t idmap_add(struct idmap *map, struct str id, bool *added);

/* As idmap_add, but a new id gets the number `next`: several maps can number their ids in common.
 */
size_t idmap_place(struct idmap *map, struct str id, size_t next, bool *added);

size_t idmap_find(const struct idmap *map, struct str id); /* IDMAP_NONE if missing */

/*
 * Sets a key for each id, by its number. By these keys, whole numbers come first, by value, then
 * other ids, by their bytes: the order of arrival does not matter. order has room for all numbers.
 */
void idmap_put_order(const struct idmap *map, uint64_t *order);

/*
 * Sets the code of each id, by its number: a whole number is its own code. codes has room for all
 * numbers.
 */
void idmap_put_codes(const struct idmap *map, uint64_t *codes);

/* Whether a key or code is that of an id that is not a whole number. */
bool idmap_is_text(uint64_t code);

/* The id with this code, if it is not a whole number; else empty. */
struct str idmap_text(const struct idmap *map, uint64_t code);

void idmap_free(struct idmap *map);

#endif
