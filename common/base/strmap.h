/*
 * strmap - a set of byte strings, numbered in the order they came in.
 *
 * The number indexes whatever array the caller keeps beside it. Memory: the
 * keys, and some 40 bytes each.
 *
 * An input cannot choose keys that take longer than others, see hash.h.
 */
#ifndef STRMAP_H
#define STRMAP_H

#include "base/buf.h"
#include "base/hash.h"

#include <stdint.h>

#define STRMAP_NONE SIZE_MAX

/* Starts as {0}. */
struct strmap {
	struct hash_seed seed; /* set with the first slots */
	size_t *at;            /* by number: the key's place in records */
	size_t count;
	size_t at_cap;
	unsigned char *tags; /* by slot: whether it is taken, and of what hash; */
	uint32_t *places;    /* where in records its key is */
	size_t slots_count;
	struct buf records; /* records of all keys, one after the other */
};

/* The key's number; *added says whether it is new. added may be NULL. */
size_t strmap_add(struct strmap *map, struct str key, bool *added);
size_t strmap_find(const struct strmap *map, struct str key);   /* STRMAP_NONE if missing */
struct str strmap_key(const struct strmap *map, size_t number); /* good until the next add */
/* The place of each key, by its number, among the keys sorted by bytes. The caller frees it. */
size_t *strmap_ranks(const struct strmap *map);
size_t strmap_bytes(const struct strmap *map); /* the memory of all keys */
void strmap_clear(struct strmap *map);         /* empty, much memory kept */
void strmap_free(struct strmap *map);

#endif
