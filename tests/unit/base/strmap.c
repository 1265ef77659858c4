/* strmap: byte strings numbered in the order they came in. */
#include "../unit.h"

#include "base/strmap.h"

static void numbers_follow_the_order(void **state)
{
	struct strmap map = {0};
	bool added;

	(void)state;
	assert_int_equal(strmap_find(&map, STR("a")), STRMAP_NONE);
	assert_int_equal(strmap_add(&map, STR("b"), &added), 0);
	assert_true(added);
	assert_int_equal(strmap_add(&map, STR("a"), NULL), 1);
	assert_int_equal(strmap_add(&map, STR("b"), &added), 0);
	assert_false(added);
	assert_int_equal(strmap_add(&map, STR("c"), &added), 2);
	assert_true(added);
	assert_int_equal(map.count, 3);
	assert_text(strmap_key(&map, 0), "b");
	assert_text(strmap_key(&map, 1), "a");
	assert_int_equal(strmap_find(&map, STR("c")), 2);
	assert_int_equal(strmap_find(&map, STR("d")), STRMAP_NONE);
	strmap_free(&map);
	assert_int_equal(map.count, 0);
	assert_int_equal(strmap_find(&map, STR("a")), STRMAP_NONE);
	strmap_free(&map);
}

static void the_empty_key_and_keys_with_nul(void **state)
{
	static const struct str keys[] = {
		BYTES(""),
		BYTES("\0"),
		BYTES("\0\0"),
		BYTES("\0\0\0\0\0\0\0"),
		BYTES("\0\0\0\0\0\0\0\0"),
		BYTES("\0\0\0\0\0\0\0\0\0"),
		BYTES("a"),
		BYTES("a\0"),
		BYTES("a\0b"),
		BYTES("a\0c"),
		BYTES("abcdefgh"),
		BYTES("abcdefg"),
		BYTES("abcdefgh\0"),
		BYTES("abcdefghi"),
	};
	struct strmap map = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(keys); i++)
		assert_int_equal(strmap_add(&map, keys[i], NULL), i);
	for (size_t i = 0; i < COUNT(keys); i++) {
		assert_int_equal(strmap_find(&map, keys[i]), i);
		assert_str(strmap_key(&map, i), keys[i]);
	}
	assert_int_equal(map.count, COUNT(keys));
	strmap_free(&map);
}

static void the_empty_key_alone(void **state)
{
	struct strmap map = {0};

	(void)state;
	assert_int_equal(strmap_add(&map, (struct str){NULL, 0}, NULL), 0);
	assert_int_equal(strmap_add(&map, STR(""), NULL), 0);
	assert_int_equal(strmap_find(&map, STR("")), 0);
	assert_text(strmap_key(&map, 0), "");
	strmap_free(&map);
}

/* Many keys, of every length to 40, the last bytes alone telling them apart. */
static void many_keys(void **state)
{
	enum { KEYS = 200000 };
	struct strmap map = {0};
	struct buf key = {0};

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < KEYS; i++) {
			bool added;

			key.len = 0;
			buf_format(&key, "%0*zu", (int)(6 + i % 35), i);
			assert_int_equal(strmap_add(&map, buf_view(&key), &added), i);
			assert_int_equal(added, round == 0);
		}
	}
	assert_int_equal(map.count, KEYS);
	for (size_t i = 0; i < KEYS; i += 997) {
		key.len = 0;
		buf_format(&key, "%0*zu", (int)(6 + i % 35), i);
		assert_int_equal(strmap_find(&map, buf_view(&key)), i);
		assert_str(strmap_key(&map, i), buf_view(&key));
		buf_char(&key, '!');
		assert_int_equal(strmap_find(&map, buf_view(&key)), STRMAP_NONE);
	}
	buf_free(&key);
	strmap_free(&map);
}

static void cleared_is_empty(void **state)
{
	struct strmap map = {0};
	char key[16];

	(void)state;
	strmap_clear(&map);
	for (size_t round = 0; round < 3; round++) {
		for (size_t i = 0; i < 1000; i++) {
			snprintf(key, sizeof key, "%zu", i * (round + 1));
			assert_int_equal(strmap_add(&map, str_of(key), NULL), i);
		}
		strmap_clear(&map);
		assert_int_equal(map.count, 0);
		assert_int_equal(strmap_find(&map, STR("0")), STRMAP_NONE);
	}
	strmap_free(&map);
}

/* The room for many keys does not make each later use for a few as slow. */
static void cleared_of_few_is_small(void **state)
{
	struct strmap map = {0};
	size_t large;

	(void)state;
	for (int round = 0; round < 2; round++) {
		char key[16];

		for (int i = 0; i < 10000; i++) {
			snprintf(key, sizeof key, "%d", i);
			strmap_add(&map, str_of(key), NULL);
		}
		large = map.slots_count;
		strmap_clear(&map);
		assert_int_equal(map.slots_count, large);
		strmap_add(&map, STR("a"), NULL);
		strmap_clear(&map);
		strmap_clear(&map);
		strmap_add(&map, STR("b"), NULL);
		assert_true(map.slots_count < 200);
		assert_int_equal(strmap_find(&map, STR("a")), STRMAP_NONE);
		assert_int_equal(strmap_find(&map, STR("b")), 0);
	}
	strmap_free(&map);
}

/* Against a search through all keys so far. */
static void random_keys(void **state)
{
	struct strmap map = {0};
	struct buf text = {0};
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		size_t want = STRMAP_NONE;

		text.len = 0;
		unit_random_bytes(&seed, &text, unit_below(&seed, 12), STR("a\0"));
		for (size_t j = 0; j < map.count && want == STRMAP_NONE; j++)
			if (str_equal(strmap_key(&map, j), buf_view(&text)))
				want = j;
		assert_int_equal(strmap_find(&map, buf_view(&text)), want);
		if (want == STRMAP_NONE)
			want = map.count;
		assert_int_equal(strmap_add(&map, buf_view(&text), NULL), want);
	}
	buf_free(&text);
	strmap_free(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_follow_the_order),
		cmocka_unit_test(the_empty_key_and_keys_with_nul),
		cmocka_unit_test(the_empty_key_alone),
		cmocka_unit_test(many_keys),
		cmocka_unit_test(cleared_is_empty),
		cmocka_unit_test(cleared_of_few_is_small),
		cmocka_unit_test(random_keys),
	};

	return cmocka_run_group_tests_name("strmap", tests, NULL, NULL);
}
