#include "json/scan.h"

#include "base/die.h"

#include <stdlib.h>
#include <string.h>

#include "base/simd.h"

/* A bit for each of 64 bytes, the lowest for the first. */
struct masks {
	uint64_t quotes;
	uint64_t backslashes;
	uint64_t opens;  /* { and [ */
	uint64_t closes; /* } and ] */
	uint64_t letters;
	uint64_t commas;
};

/* --- masks, for each kind of processor ------------------------------------ */

/* In ASCII the square brackets are the curly ones without this bit, and A to Z are a to z. */
enum { CURLY = 0x20 };

SIMD_INLINE void masks_scalar(struct masks *m, const char *text, const struct scan_letters *letters)
{
	enum { QUOTE = 1, BACKSLASH = 2, OPEN = 4, CLOSE = 8, COMMA = 16 };
	static const unsigned char kinds[256] = {
		['"'] = QUOTE, ['\\'] = BACKSLASH, ['{'] = OPEN,  ['['] = OPEN,
		['}'] = CLOSE, [']'] = CLOSE,      [','] = COMMA,
	};

	*m = (struct masks){0};
	for (unsigned i = 0; i < SCAN_BLOCK; i++) {
		unsigned char c = (unsigned char)text[i];
		uint64_t kind = kinds[c];
		uint64_t letter = letters->by_nibble[c & 15] == (c | CURLY);

		m->quotes |= (kind & 1) << i;
		m->backslashes |= (kind >> 1 & 1) << i;
		m->opens |= (kind >> 2 & 1) << i;
		m->closes |= (kind >> 3 & 1) << i;
		m->commas |= (kind >> 4 & 1) << i;
		m->letters |= letter << i;
	}
}

#if defined(SIMD_SSE2)

/* The bytes whose entry in the table is the byte itself. */
SIMD_AVX2 SIMD_INLINE uint64_t in_table_avx2(__m256i low, __m256i high, __m256i table)
{
	__m256i low_found = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, low), low);
	__m256i high_found = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, high), high);

	return (uint32_t)_mm256_movemask_epi8(low_found) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(high_found) << 32;
}

SIMD_AVX2 SIMD_INLINE void masks_avx2(struct masks *m, const char *text,
                                      const struct scan_letters *letters)
{
	const __m256i table = _mm256_broadcastsi128_si256(
		_mm_loadu_si128((const __m128i *)(const void *)letters->by_nibble));
	const __m256i curly = _mm256_set1_epi8(CURLY);
	__m256i low = _mm256_loadu_si256((const __m256i *)(const void *)text);
	__m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(text + 32));

	m->quotes = simd_equal_avx2(low, high, '"');
	m->backslashes = simd_equal_avx2(low, high, '\\');
	m->commas = letters->count ? simd_equal_avx2(low, high, ',') : 0;
	low = _mm256_or_si256(low, curly);
	high = _mm256_or_si256(high, curly);
	m->letters = letters->count ? in_table_avx2(low, high, table) : 0;
	m->opens = simd_equal_avx2(low, high, '{');
	m->closes = simd_equal_avx2(low, high, '}');
}

#endif

#if defined(SIMD_SSE2) || defined(SIMD_NEON)

/* With SSE2 or NEON. */
SIMD_INLINE void masks_simd(struct masks *m, const char *text, const struct scan_letters *letters)
{
	m->quotes = simd_bits(text, '"');
	m->backslashes = simd_bits(text, '\\');
	m->opens = simd_bits_with(text, CURLY, '{');
	m->closes = simd_bits_with(text, CURLY, '}');
	m->commas = letters->count ? simd_bits(text, ',') : 0;
	m->letters = 0;
	for (size_t i = 0; i < letters->count; i++)
		m->letters |= simd_bits_with(text, CURLY, letters->each[i]);
}

#endif

/* --- one block, and the search ------------------------------------------- */

