/*
 * simd - sixty-four bytes at a time, each a bit, the first byte the lowest: by SSE2 or AVX2
 * on x86-64, by NEON on aarch64, elsewhere in portable C.
 *
 * A processor may lack AVX2, so a function that uses it is compiled twice. Its code is in a
 * function that is SIMD_INLINE, with a parameter for simd_bits or simd_bits_avx2. Two functions
 * call it. The caller with simd_bits_avx2 is SIMD_AVX2, and needs simd_has_avx2.
 */
#ifndef SIMD_H
#define SIMD_H

#include <stdbool.h>
#include <stdint.h>

/* KEV_PORTABLE turns them off, so that the portable code is tested, too. */
#if defined(__x86_64__) && !defined(KEV_PORTABLE)
#define SIMD_SSE2
#include <immintrin.h>
#elif defined(__aarch64__) && !defined(KEV_PORTABLE)
#define SIMD_NEON
#include <arm_neon.h>
#endif

enum { SIMD_BLOCK = 64, SIMD_SHORT = 16 };

/* Which of the 64 bytes at text are c once the bits of `set` are set in them. */
static inline uint64_t simd_bits_with(const char *text, unsigned char set, unsigned char c)
{
#if defined(SIMD_SSE2)
	const __m128i more = _mm_set1_epi8((char)set);
	const __m128i sought = _mm_set1_epi8((char)c);
	uint64_t bits = 0;

#pragma GCC unroll 4
	for (unsigned i = 0; i < SIMD_BLOCK; i += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + i));
		__m128i equal = _mm_cmpeq_epi8(_mm_or_si128(bytes, more), sought);

		bits |= (uint64_t)(unsigned)_mm_movemask_epi8(equal) << i;
	}
	return bits;
#elif defined(SIMD_NEON)
	static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
	const uint8x16_t weight = vld1q_u8(weights);
	uint8x16_t bits[4];

	for (unsigned i = 0; i < 4; i++) {
		uint8x16_t bytes = vorrq_u8(vld1q_u8((const uint8_t *)text + 16 * i), vdupq_n_u8(set));

		bits[i] = vandq_u8(vceqq_u8(bytes, vdupq_n_u8(c)), weight);
	}
	/* Three rounds of adding neighbours: eight bytes with a bit each become one. */
	bits[0] = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
	bits[0] = vpaddq_u8(bits[0], bits[0]);
	return vgetq_lane_u64(vreinterpretq_u64_u8(bits[0]), 0);
#else
	uint64_t bits = 0;

	for (unsigned i = 0; i < SIMD_BLOCK; i++)
		bits |= (uint64_t)(((unsigned char)text[i] | set) == c) << i;
	return bits;
#endif
}

/* Which of the 64 bytes at text are c. */
static inline uint64_t simd_bits(const char *text, unsigned char c)
{
	return simd_bits_with(text, 0, c);
}

/* --- sixteen bytes, for short texts ------------------------------------------ */

#if defined(SIMD_NEON)
/* A bit for each of the bytes, which are 0 or 255. */
static inline uint32_t simd_mask(uint8x16_t bytes)
{
	static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
	uint8x16_t bits = vandq_u8(bytes, vld1q_u8(weights));

	return vaddv_u8(vget_low_u8(bits)) | (uint32_t)vaddv_u8(vget_high_u8(bits)) << 8;
}
#endif

/* Which of the 16 bytes at text are not digits. */
static inline uint32_t simd_nondigits(const char *text)
{
#if defined(SIMD_SSE2)
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
	__m128i value = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
	__m128i digits = _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value);

	return (uint32_t)_mm_movemask_epi8(digits) ^ 0xffff;
#elif defined(SIMD_NEON)
	uint8x16_t value = vsubq_u8(vld1q_u8((const uint8_t *)text), vdupq_n_u8('0'));

	return simd_mask(vcgtq_u8(value, vdupq_n_u8(9)));
#else
	uint32_t bits = 0;

	for (unsigned i = 0; i < SIMD_SHORT; i++)
		bits |= (uint32_t)(text[i] < '0' || text[i] > '9') << i;
	return bits;
#endif
}

/* Which of the 16 bytes at text are not printable ASCII, or are a or b. */
static inline uint32_t simd_unprintable_or(const char *text, char a, char b)
{
#if defined(SIMD_SSE2)
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
	/* As signed numbers, all other bytes are less, if 0x7f becomes the lowest. */
	__m128i less = _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(1)), _mm_set1_epi8(0x21));
	__m128i equal = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(a)),
	                             _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b)));

	return (uint32_t)_mm_movemask_epi8(_mm_or_si128(less, equal));
#elif defined(SIMD_NEON)
	uint8x16_t bytes = vld1q_u8((const uint8_t *)text);
	uint8x16_t outside = vcgtq_u8(vsubq_u8(bytes, vdupq_n_u8(0x20)), vdupq_n_u8(0x7e - 0x20));
	uint8x16_t equal =
		vorrq_u8(vceqq_u8(bytes, vdupq_n_u8((uint8_t)a)), vceqq_u8(bytes, vdupq_n_u8((uint8_t)b)));

	return simd_mask(vorrq_u8(outside, equal));
#else
	uint32_t bits = 0;

	for (unsigned i = 0; i < SIMD_SHORT; i++)
		bits |= (uint32_t)((unsigned char)text[i] - 0x20u >= 0x5f || text[i] == a || text[i] == b)
		        << i;
	return bits;
#endif
}

/* --- AVX2 ---------------------------------------------------------------------- */

#define SIMD_INLINE static inline __attribute__((always_inline))

#if defined(SIMD_SSE2)
#define SIMD_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,pclmul")))

static inline bool simd_has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
	       __builtin_cpu_supports("pclmul");
}

/* Which of two times 32 bytes are c. */
SIMD_AVX2 SIMD_INLINE uint64_t simd_equal_avx2(__m256i low, __m256i high, unsigned char c)
{
	const __m256i sought = _mm256_set1_epi8((char)c);
	uint32_t a = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, sought));
	uint32_t b = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, sought));

	return a | (uint64_t)b << 32;
}

/* As simd_bits. */
SIMD_AVX2 static inline uint64_t simd_bits_avx2(const char *text, unsigned char c)
{
	const __m256i *at = (const void *)text;

	return simd_equal_avx2(_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1), c);
}
/* As simd_parity: a carry-less product with all ones gives the parity of the bits up to each bit.
 */
SIMD_AVX2 static inline uint64_t simd_parity_avx2(uint64_t bits)
{
	__m128i product =
		_mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)bits), _mm_set1_epi8(-1), 0);

	return (uint64_t)_mm_cvtsi128_si64(product);
}
#else
#define SIMD_AVX2
#define simd_bits_avx2 simd_bits
#define simd_parity_avx2 simd_parity

static inline bool simd_has_avx2(void)
{
	return false;
}
#endif

/* --- bits ------------------------------------------------------------------------ */

/* Sets each bit with an odd number of bits at or below it: from quotes to the text in them. */
static inline uint64_t simd_parity(uint64_t bits)
{
	for (unsigned by = 1; by < SIMD_BLOCK; by *= 2)
		bits ^= bits << by;
	return bits;
}

/* The lowest n bits, n up to 64. */
static inline uint64_t simd_low(uint64_t n)
{
	return n < SIMD_BLOCK ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
}

#endif
