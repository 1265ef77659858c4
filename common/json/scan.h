/*
 * scan - finds where objects of JSON text end, 64 bytes at a time: masks of
 * quotes, backslashes and brackets from SIMD compares, strings by their parity.
 *
 * AVX2 where the processor has it, else SSE2, on aarch64 NEON, elsewhere
 * portable C; the environment variable KEV_SIMD (scalar, sse2, avx2, neon)
 * forces one. All give the same answers.
 */
#ifndef SCAN_H
#define SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

enum { SCAN_BLOCK = SIMD_BLOCK }; /* bytes: text is looked at by so many */

struct scan {
	/* What is known of the object once its end is found. */
	bool has_backslash;
	bool has_letter; /* one of its strings may begin with a letter of `letters` */
	size_t deepest;  /* its nesting, give or take a block's worth */
	/* Below, scan.c's own. */
	size_t (*find)(struct scan *, const char *, size_t, size_t);
	unsigned char letters[4]; /* the last one again where there are fewer */
	bool any_letter;          /* none was given */
	bool known;               /* the block at hand is: its bits, those passed cut off */
	size_t next;              /* where the block behind it begins */
	uint64_t opens;           /* brackets outside of strings */
	uint64_t closes;
	uint64_t backslashes;
	uint64_t letter_starts;
	uint64_t in_string; /* all ones where the next block begins inside of one */
	uint64_t escaped;   /* 1 where its first byte is */
	uint64_t quote;     /* 1 where its first byte follows a quote */
	size_t depth;
};

enum { SCAN_LETTERS = 4 };

/*
 * Chooses the way. With letters (count up to SCAN_LETTERS) has_letter may be
 * true for too many objects, never false for one that has such a string without
 * a backslash; without any it is always true.
 */
void scan_init(struct scan *scan, const char *letters, size_t count);

/*
 * The place in text behind the bracket that closes the one at start, or 0 where
 * limit comes first: then the same call again, with a later limit, goes on.
 * Brackets are counted, not told apart. Text is only looked at in whole blocks
 * below limit: at its end pad it with SCAN_BLOCK spaces.
 */
size_t scan_object(struct scan *scan, const char *text, size_t start, size_t limit);

/* The text has moved down by so many bytes. */
void scan_moved(struct scan *scan, size_t by);

/* The first quote at or behind p; there must be one, and SCAN_BLOCK readable bytes behind it. */
static inline const char *scan_quote(const char *p)
{
#if defined(SIMD_SSE2)
	const __m128i sought = _mm_set1_epi8('"');

	for (;; p += 16) {
		__m128i text = _mm_loadu_si128((const __m128i *)(const void *)p);
		unsigned found = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(text, sought));

		if (found)
			return p + __builtin_ctz(found);
	}
#else
	while (*p != '"')
		p++;
	return p;
#endif
}

/* The object being looked for is given up. */
void scan_reset(struct scan *scan);

#endif
