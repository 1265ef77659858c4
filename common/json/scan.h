/*
 * scan - finds the ends of objects in JSON text, 64 bytes at a time: SIMD compares give masks of
 * quotes, backslashes and brackets, and the parity of quotes tells strings apart.
 *
 * It uses AVX2 if the processor has it, else SSE2; on aarch64 NEON; on others portable C. The
 * environment variable KEV_SIMD (scalar, sse2, avx2, neon) forces one. All give equal results.
 */
#ifndef SCAN_H
#define SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

enum { SCAN_BLOCK = SIMD_BLOCK }; /* bytes of text read at a time */

enum { SCAN_LETTERS = 4 };

/* Letters in lower case, each with a low nibble of its own. */
struct scan_letters {
	unsigned char by_nibble[16]; /* the letter with that nibble, or a byte with another one */
	unsigned char each[SCAN_LETTERS];
	size_t count;
};

struct scan {
	/* The strings of the object, once its end is found. */
	bool has_backslash;
	bool has_letter; /* a word of a string in it may begin with one of the letters */
	/* Private to scan.c. */
	size_t (*find)(struct scan *, const char *, size_t, size_t);
	struct scan_letters letters;
	bool any_letter; /* no letters were given, or they cannot be looked for */
	bool known;      /* the bits of the current block are valid, cleared up to the cursor */
	size_t next;     /* the offset of the next block */
	uint64_t opens;  /* brackets outside of strings */
	uint64_t closes;
	uint64_t backslashes;
	uint64_t letter_starts;
	uint64_t in_string; /* all ones if the next block begins inside of a string */
	uint64_t escaped;   /* 1 if its first byte is escaped */
	uint64_t start; /* bits of its first bytes that follow a quote, a comma, or that and a byte */
	size_t depth;
};

/*
 * Chooses the way to scan. With letters has_letter may be true for too many objects, but is never
 * false for an object without a backslash in which a string, or a word after a comma in it, begins
 * with such a letter, in either case. Without letters, or with more than SCAN_LETTERS, it is always
 * true.
 */
void scan_init(struct scan *scan, const char *letters, size_t count);

/*
 * The offset after the bracket that closes the bracket at start, or 0 if limit comes first: a call
 * with a later limit then goes on. Brackets are counted without regard to their kind. Text is read
 * in whole blocks below limit: pad its end with SCAN_BLOCK spaces.
 */
size_t scan_object(struct scan *scan, const char *text, size_t start, size_t limit);

/* To be called when the text has moved down by this many bytes. */
void scan_moved(struct scan *scan, size_t by);

/* The first quote from p on. There must be one, with SCAN_BLOCK readable bytes after it. */
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

/* Gives up the search for the end of the current object. */
void scan_reset(struct scan *scan);

#endif
