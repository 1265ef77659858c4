/* blocks: from an allocation to the next free of its address, against a brute force. */
#include "../unit.h"

#include "kmem/blocks.h"
#include "kmem_made.h"

static void ends(void **state)
{
	struct events events = {0};
	struct blocks blocks;

	(void)state;
	kmem_made(&events, 0, -40, 1, 0); /* early */
	kmem_made(&events, 1, 10, 2, 0);
	kmem_made(&events, 2, 30, 3, 0);
	kmem_made(&events, 3, -10, 2, 0);
	kmem_made(&events, 4, 5, 3, 0); /* replaces */
	kmem_made(&events, 5, 7, 4, 0);
	kmem_made(&events, 6, -8, 4, 0); /* another size */
	blocks_find(&blocks, &events);
	assert_int_equal(blocks.count, 4);
	assert_int_equal(blocks.early, 1);
	assert_true(blocks.early_bytes.nano == dec_of(40).nano);
	assert_int_equal(blocks.kept, 1);
	assert_true(blocks.kept_bytes.nano == dec_of(5).nano);
	assert_int_equal(blocks.breaks, 2);
	assert_int_equal(blocks.block[0].how, BLOCK_FREED);
	assert_int_equal(blocks.block[0].end, 3);
	assert_int_equal(blocks.block[1].how, BLOCK_REPLACED);
	assert_int_equal(blocks.block[1].end, 4);
	assert_int_equal(blocks.block[2].how, BLOCK_OPEN);
	assert_false(block_is_alive(&blocks.block[0], 1));
	assert_true(block_is_alive(&blocks.block[0], 2));
	assert_true(block_is_alive(&blocks.block[0], 3));
	assert_false(block_is_alive(&blocks.block[0], 4));
	assert_true(block_is_alive(&blocks.block[2], 7));
	blocks_free(&blocks);
	events_free(&events);
}

/* The event that ends a block: the next of its address. */
static void as_by_brute_force(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct events events = {0};
		struct blocks blocks;
		size_t number = 0;

		for (size_t i = unit_below(&seed, 20); i > 0; i--)
			kmem_made(&events, (int64_t)i, unit_below(&seed, 2) ? 8 : -8, unit_below(&seed, 4), 0);
		events_sort(&events);
		blocks_find(&blocks, &events);
		for (size_t i = 0; i < events.count; i++) {
			size_t next = i + 1;

			if (events.event[i].bytes < 0)
				continue;
			while (next < events.count && events.event[next].addr != events.event[i].addr)
				next++;
			assert_int_equal(blocks.block[number].begin, i);
			if (next == events.count)
				assert_int_equal(blocks.block[number].how, BLOCK_OPEN);
			else
				assert_int_equal(blocks.block[number].end, next);
			number++;
		}
		assert_int_equal(blocks.count, number);
		blocks_free(&blocks);
		events_free(&events);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends),
		cmocka_unit_test(as_by_brute_force),
	};

	return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
