#include "strmap.h"

#include "die.h"
#include "mem.h"

#include <stdlib.h>

struct strmap_key {
	size_t at; /* in bytes */
	uint32_t n;
	uint32_t hash;
};

/* Eight bytes a step, multiplied and folded: short names in a few cycles. */
static uint32_t hash_of(struct str key)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;
	uint64_t hash = key.n * odd;
	uint64_t word;

	while (key.n >= sizeof word) {
		memcpy(&word, key.s, sizeof word);
		hash = (hash ^ word) * odd;
		hash ^= hash >> 32;
		key.s += sizeof word;
		key.n -= sizeof word;
	}
	word = 0;
	if (key.n)
		memcpy(&word, key.s, key.n);
	hash = (hash ^ word) * odd;
	return (uint32_t)(hash >> 32);
}

/* The slot that holds key, or the free one where it belongs. Linear probing. */
static size_t slot_of(const struct strmap *map, struct str key, uint32_t hash)
{
	size_t mask = map->slots_count - 1;
	size_t slot = hash & mask;

	while (map->slots[slot]) {
		const struct strmap_key *k = &map->keys[map->slots[slot] - 1];

		if (k->hash == hash && k->n == key.n &&
		    (key.n == 0 || memcmp(map->bytes.data + k->at, key.s, key.n) == 0))
			break;
		slot = (slot + 1) & mask;
	}
	return slot;
}

/* At most half of the slots are taken. */
static void make_room(struct strmap *map)
{
	size_t count = map->slots_count ? map->slots_count * 2 : 64;

	if (map->count * 2 < map->slots_count)
		return;
	free(map->slots);
	map->slots = mem_zero(count, sizeof *map->slots);
	map->slots_count = count;
	for (size_t i = 0; i < map->count; i++) {
		size_t slot = map->keys[i].hash & (count - 1);

		while (map->slots[slot])
			slot = (slot + 1) & (count - 1);
		map->slots[slot] = (uint32_t)(i + 1);
	}
}

size_t strmap_add(struct strmap *map, struct str key, bool *added)
{
	uint32_t hash = hash_of(key);
	size_t slot;

	make_room(map);
	slot = slot_of(map, key, hash);
	if (added)
		*added = map->slots[slot] == 0;
	if (map->slots[slot])
		return map->slots[slot] - 1;
	if (map->count >= UINT32_MAX - 1 || key.n > UINT32_MAX)
		die("more than 4 billion distinct keys, or a key of 4 GiB");
	map->keys = mem_grow(map->keys, &map->keys_cap, map->count + 1, sizeof *map->keys);
	map->keys[map->count] = (struct strmap_key){map->bytes.len, (uint32_t)key.n, hash};
	buf_str(&map->bytes, key);
	map->slots[slot] = (uint32_t)++map->count;
	return map->count - 1;
}

size_t strmap_find(const struct strmap *map, struct str key)
{
	size_t slot;

	if (map->count == 0)
		return STRMAP_NONE;
	slot = slot_of(map, key, hash_of(key));
	return map->slots[slot] ? map->slots[slot] - 1 : STRMAP_NONE;
}

struct str strmap_key(const struct strmap *map, size_t number)
{
	const struct strmap_key *k = &map->keys[number];

	return (struct str){map->bytes.data ? map->bytes.data + k->at : "", k->n};
}

void strmap_clear(struct strmap *map)
{
	if (map->slots)
		memset(map->slots, 0, map->slots_count * sizeof *map->slots);
	map->count = 0;
	map->bytes.len = 0;
}

void strmap_free(struct strmap *map)
{
	free(map->keys);
	free(map->slots);
	buf_free(&map->bytes);
	*map = (struct strmap){0};
}
