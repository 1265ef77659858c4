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

enum { SLOTS_MIN = 64, SLOTS_FEW = 1 << 13 };

/*
 * A slot has a tag, a byte: 0 if the slot is free, else bits of its key's hash. Tags stand alone,
 * since a processor's cache holds a million of them: a search for a missing key mostly ends with
 * the tags, and skips nearly all slots of other keys.
 */
static inline unsigned char tag_of(uint32_t hash)
{
	return (unsigned char)(hash >> 25 | 0x80);
}

/* Compares texts of n bytes, without a call if they are short, as most are. */
static inline bool same(const char *a, const char *b, size_t n)
{
	if (n < 16 || n > 32)
		return n == 0 || memcmp(a, b, n) == 0;
	if ((str_word(a) ^ str_word(b)) | (str_word(a + 8) ^ str_word(b + 8)))
		return false;
	a += n - 16;
	b += n - 16;
	return !((str_word(a) ^ str_word(b)) | (str_word(a + 8) ^ str_word(b + 8)));
}

static const struct record *record_at(const struct strmap *map, size_t at)
{
	return (const void *)(map->records.data + at);
}

static const struct record *record_of(const struct strmap *map, size_t slot)
{
	return record_at(map, (size_t)map->places[slot] * ALIGNED);
}

static const char *bytes_of(const struct record *record)
{
	return (const char *)(record + 1);
}

/* The slot of key, or the free slot for it. Linear probing. */
static size_t slot_of(const struct strmap *map, struct str key, uint32_t hash)
{
	size_t mask = map->slots_count - 1;
	unsigned char tag = tag_of(hash);

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		const struct record *record;

		if (!map->tags[i])
			return i;
		if (map->tags[i] != tag)
			continue;
		record = record_of(map, i);
		if (record->n == key.n && record->hash == hash && same(bytes_of(record), key.s, key.n))
			return i;
	}
}

static void fill_slot(struct strmap *map, size_t slot, uint32_t place, uint32_t hash)
{
	map->tags[slot] = tag_of(hash);
	map->places[slot] = place;
}

static void free_slots(struct strmap *map)
{
	free(map->tags);
	free(map->places);
	map->tags = NULL;
	map->places = NULL;
	map->slots_count = 0;
}

/* At most half of the slots is taken; of few, which cost nothing, a quarter. */
static void make_room(struct strmap *map)
{
	size_t count = map->slots_count ? map->slots_count * 2 : SLOTS_MIN;
	size_t part = map->slots_count <= SLOTS_FEW ? 4 : 2;

	if (map->count * part < map->slots_count)
		return;
	if (!map->tags)
		map->seed = hash_seed();
	free_slots(map);
	map->tags = mem_zero(count, sizeof *map->tags);
	map->places = mem_alloc(count, sizeof *map->places);
	map->slots_count = count;
	for (size_t i = 0; i < map->count; i++) {
		uint32_t hash = record_at(map, map->at[i])->hash;
		size_t slot = hash & (count - 1);

		while (map->tags[slot])
			slot = (slot + 1) & (count - 1);
		fill_slot(map, slot, (uint32_t)(map->at[i] / ALIGNED), hash);
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
	uint32_t hash;
	size_t slot;
	bool new;

	make_room(map);
	hash = hash_text(map->seed, key);
	slot = slot_of(map, key, hash);
	new = !map->tags[slot];
	if (added)
		*added = new;
	if (new)
		fill_slot(map, slot, put_record(map, key, hash), hash);
	return record_of(map, slot)->number;
}

size_t strmap_find(const struct strmap *map, struct str key)
{
	size_t slot;

	if (map->count == 0)
		return STRMAP_NONE;
	slot = slot_of(map, key, hash_text(map->seed, key));
	return map->tags[slot] ? record_of(map, slot)->number : STRMAP_NONE;
}

struct str strmap_key(const struct strmap *map, size_t number)
{
	const struct record *record = record_at(map, map->at[number]);

	return (struct str){bytes_of(record), record->n};
}

size_t strmap_bytes(const struct strmap *map)
{
	return map->records.len + map->count * sizeof *map->at +
	       map->slots_count * (sizeof *map->tags + sizeof *map->places);
}

void strmap_clear(struct strmap *map)
{
	/* Slots for many keys are not zeroed each time that there were few. */
	if (map->slots_count > (map->count + 1) * SLOTS_MIN)
		free_slots(map);
	if (map->tags)
		memset(map->tags, 0, map->slots_count * sizeof *map->tags);
	map->count = 0;
	map->records.len = 0;
}

void strmap_free(struct strmap *map)
{
	free(map->at);
	free_slots(map);
	buf_free(&map->records);
	*map = (struct strmap){0};
}

/* --- order ------------------------------------------------------------------ */

struct sorted {
	struct str key;
	size_t number;
};

static int compare_sorted(const void *a, const void *b)
{
	return str_compare(((const struct sorted *)a)->key, ((const struct sorted *)b)->key);
}

size_t *strmap_ranks(const struct strmap *map)
{
	struct sorted *sorted = mem_alloc(map->count, sizeof *sorted);
	size_t *ranks = mem_alloc(map->count, sizeof *ranks);

	for (size_t i = 0; i < map->count; i++)
		sorted[i] = (struct sorted){strmap_key(map, i), i};
	if (map->count)
		qsort(sorted, map->count, sizeof *sorted, compare_sorted);
	for (size_t i = 0; i < map->count; i++)
		ranks[sorted[i].number] = i;
	free(sorted);
	return ranks;
}
