/* idmap: ids numbered in the order they came in. */
#include "../unit.h"

#include "trace/idmap.h"

static void numbers_follow_the_order(void **state)
{
	struct idmap map = {0};
	bool added;

	(void)state;
	assert_int_equal(idmap_find(&map, STR("7")), IDMAP_NONE);
	assert_int_equal(idmap_add(&map, STR("9"), &added), 0);
	assert_true(added);
	assert_int_equal(idmap_add(&map, STR("7"), NULL), 1);
	assert_int_equal(idmap_add(&map, STR("9"), &added), 0);
	assert_false(added);
	assert_int_equal(idmap_find(&map, STR("7")), 1);
	assert_int_equal(idmap_find(&map, STR("8")), IDMAP_NONE);
	assert_int_equal(map.count, 2);
	idmap_free(&map);
	assert_int_equal(map.count, 0);
	assert_int_equal(idmap_find(&map, STR("7")), IDMAP_NONE);
}

/* What is equal as a number only, and what is no whole number, or too large for one. */
static void texts_tell_ids_apart(void **state)
{
	static const struct str ids[] = {
		BYTES("0"),
		BYTES("00"),
		BYTES(""),
		BYTES("7"),
		BYTES("07"),
		BYTES("+7"),
		BYTES("-7"),
		BYTES("7.0"),
		BYTES("7e0"),
		BYTES(" 7"),
		BYTES("7 "),
		BYTES("7\0"),
		BYTES("0x7"),
		BYTES("seven"),
		BYTES("999999999999999999"),
		BYTES("1000000000000000000"),
		BYTES("9223372036854775808"),
		BYTES("9223372036854775809"),
		BYTES("18446744073709551615"),
		BYTES("18446744073709551616"),
		BYTES("36893488147419103232"),
	};
	struct idmap map = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(ids); i++) {
		assert_int_equal(idmap_find(&map, ids[i]), IDMAP_NONE);
		assert_int_equal(idmap_add(&map, ids[i], NULL), i);
	}
	for (size_t i = 0; i < COUNT(ids); i++) {
		assert_int_equal(idmap_find(&map, ids[i]), i);
		assert_int_equal(idmap_add(&map, ids[i], NULL), i);
	}
	idmap_free(&map);
}

/* Then others by their bytes. Codes give the texts back. */
static void whole_numbers_come_first_by_value(void **state)
{
	static const struct str ids[] = {BYTES("x"), BYTES("10"), BYTES("9"),
	                                 BYTES("a"), BYTES("0"),  BYTES("999999999999999999")};
	static const size_t order[] = {4, 2, 1, 5, 3, 0};
	struct idmap map = {0};
	uint64_t by_number[COUNT(ids)];

	(void)state;
	for (size_t i = 0; i < COUNT(ids); i++)
		idmap_add(&map, ids[i], NULL);
	idmap_put_order(&map, by_number);
	for (size_t i = 1; i < COUNT(order); i++)
		assert_true(by_number[order[i - 1]] < by_number[order[i]]);
	idmap_put_codes(&map, by_number);
	assert_int_equal(by_number[1], 10);
	assert_true(idmap_is_text(by_number[3]) && !idmap_is_text(by_number[1]));
	assert_true(str_equal(idmap_text(&map, by_number[3]), STR("a")));
	assert_int_equal(idmap_text(&map, by_number[1]).n, 0);
	idmap_free(&map);
}

/* Numbers that follow each other, and multiples of large powers of two. */
static void many_ids(void **state)
{
	enum { IDS = 100000 };
	struct idmap map = {0};
	char id[32];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < IDS; i++) {
			uint64_t value = i % 2 ? i : i << 40;

			snprintf(id, sizeof id, "%llu", (unsigned long long)value);
			assert_int_equal(idmap_add(&map, str_of(id), NULL), i);
		}
	}
	assert_int_equal(map.count, IDS);
	assert_int_equal(idmap_find(&map, STR("2")), IDMAP_NONE);
	idmap_free(&map);
}

/* Two maps that number their ids in common. */
static void numbers_in_common(void **state)
{
	struct idmap maps[2] = {{.count = 0}, {.count = 0}};
	uint64_t order[3];
	bool added;

	(void)state;
	assert_int_equal(idmap_place(&maps[0], STR("7"), 0, &added), 0);
	assert_int_equal(idmap_place(&maps[1], STR("7"), 1, &added), 1);
	assert_true(added);
	assert_int_equal(idmap_place(&maps[0], STR("5"), 2, &added), 2);
	assert_int_equal(idmap_place(&maps[1], STR("7"), 3, &added), 1);
	assert_false(added);
	assert_int_equal(idmap_find(&maps[0], STR("5")), 2);
	assert_int_equal(idmap_find(&maps[1], STR("5")), IDMAP_NONE);
	assert_int_equal(maps[0].count, 2);
	for (int i = 0; i < 2; i++)
		idmap_put_order(&maps[i], order);
	assert_true(order[2] < order[0] && order[0] == order[1]);
	for (int i = 0; i < 2; i++)
		idmap_free(&maps[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_follow_the_order),
		cmocka_unit_test(texts_tell_ids_apart),
		cmocka_unit_test(whole_numbers_come_first_by_value),
		cmocka_unit_test(numbers_in_common),
		cmocka_unit_test(many_ids),
	};

	return cmocka_run_group_tests_name("idmap", tests, NULL, NULL);
}