/* The bytes after an effective backslash; *escaped carries over to the next block. */
SIMD_INLINE uint64_t escaped_bytes(uint64_t backslashes, uint64_t *escaped)
{
	uint64_t result = *escaped;

	backslashes &= ~result;
	*escaped = 0;
	while (backslashes) { /* rare in traces: bit by bit */
		uint64_t backslash = backslashes & -backslashes;
		uint64_t next = backslash << 1;

		result |= next;
		*escaped = next == 0;
		backslashes &= ~(backslash | next);
	}
	return result;
}

typedef void masks_fn(struct masks *, const char *, const struct scan_letters *);
typedef uint64_t parity_fn(uint64_t);

/* Makes the next block the current one. */
SIMD_INLINE void load(struct scan *s, const char *text, masks_fn *masks, parity_fn *parity)
{
	struct masks m;
	uint64_t quotes;
	uint64_t strings;
	uint64_t starts;

	masks(&m, text + s->next, &s->letters);
	quotes = m.quotes;
	if (m.backslashes | s->escaped)
		quotes &= ~escaped_bytes(m.backslashes, &s->escaped);
	strings = parity(quotes) ^ s->in_string;
	s->in_string = (uint64_t)0 - (strings >> 63);
	s->opens = m.opens & ~strings;
	s->closes = m.closes & ~strings;
	s->backslashes = m.backslashes;
	/* A word may have a space after the comma before it. */
	starts = m.quotes | m.commas | m.commas << 1;
	s->letter_starts = m.letters & (starts << 1 | s->start);
	s->start = starts >> 63 | m.commas >> 63 << 1;
	s->next += SCAN_BLOCK;
}

/* Clears the bits that are not in mask. */
SIMD_INLINE void keep_bits(struct scan *s, uint64_t mask)
{
	s->opens &= mask;
	s->closes &= mask;
	s->backslashes &= mask;
	s->letter_starts &= mask;
}

/*
 * Makes the block of start the current block, with the bits before start cleared; false past limit.
 */
SIMD_INLINE bool begin(struct scan *s, const char *text, size_t start, size_t limit,
                       masks_fn *masks, parity_fn *parity)
{
	/* Objects follow each other closely: start is in the current block or the next. */
	for (int i = 0; i < 2 && s->known && start + SCAN_BLOCK >= s->next; i++) {
		if (start < s->next) {
			unsigned at = (unsigned)(start + SCAN_BLOCK - s->next);

			keep_bits(s, ~(uint64_t)0 << at);
			/* Nor do bytes before start make a word of what follows its bracket. */
			s->letter_starts &= ~(uint64_t)3 << at;
			s->start &= (uint64_t)at + 1 == SCAN_BLOCK ? 0 : 3;
			if (s->opens >> at & 1)
				return true;
			break;
		}
		if (limit < s->next + SCAN_BLOCK)
			return false;
		load(s, text, masks, parity);
	}
	/* The bits are unknown, or show no bracket at start: begin anew there. */
	s->known = true;
	s->next = start;
	s->in_string = s->escaped = s->start = 0;
	if (limit < s->next + SCAN_BLOCK) {
		s->known = false;
		return false;
	}
	load(s, text, masks, parity);
	return true;
}

