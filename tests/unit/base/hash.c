/* hash: chosen keys spread as well as others, under each seed; the seed is secret or fixed. */
#include "../unit.h"

#include "base/hash.h"

enum { KEYS = 40000, SLOTS = 1 << 18 };

/* Appends key number i of a family. */
typedef void family(struct buf *key, uint64_t i);

static void put_word(struct buf *key, uint64_t word)
{
	buf_bytes(key, (const char *)&word, sizeof word);
}

/* Two numbers that count up, far from each other in the word. */
static uint64_t two_counters(uint64_t i)
{
	return i % 200 + (i / 200 << 32);
}

/* The constants that were the seed of all processes: as a factor, they made the product 0. */
static const uint64_t old_a = 0x9e3779b97f4a7c15u;
static const uint64_t old_b = 0xbf58476d1ce4e5b9u;

static void first_factor_zero(struct buf *key, uint64_t i)
{
	put_word(key, old_a);
	put_word(key, i);
}

static void second_factor_zero(struct buf *key, uint64_t i)
{
	put_word(key, i);
	put_word(key, old_b ^ 16 * old_a);
}

static void first_factor_zero_in_a_long_key(struct buf *key, uint64_t i)
{
	first_factor_zero(key, i);
	buf_text(key, "the same in each of these");
}

/* Keys of 16 bytes: the factors of one key are those of another, exchanged. */
static void factors_exchanged(struct buf *key, uint64_t i)
{
	uint64_t x = i / 2 * old_b;
	uint64_t y = x * old_a + i / 2;

	put_word(key, (i % 2 ? x : y) ^ old_a);
	put_word(key, (i % 2 ? y : x) ^ old_b ^ 16 * old_a);
}

static void eight_bytes(struct buf *key, uint64_t i)
{
	put_word(key, i << 44);
}

static void short_texts(struct buf *key, uint64_t i)
{
	uint64_t word = two_counters(i);

	for (int shift = 48; shift >= 0; shift -= 8)
		buf_char(key, (char)(word >> shift & 0xff));
}

static void the_last_eight_bytes(struct buf *key, uint64_t i)
{
	put_word(key, 0);
	put_word(key, two_counters(i));
}

static void decimals(struct buf *key, uint64_t i)
{
	buf_format(key, "%llu", (unsigned long long)i);
}

/* NUL bytes alone: only the lengths differ. */
static void lengths(struct buf *key, uint64_t i)
{
	size_t n = i % 400;

	memset(buf_reserve(key, n), 0, n);
	key->len += n;
}

/* How many slots a linear search looks at for the keys, by their hashes; 0 if the table is full. */
static size_t probes(const uint64_t *hashes, size_t count)
{
	static bool taken[SLOTS];
	size_t sum = 0;

	memset(taken, 0, sizeof taken);
	for (size_t i = 0; i < count; i++) {
		size_t slot = hashes[i] % SLOTS;

		for (sum++; taken[slot]; sum++)
			slot = (slot + 1) % SLOTS;
		taken[slot] = true;
	}
	return sum;
}

static struct hash_seed seed_of(uint64_t *random)
{
	struct hash_seed seed;

	seed.a = unit_random(random);
	seed.b = unit_random(random);
	return seed;
}

static void chosen_texts_spread(void **state)
{
	static const struct {
		const char *label;
		family *put;
		size_t count;
	} families[] = {
		{"first factor 0", first_factor_zero, KEYS},
		{"second factor 0", second_factor_zero, KEYS},
		{"first factor 0, long", first_factor_zero_in_a_long_key, KEYS},
		{"factors exchanged", factors_exchanged, KEYS},
		{"eight bytes", eight_bytes, KEYS},
		{"short texts", short_texts, KEYS},
		{"the last eight bytes", the_last_eight_bytes, KEYS},
		{"decimals", decimals, KEYS},
		{"lengths", lengths, 400},
	};
	static uint64_t hashes[KEYS];
	uint64_t random = 1;
	struct buf key = {0};

	(void)state;
	for (size_t f = 0; f < COUNT(families); f++) {
		for (int round = 0; round < 40; round++) {
			struct hash_seed seed = seed_of(&random);

			for (size_t i = 0; i < families[f].count; i++) {
				key.len = 0;
				families[f].put(&key, i);
				hashes[i] = hash_text(seed, buf_view(&key));
			}
			/* Random hashes take 1.1 each. */
			assert_case(families[f].label,
			            probes(hashes, families[f].count) * 4 < families[f].count * 5);
		}
	}
	buf_free(&key);
}

static void chosen_numbers_spread(void **state)
{
	static const struct {
		const char *label;
		uint64_t factor;
	} families[] = {
		{"by 1", 1},
		{"by 2^20", 1 << 20},
		{"by 2^40", (uint64_t)1 << 40},
		{"by 10^12", 1000000000000},
		{"by the inverse of the old factor", 0xf1de83e19937733d},
		{"by 2^32 + 1", ((uint64_t)1 << 32) + 1},
	};
	static uint64_t hashes[KEYS];
	uint64_t random = 2;

	(void)state;
	for (size_t f = 0; f < COUNT(families); f++) {
		for (int round = 0; round < 40; round++) {
			struct hash_seed seed = seed_of(&random);

			for (size_t i = 0; i < KEYS; i++)
				hashes[i] = hash_number(seed, i * families[f].factor);
			assert_case(families[f].label, probes(hashes, KEYS) * 4 < KEYS * 5);
		}
	}
}

/* --- the seed ------------------------------------------------------------ */

static int print_seed(void *fixed)
{
	struct hash_seed seed;

	setenv("KEV_SEED", fixed, 1);
	seed = hash_seed();
	printf("%016llx%016llx", (unsigned long long)seed.a, (unsigned long long)seed.b);
	return 0;
}

/* Whether two processes with these KEV_SEED have equal seeds. */
static bool seeds_equal(char *x, char *y)
{
	struct unit_end of_x = unit_run(print_seed, x);
	struct unit_end of_y = unit_run(print_seed, y);
	bool equal = str_equal(buf_view(&of_x.out), buf_view(&of_y.out));

	assert_int_equal(of_x.status | of_y.status, 0);
	assert_int_equal(of_x.out.len, 32);
	unit_end_free(&of_x);
	unit_end_free(&of_y);
	return equal;
}

static void each_process_has_another_seed(void **state)
{
	(void)state;
	assert_false(seeds_equal("", ""));
	assert_false(seeds_equal("1", "2"));
	assert_false(seeds_equal("1", "18446744073709551615"));
	assert_true(seeds_equal("1", "1"));
}

static void a_seed_that_is_not_a_number(void **state)
{
	static char *const texts[] = {"x", "-1", " 1", "1x", "18446744073709551616"};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct unit_end end = unit_run(print_seed, texts[i]);

		assert_case(texts[i], end.status == 2 && end.out.len == 0);
		assert_case(texts[i], str_has(buf_view(&end.err), STR("KEV_SEED: '")));
		unit_end_free(&end);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chosen_texts_spread),
		cmocka_unit_test(chosen_numbers_spread),
		cmocka_unit_test(each_process_has_another_seed),
		cmocka_unit_test(a_seed_that_is_not_a_number),
	};

	return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
