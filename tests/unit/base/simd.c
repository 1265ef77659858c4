/* simd: each bit is what a look at its byte says. */
#include "../unit.h"

#include "base/simd.h"

static void bits_of_random_bytes(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct buf text = {0};
		uint64_t equal = 0;
		uint64_t curly = 0;

		unit_random_bytes(&seed, &text, SIMD_BLOCK, round % 2 ? STR("[{\"\xff\n") : STR(""));
		for (unsigned i = 0; i < SIMD_BLOCK; i++) {
			equal |= (uint64_t)(text.data[i] == '\n') << i;
			curly |= (uint64_t)(text.data[i] == '[' || text.data[i] == '{') << i;
		}
		assert_true(simd_bits(text.data, '\n') == equal);
		if (simd_has_avx2())
			assert_true(simd_bits_avx2(text.data, '\n') == equal);
		assert_true(simd_bits_with(text.data, 0x20, '{') == curly);
		buf_free(&text);
	}
}

/* All bytes at all places, among others that give no bit. */
static void bits_of_short_texts(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++) {
		for (unsigned at = 0; at < SIMD_SHORT; at++) {
			bool digit = c >= '0' && c <= '9';
			bool found = c < 0x20 || c > 0x7e || c == '"' || c == '\\';
			char text[SIMD_SHORT];

			memset(text, '7', sizeof text);
			text[at] = (char)c;
			assert_int_equal(simd_nondigits(text), (unsigned)!digit << at);
			assert_int_equal(simd_unprintable_or(text, '"', '\\'), (unsigned)found << at);
			memset(text, '"', sizeof text);
			text[at] = (char)c;
			assert_int_equal(simd_nondigits(text), 0xffff ^ (unsigned)digit << at);
			assert_int_equal(simd_unprintable_or(text, '"', '\\'), 0xffff ^ (unsigned)!found << at);
		}
	}
}

static void parity_of_random_bits(void **state)
{
	uint64_t seed = 8;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		uint64_t bits = unit_random(&seed) & unit_random(&seed);
		uint64_t want = 0;

		for (unsigned i = 0; i < 64; i++)
			want |= (uint64_t)(__builtin_popcountll(bits & simd_low(i + 1)) & 1) << i;
		assert_true(simd_parity(bits) == want);
		if (simd_has_avx2())
			assert_true(simd_parity_avx2(bits) == want);
	}
}

static void low_bits(void **state)
{
	(void)state;
	assert_true(simd_low(0) == 0);
	assert_true(simd_low(1) == 1);
	assert_true(simd_low(63) == ~(uint64_t)0 >> 1);
	assert_true(simd_low(64) == ~(uint64_t)0);
	assert_true(simd_low(1000) == ~(uint64_t)0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits_of_random_bytes),
		cmocka_unit_test(bits_of_short_texts),
		cmocka_unit_test(parity_of_random_bits),
		cmocka_unit_test(low_bits),
	};

	return cmocka_run_group_tests_name("simd", tests, NULL, NULL);
}