SIMD_INLINE size_t find(struct scan *s, const char *text, size_t start, size_t limit,
                        masks_fn *masks, parity_fn *parity)
{
	uint64_t backslashes;
	uint64_t letters;
	size_t depth;
	size_t end = 0;

	if (s->depth == 0) {
		s->has_backslash = false;
		s->has_letter = s->any_letter;
		if (!begin(s, text, start, limit, masks, parity))
			return 0;
	}
	depth = s->depth;
	backslashes = s->has_backslash;
	letters = s->has_letter;
	for (;;) {
		size_t closing = (size_t)__builtin_popcountll(s->closes);

		if (closing < depth) {
			/* Too few brackets close: only the depth at the end of the block matters. */
			depth += (size_t)__builtin_popcountll(s->opens) - closing;
		} else {
			uint64_t brackets = s->opens | s->closes;

			while (brackets) {
				uint64_t bracket = brackets & (0 - brackets);
				uint64_t passed = bracket | (bracket - 1);

				brackets ^= bracket;
				if (s->opens & bracket) {
					depth++;
				} else if (--depth == 0) {
					end = s->next - SCAN_BLOCK + (unsigned)__builtin_ctzll(bracket) + 1;
					backslashes |= s->backslashes & passed;
					letters |= s->letter_starts & passed;
					keep_bits(s, ~passed);
					goto done;
				}
			}
		}
		backslashes |= s->backslashes;
		letters |= s->letter_starts;
		keep_bits(s, 0);
		if (limit < s->next + SCAN_BLOCK)
			break;
		load(s, text, masks, parity);
	}
done:
	s->depth = depth;
	s->has_backslash = backslashes != 0;
	s->has_letter = letters != 0;
	return end;
}

static size_t find_scalar(struct scan *s, const char *text, size_t start, size_t limit)
{
	return find(s, text, start, limit, masks_scalar, simd_parity);
}

#if defined(SIMD_SSE2)

static size_t find_sse2(struct scan *s, const char *text, size_t start, size_t limit)
{
	return find(s, text, start, limit, masks_simd, simd_parity);
}

SIMD_AVX2 static size_t find_avx2(struct scan *s, const char *text, size_t start, size_t limit)
{
	return find(s, text, start, limit, masks_avx2, simd_parity_avx2);
}

#elif defined(SIMD_NEON)

static size_t find_neon(struct scan *s, const char *text, size_t start, size_t limit)
{
	return find(s, text, start, limit, masks_simd, simd_parity);
}

#endif

/* --- choosing the way ------------------------------------------------------ */

/* False without letters, with too many, or if two letters share a place in by_nibble. */
static bool set_letters(struct scan_letters *set, const char *letters, size_t count)
{
	*set = (struct scan_letters){0};
	for (unsigned i = 0; i < sizeof set->by_nibble; i++)
		set->by_nibble[i] = (unsigned char)(i ^ 1); /* no byte of this nibble */
	for (size_t i = 0; i < count; i++) {
		unsigned char letter = (unsigned char)letters[i] | CURLY;
		unsigned char *place = &set->by_nibble[letter & 15];

		if (*place == letter)
			continue;
		if (set->count == SCAN_LETTERS || (*place & 15) == (letter & 15))
			return false;
		*place = set->each[set->count++] = letter;
	}
	return count > 0;
}

void scan_init(struct scan *s, const char *letters, size_t count)
{
	const char *forced = getenv("KEV_SIMD");
	bool any = !forced || !*forced;

	*s = (struct scan){0};
	s->any_letter = !set_letters(&s->letters, letters, count);
#if defined(SIMD_SSE2)
	if (!s->find && (any || strcmp(forced, "avx2") == 0) && simd_has_avx2())
		s->find = find_avx2;
	if (!s->find && (any || strcmp(forced, "sse2") == 0))
		s->find = find_sse2;
#elif defined(SIMD_NEON)
	if (any || strcmp(forced, "neon") == 0)
		s->find = find_neon;
#endif
	if (!s->find && (any || strcmp(forced, "scalar") == 0))
		s->find = find_scalar;
	if (!s->find)
		die("KEV_SIMD: '%s' is not one of scalar, sse2, avx2, neon, or not of this processor",
		    forced);
}

size_t scan_object(struct scan *s, const char *text, size_t start, size_t limit)
{
	return s->find(s, text, start, limit);
}

void scan_moved(struct scan *s, size_t by)
{
	s->known &= s->next >= by;
	s->next -= by;
}

void scan_reset(struct scan *s)
{
	s->known = false;
	s->depth = 0;
}
