#include "trace/idmap.h"

#include "base/die.h"
#include "base/mem.h"

#include <stdlib.h>

/* A code is the id's value, or TEXT | a number in texts. */
static const uint64_t TEXT = UINT64_C(1) << 63;

enum {
	DIGITS_MAX = 18, /* so many digits are always below TEXT */
	NEAR = 16,       /* codes of a block */
};

/*
 * Rows near each other have ids near each other. So these stand together in memory, and only the
 * blocks are hashed.
 */
struct idmap_block {
	uint64_t head;         /* code / NEAR of each code in the block */
	uint32_t number[NEAR]; /* + 1; 0: the code is missing */
};

/* Whether id is a whole number without leading zeros, so that its value gives back its text. */
static bool whole(struct str id, uint64_t *value)
{
	uint32_t eight;
	size_t i = 0;

	if (id.n == 0 || id.n > DIGITS_MAX || (id.s[0] == '0' && id.n > 1))
		return false;
	if (id.n >= 4 && id.n <= 8) {
		if (!str_some_digits(id.s, id.n, &eight))
			return false;
		*value = eight;
		return true;
	}
	*value = 0;
	for (; i + 8 <= id.n && str_eight_digits(id.s + i, &eight); i += 8)
		*value = *value * 100000000 + eight;
	for (; i < id.n; i++) {
		unsigned digit = (unsigned)(unsigned char)id.s[i] - '0';

		if (digit > 9)
			return false;
		*value = *value * 10 + digit;
	}
	return true;
}

/* The slot of the block with this head, or the free slot for it. Linear probing. */
static size_t slot_of(const struct idmap *map, uint64_t head)
{
	size_t mask = map->slots_count - 1;
	size_t slot = hash_number(map->seed, head) & mask;

	while (map->slots[slot] && map->blocks[map->slots[slot] - 1].head != head)
		slot = (slot + 1) & mask;
	return slot;
}

/* Keeps at least half of the slots free. */
static void make_room(struct idmap *map)
{
	if (map->blocks_count * 2 < map->slots_count)
		return;
	if (!map->slots)
		map->seed = hash_seed();
	map->slots_count = map->slots_count ? map->slots_count * 2 : 64;
	free(map->slots);
	map->slots = mem_zero(map->slots_count, sizeof *map->slots);
	for (size_t i = 0; i < map->blocks_count; i++)
		map->slots[slot_of(map, map->blocks[i].head)] = (uint32_t)(i + 1);
}

static struct idmap_block *add_block(struct idmap *map, uint64_t head)
{
	size_t slot;

	if (map->blocks_count && map->blocks[map->last].head == head)
		return &map->blocks[map->last];
	make_room(map);
	slot = slot_of(map, head);
	if (!map->slots[slot]) {
		map->blocks =
			mem_grow(map->blocks, &map->blocks_cap, map->blocks_count + 1, sizeof *map->blocks);
		map->blocks[map->blocks_count] = (struct idmap_block){.head = head};
		map->slots[slot] = (uint32_t)++map->blocks_count;
	}
	map->last = map->slots[slot] - 1;
	return &map->blocks[map->last];
}

size_t idmap_place(struct idmap *map, struct str id, size_t next, bool *added)
{
	uint64_t code;
	uint32_t *number;

	if (!whole(id, &code))
		code = TEXT | strmap_add(&map->texts, id, NULL);
	number = &add_block(map, code / NEAR)->number[code % NEAR];
	if (added)
		*added = *number == 0;
	if (*number)
		return *number - 1;
	if (next >= UINT32_MAX - 1)
		die("more than 4 billion distinct ids");
	*number = (uint32_t)next + 1;
	map->count++;
	return next;
}

size_t idmap_add(struct idmap *map, struct str id, bool *added)
{
	return idmap_place(map, id, map->count, added);
}

size_t idmap_find(const struct idmap *map, struct str id)
{
	uint64_t code;
	size_t slot;
	uint32_t number;

	if (map->count == 0)
		return IDMAP_NONE;
	if (!whole(id, &code)) {
		size_t text = strmap_find(&map->texts, id);

		if (text == STRMAP_NONE)
			return IDMAP_NONE;
		code = TEXT | text;
	}
	slot = slot_of(map, code / NEAR);
	number = map->slots[slot] ? map->blocks[map->slots[slot] - 1].number[code % NEAR] : 0;
	return number ? number - 1 : IDMAP_NONE;
}

bool idmap_is_text(uint64_t key)
{
	return key & TEXT;
}

/* With ranks of the texts, a text has its rank in the place of its number. */
static void put_codes(const struct idmap *map, const size_t *ranks, uint64_t *codes)
{
	for (size_t i = 0; i < map->blocks_count; i++) {
		const struct idmap_block *block = &map->blocks[i];

		for (size_t j = 0; j < NEAR; j++) {
			uint64_t code = block->head * NEAR + j;

			if (block->number[j])
				codes[block->number[j] - 1] =
					ranks && idmap_is_text(code) ? TEXT | ranks[code & ~TEXT] : code;
		}
	}
}

void idmap_put_order(const struct idmap *map, uint64_t *order)
{
	size_t *ranks = strmap_ranks(&map->texts);

	put_codes(map, ranks, order);
	free(ranks);
}

void idmap_put_codes(const struct idmap *map, uint64_t *codes)
{
	put_codes(map, NULL, codes);
}

struct str idmap_text(const struct idmap *map, uint64_t code)
{
	return idmap_is_text(code) ? strmap_key(&map->texts, (size_t)(code & ~TEXT)) : STR("");
}

void idmap_free(struct idmap *map)
{
	free(map->blocks);
	free(map->slots);
	strmap_free(&map->texts);
	*map = (struct idmap){0};
}
