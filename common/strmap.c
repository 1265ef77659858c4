#include "strmap.h"

#include "die.h"
#include "mem.h"

#include <stdlib.h>

struct strmap_key {
	size_t at; /* in bytes */
	uint32_t n;
	uint32_t hash;
};

/* The hash stands here too: nearly all slots of other keys are passed without a look at those. */
struct strmap_slot {
	uint32_t taken; /* number + 1, 0 where free */
	uint32_t hash;
};

static inline uint64_t word_at(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof word);
	return word;
}

/* The halves of a product, folded into one word. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Sixteen bytes a step; the last ones overlap those before, so that no step is short. */
static uint32_t hash_of(struct str key)
{
	const uint64_t a = 0x9e3779b97f4a7c15u;
	const uint64_t b = 0xbf58476d1ce4e5b9u;
	uint64_t hash = key.n * a;
	uint64_t first = 0;
	uint64_t last = 0;

	for (; key.n > 16; key.s += 16, key.n -= 16)
		hash = fold(word_at(key.s) ^ a, word_at(key.s + 8) ^ hash ^ b);
	if (key.n >= 8) {
		first = word_at(key.s);
		last = word_at(key.s + key.n - 8);
	} else {
		for (size_t i = 0; i < key.n; i++)
			first = first << 8 | (unsigned char)key.s[i];
	}
	hash = fold(first ^ a, last ^ hash ^ b);
	return (uint32_t)(hash >> 32 ^ hash);
}

/* Of texts of n bytes. */
static inline bool same(const char *a, const char *b, size_t n)
{
	if (n < 8)
		return n == 0 || memcmp(a, b, n) == 0;
	for (size_t i = 0; i + 8 < n; i += 8)
		if (word_at(a + i) != word_at(b + i))
			return false;
	return word_at(a + n - 8) == word_at(b + n - 8);
}

/* The slot that holds key, or the free one where it belongs. Linear probing. */
static size_t slot_of(const struct strmap *map, struct str key, uint32_t hash)
{
	size_t mask = map->slots_count - 1;
	size_t slot = hash & mask;

	for (; map->slots[slot].taken; slot = (slot + 1) & mask) {
		const struct strmap_key *k;

		if (map->slots[slot].hash != hash)
			continue;
		k = &map->keys[map->slots[slot].taken - 1];
		if (k->n == key.n && same(map->bytes.data + k->at, key.s, key.n))
			break;
	}
	return slot;
}

/* At most a quarter of the slots is taken. */
static void make_room(struct strmap *map)
{
	size_t count = map->slots_count ? map->slots_count * 2 : 64;

	if (map->count * 4 < map->slots_count)
		return;
	free(map->slots);
	map->slots = mem_zero(count, sizeof *map->slots);
	map->slots_count = count;
	for (size_t i = 0; i < map->count; i++) {
		size_t slot = map->keys[i].hash & (count - 1);

		while (map->slots[slot].taken)
			slot = (slot + 1) & (count - 1);
		map->slots[slot] = (struct strmap_slot){(uint32_t)(i + 1), map->keys[i].hash};
	}
}

size_t strmap_add(struct strmap *map, struct str key, bool *added)
{
	uint32_t hash = hash_of(key);
	size_t slot;

	make_room(map);
	slot = slot_of(map, key, hash);
	if (added)
		*added = !map->slots[slot].taken;
	if (map->slots[slot].taken)
		return map->slots[slot].taken - 1;
	if (map->count >= UINT32_MAX - 1 || key.n > UINT32_MAX)
		die("more than 4 billion distinct keys, or a key of 4 GiB");
	map->keys = mem_grow(map->keys, &map->keys_cap, map->count + 1, sizeof *map->keys);
	map->keys[map->count] = (struct strmap_key){map->bytes.len, (uint32_t)key.n, hash};
	buf_str(&map->bytes, key);
	map->slots[slot] = (struct strmap_slot){(uint32_t)++map->count, hash};
	return map->count - 1;
}

size_t strmap_find(const struct strmap *map, struct str key)
{
	size_t slot;

	if (map->count == 0)
		return STRMAP_NONE;
	slot = slot_of(map, key, hash_of(key));
	return map->slots[slot].taken ? map->slots[slot].taken - 1 : STRMAP_NONE;
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
