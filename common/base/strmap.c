#include "base/strmap.h"

#include "base/die.h"
#include "base/mem.h"

#include <stdlib.h>

/* Begins a record; the key's bytes follow it, so that a search ends in one place of memory. */
struct record {
	uint32_t number;
	uint32_t n;
	uint32_t hash;
};

enum { ALIGNED = 8 }; /* records; slots count in so many bytes */

enum { SLOTS_MIN = 64 };

/* The hash stands here too: nearly all slots of other keys are passed without a look at those. */
struct strmap_slot {
	uint32_t record; /* its place + 1; 0 if the slot is free */
	uint32_t hash;
};

/* Of texts of n bytes. */
static inline bool same(const char *a, const char *b, size_t n)
{
	if (n < 16)
		return n == 0 || memcmp(a, b, n) == 0;
	for (size_t i = 0; i + 16 < n; i += 16)
		if ((str_word(a + i) ^ str_word(b + i)) | (str_word(a + i + 8) ^ str_word(b + i + 8)))
			return false;
	a += n - 16;
	b += n - 16;
	return !((str_word(a) ^ str_word(b)) | (str_word(a + 8) ^ str_word(b + 8)));
}

static const struct record *record_at(const struct strmap *map, size_t at)
{
	return (const void *)(map->records.data + at);
}

static const struct record *record_of(const struct strmap *map, const struct strmap_slot *slot)
{
	return record_at(map, (size_t)(slot->record - 1) * ALIGNED);
}

static const char *bytes_of(const struct record *record)
{
	return (const char *)(record + 1);
}

/* The slot of key, or the free slot for it. Linear probing. */
static struct strmap_slot *slot_of(const struct strmap *map, struct str key, uint32_t hash)
{
	size_t mask = map->slots_count - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		struct strmap_slot *slot = &map->slots[i];
		const struct record *record;

		if (!slot->record)
			return slot;
		if (slot->hash != hash)
			continue;
		record = record_of(map, slot);
		if (record->n == key.n && same(bytes_of(record), key.s, key.n))
			return slot;
	}
}

/* At most a quarter of the slots is taken. */
static void make_room(struct strmap *map)
{
	size_t count = map->slots_count ? map->slots_count * 2 : SLOTS_MIN;

	if (map->count * 4 < map->slots_count)
		return;
	if (!map->slots)
		map->seed = hash_seed();
	free(map->slots);
	map->slots = mem_zero(count, sizeof *map->slots);
	map->slots_count = count;
	for (size_t i = 0; i < map->count; i++) {
		uint32_t hash = record_at(map, map->at[i])->hash;
		size_t slot = hash & (count - 1);

		while (map->slots[slot].record)
			slot = (slot + 1) & (count - 1);
		map->slots[slot] = (struct strmap_slot){(uint32_t)(map->at[i] / ALIGNED + 1), hash};
	}
}

/* Appends a record of the key; returns its place. */
static uint32_t put_record(struct strmap *map, struct str key, uint32_t hash)
{
	struct record record = {(uint32_t)map->count, (uint32_t)key.n, hash};
	size_t place = (map->records.len + ALIGNED - 1) / ALIGNED;

	if (map->count >= UINT32_MAX || key.n > UINT32_MAX || place >= UINT32_MAX)
		die("more than 4 billion distinct keys, 32 GiB of them, or one of 4 GiB");
	map->at = mem_grow(map->at, &map->at_cap, map->count + 1, sizeof *map->at);
	map->at[map->count++] = place * ALIGNED;
	buf_reserve(&map->records, ALIGNED + sizeof record + key.n);
	map->records.len = place * ALIGNED;
	buf_bytes(&map->records, (const char *)&record, sizeof record);
	buf_str(&map->records, key);
	return (uint32_t)place;
}

size_t strmap_add(struct strmap *map, struct str key, bool *added)
{
	struct strmap_slot *slot;
	uint32_t hash;

	make_room(map);
	hash = hash_text(map->seed, key);
	slot = slot_of(map, key, hash);
	if (added)
		*added = !slot->record;
	if (!slot->record)
		*slot = (struct strmap_slot){put_record(map, key, hash) + 1, hash};
	return record_of(map, slot)->number;
}

size_t strmap_find(const struct strmap *map, struct str key)
{
	const struct strmap_slot *slot;

	if (map->count == 0)
		return STRMAP_NONE;
	slot = slot_of(map, key, hash_text(map->seed, key));
	return slot->record ? record_of(map, slot)->number : STRMAP_NONE;
}

struct str strmap_key(const struct strmap *map, size_t number)
{
	const struct record *record = record_at(map, map->at[number]);

	return (struct str){bytes_of(record), record->n};
}

void strmap_clear(struct strmap *map)
{
	/* Slots for many keys are not zeroed each time that there were few. */
	if (map->slots_count > (map->count + 1) * SLOTS_MIN) {
		free(map->slots);
		map->slots = NULL;
		map->slots_count = 0;
	}
	if (map->slots)
		memset(map->slots, 0, map->slots_count * sizeof *map->slots);
	map->count = 0;
	map->records.len = 0;
}

void strmap_free(struct strmap *map)
{
	free(map->at);
	free(map->slots);
	buf_free(&map->records);
	*map = (struct strmap){0};
}
